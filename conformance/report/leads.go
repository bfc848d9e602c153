// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package report

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/describe"
	"github.com/purepjrt/purepjrt/internal/excerpt"
)

// Lead is what to mend first, as far as the findings tell: a function, or whatever else several
// failures have in common.
type Lead struct {
	// Function is the C function that does not do what it should, or empty if the findings do
	// not tell.
	Function string `json:"function,omitempty"`
	// Field is the field of the function's arguments that is wrong, if a finding names one.
	Field string `json:"field,omitempty"`
	// Check is the failure that shows it best.
	Check string `json:"check"`
	// Program is a program in C that makes the call of the function in the check that shows it
	// best, and prints the field. It is empty if the check calls nothing of the kind.
	Program string `json:"program,omitempty"`
	// Findings are what was found, the most frequent first.
	Findings []Cause `json:"findings"`
	// Results are the results that depend on it: failures with these findings, and what they
	// block.
	Results []string `json:"results"`
}

// maxLeads is how many causes a reader is told to begin with.
const maxLeads = 3

// mostLeads limits the leads that are read: a newer suite may write more of them.
const mostLeads = 100

// checkLeads returns an error if what leads refer to is not in the report, which its pages show.
func (r *Report) checkLeads() error {
	if len(r.Leads) > mostLeads {
		return fmt.Errorf("it has %d leads, of at most %d", len(r.Leads), mostLeads)
	}
	results := r.byCheck()
	for _, l := range r.Leads {
		if len(l.Findings) == 0 {
			return fmt.Errorf("the lead %q has no finding", excerpt.Of(l.Check))
		}
		for _, check := range append([]string{l.Check}, l.Results...) {
			if results[check] == nil {
				return fmt.Errorf("a lead names %q, of which there is no result", excerpt.Of(check))
			}
		}
	}
	return nil
}

var (
	functionName = regexp.MustCompile(`\bPJRT_\w+`)
	// fieldName matches the field at the beginning of a finding, such as that of
	// "device_complete_events[0]: expected an event, got null", and of "dst_size of i16[2 3]".
	fieldName = regexp.MustCompile(`^([a-z]+(?:_[a-z]+)+)(?:\[\d+\])?(?:: | of )`)
)

// summarizeLeads finds what to mend first: the causes of failures, where those of one function are
// one, in the order of how many results depend on each.
func (r *Report) summarizeLeads() {
	type group struct {
		text    string
		results []*Result
	}
	var groups []*group
	byText := make(map[string]*group)
	for i := range r.Results {
		x := &r.Results[i]
		c := x.cause()
		if c == "" || !x.noteworthy() || x.Verdict == BrokenCheck {
			continue
		}
		if byText[c] == nil {
			byText[c] = &group{text: c}
			groups = append(groups, byText[c])
		}
		byText[c].results = append(byText[c].results, x)
	}
	var leads []*Lead
	byKey, byCheck, byAnswer := make(map[string]*Lead), make(map[string]*Lead), make(map[string]string)
	for _, g := range groups {
		if !slices.ContainsFunc(g.results, (*Result).Broken) {
			continue
		}
		f := functionOf(g.text, g.results)
		key := f
		if f == "" {
			key = "\x00" + g.text
		}
		// Functions that answer alike in checks of one rule share a cause, such as the compiler's.
		if answer, ok := strings.CutPrefix(g.text, f+": "); ok && f != "" {
			alike := g.results[0].Rule + "\x00" + answer
			if first, ok := byAnswer[alike]; ok {
				key = first
			} else {
				byAnswer[alike] = key
			}
		}
		l := byKey[key]
		if l == nil {
			l = &Lead{Function: f}
			byKey[key] = l
			leads = append(leads, l)
		}
		found := Cause{Text: g.text}
		for _, x := range g.results {
			found.Checks = append(found.Checks, x.Check)
			byCheck[x.Check] = l
		}
		l.Findings = append(l.Findings, found)
	}
	for i := range r.Results {
		x := &r.Results[i]
		l := byCheck[x.Check]
		if l == nil && x.Verdict == Blocked {
			l = byCheck[x.BlockedBy]
		}
		if l != nil {
			l.Results = append(l.Results, x.Check)
		}
	}
	r.Leads = nil
	results := r.byCheck()
	for _, l := range leads {
		slices.SortStableFunc(l.Findings, func(a, b Cause) int { return len(b.Checks) - len(a.Checks) })
		l.showBest(results)
		r.Leads = append(r.Leads, *l)
	}
	slices.SortStableFunc(r.Leads, func(a, b Lead) int { return len(b.Results) - len(a.Results) })
	r.Leads = r.Leads[:min(len(r.Leads), maxLeads)]
}

