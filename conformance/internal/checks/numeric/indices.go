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

// indexing holds the dimension numbers of a gather. A scatter has the same, with the roles
// of operand and result exchanged.
type indexing struct {
	x         []int64 // of the operand
	indices   []int64 // of the array of indices
	offset    []int64 // dimensions of the result that lie in a slice
	collapsed []int64
	batchX    []int64 // batching dimensions of the operand
	batchI    []int64 // and of the indices
	indexed   []int64 // start_index_map
	vector    int64   // index_vector_dim
	sizes     []int64 // of a slice
	sorted    bool
	unique    bool
	starts    []int64 // the indices themselves
}

func named(name string, dims []int64) string {
	if len(dims) == 0 {
		return ""
	}
	return name + " = [" + list(dims) + "], "
}

func (x *indexing) gatherAttribute() string {
	numbers := named("offset_dims", x.offset) + named("collapsed_slice_dims", x.collapsed) + named("operand_batching_dims", x.batchX) +
		named("start_indices_batching_dims", x.batchI) + named("start_index_map", x.indexed) +
		fmt.Sprintf("index_vector_dim = %d", x.vector)
	return fmt.Sprintf("dimension_numbers = #stablehlo.gather<%s>, slice_sizes = %s, indices_are_sorted = %v",
		numbers, i64s(x.sizes...), x.sorted)
}

func (x *indexing) scatterAttribute() string {
	numbers := named("update_window_dims", x.offset) + named("inserted_window_dims", x.collapsed) + named("input_batching_dims", x.batchX) +
		named("scatter_indices_batching_dims", x.batchI) + named("scatter_dims_to_operand_dims", x.indexed) +
		fmt.Sprintf("index_vector_dim = %d", x.vector)
	return fmt.Sprintf("scatter_dimension_numbers = #stablehlo.scatter<%s>, indices_are_sorted = %v, unique_indices = %v", numbers,
		x.sorted, x.unique)
}

// windowDims returns the dimensions of the operand that a slice keeps.
func (x *indexing) windowDims() []int64 { return free(len(x.x), x.collapsed, x.batchX) }

// result returns the dimensions of the result of a gather, and of the updates
// of a scatter.
func (x *indexing) result() []int64 {
	var batch []int64
	for d, n := range x.indices {
		if int64(d) != x.vector {
			batch = append(batch, n)
		}
	}
	kept := x.windowDims()
	dims := make([]int64, len(batch)+len(kept))
	b, w := 0, 0
	for d := range dims {
		if slices.Contains(x.offset, int64(d)) {
			dims[d] = x.sizes[kept[w]]
			w++
		} else {
			dims[d] = batch[b]
			b++
		}
	}
	return dims
}

// place returns the position in the operand of element ix of the result or of the updates.
// With clamp, the start of its slice is moved back so that the slice fits.
func (x *indexing) place(indices array, ix []int64, clamp bool) []int64 {
	var batch, offset []int64
	for d, i := range ix {
		if slices.Contains(x.offset, int64(d)) {
			offset = append(offset, i)
		} else {
			batch = append(batch, i)
		}
	}
	start := make([]int64, len(x.x))
	for k, d := range x.indexed {
		at := slices.Clone(batch)
		if int(x.vector) < len(x.indices) {
			at = slices.Insert(at, int(x.vector), int64(k))
		}
		s := indices.at(at...)
		n := s.i
		if indices.t == dtype.U64 && n < 0 {
			n = 1<<63 - 1 - x.x[d] // beyond every array
		}
		if clamp {
			n = max(0, min(n, x.x[d]-x.sizes[d]))
		}
		start[d] = n
	}
	for k, d := range x.batchX {
		at := x.batchI[k]
		if at > x.vector {
			at-- // the batch has no index vector
		}
		start[d] = batch[at]
	}
	for k, d := range x.windowDims() {
		start[d] += offset[k]
	}
	return start
}

func (x *indexing) indexArray(t dtype.Type) array { return ints(t, x.indices, x.starts...) }

