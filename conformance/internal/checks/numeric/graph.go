// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package numeric

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// graph writes a program of many operations and computes it as it goes, with floats in 64
// bits whatever their type. With noise, every float is off by a unit in the last place of
// its type: the differences this makes say how far a result may be from the right one.
type graph struct {
	noise  *rand.Rand
	inputs []array
	body   strings.Builder
	count  int
}

// node is a value of a graph.
type node struct {
	name string
	array
}

func (g *graph) input(a array) node {
	g.inputs = append(g.inputs, a)
	return node{fmt.Sprintf("%%a%d", len(g.inputs)-1), a}
}

// define adds an operation.
func (g *graph) define(a array, format string, args ...any) node {
	if g.noise != nil && a.t.IsFloat() {
		for i := range a.v {
			a.v[i].f *= 1 + unit(a.t, 1)*float64(g.noise.IntN(2)*2-1)
		}
	}
	n := node{fmt.Sprintf("%%v%d", g.count), a}
	g.count++
	fmt.Fprintf(&g.body, "%s = %s\n  ", n.name, fmt.Sprintf(format, args...))
	return n
}

func (g *graph) splat(t dtype.Type, x float64, dims ...int64) node {
	v := number(t, int64(x))
	if t.IsFloat() {
		v = value{f: x}
	}
	a := build(t, dims, func([]int64) value { return v })
	literal := fmt.Sprint(v.i)
	if t.IsFloat() {
		literal = fmt.Sprintf("%e", x)
	}
	n := node{fmt.Sprintf("%%v%d", g.count), a}
	g.count++
	fmt.Fprintf(&g.body, "%s = stablehlo.constant dense<%s> : %s\n  ", n.name, literal, a.typ())
	return n
}

func (g *graph) unary(name string, x node) node {
	for i := range unaries {
		if unaries[i].name == name {
			out := build(x.t, x.dims, func(ix []int64) value { return unaries[i].eval(x.t, x.at(ix...)) })
			return g.define(out, "stablehlo.%s %s : %s", name, x.name, x.typ())
		}
	}
	panic("numeric: there is no operation " + name)
}

func (g *graph) binary(name string, x, y node) node {
	for i := range binaries {
		if binaries[i].name == name {
			out := build(x.t, x.dims, func(ix []int64) value { return binaries[i].eval(x.t, x.at(ix...), y.at(ix...)) })
			return g.define(out, "stablehlo.%s %s, %s : %s", name, x.name, y.name, x.typ())
		}
	}
	panic("numeric: there is no operation " + name)
}

// scaled returns x times a number.
func (g *graph) scaled(x node, by float64) node {
	return g.binary("multiply", x, g.splat(x.t, by, x.dims...))
}

func (g *graph) dot(x, y node, c contraction, to dtype.Type) node {
	c.a, c.b = x.dims, y.dims
	out, _ := c.eval(widen(x.array), widen(y.array), wideOf(to))
	out.t = to
	return g.define(out, "\"stablehlo.dot_general\"(%s, %s) {%s, %s} : (%s, %s) -> %s", x.name, y.name, c.attribute(), highest, x.typ(),
		y.typ(), out.typ())
}

// matmul returns the product of two matrices.
func (g *graph) matmul(x, y node) node {
	return g.dot(x, y, contraction{contractA: []int64{1}, contractB: []int64{0}}, x.t)
}

// wideOf returns the type in which values of a type are computed here, so that nothing is
// rounded.
func wideOf(t dtype.Type) dtype.Type {
	if t.IsFloat() {
		return dtype.F64
	}
	return t
}

func widen(a array) array {
	a.t = wideOf(a.t)
	return a
}

// broadcast maps dimension i of x to dimension to[i] of dims.
func (g *graph) broadcast(x node, dims []int64, to ...int64) node {
	out := build(x.t, dims, func(ix []int64) value { return x.at(pick(ix, to)...) })
	return g.define(out, "stablehlo.broadcast_in_dim %s, dims = [%s] : (%s) -> %s", x.name, list(to), x.typ(), out.typ())
}

// along puts a vector along a dimension of dims.
func (g *graph) along(x node, d int64, dims []int64) node { return g.broadcast(x, dims, d) }

// reduce folds a dimension with add or maximum.
func (g *graph) reduce(name string, x node, d int64) node {
	init, literal := 0.0, "0.0"
	if name == "maximum" {
		init, literal = math.Inf(-1), map[dtype.Type]string{dtype.F32: "0xFF800000"}[x.t]
	}
	if !x.t.IsFloat() {
		literal = "0"
	}
	kept := free(len(x.dims), []int64{d})
	out := build(x.t, pick(x.dims, kept), func(ix []int64) value {
		acc := value{f: init}
		at := make([]int64, len(x.dims))
		for k, o := range kept {
			at[o] = ix[k]
		}
		for k := range x.dims[d] {
			at[d] = k
			if name == "maximum" {
				acc = maximum(x.t, acc, x.at(at...))
			} else {
				acc = add(x.t, acc, x.at(at...))
			}
		}
		return acc
	})
	scalarType := check.Tensor(x.t, nil)
	zero := fmt.Sprintf("%%i%d", g.count)
	fmt.Fprintf(&g.body, "%s = stablehlo.constant dense<%s> : %s\n  ", zero, literal, scalarType)
	return g.define(out, "stablehlo.reduce(%s init: %s) applies stablehlo.%s across dimensions = [%d] : (%s, %s) -> %s", x.name, zero, name,
		d, x.typ(), scalarType, out.typ())
}

