// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package numeric

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// contraction holds the dimensions of a dot_general.
type contraction struct {
	a, b                 []int64 // of the operands
	batchA, batchB       []int64
	contractA, contractB []int64
}

func (c *contraction) attribute() string {
	var parts string
	for _, p := range []struct {
		name string
		dims []int64
	}{
		{"lhs_batching_dimensions", c.batchA}, {"rhs_batching_dimensions", c.batchB},
		{"lhs_contracting_dimensions", c.contractA}, {"rhs_contracting_dimensions", c.contractB},
	} {
		if len(p.dims) > 0 {
			if parts != "" {
				parts += ", "
			}
			parts += p.name + " = [" + list(p.dims) + "]"
		}
	}
	return "dot_dimension_numbers = #stablehlo.dot<" + parts + ">"
}

// free returns the dimensions of an operand that are neither batch nor
// contracted.
func free(rank int, taken ...[]int64) []int64 {
	var ds []int64
	for d := range int64(rank) {
		if !slices.ContainsFunc(taken, func(t []int64) bool { return slices.Contains(t, d) }) {
			ds = append(ds, d)
		}
	}
	return ds
}

func pick(dims, which []int64) []int64 {
	out := []int64{}
	for _, d := range which {
		out = append(out, dims[d])
	}
	return out
}

// result returns the dimensions of the result.
func (c *contraction) result() []int64 {
	return slices.Concat(pick(c.a, c.batchA), pick(c.a, free(len(c.a), c.batchA, c.contractA)),
		pick(c.b, free(len(c.b), c.batchB, c.contractB)))
}

// eval computes the product of two arrays, in a type at least as wide as theirs. Operands
// are widened before they are multiplied.
func (c *contraction) eval(a, b array, to dtype.Type) (array, sums) {
	freeA, freeB := free(len(c.a), c.batchA, c.contractA), free(len(c.b), c.batchB, c.contractB)
	inner := pick(c.a, c.contractA)
	var s sums
	ixA, ixB := make([]int64, len(c.a)), make([]int64, len(c.b))
	n := count(inner)
	as, bs := make([]value, n), make([]value, n)
	out := build(to, c.result(), func(ix []int64) value {
		for k := range c.batchA {
			ixA[c.batchA[k]], ixB[c.batchB[k]] = ix[k], ix[k]
		}
		for k, d := range freeA {
			ixA[d] = ix[len(c.batchA)+k]
		}
		for k, d := range freeB {
			ixB[d] = ix[len(c.batchA)+len(freeA)+k]
		}
		for i := range n {
			for k, x := range index(inner, i) {
				ixA[c.contractA[k]], ixB[c.contractB[k]] = x, x
			}
			as[i], bs[i] = a.at(ixA...), b.at(ixB...)
		}
		return s.dot(to, as, bs)
	})
	return out, s
}

// program returns the product of two arrays.
func (c *contraction) program(a, b array, to dtype.Type, attributes string) program {
	want, s := c.eval(a, b, to)
	p := op("dot_general", c.attribute()+", "+attributes, "", []array{want}, a, b)
	p.policies = s.policies(to)
	return p
}

const highest = "precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>]"

// contractions lists the forms of dot_general in which every type is tried, in addition to
// those of dots.
var contractions = []struct {
	name string
	c    contraction
}{
	{"several", contraction{a: []int64{2, 3, 4}, b: []int64{4, 2, 2}, contractA: []int64{0, 2}, contractB: []int64{1, 0}}},
	{"batches", contraction{a: []int64{2, 3, 2, 4}, b: []int64{3, 4, 2, 2}, batchA: []int64{0, 1}, batchB: []int64{2, 0}, contractA: []int64{3}, contractB: []int64{1}}},
	{"vectors", contraction{a: []int64{7}, b: []int64{7}, contractA: []int64{0}, contractB: []int64{0}}},
	{"matrix vector", contraction{a: []int64{3, 5}, b: []int64{5}, contractA: []int64{1}, contractB: []int64{0}}},
	{"scalars", contraction{a: []int64{}, b: []int64{}}},
	{"nothing summed", contraction{a: []int64{2, 0}, b: []int64{0, 3}, contractA: []int64{1}, contractB: []int64{0}}},
	{"batch of outer", contraction{a: []int64{3, 2}, b: []int64{3, 2}, batchA: []int64{0}, batchB: []int64{0}}},
}

