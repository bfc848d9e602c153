// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package report

import (
	"regexp"
	"slices"
)

// Cause is a reason for which several checks failed.
type Cause struct {
	Text   string   `json:"text"`   // what they found in common
	Checks []string `json:"checks"` // at least two, except in a Lead
}

// answer matches the text that checks write for the error of a function that should have
// succeeded.
var answer = regexp.MustCompile(`\bPJRT_\w+: [A-Z]+(?:_[A-Z]+)*\b(?:: [^\n]*)?`)

// CauseKey returns the same text for results that failed for the same reason, as far as what they
// found tells, and "" if it does not.
func (x *Result) CauseKey() string {
	if c := x.cause(); c != "" {
		return string(x.Verdict) + " " + c
	}
	return ""
}

// cause returns the text of a result that other results may share.
func (x *Result) cause() string {
	switch {
	case x.Verdict == UnexpectedPass || len(x.Failures) == 0:
		return ""
	case x.Death != nil && len(x.Calls) > 0:
		return x.Death.How + "; the last call was " + x.Calls[0]
	case x.Verdict == Timeout && len(x.Calls) > 0:
		return "no answer within the limit; the last call was " + x.Calls[0]
	case x.Death != nil:
		return x.Death.How
	}
	if names := x.nullSlots(); len(names) > 1 {
		return "slots of the table are null: " + some(names)
	}
	text := x.headline()
	if a := answer.FindString(text); a != "" {
		return a
	}
	return text
}

// summarizeCauses groups the results that break conformance by their cause.
func (r *Report) summarizeCauses() {
	var order []string
	checks := make(map[string][]string)
	for i := range r.Results {
		x := &r.Results[i]
		if !x.Broken() {
			continue
		}
		c := x.cause()
		if c == "" {
			continue
		}
		if checks[c] == nil {
			order = append(order, c)
		}
		checks[c] = append(checks[c], x.Check)
	}
	r.Causes = nil
	for _, c := range order {
		if len(checks[c]) > 1 {
			r.Causes = append(r.Causes, Cause{c, checks[c]})
		}
	}
	slices.SortStableFunc(r.Causes, func(a, b Cause) int { return len(b.Checks) - len(a.Checks) })
}