func (g *graph) transpose(x node) node {
	out := build(x.t, []int64{x.dims[1], x.dims[0]}, func(ix []int64) value { return x.at(ix[1], ix[0]) })
	return g.define(out, "stablehlo.transpose %s, dims = [1, 0] : (%s) -> %s", x.name, x.typ(), out.typ())
}

func (g *graph) slice(x node, d, from, to int64) node {
	dims := append([]int64{}, x.dims...)
	dims[d] = to - from
	out := build(x.t, dims, func(ix []int64) value {
		at := append([]int64{}, ix...)
		at[d] += from
		return x.at(at...)
	})
	var ranges []string
	for k, n := range x.dims {
		if int64(k) == d {
			ranges = append(ranges, fmt.Sprintf("%d:%d", from, to))
		} else {
			ranges = append(ranges, fmt.Sprintf("0:%d", n))
		}
	}
	return g.define(out, "stablehlo.slice %s [%s] : (%s) -> %s", x.name, strings.Join(ranges, ", "), x.typ(), out.typ())
}

func (g *graph) convert(x node, to dtype.Type) node {
	out := build(to, x.dims, func(ix []int64) value {
		v, _ := convert(to, x.t, x.at(ix...))
		return v
	})
	return g.define(out, "stablehlo.convert %s : (%s) -> %s", x.name, x.typ(), out.typ())
}

// choose returns x where the comparison of a and b holds, and y elsewhere.
func (g *graph) choose(direction string, a, b, x, y node) node {
	pred := build(dtype.Pred, a.dims, func(ix []int64) value {
		l, r := less(a.t, a.at(ix...), b.at(ix...)), less(a.t, b.at(ix...), a.at(ix...))
		for _, d := range directions {
			if d.name == direction {
				return truth(l && d.less || r && d.greater || !l && !r && d.equal)
			}
		}
		panic("numeric: there is no comparison " + direction)
	})
	c := g.define(pred, "stablehlo.compare %s, %s, %s, %s : (%s, %s) -> %s", direction, a.name, b.name, comparisonKind(a.t), a.typ(),
		b.typ(), pred.typ())
	out := build(x.t, x.dims, func(ix []int64) value {
		if pred.at(ix...).i != 0 {
			return x.at(ix...)
		}
		return y.at(ix...)
	})
	return g.define(out, "stablehlo.select %s, %s, %s : %s, %s", c.name, x.name, y.name, pred.typ(), x.typ())
}

// softmax returns the softmax along the last dimension of a matrix.
func (g *graph) softmax(x node) node {
	e := g.unary("exponential", g.binary("subtract", x, g.along(g.reduce("maximum", x, 1), 0, x.dims)))
	return g.binary("divide", e, g.along(g.reduce("add", e, 1), 0, x.dims))
}

// realize makes the program of a graph. The allowed error comes from computing the graph
// again with noise.
func realize(write func(g *graph) []node) program {
	exactly := &graph{}
	results := write(exactly)
	p := program{inputs: exactly.inputs}
	var spread [][]float64
	for _, r := range results {
		spread = append(spread, make([]float64, len(r.v)))
	}
	for seed := range uint64(8) {
		for i, r := range write(&graph{noise: rand.New(rand.NewPCG(seed, 1))}) {
			for k, v := range r.v {
				spread[i][k] = max(spread[i][k], math.Abs(v.f-results[i].v[k].f))
			}
		}
	}
	for i, r := range results {
		fmt.Fprintf(&exactly.body, "%%r%d = stablehlo.optimization_barrier %s : %s\n  ", i, r.name, r.typ())
		out := array{r.t, r.dims, make([]value, len(r.v))}
		var bound []float64
		size := 0.0
		for _, v := range r.v {
			size = max(size, math.Abs(v.f))
		}
		for k, v := range r.v {
			out.v[k] = finish(r.t, v)
			if r.t.IsFloat() {
				// A device may order sums differently, and its functions may be off by a
				// few units where the noise is one.
				bound = append(bound, 32*spread[i][k]+8*unit(r.t, size))
			}
		}
		p.want = append(p.want, out)
		p.policies = append(p.policies, policy{bound: bound})
	}
	p.body = strings.TrimSpace(exactly.body.String())
	return p
}