// gather returns the program that takes slices.
func (x *indexing) gather(in array, t dtype.Type) program {
	indices := x.indexArray(t)
	out := build(in.t, x.result(), func(ix []int64) value { return in.at(x.place(indices, ix, true)...) })
	p := op("gather", x.gatherAttribute(), "", []array{out}, in, indices)
	p.twists = x.twists((*indexing).gatherAttribute)
	return p
}

// scatter returns the program that puts updates into slices with a fold; a nil fold
// replaces elements. An update outside the operand is dropped.
func (x *indexing) scatter(in array, t dtype.Type, f *fold) program {
	indices := x.indexArray(t)
	updates := build(in.t, x.result(), func(ix []int64) value { return number(in.t, int64(flat(x.result(), ix))%3+1) })
	if f == nil {
		updates = fill(in.t, x.result()...)
		slices.Reverse(updates.v)
	}
	out := array{in.t, in.dims, slices.Clone(in.v)}
	silent := make([]bool, len(out.v))
	for i, u := range updates.v {
		at := x.place(indices, index(updates.dims, i), false)
		inside := true
		for d, k := range at {
			inside = inside && k >= 0 && k < in.dims[d]
		}
		if !inside {
			continue
		}
		k := flat(in.dims, at)
		if f == nil {
			out.v[k] = u
			continue
		}
		next := f.eval(in.t, out.v[k], u)
		out.v[k] = finish(in.t, next)
		silent[k] = silent[k] || in.t.IsFloat() && out.v[k].f != next.f
	}
	region := fmt.Sprintf("{\n  ^bb0(%%x: tensor<%[1]v>, %%y: tensor<%[1]v>):\n    stablehlo.return %%y : tensor<%[1]v>\n  }", in.t)
	if f != nil {
		region = f.region(in.t)
	}
	p := op("scatter", x.scatterAttribute(), region, []array{out}, in, indices, updates)
	p.policies = []policy{{open: silent, signless: f != nil}}
	p.twists = x.twists((*indexing).scatterAttribute)
	if f == nil {
		p.twists = append(p.twists, twist{"keeps what was there", "stablehlo.return %y", "stablehlo.return %x"})
	} else {
		p.twists = append(p.twists, twist{"replaces instead of combining", "stablehlo.return %z", "stablehlo.return %y"})
	}
	return p
}

// twists returns the faults of indexing that leave the dimensions as they are.
func (x *indexing) twists(attribute func(*indexing) string) []twist {
	var ts []twist
	try := func(fault string, change func(*indexing)) {
		y := *x
		y.indexed, y.batchX, y.batchI, y.offset = slices.Clone(x.indexed), slices.Clone(x.batchX), slices.Clone(x.batchI),
			slices.Clone(x.offset)
		change(&y)
		if from, to := attribute(x), attribute(&y); from != to {
			ts = append(ts, twist{fault, from, to})
		}
	}
	if len(x.indexed) == 2 {
		try("confuses the indexed dimensions", func(y *indexing) { slices.Reverse(y.indexed) })
	}
	if len(x.batchX) == 2 {
		try("confuses the batching dimensions", func(y *indexing) { slices.Reverse(y.batchI) })
	}
	if len(x.indexed) == 1 && len(x.x) == 2 && len(x.collapsed) == 0 && x.sizes[0] == x.sizes[1] {
		try("indexes another dimension", func(y *indexing) { y.indexed[0] = 1 - y.indexed[0] })
	}
	return ts
}

