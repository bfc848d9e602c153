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

// fit writes a line of text after a beginning. It breaks the line between words only if it is wider
// than the terminal, and indents the rest.
func (t Text) fit(w io.Writer, begin, text string) {
	if t.Columns == 0 || utf8.RuneCountInString(begin+text) <= t.Columns {
		fmt.Fprintln(w, begin+text)
		return
	}
	space := text[:len(text)-len(strings.TrimLeft(text, " \t"))]
	t.paragraph(w, begin+space, utf8.RuneCountInString(begin+space), text)
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

// leads writes what to mend first.
func (t Text) leads(r *Report, w io.Writer) {
	for i := range r.Leads {
		l := &r.Leads[i]
		if i == 0 {
			fmt.Fprint(w, "\nbegin with:\n")
		}
		t.paragraph(w, fmt.Sprintf("%d. ", i+1), 3, fmt.Sprintf("%s: %s", shorten(l.what(), causeLength), r.frees(l)))
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
		if c := r.command(l); c != "" {
			fmt.Fprintf(w, "   try    %s\n", printable(c))
		}
		switch {
		case l.Program != "" && t.Most == 0:
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
func (r *Report) frees(l *Lead) string {
	text := "mending it lets 1 check pass"
	if n := len(l.Results); n > 1 {
		text = fmt.Sprintf("mending it lets up to %d checks pass", n)
	}
	const create = "PJRT_Client_Create"
	if n := r.Summary.Verdicts[SkipEnv]; n > 0 && r.Run.NoDevice != "" &&
		(l.Function == create || l.Function == "" && slices.Contains(r.Result(l.Check).nullSlots(), create)) {
		text += fmt.Sprintf(", and up to %d run that were skipped without a client", n)
	}
	return text
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
			begin, verdict := fmt.Sprintf("  %-16s ", l.name()), fmt.Sprintf("%-7s", l.Verdict)
			var text strings.Builder
			t.paragraph(&text, begin+verdict+many+" ", len(begin+verdict)+1, shorten(l.found(), causeLength))
			fmt.Fprint(w, strings.Replace(text.String(), verdict, t.paint(kindOf(*l.Result), verdict), 1))
		}
	}
}

// blocks writes what failures block, except where a lead says it.
func (t Text) blocks(r *Report, w io.Writer) {
	led := r.led()
	list := slices.DeleteFunc(slices.Clone(r.Blocks), func(b Block) bool { return led[b.Check] })
	for i, b := range list {
		switch {
		case i == 0:
			fmt.Fprint(w, "\nblocked checks, which need functions that do not work:\n")
		case i == maxCauses:
			fmt.Fprintf(w, "        and those of %d more\n", len(list)-i)
		}
		if i < maxCauses {
			t.paragraph(w, fmt.Sprintf("  %4d  ", len(b.Blocked)), 8, fmt.Sprintf("by %s, which failed: %s", b.Check, b.why()))
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
