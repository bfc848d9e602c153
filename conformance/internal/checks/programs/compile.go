// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package programs

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

var compileChecks = slices.Concat(
	both(check.Check{Rule: "CMP-02"}, compilesArtifacts),
	both(check.Check{Rule: "CMP-05"}, refusesFormat),
	both(check.Check{Rule: "CMP-06"}, readsFormatBySize),
	both(check.Check{Rule: "CMP-07"}, readsCodeBySize),
	both(check.Check{Rule: "CMP-10"}, namesWhatFailed),
	both(check.Check{Rule: "CMP-12"}, refusesGarbageOptions),
	clientCompileChecks,
)

var clientCompileChecks = []check.Check{
	{Rule: "CMP-01", Profile: check.Smoke, Run: func(t *check.T) {
		c := t.Client()
		runsAddOne(t, c, t.Compile(c, check.AddOne), "StableHLO text")
	}},
	{Rule: "CMP-01", Variant: "aot", Profile: check.Smoke, Library: true, Run: func(t *check.T) {
		e := aheadOfTime(t).text(t, check.AddOne, options{})
		check.Equal(t, 1, numOutputs(t, e.executable), "PJRT_Executable_NumOutputs")
	}},
	{Rule: "CMP-03", Run: func(t *check.T) { compilesHLO(t, "hlo", hloAddToItself()) }},
	{Rule: "CMP-04", Hostile: true, Run: func(t *check.T) {
		compilesHLO(t, "hlo_with_config", message(nil, 1, hloAddToItself()))
	}},
	{Rule: "CMP-13", Hostile: true, Run: func(t *check.T) {
		c := t.Client()
		exe, err := tryFormat(t, c, t.Program("mlir", check.AddOne), nil)
		if t.NoError(err, "PJRT_Client_Compile with compile_options_size 0") {
			runsAddOne(t, c, exe, "a program compiled with empty options")
		}
	}},
	{Rule: "CMP-14", Variant: "no-arguments", Run: func(t *check.T) {
		orRefused(t, program("no_arguments", "() -> tensor<4xf32>",
			"%0 = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>", "return %0 : tensor<4xf32>"),
			options{}, 0, 1, func([]*capi.Buffer) map[int]float32 { return map[int]float32{0: 1} })
	}},
	{Rule: "CMP-14", Variant: "no-results", Run: func(t *check.T) {
		orRefused(t, program("no_results", "(%a: tensor<4xf32>)", "return"), options{}, 1, 0, nil)
	}},
	{Rule: "CMP-14", Variant: "arguments=1000", Run: func(t *check.T) {
		orRefused(t, manyArguments(manyValues), options{}, manyValues, 1, func([]*capi.Buffer) map[int]float32 {
			return map[int]float32{0: manyValues/2 + 2*manyValues}
		})
	}},
	{Rule: "CMP-14", Variant: "results=1000", Run: func(t *check.T) { manyResultsWork(t, 1000) }},
	{Rule: "CMP-15", Variant: "tupled-arguments", Run: func(t *check.T) {
		orRefused(t, program("tupled", "(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)",
			"%0 = stablehlo.subtract %b, %a : tensor<4xf32>", "return %0, %b : tensor<4xf32>, tensor<4xf32>"),
			options{tupled: true}, 2, 2, func([]*capi.Buffer) map[int]float32 { return map[int]float32{0: 1, 1: 2} })
	}},
	{Rule: "CMP-15", Variant: "tuple-argument", Hostile: true, Run: func(t *check.T) {
		orRefused(t, program("tuple_argument", "(%t: tuple<tensor<4xf32>, tensor<4xf32>>) -> tensor<4xf32>",
			"%a = stablehlo.get_tuple_element %t[0] : (tuple<tensor<4xf32>, tensor<4xf32>>) -> tensor<4xf32>",
			"%b = stablehlo.get_tuple_element %t[1] : (tuple<tensor<4xf32>, tensor<4xf32>>) -> tensor<4xf32>",
			"%0 = stablehlo.subtract %b, %a : tensor<4xf32>", "return %0 : tensor<4xf32>"),
			options{tupled: true}, 2, 1, func([]*capi.Buffer) map[int]float32 { return map[int]float32{0: 1} })
	}},
	{Rule: "CMP-15", Variant: "tuple-result", Hostile: true, Run: tupleResult},
	{Rule: "CMP-16", Run: func(t *check.T) { compilesTogether(t, 4, 4) }},
	{Rule: "CMP-16", Variant: "many", Profile: check.Core, Timeout: 3 * check.DefaultTimeout, Run: func(t *check.T) {
		compilesTogether(t, 8, 50)
	}},
	{Rule: "CMP-17", Run: func(t *check.T) { compilingLeaksNot(t, 4, 8, 3<<20) }},
	{Rule: "CMP-17", Variant: "many", Profile: check.Core, Timeout: 3 * check.DefaultTimeout, Run: func(t *check.T) {
		compilingLeaksNot(t, 40, 200, 100<<10)
	}},
	{Rule: "CMP-18", Run: func(t *check.T) { largeConstants(t, 1<<18) }},
	{Rule: "CMP-18", Variant: "size=16MiB", Profile: check.Core, Timeout: 3 * check.DefaultTimeout, Run: func(t *check.T) { largeConstants(t, 1<<22) }},
	{Rule: "CMP-18", Variant: "size=64MiB", Profile: check.Full, Timeout: 6 * check.DefaultTimeout, Run: func(t *check.T) { largeConstants(t, 1<<24) }},
	{Rule: "CMP-23", Variant: "mhlo", Run: func(t *check.T) {
		annotated(t, `module @annotated attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%a: tensor<4xf32> {mhlo.sharding = "{replicated}"}) -> (tensor<4xf32> {mhlo.sharding = "{replicated}"}) {
    %0 = stablehlo.custom_call @Sharding(%a) {mhlo.sharding = "{replicated}"} : (tensor<4xf32>) -> tensor<4xf32>
    %1 = stablehlo.add %0, %0 : tensor<4xf32>
    return %1 : tensor<4xf32>
  }
}`, options{})
	}},
	{Rule: "CMP-23", Variant: "sdy", Run: func(t *check.T) {
		annotated(t, `module @annotated attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=1]>
  func.func public @main(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    %1 = stablehlo.add %a, %a : tensor<4xf32>
    return %1 : tensor<4xf32>
  }
}`, options{shardy: true})
	}},
	{Rule: "CMP-24", Variant: "erf", Run: func(t *check.T) {
		c := t.Client()
		exe, err := tryCompile(t, c, program("erf", "(%a: tensor<4xf32>) -> tensor<4xf32>",
			"%0 = chlo.erf %a : tensor<4xf32> -> tensor<4xf32>", "return %0 : tensor<4xf32>"), options{})
		if !t.NoError(err, "compiling chlo.erf") {
			return
		}
		out := check.DownloadAs[float32](t, t.Run(exe, 1, check.Upload(t, c, []float32{0, 0.5, -1, 20}))[0])
		for i, want := range []float32{0, 0.5204999, -0.8427008, 1} {
			if d := out[i] - want; !(d < 1e-5 && d > -1e-5) {
				t.Errorf("chlo.erf, element %d: expected %v within 1e-5, got %v", i, want, out[i])
			}
		}
	}},
	{Rule: "CMP-24", Variant: "top_k", Run: func(t *check.T) {
		c := t.Client()
		exe, err := tryCompile(t, c, program("top_k", "(%a: tensor<6xf32>) -> (tensor<2xf32>, tensor<2xi32>)",
			"%v, %i = chlo.top_k(%a, k = 2) : tensor<6xf32> -> (tensor<2xf32>, tensor<2xi32>)",
			"return %v, %i : tensor<2xf32>, tensor<2xi32>"), options{})
		if !t.NoError(err, "compiling chlo.top_k") {
			return
		}
		out := t.Run(exe, 2, check.Upload(t, c, []float32{3, 9, 1, 7, 2, 5}))
		check.ExpectBuffer(t, out[0], []float32{9, 7}, "values of chlo.top_k")
		check.ExpectBuffer(t, out[1], []int32{1, 3}, "indices of chlo.top_k")
	}},
}

