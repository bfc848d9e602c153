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

// ties returns checks of maximum and minimum of complex numbers with equal real parts, so
// that the imaginary parts decide.
func ties() []entry {
	var es []entry
	for i := range binaries {
		b := &binaries[i]
		if b.name != "maximum" && b.name != "minimum" {
			continue
		}
		for _, t := range []dtype.Type{dtype.C64, dtype.C128} {
			profile := check.Core
			if t == dtype.C64 {
				profile = check.Quick
			}
			es = append(es, one("RUN-02", b.name+"/ties/"+t.String(), profile, b.tie(t)))
		}
	}
	return es
}

func (b *binaryOp) tie(t dtype.Type) program {
	vs := []complex128{1 + 2i, 1 - 2i, 1, 1 + 2i, -3 + 0.5i, -3 - 4i, 3i, -3i, 2 - 1i}
	n := int64(len(vs))
	x := build(t, []int64{n, n}, func(ix []int64) value { return value{c: vs[ix[0]]} })
	y := build(t, []int64{n, n}, func(ix []int64) value { return value{c: vs[ix[1]]} })
	out := build(t, x.dims, func(ix []int64) value { return b.eval(t, value{c: vs[ix[0]]}, value{c: vs[ix[1]]}) })
	p := op(b.name, "", "", []array{out}, x, y)
	better := map[string]string{"maximum": "GT", "minimum": "LT"}[b.name]
	p.plain = strings.NewReplacer("$T", x.typ(), "$R", check.Tensor(realOf(t), x.dims), "$P", check.Tensor(dtype.Pred, x.dims),
		"$D", better).Replace(`%re0 = stablehlo.real %a0 : ($T) -> $R
  %re1 = stablehlo.real %a1 : ($T) -> $R
  %im0 = stablehlo.imag %a0 : ($T) -> $R
  %im1 = stablehlo.imag %a1 : ($T) -> $R
  %real = stablehlo.compare $D, %re0, %re1, FLOAT : ($R, $R) -> $P
  %equal = stablehlo.compare EQ, %re0, %re1, FLOAT : ($R, $R) -> $P
  %imag = stablehlo.compare $D, %im0, %im1, FLOAT : ($R, $R) -> $P
  %tie = stablehlo.and %equal, %imag : $P
  %first = stablehlo.or %real, %tie : $P
  %r0 = stablehlo.select %first, %a0, %a1 : $P, $T`)
	p.twists = []twist{
		{"gives the first operand where the real parts are equal", "and %equal, %imag", "and %equal, %equal"},
		{"gives the second operand where the real parts are equal", "and %equal, %imag", "and %equal, %real"},
		{"compares the imaginary parts whatever the real ones are", "or %real, %tie", "or %imag, %tie"},
	}
	return p
}

// strictly sets a plain form of the maximum or minimum of floats, which loses no operand
// that is NaN, whatever a plugin makes of the operation itself. It leaves other operations
// alone, and types for which that would show nothing.
func (p *program) strictly(name string) {
	x := p.inputs[0]
	if !x.t.IsFloat() || name != "maximum" && name != "minimum" || !math.IsNaN(round(x.t, math.NaN()).f) || x.t == dtype.F8E8M0FNU {
		return
	}
	infinity := map[string]string{"maximum": "", "minimum": "-"}[name]
	fill := strings.NewReplacer("$T", x.typ(), "$P", check.Tensor(dtype.Pred, x.dims), "$O", name)
	p.plain = fill.Replace(`%nan0 = stablehlo.compare NE, %a0, %a0, FLOAT : ($T, $T) -> $P
  %nan1 = stablehlo.compare NE, %a1, %a1, FLOAT : ($T, $T) -> $P
  %number = "stablehlo.$O"(%a0, %a1) : ($T, $T) -> $T
  %second = stablehlo.select %nan1, %a1, %number : $P, $T
  %r0 = stablehlo.select %nan0, %a0, %second : $P, $T`)
	p.twists = []twist{
		{"drops NaN of the first operand", "select %nan0, %a0,", "select %nan0, %a1,"},
		{"drops NaN of the second operand", "select %nan1, %a1,", "select %nan1, %a0,"},
	}
	if limited(x.t) {
		return
	}
	last := fill.Replace("%r0 = stablehlo.select %nan0, %a0, %second : $P, $T")
	p.twists = append(p.twists, twist{"lets an infinity outweigh NaN", last, fill.Replace(fmt.Sprintf(
		`%%whole = stablehlo.select %%nan0, %%a0, %%second : $P, $T
  %%one = stablehlo.constant dense<1.0> : $T
  %%zero = stablehlo.constant dense<%[1]s0.0> : $T
  %%end = stablehlo.divide %%one, %%zero : $T
  %%is0 = stablehlo.compare EQ, %%a0, %%end, FLOAT : ($T, $T) -> $P
  %%is1 = stablehlo.compare EQ, %%a1, %%end, FLOAT : ($T, $T) -> $P
  %%is = stablehlo.or %%is0, %%is1 : $P
  %%r0 = stablehlo.select %%is, %%end, %%whole : $P, $T`, infinity))})
}
