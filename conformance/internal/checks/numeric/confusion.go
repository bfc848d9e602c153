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

// confusion is a fault of a compiler that any program with the operation may reveal: it
// takes one operation, or one attribute of it, for another.
type confusion struct {
	from, to string
	in       kinds // of the first input, or of the first result when there is no input
	// except lists types for which both are the same, or at most one number of the type apart.
	except []dtype.Type
}

// onlyPowers is the type whose numbers are powers of two. It lacks zero, the only whole number that
// fractions round down to, and negative numbers; what else is excepted differs by a factor of two.
var onlyPowers = []dtype.Type{dtype.F8E8M0FNU}

// confusions lists what a compiler may take for something else anywhere in a text.
var confusions = []confusion{
	{`"stablehlo.abs"`, `"stablehlo.negate"`, signed | floats, nil},
	{`"stablehlo.abs"`, `"stablehlo.sign"`, signed | floats, []dtype.Type{dtype.S2}},
	{`"stablehlo.abs"`, `"stablehlo.real"`, complexes, nil},
	{`"stablehlo.negate"`, `"stablehlo.abs"`, signed | floats, onlyPowers},
	{`"stablehlo.negate"`, `"stablehlo.optimization_barrier"`, complexes, nil},
	{`"stablehlo.negate"`, `"stablehlo.not"`, integers, nil},
	{`"stablehlo.sign"`, `"stablehlo.negate"`, signed | floats | complexes, nil},
	{`"stablehlo.sign"`, `"stablehlo.abs"`, signed | floats, nil},
	{`"stablehlo.ceil"`, `"stablehlo.floor"`, floats, nil},
	{`"stablehlo.ceil"`, `"stablehlo.round_nearest_afz"`, floats, nil},
	{`"stablehlo.floor"`, `"stablehlo.ceil"`, floats, onlyPowers},
	{`"stablehlo.floor"`, `"stablehlo.round_nearest_even"`, floats, onlyPowers},
	{`"stablehlo.round_nearest_afz"`, `"stablehlo.round_nearest_even"`, floats, nil},
	{`"stablehlo.round_nearest_afz"`, `"stablehlo.floor"`, floats, nil},
	{`"stablehlo.round_nearest_even"`, `"stablehlo.round_nearest_afz"`, floats, onlyPowers},
	{`"stablehlo.round_nearest_even"`, `"stablehlo.ceil"`, floats, onlyPowers},
	{`"stablehlo.sqrt"`, `"stablehlo.cbrt"`, floats, []dtype.Type{dtype.F8E8M0FNU, dtype.F4E2M1FN}},
	{`"stablehlo.sqrt"`, `"stablehlo.rsqrt"`, complexes, nil},
	{`"stablehlo.rsqrt"`, `"stablehlo.sqrt"`, floats | complexes, nil},
	{`"stablehlo.cbrt"`, `"stablehlo.tanh"`, floats, nil},
	{`"stablehlo.exponential"`, `"stablehlo.exponential_minus_one"`, floats | complexes, nil},
	{`"stablehlo.exponential_minus_one"`, `"stablehlo.exponential"`, floats | complexes, nil},
	{`"stablehlo.log"`, `"stablehlo.log_plus_one"`, floats | complexes, onlyPowers},
	{`"stablehlo.log_plus_one"`, `"stablehlo.log"`, floats | complexes, nil},
	{`"stablehlo.logistic"`, `"stablehlo.tanh"`, floats | complexes, nil},
	{`"stablehlo.cosine"`, `"stablehlo.sine"`, floats | complexes, nil},
	{`"stablehlo.sine"`, `"stablehlo.cosine"`, floats | complexes, nil},
	{`"stablehlo.sine"`, `"stablehlo.tanh"`, floats | complexes, onlyPowers},
	{`"stablehlo.tan"`, `"stablehlo.tanh"`, floats | complexes, onlyPowers},
	{`"stablehlo.tanh"`, `"stablehlo.tan"`, floats | complexes, nil},
	{`"stablehlo.tanh"`, `"stablehlo.logistic"`, floats | complexes, nil},
	{`"stablehlo.real"`, `"stablehlo.imag"`, complexes, nil},
	{`"stablehlo.imag"`, `"stablehlo.real"`, complexes, nil},
	{`"stablehlo.not"`, `"stablehlo.negate"`, integers, nil},
	{`"stablehlo.popcnt"`, `"stablehlo.count_leading_zeros"`, integers, nil},
	{`"stablehlo.count_leading_zeros"`, `"stablehlo.popcnt"`, integers, nil},
	{`mantissa_bits = 23`, `mantissa_bits = 1`, floats, []dtype.Type{dtype.F8E8M0FNU, dtype.F4E2M1FN}},
	{`"stablehlo.optimization_barrier"`, `"stablehlo.negate"`, signed | floats | complexes, nil},
	{`"stablehlo.optimization_barrier"`, `"stablehlo.not"`, bools | unsigned, nil},
	{`"stablehlo.add"`, `"stablehlo.subtract"`, integers | floats | complexes, nil},
	{`"stablehlo.add"`, `"stablehlo.or"`, integers, nil},
	{`"stablehlo.add"`, `"stablehlo.xor"`, bools, nil},
	{`"stablehlo.subtract"`, `"stablehlo.add"`, numbers, nil},
	{`"stablehlo.subtract"(%a0, %a1)`, `"stablehlo.subtract"(%a1, %a0)`, numbers, nil},
	{`"stablehlo.multiply"`, `"stablehlo.add"`, numbers, nil},
	{`"stablehlo.multiply"`, `"stablehlo.or"`, bools, nil},
	{`"stablehlo.divide"`, `"stablehlo.multiply"`, numbers, nil},
	{`"stablehlo.divide"`, `"stablehlo.remainder"`, integers, nil},
	{`"stablehlo.remainder"`, `"stablehlo.divide"`, integers | floats, nil},
	{`"stablehlo.maximum"`, `"stablehlo.minimum"`, all, nil},
	{`"stablehlo.minimum"`, `"stablehlo.maximum"`, all, nil},
	{`"stablehlo.and"`, `"stablehlo.or"`, bools | integers, nil},
	{`"stablehlo.or"`, `"stablehlo.xor"`, bools | integers, nil},
	{`"stablehlo.xor"`, `"stablehlo.or"`, bools | integers, nil},
	{`"stablehlo.shift_left"`, `"stablehlo.shift_right_logical"`, integers, nil},
	{`"stablehlo.shift_right_arithmetic"`, `"stablehlo.shift_right_logical"`, integers, nil},
	{`"stablehlo.shift_right_logical"`, `"stablehlo.shift_right_arithmetic"`, integers, nil},
	{`"stablehlo.power"`, `"stablehlo.multiply"`, numbers, nil},
	{`"stablehlo.power"(%a0, %a1)`, `"stablehlo.power"(%a1, %a0)`, floats | complexes, nil},
	{`"stablehlo.atan2"(%a0, %a1)`, `"stablehlo.atan2"(%a1, %a0)`, floats, nil},
	{`"stablehlo.select"(%a0, %a1, %a2)`, `"stablehlo.select"(%a0, %a2, %a1)`, all, nil},
	{`"stablehlo.clamp"(%a0, %a1, %a2)`, `"stablehlo.clamp"(%a2, %a1, %a0)`, all, nil},
	{`compare LT, %a`, `compare LE, %a`, all, nil},
	{`compare LE, %a`, `compare LT, %a`, all, nil},
	{`compare GT, %a`, `compare GE, %a`, all, nil},
	{`compare GE, %a`, `compare GT, %a`, all, nil},
	{`compare EQ, %a`, `compare NE, %a`, all, nil},
	{`compare LT, %x`, `compare GT, %x`, all, nil},
	{`%a1, UNSIGNED`, `%a1, SIGNED`, unsigned, nil},
	{`%a1, SIGNED`, `%a1, UNSIGNED`, signed, nil},
	{`%gt = stablehlo.compare GT`, `%gt = stablehlo.compare LT`, all, nil},
	{`TOTALORDER`, `FLOAT`, floats, []dtype.Type{dtype.F4E2M1FN, dtype.F6E2M3FN, dtype.F6E3M2FN}},
	{`stablehlo.maximum %x, %y`, `stablehlo.minimum %x, %y`, all, nil},
	{`stablehlo.minimum %x, %y`, `stablehlo.maximum %x, %y`, all, nil},
	{`stablehlo.add %x, %y`, `stablehlo.maximum %x, %y`, integers | floats, nil},
	{`stablehlo.add %x, %y`, `stablehlo.subtract %x, %y`, complexes, nil},
	{`stablehlo.multiply %x, %y`, `stablehlo.add %x, %y`, numbers, nil},
	{`stablehlo.and %x, %y`, `stablehlo.or %x, %y`, bools | integers, nil},
	{`stablehlo.or %x, %y`, `stablehlo.and %x, %y`, bools | integers, nil},
	{`"stablehlo.dynamic_slice"(%a0, %a1, %a2)`, `"stablehlo.dynamic_slice"(%a0, %a2, %a1)`, all, nil},
	{`"stablehlo.dynamic_update_slice"(%a0, %a1, %a2, %a3)`, `"stablehlo.dynamic_update_slice"(%a0, %a1, %a3, %a2)`, all, nil},
	{`edge_padding_low = array<i64: 1, -1>, edge_padding_high = array<i64: 2, 0>`, `edge_padding_low = array<i64: 2, -1>, edge_padding_high = array<i64: 1, 0>`, all, nil},
	{`edge_padding_low = array<i64: 1, -1>, edge_padding_high = array<i64: 2, 0>`, `edge_padding_low = array<i64: 1, 0>, edge_padding_high = array<i64: 2, -1>`, all, nil},
	{`start_indices = array<i64: 1, 0>, limit_indices = array<i64: 3, 4>`, `start_indices = array<i64: 0, 0>, limit_indices = array<i64: 2, 4>`, all, nil},
	{`start_indices = array<i64: 1, 0>, limit_indices = array<i64: 3, 4>`, `start_indices = array<i64: 1, 1>, limit_indices = array<i64: 3, 4>`, all, nil},
	{`"stablehlo.reverse"(%a0) {dimensions = array<i64: 1>}`, `"stablehlo.reverse"(%a0) {dimensions = array<i64: 0>}`, all, nil},
	{`padding = dense<[[1, 2]]>`, `padding = dense<[[2, 1]]>`, all, nil},
	{`transpose ADJOINT`, `transpose TRANSPOSE`, complexes, nil},
	{`transpose TRANSPOSE`, `transpose ADJOINT`, complexes, nil},
	{`transpose TRANSPOSE`, `transpose NO_TRANSPOSE`, all, nil},
	{`transpose NO_TRANSPOSE`, `transpose TRANSPOSE`, all, nil},
	{`fft_type FFT>`, `fft_type IFFT>`, all, nil},
	{`fft_type IFFT>`, `fft_type FFT>`, all, nil},
	{`epsilon = 0.25`, `epsilon = 0.5`, floats, nil},
	{`lower = true, unit`, `lower = false, unit`, all, nil},
	{`unit_diagonal = false`, `unit_diagonal = true`, all, nil},
	{`unit_diagonal = true`, `unit_diagonal = false`, all, nil},
	{`%go = stablehlo.compare LT`, `%go = stablehlo.compare LE`, all, nil},
}