// acceptedArtifacts returns the artifacts that the plugin says it reads. It skips the check
// when the plugin does not say which it reads, or reads none of them.
func acceptedArtifacts(t *check.T) []check.Artifact {
	out := check.Call(t, capi.PluginAttributesArgs{})
	var lowest, highest []int64
	for _, a := range capi.Attributes(out.Attributes, out.NumAttributes) {
		v, _ := a.Value.([]int64)
		switch a.Name {
		case "stablehlo_minimum_version":
			lowest = v
		case "stablehlo_current_version":
			highest = v
		}
	}
	if len(lowest) != 3 || len(highest) != 3 {
		t.SkipUnimplf("the plugin does not say which versions of StableHLO it reads")
	}
	return t.ArtifactsBetween(lowest, highest)
}

func compilesArtifacts(t *check.T, k compiler) {
	for _, a := range acceptedArtifacts(t) {
		what := fmt.Sprintf("a portable artifact of StableHLO %v", a)
		e, err := k.tryText(t, a.Code, options{})
		if !t.NoError(err, "compiling "+what) {
			continue
		}
		if e.loaded != nil {
			computes(t, t.Client(), e.loaded, []float32{1, 2, 3, 4}, []float32{11, 22, 33, 44}, what)
		}
		e.drop(t)
	}
}

