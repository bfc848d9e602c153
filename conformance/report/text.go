// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/purepjrt/purepjrt/conformance/rules"
	"github.com/purepjrt/purepjrt/internal/outside"
)

// Text has the options of the form for terminals.
type Text struct {
	// All adds skipped and waived checks.
	All bool
	// Colour marks verdicts and states for terminals.
	Colour bool
	// Most limits how many failures are written in full. If there are more, none is: each rule
	// that is broken gets a line. 0 means no limit.
	Most int
	// Columns is the width of the terminal, or 0 for no limit. Tables that are wider become a
	// sentence for each row.
	Columns int
}

// escapes has terminal escape sequences by kind, as the pages call it.
var escapes = map[string]string{
	"pass": "\x1b[32m", "fail": "\x1b[31m", "warn": "\x1b[33m",
	"waived": "\x1b[35m", "blocked": "\x1b[36m", "skip": "\x1b[2m",
}

func (x Text) paint(kind, text string) string {
	if !x.Colour || text == "" {
		return text
	}
	return escapes[kind] + text + "\x1b[0m"
}

// Details describes a result in full, one fact per line.
func (x *Result) Details() string { return Text{}.details(x) }

func (t Text) details(x *Result) string {
	var b strings.Builder
	line := func(name, text string) {
		lines := strings.Split(strings.TrimSuffix(printable(text), "\n"), "\n")
		if text == "" {
			return
		}
		left := 0
		if t.Most > 0 && len(lines) > maxFindingLines {
			lines, left = lines[:maxFindingLines], len(lines)-maxFindingLines
		}
		for i, part := range lines {
			if i > 0 {
				name = ""
			}
			t.fit(&b, fmt.Sprintf("  %-10s ", name), part)
		}
		if left > 0 {
			fmt.Fprintf(&b, "  %-10s and %s, which --verbose writes\n", "", count(left, "more line"))
		}
	}
	fmt.Fprintf(&b, "%s  %s  (%s, from: %s)\n", x.Check, t.paint(kindOf(*x), string(x.Verdict)), x.Severity, x.Basis)
	line("rule", x.Text)
	line("about", x.Subject)
	for _, f := range x.findings() {
		line("found", f)
	}
	if x.Verdict == Blocked {
		line("blocked", x.why())
	}
	if x.Skip != "" && x.Verdict != Blocked {
		line("skipped", x.Skip)
	}
	if len(x.Calls) > 0 {
		line("last calls", strings.Join(x.Calls, ", "))
	}
	if d := x.Death; d != nil {
		for _, f := range d.Frames {
			line("in", f)
		}
		line("output", strings.Join(d.Output, "\n"))
	}
	if len(x.Attempts) > 0 {
		line("attempts", joinVerdicts(x.Attempts))
	}
	for _, n := range x.Notes {
		line("note", n)
	}
	line("digest", x.digestText())
	line("changed", x.Changed)
	if x.Unlisted {
		line("list", unlisted)
	}
	if w := x.Waiver; w != nil {
		line("waiver", w.Reason)
		line("varies", w.Varies)
		line("witness", w.Witness)
		line("link", w.Link)
	}
	if x.Reproduce != "" {
		fmt.Fprintf(&b, "  %-10s %s\n", "reproduce", printable(x.Reproduce)) // in one line, to be copied
	}
	return b.String()
}

// maxFindingLines is how many lines of a finding are written, unless all is: a plugin's error may
// have the stack of a thread.
const maxFindingLines = 8

// findings returns what was expected and what was found, each finding once.
func (x *Result) findings() []string {
	times := make(map[string]int)
	var list []string
	for _, f := range x.Failures {
		if times[f]++; times[f] == 1 {
			list = append(list, f)
		}
	}
	for i, f := range list {
		if n := times[f]; n > 1 {
			list[i] = fmt.Sprintf("%d times: %s", n, f)
		}
	}
	return list
}

func (x *Result) digestText() string {
	if x.Varies {
		return x.Digest + ", and another one in another run"
	}
	return x.Digest
}

// printable escapes characters that would change the state of a terminal.
func printable(s string) string {
	var b strings.Builder
	for _, c := range strings.ToValidUTF8(s, "\uFFFD") {
		switch {
		case c == '\n' || c == '\t' || c >= 0x20 && c < 0x7f || c >= 0xa0:
			b.WriteRune(c)
		default:
			fmt.Fprintf(&b, "\\x%02x", c)
		}
	}
	return b.String()
}