// functionOf returns the function that results with the same finding have in common: the one that
// the finding names, or else the only one without which the checks cannot do, or else the one that
// most of their rules are about. It returns "" if there is none.
func functionOf(text string, results []*Result) string {
	if len(results[0].nullSlots()) > 1 {
		return "" // no one of them is all that is wrong
	}
	if f := functionName.FindString(text); f != "" {
		return f
	}
	votes := make(map[string]int)
	for _, x := range results {
		switch f := only(x.Subject); {
		case len(x.Stopped) == 1:
			votes[x.Stopped[0]]++
		case f != "":
			votes[f]++
		}
	}
	for f, n := range votes {
		if 2*n > len(results) {
			return f
		}
	}
	return ""
}

// only returns the C name of the function that is the subject of a rule, or "" if the subject is
// something else.
func only(subject string) string {
	for _, f := range capi.Functions(capi.SectionCore) {
		if f.Name == "PJRT_"+subject {
			return f.Name
		}
	}
	return ""
}

// showBest chooses the failure that shows a lead best: that the function's slot is null, or one
// whose finding names a field, of a rule about the function, with the most frequent finding, that
// binds. If the function fails in checks of other things only, as one that hangs may, a check that
// it blocks shows it better.
func (l *Lead) showBest(results map[string]*Result) {
	best := -1
	frequent := make(map[string]bool)
	for _, c := range l.Findings[0].Checks {
		frequent[c] = true
	}
	for _, name := range l.Results {
		x := results[name]
		q := 0
		field := fieldOf(l.Function, x.headline())
		if x.Rule == slots && functionName.FindString(x.headline()) == l.Function {
			q += 32
		}
		if field != "" {
			q += 16
		}
		if l.Function != "" && about(x, l.Function) {
			q += 8
		}
		if frequent[x.Check] {
			q += 4
		}
		switch {
		case x.Broken():
			q += 3
		case x.Verdict != Blocked:
			q += 2
		}
		if q <= best {
			continue
		}
		best, l.Check, l.Field = q, x.Check, ""
		if about(x, l.Function) {
			l.Field = field
		}
	}
}

// fieldOf returns the field of a function's arguments with which a finding begins, or "".
func fieldOf(function, finding string) string {
	f, m := describe.ByName(function), fieldName.FindStringSubmatch(finding)
	if f == nil || m == nil || f.Args.Field(m[1]) == nil {
		return ""
	}
	return m[1]
}

// command returns the command that runs a check of the lead again. One that was blocked has none.
func (r *Report) command(l *Lead) string {
	results := r.byCheck()
	for _, name := range append([]string{l.Check}, l.Results...) {
		if c := results[name].Reproduce; c != "" {
			return c
		}
	}
	return ""
}

// what names the function and the field of a lead, or else what was found.
func (l *Lead) what() string {
	switch {
	case l.Function == "":
		return l.Findings[0].Text
	case l.Field != "":
		return l.Function + ", field " + l.Field
	}
	return l.Function
}

var (
	structSize = regexp.MustCompile(`\.struct_size = PJRT_\w+_STRUCT_SIZE(?:, )?`)
	longText   = regexp.MustCompile(`("(?:[^"\\]|\\.){48})(?:[^"\\]|\\.)+"`)
	longList   = regexp.MustCompile(`\{((?:[^{},]+, ){3})(?:[^{},]+, ){4,}([^{},]+)\}`)
	checked    = regexp.MustCompile(`check\((.*), "PJRT_\w+"\);$`)
)