// compilesHLO compiles an HLO module that adds its argument to itself, which a plugin may
// refuse to do.
func compilesHLO(t *check.T, format string, module []byte) {
	c := t.Client()
	exe, err := tryFormat(t, c, check.Program(format, string(module)), options{}.bytes())
	if err != nil {
		t.Notef("format %s: %v", format, err)
		if format == "hlo" {
			check.Equal(t, true, t.ErrorCode(err, "compiling a valid module of format hlo", capi.ErrorCodeInvalidArgument,
				capi.ErrorCodeUnimplemented), "the code of the refusal")
		}
		return
	}
	computes(t, c, exe, []float32{1, 2, 3, 4}, []float32{2, 4, 6, 8}, "a program of format "+format)
}

func refusesFormat(t *check.T, k compiler) {
	for _, format := range []string{"invalid", "MLIR", "mlirx", "ml", ""} {
		_, err := k.try(t, check.Program(format, t.Sent(check.AddOne)), options{}.bytes())
		what := fmt.Sprintf("compiling a program of format %q", format)
		if t.ErrorCode(err, what) && !strings.Contains(err.Error(), format) {
			t.Errorf("%s: expected an error that names the format, got %v", what, err)
		}
	}
}

func readsFormatBySize(t *check.T, k compiler) {
	p := t.Program("mlir", check.AddOne)
	p.Format, _ = capi.StringData("mlirXXXX")
	e, err := k.try(t, p, options{}.bytes())
	if t.NoError(err, `compiling with format "mlirXXXX" and format_size 4`) && e.loaded != nil {
		runsAddOne(t, t.Client(), e.loaded, "a program whose format is longer than format_size")
	}
}

