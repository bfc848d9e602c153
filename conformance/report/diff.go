// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package report

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/purepjrt/purepjrt/internal/outside"
)

// Change is a check whose verdict differs between two reports.
type Change struct {
	Check    string  `json:"check"`
	Before   Verdict `json:"before,omitempty"` // empty: it was not in that report
	After    Verdict `json:"after,omitempty"`
	Worse    bool    `json:"worse"`  // it breaks conformance now, and did not before
	Better   bool    `json:"better"` // the reverse
	Headline string  `json:"headline,omitempty"`
}

// Diff returns the checks whose verdicts differ, in the order of the second report,
// followed by those that only the first report has.
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
			c.Before, wasBroken = was.Verdict, was.Broken() || was.Verdict == Blocked
		}
		if c.Before == c.After {
			continue
		}
		broken := x.Broken() || x.Verdict == Blocked
		c.Worse, c.Better = broken && !wasBroken, !broken && wasBroken
		if x.Verdict == Blocked {
			c.Headline = x.why()
		} else if x.noteworthy() {
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

// Differences lists the other differences between two runs, which may explain changes
// that are not due to the plugin.
func Differences(before, after *Report) []string {
	var list []string
	add := func(what, a, b string) {
		if a != b {
			list = append(list, fmt.Sprintf("%s: %s -> %s", what, orNone(a), orNone(b)))
		}
	}
	add("plugin", before.Plugin.identify(), after.Plugin.identify())
	add("version of the plugin", before.Plugin.PlatformVersion, after.Plugin.PlatformVersion)
	add("suite", suiteName(&before.Suite), suiteName(&after.Suite))
	add("profile", before.Run.Profile, after.Run.Profile)
	add("list of checks", before.Run.List, after.Run.List)
	add("levels", strings.Join(before.Run.Levels, ","), strings.Join(after.Run.Levels, ","))
	add("checks that match", before.Run.Filter, after.Run.Filter)
	add("part of the checks", before.Run.Shard, after.Run.Shard)
	add("create options", strings.Join(before.Run.Options, " "), strings.Join(after.Run.Options, " "))
	add("topology", before.Run.Topology, after.Run.Topology)
	add("without a device", before.Run.NoDevice, after.Run.NoDevice)
	add("programs as artifacts", before.Run.Artifacts, after.Run.Artifacts)
	add("interrupted", yes(before.Run.Interrupted), yes(after.Run.Interrupted))
	add("devices", strconv.Itoa(len(before.Capabilities.Devices)), strconv.Itoa(len(after.Capabilities.Devices)))
	add("machine", machineName(&before.Machine), machineName(&after.Machine))
	return list
}

func suiteName(s *Suite) string {
	name := s.Version
	if s.Revision != "" {
		name += " (" + s.Revision[:min(len(s.Revision), 12)] + ")"
	}
	return fmt.Sprintf("%s, %d checks", name, s.Checks)
}

func machineName(m *Machine) string { return fmt.Sprintf("%s/%s, %d processors", m.OS, m.Arch, m.CPUs) }

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return printable(strings.Join(strings.Fields(s), " "))
}

// maxAlone limits how many checks are listed that only one report has.
const maxAlone = 20

// WriteChanges writes changes for people, beginning with those for the worse.
func WriteChanges(out io.Writer, changes []Change) error {
	w := bufio.NewWriter(outside.Writer(out))
	section := func(title string, most int, is func(Change) bool) {
		n := 0
		for _, c := range changes {
			if !is(c) {
				continue
			}
			if n == 0 {
				fmt.Fprintf(w, "%s:\n", title)
			}
			if n++; n > most {
				continue
			}
			fmt.Fprintf(w, "  %-30s %s -> %s", c.Check, or(c.Before), or(c.After))
			if c.Headline != "" {
				fmt.Fprintf(w, "  %s", shorten(printable(c.Headline), causeLength))
			}
			fmt.Fprintln(w)
		}
		if n > most {
			fmt.Fprintf(w, "  and %d more\n", n-most)
		}
	}
	both := func(c Change) bool { return c.Before != "" && c.After != "" }
	all := len(changes)
	section("worse", all, func(c Change) bool { return c.Worse && both(c) })
	section("failed, but not in the first report", all, func(c Change) bool { return c.Worse && !both(c) })
	section("better", all, func(c Change) bool { return c.Better })
	section("changed in other ways", all, func(c Change) bool { return !c.Worse && !c.Better && both(c) })
	section("in one report only", maxAlone, func(c Change) bool { return !c.Worse && !c.Better && !both(c) })
	switch worse := count(countOf(changes, func(c Change) bool { return c.Worse }), "check"); {
	case len(changes) == 0:
		fmt.Fprintln(w, "no verdict changed")
	case Regressed(changes):
		fmt.Fprintf(w, "\n%s got worse\n", worse)
	default:
		fmt.Fprint(w, "\nnothing got worse\n")
	}
	return w.Flush()
}

func countOf(changes []Change, is func(Change) bool) int {
	n := 0
	for _, c := range changes {
		if is(c) {
			n++
		}
	}
	return n
}

func or(v Verdict) string {
	if v == "" {
		return "(not run)"
	}
	return string(v)
}
