// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package programs

import (
	"fmt"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

// sample is a program with its arguments and results.
type sample struct {
	rule, name string
	quick      bool
	text       string
	options    options
	arguments  []numbers
	donated    []bool // by argument; nil for none
	results    []numbers
	after      func(t *check.T, arguments, results []*capi.Buffer) // checks more than the results
}

// run executes the program twice. A plugin may refuse to compile it.
func (s *sample) run(t *check.T) {
	c := t.Client()
	exe := compileOrSkip(t, c, s.text, s.options, fmt.Sprintf("the program %s is refused", s.name))
	if !check.Equal(t, len(s.results), t.NumOutputs(exe), "PJRT_Executable_NumOutputs") {
		return
	}
	for run := range 2 {
		what := fmt.Sprintf("%s, execution %d", s.name, run+1)
		in := make([]*capi.Buffer, len(s.arguments))
		for i, a := range s.arguments {
			in[i] = a.upload(t, c, c.Devices[0])
		}
		out, err := attempt(t, exe, len(s.results), in...)
		if !t.NoError(err, what) {
			return
		}
		for i, want := range s.results {
			want.expect(t, out[i], fmt.Sprintf("result %d of %s", i, what))
		}
		for i, b := range in {
			s.left(t, i, b, what)
		}
		if s.after != nil {
			s.after(t, in, out)
		}
	}
}

// left checks an argument after an execution.
func (s *sample) left(t *check.T, i int, b *capi.Buffer, what string) {
	deleted := t.IsDeleted(b)
	if s.donated == nil || !s.donated[i] {
		check.Equal(t, false, deleted, "is_deleted of argument %d of %s, which was not donated", i, what)
	}
	if !deleted {
		s.arguments[i].expect(t, b, fmt.Sprintf("argument %d after %s", i, what))
	}
}

// sampleChecks returns a check for each sample.
func sampleChecks() []check.Check {
	var list []check.Check
	for i := range samples {
		s := &samples[i]
		profile := check.Core
		if s.quick {
			profile = check.Quick
		}
		list = append(list, check.Check{Rule: s.rule, Variant: s.name, Profile: profile, Run: s.run})
	}
	return list
}
