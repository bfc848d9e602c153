// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package report

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/purepjrt/purepjrt/conformance/rules"
)

// Block is a failure that keeps other checks from running to their end.
type Block struct {
	Check     string   `json:"check"`     // that failed
	Functions []string `json:"functions"` // that do not work; all null ones if the check is the one about slots
	Blocked   []string `json:"blocked"`   // the other checks
	// Reason is what the first of the other checks found, if no function says why they are blocked.
	Reason string `json:"reason,omitempty"`
}

// slots is the rule that no slot of the table is null.
const slots = "LOAD-08"

// nullSlots returns the functions whose slots are null, as far as the rule about slots names them.
func (x *Result) nullSlots() []string {
	var names []string
	for _, f := range x.Failures {
		if name := functionName.FindString(f); x.Rule == slots && name != "" {
			names = append(names, name)
		}
	}
	return names
}

// Block makes those results Blocked that stopped at functions which never worked in the run,
// except for the first failure that each such function causes. For a null slot that is the
// failure of the rule about slots. A failure that only says that the plugin does not offer a
// function which the rule does not judge is none: it becomes SkipUnimpl, or Blocked if a rule about
// the function fails. Waivers must be applied before.
func (r *Report) Block() {
	var all []*Result
	worst := r.worst()
	for i := range r.Results {
		x := &r.Results[i]
		all = append(all, x)
		if text := x.notOffered(); text != "" {
			x.Found, x.Verdict, x.Skip = x.Verdict, SkipUnimpl, text
		}
		if x.Verdict == Blocked {
			x.BlockedBy = cmp.Or(worst[x.BlockedBy], x.BlockedBy)
		}
	}
	for x, by := range r.Capabilities.Blocks(all) {
		if x.Found == "" {
			x.Found = x.Verdict
		}
		x.Verdict, x.BlockedBy = Blocked, by.Check
	}
}

// unimplemented matches the error of a function that the plugin does not offer.
var unimplemented = regexp.MustCompile(`\b(PJRT_\w+): UNIMPLEMENTED\b[^\n]*`)

// notOffered returns the error for which alone a check failed, if it is that the plugin does not
// offer a function which the rule does not judge.
func (x *Result) notOffered() string {
	if x.Verdict != Fail && x.Verdict != Warn || len(x.Stopped) != 1 {
		return ""
	}
	m := unimplemented.FindStringSubmatch(x.headline())
	if m == nil || m[1] != x.Stopped[0] || about(x, m[1]) || judgesUnimplemented(x.Rule) {
		return ""
	}
	return m[0]
}

// judgesUnimplemented reports whether a rule says when a plugin may answer UNIMPLEMENTED.
func judgesUnimplemented(rule string) bool {
	r := rules.ByID(rule)
	return r != nil && strings.Contains(r.Text+r.How+r.Fault, "UNIMPLEMENTED")
}

// worst returns the name of the check of each rule with the worst verdict. A name that is also that
// of another rule's check is left out.
func (r *Report) worst() map[string]string {
	best := make(map[string]int)
	names := make(map[string]string)
	for i := range r.Results {
		x := &r.Results[i]
		if at := slices.Index(Verdicts(), x.Verdict); names[x.Rule] == "" || at < best[x.Rule] {
			best[x.Rule], names[x.Rule] = at, x.Check
		}
	}
	for i := range r.Results {
		if x := &r.Results[i]; x.Check != x.Rule {
			delete(names, x.Check)
		}
	}
	return names
}

// countsFor returns the level that a result counts for: the one of the failure that blocks it, if
// that is higher. byCheck has all results.
func (x *Result) countsFor(byCheck map[string]*Result) string {
	if x.Verdict == Blocked && height(x.Level) >= 0 {
		if by := byCheck[x.BlockedBy]; by != nil && height(by.Level) > height(x.Level) {
			return by.Level
		}
	}
	return x.Level
}

// height returns the number of a numbered level, or -1 for others.
func height(level string) int {
	if !strings.HasPrefix(level, "L") {
		return -1
	}
	return slices.Index(LevelNames(), level)
}

// Blocks returns the blocked results, each with the failure that blocks it. The results must be
// in the order of the contract.
func (c *Capabilities) Blocks(results []*Result) map[*Result]*Result {
	// The results that stopped at each function, and those of the rule about slots at all.
	stopped := make(map[string][]*Result)
	for _, x := range results {
		for _, f := range x.Stopped {
			stopped[f] = append(stopped[f], x)
		}
	}
	for _, x := range results {
		for _, f := range c.NullSlots {
			if x.Rule == slots {
				stopped[f] = append(stopped[f], x)
			}
		}
	}
	roots := make(map[string]*Result) // by function that never worked
	root := func(f string) *Result {
		if x, ok := roots[f]; ok {
			return x
		}
		roots[f] = c.root(f, stopped[f])
		return roots[f]
	}
	blocked := make(map[*Result]*Result)
	keep := make(map[*Result]bool)
	for _, x := range results {
		for _, f := range x.Stopped {
			if by := root(f); by != nil {
				keep[by] = true
			}
		}
	}
	for _, x := range results {
		if len(x.Stopped) == 0 || keep[x] {
			continue
		}
		works := func(f string) bool { return root(f) == nil }
		switch x.Verdict {
		case SkipAbsent: // usually the plugin is older than the function, which is not a failure
			works = func(f string) bool { return root(f) == nil || !slices.Contains(c.NullSlots, f) }
		case SkipUnimpl: // it may, unless another check fails for that
			works = func(f string) bool { return root(f) == nil || root(f).Verdict == Waived }
		case Fail, Warn:
		default:
			continue
		}
		if !slices.ContainsFunc(x.Stopped, works) {
			blocked[x] = root(x.Stopped[0])
		}
	}
	return blocked
}

