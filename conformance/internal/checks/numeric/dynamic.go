// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package numeric

import (
	"fmt"
	"strings"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// dynamics returns the checks of operations that take sizes as operands.
func dynamics() []entry {
	var es []entry
	put := func(name string, t dtype.Type, p program) {
		p.optional = true // a plugin may require all sizes to be attributes
		es = append(es, one("RUN-02", name+"/"+t.String(), check.Core, p))
	}
	for _, t := range elementTypes {
		put("dynamic_broadcast_in_dim", t, dynamicBroadcast(t))
		put("dynamic_reshape", t, dynamicReshape(t))
		put("dynamic_pad", t, dynamicPad(t))
		put("dynamic_gather", t, dynamicGather(t))
		if p, ok := counting(t); ok {
			put("dynamic_iota", t, dynamicIota(t, p.want))
		}
		if t != dtype.F8E8M0FNU {
			put("dynamic_conv", t, dynamicConv(t))
		}
	}
	return es
}

// sizes returns the text of a one-dimensional constant of numbers.
func sizes(name string, t dtype.Type, numbers ...int64) string {
	return fmt.Sprintf("%s = stablehlo.constant dense<[%s]> : tensor<%dx%v>\n  ", name, list(numbers), len(numbers), t)
}

func dynamicBroadcast(t dtype.Type) program {
	x := fill(t, 3, 1)
	out := build(t, []int64{2, 3, 4}, func(ix []int64) value { return x.at(ix[1], 0) })
	return program{
		inputs: []array{x},
		body: sizes("%n", dtype.S64, 2, 3, 4) +
			fmt.Sprintf(`%%r0 = "stablehlo.dynamic_broadcast_in_dim"(%%a0, %%n) {broadcast_dimensions = array<i64: 1, 2>} : (%s, tensor<3xi64>) -> %s`, x.typ(), out.typ()),
		want: []array{out},
		twists: []twist{{"broadcasts the elements in reverse", "%r0 = \"stablehlo.dynamic_broadcast_in_dim\"(%a0",
			fmt.Sprintf("%%v = stablehlo.reverse %%a0, dims = [0] : %s\n  %%r0 = \"stablehlo.dynamic_broadcast_in_dim\"(%%v", x.typ())}},
	}
}

func dynamicReshape(t dtype.Type) program {
	x := fill(t, 3, 4)
	out := array{t, []int64{2, 6}, x.v}
	return program{
		inputs: []array{x},
		body:   sizes("%n", dtype.S32, 2, 6) + fmt.Sprintf("%%r0 = stablehlo.dynamic_reshape %%a0, %%n : (%s, tensor<2xi32>) -> %s", x.typ(), out.typ()),
		want:   []array{out},
		twists: []twist{{"reads the columns first", "%r0 = stablehlo.dynamic_reshape %a0, %n : (" + x.typ(),
			fmt.Sprintf("%%v = stablehlo.transpose %%a0, dims = [1, 0] : (%s) -> %s\n  %%r0 = stablehlo.dynamic_reshape %%v, %%n : (%s", x.typ(), check.Tensor(t, []int64{4, 3}), check.Tensor(t, []int64{4, 3}))}},
	}
}

func dynamicPad(t dtype.Type) program {
	p := padding(t)
	x, out := p.inputs[0], p.want[0]
	p.body = sizes("%low", dtype.S64, 1, -1) + sizes("%high", dtype.S64, 2, 0) + sizes("%interior", dtype.S64, 1, 0) +
		fmt.Sprintf("%%r0 = stablehlo.dynamic_pad %%a0, %%a1, %%low, %%high, %%interior : (%s, %s, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> %s", x.typ(), p.inputs[1].typ(), out.typ())
	edges := "dense<[1, -1]> : tensor<2xi64>\n  %high = stablehlo.constant dense<[2, 0]>"
	p.twists = []twist{
		{"drops elements at the other end", edges, "dense<[1, 0]> : tensor<2xi64>\n  %high = stablehlo.constant dense<[2, -1]>"},
		{"pads the other side", edges, "dense<[2, -1]> : tensor<2xi64>\n  %high = stablehlo.constant dense<[1, 0]>"},
	}
	return p
}

func dynamicGather(t dtype.Type) program {
	x := indexing{x: []int64{4, 5}, indices: []int64{3, 1}, offset: []int64{1}, collapsed: []int64{0}, indexed: []int64{0}, vector: 1,
		sizes: []int64{1, 5}, starts: []int64{2, 0, 9}}
	p := x.gather(fill(t, x.x...), dtype.S32)
	attribute := x.gatherAttribute()
	attribute = strings.Replace(attribute, "slice_sizes = "+i64s(x.sizes...)+", ", "", 1)
	p.body = sizes("%n", dtype.S64, x.sizes...) +
		fmt.Sprintf("%%r0 = \"stablehlo.dynamic_gather\"(%%a0, %%a1, %%n) {%s} : (%s, %s, tensor<2xi64>) -> %s", attribute,
			p.inputs[0].typ(), p.inputs[1].typ(), p.want[0].typ())
	p.twists = []twist{{"takes rows from the end", "%r0 = \"stablehlo.dynamic_gather\"(%a0",
		fmt.Sprintf("%%v = stablehlo.reverse %%a0, dims = [0] : %s\n  %%r0 = \"stablehlo.dynamic_gather\"(%%v", p.inputs[0].typ())}}
	return p
}

// dynamicIota makes the same arrays as iota.
func dynamicIota(t dtype.Type, want []array) program {
	p := program{want: want}
	p.body = sizes("%n", dtype.S64, want[0].dims...)
	for i, dim := range []int{1, 0} {
		p.body += fmt.Sprintf("%%r%d = stablehlo.dynamic_iota %%n, dim = %d : (tensor<2xi64>) -> %s\n  ", i, dim, want[i].typ())
	}
	p.twists = []twist{{"counts along the other dimension", "dim = 1", "dim = 0"}}
	return p
}

func dynamicConv(t dtype.Type) program {
	c := convolving{x: []int64{1, 5, 2}, w: []int64{3, 2, 2}, low: []int64{2}, high: []int64{0}, strides: []int64{2}}
	p := c.program(wholes(t, 1, c.x...), wholes(t, 2, c.w...), t)
	attribute := strings.Replace(c.attribute(), "padding = "+pairsOf(c.low, c.high)+", ", "", 1)
	p.body = "%n = stablehlo.constant dense<[[2, 0]]> : tensor<1x2xi64>\n  " +
		fmt.Sprintf("%%r0 = \"stablehlo.dynamic_conv\"(%%a0, %%a1, %%n) {%s} : (%s, %s, tensor<1x2xi64>) -> %s", attribute,
			p.inputs[0].typ(), p.inputs[1].typ(), p.want[0].typ())
	p.plain = fmt.Sprintf("%%r0 = \"stablehlo.convolution\"(%%a0, %%a1) {%s} : (%s, %s) -> %s", c.attribute(), p.inputs[0].typ(),
		p.inputs[1].typ(), p.want[0].typ())
	p.twists = []twist{{"pads the other side", "dense<[[2, 0]]>", "dense<[[0, 2]]>"},
		{"turns the kernel around", "window_reversal = array<i1: false>", "window_reversal = array<i1: true>"}}
	return p
}

// bounded is a program on an array of at most 8 elements, of which only the first count, as
// many as its second argument says.
type bounded struct {
	name string
	// body makes %r from %x, an array of at most 8 elements; typ is the type of
	// %r. $B stands for the type of %x.
	body, typ string
	want      func(x []float64) []float64
	twist     twist
}

const atMost8 = "tensor<?xf32, #stablehlo.bounds<8>>"

func sum(xs []float64) []float64 {
	total := 0.0
	for _, x := range xs {
		total += x
	}
	return []float64{total}
}

var boundeds = []bounded{
	{name: "elements", body: "%r = stablehlo.multiply %x, %x : $B", typ: atMost8, want: func(x []float64) []float64 {
		var out []float64
		for _, v := range x {
			out = append(out, v*v)
		}
		return out
	}, twist: twist{"adds", "stablehlo.multiply %x, %x", "stablehlo.add %x, %x"}},
	{name: "sum", body: `%zero = stablehlo.constant dense<0.0> : tensor<f32>
  %r = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : ($B, tensor<f32>) -> tensor<f32>`, typ: "tensor<f32>", want: sum,
		twist: twist{"counts the padding", "%x = stablehlo.set_dimension_size %a, %n,", "%eight = stablehlo.constant dense<8> : tensor<i32>\n  %x = stablehlo.set_dimension_size %a, %eight,"}},
	{name: "smallest", body: `%most = stablehlo.constant dense<100.0> : tensor<f32>
  %r = stablehlo.reduce(%x init: %most) applies stablehlo.minimum across dimensions = [0] : ($B, tensor<f32>) -> tensor<f32>`, typ: "tensor<f32>", want: func(x []float64) []float64 {
		least := 100.0
		for _, v := range x {
			least = min(least, v)
		}
		return []float64{least}
	}, twist: twist{"counts the padding", "%x = stablehlo.set_dimension_size %a, %n,", "%eight = stablehlo.constant dense<8> : tensor<i32>\n  %x = stablehlo.set_dimension_size %a, %eight,"}},
	{name: "product", body: "%r = stablehlo.dot_general %x, %x, contracting_dims = [0] x [0], precision = [HIGHEST, HIGHEST] : ($B, $B) -> tensor<f32>", typ: "tensor<f32>", want: func(x []float64) []float64 {
		var squares []float64
		for _, v := range x {
			squares = append(squares, v*v)
		}
		return sum(squares)
	}, twist: twist{"counts the padding", "%x = stablehlo.set_dimension_size %a, %n,", "%eight = stablehlo.constant dense<8> : tensor<i32>\n  %x = stablehlo.set_dimension_size %a, %eight,"}},
	{name: "size", body: `%s = stablehlo.get_dimension_size %x, dim = 0 : ($B) -> tensor<i32>
  %r = stablehlo.convert %s : (tensor<i32>) -> tensor<f32>`, typ: "tensor<f32>", want: func(x []float64) []float64 { return []float64{float64(len(x))} },
		twist: twist{"gives the bound", "%s = stablehlo.get_dimension_size %x, dim = 0 : (" + atMost8 + ") -> tensor<i32>", "%s = stablehlo.constant dense<8> : tensor<i32>"}},
	{name: "reverse", body: "%r = stablehlo.reverse %x, dims = [0] : $B", typ: atMost8, want: func(x []float64) []float64 {
		var out []float64
		for i := range x {
			out = append(out, x[len(x)-1-i])
		}
		return out
	}, twist: twist{"reverses the padding, too", "%x = stablehlo.set_dimension_size %a, %n,", "%v = stablehlo.reverse %a, dims = [0] : tensor<8xf32>\n  %x = stablehlo.set_dimension_size %v, %n,"}},
	{name: "joined", body: "%r = stablehlo.concatenate %x, %x, dim = 0 : ($B, $B) -> tensor<?xf32, #stablehlo.bounds<16>>",
		typ: "tensor<?xf32, #stablehlo.bounds<16>>", want: func(x []float64) []float64 { return append(append([]float64{}, x...), x...) },
		twist: twist{"joins negated elements", "%r = stablehlo.concatenate %x, %x,", "%y = stablehlo.negate %x : " + atMost8 + "\n  %r = stablehlo.concatenate %y, %x,"}},
}

// boundedChecks returns checks that run each program with several sizes.
func boundedChecks() []check.Check {
	var cs []check.Check
	for i := range boundeds {
		b := &boundeds[i]
		cs = append(cs, check.Check{Rule: "D2H-17", Variant: "program=" + b.name, Profile: check.Core, Run: b.run})
	}
	return append(cs, check.Check{Rule: "D2H-17", Variant: "program=again", Profile: check.Core, Run: usedAgain})
}

func (b *bounded) text() string {
	body := strings.ReplaceAll(b.body, "$B", atMost8)
	return fmt.Sprintf(`module @bounded {
func.func @main(%%a: tensor<8xf32>, %%n: tensor<i32>) -> %[1]s {
  %%x = stablehlo.set_dimension_size %%a, %%n, dim = 0 : (tensor<8xf32>, tensor<i32>) -> %[3]s
  %[2]s
  return %%r : %[1]s
}
}
`, b.typ, body, atMost8)
}

func (b *bounded) run(t *check.T) {
	c := t.Client()
	exe := compileBounded(t, c, b.text())
	var data []float32
	for _, v := range boundedData {
		data = append(data, float32(v))
	}
	a := check.Upload(t, c, data)
	for _, n := range boundedSizes {
		out := runBounded(t, exe, a, check.Upload(t, c, []int32{n}, []int64{}...))
		expectFloats(t, out, b.want(boundedData[:n]), fmt.Sprintf("%s of %d elements", b.name, n))
	}
}

var (
	boundedData  = []float64{3, 1, -4, 1, 5, -9, 2, 6}
	boundedSizes = []int32{8, 3, 1, 0, 6}
)

// ofSize returns the program on an array of n elements.
func (b *bounded) ofSize(n int32) program {
	floats := func(xs []float64) array {
		a := array{t: dtype.F32, dims: []int64{int64(len(xs))}}
		for _, x := range xs {
			a.v = append(a.v, value{f: x})
		}
		return a
	}
	x, want := floats(boundedData[:n]), floats(b.want(boundedData[:n]))
	if !strings.Contains(b.typ, "?") {
		want.dims = []int64{}
	}
	sized := strings.NewReplacer("$B", x.typ(), atMost8, x.typ(), "?xf32, #stablehlo.bounds<16>", fmt.Sprintf("%dxf32", 2*n),
		"%x", "%a0", "%r =", "%r0 =")
	return program{inputs: []array{x}, want: []array{want}, body: sized.Replace(b.body)}
}

func compileBounded(t *check.T, c *check.Client, text string) *capi.LoadedExecutable {
	out, err := check.Try(t, t.CompileArgs(c, text, check.Devices(1, 1)))
	if err != nil {
		t.SkipUnimplf("the plugin does not compile arrays of bounded size: %v", err)
	}
	return check.Own(t, out.Executable)
}

// runBounded executes a program with bounded sizes, which a plugin may refuse.
func runBounded(t *check.T, exe *capi.LoadedExecutable, args ...*capi.Buffer) *capi.Buffer {
	x := check.NewExecution(exe, 1, args)
	err := x.Start(t)
	if err == nil {
		err = t.Await(x.Events[0])
	}
	if code := capi.CodeOf(err); code == capi.ErrorCodeUnimplemented || code == capi.ErrorCodeInvalidArgument {
		t.SkipUnimplf("the plugin does not execute programs with arrays of bounded size: %v", err)
	}
	if err != nil {
		t.Fatalf("expected a program with arrays of bounded size to run, got %v", err)
	}
	return x.Outputs[0][0]
}

func expectFloats(t *check.T, b *capi.Buffer, want []float64, what string) {
	got := check.DownloadAs[float32](t, b)
	if len(got) != len(want) {
		t.Errorf("%s: expected %d elements, got %d", what, len(want), len(got))
		return
	}
	for i, w := range want {
		if float64(got[i]) != w {
			t.Errorf("%s: element %d: expected %v, got %v", what, i, w, got[i])
			return
		}
	}
}

// total returns a program that adds the elements of an array.
func total(typ string) string {
	return fmt.Sprintf(`module @total {
func.func @main(%%x: %[1]s) -> tensor<f32> {
  %%zero = stablehlo.constant dense<0.0> : tensor<f32>
  %%r = stablehlo.reduce(%%x init: %%zero) applies stablehlo.add across dimensions = [0] : (%[1]s, tensor<f32>) -> tensor<f32>
  return %%r : tensor<f32>
}
}
`, typ)
}

// usedAgain passes a result of bounded size to a program that takes one.
func usedAgain(t *check.T) {
	c := t.Client()
	maker := compileBounded(t, c, boundeds[0].text())
	taker := compileBounded(t, c, total(atMost8))
	a := check.Upload(t, c, []float32{3, 1, -4, 1, 5, -9, 2, 6})
	for n, want := range map[int32]float64{8: 173, 3: 26, 0: 0} {
		x := runBounded(t, maker, a, check.Upload(t, c, []int32{n}, []int64{}...))
		expectFloats(t, runBounded(t, taker, x), []float64{want}, fmt.Sprintf("sum of the squares of %d elements, by a second program", n))
	}
}
