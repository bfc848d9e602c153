// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package programs

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// mebibyteMatrix is how many rows and columns a matrix of 1 MiB has.
const mebibyteMatrix = 512

// donateLarge adds an array of 1 MiB to itself in place.
const donateLarge = `module @donate_large {
  func.func @main(%a: tensor<512x512xf32> {tf.aliasing_output = 0 : i32}) -> tensor<512x512xf32> {
    %0 = stablehlo.add %a, %a : tensor<512x512xf32>
    return %0 : tensor<512x512xf32>
  }
}`

// addLarge adds two arrays of 1 MiB.
const addLarge = `module @add_large {
  func.func @main(%a: tensor<512x512xf32>, %b: tensor<512x512xf32>) -> tensor<512x512xf32> {
    %0 = stablehlo.add %a, %b : tensor<512x512xf32>
    return %0 : tensor<512x512xf32>
  }
}`

var memoryStatsChecks = slices.Concat(
	both(check.Check{Rule: "EXE-17"}, func(t *check.T, k compiler) {
		e := k.text(t, addLarge, options{})
		s := check.Optional(t, capi.ExecutableGetCompiledMemoryStatsArgs{Executable: e.executable})
		for range 2 {
			check.Equal(t, s, check.Call(t, capi.ExecutableGetCompiledMemoryStatsArgs{Executable: e.executable}),
				"PJRT_Executable_GetCompiledMemoryStats of a program, asked again")
		}
		for _, v := range statsFields(t, s) {
			if v.value < 0 {
				t.Errorf("%s of a program that adds two arrays of 1 MiB: expected 0 or more, got %d", v.name, v.value)
			}
		}
		// If there are buffers, their size is up to the plugin.
		one := int64(1 << 20)
		if e.loaded != nil {
			b := check.Upload(t, t.Client(), make([]float32, mebibyteMatrix*mebibyteMatrix), mebibyteMatrix, mebibyteMatrix)
			if out, err := check.Try(t, capi.BufferOnDeviceSizeInBytesArgs{Buffer: b}); err == nil {
				one = int64(out.OnDeviceSizeInBytes)
			}
		}
		check.Equal(t, 2*one, s.ArgumentSizeInBytes+s.HostArgumentSizeInBytes,
			"argument_size_in_bytes of a program with two arguments of %d bytes", one)
		check.Equal(t, one, s.OutputSizeInBytes+s.HostOutputSizeInBytes, "output_size_in_bytes of a program with a result of %d bytes", one)
		if e.loaded != nil {
			sizesOfSeveral(t)
		}
	}),
	both(check.Check{Rule: "EXE-18"}, func(t *check.T, k compiler) {
		s := check.Optional(t, capi.ExecutableGetCompiledMemoryStatsArgs{Executable: k.text(t, donateLarge, options{}).executable})
		check.Equal(t, 1<<20, s.AliasSizeInBytes+s.HostAliasSizeInBytes,
			"alias_size_in_bytes of a program whose result takes the memory of its argument, 1 MiB")
		s = check.Optional(t, capi.ExecutableGetCompiledMemoryStatsArgs{Executable: k.text(t, addLarge, options{}).executable})
		check.Equal(t, 0, s.AliasSizeInBytes+s.HostAliasSizeInBytes, "alias_size_in_bytes of a program without aliasing")
		aliasesOfSeveral(t, k)
	}),
	both(check.Check{Rule: "EXE-19"}, func(t *check.T, k compiler) {
		t.Since(72, "peak_memory_in_bytes")
		s := check.Optional(t, capi.ExecutableGetCompiledMemoryStatsArgs{Executable: k.text(t, addLarge, options{}).executable})
		if least := max(s.ArgumentSizeInBytes, s.OutputSizeInBytes); s.PeakMemoryInBytes < least {
			t.Errorf("peak_memory_in_bytes: expected at least the %d bytes of the arguments or of the outputs, got %d", least,
				s.PeakMemoryInBytes)
		}
	}),
	both(check.Check{Rule: "EXE-20"}, func(t *check.T, k compiler) {
		e, err := k.tryText(t, hostResult, options{})
		if err != nil {
			t.SkipUnimplf("a program with a result in pinned_host is refused: %v", firstLine(err.Error()))
		}
		if kinds := memoryKinds(t, e.executable); !slices.Equal(kinds, []string{"pinned_host"}) {
			t.SkipUnimplf("the result of a program that puts it into pinned_host has the memory kinds %q", kinds)
		}
		s := check.Optional(t, capi.ExecutableGetCompiledMemoryStatsArgs{Executable: e.executable})
		if s.HostOutputSizeInBytes < 16 {
			t.Errorf("host_output_size_in_bytes of a program with a result of 16 bytes in host memory: expected 16 or more, got %d (output_size_in_bytes is %d)", s.HostOutputSizeInBytes, s.OutputSizeInBytes)
		}
	}),
)

