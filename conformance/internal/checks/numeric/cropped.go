// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package numeric

import (
	"fmt"
	"strings"

	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// cropped returns the checks of windows over what a slice or a pad leaves, which compilers take for
// windows over the whole array with another padding, and of windows that skip elements.
func cropped() []entry {
	var es []entry
	for _, t := range []dtype.Type{dtype.F32, dtype.S32} {
		for _, f := range []struct {
			name     string
			programs func(t dtype.Type) []program
		}{
			{"reduce_window/of a slice", windowsOfSlices},
			{"reduce_window/of a cropped array", windowsOfCrops},
			{"reduce_window/of a cropped single element", windowsOfSingles},
			{"reduce_window/dilated far", windowsDilatedFar},
			{"convolution/dilated by the kernel's size", dilatedByKernel},
		} {
			es = append(es, entry{rule: "RUN-02", variant: f.name + "/" + t.String(), profile: check.Core,
				timeout: 4 * check.DefaultTimeout, forms: []form{parameters}, programs: func() []program { return f.programs(t) }})
		}
	}
	return es
}

// borders are what a pad adds to each dimension, and takes from it where they are negative.
type borders struct{ low, high, between []int64 }

func (b borders) attribute() string {
	return fmt.Sprintf("edge_padding_low = %s, edge_padding_high = %s, interior_padding = %s", i64s(b.low...), i64s(b.high...),
		i64s(b.between...))
}

// around returns x with the borders, which have the value with.
func (b borders) around(x array, with value) array {
	dims := make([]int64, len(x.dims))
	for d := range dims {
		dims[d] = span(x.dims[d], b.between[d]+1) + b.low[d] + b.high[d]
	}
	return build(x.t, dims, func(ix []int64) value {
		at := make([]int64, len(ix))
		for d := range ix {
			p, step := ix[d]-b.low[d], b.between[d]+1
			if at[d] = p / step; p < 0 || p%step != 0 || at[d] >= x.dims[d] {
				return with
			}
		}
		return x.at(at...)
	})
}

// windowsOf returns the sums of windows over what an operation on x makes of it, which is y. The
// operation has the attributes, and zero as its second operand if it takes two.
func (w windowing) windowsOf(name, attributes string, x, y array) program {
	w.x = y.dims
	sum := foldNamed("add")
	p := w.program(sum, y)
	inner := op(name, attributes, "", []array{y}, x)
	if name == "pad" {
		inner = op(name, attributes, "", []array{y}, x, p.inputs[1])
	}
	made := strings.Replace(inner.body, "%r0", "%made", 1)
	p.body = made + "\n  " + strings.Replace(p.body, "(%a0,", "(%made,", 1)
	p.inputs[0] = x
	return p
}

// windowsOfSlices returns windows over slices, some of which pass over elements.
func windowsOfSlices(t dtype.Type) []program {
	x := small(t, 9, 8)
	var ps []program
	for _, stride := range []int64{1, 2} {
		at := func(ix []int64) []int64 { return []int64{2 + ix[0]*stride, 1 + ix[1]} }
		dims := []int64{(5 + stride - 1) / stride, 6}
		y := build(t, dims, func(ix []int64) value { return x.at(at(ix)...) })
		attribute := func(from int64) string {
			return fmt.Sprintf("start_indices = %s, limit_indices = %s, strides = %s", i64s(from, 1), i64s(from+5, 7), i64s(stride, 1))
		}
		for _, w := range []windowing{
			{window: []int64{2, 3}},
			{window: []int64{2, 3}, low: []int64{1, 2}, high: []int64{1, 1}},
			{window: []int64{3, 2}, dilateX: []int64{2, 1}, dilateW: []int64{1, 2}, low: []int64{1, 0}, high: []int64{0, 2}},
		} {
			p := w.windowsOf("slice", attribute(2), x, y)
			p.twists = append(p.twists, twist{"slices one row too far", attribute(2), attribute(3)})
			ps = append(ps, p)
		}
	}
	return ps
}

// windowsOfCrops returns windows over arrays that a pad crops.
func windowsOfCrops(t dtype.Type) []program {
	x := small(t, 5, 6)
	var ps []program
	for _, b := range []borders{
		{low: []int64{-1, -2}, high: []int64{-1, 0}, between: []int64{0, 0}},
		{low: []int64{-2, 1}, high: []int64{1, -1}, between: []int64{0, 0}},
		{low: []int64{-1, 0}, high: []int64{-2, -1}, between: []int64{1, 2}},
	} {
		for _, w := range []windowing{
			{window: []int64{2, 2}},
			{window: []int64{2, 3}, low: []int64{1, 2}, high: []int64{2, 1}},
			{window: []int64{2, 2}, strides: []int64{1, 2}, dilateX: []int64{2, 1}, low: []int64{0, 1}, high: []int64{1, 1}},
		} {
			p := w.windowsOf("pad", b.attribute(), x, b.around(x, value{}))
			shifted := borders{[]int64{b.low[0] + 1, b.low[1]}, []int64{b.high[0] - 1, b.high[1]}, b.between}
			p.twists = append(p.twists, twist{"crops one row too few", b.attribute(), shifted.attribute()})
			ps = append(ps, p)
		}
	}
	return ps
}

// windowsOfSingles returns windows over arrays of a pad that takes away elements, and
// leaves room between the elements of a dimension that has only one.
func windowsOfSingles(t dtype.Type) []program {
	var ps []program
	for _, c := range []struct {
		x []int64
		b borders
		w windowing
	}{
		{[]int64{4, 1}, borders{[]int64{-2, 2}, []int64{1, 0}, []int64{0, 1}},
			windowing{window: []int64{2, 3}, low: []int64{2, 0}, high: []int64{2, 1}}},
		{[]int64{1, 6}, borders{[]int64{1, -2}, []int64{0, 1}, []int64{1, 0}},
			windowing{window: []int64{2, 1}, low: []int64{1, 2}, high: []int64{2, 1}}},
	} {
		x := build(t, c.x, func(ix []int64) value { return number(t, ix[0]+ix[1]+2) })
		p := c.w.windowsOf("pad", c.b.attribute(), x, c.b.around(x, value{}))
		made, windows, _ := strings.Cut(p.body, "\n  ")
		p.plain = apart(made, "%made", c.b.around(x, value{}), windows)
		whole := borders{make([]int64, 2), make([]int64, 2), c.b.between}
		for d := range c.x {
			whole.low[d] = max(c.b.low[d], 0)
			whole.high[d] = c.b.low[d] + c.b.high[d] - whole.low[d]
		}
		p.twists = append(p.twists, twist{"adds the elements that the pad leaves out", c.b.attribute(), whole.attribute()})
		ps = append(ps, p)
	}
	return ps
}

// windowsDilatedFar returns windows over arrays with many zeros between their elements.
func windowsDilatedFar(t dtype.Type) []program {
	var ps []program
	for _, w := range []windowing{
		{x: []int64{17}, window: []int64{5}, dilateX: []int64{4}, low: []int64{3}, high: []int64{5}},
		{x: []int64{9, 13}, window: []int64{3, 4}, dilateX: []int64{3, 2}, low: []int64{2, 0}, high: []int64{0, 3}},
		{x: []int64{9, 13}, window: []int64{2, 2}, dilateX: []int64{2, 2}, dilateW: []int64{2, 3}, low: []int64{1, 1}, high: []int64{1, 1}},
		{x: []int64{1, 8}, window: []int64{2, 3}, dilateX: []int64{3, 5}, strides: []int64{1, 3}, low: []int64{1, 2}, high: []int64{1, 2}},
		{x: []int64{4, 5, 6}, window: []int64{2, 1, 3}, dilateX: []int64{2, 3, 1}, low: []int64{1, 0, 1}, high: []int64{0, 1, 1}},
	} {
		x := build(t, w.x, func(ix []int64) value { return number(t, int64(flat(w.x, ix)*5%7-3)) })
		ps = append(ps, w.program(foldNamed("add"), x))
	}
	return ps
}

// dilatedByKernel returns convolutions with one dimension that XLA may take for groups: it is
// dilated by the size of the kernel, has no padding, and is as long as the kernel, or not.
func dilatedByKernel(t dtype.Type) []program {
	var ps []program
	for _, c := range []convolving{
		{x: []int64{1, 4, 2, 2}, w: []int64{3, 2, 2, 2}, dilateX: []int64{2, 2}, low: []int64{2, 0}, high: []int64{0, 0}},
		{x: []int64{1, 2, 4, 2}, w: []int64{3, 2, 2, 2}, dilateX: []int64{2, 2}, low: []int64{2, 0}, high: []int64{0, 0}},
		{x: []int64{2, 2, 5, 1}, w: []int64{4, 3, 1, 2}, dilateX: []int64{1, 3}, strides: []int64{1, 2}, low: []int64{3, 0}, high: []int64{2, 0}},
	} {
		x, w := wholes(t, 1, c.x...), wholes(t, 2, c.w...)
		p := c.program(x, w, t)
		holes := borders{make([]int64, len(c.x)), make([]int64, len(c.x)), make([]int64, len(c.x))}
		for s, d := range c.dilateX {
			holes.between[s+1] = d - 1
		}
		zero := scalar(t, value{})
		wide := holes.around(x, value{})
		made := op("pad", holes.attribute(), "", []array{wide}, x, zero).body
		c.x, c.dilateX = wide.dims, nil
		own := c.program(wide, w, t)
		p.plain = fmt.Sprintf("%%zero = stablehlo.constant %s : %s\n  ", zero.literal(), zero.typ()) +
			apart(strings.NewReplacer("%r0", "%wide", "%a1", "%zero").Replace(made), "%wide", wide,
				strings.Replace(own.body, "(%a0,", "(%wide,", 1))
		p.twists = own.twists
		ps = append(ps, p)
	}
	return ps
}

// apart returns two operations of which the second takes the result of the first, an array that
// is kept from compilers that would make one of both.
func apart(first, name string, a array, second string) string {
	return fmt.Sprintf("%s\n  %%held = stablehlo.optimization_barrier %s : %s\n  %s", first, name, a.typ(),
		strings.Replace(second, name, "%held", 1))
}

// foldNamed returns a fold of folds.
func foldNamed(name string) *fold {
	for i := range folds {
		if folds[i].name == name {
			return &folds[i]
		}
	}
	panic("numeric: there is no fold " + name)
}