// subject returns the type that decides which confusions make a difference.
func (p *program) subject() dtype.Type {
	if len(p.inputs) > 1 && p.inputs[0].t == dtype.Pred {
		return p.inputs[1].t // after a predicate
	}
	if len(p.inputs) > 0 {
		return p.inputs[0].t
	}
	return p.want[0].t
}

// faults returns the mistakes of a compiler that would change the results of the program.
func (p *program) faults() []twist {
	if !slices.ContainsFunc(p.want, func(w array) bool { return count(w.dims) > 0 }) {
		return nil // there is nothing to get wrong
	}
	ts := slices.Clone(p.twists)
	if p.idle {
		return ts
	}
	t := p.subject()
	for _, c := range confusions {
		if c.in&kindOf(t) != 0 && !slices.Contains(c.except, t) && strings.Contains(p.body, c.from) {
			ts = append(ts, twist{fmt.Sprintf("compiles %s as %s", c.from, c.to), c.from, c.to})
		}
	}
	return append(ts, p.rewrites()...)
}

// rewrites returns the faults that need more than another name: what a compiler's author
// who misremembers a definition would write.
func (p *program) rewrites() []twist {
	if len(p.inputs) == 0 || !strings.HasPrefix(p.body, `%r0 = "stablehlo.`) {
		return nil
	}
	x := p.inputs[0]
	name, _, _ := strings.Cut(strings.TrimPrefix(p.body, `%r0 = "stablehlo.`), `"`)
	typ, pred := x.typ(), check.Tensor(dtype.Pred, x.dims)
	kind := comparisonKind(x.t)
	instead := func(fault string, lines ...string) []twist {
		text := strings.NewReplacer("$T", typ, "$P", pred, "$K", kind).Replace(strings.Join(lines, "\n  "))
		return []twist{{fault, p.body, text}}
	}
	switch k := kindOf(x.t); {
	case name == "divide" && k == signed && slices.ContainsFunc(p.inputs[1].v, func(v value) bool { return v.i == 0 }):
		return nil // XLA's CPU plugin ends the process when it compiles the following for a divisor that is the constant 0
	case name == "divide" && k == signed:
		return instead("divides toward minus infinity",
			"%q = stablehlo.divide %a0, %a1 : $T", "%m = stablehlo.remainder %a0, %a1 : $T", "%o = stablehlo.xor %m, %a1 : $T",
			"%z = stablehlo.subtract %a0, %a0 : $T", "%n = stablehlo.compare LT, %o, %z, SIGNED : ($T, $T) -> $P",
			"%e = stablehlo.compare NE, %m, %z, SIGNED : ($T, $T) -> $P", "%b = stablehlo.and %n, %e : $P",
			"%s = stablehlo.not %z : $T", "%d = stablehlo.add %q, %s : $T", "%r0 = stablehlo.select %b, %d, %q : $P, $T")
	case name == "remainder" && k == signed:
		return instead("gives the remainder the sign of the divisor",
			"%m = stablehlo.remainder %a0, %a1 : $T", "%o = stablehlo.xor %m, %a1 : $T",
			"%z = stablehlo.subtract %a0, %a0 : $T", "%n = stablehlo.compare LT, %o, %z, SIGNED : ($T, $T) -> $P",
			"%e = stablehlo.compare NE, %m, %z, SIGNED : ($T, $T) -> $P", "%b = stablehlo.and %n, %e : $P",
			"%d = stablehlo.add %m, %a1 : $T", "%r0 = stablehlo.select %b, %d, %m : $P, $T")
	case name == "remainder" && k == floats && !narrowFloat(x.t):
		return instead("gives the remainder the sign of the divisor",
			"%m = stablehlo.remainder %a0, %a1 : $T", "%d = stablehlo.add %m, %a1 : $T", "%r0 = stablehlo.remainder %d, %a1 : $T")
	case (name == "divide" || name == "remainder") && k == unsigned, name == "maximum" && k == unsigned, name == "minimum" && k == unsigned:
		other := strings.Replace(typ, "ui", "i", 1)
		if name == "divide" && x.t.Bits() == 2 {
			return nil // a quotient of two bits hardly depends on the sign
		}
		return instead("takes unsigned numbers for signed ones",
			fmt.Sprintf("%%x = stablehlo.bitcast_convert %%a0 : ($T) -> %s", other),
			fmt.Sprintf("%%y = stablehlo.bitcast_convert %%a1 : ($T) -> %s", other),
			fmt.Sprintf("%%z = stablehlo.%s %%x, %%y : %s", name, other),
			fmt.Sprintf("%%r0 = stablehlo.bitcast_convert %%z : (%s) -> $T", other))
	case name == "sign" && k == floats && hasZero(p):
		return instead("loses the sign of zero", "%s = stablehlo.sign %a0 : $T", "%z = stablehlo.subtract %s, %s : $T",
			"%r0 = stablehlo.add %s, %z : $T")
	case name == "convert":
		return p.misconverted()
	case name == "concatenate" && len(p.inputs) == 2 && count(p.inputs[0].dims) > 0:
		y := p.inputs[1].typ()
		turned := strings.Replace(strings.Replace(p.body, "(%a0, %a1)", "(%a1, %a0)", 1), "("+typ+", "+y+")", "("+y+", "+typ+")", 1)
		return []twist{{"joins the other way round", p.body, turned}}
	}
	return nil
}

