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

// faulty lists the integer operations that have no result for some operands.
var faulty = []string{"divide", "remainder", "power", "shift_left", "shift_right_arithmetic", "shift_right_logical"}

// divisions returns checks of operands for which an operation has no result. Any value will
// do, but the process must survive, and other elements must be right.
func divisions() []entry {
	var es []entry
	for _, t := range integers.of() {
		for _, name := range faulty {
			// A division that traps ends the process.
			hostile := name == "divide" || name == "remainder"
			e := one("RUN-32", name+"/"+t.String(), profileOf(t), faults(name, t))
			e.hostile = hostile
			es = append(es, e)
		}
	}
	for _, to := range append(integers.of(), dtype.Pred) {
		for _, from := range []dtype.Type{dtype.F32, dtype.F64, dtype.F16, dtype.BF16} {
			profile := check.Core
			if from == dtype.F32 && (to == dtype.S32 || to == dtype.S8 || to == dtype.U32 || to == dtype.S64 || to == dtype.Pred) {
				profile = check.Quick
			}
			es = append(es, one("RUN-32", fmt.Sprintf("convert/%v-%v", from, to), profile, beyond(from, to)))
		}
	}
	return es
}

// beyond converts floats that no integer equals, among others.
func beyond(from, to dtype.Type) program {
	in := array{t: from}
	for _, x := range []float64{math.NaN(), 1, math.Inf(1), -0.75, math.Inf(-1), 0, 1e30, 1.5, -1e30, 1, 300, -300, 65536 * 65536, -129} {
		in.v = append(in.v, round(from, x))
	}
	in.dims = []int64{int64(len(in.v))}
	out, open := array{to, in.dims, make([]value, len(in.v))}, make([]bool, len(in.v))
	for i, v := range in.v {
		x, ok := convert(to, from, v)
		if to == dtype.Pred {
			x, ok = truth(v.f != 0), !math.IsNaN(v.f)
		}
		out.v[i], open[i] = x, !ok
	}
	p := op("convert", "", "", []array{out}, in)
	p.policies = []policy{{open: open}}
	p.notes = answers(open, in)
	return p
}

// answers notes what a plugin returned where any result will do.
func answers(open []bool, inputs ...array) func([]array) []string {
	return func(results []array) []string {
		var parts []string
		for i, isOpen := range open {
			if !isOpen {
				continue
			}
			var args []string
			for _, a := range inputs {
				args = append(args, show(a.t, a.v[i]))
			}
			parts = append(parts, fmt.Sprintf("(%s) gives %s", strings.Join(args, ", "), show(results[0].t, results[0].v[i])))
		}
		return []string{"where anything will do: " + strings.Join(parts, "; ")}
	}
}

// faults returns an integer operation on operands for which it has no result, among others
// for which it has one.
func faults(name string, t dtype.Type) program {
	var operation *binaryOp
	for i := range binaries {
		if binaries[i].name == name {
			operation = &binaries[i]
		}
	}
	low, ones, one := wrap(t, 1<<(t.Bits()-1)), wrap(t, ^uint64(0)), wrap(t, 1)
	width := wrap(t, uint64(t.Bits()))
	pairs := map[string][][2]value{
		"divide":    {{one, {}}, {{}, {}}, {low, {}}, {low, ones}, {ones, {}}},
		"remainder": {{one, {}}, {{}, {}}, {low, {}}, {low, ones}, {ones, {}}},
		"power":     {{{}, ones}, {one, ones}, {low, ones}, {ones, low}, {{}, low}},
	}[name]
	if pairs == nil {
		pairs = [][2]value{{one, width}, {ones, width}, {low, ones}, {one, low}, {ones, ones}}
	}
	a, b, out := array{t: t}, array{t: t}, array{t: t}
	var open []bool
	put := func(x, y value) {
		a.v, b.v = append(a.v, x), append(b.v, y)
		ok := operation.domain(t, x, y)
		v := value{}
		if ok {
			v = operation.eval(t, x, y)
		}
		out.v, open = append(out.v, v), append(open, !ok)
	}
	usual := wrap(t, 3)
	if t.Bits() == 2 {
		usual = one // in two bits three is minus one, or the largest number
	}
	for i, p := range pairs {
		put(p[0], p[1])
		put(samples(t)[(i+2)%len(samples(t))], usual)
	}
	dims := []int64{int64(len(a.v))}
	a.dims, b.dims, out.dims = dims, dims, dims
	p := op(name, "", "", []array{out}, a, b)
	p.policies = []policy{{open: open}}
	p.notes = answers(open, a, b)
	return p
}
