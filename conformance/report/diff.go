// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package report

import (
	"bufio"
	"fmt"
	"io"
)

// Change is a check whose verdict is not the same in two reports.
type Change struct {
	Check    string  `json:"check"`
	Before   Verdict `json:"before,omitempty"` // empty: it was not in that report
	After    Verdict `json:"after,omitempty"`
	Worse    bool    `json:"worse"`  // it stands in the way of conformance now, and did not
	Better   bool    `json:"better"` // the reverse
	Headline string  `json:"headline,omitempty"`
}

// Diff returns the checks whose verdicts differ, in the order of the second
// report, and then those that only the first one has.
func Diff(before, after *Report) []Change {
	old := make(map[string]*Result, len(before.Results))
	for i := range before.Results {
		old[before.Results[i].Check] = &before.Results[i]
	}
	var changes []Change
	for i := range after.Results {
		x := &after.Results[i]
		was := old[x.Check]
		delete(old, x.Check)
		c := Change{Check: x.Check, After: x.Verdict}
		wasBroken := false
		if was != nil {
			c.Before, wasBroken = was.Verdict, was.Broken()
		}
		if c.Before == c.After {
			continue
		}
		c.Worse, c.Better = x.Broken() && !wasBroken, !x.Broken() && wasBroken
		if x.noteworthy() {
			c.Headline = x.headline()
		} else {
			c.Headline = x.Skip
		}
		changes = append(changes, c)
	}
	for i := range before.Results {
		if x := &before.Results[i]; old[x.Check] == x {
			changes = append(changes, Change{Check: x.Check, Before: x.Verdict})
		}
	}
	return changes
}

// Regressed reports whether any check got worse.
func Regressed(changes []Change) bool {
	for _, c := range changes {
		if c.Worse {
			return true
		}
	}
	return false
}

// WriteChanges writes changes for people, what got worse first.
func WriteChanges(out io.Writer, changes []Change) error {
	w := bufio.NewWriter(out)
	section := func(title string, is func(Change) bool) {
		n := 0
		for _, c := range changes {
			if !is(c) {
				continue
			}
			if n == 0 {
				fmt.Fprintf(w, "%s:\n", title)
			}
			n++
			fmt.Fprintf(w, "  %-30s %s -> %s", c.Check, or(c.Before), or(c.After))
			if c.Headline != "" {
				fmt.Fprintf(w, "  %s", c.Headline)
			}
			fmt.Fprintln(w)
		}
	}
	section("worse", func(c Change) bool { return c.Worse })
	section("better", func(c Change) bool { return c.Better })
	section("otherwise changed", func(c Change) bool { return !c.Worse && !c.Better })
	if len(changes) == 0 {
		fmt.Fprintln(w, "no verdict differs")
	}
	return w.Flush()
}

func or(v Verdict) string {
	if v == "" {
		return "(not run)"
	}
	return string(v)
}