// gathers lists forms of gather, and those of scatter with the same numbers.
var gathers = []struct {
	name string
	x    indexing
}{
	{"rows", indexing{x: []int64{4, 3}, indices: []int64{3, 1}, offset: []int64{1}, collapsed: []int64{0}, indexed: []int64{0}, vector: 1, sizes: []int64{1, 3}, starts: []int64{2, 0, 3}}},
	{"columns", indexing{x: []int64{4, 3}, indices: []int64{2}, offset: []int64{0}, collapsed: []int64{1}, indexed: []int64{1}, vector: 1, sizes: []int64{4, 1}, starts: []int64{2, 0}}},
	{"points", indexing{x: []int64{3, 4}, indices: []int64{4, 2}, collapsed: []int64{0, 1}, indexed: []int64{0, 1}, vector: 1, sizes: []int64{1, 1}, starts: []int64{0, 1, 2, 3, 1, 0, 0, 2}}},
	{"points, dimensions reversed", indexing{x: []int64{3, 4}, indices: []int64{4, 2}, collapsed: []int64{0, 1}, indexed: []int64{1, 0}, vector: 1, sizes: []int64{1, 1}, starts: []int64{0, 1, 2, 2, 1, 0, 3, 2}}},
	{"windows", indexing{x: []int64{5, 5}, indices: []int64{2, 2}, offset: []int64{1, 2}, indexed: []int64{0, 1}, vector: 1, sizes: []int64{2, 2}, starts: []int64{0, 3, 2, 1}}},
	{"vector first", indexing{x: []int64{5, 4}, indices: []int64{2, 3}, offset: []int64{0}, collapsed: []int64{0}, indexed: []int64{0, 1}, vector: 0, sizes: []int64{1, 2}, starts: []int64{0, 3, 2, 1, 0, 2}}},
	{"windows in the middle", indexing{x: []int64{4, 3, 2}, indices: []int64{2, 3}, offset: []int64{1, 3}, collapsed: []int64{0}, indexed: []int64{0}, vector: 2, sizes: []int64{1, 2, 2}, starts: []int64{0, 3, 2, 1, 1, 0}}},
	{"outside", indexing{x: []int64{5}, indices: []int64{4, 1}, collapsed: []int64{0}, indexed: []int64{0}, vector: 1, sizes: []int64{1}, starts: []int64{-1, 4, 5, 100}}},
	{"repeated", indexing{x: []int64{4, 2}, indices: []int64{5}, offset: []int64{1}, collapsed: []int64{0}, indexed: []int64{0}, vector: 1, sizes: []int64{1, 2}, starts: []int64{1, 3, 1, 1, 0}}},
	{"batch", indexing{x: []int64{2, 4, 3}, indices: []int64{2, 2, 1}, offset: []int64{2}, collapsed: []int64{1}, batchX: []int64{0}, batchI: []int64{0}, indexed: []int64{1}, vector: 2, sizes: []int64{1, 1, 3}, starts: []int64{3, 0, 1, 2}}},
	{"two batches", indexing{x: []int64{2, 5, 2}, indices: []int64{2, 2, 2}, collapsed: []int64{1}, batchX: []int64{0, 2}, batchI: []int64{1, 0}, indexed: []int64{1}, vector: 3, sizes: []int64{1, 1, 1}, starts: []int64{3, 0, 1, 2, 4, 1, 0, 3}}},
	{"nothing", indexing{x: []int64{4, 2}, indices: []int64{0, 1}, offset: []int64{1}, collapsed: []int64{0}, indexed: []int64{0}, vector: 1, sizes: []int64{1, 2}}},
	{"sorted", indexing{x: []int64{6}, indices: []int64{4, 1}, collapsed: []int64{0}, indexed: []int64{0}, vector: 1, sizes: []int64{1}, starts: []int64{0, 2, 3, 5}, sorted: true, unique: true}},
	{"no indices", indexing{x: []int64{2, 3}, indices: []int64{0}, offset: []int64{0, 1}, vector: 0, sizes: []int64{2, 2}}},
}

// repeats reports whether two updates go to the same place, so that the order of
// replacements would matter.
func (x *indexing) repeats() bool {
	indices := x.indexArray(dtype.S32)
	seen := make(map[string]bool)
	for i := range count(x.result()) {
		at := fmt.Sprint(x.place(indices, index(x.result(), i), false))
		if seen[at] {
			return true
		}
		seen[at] = true
	}
	return false
}

// indexTypes lists the types that indices may have.
var indexTypes = []dtype.Type{dtype.S8, dtype.S16, dtype.S32, dtype.S64, dtype.U8, dtype.U16, dtype.U32, dtype.U64}

