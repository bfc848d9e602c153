// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package programs

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/expect"
	"github.com/purepjrt/purepjrt/pjrt/array"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// Expected returns the checks of this package that compute the results their programs must
// have: samples, partitioned programs, and exchanges between devices.
func Expected() []expect.Check {
	var list []expect.Check
	put := func(rule, variant string, make func(name string) []expect.Program) {
		name := rule + "/" + variant
		list = append(list, expect.Check{Rule: rule, Name: name, Programs: func() []expect.Program { return make(name) }})
	}
	for i := range samples {
		s := &samples[i]
		put(s.rule, s.name, func(name string) []expect.Program {
			return []expect.Program{expected(name, s.text, s.arguments, s.results)}
		})
	}
	for i := range partitionedModels {
		p := &partitionedModels[i]
		// The program is the same in every notation.
		put("MULTI-08", p.name, func(name string) []expect.Program {
			var arguments []numbers
			for k := range p.arguments {
				arguments = append(arguments, p.argument(k))
			}
			result := numbers{of: dtype.F32, dims: p.result.dims, v: p.want(arguments)}
			return []expect.Program{expected(name, p.text(nil), arguments, []numbers{result})}
		})
	}
	for _, x := range exchanges() {
		put(x.rule, x.variant, func(name string) []expect.Program {
			var ps []expect.Program
			for i := range x.layouts {
				id := name
				if len(x.layouts) > 1 {
					id = fmt.Sprintf("%s#%d", name, i)
				}
				ps = append(ps, x.o.expected(id, &x.layouts[i], x.of))
			}
			return ps
		})
	}
	return list
}

// expected describes a program with its arguments and results.
func expected(id, text string, arguments, results []numbers) expect.Program {
	p := expect.Program{ID: id, Text: text}
	for _, a := range arguments {
		p.Inputs = append(p.Inputs, expect.Input{Value: a.host(), Literal: a.literal()})
	}
	for _, r := range results {
		p.Want = append(p.Want, r.host())
	}
	p.Accept = func(got []*array.Array) error { return same(p.Want, got, nil) }
	return p
}

// same compares arrays, except those that may hold anything.
func same(want []expect.Value, got []*array.Array, open []bool) error {
	if len(got) != len(want) {
		return fmt.Errorf("expected %d results, got %d", len(want), len(got))
	}
	var all []error
	for i, w := range want {
		if open != nil && open[i] {
			continue
		}
		wanted, found := check.Masked(w.Array.Type, w.Array.Data), check.Masked(got[i].Type, got[i].Data)
		if !bytes.Equal(wanted, found) {
			all = append(all, fmt.Errorf("result %d: expected the bytes % x, got % x", i, wanted, found))
		}
	}
	return errors.Join(all...)
}

// expected describes the operation as StableHLO's interpreter runs it: each device calls
// the same function with its own argument.
func (o *collective) expected(id string, l *layout, of dtype.Type) expect.Program {
	alone := *o
	if o.inner != nil {
		alone.statement = o.inner // starting and waiting separately changes no value
	}
	p := expect.Program{ID: id, Text: alone.sideBySide(l, of)}
	open := make([]bool, l.devices())
	for position := range l.devices() {
		a := o.argument(l, of, position)
		result, ok := o.result(l, of, position)
		if open[position] = !ok; !ok {
			result.v = make([]int64, volume(result.dims))
		}
		p.Inputs = append(p.Inputs, expect.Input{Value: a.host(), Literal: a.literal()})
		p.Want = append(p.Want, result.host())
	}
	// The text that is compiled for a plugin counts as well.
	p.Tolerance = fmt.Sprintf("%v of\n%s", open, o.text(l, of))
	p.Accept = func(got []*array.Array) error { return same(p.Want, got, open) }
	return p
}

// sideBySide returns a program whose main runs the operation on all devices of a layout.
func (o *collective) sideBySide(l *layout, of dtype.Type) string {
	in, out := check.Tensor(of, o.in(l.size(o))), check.Tensor(of, o.out(l.size(o)))
	lines := append(o.statement(l, of, in, out), "return %0 : "+out)
	var arguments, operands, ins, outs, rows []string
	for r := range l.replicas {
		rows = append(rows, "["+strings.Join(slices.Repeat([]string{"@device"}, l.partitions), ", ")+"]")
		for p := range l.partitions {
			name := fmt.Sprintf("%%a%d", r*l.partitions+p)
			arguments, operands = append(arguments, name+": "+in), append(operands, name)
			ins, outs = append(ins, in), append(outs, out)
		}
	}
	n := l.devices()
	results := make([]string, n)
	for i := range results {
		results[i] = fmt.Sprintf("%%r#%d", i)
	}
	all := strings.Join(outs, ", ")
	return fmt.Sprintf(`module @exchange {
func.func private @device(%%a: %s) -> %s {
  %s
}
func.func @main(%s) -> (%s) {
  %%r:%d = "interpreter.run_parallel"(%s) {programs = [%s]} : (%s) -> (%s)
  return %s : %s
}
}
`, in, out, strings.Join(lines, "\n  "), strings.Join(arguments, ", "), all, n, strings.Join(operands, ", "),
		strings.Join(rows, ", "), strings.Join(ins, ", "), all, strings.Join(results, ", "), all)
}

// host returns the array as the host holds it.
func (a numbers) host() expect.Value {
	return expect.Value{Array: &array.Array{Type: a.of, Dims: append([]int64{}, a.dims...), Data: a.bytes()}, Type: a.text()}
}

// literal returns the array as an attribute, without its type.
func (a numbers) literal() string {
	if len(a.v) == 0 {
		return "dense<>"
	}
	at := 0
	var nested func(dims []int64) string
	nested = func(dims []int64) string {
		if len(dims) == 0 {
			at++
			return a.element(a.v[at-1])
		}
		parts := make([]string, dims[0])
		for i := range parts {
			parts[i] = nested(dims[1:])
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return "dense<" + nested(a.dims) + ">"
}

// element returns a number as the type writes it.
func (a numbers) element(n int64) string {
	switch bits := a.of.Bits(); {
	case a.of == dtype.Pred:
		return fmt.Sprint(n != 0)
	case a.of.IsComplex():
		return fmt.Sprintf("(%d.0, %d.0)", n, 2*n)
	case a.of.IsFloat():
		return fmt.Sprintf("%d.0", n)
	case a.of.IsSigned():
		return fmt.Sprint(n << (64 - bits) >> (64 - bits))
	default:
		return fmt.Sprint(uint64(n) << (64 - bits) >> (64 - bits))
	}
}