func readsCodeBySize(t *check.T, k compiler) {
	first := "text"
	if t.Sent(check.AddOne) != check.AddOne {
		first = "an artifact"
	}
	read, refused := false, error(nil)
	for _, form := range []struct{ name, code string }{
		{first, t.Sent(check.AddOne)}, {"a portable artifact", check.Artifacts[0].Code},
	} {
		// The bytes after the code would make it wrong.
		code := []byte(form.code + "\n)]}> this is no program")
		p := &capi.Program{StructSize: capi.ProgramSize, Code: &code[0], CodeSize: uintptr(len(form.code))}
		format := []byte("mlir")
		p.Format, p.FormatSize = &format[0], 4
		o := options{}.bytes()
		e, err := k.try(t, p, o)
		if err != nil {
			// CMP-01 and CMP-02 are about programs of these forms.
			if _, alone := k.try(t, check.Program("mlir", form.code), o); alone != nil {
				t.Notef("%s does not compile without other bytes either: %v", form.name, alone)
				refused = alone
				continue
			}
			t.NoError(err, "compiling "+form.name+" with other bytes behind code_size")
		}
		read = true
		if err != nil {
			continue
		}
		clear(code)
		clear(format)
		clear(o)
		*p = capi.Program{}
		want := []float32{2, 3, 4, 5}
		if form.code == check.Artifacts[0].Code {
			want = []float32{11, 22, 33, 44}
		}
		if e.loaded != nil {
			computes(t, t.Client(), e.loaded, []float32{1, 2, 3, 4}, want,
				form.name+" that was overwritten after PJRT_Client_Compile returned")
		}
	}
	if read {
		return
	}
	var e *capi.Error
	if errors.As(refused, &e) && e.Missing {
		t.NoError(refused, "compiling")
		return
	}
	t.BlockedBy("CMP-01", "no program compiles: %v", refused)
}

func refusesGarbageOptions(t *check.T, k compiler) {
	for _, garbage := range []string{"\xff\xff\xff\xff", "no proto at all", "\x1a\x7f\x20\x01", "\x1a\x04\x20\x01\x28"} {
		_, err := k.try(t, t.Program("mlir", check.AddOne), []byte(garbage))
		t.ErrorCode(err, fmt.Sprintf("compiling with the compile options %q", garbage), capi.ErrorCodeInvalidArgument)
	}
}

// orRefused compiles and runs a program, which a plugin may refuse to compile. Argument i
// is filled with i+1; it is a tensor<4xf32> or, when there are many, a tensor<f32>. want
// returns the first elements of results.
func orRefused(t *check.T, text string, o options, arguments, results int, want func([]*capi.Buffer) map[int]float32) {
	c := t.Client()
	exe, err := tryCompile(t, c, text, o)
	if err != nil {
		t.Notef("refused: %v", err)
		return
	}
	check.Equal(t, results, t.NumOutputs(exe), "PJRT_Executable_NumOutputs")
	in := make([]*capi.Buffer, arguments)
	for i := range in {
		if arguments == manyValues {
			in[i] = check.Upload(t, c, []float32{float32(i + 1)}, []int64{}...)
		} else {
			in[i] = check.Upload(t, c, fill(4, float32(i+1), 0))
		}
	}
	out, err := attempt(t, exe, results, in...)
	if !t.NoError(err, "executing what PJRT_Client_Compile accepted") || want == nil {
		return
	}
	for i, first := range want(in) {
		if got := check.DownloadAs[float32](t, out[i]); len(got) == 0 || got[0] != first {
			t.Errorf("result %d: expected a first element of %v, got %v", i, first, got)
		}
	}
}

// manyResultsWork runs manyResults.
func manyResultsWork(t *check.T, n int) {
	orRefused(t, manyResults(n), options{}, 1, n, func([]*capi.Buffer) map[int]float32 {
		want := make(map[int]float32)
		for i := range n {
			want[i] = float32(i + 1)
		}
		return want
	})
}

// manyValues is how many arguments a large program has.
const manyValues = 1000

// manyArguments returns the middle argument plus twice the last.
func manyArguments(n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf("%%a%d: tensor<f32>", i)
	}
	return program("many_arguments", "("+strings.Join(list, ", ")+") -> tensor<f32>",
		fmt.Sprintf("%%0 = stablehlo.add %%a%d, %%a%d : tensor<f32>", n/2-1, n-1),
		fmt.Sprintf("%%1 = stablehlo.add %%0, %%a%d : tensor<f32>", n-1), "return %1 : tensor<f32>")
}

// manyResults returns arrays of 1, 2, 3 and so on.
func manyResults(n int) string {
	values, types, body := make([]string, n), make([]string, n), make([]string, 0, n+1)
	for i := range n {
		body = append(body, fmt.Sprintf("%%r%d = stablehlo.constant dense<%d.0> : tensor<4xf32>", i, i+1))
		values[i], types[i] = fmt.Sprintf("%%r%d", i), "tensor<4xf32>"
	}
	list := strings.Join(types, ", ")
	return program("many_results", "(%a: tensor<4xf32>) -> ("+list+")", append(body, "return "+strings.Join(values, ", ")+" : "+list)...)
}