// call returns the lines of the program that matter: the call of the function that is at fault, and
// what is printed of it, or, with makers, also those that make its arguments. Sizes of structs,
// most of long texts and lists, and what is done about errors are left out.
func (l *Lead) call(makers bool) []string {
	var lines []string
	seen := false
	for line := range strings.Lines(l.Program) {
		line = strings.TrimSpace(line)
		if !makers && strings.HasPrefix(line, l.Function+"_Args ") {
			seen, lines = true, nil
		}
		if seen && line != "}" {
			line = checked.ReplaceAllString(structSize.ReplaceAllString(line, ""), "$1;")
			if !strings.HasPrefix(line, "printf(") {
				line = longList.ReplaceAllString(longText.ReplaceAllString(line, `$1..."`), "{$1..., $2}")
			}
			lines = append(lines, line)
		}
		seen = seen || strings.HasPrefix(line, "check(api->PJRT_Client_Create(")
	}
	return lines
}

// maxCallLines is how many lines the page has room for before the next lead.
const maxCallLines = 12

// brief returns the lines of the program that matter with those that make their arguments, unless
// these are many.
func (l *Lead) brief() []string {
	if lines := l.call(true); len(lines) <= maxCallLines {
		return lines
	}
	return l.call(false)
}

// led returns the names of all results that depend on the leads.
func (r *Report) led() map[string]bool {
	names := make(map[string]bool)
	for i := range r.Leads {
		for _, n := range r.Leads[i].Results {
			names[n] = true
		}
	}
	return names
}

// ruleLine is the outcome of the checks of one rule that share a verdict and a finding.
type ruleLine struct {
	*Result     // the first of them
	checks  int // how many there are
	of      int // how many checks of the rule ran
}

// maxName is the length of the longest name of a check that a line has room for.
const maxName = 16

// name returns the name of the check if there is only one and it is short, and otherwise that of
// the rule.
func (l *ruleLine) name() string {
	if l.checks == 1 && len(l.Check) <= maxName {
		return l.Check
	}
	return l.Rule
}

// ruleLines returns the results for which is holds, those of a rule with the same verdict in one
// line, the worst verdicts first.
func (r *Report) ruleLines(is func(*Result) bool) []*ruleLine {
	type key struct {
		rule    string
		verdict Verdict
	}
	var list []*ruleLine
	lines, of := make(map[key]*ruleLine), make(map[string]int)
	for i := range r.Results {
		x := &r.Results[i]
		of[x.Rule]++
		if !is(x) {
			continue
		}
		k := key{x.Rule, x.Verdict}
		if lines[k] == nil {
			lines[k] = &ruleLine{Result: x}
			list = append(list, lines[k])
		}
		lines[k].checks++
	}
	for _, l := range list {
		l.of = of[l.Rule]
	}
	slices.SortStableFunc(list, func(a, b *ruleLine) int {
		return slices.Index(Verdicts(), a.Verdict) - slices.Index(Verdicts(), b.Verdict)
	})
	return list
}

// waivedBy says whose waivers excuse how many results, such as "by waivers/cpu.json, which ships
// with the suite".
func (r *Report) waivedBy() string {
	var files []string
	type use struct {
		n     int
		ships bool
	}
	uses := make(map[string]*use)
	for i := range r.Waivers {
		u := &r.Waivers[i]
		if len(u.Excused) == 0 {
			continue
		}
		if uses[u.File] == nil {
			uses[u.File] = &use{ships: u.Ships}
			files = append(files, u.File)
		}
		uses[u.File].n += len(u.Excused)
	}
	var parts []string
	for _, f := range files {
		text := "by " + f
		if len(files) > 1 {
			text = count(uses[f].n, "result") + " " + text
		}
		if uses[f].ships {
			text += ", which ships with the suite"
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "; ")
}

// origin says in the verdict that waivers come from the suite, since the user did not pass them.
func (r *Report) origin() string {
	all, ships := 0, 0
	for i := range r.Waivers {
		n := len(r.Waivers[i].Excused)
		all += n
		if r.Waivers[i].Ships {
			ships += n
		}
	}
	switch {
	case ships == 0:
		return ""
	case ships == all:
		return " by waivers that ship with the suite"
	}
	return ", " + strconv.Itoa(ships) + " of them" + " by waivers that ship with the suite"
}
