// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package numeric

import (
	"fmt"
	"math"
	"strings"

	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// quantum says how integers of a type stand for floats: each is a multiple of a scale,
// counted from a zero point. There is one scale, or one for each column.
type quantum struct {
	storage dtype.Type
	scales  []float64
	zeros   []int64
}

// element returns the quantized element type.
func (q *quantum) element() string {
	if len(q.scales) == 1 {
		return fmt.Sprintf("!quant.uniform<%v:f32, %s:%d>", storageName(q.storage), decimal(q.scales[0]), q.zeros[0])
	}
	var parts []string
	for i := range q.scales {
		parts = append(parts, fmt.Sprintf("%s:%d", decimal(q.scales[i]), q.zeros[i]))
	}
	return fmt.Sprintf("!quant.uniform<%v:f32:1, {%s}>", storageName(q.storage), strings.Join(parts, ", "))
}

// decimal returns a number with a decimal point, which a float needs.
func decimal(x float64) string {
	s := fmt.Sprint(x)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}

// storageName returns the type as the quantized type spells it.
func storageName(t dtype.Type) string { return strings.Replace(t.String(), "ui", "u", 1) }

func (q *quantum) typ(dims []int64) string {
	return strings.Replace(check.Tensor(dtype.F32, dims), "f32", q.element(), 1)
}

func (q *quantum) of(column int64) (scale float64, zero int64) {
	if len(q.scales) == 1 {
		return q.scales[0], q.zeros[0]
	}
	return q.scales[column], q.zeros[column]
}

func (q *quantum) ends() (low, high float64) {
	if q.storage.IsSigned() {
		return -math.Ldexp(1, q.storage.Bits()-1), math.Ldexp(1, q.storage.Bits()-1) - 1
	}
	return 0, math.Ldexp(1, q.storage.Bits()) - 1
}

// quantize returns the integer that stands for x.
func (q *quantum) quantize(x float64, column int64) float64 {
	scale, zero := q.of(column)
	low, high := q.ends()
	return max(low, min(high, math.RoundToEven(x/scale)+float64(zero)))
}

func (q *quantum) dequantize(n float64, column int64) float64 {
	scale, zero := q.of(column)
	return (n - float64(zero)) * scale
}

// plainQuantize returns the quantization of %in in ordinary operations; %out holds whole
// floats.
func (q *quantum) plainQuantize(out, in string, dims []int64) string {
	typ := check.Tensor(dtype.F32, dims)
	low, high := q.ends()
	return strings.NewReplacer("$O", out, "$I", in, "$T", typ, "$S", q.splat(dims, func(c int64) float64 { s, _ := q.of(c); return s }),
		"$Z", q.splat(dims, func(c int64) float64 { _, z := q.of(c); return float64(z) }), "$L", fmt.Sprintf("%.1f", low),
		"$H", fmt.Sprintf("%.1f", high)).Replace(
		`$Os = stablehlo.constant $S : $T
  $Oz = stablehlo.constant $Z : $T
  $Ol = stablehlo.constant dense<$L> : tensor<f32>
  $Oh = stablehlo.constant dense<$H> : tensor<f32>
  $Od = stablehlo.divide $I, $Os : $T
  $Or = stablehlo.round_nearest_even $Od : $T
  $Oq = stablehlo.add $Or, $Oz : $T
  $O = "stablehlo.clamp"($Ol, $Oq, $Oh) : (tensor<f32>, $T, tensor<f32>) -> $T
  `)
}

func (q *quantum) plainDequantize(out, in string, dims []int64) string {
	typ := check.Tensor(dtype.F32, dims)
	return strings.NewReplacer("$O", out, "$I", in, "$T", typ, "$S", q.splat(dims, func(c int64) float64 { s, _ := q.of(c); return s }),
		"$Z", q.splat(dims, func(c int64) float64 { _, z := q.of(c); return float64(z) })).Replace(
		`$Os = stablehlo.constant $S : $T
  $Oz = stablehlo.constant $Z : $T
  $Om = stablehlo.subtract $I, $Oz : $T
  $O = stablehlo.multiply $Om, $Os : $T
  `)
}

// splat returns a constant of one value for each column.
func (q *quantum) splat(dims []int64, f func(column int64) float64) string {
	return build(dtype.F32, dims, func(ix []int64) value { return value{f: f(ix[1])} }).literal()
}

var quanta = map[string]quantum{
	"i8":         {dtype.S8, []float64{0.5}, []int64{3}},
	"ui8":        {dtype.U8, []float64{0.25}, []int64{128}},
	"i4":         {dtype.S4, []float64{2}, []int64{-1}},
	"i16":        {dtype.S16, []float64{0.0625}, []int64{0}},
	"i8 columns": {dtype.S8, []float64{0.5, 0.25, 2, 1}, []int64{0, 10, -4, 1}},
}

// quantizations returns the checks of quantized types. A plugin without them refuses the
// programs.
func quantizations() []entry {
	var es []entry
	for _, name := range []string{"i8", "ui8", "i4", "i16", "i8 columns"} {
		q := quanta[name]
		es = append(es, one("RUN-02", "quantize/"+name, check.Core, q.roundTrip()))
		if len(q.scales) == 1 && q.storage != dtype.S16 {
			es = append(es, one("RUN-02", "quantized add/"+name, check.Core, q.sums()))
		}
	}
	q := quanta["i8"]
	return append(es, one("RUN-02", "quantized dot_general/i8", check.Core, q.products()),
		one("RUN-02", "quantized convolution/i8", check.Core, q.convolution()))
}

// roundingTwists returns faults of quantization.
func roundingTwists() []twist {
	return []twist{
		{"rounds ties away from zero", "stablehlo.round_nearest_even", "stablehlo.round_nearest_afz"},
		{"rounds down", "stablehlo.round_nearest_even", "stablehlo.floor"},
		{"forgets the zero point", "%qq = stablehlo.add %qr, %qz", "%qq = stablehlo.add %qr, %qr0"},
		{"does not clamp", `%q = "stablehlo.clamp"(%ql, %qq, %qh)`, `%q = "stablehlo.clamp"(%qm, %qq, %qp)`},
	}
}

// roundTrip quantizes numbers, including ties and numbers out of range, and converts them
// back.
func (q *quantum) roundTrip() program {
	dims := []int64{6, 4}
	x := build(dtype.F32, dims, func(ix []int64) value {
		scale, _ := q.of(ix[1])
		return value{f: scale * []float64{0, 0.5, 1.5, -0.5, 2.5, -1.5, 1e5, -1e5, 3.25, -2.75, 7, -6}[(ix[0]*4+ix[1])%12]}
	})
	out := build(dtype.F32, dims, func(ix []int64) value {
		return value{f: q.dequantize(q.quantize(x.at(ix...).f, ix[1]), ix[1])}
	})
	p := program{
		inputs: []array{x}, want: []array{out}, optional: true, policies: []policy{{signless: true}},
		body: fmt.Sprintf("%%q = stablehlo.uniform_quantize %%a0 : (%[1]s) -> %[2]s\n  %%r0 = stablehlo.uniform_dequantize %%q : (%[2]s) -> %[1]s", x.typ(), q.typ(dims)),
		plain: "%qm = stablehlo.constant dense<-1.0e+9> : tensor<f32>\n  %qp = stablehlo.constant dense<1.0e+9> : tensor<f32>\n  %qr0 = stablehlo.subtract %a0, %a0 : " + x.typ() + "\n  " +
			q.plainQuantize("%q", "%a0", dims) + strings.TrimSpace(q.plainDequantize("%r0", "%q", dims)),
	}
	for _, w := range roundingTwists() {
		if w.fault == "forgets the zero point" && q.zeros[0] == 0 && len(q.zeros) == 1 {
			continue
		}
		p.twists = append(p.twists, w)
	}
	return p
}

// sums adds two quantized arrays: the result is the quantized sum of the floats that they
// stand for, give or take one step.
func (q *quantum) sums() program {
	dims := []int64{3, 4}
	number := func(seed int64) array {
		w := wholes(dtype.F32, seed, dims...)
		for i := range w.v {
			w.v[i].f *= q.scales[0]
		}
		return w
	}
	x, y := number(3), number(4)
	out := build(dtype.F32, dims, func(ix []int64) value {
		a, b := q.dequantize(q.quantize(x.at(ix...).f, 0), 0), q.dequantize(q.quantize(y.at(ix...).f, 0), 0)
		return value{f: q.dequantize(q.quantize(a+b, 0), 0)}
	})
	p := program{inputs: []array{x, y}, want: []array{out}, optional: true, policies: []policy{q.oneStep(len(out.v))}}
	p.body = fmt.Sprintf(`%%p = stablehlo.uniform_quantize %%a0 : (%[1]s) -> %[2]s
  %%q = stablehlo.uniform_quantize %%a1 : (%[1]s) -> %[2]s
  %%s = stablehlo.add %%p, %%q : %[2]s
  %%r0 = stablehlo.uniform_dequantize %%s : (%[2]s) -> %[1]s`, x.typ(), q.typ(dims))
	typ := x.typ()
	p.plain = q.plainQuantize("%p", "%a0", dims) + q.plainQuantize("%q", "%a1", dims) + q.plainDequantize("%u", "%p", dims) +
		q.plainDequantize("%v", "%q", dims) +
		"%w = stablehlo.add %u, %v : " + typ + "\n  " + q.plainQuantize("%s", "%w", dims) +
		strings.TrimSpace(q.plainDequantize("%r0", "%s", dims))
	p.twists = []twist{{"adds the integers as they are", "%w = stablehlo.add %u, %v", "%w = stablehlo.add %p, %q"}}
	return p
}

// oneStep allows an error of one step of the integers.
func (q *quantum) oneStep(n int) policy {
	p := policy{bound: make([]float64, n)}
	for i := range p.bound {
		p.bound[i] = q.scales[0]
	}
	return p
}

// products multiplies two quantized matrices.
func (q *quantum) products() program {
	c := contraction{a: []int64{2, 4}, b: []int64{4, 4}, contractA: []int64{1}, contractB: []int64{0}}
	x, y := wholes(dtype.F32, 5, c.a...), wholes(dtype.F32, 6, c.b...)
	want, _ := c.eval(x, y, dtype.F32)
	return q.bilinear(x, y, want, `"stablehlo.dot_general"($a, $b) {`+c.attribute()+"}")
}

// convolution slides a quantized kernel over a quantized image.
func (q *quantum) convolution() program {
	c := convolving{x: []int64{1, 4, 4, 2}, w: []int64{2, 3, 2, 3}}
	x, y := wholes(dtype.F32, 7, c.x...), wholes(dtype.F32, 8, c.w...)
	want, _ := c.eval(x, y, dtype.F32)
	return q.bilinear(x, y, want, `"stablehlo.convolution"($a, $b) {`+c.attribute()+"}")
}

// bilinear applies an operation to two quantized arrays, the second of which must count
// from zero. want is the result for the floats.
func (q *quantum) bilinear(x, y, want array, operation string) program {
	right := quantum{q.storage, q.scales, []int64{0}}
	for i, v := range want.v {
		want.v[i].f = q.dequantize(q.quantize(v.f, 0), 0)
	}
	apply := func(out, a, b, ta, tb, tr string) string {
		return out + " = " + strings.NewReplacer("$a", a, "$b", b).Replace(operation) + fmt.Sprintf(" : (%s, %s) -> %s\n  ", ta, tb, tr)
	}
	p := program{inputs: []array{x, y}, want: []array{want}, optional: true, policies: []policy{q.oneStep(len(want.v))}}
	p.body = fmt.Sprintf("%%p = stablehlo.uniform_quantize %%a0 : (%s) -> %s\n  %%q = stablehlo.uniform_quantize %%a1 : (%s) -> %s\n  ", x.typ(), q.typ(x.dims), y.typ(), right.typ(y.dims)) +
		apply("%s", "%p", "%q", q.typ(x.dims), right.typ(y.dims), q.typ(want.dims)) +
		fmt.Sprintf("%%r0 = stablehlo.uniform_dequantize %%s : (%s) -> %s", q.typ(want.dims), want.typ())
	p.plain = q.plainQuantize("%p", "%a0", x.dims) + right.plainQuantize("%q", "%a1", y.dims) + q.plainDequantize("%u", "%p", x.dims) +
		right.plainDequantize("%v", "%q", y.dims) +
		apply("%w", "%u", "%v", x.typ(), y.typ(), want.typ()) + q.plainQuantize("%s", "%w", want.dims) +
		strings.TrimSpace(q.plainDequantize("%r0", "%s", want.dims))
	p.twists = []twist{{"multiplies the integers without their zero point", "(%u, %v)", "(%p, %q)"}}
	return p
}
