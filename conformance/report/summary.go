// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/purepjrt/purepjrt/conformance/rules"
)

// levels are the levels of the contract with their descriptions. A plugin reaches a
// numbered level only if it reaches those before it.
var levels = []struct{ name, title string }{
	{"L0", "Loadable: the library, its table, errors and attributes; no device needed"},
	{"L1", "Client: client, devices, memories, topologies"},
	{"L2", "Transfers: events, buffers, uploads and downloads"},
	{"L3", "Compute: compilation, execution, donation, serialization"},
	{"L4", "Distributed: several devices and several processes"},
	{"X", "Extensions that the plugin offers"},
	{"Q", "Quality: threads, leaks, faults, fuzzed arguments, differences"},
}

// LevelNames returns the names of the levels, in order.
func LevelNames() []string {
	var names []string
	for _, l := range levels {
		names = append(names, l.name)
	}
	return names
}

// LevelOf returns the level of a rule. For a group that spans levels, the rule decides: it
// is L0 if library says that a check of the rule needs no client, and otherwise the level
// of the functions that the rule is about.
func LevelOf(r *rules.Rule, library bool) string {
	level := ""
	if g := rules.GroupByName(r.Group()); g != nil {
		level = g.Level
	}
	if level == "self" {
		return "Q"
	}
	if !strings.Contains(level, "-") {
		return level
	}
	if library {
		return "L0"
	}
	for _, l := range []struct {
		name  string
		words []string
	}{
		{"L3", []string{"Execut", "Compile", "Program"}},
		{"L2", []string{"Buffer", "Event", "Copy", "Async", "Dma"}},
		{"L1", []string{"Client", "Device", "Memory", "Topology"}},
	} {
		if slices.ContainsFunc(l.words, func(w string) bool { return strings.Contains(r.Subject, w) }) {
			return l.name
		}
	}
	return "L1"
}

// binding reports whether a plugin that breaks the rule is not conformant.
func (r *Result) binding() bool { return r.Severity.Binding() && !r.Unlisted }

// judged reports whether the check came to a verdict on its rule.
func (r *Result) judged() bool {
	return !r.Verdict.Skipped() && r.Verdict != Blocked && r.Verdict != BrokenCheck
}

// Broken reports whether the result makes the plugin not conformant.
func (r *Result) Broken() bool {
	switch r.Verdict {
	case Fail, Crash, Abort, Timeout, Flaky:
		return r.binding()
	case UnexpectedPass:
		return true
	}
	return false
}

// Summarize computes levels, groups, summary and verdict from the results.
func (r *Report) Summarize() {
	if r.Results == nil {
		r.Results = []Result{} // a list in JSON, too
	}
	r.summarizeBlocks()
	r.summarizeLevels()
	r.summarizeGroups()
	r.summarizeCauses()
	r.summarizeLeads()
	s := &r.Summary
	*s = Summary{Verdicts: make(map[Verdict]int), Severities: make(map[rules.Severity]Counts), Rules: r.countRules(), Quality: r.quality()}
	broken, waived := false, false
	r.Flaky = nil
	for i := range r.Results {
		x := &r.Results[i]
		s.Checks.Add(x)
		if x.Verdict == Flaky {
			r.Flaky = append(r.Flaky, x.Check)
		}
		s.Verdicts[x.Verdict]++
		c := s.Severities[x.Severity]
		c.Add(x)
		s.Severities[x.Severity] = c
		broken = broken || x.Broken()
		waived = waived || x.Verdict == Waived && x.binding()
	}
	switch {
	case broken:
		r.Verdict = NotConformant
	case r.Run.Interrupted || s.Verdicts[BrokenCheck] > 0 || s.Checks.Total() == s.Checks.idle():
		r.Verdict = Incomplete
	case waived:
		r.Verdict = WithWaivers
	default:
		r.Verdict = Conformant
	}
}