// root returns the main failure that a function that never worked causes: preferably of a binding
// rule, and of one about the function, and otherwise the first. It returns nil if the function
// works, or if nothing fails for lack of it.
func (c *Capabilities) root(f string, results []*Result) *Result {
	if slices.Contains(c.Worked, f) {
		return nil
	}
	var best *Result
	quality := 0
	for _, x := range results {
		v := x.Verdict
		if v == Waived {
			v = x.Found
		}
		q := 0
		switch {
		case x.Rule == slots && v == Fail && slices.Contains(c.NullSlots, f):
			return x
		case v != Fail && v != Warn || !slices.Contains(x.Stopped, f):
			continue
		case x.binding():
			q = 2
		}
		if about(x, f) {
			q++
		}
		if best == nil || q > quality {
			best, quality = x, q
		}
	}
	return best
}

// about reports whether the rule of a result names the function.
func about(x *Result, f string) bool { return (&rules.Rule{Subject: x.Subject}).About(f) }

// summarizeBlocks lists what blocks other checks.
func (r *Report) summarizeBlocks() {
	r.Blocks = nil
	at := make(map[string]int)
	type need struct{ check, function string }
	needed := make(map[need]bool)
	for i := range r.Results {
		x := &r.Results[i]
		if x.Verdict != Blocked {
			continue
		}
		n, ok := at[x.BlockedBy]
		if !ok {
			n = len(r.Blocks)
			at[x.BlockedBy] = n
			r.Blocks = append(r.Blocks, Block{Check: x.BlockedBy, Functions: []string{}})
		}
		b := &r.Blocks[n]
		b.Blocked = append(b.Blocked, x.Check)
		if len(x.Stopped) > 0 && !needed[need{b.Check, x.Stopped[0]}] {
			needed[need{b.Check, x.Stopped[0]}] = true
			b.Functions = append(b.Functions, x.Stopped[0])
		}
		if b.Reason == "" && x.foundBlocked() {
			b.Reason = x.Skip
		}
	}
	for i := range r.Blocks {
		if b := &r.Blocks[i]; len(b.Functions) > 0 {
			b.Reason = ""
		}
	}
	slices.SortStableFunc(r.Blocks, func(a, b Block) int { return len(b.Blocked) - len(a.Blocked) })
}

// foundBlocked reports whether a check itself found that it is blocked.
func (x *Result) foundBlocked() bool { return x.Verdict == Blocked && x.Skip != "" && x.Found == "" }

// why says why a blocked check could not run to its end.
func (x *Result) why() string {
	if x.foundBlocked() {
		return "blocked by " + x.BlockedBy + ": " + x.Skip
	}
	text := "blocked by the failure of " + x.BlockedBy
	if len(x.Stopped) > 0 { // a report from outside may lack them
		text += ": it needs " + x.Stopped[0]
	}
	return text
}

// why says why the other checks could not run to their end.
func (b *Block) why() string {
	switch {
	case len(b.Functions) == 0:
		return b.Reason
	case len(b.Blocked) == 1:
		return "it needs " + some(b.Functions)
	}
	return "they need " + some(b.Functions)
}

// NoArtifact is what a check finds whose program is no text that JAX makes an artifact of, on a
// plugin that takes artifacts alone.
const NoArtifact = "the suite has no portable artifact of this program, and the plugin refuses its text"

// unjudged says how many checks came to no verdict since the plugin takes artifacts alone, and why,
// or returns "".
func (r *Report) unjudged() string {
	var checks []string
	for i := range r.Results {
		if x := &r.Results[i]; x.foundBlocked() && strings.HasPrefix(x.Skip, NoArtifact) {
			checks = append(checks, x.Check)
		}
	}
	if len(checks) == 0 {
		return ""
	}
	return fmt.Sprintf("%s no verdict, since the suite has no artifact of the programs: it has none of those that are wrong on purpose, "+
		"that JAX cannot write, whose text differs from run to run, or that are large (%s)", came(len(checks)), some(checks))
}

func came(n int) string {
	if n == 1 {
		return "1 check came to"
	}
	return fmt.Sprintf("%d checks came to", n)
}

// blocks returns how many checks the failure of a check blocks.
func (r *Report) blocks(check string) int {
	for _, b := range r.Blocks {
		if b.Check == check {
			return len(b.Blocked)
		}
	}
	return 0
}