// tupleResult compiles a program whose result is a tuple: it must be refused, or the number
// of outputs must say how many buffers there are, and these must be right.
func tupleResult(t *check.T) {
	c := t.Client()
	exe, err := tryCompile(t, c, program("tuple_result", "(%a: tensor<4xf32>) -> tuple<tensor<4xf32>, tensor<4xf32>>",
		"%0 = stablehlo.add %a, %a : tensor<4xf32>",
		"%1 = stablehlo.tuple %a, %0 : tuple<tensor<4xf32>, tensor<4xf32>>",
		"return %1 : tuple<tensor<4xf32>, tensor<4xf32>>"), options{})
	if err != nil {
		t.Notef("refused: %v", err)
		return
	}
	n := t.NumOutputs(exe)
	if n != 2 {
		t.Errorf("PJRT_Executable_NumOutputs of a program that returns a tuple of 2: expected 2, got %d", n)
		return
	}
	out, err := attempt(t, exe, n, upload4(t, c))
	if t.NoError(err, "executing what PJRT_Client_Compile accepted") {
		check.ExpectBuffer(t, out[0], []float32{1, 2, 3, 4}, "first element of the tuple")
		check.ExpectBuffer(t, out[1], []float32{2, 4, 6, 8}, "second element of the tuple")
	}
}

// compilesTogether compiles different programs in parallel and runs each.
func compilesTogether(t *check.T, threads, each int) {
	c := t.Client()
	t.Shared(check.AddOne) // a plugin that compiles no text fails another rule
	in := upload4(t, c)
	together(t, threads, func(thread int) error {
		for i := range each {
			n := thread*each + i + 1
			text := program(fmt.Sprintf("plus_%d", n), "(%a: tensor<4xf32>) -> tensor<4xf32>",
				fmt.Sprintf("%%0 = stablehlo.constant dense<%d.0> : tensor<4xf32>", n),
				"%1 = stablehlo.add %a, %0 : tensor<4xf32>", "return %1 : tensor<4xf32>")
			out, err := check.Try(t, t.CompileArgs(c, text, options{}.bytes()))
			if err != nil {
				return fmt.Errorf("compiling in thread %d of %d: %w", thread, threads, err)
			}
			got := make([]float32, 4)
			err = quickly(t, out.Executable, 1, got, in)
			if _, destroyErr := check.Try(t, capi.LoadedExecutableDestroyArgs{Executable: out.Executable}); err == nil {
				err = destroyErr
			}
			if err == nil {
				err = differ(got, fill(4, float32(n+1), 1))
			}
			if err != nil {
				return fmt.Errorf("the program that adds %d, compiled in thread %d of %d: %w", n, thread, threads, err)
			}
		}
		return nil
	})
}

// compilingLeaksNot compiles a program again and again, and compares the process's memory
// before and after.
func compilingLeaksNot(t *check.T, warmup, rounds int, limit int) {
	c := t.Client()
	compile := func(n int) {
		for range n {
			check.Destroy(t, t.Compile(c, check.AddOne))
		}
	}
	compile(warmup)
	before, err := check.ResidentBytes()
	if err != nil {
		t.SkipEnvf("the memory of the process cannot be measured here: %v", err)
	}
	compile(rounds)
	after, err := check.ResidentBytes()
	if err != nil {
		t.SkipEnvf("the memory of the process cannot be measured here: %v", err)
	}
	each := (after - before) / int64(rounds)
	if each > int64(limit) {
		t.Errorf("memory after %d more compilations of one program, each destroyed: expected less than %d bytes more for each, got %d (from %d to %d)", rounds, limit, each, before, after)
	}
}