// indexings returns the checks of gather and scatter in their forms.
func indexings() []entry {
	var es []entry
	for _, t := range elementTypes {
		es = append(es, formsOf("gather", t, func() []program {
			var ps []program
			for _, g := range gathers {
				ps = append(ps, g.x.gather(fill(t, g.x.x...), dtype.S32))
			}
			return ps
		}))
		es = append(es, formsOf("scatter", t, func() []program {
			var ps []program
			for _, g := range gathers {
				x := g.x
				if !x.repeats() {
					ps = append(ps, x.scatter(fill(t, x.x...), dtype.S32, nil))
				}
				for k := range folds {
					f := &folds[k]
					if f.in&kindOf(t) != 0 && t != dtype.F8E8M0FNU && (g.name == "repeated" || f.name == "add") {
						ps = append(ps, x.scatter(small(t, x.x...), dtype.S32, f))
					}
				}
			}
			return ps
		}))
	}
	for _, it := range indexTypes {
		es = append(es, entry{rule: "RUN-02", variant: "gather/index=" + it.String(), profile: check.Core,
			programs: func() []program { return indexedBy(it, true) }})
		es = append(es, entry{rule: "RUN-02", variant: "scatter/index=" + it.String(), profile: check.Core,
			programs: func() []program { return indexedBy(it, false) }})
		es = append(es, one("RUN-02", "dynamic_slice/index="+it.String(), check.Core, slicedBy(it)))
		es = append(es, one("RUN-02", "dynamic_update_slice/index="+it.String(), check.Core, updatedBy(it)))
	}
	es = append(es,
		entry{rule: "RUN-32", variant: "gather/partly outside", profile: check.Core, programs: func() []program {
			x := indexing{x: []int64{4, 4}, indices: []int64{3, 2}, offset: []int64{1, 2}, indexed: []int64{0, 1}, vector: 1,
				sizes: []int64{2, 2}, starts: []int64{3, 3, -1, 2, 0, 100}}
			return []program{x.gather(fill(dtype.F32, x.x...), dtype.S32), x.gather(fill(dtype.S32, x.x...), dtype.S64)}
		}},
		entry{rule: "RUN-32", variant: "scatter/partly outside", profile: check.Core, programs: func() []program {
			// Each update lies outside on its own, not together with the others of its
			// window.
			x := indexing{x: []int64{4, 4}, indices: []int64{2, 2}, offset: []int64{1, 2}, indexed: []int64{0, 1}, vector: 1,
				sizes: []int64{2, 2}, starts: []int64{3, 3, 0, 1}}
			return []program{x.scatter(fill(dtype.F32, x.x...), dtype.S32, nil)}
		}},
		entry{rule: "RUN-02", variant: "gather/many", profile: check.Core, programs: func() []program { return []program{manyRows(1000)} }},
	)
	return es
}

// indexedBy returns gathers or scatters with indices at the ends of their type.
func indexedBy(it dtype.Type, gather bool) []program {
	n := int64(5)
	switch it {
	case dtype.U8:
		n = 150 // the last index has the highest bit set
	case dtype.U16:
		n = 33000
	}
	starts := []int64{2, -5, largest(it).i, 1}
	if !it.IsSigned() {
		// With all bits set, an index is the largest number, not minus one.
		starts = []int64{2, largest(it).i, n - 1, 1}
	}
	x := indexing{x: []int64{n}, indices: []int64{4, 1}, collapsed: []int64{0}, indexed: []int64{0}, vector: 1, sizes: []int64{1},
		starts: starts}
	indices := array{it, x.indices, nil}
	for _, s := range starts {
		indices.v = append(indices.v, wrap(it, uint64(s)))
	}
	x.starts = nil
	var ps []program
	for _, t := range []dtype.Type{dtype.F32, dtype.S8} {
		in := fill(t, n)
		y := x
		y.starts = []int64{2, 0, 0, 1}
		var p program
		if gather {
			p = y.gather(in, it)
			out := build(t, y.result(), func(ix []int64) value { return in.at(x.place(indices, ix, true)...) })
			p.want = []array{out}
		} else {
			y.starts = []int64{2, 3, 3, 1}
			p = y.scatter(in, it, nil)
			out := array{t, in.dims, slices.Clone(in.v)}
			for i, u := range p.inputs[2].v {
				if at := x.place(indices, []int64{int64(i)}, false)[0]; at >= 0 && at < n {
					out.v[at] = u
				}
			}
			p.want = []array{out}
		}
		p.inputs[1] = indices
		p.optional = true
		p.fixed = n > 1000 // the text of so many constants says nothing more
		if !it.IsSigned() && (gather || n > 5) {
			// An update for a large index or a negative one is dropped, but elements that only a
			// large index reaches show which of them it is.
			other := "i" + strings.TrimPrefix(it.String(), "ui")
			p.twists = append(p.twists, twist{"takes unsigned indices for signed ones", p.body, reinterpreted(p.body, indices, other)})
		}
		ps = append(ps, p)
	}
	return ps
}

