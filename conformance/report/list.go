// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package report

// unlisted explains what it means for a check not to be on the run's list.
const unlisted = "this check is not on the list of the run, so it is not binding yet; a later list may have it"

// with names the list that a verdict goes by.
func (r *Run) with() string {
	text := ""
	if r.List != "" {
		text = " to " + r.List
	}
	if r.NoDevice != "" {
		text += ", as far as that shows without a device"
	}
	return text
}

// judgedBy names the list among other facts.
func (r *Run) judgedBy() string {
	if r.List == "" {
		return ""
	}
	return ", list " + r.List
}

// newcomers returns the failed checks that are not binding yet.
func (r *Report) newcomers() []string {
	var names []string
	for i := range r.Results {
		if x := &r.Results[i]; x.Unlisted && (x.Verdict.Failed() || x.Verdict == Flaky) {
			names = append(names, x.Check)
		}
	}
	return names
}