func (r *Report) summarizeLevels() {
	r.Levels = []Level{}
	if r.Programs != nil {
		return // programs show no level
	}
	levelOf, byCheck := make([]string, len(r.Results)), r.byCheck()
	for i := range r.Results {
		levelOf[i] = r.Results[i].countsFor(byCheck)
	}
	below := Reached // the worst state of the numbered levels so far
	for _, l := range levels {
		level := Level{Name: l.name, Title: l.title, State: Reached}
		var waived, stopping, blocked, unjudged []string
		for i := range r.Results {
			x := &r.Results[i]
			if levelOf[i] != l.name {
				continue
			}
			level.Counts.Add(x)
			switch {
			case x.Broken():
				stopping = append(stopping, x.Check)
			case x.Verdict == Waived && x.binding():
				waived = append(waived, x.Check)
			case x.Verdict == Blocked && x.binding():
				blocked = append(blocked, x.Check)
			case x.Verdict == BrokenCheck && x.binding():
				unjudged = append(unjudged, x.Check)
			}
		}
		c := level.Counts
		switch {
		case len(stopping) > 0:
			level.State, level.Reason = NotReached, "failed: "+some(stopping)
		case c.Total() == 0:
			level.State, level.Reason = NotRun, "no check of it was run"
		case c.Total() == c.Skipped:
			level.State, level.Reason = NotRun, "every check of it was skipped"
			if r.Run.NoDevice != "" {
				level.Reason = r.Run.NoDevice
			}
		case r.Run.Left > 0:
			level.State, level.Reason = NotRun, fmt.Sprintf("the run was interrupted before %d of its checks", r.Run.Left)
		case r.partial(l.name) != "":
			level.State, level.Reason = InPart, r.partial(l.name)
		case len(unjudged) > 0:
			level.State, level.Reason = InPart, "broken checks: "+some(unjudged)
		case len(blocked) > 0:
			level.State, level.Reason = InPart, "blocked: "+some(blocked)
		case len(waived) > 0:
			level.State, level.Reason = ReachedWaived, "waived: "+some(waived)
		}
		if strings.HasPrefix(l.name, "L") {
			level.State, level.Reason, below = onTop(level, below)
		}
		r.Levels = append(r.Levels, level)
	}
}

// partial says why the run cannot show a level, or returns "".
func (r *Report) partial(level string) string {
	switch {
	case r.Run.Shard != "":
		return "only the part " + r.Run.Shard + " of the checks was run"
	case r.Run.Filter != "":
		return "only checks that match " + r.Run.Filter + " were run"
	case r.Run.Only > 0:
		return "only " + count(r.Run.Only, "chosen check") + " ran"
	case r.Run.Profile == "smoke":
		return "the profile smoke has only some checks"
	case r.Run.NoDevice != "" && level != "L0":
		return "only what needs no client was checked: " + r.Run.NoDevice
	}
	return ""
}

// onTop returns the state of a numbered level, given the worst state of those below it.
func onTop(l Level, below LevelState) (LevelState, string, LevelState) {
	switch {
	case l.State == NotReached || l.State == NotRun || l.State == InPart:
		return l.State, l.Reason, NotReached
	case below == NotReached:
		return NotReached, "a level below it is not reached", NotReached
	case below == ReachedWaived && l.State == Reached:
		return ReachedWaived, "a level below it has waivers", ReachedWaived
	case l.State == ReachedWaived:
		return l.State, l.Reason, ReachedWaived
	}
	return l.State, l.Reason, below
}

// some lists the first names.
func some(names []string) string { return listed(names, 3) }

func (r *Report) summarizeGroups() {
	r.Groups = nil
	size := make(map[string]int)
	for _, x := range rules.All() {
		size[x.Group()]++
	}
	for _, g := range rules.Groups() {
		group := Group{Name: g.Name, Level: g.Level, Title: g.Title, Rules: size[g.Name]}
		checked := make(map[string]bool)
		for i := range r.Results {
			x := &r.Results[i]
			if x.Group != g.Name {
				continue
			}
			group.Counts.Add(x)
			if x.judged() {
				checked[x.Rule] = true
			}
		}
		group.Checked = len(checked)
		r.Groups = append(r.Groups, group)
	}
}

func (r *Report) countRules() RuleCounts {
	c := RuleCounts{Total: len(rules.All()), Covered: r.Suite.Covered, BySeverity: make(map[rules.Severity]int)}
	type state struct{ checked, bad, blocked bool }
	states := make(map[string]*state)
	var order []string
	for i := range r.Results {
		x := &r.Results[i]
		s := states[x.Rule]
		if s == nil {
			s = &state{}
			states[x.Rule] = s
			order = append(order, x.Rule)
		}
		s.checked = s.checked || x.judged()
		s.bad = s.bad || x.judged() && x.Verdict != Pass
		s.blocked = s.blocked || x.Verdict == Blocked
	}
	for _, id := range order {
		switch s := states[id]; {
		case !s.checked && s.blocked:
			c.Blocked++
		case !s.checked:
			c.Skipped++
		default:
			c.Checked++
			if rule := rules.ByID(id); rule != nil {
				c.BySeverity[rule.Severity]++
			}
			if !s.bad {
				c.Kept++
			}
		}
	}
	return c
}

// String says what became of each rule of the contract.
func (c *RuleCounts) String() string {
	parts := func(list ...string) string {
		return strings.Join(slices.DeleteFunc(list, func(s string) bool { return strings.HasPrefix(s, "0 ") }), ", ")
	}
	text := fmt.Sprintf("%d of %d rules checked: %s", c.Checked, c.Total,
		parts(fmt.Sprintf("%d kept", c.Kept), fmt.Sprintf("%d not kept", c.Checked-c.Kept)))
	others := parts(fmt.Sprintf("%d blocked", c.Blocked), fmt.Sprintf("%d skipped", c.Skipped),
		fmt.Sprintf("%d not run", max(0, c.Covered-c.Checked-c.Blocked-c.Skipped)), fmt.Sprintf("%d without a check", c.Total-c.Covered))
	return strings.TrimSuffix(strings.TrimSuffix(text, ": ")+"; "+others, "; ")
}

