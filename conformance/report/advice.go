// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package report

import (
	"fmt"
	"strings"
)

// Advice says what to do next, the most useful first.
func (r *Report) Advice() []string {
	var list []string
	add := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	var broken []*Result
	for i := range r.Results {
		if x := &r.Results[i]; x.Broken() {
			broken = append(broken, x)
		}
	}
	first := func(v Verdict) []string {
		var names []string
		for _, x := range broken {
			if x.Verdict == v {
				names = append(names, x.Check)
			}
		}
		return names
	}
	if len(r.Causes) > 0 && 2*len(r.Causes[0].Checks) >= len(broken) {
		add("begin with what %d of the %d failures have in common: %s", len(r.Causes[0].Checks), len(broken), shorten(printable(strings.Join(strings.Fields(r.Causes[0].Text), " ")), causeLength))
	}
	if len(broken) > 0 && broken[0].Reproduce != "" {
		add("run one check alone, as the line reproduce of each says: %s", broken[0].Reproduce)
	}
	if n := len(r.Problems); n > 0 && r.Verdict != NotConformant {
		add("look at what went wrong outside any check, for no verdict says it: %s", shorten(printable(r.Problems[0]), causeLength))
	}
	if names := first(UnexpectedPass); len(names) > 0 {
		add("take the waivers of %s out of their file: they pass", some(names))
	}
	if names := first(SuiteError); len(names) > 0 {
		add("please report %s, with the JSON report: the suite is at fault", some(names))
	}
	if names := first(Timeout); len(names) > 0 {
		add("if the plugin or the machine is slow rather than stuck in %s, raise the time limits (--timeout-factor)", some(names))
	}
	if len(broken) > len(first(UnexpectedPass))+len(first(SuiteError)) {
		add("what cannot be mended now goes into a file of waivers, with the reason (--draft-waivers writes one, --waivers reads it)")
	}
	switch {
	case r.Run.Interrupted:
		add("run it to its end for an answer: %s left", wereLeft(r.Run.Left))
	case r.Run.NoDevice != "" && r.Verdict != NotConformant:
		add("only what needs no device was checked; with one, everything is")
	case r.Verdict == NotConformant:
	case r.Run.Filter != "" || len(r.Run.Levels) > 0:
		add("this was a part: run without --run and --level for an answer")
	case r.Run.Profile == "smoke":
		add("the profile quick looks at every rule")
	case r.Run.Profile == "quick":
		add("the profiles core and full try more programs and types, and for longer")
	}
	return list
}

func wereLeft(n int) string {
	if n == 1 {
		return "1 check was"
	}
	return fmt.Sprintf("%d checks were", n)
}
