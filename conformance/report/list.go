// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package report

// unlisted says what it means that the list of a run does not have a check.
const unlisted = "the list of the run does not have this check, so it binds nobody yet; a later list may have it"

// with says by which list a verdict is.
func (r *Run) with() string {
	if r.List == "" {
		return ""
	}
	return " to " + r.List
}

// judgedBy names the list among other facts.
func (r *Run) judgedBy() string {
	if r.List == "" {
		return ""
	}
	return ", list " + r.List
}

// newcomers returns the checks that failed and that bind nobody yet.
func (r *Report) newcomers() []string {
	var names []string
	for i := range r.Results {
		if x := &r.Results[i]; x.Unlisted && (x.Verdict.Failed() || x.Verdict == Flaky) {
			names = append(names, x.Check)
		}
	}
	return names
}
