// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package numeric

import (
	"fmt"
	"slices"

	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// fill makes an array whose elements are the samples of its type, repeated.
func fill(t dtype.Type, dims ...int64) array {
	if t == dtype.Pred {
		return wholes(t, 1, dims...) // two samples would make a regular pattern
	}
	vs := samples(t)
	a := array{t, dims, make([]value, count(dims))}
	for i := range a.v {
		// A step that has no factor in common with the rows keeps
		// neighbours apart.
		a.v[i] = vs[(i*7+i/len(vs))%len(vs)]
	}
	return a
}

// moved returns an operation that fills each element of the result from the element that
// from names.
func moved(name, attributes string, in array, dims []int64, from func(ix []int64) []int64) program {
	out := build(in.t, dims, func(ix []int64) value { return in.at(from(ix)...) })
	return op(name, attributes, "", []array{out}, in)
}

// movements passes put the operations that only move elements of a type, by name.
func movements(t dtype.Type, put func(name string, p program)) {
	x := fill(t, 3, 4)
	put("transpose", moved("transpose", "permutation = "+i64s(1, 0), x, []int64{4, 3},
		func(ix []int64) []int64 { return []int64{ix[1], ix[0]} }))
	cube := fill(t, 2, 3, 4)
	put("transpose3", moved("transpose", "permutation = "+i64s(2, 0, 1), cube, []int64{4, 2, 3},
		func(ix []int64) []int64 { return []int64{ix[1], ix[2], ix[0]} }))
	put("reshape", moved("reshape", "", x, []int64{2, 6}, func(ix []int64) []int64 { return index(x.dims, flat([]int64{2, 6}, ix)) }))
	put("reverse", moved("reverse", "dimensions = "+i64s(1), x, x.dims, func(ix []int64) []int64 { return []int64{ix[0], 3 - ix[1]} }))
	put("slice", moved("slice", fmt.Sprintf("start_indices = %s, limit_indices = %s, strides = %s", i64s(1, 0), i64s(3, 4), i64s(1, 2)),
		x, []int64{2, 2}, func(ix []int64) []int64 { return []int64{1 + ix[0], 2 * ix[1]} }))
	put("broadcast_in_dim", moved("broadcast_in_dim", "broadcast_dimensions = "+i64s(2, 0), fill(t, 4, 1), []int64{3, 2, 4},
		func(ix []int64) []int64 { return []int64{ix[2], 0} }))
	put("concatenate", concatenation(t))
	put("pad", padding(t))
	put("dynamic_slice", dynamicSlice(t))
	put("dynamic_update_slice", dynamicUpdate(t))
	put("gather", gathering(t))
	put("scatter", scattering(t))
	put("empty", op("concatenate", "dimension = 0 : i64", "", []array{{t, []int64{0, 2}, nil}}, array{t, []int64{0, 2}, nil},
		array{t, []int64{0, 2}, nil}))
	constant := fill(t, 2, 3)
	put("constant", program{body: fmt.Sprintf("%%r0 = stablehlo.constant %s : %s", constant.literal(), constant.typ()),
		want: []array{constant}})
}

func concatenation(t dtype.Type) program {
	a, b := fill(t, 2, 3), fill(t, 2, 2)
	slices.Reverse(b.v)
	out := build(t, []int64{2, 5}, func(ix []int64) value {
		if ix[1] < 3 {
			return a.at(ix...)
		}
		return b.at(ix[0], ix[1]-3)
	})
	return op("concatenate", "dimension = 1 : i64", "", []array{out}, a, b)
}

// padding returns a pad between the elements, with negative padding at one end.
func padding(t dtype.Type) program {
	x, with := fill(t, 3, 3), samples(t)[1]
	// Low 1 and -1, high 2 and 0, interior 1 and 0.
	out := build(t, []int64{1 + 5 + 2, 2}, func(ix []int64) value {
		i, j := ix[0]-1, ix[1]+1
		if i < 0 || i%2 != 0 || i/2 >= 3 {
			return with
		}
		return x.at(i/2, j)
	})
	return op("pad", fmt.Sprintf("edge_padding_low = %s, edge_padding_high = %s, interior_padding = %s", i64s(1, -1), i64s(2, 0),
		i64s(1, 0)), "", []array{out}, x, scalar(t, with))
}

// dynamicSlice returns a slice that starts too far to the right, so that its start is moved
// back.
func dynamicSlice(t dtype.Type) program {
	x := fill(t, 4, 5)
	out := build(t, []int64{2, 3}, func(ix []int64) value { return x.at(ix[0]+1, ix[1]+2) })
	return op("dynamic_slice", "slice_sizes = "+i64s(2, 3), "", []array{out}, x, ints(dtype.S32, nil, 1), ints(dtype.S32, nil, 4))
}

func dynamicUpdate(t dtype.Type) program {
	x, update := fill(t, 4, 5), fill(t, 2, 2)
	slices.Reverse(update.v)
	out := build(t, x.dims, func(ix []int64) value {
		// It starts at row 2 and, since -3 is requested, at column 0.
		if i, j := ix[0]-2, ix[1]; i >= 0 && j < 2 {
			return update.at(i, j)
		}
		return x.at(ix...)
	})
	return op("dynamic_update_slice", "", "", []array{out}, x, update, ints(dtype.S64, nil, 2), ints(dtype.S64, nil, -3))
}

// gathering takes rows, one of which is requested beyond the end.
func gathering(t dtype.Type) program {
	x := fill(t, 4, 3)
	rows := ints(dtype.S32, []int64{3, 1}, 2, 0, 9)
	out := build(t, []int64{3, 3}, func(ix []int64) value { return x.at(min(rows.at(ix[0], 0).i, 3), ix[1]) })
	return op("gather", "dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = "+i64s(1, 3)+", indices_are_sorted = false", "", []array{out}, x, rows)
}

// scattering replaces elements; an update outside the array is dropped.
func scattering(t dtype.Type) program {
	x, updates := fill(t, 5), fill(t, 3)
	slices.Reverse(updates.v)
	places := ints(dtype.S32, []int64{3, 1}, 3, 0, 7)
	out := array{t, x.dims, slices.Clone(x.v)}
	out.v[3], out.v[0] = updates.v[0], updates.v[1]
	region := fmt.Sprintf("{\n  ^bb0(%%x: tensor<%v>, %%y: tensor<%v>):\n    stablehlo.return %%y : tensor<%v>\n  }", t, t, t)
	return op("scatter", "scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, indices_are_sorted = false, unique_indices = false", region, []array{out}, x, places, updates)
}

// counting returns iota along each of two dimensions; false when the type cannot count that
// far.
func counting(t dtype.Type) (program, bool) {
	if t == dtype.Pred || t == dtype.F8E8M0FNU {
		return program{}, false
	}
	n := int64(4)
	switch {
	case t == dtype.S2:
		n = 2
	case t == dtype.F8E8M0FNU:
		n = 1
	}
	a := build(t, []int64{2, n}, func(ix []int64) value { return number(t, ix[1]) })
	b := build(t, []int64{2, n}, func(ix []int64) value { return number(t, ix[0]) })
	return program{
		body: fmt.Sprintf("%%r0 = stablehlo.iota dim = 1 : %s\n  %%r1 = stablehlo.iota dim = 0 : %s", a.typ(), b.typ()),
		want: []array{a, b},
	}, true
}
