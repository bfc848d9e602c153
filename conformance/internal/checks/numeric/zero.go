// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package numeric

import (
	"fmt"

	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// zeros returns the checks of arrays without elements, as operands and as results.
func zeros() []entry {
	var es []entry
	for _, t := range []dtype.Type{dtype.F32, dtype.S32, dtype.Pred, dtype.S8, dtype.F16, dtype.F64, dtype.C64, dtype.S4} {
		es = append(es,
			entry{rule: "RUN-27", variant: "empty/" + t.String(), profile: max(profileOf(t), check.Core),
				programs: func() []program { return emptied(t) }},
			entry{rule: "RUN-27", variant: "from nothing/" + t.String(), profile: max(profileOf(t), check.Core),
				programs: func() []program { return fromNothing(t) }})
	}
	return es
}

func none(t dtype.Type, dims ...int64) array { return array{t, dims, nil} }

// emptied returns programs whose results have no elements.
func emptied(t dtype.Type) []program {
	x, y, cube := none(t, 0, 3), none(t, 3, 0), none(t, 2, 0, 3)
	at := func(n int64) array { return ints(dtype.S32, nil, n) }
	return []program{
		op("transpose", "permutation = "+i64s(1, 0), "", []array{y}, x),
		op("reshape", "", "", []array{none(t, 5, 0, 2)}, x),
		op("reverse", "dimensions = "+i64s(0, 1), "", []array{x}, x),
		op("slice", fmt.Sprintf("start_indices = %s, limit_indices = %s, strides = %s", i64s(1), i64s(1), i64s(1)), "", []array{none(t, 0)}, fill(t, 4)),
		op("broadcast_in_dim", "broadcast_dimensions = "+i64s(0), "", []array{none(t, 3, 0)}, fill(t, 3)),
		op("concatenate", "dimension = 1 : i64", "", []array{none(t, 0, 6)}, x, x),
		op("dynamic_slice", "slice_sizes = "+i64s(0, 2), "", []array{none(t, 0, 2)}, fill(t, 2, 3), at(1), at(1)),
		op("select", "", "", []array{x}, none(dtype.Pred, 0, 3), x, x),
		op("compare", "comparison_direction = #stablehlo<comparison_direction EQ>", "", []array{none(dtype.Pred, 2, 0, 3)}, cube, cube),
		op("gather", "dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = "+i64s(1, 3)+", indices_are_sorted = false", "", []array{none(t, 0, 3)}, fill(t, 2, 3), none(dtype.S32, 0, 1)),
		op("convert", "", "", []array{none(dtype.F32, 2, 0, 3)}, none(dtype.S8, 2, 0, 3)),
		op("dot_general", (&contraction{contractA: []int64{1}, contractB: []int64{0}}).attribute()+", "+highest, "", []array{none(t, 0, 2)}, none(t, 0, 3), small(t, 3, 2)),
		{body: fmt.Sprintf("%%r0 = stablehlo.constant dense<> : %s", x.typ()), want: []array{x}},
	}
}

// fromNothing returns programs whose operands have no elements, but whose results do.
func fromNothing(t dtype.Type) []program {
	x := fill(t, 2, 3)
	with := scalar(t, samples(t)[1])
	padded := build(t, []int64{2, 3}, func([]int64) value { return with.v[0] })
	ps := []program{
		op("concatenate", "dimension = 0 : i64", "", []array{x}, x, none(t, 0, 3)),
		op("pad", fmt.Sprintf("edge_padding_low = %s, edge_padding_high = %s, interior_padding = %s", i64s(2, 0), i64s(0, 0), i64s(0, 0)), "", []array{padded}, none(t, 0, 3), with),
		op("dynamic_update_slice", "", "", []array{x}, x, none(t, 0, 3), ints(dtype.S32, nil, 0), ints(dtype.S32, nil, 0)),
		op("dot_general", (&contraction{contractA: []int64{1}, contractB: []int64{0}}).attribute()+", "+highest, "", []array{{t, []int64{2, 2}, make([]value, 4)}}, none(t, 2, 0), none(t, 0, 2)),
	}
	for i := range folds {
		if f := &folds[i]; f.in&kindOf(t) != 0 {
			init := number(t, 1)
			p := op("reduce", "dimensions = "+i64s(0), f.region(t), []array{{t, []int64{3}, []value{init, init, init}}}, none(t, 0, 3),
				scalar(t, init))
			p.twists = []twist{{"a sum of nothing is nothing", "\"stablehlo.reduce\"(%a0, %a1)", "\"stablehlo.reduce\"(%a0, %zero)"}}
			if t == dtype.Pred || t.IsComplex() {
				p.twists = nil
			} else {
				p.twists[0].from = "%r0 = " + p.twists[0].from
				p.twists[0].to = fmt.Sprintf("%%zero = stablehlo.subtract %%a1, %%a1 : tensor<%v>\n  %%r0 = %s", t, p.twists[0].to)
			}
			ps = append(ps, p)
		}
	}
	for i := range ps {
		ps[i].idle = true
	}
	return ps
}