// widened lists products of narrow types that are summed in a wider one.
var widened = []struct{ from, to dtype.Type }{
	{dtype.S8, dtype.S32}, {dtype.U8, dtype.U32}, {dtype.S16, dtype.S32}, {dtype.S4, dtype.S32}, {dtype.S4, dtype.S8}, {dtype.U4, dtype.U8},
	{dtype.BF16, dtype.F32}, {dtype.F16, dtype.F32}, {dtype.F32, dtype.F64},
	{dtype.F8E4M3FN, dtype.F32}, {dtype.F8E5M2, dtype.F32}, {dtype.F8E4M3FNUZ, dtype.F32}, {dtype.F8E5M2FNUZ, dtype.F32},
	{dtype.F8E4M3FN, dtype.BF16}, {dtype.F8E4M3FN, dtype.F16}, {dtype.F4E2M1FN, dtype.F32},
}

// wholes makes an array of small integers that differ from their neighbours; a sum of a few
// hundred products fits in 24 bits.
func wholes(t dtype.Type, seed int64, dims ...int64) array {
	low, span := int64(-3), int64(7)
	switch {
	case t == dtype.Pred:
		low, span = 0, 2
	case t == dtype.F8E8M0FNU:
		low, span = 1, 2
	case t.Bits() == 2 && t.IsSigned():
		low, span = -2, 4
	case t.Bits() == 2:
		low, span = 0, 4
	case !t.IsFloat() && !t.IsComplex() && !t.IsSigned():
		low, span = 0, 7
	}
	return build(t, dims, func(ix []int64) value {
		h := uint64(flat(dims, ix))*0x9E3779B97F4A7C15 + uint64(seed)*0xBF58476D1CE4E5B9
		h ^= h >> 29
		h *= 0x94D049BB133111EB
		return number(t, low+int64(h>>33)%span)
	})
}

// products returns the checks of the less common forms of dot_general.
func products() []entry {
	var es []entry
	for _, t := range elementTypes {
		if t == dtype.F8E8M0FNU {
			continue
		}
		es = append(es, formsOf("dot_general", t, func() []program {
			var ps []program
			for i, f := range contractions {
				p := f.c.program(wholes(t, int64(i), f.c.a...), wholes(t, int64(i)+100, f.c.b...), t, highest)
				p.twists = f.c.twists()
				ps = append(ps, p)
			}
			return ps
		}))
	}
	for _, w := range widened {
		es = append(es, entry{rule: "RUN-02", variant: fmt.Sprintf("dot_general/widened/%v-%v", w.from, w.to), profile: check.Core,
			programs: func() []program {
				c := contraction{a: []int64{2, 300}, b: []int64{300, 2}, contractA: []int64{1}, contractB: []int64{0}}
				a, b := wholes(w.from, 1, c.a...), wholes(w.from, 2, c.b...)
				extreme(a, b, w.to)
				p := c.program(a, b, w.to, highest)
				p.optional = true
				p.twists = []twist{narrowed(p, w.from, w.to)}
				return []program{p}
			}})
	}
	for _, precision := range []string{"DEFAULT", "HIGH", "HIGHEST"} {
		es = append(es, entry{rule: "RUN-02", variant: "dot_general/precision/" + precision, profile: check.Core,
			programs: func() []program { return []program{precise(precision)} }})
	}
	for _, t := range []dtype.Type{dtype.F32, dtype.F64, dtype.BF16, dtype.F16, dtype.S32, dtype.C64} {
		for _, n := range []int64{127, 513} {
			profile := check.Core
			if n > 200 {
				profile = check.Full
			}
			es = append(es, entry{rule: "RUN-02", variant: fmt.Sprintf("dot_general/size=%d/%v", n, t), profile: profile,
				timeout: 4 * check.DefaultTimeout, forms: []form{parameters}, programs: func() []program {
					return []program{sized(t, n)}
				}})
		}
	}
	return es
}

// extreme puts numbers into two arrays whose products need the wider type.
func extreme(a, b array, to dtype.Type) {
	most := largestFinite(a.t)
	for a.t.IsFloat() && most.f*most.f > largestFinite(to).f/64 {
		most = round(a.t, most.f/2)
	}
	for i := range 8 {
		a.v[i], b.v[2*i] = most, most
	}
}

// largestFinite returns the largest finite number of a type, or the largest integer.
func largestFinite(t dtype.Type) value {
	if !t.IsFloat() {
		return largest(t)
	}
	if v, ok := largests.Load(t); ok {
		return v.(value)
	}
	v := findLargest(t)
	largests.Store(t, v)
	return v
}

