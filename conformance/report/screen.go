// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	usualColumns = 100 // of text that is not written to a terminal
	maxFindings  = 2   // of a lead
	maxLines     = 8   // of a list of rules
	leastRoom    = 20  // for a finding, in characters
)

func (t Text) columns() int {
	if t.Columns > 0 {
		return t.Columns
	}
	return usualColumns
}

// paragraph writes text after a beginning, and breaks lines between words. The lines after the
// first are indented.
func (t Text) paragraph(w io.Writer, begin string, indent int, text string) {
	line := begin
	used := utf8.RuneCountInString(strings.TrimLeft(begin, "\n"))
	first := true
	for _, word := range strings.Fields(printable(text)) {
		n := utf8.RuneCountInString(word)
		switch {
		case first:
		case used+1+n > t.columns():
			fmt.Fprintln(w, line)
			line, used = strings.Repeat(" ", indent), indent
		default:
			line, used = line+" ", used+1
		}
		line, used, first = line+word, used+n, false
	}
	fmt.Fprintln(w, line)
}

// clip makes one line of text with at most the given number of characters.
func clip(text string, most int) string {
	runes := []rune(printable(strings.Join(strings.Fields(text), " ")))
	if len(runes) <= most {
		return string(runes)
	}
	return string(runes[:most-3]) + "..."
}

// found says in a line what a result found.
func (x *Result) found() string {
	if x.Death != nil && x.Death.Signal != "" && len(x.Calls) > 0 {
		return x.Death.Signal + "; the last call was " + x.Calls[0]
	}
	if c := x.cause(); c != "" {
		return c
	}
	return x.headline()
}

// showsLeads reports whether there are so many failures that a reader needs to be told with which
// to begin.
func (r *Report) showsLeads() bool { return r.broken() > maxLeads }

// leads writes what to mend first.
func (t Text) leads(r *Report, w io.Writer) {
	if !r.showsLeads() {
		return
	}
	for i := range r.Leads {
		l := &r.Leads[i]
		if i == 0 {
			fmt.Fprint(w, "\nbegin with:\n")
		}
		t.paragraph(w, fmt.Sprintf("%d. ", i+1), 3, fmt.Sprintf("%s: %s", shorten(l.what(), causeLength), l.frees()))
		for j, f := range l.Findings {
			name := "found"
			if j > 0 {
				name = ""
			}
			if j == maxFindings {
				fmt.Fprintf(w, "   %-6s and %s\n", "", count(len(l.Findings)-j, "more finding"))
				break
			}
			t.paragraph(w, fmt.Sprintf("   %-6s ", name), 10, fmt.Sprintf("%dx %s", len(f.Checks), shorten(f.Text, causeLength)))
		}
		x := r.Result(l.Check)
		t.paragraph(w, "   rule   ", 10, fmt.Sprintf("%s (%s, from: %s): %s", x.Check, x.Severity, x.Basis, x.Text))
		if x.Reproduce != "" {
			fmt.Fprintf(w, "   try    %s\n", printable(x.Reproduce))
		}
		switch {
		case l.Program != "" && t.All:
			fmt.Fprintf(w, "   in C:\n%s", printable(l.Program))
		case i == 0:
			for j, line := range l.call(false) {
				name := "in C"
				if j > 0 {
					name = ""
				}
				t.paragraph(w, fmt.Sprintf("   %-6s ", name), 12, line)
			}
		}
	}
}

// frees says what mending a lead changes.
func (l *Lead) frees() string {
	return "mending it frees up to " + count(len(l.Results), "result")
}

// lines writes a line for each rule that is broken. Where all failures are written in full, and for
// those that depend on a lead, that is not needed.
func (t Text) lines(r *Report, w io.Writer) {
	if r.inFull(t) {
		return
	}
	led := r.led()
	for _, list := range []struct {
		title string
		is    func(*Result) bool
	}{
		{"other failures", func(x *Result) bool { return x.Broken() && !led[x.Check] }},
		{"other warnings", func(x *Result) bool {
			return x.noteworthy() && !x.Broken() && x.Verdict != BrokenCheck && !led[x.Check]
		}},
		{"broken checks", func(x *Result) bool { return x.Verdict == BrokenCheck }},
	} {
		lines := r.ruleLines(list.is)
		if len(lines) == 0 {
			continue
		}
		fmt.Fprintf(w, "\n%s, by rule:\n", list.title)
		for i, l := range lines {
			if i == maxLines {
				fmt.Fprintf(w, "  and %s\n", count(len(lines)-i, "more rule"))
				break
			}
			many := ""
			if l.of > 1 {
				many = fmt.Sprintf(" %d of %d checks:", l.checks, l.of)
			}
			begin := fmt.Sprintf("  %-16s ", l.name())
			verdict := fmt.Sprintf("%-7s", l.Verdict)
			room := max(leastRoom, t.columns()-utf8.RuneCountInString(begin+verdict+many)-1)
			fmt.Fprintf(w, "%s%s%s %s\n", begin, t.paint(kindOf(*l.Result), verdict), many, clip(l.found(), room))
		}
	}
}

// blocks writes what failures block, except where a lead says it.
func (t Text) blocks(r *Report, w io.Writer) {
	led := r.led()
	list := slices.DeleteFunc(slices.Clone(r.Blocks), func(b Block) bool { return r.showsLeads() && led[b.Check] })
	for i, b := range list {
		switch {
		case i == 0:
			fmt.Fprint(w, "\nblocked checks, which need functions that do not work:\n")
		case i == maxCauses:
			fmt.Fprintf(w, "        and those of %d more\n", len(list)-i)
		}
		if i < maxCauses {
			t.paragraph(w, fmt.Sprintf("  %4d  ", len(b.Blocked)), 8, fmt.Sprintf("by %s, which failed: %s", b.Check, b.names()))
		}
	}
}

// causes writes what several failures have in common.
func (t Text) causes(r *Report, w io.Writer) {
	if t.Most > 0 && r.Programs == nil {
		return // the leads are enough
	}
	for i, c := range r.Causes {
		switch {
		case i == 0:
			fmt.Fprint(w, "\nthe most frequent causes:\n")
		case i == maxCauses:
			fmt.Fprintf(w, "        and %d more\n", len(r.Causes)-i)
		}
		if i < maxCauses {
			t.paragraph(w, fmt.Sprintf("  %4d  ", len(c.Checks)), 8, shorten(c.Text, causeLength))
		}
	}
}
