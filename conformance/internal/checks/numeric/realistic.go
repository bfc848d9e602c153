// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package numeric

import (
	"fmt"
	"math"

	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// weights makes an array of pseudorandom numbers between -1 and 1.
func weights(seed int64, dims ...int64) array {
	w := wholes(dtype.F32, seed, dims...)
	x := wholes(dtype.F32, seed+1000, dims...)
	for i := range w.v {
		w.v[i] = round(dtype.F32, w.v[i].f/4+x.v[i].f/17)
	}
	return w
}

// realistic lists programs of the kind that frameworks send.
var realistic = []struct {
	name  string
	write func(g *graph) []node
	// from and to are a fault: one operation of the program is taken for another.
	from, to string
}{
	{"perceptron", perceptron, "stablehlo.tanh", "stablehlo.logistic"},
	{"attention", attention, "applies stablehlo.maximum", "applies stablehlo.minimum"},
	{"layer norm", layerNorm, "stablehlo.rsqrt", "stablehlo.sqrt"},
	{"convolution block", convolutionBlock, "stablehlo.maximum", "stablehlo.minimum"},
	{"lstm", lstm, "stablehlo.logistic", "stablehlo.tanh"},
	{"embedding", embedding, "stablehlo.add %x, %y", "stablehlo.maximum %x, %y"},
	{"top of logits", topOfLogits, "compare GT, %x, %y", "compare LT, %x, %y"},
	{"unique", unique, "compare NE", "compare EQ"},
	{"fourier convolution", fourierConvolution, "type = FFT", "type = IFFT"},
	{"dropout", dropout, "stablehlo.shift_right_logical", "stablehlo.shift_right_arithmetic"},
	{"adam", adam, "stablehlo.sqrt", "stablehlo.abs"},
	{"quantized product", quantizedProduct, "stablehlo.round_nearest_even", "stablehlo.floor"},
}

// realistics returns the checks of these programs.
func realistics() []entry {
	var es []entry
	for _, r := range realistic {
		profile := check.Core
		if r.name == "perceptron" || r.name == "attention" {
			profile = check.Quick
		}
		es = append(es, entry{rule: "RUN-02", variant: "graph/" + r.name, profile: profile, programs: func() []program {
			p := realize(r.write)
			p.twists = []twist{{fmt.Sprintf("compiles %s as %s", r.from, r.to), r.from, r.to}}
			return []program{p}
		}})
	}
	return es
}

// perceptron is a training step: forward, loss, gradients, update.
func perceptron(g *graph) []node {
	x, target := g.input(weights(1, 8, 6)), g.input(weights(2, 8, 3))
	w1, b1, w2 := g.input(weights(3, 6, 10)), g.input(weights(4, 10)), g.input(weights(5, 10, 3))
	h := g.unary("tanh", g.binary("add", g.matmul(x, w1), g.along(b1, 1, []int64{8, 10})))
	diff := g.binary("subtract", g.matmul(h, w2), target)
	loss := g.reduce("add", g.reduce("add", g.binary("multiply", diff, diff), 1), 0)
	grad := g.scaled(diff, 2)
	w2grad := g.matmul(g.transpose(h), grad)
	back := g.matmul(grad, g.transpose(w2))
	slope := g.binary("subtract", g.splat(dtype.F32, 1, 8, 10), g.binary("multiply", h, h))
	w1grad := g.matmul(g.transpose(x), g.binary("multiply", back, slope))
	return []node{loss, g.binary("subtract", w1, g.scaled(w1grad, 0.125)), g.binary("subtract", w2, g.scaled(w2grad, 0.125))}
}

func attention(g *graph) []node {
	q, k, v := g.input(weights(1, 5, 8)), g.input(weights(2, 7, 8)), g.input(weights(3, 7, 4))
	scores := g.scaled(g.matmul(q, g.transpose(k)), 1/math.Sqrt(8))
	return []node{g.matmul(g.softmax(scores), v)}
}

func layerNorm(g *graph) []node {
	x, gain, bias := g.input(weights(1, 4, 16)), g.input(weights(2, 16)), g.input(weights(3, 16))
	mean := g.scaled(g.reduce("add", x, 1), 1.0/16)
	centred := g.binary("subtract", x, g.along(mean, 0, x.dims))
	variance := g.scaled(g.reduce("add", g.binary("multiply", centred, centred), 1), 1.0/16)
	inverse := g.unary("rsqrt", g.binary("add", variance, g.splat(dtype.F32, 0x1p-10, 4)))
	y := g.binary("multiply", centred, g.along(inverse, 0, x.dims))
	return []node{g.binary("add", g.binary("multiply", y, g.along(gain, 1, x.dims)), g.along(bias, 1, x.dims))}
}

// convolutionBlock is a convolution, a bias, the positive part, and the mean.
func convolutionBlock(g *graph) []node {
	c := convolving{x: []int64{2, 6, 6, 3}, w: []int64{3, 3, 3, 4}, low: []int64{1, 1}, high: []int64{1, 1}}
	x, w, b := g.input(weights(1, c.x...)), g.input(weights(2, c.w...)), g.input(weights(3, 4))
	out, _ := c.eval(widen(x.array), widen(w.array), dtype.F64)
	out.t = dtype.F32
	y := g.define(out, "\"stablehlo.convolution\"(%s, %s) {%s} : (%s, %s) -> %s", x.name, w.name, c.attribute(), x.typ(),
		w.typ(), out.typ())
	y = g.binary("maximum", g.binary("add", y, g.along(b, 3, y.dims)), g.splat(dtype.F32, 0, y.dims...))
	return []node{g.scaled(g.reduce("add", g.reduce("add", y, 1), 1), 1.0/36), y}
}

func lstm(g *graph) []node {
	x, w, u := g.input(weights(1, 4, 3, 5)), g.input(weights(2, 5, 16)), g.input(weights(3, 4, 16))
	h, c := g.input(weights(4, 3, 4)), g.input(weights(5, 3, 4))
	for step := range int64(4) {
		row := g.slice(x, 0, step, step+1)
		now := g.define(array{row.t, []int64{3, 5}, row.v}, "stablehlo.reshape %s : (%s) -> tensor<3x5xf32>", row.name, row.typ())
		z := g.binary("add", g.matmul(now, w), g.matmul(h, u))
		in, forget := g.unary("logistic", g.slice(z, 1, 0, 4)), g.unary("logistic", g.slice(z, 1, 4, 8))
		cell, out := g.unary("tanh", g.slice(z, 1, 8, 12)), g.unary("logistic", g.slice(z, 1, 12, 16))
		c = g.binary("add", g.binary("multiply", forget, c), g.binary("multiply", in, cell))
		h = g.binary("multiply", out, g.unary("tanh", c))
	}
	return []node{h, c}
}

// embedding takes rows of a table and adds their gradients to it.
func embedding(g *graph) []node {
	x := indexing{x: []int64{9, 4}, indices: []int64{6, 1}, offset: []int64{1}, collapsed: []int64{0}, indexed: []int64{0}, vector: 1,
		sizes: []int64{1, 4}, starts: []int64{2, 7, 2, 0, 8, 2}}
	table, at := g.input(weights(1, 9, 4)), g.input(x.indexArray(dtype.S32))
	out := build(dtype.F32, x.result(), func(ix []int64) value { return table.at(x.place(at.array, ix, true)...) })
	rows := g.define(out, "\"stablehlo.gather\"(%s, %s) {%s} : (%s, %s) -> %s", table.name, at.name, x.gatherAttribute(), table.typ(),
		at.typ(), out.typ())
	updates := g.unary("tanh", rows)
	next := array{dtype.F32, table.dims, append([]value{}, table.v...)}
	for i, u := range updates.v {
		k := flat(next.dims, x.place(at.array, index(updates.dims, i), false))
		next.v[k].f += u.f
	}
	sum := fold{name: "add"}
	return []node{rows, g.define(next, "\"stablehlo.scatter\"(%s, %s, %s) (%s) {%s} : (%s, %s, %s) -> %s", table.name, at.name,
		updates.name, sum.region(dtype.F32), x.scatterAttribute(), table.typ(), at.typ(), updates.typ(), table.typ())}
}

// topOfLogits sorts scores in descending order and makes probabilities from the first
// three.
func topOfLogits(g *graph) []node {
	x := g.input(weights(1, 2, 12))
	p := build(dtype.F32, x.dims, func(ix []int64) value {
		larger := int64(0)
		for k := range x.dims[1] {
			if v := x.at(ix[0], k).f; v > x.at(ix...).f || v == x.at(ix...).f && k < ix[1] {
				larger++
			}
		}
		return value{i: larger}
	})
	sorted := build(dtype.F32, x.dims, func(ix []int64) value {
		for k := range x.dims[1] {
			if p.at(ix[0], k).i == ix[1] {
				return value{f: x.at(ix[0], k).f}
			}
		}
		panic("numeric: no element of a rank")
	})
	s := g.define(sorted, `"stablehlo.sort"(%s) ({
  ^bb0(%%x: tensor<f32>, %%y: tensor<f32>):
    %%z = stablehlo.compare GT, %%x, %%y, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %%z : tensor<i1>
  }) {dimension = 1 : i64} : (%s) -> %s`, x.name, x.typ(), x.typ())
	return []node{g.softmax(g.slice(s, 1, 0, 3))}
}

// unique counts the distinct numbers of an array by sorting it.
func unique(g *graph) []node {
	x := g.input(ints(dtype.S32, []int64{10}, 4, 1, 3, 4, 4, 0, 1, 9, 3, 0))
	sorted := ints(dtype.S32, []int64{10}, 0, 0, 1, 1, 3, 3, 4, 4, 4, 9)
	s := g.define(sorted, `"stablehlo.sort"(%s) ({
  ^bb0(%%x: tensor<i32>, %%y: tensor<i32>):
    %%z = stablehlo.compare LT, %%x, %%y, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %%z : tensor<i1>
  }) {dimension = 0 : i64} : (%s) -> %s`, x.name, x.typ(), x.typ())
	one, zero := g.splat(dtype.S32, 1, 9), g.splat(dtype.S32, 0, 9)
	changes := g.choose("NE", g.slice(s, 0, 1, 10), g.slice(s, 0, 0, 9), one, zero)
	return []node{s, g.reduce("add", changes, 0)}
}

// fourierConvolution multiplies spectra.
func fourierConvolution(g *graph) []node {
	const n = 16
	line := func(seed int64) node {
		w := weights(seed, n)
		a := array{t: dtype.C64, dims: w.dims}
		for _, v := range w.v {
			a.v = append(a.v, value{c: complex(v.f, 0)})
		}
		return g.input(a)
	}
	x, y := line(1), line(2)
	transform := func(in node, kind string, sign float64) node {
		var cs []complex128
		for _, v := range in.v {
			cs = append(cs, v.c)
		}
		out := array{t: dtype.C64, dims: in.dims}
		for _, c := range fourier(cs, sign) {
			out.v = append(out.v, value{c: c})
		}
		return g.define(out, "stablehlo.fft %s, type = %s, length = [%d] : (%s) -> %s", in.name, kind, n, in.typ(), in.typ())
	}
	product := g.binary("multiply", transform(x, "FFT", -1), transform(y, "FFT", -1))
	back := transform(product, "IFFT", 1)
	parts := build(dtype.F32, back.dims, func(ix []int64) value { return value{f: real(back.at(ix...).c)} })
	return []node{g.define(parts, "stablehlo.real %s : (%s) -> %s", back.name, back.typ(), parts.typ())}
}

// dropout clears numbers by a mask that it computes from their positions.
func dropout(g *graph) []node {
	x := g.input(weights(1, 32))
	places := build(dtype.S32, x.dims, func(ix []int64) value { return value{i: ix[0]} })
	h := g.define(places, "stablehlo.iota dim = 0 : %s", places.typ())
	for _, factor := range []float64{-1640531527, 668265261} {
		h = g.binary("multiply", h, g.splat(dtype.S32, factor, 32))
		h = g.binary("xor", h, g.binary("shift_right_logical", h, g.splat(dtype.S32, 15, 32)))
	}
	low := g.binary("and", h, g.splat(dtype.S32, 1023, 32))
	return []node{g.choose("LT", low, g.splat(dtype.S32, 600, 32), g.scaled(x, 1/0.6), g.splat(dtype.F32, 0, 32))}
}

// adam is a step of an optimizer that keeps moments.
func adam(g *graph) []node {
	w, grad, m, v := g.input(weights(1, 24)), g.input(weights(2, 24)), g.input(weights(3, 24)), g.input(weights(4, 24))
	v = g.binary("multiply", v, v)
	m = g.binary("add", g.scaled(m, 0.9), g.scaled(grad, 0.1))
	v = g.binary("add", g.scaled(v, 0.999), g.scaled(g.binary("multiply", grad, grad), 0.001))
	root := g.binary("add", g.unary("sqrt", g.scaled(v, 1/0.002)), g.splat(dtype.F32, 0.0625, 24))
	return []node{g.binary("subtract", w, g.scaled(g.binary("divide", g.scaled(m, 1/0.19), root), 0.01)), m, v}
}

// quantizedProduct multiplies matrices of bytes.
func quantizedProduct(g *graph) []node {
	// Halves show in which direction they are rounded.
	half := func(seed int64, dims ...int64) array {
		a := wholes(dtype.F32, seed, dims...)
		for i := range a.v {
			a.v[i].f = a.v[i].f*2.25 + 0.5
		}
		return a
	}
	x, y := g.input(half(1, 4, 16)), g.input(half(2, 16, 3))
	bytes := func(n node) node { return g.convert(g.unary("round_nearest_even", n), dtype.S8) }
	a, b := bytes(x), bytes(y)
	sums := g.dot(a, b, contraction{contractA: []int64{1}, contractB: []int64{0}}, dtype.S32)
	return []node{sums, g.scaled(g.convert(sums, dtype.F32), 0.03125)}
}