// sizesOfSeveral compares the sizes of the arguments and results of programs that have several with
// those of buffers. For several results there may be a table of pointers.
func sizesOfSeveral(t *check.T) {
	c := t.Client()
	for _, n := range check.Each(t, check.Several) {
		var list []check.HostArray
		var want int64
		for i := range n {
			a := check.HostArrayOf(dtype.F32, 1, int64(3+i), 5)
			b := uploadArray(t, c.Devices[0], a)
			want += int64(t.SizeOnDevice(b))
			list = append(list, a)
			check.Destroy(t, b)
		}
		e := onClient.text(t, check.Returning(list), options{})
		s := check.Call(t, capi.ExecutableGetCompiledMemoryStatsArgs{Executable: e.executable})
		e.drop(t)
		check.Equal(t, want, s.ArgumentSizeInBytes+s.HostArgumentSizeInBytes, "argument_size_in_bytes of a program with %d arguments", n)
		if got := s.OutputSizeInBytes + s.HostOutputSizeInBytes; got < want || got > want+16*int64(n) {
			t.Errorf("output_size_in_bytes of a program with %d results: expected the %d bytes of their buffers and at most 16 for each pointer, got %d", n, want, got)
		}
	}
}

// aliasesOfSeveral compiles programs that return four arguments of different sizes, of which some
// are donated.
func aliasesOfSeveral(t *check.T, k compiler) {
	for _, donated := range check.Each(t, [][]int{{0}, {1}, {2}, {3}, {0, 3}, {1, 2}, {0, 1, 2, 3}}) {
		var list []check.HostArray
		for i := range 4 {
			list = append(list, check.HostArray{Type: dtype.F32, Dims: []int64{8 * int64(i+1), 1024}})
		}
		text, want := check.Returning(list), int64(0)
		for _, i := range donated {
			parameter := fmt.Sprintf("%%a%d: %s", i, check.Tensor(list[i].Type, list[i].Dims))
			text = strings.Replace(text, parameter, fmt.Sprintf("%s {tf.aliasing_output = %d : i32}", parameter, i), 1)
			want += 4 * int64(check.Elements(list[i].Dims...))
		}
		e := k.text(t, text, options{})
		s := check.Call(t, capi.ExecutableGetCompiledMemoryStatsArgs{Executable: e.executable})
		e.drop(t)
		check.Equal(t, want, s.AliasSizeInBytes+s.HostAliasSizeInBytes,
			"alias_size_in_bytes of a program of four arguments, of which %v are donated", donated)
	}
}

// hostResult puts its result into host memory.
const hostResult = `module @host_result {
  func.func public @main(%a: tensor<4xf32>) -> (tensor<4xf32> {mhlo.memory_kind = "pinned_host"}) {
    %0 = stablehlo.add %a, %a : tensor<4xf32>
    %1 = stablehlo.custom_call @annotate_device_placement(%0) {backend_config = "", has_side_effect = true, mhlo.frontend_attributes = {_xla_buffer_placement = "pinned_host"}} : (tensor<4xf32>) -> tensor<4xf32>
    return %1 : tensor<4xf32>
  }
}`

type statsField struct {
	name  string
	value int64
}

// statsFields returns the fields of the memory statistics that the plugin knows.
func statsFields(t *check.T, s capi.ExecutableGetCompiledMemoryStatsArgs) []statsField {
	list := []statsField{
		{"generated_code_size_in_bytes", s.GeneratedCodeSizeInBytes}, {"argument_size_in_bytes", s.ArgumentSizeInBytes},
		{"output_size_in_bytes", s.OutputSizeInBytes}, {"alias_size_in_bytes", s.AliasSizeInBytes}, {"temp_size_in_bytes", s.TempSizeInBytes},
	}
	if t.Minor() >= 43 {
		list = append(list, statsField{"host_generated_code_size_in_bytes", s.HostGeneratedCodeSizeInBytes},
			statsField{"host_argument_size_in_bytes", s.HostArgumentSizeInBytes},
			statsField{"host_output_size_in_bytes", s.HostOutputSizeInBytes},
			statsField{"host_alias_size_in_bytes", s.HostAliasSizeInBytes}, statsField{"host_temp_size_in_bytes", s.HostTempSizeInBytes})
	}
	if t.Minor() >= 72 {
		list = append(list, statsField{"peak_memory_in_bytes", s.PeakMemoryInBytes})
	}
	if t.Minor() >= 90 {
		list = append(list, statsField{"total_size_in_bytes", s.TotalSizeInBytes})
	}
	return list
}

// programFormats are the formats that the header names.
var programFormats = []string{"mlir", "hlo", "hlo_with_config"}