// largests holds the results of findLargest by type.
var largests sync.Map

func findLargest(t dtype.Type) value {
	power := 1.0
	for exactly(t, 2*power) && !math.IsInf(2*power, 0) {
		power *= 2
	}
	most := power
	for step := power / 2; exactly(t, most+step) && most+step > most && !math.IsInf(most+step, 0); step /= 2 {
		most += step
	}
	return value{f: most}
}

// twists returns the faults of this form of dot_general.
func (c *contraction) twists() []twist {
	var ts []twist
	at := c.attribute()
	swap := func(fault string, change func(*contraction)) {
		x := *c
		x.contractA, x.contractB, x.batchA, x.batchB = slices.Clone(c.contractA), slices.Clone(c.contractB), slices.Clone(c.batchA),
			slices.Clone(c.batchB)
		change(&x)
		if to := x.attribute(); to != at {
			ts = append(ts, twist{fault, at, to})
		}
	}
	if len(c.contractA) == 2 && c.a[c.contractA[0]] == c.a[c.contractA[1]] {
		swap("pairs contracted dimensions in another order", func(x *contraction) { slices.Reverse(x.contractA) })
	}
	if len(c.b) == 3 && len(c.contractB) == 2 {
		swap("sums over another dimension of the same size", func(x *contraction) { x.contractB[0] = 2 })
	}
	return ts
}

// narrowed is the fault of a compiler that sums in the type of the operands.
func narrowed(p program, from, to dtype.Type) twist {
	x, y, z := p.inputs[0], p.inputs[1], p.want[0]
	narrow := z
	narrow.t = from
	return twist{
		fault: "sums in the narrow type",
		from:  "%r0 = " + p.body[len("%r0 = "):],
		to: fmt.Sprintf("%%n = %s\n  %%r0 = \"stablehlo.convert\"(%%n) : (%s) -> %s",
			p.body[len("%r0 = "):len(p.body)-len(fmt.Sprintf("(%s, %s) -> (%s)", x.typ(), y.typ(), z.typ()))]+
				fmt.Sprintf("(%s, %s) -> (%s)", x.typ(), y.typ(), narrow.typ()), narrow.typ(), z.typ()),
	}
}

// precise returns a product whose rounding shows how the operands are multiplied. With
// DEFAULT a device may drop bits of the operands; with HIGHEST it may not.
func precise(precision string) program {
	c := contraction{a: []int64{4, 32}, b: []int64{32, 4}, contractA: []int64{1}, contractB: []int64{0}}
	a, b := rough(dtype.F32, 3, c.a), rough(dtype.F32, 4, c.b)
	attribute := fmt.Sprintf("precision_config = [#stablehlo<precision %[1]s>, #stablehlo<precision %[1]s>]", precision)
	p := c.program(a, b, dtype.F32, attribute)
	strict := slices.Clone(p.policies[0].bound)
	factor := map[string]float64{"DEFAULT": 0x1p15, "HIGH": 0x1p7, "HIGHEST": 1}[precision]
	for i := range p.policies[0].bound {
		p.policies[0].bound[i] *= factor
	}
	want := p.want[0]
	p.notes = func(results []array) []string {
		most := 0.0
		for i, v := range results[0].v {
			most = max(most, math.Abs(v.f-want.v[i].f)/strict[i])
		}
		// The strict bound counts 2^-23 for each of 34 roundings.
		return []string{fmt.Sprintf("precision %s: the largest error is %.3g of what rounding of 24 bits explains", precision, most)}
	}
	half := "bf16"
	if precision == "DEFAULT" {
		half = "f8E4M3FN" // bf16 is allowed
	}
	p.twists = []twist{dropsBits(a, half)}
	return p
}

// sized returns a product of matrices none of whose sides is a multiple of a tile.
func sized(t dtype.Type, n int64) program {
	c := contraction{a: []int64{n - 2, n}, b: []int64{n, n + 2}, contractA: []int64{1}, contractB: []int64{0}}
	if n > 200 {
		c.a[0], c.b[1] = 65, 33
	}
	p := op("dot_general", c.attribute()+", "+highest, "", []array{{t: t, dims: c.result()}}, array{t: t, dims: c.a},
		array{t: t, dims: c.b})
	p.fill = func(p *program) {
		a, b := wholes(t, 5, c.a...), wholes(t, 6, c.b...)
		want, s := c.eval(a, b, t)
		p.inputs, p.want, p.policies = []array{a, b}, []array{want}, s.policies(t)
	}
	return p
}