// largeConstants compiles a splat and a dense constant of n elements of f32.
func largeConstants(t *check.T, n int) {
	c := t.Client()
	splat := program("splat", "(%a: tensor<4xf32>) -> tensor<4xf32>",
		fmt.Sprintf("%%0 = stablehlo.constant dense<2.5> : tensor<%dxf32>", n),
		fmt.Sprintf("%%1 = stablehlo.slice %%0 [%d:%d] : (tensor<%dxf32>) -> tensor<4xf32>", n-4, n, n),
		"%2 = stablehlo.add %a, %1 : tensor<4xf32>", "return %2 : tensor<4xf32>")
	computes(t, c, t.Compile(c, splat), []float32{1, 2, 3, 4}, []float32{3.5, 4.5, 5.5, 6.5},
		fmt.Sprintf("a constant of %d equal elements", n))

	const digits = "0123456789ABCDEF"
	// The elements repeat after a prime number of them, so that a copy of the program can be
	// compressed.
	const period = 4093
	hex := make([]byte, 0, 8*n)
	for i := range n {
		for shift := 0; shift < 32; shift += 8 { // little-endian
			b := byte(i % period * 97 >> shift)
			hex = append(hex, digits[b>>4], digits[b&15])
		}
	}
	dense := program("dense", "(%a: tensor<4xi32>) -> tensor<4xi32>",
		fmt.Sprintf("%%0 = stablehlo.constant dense<\"0x%s\"> : tensor<%dxi32>", hex, n),
		fmt.Sprintf("%%s = stablehlo.constant dense<%d> : tensor<i32>", n-4),
		// The start comes from an argument, so that the slice is not folded; it is clamped.
		"%p = stablehlo.slice %a [0:1] : (tensor<4xi32>) -> tensor<1xi32>",
		"%q = stablehlo.reshape %p : (tensor<1xi32>) -> tensor<i32>",
		fmt.Sprintf("%%1 = stablehlo.dynamic_slice %%0, %%q, sizes = [4] : (tensor<%dxi32>, tensor<i32>) -> tensor<4xi32>", n),
		"%2 = stablehlo.add %a, %1 : tensor<4xi32>", "return %2 : tensor<4xi32>")
	exe := t.Compile(c, dense)
	for _, start := range []int32{0, int32(n/2 + 1), int32(n - 4)} {
		var want [4]int32
		for i := range want {
			want[i] = (start + int32(i)) % period * 97
		}
		computes(t, c, exe, []int32{start, 0, 0, 0}, []int32{start + want[0], want[1], want[2], want[3]},
			fmt.Sprintf("the elements of a constant of %d from number %d on", n, start))
	}
}

// annotated runs a program with sharding annotations for one device that doubles its
// argument.
func annotated(t *check.T, text string, o options) {
	c := t.Client()
	exe, err := tryCompile(t, c, text, o)
	if t.NoError(err, "compiling a program with sharding annotations") {
		computes(t, c, exe, []float32{1, 2, 3, 4}, []float32{2, 4, 6, 8}, "a program with sharding annotations")
	}
}

// namesWhatFailed requires that the error of a program that does not compile names the
// operation or its location.
func namesWhatFailed(t *check.T, k compiler) {
	for _, p := range []struct{ code, word, place string }{
		{program("unknown", "(%a: tensor<4xf32>) -> tensor<4xf32>", "%0 = stablehlo.frobnicate %a : tensor<4xf32>", "return %0 : tensor<4xf32>"), "frobnicate", ":3:"},
		{program("mismatch", "(%a: tensor<4xf32>, %b: tensor<5xf32>) -> tensor<4xf32>", `%0 = "stablehlo.subtract"(%a, %b) : (tensor<4xf32>, tensor<5xf32>) -> tensor<4xf32>`, "return %0 : tensor<4xf32>"), "subtract", ":3:"},
	} {
		_, err := k.tryText(t, p.code, options{})
		if t.ErrorCode(err, "compiling a wrong program") && !strings.Contains(err.Error(), p.word) &&
			!strings.Contains(err.Error(), p.place) {
			t.Errorf("the error of a program whose operation %q in line 3 is wrong: expected it to name the operation or the line, got %v", p.word, err)
		}
	}
}
