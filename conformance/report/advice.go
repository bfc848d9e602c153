// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package report

import (
	"fmt"
)

// Advice says what to do next, beginning with the most useful step.
func (r *Report) Advice() []string {
	var list []string
	add := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	var broken []*Result
	for i := range r.Results {
		if x := &r.Results[i]; x.Broken() {
			broken = append(broken, x)
		}
	}
	if len(r.Blocks) > 0 && len(r.Leads) == 0 { // the leads say what to begin with
		b := &r.Blocks[0]
		add("begin with %s, whose failure blocks %s: %s", b.Check, count(len(b.Blocked), "other check"), b.why())
	}
	if n := len(r.Problems); n > 0 && r.Verdict != NotConformant {
		add("look at the problems outside any check, which no verdict shows: %s", shorten(printable(r.Problems[0]), causeLength))
	}
	if names := r.withVerdict(UnexpectedPass); len(names) > 0 {
		add("remove the waivers of %s from their file: these checks pass", some(names))
	}
	if names := r.withVerdict(BrokenCheck); len(names) > 0 {
		add("please report %s, with the JSON report: the suite is at fault, not the plugin", some(names))
	}
	if names := r.withVerdict(Timeout); len(names) > 0 {
		add("if nothing is stuck in %s, and the plugin or the machine is only slow, raise the time limits (--timeout-factor)", some(names))
	}
	if len(broken) > len(r.withVerdict(UnexpectedPass)) {
		add("put failures that you cannot fix now into a waiver file, with the reasons (the command draft-waivers writes one, --waivers reads it)")
	}
	if names := r.newcomers(); len(names) > 0 {
		add("look at %s, which the list %s does not have: a later one may", some(names), r.Run.List)
	}
	switch {
	case r.Run.Interrupted:
		add("let a run finish for an answer: %s left", wereLeft(r.Run.Left))
	case r.Run.NoDevice != "" && r.Verdict != NotConformant:
		add("run with a device to check everything: without one, only part of the contract was checked")
	case r.Verdict == NotConformant:
	case r.Run.Shard != "":
		add("run the other parts too, and merge the reports with pjrt-conformance merge")
	case r.Run.Only > 0:
		add("run all checks for an answer: only chosen ones ran")
	case r.Run.Filter != "" || len(r.Run.Levels) > 0:
		add("run without --run and --level for an answer: only part of the contract was checked")
	case r.Run.Profile == "smoke":
		add("run the profile quick, which checks every rule")
	case r.Run.Profile == "quick":
		add("run the profiles core and full, which try more programs and types, and for longer")
	}
	return list
}

func wereLeft(n int) string {
	if n == 1 {
		return "1 check was"
	}
	return fmt.Sprintf("%d checks were", n)
}

// withVerdict returns the names of the checks with a verdict.
func (r *Report) withVerdict(v Verdict) []string {
	var names []string
	for i := range r.Results {
		if r.Results[i].Verdict == v {
			names = append(names, r.Results[i].Check)
		}
	}
	return names
}