var optimizedChecks = slices.Concat(
	both(check.Check{Rule: "EXE-21"}, func(t *check.T, k compiler) {
		e := k.text(t, check.Pair, options{}).executable
		size, format := optimizedSize(t, e)
		if size == 0 {
			t.Fatalf("PJRT_Executable_OptimizedProgram with code null: expected a size, got 0")
		}
		if format == "" {
			t.Errorf("PJRT_Executable_OptimizedProgram with code null: expected a format, got none")
		}
		// Twice, over different bytes: those that the plugin does not write differ.
		var copies [2][]byte
		for i, fill := range []byte{0xa5, 0x5a} {
			copies[i] = bytes.Repeat([]byte{fill}, size+canary)
			p := optimized(t, e, copies[i], size)
			check.Equal(t, size, int(p.CodeSize), "code_size after the second call")
			check.Equal(t, format, capi.String(p.Format, p.FormatSize), "format after the second call")
			if !slices.Equal(copies[i][size:], bytes.Repeat([]byte{fill}, canary)) {
				t.Errorf("PJRT_Executable_OptimizedProgram: bytes beyond the %d of code_size were written", size)
			}
		}
		// The bytes may differ between calls, but must not be those that were there before.
		for i := range size {
			if copies[0][i] == 0xa5 && copies[1][i] == 0x5a {
				t.Errorf("PJRT_Executable_OptimizedProgram: byte %d of %d was not filled", i, size)
				return
			}
		}
		again, formatAgain := optimizedSize(t, e)
		check.Equal(t, size, again, "code_size when it is asked for again, after the program was")
		check.Equal(t, format, formatAgain, "format when it is asked for again, after the program was")
		if k.topology != nil {
			return // compilers for topologies are slower
		}
		// Another one, which is there at the same time, has a program of its own. Its bytes need
		// not be the same each time, but its name is in them, if that is so of the first.
		for i, e := range []*capi.Executable{e, k.text(t, named(check.Words(24, 3)), options{}).executable} {
			n, _ := optimizedSize(t, e)
			code := make([]byte, n)
			optimized(t, e, code, n)
			if name := executableName(t, e); !bytes.Contains(code, []byte(name)) {
				if i == 0 {
					t.Notef("the optimized program does not contain the name %q of its executable", name)
					return
				}
				t.Errorf("PJRT_Executable_OptimizedProgram of a second executable: expected its name %q in the %d bytes, as the first has its own", name, n)
			}
		}
	}),
	both(check.Check{Rule: "EXE-22", Hostile: true}, func(t *check.T, k compiler) {
		e := k.text(t, check.Pair, options{}).executable
		size, _ := optimizedSize(t, e)
		needsBytes(t, size)
		for _, n := range []int{size - 1, size / 2, 1} {
			code := bytes.Repeat([]byte{0xa5}, size+canary)
			p := &capi.Program{StructSize: capi.ProgramSize, Code: &code[0], CodeSize: uintptr(n)}
			_, err := check.Try(t, capi.ExecutableOptimizedProgramArgs{Executable: e, Program: p})
			t.ErrorCode(err, fmt.Sprintf("PJRT_Executable_OptimizedProgram with code_size %d of %d", n, size))
			if !slices.Equal(code[n:], bytes.Repeat([]byte{0xa5}, len(code)-n)) {
				t.Errorf("PJRT_Executable_OptimizedProgram with code_size %d of %d: bytes beyond were written", n, size)
			}
		}
	}),
	both(check.Check{Rule: "EXE-23"}, func(t *check.T, k compiler) {
		_, format := optimizedSize(t, k.text(t, check.Pair, options{}).executable)
		if !slices.Contains(programFormats, format) {
			t.Errorf("format of PJRT_Executable_OptimizedProgram: expected one of %q, got %q", programFormats, format)
		}
	}),
	[]check.Check{{Rule: "EXE-24", Run: func(t *check.T) {
		c := t.Client()
		e := t.Executable(t.Compile(c, check.AddOne))
		size, format := optimizedSize(t, e)
		needsBytes(t, size)
		code := make([]byte, size)
		optimized(t, e, code, size)
		exe, err := tryFormat(t, c, check.Program(strings.Clone(format), string(code)), options{}.bytes())
		if err != nil {
			t.SkipUnimplf("the plugin does not compile its own optimized program, of format %s: %v", format, err)
		}
		runsAddOne(t, c, exe, "an optimised program that was compiled again")
	}}},
)

// canary is how many bytes after the end of an array are checked.
const canary = 64

// optimizedSize asks for the size and the format of the optimised program.
func optimizedSize(t *check.T, e *capi.Executable) (int, string) {
	p := &capi.Program{StructSize: capi.ProgramSize}
	check.Optional(t, capi.ExecutableOptimizedProgramArgs{Executable: e, Program: p})
	if p.CodeSize > 1<<28 {
		t.Fatalf("PJRT_Executable_OptimizedProgram of a small program: expected a small size, got %d", p.CodeSize)
	}
	return int(p.CodeSize), capi.String(p.Format, p.FormatSize)
}

// needsBytes ends a check that needs an optimised program, if that has no bytes.
func needsBytes(t *check.T, size int) {
	if size == 0 {
		t.BlockedBy("EXE-21", "PJRT_Executable_OptimizedProgram succeeds with a program of 0 bytes")
	}
}

// optimized asks for the optimised program.
func optimized(t *check.T, e *capi.Executable, code []byte, size int) *capi.Program {
	p := &capi.Program{StructSize: capi.ProgramSize, CodeSize: uintptr(size)}
	p.Code, _ = check.First(code)
	check.Optional(t, capi.ExecutableOptimizedProgramArgs{Executable: e, Program: p})
	return p
}