// skips says why checks were skipped, or returns "" if none was.
func (r *Report) skips() string {
	environment := "since this machine or these devices cannot show it"
	if r.Run.NoDevice != "" {
		environment = "since no client was made"
	}
	var parts []string
	for _, why := range []struct {
		verdict Verdict
		text    string
	}{
		{SkipUnimpl, "since the plugin answers UNIMPLEMENTED, as it may"},
		{SkipAbsent, "since the plugin is older than what they are about"},
		{SkipEnv, environment},
		{BrokenCheck, "since the suite is at fault"},
	} {
		if n := r.Summary.Verdicts[why.verdict]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, why.text))
		}
	}
	all := count(r.Summary.Checks.Skipped, "check")
	switch {
	case len(parts) == 0 || r.Programs != nil:
		return ""
	case len(parts) == 1:
		_, why, _ := strings.Cut(parts[0], " ")
		return all + " " + why
	}
	return all + ": " + strings.Join(parts, "; ")
}

// quality returns the score, which weighs recommended rules by where they come from.
func (r *Report) quality() int {
	weight := map[rules.Basis]int{rules.Header: 3, rules.Caller: 3, rules.Extension: 2, rules.XLA: 2, rules.Inferred: 1}
	kept, all := 0, 0
	for i := range r.Results {
		x := &r.Results[i]
		if x.Severity.Binding() && x.Level != "Q" || !x.judged() {
			continue
		}
		w := max(weight[x.Basis], 1)
		all += w
		if x.Verdict == Pass || x.Verdict == UnexpectedPass {
			kept += w
		}
	}
	if all == 0 {
		return -1
	}
	return 100 * kept / all
}

// Excused reports whether a waiver in files covers the result as it was found.
func Excused(files []*WaiverFile, x *Result, now time.Time) bool {
	_, _, w := findWaiver(files, x, now)
	return w != nil && w.excuses(x)
}

// findWaiver returns the waiver that covers a result: preferably one that names what was
// found, otherwise the first.
func findWaiver(files []*WaiverFile, x *Result, now time.Time) (file, index int, found *Waiver) {
	for i, f := range files {
		for j := range f.Waivers {
			w := &f.Waivers[j]
			if w.Expired(now) || !w.Covers(x.Check) {
				continue
			}
			if w.excuses(x) {
				return i, j, w
			}
			if found == nil {
				file, index, found = i, j, w
			}
		}
	}
	return file, index, found
}

// Waive applies waivers to the results. A check that failed as a waiver says becomes
// Waived; one that passed although a waiver says that it fails becomes UnexpectedPass; one
// that failed differently keeps its verdict, and says how its failure changed. A waiver
// that excuses nothing although its checks ran is stale, as its WaiverUse says. suite has
// the names of all checks, and run has those of this run's checks.
func (r *Report) Waive(files []*WaiverFile, now time.Time, suite, run []string) {
	r.Waivers = nil
	uses := make(map[[2]int]*WaiverUse)
	var all []*WaiverUse
	for i, f := range files {
		for j := range f.Waivers {
			w := &f.Waivers[j]
			use := &WaiverUse{Waiver: *w, File: f.Name, Ships: f.Ships, Excused: []string{}}
			switch {
			case w.Expired(now):
				use.Problem = "expired on " + w.Expires
			case len(suite) > 0 && !slices.ContainsFunc(suite, w.Covers):
				use.Problem = "it covers no check of the suite"
			case len(run) > 0 && !slices.ContainsFunc(run, w.Covers):
				continue // its checks were not part of this run
			}
			uses[[2]int{i, j}] = use
			all = append(all, use)
		}
	}
	for k := range r.Results {
		x := &r.Results[k]
		i, j, w := findWaiver(files, x, now)
		if w == nil {
			continue
		}
		use := uses[[2]int{i, j}]
		if use != nil {
			use.seen = append(use.seen, x.Verdict)
		}
		switch {
		case x.Verdict == Pass && w.excuses(x):
		case x.Verdict == Pass:
			x.Found, x.Verdict, x.Waiver = Pass, UnexpectedPass, w
			x.Failures = []string{fmt.Sprintf("passed, but the waiver in %s expects %v: the waiver is out of date", files[i].Name,
				w.Verdicts)}
		case w.excuses(x):
			x.Found, x.Verdict, x.Waiver = x.Verdict, Waived, w
			if use != nil {
				use.Excused = append(use.Excused, x.Check)
			}
		case x.Verdict.Failed() || x.Verdict == Flaky:
			x.Changed = w.change(files[i].Name, x)
		}
	}
	for _, use := range all {
		if use.Problem == "" {
			use.Problem = use.stale()
		}
		r.Waivers = append(r.Waivers, *use)
	}
}
