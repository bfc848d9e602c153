// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package numeric

import (
	"errors"
	"fmt"
	"slices"

	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/expect"
	host "github.com/purepjrt/purepjrt/pjrt/array"
)

// Expected returns the checks of this package that know what their programs must compute.
func Expected() []expect.Check {
	es := entries()
	list := make([]expect.Check, 0, len(es))
	for _, e := range es {
		list = append(list, expect.Check{
			Rule: e.rule, Name: e.name(), Seldom: e.profile >= check.Full,
			Programs: func() []expect.Program { return expected(e.name(), e.programs()) },
		})
	}
	for _, l := range lots {
		name := "FUZZ-05"
		if l.name != "" {
			name += "/" + l.name
		}
		list = append(list, expect.Check{Rule: "FUZZ-05", Name: name, Seldom: l.profile >= check.Full,
			Programs: func() []expect.Program { return expected(name, slices.Collect(l.programs())) }})
	}
	for _, b := range boundeds {
		name := "D2H-17/program=" + b.name
		list = append(list, expect.Check{Rule: "D2H-17", Name: name, Programs: func() []expect.Program {
			var ps []program
			for _, n := range boundedSizes {
				ps = append(ps, b.ofSize(n))
			}
			return expected(name, ps)
		}})
	}
	for _, t := range arrangedTypes {
		name := "DIFF-03/host strides/" + t.String() // the device layouts and result layouts have the same program
		list = append(list, expect.Check{Rule: "DIFF-03", Name: name,
			Programs: func() []expect.Program { return expected(name, []program{arranged(t)}) }})
	}
	return list
}

func expected(name string, ps []program) []expect.Program {
	list := make([]expect.Program, len(ps))
	for i := range ps {
		id := name
		if len(ps) > 1 {
			id = fmt.Sprintf("%s#%d", name, i)
		}
		list[i] = ps[i].expected(id)
	}
	return list
}

// expected describes the program for others that compute it.
func (p *program) expected(id string) expect.Program {
	q := *p
	if q.fill != nil {
		q.fill(&q)
	}
	out := expect.Program{ID: id, Text: q.text(parameters), Accept: q.accept}
	if q.plain != "" {
		r := q
		r.body = q.plain
		out.Plain = r.text(parameters)
	}
	for _, a := range q.inputs {
		out.Inputs = append(out.Inputs, expect.Input{Value: a.host(), Literal: a.literal()})
	}
	for i, a := range q.want {
		out.Want = append(out.Want, a.host())
		out.Tolerance += q.policy(i).describe()
	}
	return out
}

func (a array) host() expect.Value {
	return expect.Value{Array: &host.Array{Type: a.t, Dims: append([]int64{}, a.dims...), Data: a.encode()}, Type: a.typ()}
}

// accept compares results with those that the program must have.
func (p *program) accept(results []*host.Array) error {
	if len(results) != len(p.want) {
		return fmt.Errorf("expected %d results, got %d", len(p.want), len(results))
	}
	var all []error
	for i, w := range p.want {
		got, err := decodeArray(w.t, w.dims, results[i].Data)
		if err == nil {
			err = compare(w, got, p.policy(i))
		}
		if err != nil {
			all = append(all, fmt.Errorf("result %d: %w", i, err))
		}
	}
	return errors.Join(all...)
}
