// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package numeric

import (
	"fmt"
	"slices"

	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// simplifications returns the checks of programs that compilers replace by others, which are equal
// only as long as no number overflows.
func simplifications() []entry {
	var es []entry
	for _, it := range []dtype.Type{dtype.S8, dtype.U8, dtype.S16, dtype.U16} {
		for _, gather := range []bool{true, false} {
			name := "scatter"
			if gather {
				name = "gather"
			}
			es = append(es, entry{rule: "RUN-02", variant: name + "/long dimension/index=" + it.String(), profile: check.Core,
				forms: []form{parameters, mixed}, programs: func() []program { return longDimension(it, gather) }})
		}
	}
	for _, t := range []dtype.Type{dtype.S8, dtype.S16, dtype.S32, dtype.S64} {
		es = append(es, one("RUN-02", "abs of a square/"+t.String(), check.Core, absOfSquare(t)))
	}
	return es
}

// longDimension takes or puts elements of a dimension that is longer than its indices can count:
// one by one, and together.
func longDimension(it dtype.Type, gather bool) []program {
	n, starts := int64(300), []int64{0, 43, 45, 127}
	if it.Bits() == 16 {
		n, starts = 70000, []int64{0, 4463, 4465, 32767}
	}
	if gather && !it.IsSigned() { // StableHLO's interpreter takes such indices of a scatter for negative ones
		starts = append(starts, 1<<(it.Bits()-1), 1<<it.Bits()-1)
	}
	in := build(dtype.S32, []int64{n}, func(ix []int64) value { return value{i: ix[0] % 1000} })
	sum := slices.IndexFunc(folds, func(f fold) bool { return f.name == "add" })
	var ps []program
	for i := range len(starts) + 1 {
		of := starts
		if i < len(starts) {
			of = starts[i : i+1]
		}
		x := indexing{x: in.dims, indices: []int64{int64(len(of)), 1}, collapsed: []int64{0}, indexed: []int64{0}, vector: 1,
			sizes: []int64{1}, starts: of}
		if gather {
			ps = append(ps, x.gather(in, it))
		} else {
			ps = append(ps, x.scatter(in, it, nil), x.scatter(in, it, &folds[sum]))
		}
	}
	return ps
}

// absOfSquare is the absolute value of a product that overflows.
func absOfSquare(t dtype.Type) program {
	root := map[int]int64{8: 12, 16: 182, 32: 46341, 64: 3037000500}[t.Bits()] // the first with too large a square
	x := ints(t, []int64{5}, 3, root, -root, 0, root+1)
	out := build(t, x.dims, func(ix []int64) value {
		n := x.at(ix...).i
		square := wrap(t, uint64(n)*uint64(n))
		if square.i < 0 {
			return wrap(t, uint64(-square.i))
		}
		return square
	})
	typ := x.typ()
	return program{
		inputs: []array{x}, want: []array{out},
		body:   fmt.Sprintf("%%m = stablehlo.multiply %%a0, %%a0 : %[1]s\n  %%r0 = stablehlo.abs %%m : %[1]s", typ),
		twists: []twist{{"takes no square for negative", "stablehlo.abs %m", "stablehlo.multiply %a0, %a0"}},
	}
}