// narrowFloat reports whether a type has so few numbers that they hide faults of rounding.
func narrowFloat(t dtype.Type) bool { return t.IsFloat() && t.Bits() < 16 }

// hasZero reports whether there is a negative zero.
func hasZero(p *program) bool {
	return slices.ContainsFunc(p.inputs[0].v, func(v value) bool { return v.f == 0 && 1/v.f < 0 })
}

// misconverted returns the faults of a conversion: the sign is not extended, or a fraction
// is rounded instead of dropped.
func (p *program) misconverted() []twist {
	from, to := p.inputs[0], p.want[0]
	switch k, l := kindOf(from.t), kindOf(to.t); {
	case k == signed && l != bools && to.t.Bits() > from.t.Bits() && negative(from):
		other := strings.Replace(from.typ(), from.t.String(), "u"+from.t.String(), 1)
		return []twist{{"does not extend the sign", p.body,
			fmt.Sprintf("%%u = stablehlo.bitcast_convert %%a0 : (%s) -> %s\n  %%r0 = stablehlo.convert %%u : (%s) -> %s", from.typ(), other,
				other, to.typ())}}
	case k == unsigned && l != bools && to.t.Bits() > from.t.Bits():
		other := strings.Replace(from.typ(), "ui", "i", 1)
		return []twist{{"extends the sign", p.body,
			fmt.Sprintf("%%u = stablehlo.bitcast_convert %%a0 : (%s) -> %s\n  %%r0 = stablehlo.convert %%u : (%s) -> %s", from.typ(), other,
				other, to.typ())}}
	case k == floats && l&integers != 0 && fractions(from):
		return []twist{{"rounds the fraction", p.body,
			fmt.Sprintf("%%u = stablehlo.round_nearest_even %%a0 : %s\n  %%r0 = stablehlo.convert %%u : (%s) -> %s", from.typ(),
				from.typ(), to.typ())}}
	case k == floats && l == bools && fractions(from):
		return []twist{{"drops the fraction first", p.body,
			fmt.Sprintf("%%u = stablehlo.convert %%a0 : (%s) -> %s\n  %%r0 = stablehlo.convert %%u : (%s) -> %s", from.typ(),
				check.Tensor(dtype.S32, from.dims), check.Tensor(dtype.S32, from.dims), to.typ())}}
	}
	return nil
}

// negative reports whether there is a negative integer.
func negative(a array) bool {
	return slices.ContainsFunc(a.v, func(v value) bool { return v.i < 0 })
}

// fractions reports whether there is a number that rounds away from zero.
func fractions(a array) bool {
	return slices.ContainsFunc(a.v, func(v value) bool {
		whole := float64(int64(v.f))
		return v.f-whole > 0.5 || whole-v.f > 0.5
	})
}