// reinterpreted returns a body that reads %a1 as if its elements had another type of the
// same width.
func reinterpreted(body string, a array, other string) string {
	typ := strings.Replace(a.typ(), a.t.String(), other, 1)
	return fmt.Sprintf("%%cast = \"stablehlo.bitcast_convert\"(%%a1) : (%s) -> %s\n  ", a.typ(), typ) +
		strings.Replace(strings.Replace(body, "%a1", "%cast", 1), a.typ(), typ, 1)
}

// slicedBy returns a dynamic_slice with a start of the given type: beyond the end or, for
// signed types, before the beginning.
func slicedBy(it dtype.Type) program {
	x := fill(dtype.F32, 5, 6)
	a, b := wrap(it, ^uint64(0)), number(it, 1)
	row := int64(3) // all bits set: the largest number
	if it.IsSigned() {
		row = 0
	}
	out := build(x.t, []int64{2, 3}, func(ix []int64) value { return x.at(ix[0]+row, ix[1]+1) })
	p := op("dynamic_slice", "slice_sizes = "+i64s(2, 3), "", []array{out}, x, scalar(it, a), scalar(it, b))
	p.optional = true
	p.twists = []twist{{"confuses the dimensions", "(%a0, %a1, %a2)", "(%a0, %a2, %a1)"}}
	return p
}

func updatedBy(it dtype.Type) program {
	x, update := fill(dtype.F32, 5, 6), fill(dtype.F32, 2, 3)
	slices.Reverse(update.v)
	row := int64(3)
	if it.IsSigned() {
		row = 0
	}
	out := build(x.t, x.dims, func(ix []int64) value {
		if i, j := ix[0]-row, ix[1]-2; i >= 0 && i < 2 && j >= 0 && j < 3 {
			return update.at(i, j)
		}
		return x.at(ix...)
	})
	p := op("dynamic_update_slice", "", "", []array{out}, x, update, scalar(it, wrap(it, ^uint64(0))), scalar(it, number(it, 2)))
	p.optional = true
	p.twists = []twist{{"confuses the dimensions", "(%a0, %a1, %a2, %a3)", "(%a0, %a1, %a3, %a2)"}}
	return p
}

// manyRows takes many rows of a table.
func manyRows(n int64) program {
	x := indexing{x: []int64{97, 5}, indices: []int64{n, 1}, offset: []int64{1}, collapsed: []int64{0}, indexed: []int64{0}, vector: 1,
		sizes: []int64{1, 5}}
	for i := range n {
		x.starts = append(x.starts, i*i%97)
	}
	in := build(dtype.F32, x.x, func(ix []int64) value { return value{f: float64(ix[0]*5 + ix[1])} })
	p := x.gather(in, dtype.S32)
	p.twists = []twist{{"takes the row before", "\"stablehlo.gather\"(%a0, %a1)", "\"stablehlo.gather\"(%shifted, %a1)"}}
	p.twists[0].from = "%r0 = " + p.twists[0].from
	p.twists[0].to = "%low = stablehlo.slice %a0 [0:96, 0:5] : (tensor<97x5xf32>) -> tensor<96x5xf32>\n  %top = stablehlo.slice %a0 [96:97, 0:5] : (tensor<97x5xf32>) -> tensor<1x5xf32>\n  %shifted = stablehlo.concatenate %top, %low, dim = 0 : (tensor<1x5xf32>, tensor<96x5xf32>) -> tensor<97x5xf32>\n  %r0 = " + strings.TrimPrefix(p.twists[0].to, "%r0 = ")
	return p
}