func joinVerdicts(list []Verdict) string {
	var words []string
	for _, v := range list {
		words = append(words, string(v))
	}
	return strings.Join(words, ", ")
}

// MostDetails is the usual Text.Most.
const MostDetails = 5

// WriteText writes a summary for people, and the failures in full if there are only a few. With
// all it writes all failures in full, and skipped and waived checks, too.
func (r *Report) WriteText(out io.Writer, all bool) error {
	t := Text{All: all}
	if !all {
		t.Most = MostDetails
	}
	return t.Write(r, out)
}

// Write writes the failures, in full if they are not too many, and a summary.
func (t Text) Write(r *Report, out io.Writer) error {
	w := bufio.NewWriter(outside.Writer(out))
	for _, x := range r.detailed(t) {
		fmt.Fprint(w, t.details(x))
		if n := r.blocks(x.Check); n > 0 {
			fmt.Fprintf(w, "  %-10s %s\n", "blocks", count(n, "more check"))
		}
		fmt.Fprintln(w)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return t.WriteSummary(r, out)
}

// maxAlike limits how many checks are named after another one.
const maxAlike = 20

// listed names the first elements of a list, and says how many more there are.
func listed(names []string, most int) string {
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// detailed chooses the results that are written in full, the failures first.
func (r *Report) detailed(t Text) []*Result {
	if !r.inFull(t) {
		return nil
	}
	var list, others []*Result
	for i := range r.Results {
		switch x := &r.Results[i]; {
		case x.noteworthy():
			list = append(list, x)
		case t.All && x.Verdict != Pass:
			others = append(others, x)
		}
	}
	return append(list, others...)
}

// inFull reports whether the failures are few enough to be written in full.
func (r *Report) inFull(t Text) bool { return t.Most == 0 || r.broken() <= t.Most }

// broken returns how many results make the plugin not conformant.
func (r *Report) broken() int {
	n := 0
	for i := range r.Results {
		if r.Results[i].Broken() {
			n++
		}
	}
	return n
}

// WriteSummary writes the outcome of the run, and what to do next.
func (t Text) WriteSummary(r *Report, out io.Writer) error {
	w := bufio.NewWriter(outside.Writer(out))
	for _, p := range r.Problems {
		t.paragraph(w, "problem: ", 9, p)
	}
	for _, u := range r.Waivers {
		if u.Problem != "" {
			t.paragraph(w, "", 2, fmt.Sprintf("waiver for %s in %s: %s", u.Check, u.File, u.Problem))
		}
	}
	t.paragraph(w, "plugin   ", 9, r.Plugin.describe())
	if r.Plugin.SHA256 != "" {
		fmt.Fprintf(w, "sha256   %s\n", r.Plugin.SHA256)
	}
	if r.Run.NoDevice != "" {
		t.paragraph(w, "devices  ", 9, "none used: "+r.Run.Ahead())
	}
	if r.Run.Artifacts != "" {
		t.paragraph(w, "programs ", 9, r.Run.Sent())
	}
	if text := r.unjudged(); text != "" {
		t.paragraph(w, "         ", 9, text)
	}
	t.paragraph(w, "suite    ", 9, fmt.Sprintf("purepjrt %s, PJRT API %s%s, profile %s, %s, %v", r.Suite.Version, r.Suite.API,
		r.Run.judgedBy(), r.Run.Profile, count(r.Run.Jobs, "job"), r.Duration.Round(100*time.Millisecond)))
	fmt.Fprintln(w)
	if err := t.outcome(r, w); err != nil {
		return err
	}
	t.leads(r, w)
	t.lines(r, w)
	t.blocks(r, w)
	t.causes(r, w)
	if text := r.skips(); text != "" {
		t.paragraph(w, "\nskipped  ", 9, text)
	}
	if n := r.Summary.Checks.Waived; n > 0 {
		t.paragraph(w, "\nwaived   ", 9, strings.TrimSuffix(count(n, "failure")+" "+r.waivedBy(), " "))
	}
	if len(r.Flaky) > 0 {
		t.paragraph(w, "\nflaky    ", 9, "since the verdict differs from run to run: "+listed(r.Flaky, maxAlike))
	}
	var sentence strings.Builder
	t.paragraph(&sentence, "", 0, r.Sentence())
	fmt.Fprintf(w, "\n%s\n", t.paint(outcomeKind(r.Verdict), strings.TrimSuffix(sentence.String(), "\n")))
	for _, a := range r.Advice() {
		t.paragraph(w, "next: ", 6, a)
	}
	return w.Flush()
}

// outcome writes the outcome in numbers.
func (t Text) outcome(r *Report, w io.Writer) error {
	if r.Programs != nil {
		return r.Programs.writeText(t, w)
	}
	if err := t.levels(r, w); err != nil {
		return err
	}
	text := r.Summary.Rules.String()
	if r.Summary.Quality >= 0 {
		text += fmt.Sprintf("; quality %d of 100", r.Summary.Quality)
	}
	t.paragraph(w, "\n", 2, text)
	return nil
}

const (
	maxCauses   = 8
	causeLength = 300
)

// shorten cuts s to about n bytes, if possible between words.
func shorten(s string, n int) string {
	if len(s) <= n {
		return s
	}
	s = strings.ToValidUTF8(s[:n], "")
	if at := strings.LastIndexByte(s, ' '); at > n/2 {
		s = s[:at]
	}
	return s + " ..."
}

// levels writes the table of levels and severities.
func (t Text) levels(r *Report, w io.Writer) error {
	table := tallies{names: "LEVEL", levels: true}
	for _, l := range r.Levels {
		table.rows = append(table.rows, tally{l.Name, l.State, l.Counts, printable(strings.Join(strings.Fields(l.Reason), " "))})
	}
	for _, s := range rules.Severities() {
		n := r.Summary.Rules.BySeverity[s]
		if n == 0 {
			continue // the reader has more to read
		}
		note := "of " + count(n, "rule")
		table.rows = append(table.rows, tally{string(s), "", r.Summary.Severities[s], note})
	}
	return table.write(t, w)
}

// noteworthy reports whether the reader should see the result without asking for it.
func (x *Result) noteworthy() bool {
	return x.Verdict == BrokenCheck || x.Verdict != Pass && x.Verdict != Waived && x.judged()
}

// Sentence returns the verdict in one sentence.
func (r *Report) Sentence() string {
	if r.Run.Shard != "" {
		return "part " + r.Run.Shard + ": " + r.sentence()
	}
	return r.sentence()
}

func (r *Report) sentence() string {
	c := r.Summary.Checks
	if r.Programs != nil && !r.Run.Interrupted {
		return r.Programs.sentence(c)
	}
	switch r.Verdict {
	case Conformant:
		return fmt.Sprintf("conformant%s: %s passed, no binding check failed", r.Run.with(), count(c.Pass, "check"))
	case WithWaivers:
		return fmt.Sprintf("conformant%s except for %s%s: %s passed", r.Run.with(), count(c.Waived, "waived failure"),
			r.origin(), count(c.Pass, "check"))
	case NotConformant:
		failed := count(r.broken(), "check") + " failed"
		if c.Blocked > 0 {
			failed += " and blocked " + count(c.Blocked, "other")
		}
		return fmt.Sprintf("not conformant%s: %s, %d passed", r.Run.with(), failed, c.Pass)
	}
	if r.Run.Interrupted {
		return fmt.Sprintf("incomplete: interrupted with %s left", count(r.Run.Left, "check"))
	}
	if n := r.Summary.Verdicts[BrokenCheck]; n > 0 && c.Pass > 0 {
		return fmt.Sprintf("incomplete: %s broken, which is the suite's fault; %d passed, and none failed", areBroken(n), c.Pass)
	}
	return "incomplete: no check came to a verdict"
}

func areBroken(n int) string {
	if n == 1 {
		return "1 check is"
	}
	return fmt.Sprintf("%d checks are", n)
}

// count puts a number before a noun.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// describe describes the plugin in a line.
func (p *Plugin) describe() string {
	s := p.File
	if p.Platform != "" {
		s += ", platform " + p.Platform
	}
	if p.Major != 0 || p.Minor != 0 {
		s += ", PJRT API " + p.API()
	}
	return s
}

// identify describes the plugin in a line, with the beginning of the digest of its file.
func (p *Plugin) identify() string {
	if p.SHA256 == "" {
		return p.describe()
	}
	return p.describe() + ", sha256 " + p.SHA256[:12]
}
