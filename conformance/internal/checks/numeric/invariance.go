// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package numeric

import (
	"bytes"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"unicode"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// model is a program of several steps whose result is compared with its own result when it
// is computed in another way. It needs no expected value.
type model struct {
	name   string
	inputs []array
	// steps are operations, one each; %r is the result, of type out. Each value that they
	// define may be put behind a barrier.
	steps []string
	out   string
	// exact says that every way must give the same bits; otherwise the results may differ
	// by a thousandth.
	exact bool
}

// models lists a few programs of the kind that frameworks make.
var models = []model{
	{
		name:   "integers",
		inputs: []array{fill(dtype.S32, 4, 8), fill(dtype.S32, 4, 8)},
		steps: []string{
			"%x = stablehlo.multiply %a0, %a1 : tensor<4x8xi32>",
			"%y = stablehlo.add %x, %a0 : tensor<4x8xi32>",
			"%z = stablehlo.maximum %y, %a1 : tensor<4x8xi32>",
			"%r = stablehlo.xor %z, %x : tensor<4x8xi32>",
		},
		out: "tensor<4x8xi32>", exact: true,
	},
	{
		name:   "bools",
		inputs: []array{fill(dtype.Pred, 4, 8), fill(dtype.Pred, 4, 8)},
		steps: []string{
			"%x = stablehlo.and %a0, %a1 : tensor<4x8xi1>",
			"%y = stablehlo.not %x : tensor<4x8xi1>",
			"%r = stablehlo.or %y, %a1 : tensor<4x8xi1>",
		},
		out: "tensor<4x8xi1>", exact: true,
	},
	{
		name:   "dense layer",
		inputs: []array{small(dtype.F32, 4, 8), small(dtype.F32, 8, 8), small(dtype.F32, 4, 8)},
		steps: []string{
			"%d = stablehlo.dot_general %a0, %a1, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>",
			"%b = stablehlo.add %d, %a2 : tensor<4x8xf32>",
			"%t = stablehlo.tanh %b : tensor<4x8xf32>",
			"%r = stablehlo.multiply %t, %a2 : tensor<4x8xf32>",
		},
		out: "tensor<4x8xf32>",
	},
	{
		name:   "normalized exponentials",
		inputs: []array{fill(dtype.F32, 4, 8)},
		steps: []string{
			"%s = stablehlo.tanh %a0 : tensor<4x8xf32>",
			"%e = stablehlo.exponential %s : tensor<4x8xf32>",
			"%q = stablehlo.multiply %e, %e : tensor<4x8xf32>",
			"%r = stablehlo.divide %e, %q : tensor<4x8xf32>",
		},
		out: "tensor<4x8xf32>",
	},
	{
		name:   "movement",
		inputs: []array{fill(dtype.F32, 4, 8)},
		steps: []string{
			"%t = stablehlo.transpose %a0, dims = [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>",
			"%v = stablehlo.reverse %t, dims = [0] : tensor<8x4xf32>",
			"%r = stablehlo.reshape %v : (tensor<8x4xf32>) -> tensor<4x8xf32>",
		},
		out: "tensor<4x8xf32>", exact: true,
	},
}

// text returns the program; with barriers, each value goes through one.
func (m *model) text(f form, barriers bool, attributes string) string {
	p := program{inputs: m.inputs, want: []array{m.result()}}
	var lines []string
	for _, s := range m.steps {
		lines = append(lines, s)
	}
	if barriers {
		lines = lines[:0]
		for _, s := range m.steps {
			name, rest, _ := strings.Cut(s, " = ")
			typ := rest[strings.LastIndex(rest, "tensor<"):]
			// The value gets another name, and the barrier takes over its own.
			lines = append(lines, name+"raw = "+rest, fmt.Sprintf("%s = stablehlo.optimization_barrier %sraw : %s", name, name, typ))
		}
	}
	p.body = strings.Join(lines, "\n  ") + "\n  %r0 = stablehlo.optimization_barrier %r : " + m.out
	text := p.text(f)
	if attributes != "" {
		for i, a := range m.inputs {
			text = strings.Replace(text, fmt.Sprintf("%%a%d: %s", i, a.typ()), fmt.Sprintf("%%a%d: %s {%s}", i, a.typ(), attributes), 1)
		}
		text = strings.Replace(text, "-> ("+m.out+")", "-> ("+m.out+" {"+attributes+"})", 1)
	}
	return text
}

// result returns the shape of the result.
func (m *model) result() array {
	shape := strings.TrimSuffix(strings.TrimPrefix(m.out, "tensor<"), ">")
	parts := strings.Split(shape, "x")
	a := array{dims: []int64{}}
	for i, p := range parts {
		if strings.IndexFunc(p, func(r rune) bool { return !unicode.IsDigit(r) }) >= 0 {
			a.t, _ = dtype.Parse(strings.Join(parts[i:], "x"))
			break
		}
		var d int64
		fmt.Sscan(p, &d)
		a.dims = append(a.dims, d)
	}
	a.v = make([]value, count(a.dims))
	return a
}

// uploadAll uploads the inputs that are parameters of the form.
func (m *model) uploadAll(t *check.T, c *check.Client, f form) []*capi.Buffer {
	var bs []*capi.Buffer
	for i, a := range m.inputs {
		if f.parameter(i) {
			bs = append(bs, (&program{}).upload(t, c, a))
		}
	}
	return bs
}

// compute compiles a text and returns the bytes of the result.
func (m *model) compute(t *check.T, text string, f form) []byte {
	return t.Download(t.Run(t.Shared(text), 1, m.uploadAll(t, t.Client(), f)...)[0])
}

// same compares a result with that of another way.
func (m *model) same(t *check.T, want, got []byte, way string) {
	shape := m.result()
	w, err := decodeArray(shape.t, shape.dims, want)
	if err != nil {
		t.Fatalf("%s: %v", m.name, err)
	}
	g, err := decodeArray(shape.t, shape.dims, got)
	if err != nil {
		t.Errorf("%s, %s: %v", m.name, way, err)
		return
	}
	p := exact
	if !m.exact {
		p.bound = make([]float64, len(w.v))
		for i, v := range w.v {
			p.bound[i] = 1e-3 * (1 + abs(v.f))
		}
	}
	if err := compare(w, g, p); err != nil {
		t.Errorf("%s, %s: %v", m.name, way, err)
	}
}

func abs(x float64) float64 {
	if x < 0 {
		return -x
	}
	return x
}

// each runs f on every model.
func each(f func(t *check.T, m *model)) func(*check.T) {
	return func(t *check.T) {
		for i := range models {
			f(t, &models[i])
		}
	}
}

// invarianceChecks are the checks that a result does not depend on how it is computed.
var invarianceChecks = []check.Check{
	{Rule: "DIFF-02", Run: each(func(t *check.T, m *model) {
		want := m.compute(t, m.text(parameters, false, ""), parameters)
		m.same(t, want, m.compute(t, m.text(constants, false, ""), constants), "inputs as constants")
		m.same(t, want, m.compute(t, m.text(mixed, false, ""), mixed), "some inputs as constants")
	})},
	{Rule: "DIFF-03", Run: each(layouts)},
	{Rule: "DIFF-04", Devices: 2, Run: each(sharded)},
	{Rule: "DIFF-05", Run: each(func(t *check.T, m *model) {
		want := m.compute(t, m.text(parameters, false, ""), parameters)
		m.same(t, want, m.compute(t, m.text(parameters, true, ""), parameters), "a barrier behind each operation")
	})},
	{Rule: "DIFF-06", Run: each(reloaded)},
	{Rule: "DIFF-07", Run: each(olderCallers)},
	{Rule: "DIFF-08", Run: each(repeated(10))},
	{Rule: "DIFF-08", Variant: "100 runs", Profile: check.Core, Run: each(repeated(100))},
}

// layouts uploads the inputs column-major on the device.
func layouts(t *check.T, m *model) {
	c := t.Client()
	exe := t.Shared(m.text(parameters, false, ""))
	want := t.Download(t.Run(exe, 1, m.uploadAll(t, c, parameters)...)[0])
	var bs []*capi.Buffer
	for _, a := range m.inputs {
		data := a.encode()
		args := capi.ClientBufferFromHostBufferArgs{
			Client: c.Handle, Device: c.Devices[0], Type: capi.BufferType(a.t), Data: check.Pointer(data),
			DeviceLayout: check.TiledLayout([]int64{0, 1}),
		}
		args.Dims, args.NumDims = check.First(a.dims)
		out, err := check.Try(t, args)
		if err != nil {
			t.SkipUnimplf("the plugin does not lay out a buffer column-major: %v", err)
		}
		bs = append(bs, check.Own(t, out.Buffer))
		if err := t.Wait(out.DoneWithHostBuffer); err != nil {
			t.Fatalf("upload: %v", err)
		}
		runtime.KeepAlive(data)
		if got := t.Download(bs[len(bs)-1]); !bytes.Equal(got, data) {
			t.Errorf("%s: a buffer with a column-major layout does not hold what was uploaded", m.name)
			return
		}
	}
	// A program compiled for other layouts may refuse the buffers, but must not misread
	// them.
	x := check.NewExecution(exe, 1, bs)
	if err := x.Start(t); err != nil {
		t.Notef("%s: the program refuses arguments of another layout: %v", m.name, err)
		return
	}
	if err := t.Await(x.Events[0]); err != nil {
		t.Notef("%s: the program refuses arguments of another layout: %v", m.name, err)
		return
	}
	m.same(t, want, t.Download(x.Outputs[0][0]), "arguments column-major")
}

// sharded splits the rows over two devices.
func sharded(t *check.T, m *model) {
	if m.name == "movement" || m.name == "dense layer" {
		return // the shapes of their inputs differ from that of their result
	}
	c := t.Client()
	want := m.compute(t, m.text(parameters, false, ""), parameters)
	text := m.text(parameters, false, `mhlo.sharding = "{devices=[2,1]<=[2]}"`)
	out, err := check.Try(t, t.CompileArgs(c, text, check.Devices(1, 2)))
	if err != nil {
		t.SkipUnimplf("the plugin does not partition the program: %v", err)
	}
	exe := check.Own(t, out.Executable)
	devices := check.Call(t, capi.LoadedExecutableAddressableDevicesArgs{Executable: exe})
	lists := make([][]*capi.Buffer, devices.NumAddressableDevices)
	if len(lists) != 2 {
		t.Fatalf("%s: expected 2 devices of a program in two partitions, got %d", m.name, len(lists))
	}
	for d, device := range capi.Slice(devices.AddressableDevices, devices.NumAddressableDevices) {
		for _, a := range m.inputs {
			rows := a.dims[0] / 2
			half := array{a.t, []int64{rows, a.dims[1]}, a.v[d*len(a.v)/2 : (d+1)*len(a.v)/2]}
			data := half.encode()
			args := capi.ClientBufferFromHostBufferArgs{Client: c.Handle, Device: device, Type: capi.BufferType(a.t),
				Data: check.Pointer(data)}
			args.Dims, args.NumDims = check.First(half.dims)
			lists[d] = append(lists[d], t.UploadArgs(args))
			runtime.KeepAlive(data)
		}
	}
	outs := t.RunOn(exe, 1, lists...)
	m.same(t, want, slices.Concat(t.Download(outs[0][0]), t.Download(outs[1][0])), "in two partitions")
}

// reloaded serializes the executable and loads it again.
func reloaded(t *check.T, m *model) {
	c := t.Client()
	exe := t.Shared(m.text(parameters, false, ""))
	want := t.Download(t.Run(exe, 1, m.uploadAll(t, c, parameters)...)[0])
	args := capi.ExecutableDeserializeAndLoadArgs{Client: c.Handle}
	args.SerializedExecutable, args.SerializedExecutableSize = capi.BytesData(t.Serialize(t.Executable(exe)))
	again := check.Own(t, check.Optional(t, args).LoadedExecutable)
	if got := t.Download(t.Run(again, 1, m.uploadAll(t, c, parameters)...)[0]); !bytes.Equal(want, got) {
		t.Errorf("%s: the program that was saved and loaded gives other bits", m.name)
	}
}

// olderCallers executes with all sizes that the options struct has had.
func olderCallers(t *check.T, m *model) {
	c := t.Client()
	exe := t.Shared(m.text(parameters, false, ""))
	args := m.uploadAll(t, c, parameters)
	want := t.Download(t.Run(exe, 1, args...)[0])
	taken := 0
	for _, size := range []uintptr{56, 72, 80, 88, 112, 120, 121, 144, capi.ExecuteOptionsSize} {
		x := check.NewExecution(exe, 1, args)
		x.Options.StructSize = size
		x.Args.StructSize = x.Args.Function().Size
		if _, err := check.Raw(t, x.Args); err != nil {
			t.Notef("options of %d bytes are refused: %v", size, err)
			continue
		}
		taken++
		b := check.Own(t, x.Outputs[0][0])
		check.Own(t, x.Events[0])
		if err := t.Await(x.Events[0]); err != nil {
			t.Errorf("%s, options of %d bytes: %v", m.name, size, err)
			continue
		}
		if got := t.Download(b); !bytes.Equal(want, got) {
			t.Errorf("%s: options of %d bytes give other bits", m.name, size)
		}
	}
	if taken == 0 {
		t.Errorf("%s: no size that the options ever had is accepted", m.name)
	}
}

// repeated runs a program several times.
func repeated(n int) func(*check.T, *model) {
	return func(t *check.T, m *model) {
		c := t.Client()
		exe := t.Shared(m.text(parameters, false, ""))
		args := m.uploadAll(t, c, parameters)
		var want []byte
		for i := range n {
			out := t.Run(exe, 1, args...)[0]
			got := t.Download(out)
			check.Destroy(t, out)
			if i == 0 {
				want = got
			} else if !bytes.Equal(want, got) {
				t.Errorf("%s: run %d gives other bits than the first", m.name, i+1)
				return
			}
		}
	}
}
