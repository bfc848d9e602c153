// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package numeric

import (
	"fmt"
	"slices"
	"strings"

	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// windowing holds the attributes of a reduce_window.
type windowing struct {
	x, window        []int64
	strides          []int64
	dilateX, dilateW []int64
	low, high        []int64
}

func (w windowing) plain() windowing {
	ones, zeros := make([]int64, len(w.x)), make([]int64, len(w.x))
	for i := range ones {
		ones[i] = 1
	}
	for _, f := range []*[]int64{&w.strides, &w.dilateX, &w.dilateW} {
		if *f == nil {
			*f = ones
		}
	}
	for _, f := range []*[]int64{&w.low, &w.high} {
		if *f == nil {
			*f = zeros
		}
	}
	return w
}

func pairsOf(low, high []int64) string {
	var pairs []string
	for i := range low {
		pairs = append(pairs, fmt.Sprintf("[%d, %d]", low[i], high[i]))
	}
	return fmt.Sprintf("dense<[%s]> : tensor<%dx2xi64>", strings.Join(pairs, ", "), len(low))
}

func (w windowing) attribute() string {
	w = w.plain()
	return fmt.Sprintf("window_dimensions = %s, window_strides = %s, base_dilations = %s, window_dilations = %s, padding = %s",
		i64s(w.window...), i64s(w.strides...), i64s(w.dilateX...), i64s(w.dilateW...), pairsOf(w.low, w.high))
}

func (w windowing) result() []int64 {
	w = w.plain()
	dims := make([]int64, len(w.x))
	for d := range dims {
		dims[d] = places(span(w.x[d], w.dilateX[d])+w.low[d]+w.high[d], span(w.window[d], w.dilateW[d]), w.strides[d])
	}
	return dims
}

// members calls put with the position in the input of each element of the window at ix, in
// order; -1 stands for padding.
func (w windowing) members(ix []int64, put func(at int)) {
	place := make([]int64, len(w.x))
	for k := range count(w.window) {
		inside := true
		for d, tap := range index(w.window, k) {
			p := ix[d]*w.strides[d] + tap*w.dilateW[d] - w.low[d]
			inside = inside && p >= 0 && p%w.dilateX[d] == 0 && p/w.dilateX[d] < w.x[d]
			place[d] = p / w.dilateX[d]
		}
		if inside {
			put(flat(w.x, place))
		} else {
			put(-1)
		}
	}
}

// program reduces the windows of an array with a fold.
func (w windowing) program(f *fold, x array) program {
	w = w.plain()
	init := f.neutral(x.t)
	var silent []bool
	out := build(x.t, w.result(), func(ix []int64) value {
		var vs []value
		w.members(ix, func(at int) {
			if at < 0 {
				vs = append(vs, init)
			} else {
				vs = append(vs, x.v[at])
			}
		})
		v, exact := f.folded(x.t, init, vs)
		silent = append(silent, !exact)
		return v
	})
	p := op("reduce_window", w.attribute(), f.region(x.t), []array{out}, x, scalar(x.t, init))
	p.policies = []policy{{open: silent, signless: true, ulp: float64(boolInt(x.t.IsComplex()))}}
	p.twists = w.twists()
	return p
}

// twists returns the faults of windows that leave the dimensions as they are.
func (w windowing) twists() []twist {
	var ts []twist
	w = w.plain()
	from, dims := w.attribute(), w.result()
	try := func(fault string, change func(*windowing)) {
		x := w
		x.low, x.high, x.dilateX, x.dilateW, x.strides = slices.Clone(w.low), slices.Clone(w.high), slices.Clone(w.dilateX),
			slices.Clone(w.dilateW), slices.Clone(w.strides)
		change(&x)
		if to := x.attribute(); to != from && slices.Equal(x.result(), dims) {
			ts = append(ts, twist{fault, from, to})
		}
	}
	if !slices.Equal(w.low, w.high) {
		try("pads the other sides", func(x *windowing) { x.low, x.high = x.high, x.low })
	}
	try("shifts the windows by one", func(x *windowing) {
		for d := range x.low {
			if x.window[d] > 1 || x.strides[d] > 1 {
				x.low[d]++
				x.high[d]--
				return
			}
		}
	})
	if slices.Max(w.dilateW) > 1 {
		try("does not dilate the window", func(x *windowing) {
			for d := range x.dilateW {
				x.high[d] -= span(w.window[d], w.dilateW[d]) - w.window[d]
				x.dilateW[d] = 1
			}
		})
	}
	return ts
}

var windowings = []struct {
	name string
	w    windowing
}{
	{"plane", windowing{x: []int64{4, 5}, window: []int64{2, 3}}},
	{"stride", windowing{x: []int64{5, 7}, window: []int64{2, 2}, strides: []int64{2, 3}}},
	{"asymmetric padding", windowing{x: []int64{4, 4}, window: []int64{3, 2}, low: []int64{2, 0}, high: []int64{0, 1}}},
	{"negative padding", windowing{x: []int64{7}, window: []int64{2}, low: []int64{-2}, high: []int64{-1}}},
	{"dilated input", windowing{x: []int64{4}, window: []int64{3}, dilateX: []int64{3}, low: []int64{1}, high: []int64{2}}},
	{"dilated window", windowing{x: []int64{9}, window: []int64{3}, dilateW: []int64{3}, low: []int64{1}, high: []int64{0}}},
	{"both dilated", windowing{x: []int64{5, 4}, window: []int64{2, 2}, dilateX: []int64{2, 1}, dilateW: []int64{3, 2}, low: []int64{0, 1}, high: []int64{1, 0}}},
	{"one element", windowing{x: []int64{3, 3}, window: []int64{1, 1}, strides: []int64{2, 1}}},
	{"no windows", windowing{x: []int64{2}, window: []int64{5}}},
	{"all padding", windowing{x: []int64{2}, window: []int64{2}, low: []int64{4}, high: []int64{4}, strides: []int64{2}}},
	{"prefix", windowing{x: []int64{6}, window: []int64{6}, low: []int64{5}, high: []int64{0}}},
	{"last window cut", windowing{x: []int64{8}, window: []int64{3}, strides: []int64{3}}},
	{"cube", windowing{x: []int64{3, 2, 3}, window: []int64{2, 2, 2}, low: []int64{0, 1, 0}, high: []int64{1, 0, 0}}},
}

// slidings returns the checks of reduce_window and select_and_scatter in their forms.
func slidings() []entry {
	var es []entry
	for _, t := range elementTypes {
		if t == dtype.F8E8M0FNU {
			continue
		}
		es = append(es, formsOf("reduce_window", t, func() []program {
			var ps []program
			for i := range windowings {
				for k := range folds {
					f := &folds[k]
					// Each form is tried with every third fold in turn, and always with
					// a sum, or with a maximum for bools.
					if f.in&kindOf(t) == 0 || (i+k)%3 != 0 && f.name != "add" && !(f.name == "maximum" && t == dtype.Pred) {
						continue
					}
					ps = append(ps, windowings[i].w.program(f, small(t, windowings[i].w.x...)))
				}
			}
			return ps
		}))
		if t.Bits() < 4 || t == dtype.Pred || t.IsComplex() {
			continue
		}
		es = append(es, formsOf("select_and_scatter", t, func() []program {
			var ps []program
			for _, w := range []windowing{
				{x: []int64{4, 4}, window: []int64{2, 2}, strides: []int64{2, 2}},
				{x: []int64{5, 4}, window: []int64{3, 2}, strides: []int64{2, 1}},
				{x: []int64{5}, window: []int64{3}, strides: []int64{2}, low: []int64{1}, high: []int64{1}},
				{x: []int64{6}, window: []int64{2}, strides: []int64{2}, low: []int64{2}, high: []int64{0}},
			} {
				ps = append(ps, w.scatterProgram(t))
			}
			return ps
		}))
	}
	return append(es, entry{rule: "RUN-02", variant: "reduce_window/two operands", profile: check.Core,
		programs: func() []program { return []program{firstOfLargest()} }})
}

// scatterProgram returns a select_and_scatter: the sources are added where the largest
// elements of the windows are, at the first of equal ones.
func (w windowing) scatterProgram(t dtype.Type) program {
	w = w.plain()
	x := build(t, w.x, func(ix []int64) value { return number(t, (int64(flat(w.x, ix))*5+2)%7%3) })
	source := build(t, w.result(), func(ix []int64) value { return number(t, int64(flat(w.result(), ix))%2+1) })
	out := array{t, w.x, make([]value, len(x.v))}
	if len(source.v) == 0 {
		panic("numeric: a select_and_scatter without windows")
	}
	for i := range source.v {
		best := -1
		w.members(index(source.dims, i), func(at int) {
			if at >= 0 && (best < 0 || less(t, x.v[best], x.v[at])) {
				best = at
			}
		})
		if best >= 0 {
			out.v[best] = finish(t, add(t, out.v[best], source.v[i]))
		}
	}
	kind := comparisonKind(t)
	regions := fmt.Sprintf(`{
  ^bb0(%%x: tensor<%[1]v>, %%y: tensor<%[1]v>):
    %%z = stablehlo.compare GE, %%x, %%y, %[2]s : (tensor<%[1]v>, tensor<%[1]v>) -> tensor<i1>
    stablehlo.return %%z : tensor<i1>
  }, {
  ^bb0(%%x: tensor<%[1]v>, %%y: tensor<%[1]v>):
    %%z = stablehlo.add %%x, %%y : tensor<%[1]v>
    stablehlo.return %%z : tensor<%[1]v>
  }`, t, kind)
	p := op("select_and_scatter", fmt.Sprintf("window_dimensions = %s, window_strides = %s, padding = %s", i64s(w.window...),
		i64s(w.strides...), pairsOf(w.low, w.high)), regions, []array{out}, x, source, scalar(t, value{}))
	p.twists = []twist{
		{"takes the last of equal elements", "stablehlo.compare GE", "stablehlo.compare GT"},
		{"forgets what was there", "stablehlo.add %x, %y", "stablehlo.maximum %x, %y"},
	}
	return p
}

// comparisonKind returns the comparison for a type.
func comparisonKind(t dtype.Type) string {
	switch kindOf(t) {
	case signed:
		return "SIGNED"
	case bools, unsigned:
		return "UNSIGNED"
	}
	return "FLOAT"
}

// firstOfLargest reduces windows of two arrays at once, to the largest element and its
// position.
func firstOfLargest() program {
	w := windowing{x: []int64{8}, window: []int64{3}, strides: []int64{2}, low: []int64{1}, high: []int64{1}}.plain()
	x := ints(dtype.F32, w.x, 3, 1, 4, 1, 5, 5, 2, 6)
	at := ints(dtype.S32, w.x, 0, 1, 2, 3, 4, 5, 6, 7)
	low := value{f: -1000}
	best, where := array{dtype.F32, w.result(), nil}, array{dtype.S32, w.result(), nil}
	for i := range count(w.result()) {
		v, k := low, int64(99)
		w.members(index(w.result(), i), func(at int) {
			if at >= 0 && (x.v[at].f > v.f || x.v[at].f == v.f && int64(at) < k) {
				v, k = x.v[at], int64(at)
			}
		})
		best.v, where.v = append(best.v, v), append(where.v, value{i: k})
	}
	p := op("reduce_window", w.attribute(), firstLargestRegion(dtype.F32), []array{best, where}, x, at, scalar(dtype.F32, low),
		ints(dtype.S32, nil, 99))
	p.twists = append(w.twists(), twist{"takes the last of equal elements", "%first = stablehlo.compare LT, %i",
		"%first = stablehlo.compare GT, %i"})
	return p
}
