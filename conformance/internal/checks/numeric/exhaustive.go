// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package numeric

import (
	"math"

	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// every returns all values of a type of at most 16 bits, or every step-th.
func every(t dtype.Type, step int) []value {
	if t == dtype.Pred {
		return []value{{}, {i: 1}}
	}
	var vs []value
	for i := 0; i < 1<<t.Bits(); i += step {
		vs = append(vs, decode(t, []byte{byte(i), byte(i >> 8)}))
	}
	return vs
}

// coarse is the step through the 65,536 values of a type in the smaller profiles; it is odd,
// and so has no factor in common with a power of two.
const coarse = 61

// accurate reports whether an operation has one right result, so that a wrong one breaks a rule
// instead of only losing accuracy.
func (u *unaryOp) accurate() bool { return u.ulp <= 2 }

// exhaustives returns checks of all values of the types of up to 16 bits, one by one, and of
// all pairs of values of 8-bit types.
func exhaustives() []entry {
	var es []entry
	for i := range unaries {
		u := &unaries[i]
		for _, t := range u.in.of() {
			if t.Bits() > 16 || u.name == "optimization_barrier" || u.name == "reduce_precision" {
				continue
			}
			rule := "DIFF-01"
			if u.accurate() {
				rule = "RUN-02"
			}
			es = append(es, entry{rule: rule, variant: "exhaustive/" + u.name + "/" + t.String(), profile: check.Core,
				forms: []form{parameters}, programs: func() []program {
					step := 1
					if t.Bits() == 16 {
						step = coarse
					}
					return []program{u.exhaustive(t, step)}
				}})
			if t.Bits() == 16 {
				es = append(es, entry{rule: rule, variant: "exhaustive/" + u.name + "/all/" + t.String(), profile: check.Full,
					forms: []form{parameters}, programs: func() []program {
						return []program{u.exhaustive(t, 1)}
					}})
			}
		}
	}
	for i := range binaries {
		b := &binaries[i]
		for _, t := range b.in.of() {
			if t.Bits() > 8 {
				continue
			}
			rule := "RUN-02"
			if b.ulp > 2 {
				rule = "DIFF-01"
			}
			profile := check.Full
			if t.Bits() < 8 {
				profile = check.Core
			}
			es = append(es, entry{rule: rule, variant: "exhaustive/" + b.name + "/" + t.String(), profile: profile,
				forms: []form{parameters}, programs: func() []program {
					return []program{b.exhaustive(t)}
				}})
		}
	}
	return es
}

// limited reports whether a type has no infinity, so that it cannot represent a number that is
// too large.
func limited(t dtype.Type) bool { return t.IsFloat() && !math.IsInf(round(t, math.Inf(1)).f, 0) }

// unclear reports whether the specification leaves x open as a result of the type: what does
// not fit in a type without infinity, and what f8E8M0FNU lacks, which has nothing below its
// least number.
func unclear(t dtype.Type, x value) bool {
	switch {
	case !t.IsFloat():
		return false
	case limited(t) && (math.IsInf(x.f, 0) || math.Abs(x.f) > largestFinite(t).f):
		return true
	case limited(t) && math.IsNaN(x.f) && !math.IsNaN(round(t, math.NaN()).f):
		return true // the type has no NaN either
	}
	return unspecified(t, x) || t == dtype.F8E8M0FNU && x.f < formats[t].minNormal
}

func (u *unaryOp) exhaustive(t dtype.Type, step int) program {
	to := t
	if u.out != nil {
		to = u.out(t)
	}
	n := 1 << t.Bits()
	if t == dtype.Pred {
		n = 2
	}
	dims := []int64{int64((n + step - 1) / step)}
	p := op(u.name, u.attr, "", []array{{t: to, dims: dims}}, array{t: t, dims: dims})
	p.fill = func(p *program) {
		in := every(t, step)
		out, flushed, open := make([]value, len(in)), make([]value, len(in)), make([]bool, len(in))
		for i, v := range in {
			x := u.eval(t, v)
			out[i], flushed[i] = finish(to, x), finish(to, u.eval(t, flush(t, v)))
			// The least f8E8M0FNU is subnormal in f32, and there may be no zero to flush it to.
			open[i] = unclear(to, x) || u.ulp > 2 && subnormal(t, v) || t == dtype.F8E8M0FNU && v.f <= formats[t].minNormal ||
				trigonometric(u.name) && math.Abs(v.f) > 1e4
		}
		pol := u.policy(t, to)
		pol.open, pol.also = open, [][]value{flushed}
		p.inputs, p.want, p.policies = []array{{t, dims, in}}, []array{{to, dims, out}}, []policy{pol}
	}
	return p
}

func (b *binaryOp) exhaustive(t dtype.Type) program {
	n := int64(1) << t.Bits()
	if t == dtype.Pred {
		n = 2
	}
	dims := []int64{n, n}
	p := op(b.name, "", "", []array{{t: t, dims: dims}}, array{t: t, dims: dims}, array{t: t, dims: dims})
	p.strictly(b.name)
	p.fill = func(p *program) {
		vs := every(t, 1)
		x := build(t, dims, func(ix []int64) value { return vs[ix[0]] })
		y := build(t, dims, func(ix []int64) value { return vs[ix[1]] })
		out, flushed, open := array{t, dims, make([]value, len(x.v))}, make([]value, len(x.v)), make([]bool, len(x.v))
		harmless := value{i: 1}
		for i := range x.v {
			if !t.IsFloat() && b.domain != nil && !b.domain(t, x.v[i], y.v[i]) {
				y.v[i] = harmless // operands without a result have a check of their own
			}
			v := b.eval(t, x.v[i], y.v[i])
			out.v[i], flushed[i] = finish(t, v), finish(t, b.eval(t, flush(t, x.v[i]), flush(t, y.v[i])))
			open[i] = unclear(t, v) || b.ulp > 2 && (subnormal(t, x.v[i]) || subnormal(t, y.v[i]))
		}
		pol := b.policy(t)
		if b.ulp == 0 && t.IsFloat() {
			pol = policy{signless: b.signless}
		}
		pol.open, pol.also = open, [][]value{flushed, b.undecided(t, x.v, y.v)}
		p.inputs, p.want, p.policies = []array{x, y}, []array{out}, []policy{pol}
	}
	return p
}
