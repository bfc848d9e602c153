// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/purepjrt/purepjrt/conformance/rules"
)

// Details says everything of a result, one fact a line.
func (x *Result) Details() string {
	var b strings.Builder
	line := func(name, text string) {
		first := true
		for part := range strings.Lines(text) {
			if first {
				fmt.Fprintf(&b, "  %-10s ", name)
				first = false
			} else {
				b.WriteString("             ")
			}
			b.WriteString(strings.TrimRight(part, "\n") + "\n")
		}
	}
	fmt.Fprintf(&b, "%s  %s  (%s, from: %s)\n", x.Check, x.Verdict, x.Severity, x.Basis)
	line("rule", x.Text)
	line("about", x.Subject)
	for _, f := range x.Failures {
		line("found", f)
	}
	if x.Skip != "" {
		line("skipped", x.Skip)
	}
	if len(x.Attempts) > 0 {
		line("attempts", joinVerdicts(x.Attempts))
	}
	if d := x.Death; d != nil {
		for _, f := range d.Frames {
			line("in", f)
		}
		line("output", strings.Join(d.Output, "\n"))
	}
	for _, n := range x.Notes {
		line("note", n)
	}
	if w := x.Waiver; w != nil {
		line("waiver", w.Reason)
		line("link", w.Link)
	}
	if x.Reproduce != "" {
		line("reproduce", x.Reproduce)
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

// WriteText writes a summary for people, and every failure. all adds what was
// skipped and waived.
func (r *Report) WriteText(out io.Writer, all bool) error {
	w := bufio.NewWriter(out)
	for i := range r.Results {
		x := &r.Results[i]
		if x.noteworthy() || all && x.Verdict != Pass {
			fmt.Fprintf(w, "%s\n", x.Details())
		}
	}
	for _, p := range r.Problems {
		fmt.Fprintf(w, "problem: %s\n", p)
	}
	for _, u := range r.Waivers {
		if u.Problem != "" {
			fmt.Fprintf(w, "waiver of %s in %s: %s\n", u.Check, u.File, u.Problem)
		}
	}
	fmt.Fprintf(w, "plugin   %s\n", r.Plugin.describe())
	if r.Run.NoDevice != "" {
		fmt.Fprintf(w, "devices  none used: %s\n", strings.Join(strings.Fields(r.Run.NoDevice), " "))
	}
	fmt.Fprintf(w, "suite    purepjrt %s, PJRT API %s, profile %s, %d jobs, %v\n\n", r.Suite.Version, r.Suite.API, r.Run.Profile, r.Run.Jobs, r.Duration.Round(100*time.Millisecond))
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "LEVEL\tSTATE\tPASS\tFAIL\tWARN\tWAIVED\tSKIPPED\t")
	for _, l := range r.Levels {
		c := l.Counts
		fmt.Fprintf(t, "%s\t%s\t%d\t%d\t%d\t%d\t%d\t%s\n", l.Name, l.State, c.Pass, c.Fail, c.Warn, c.Waived, c.Skipped, l.Reason)
	}
	for _, s := range []rules.Severity{rules.Must, rules.Should, rules.Opt} {
		c := r.Summary.Severities[s]
		fmt.Fprintf(t, "%s\t\t%d\t%d\t%d\t%d\t%d\t%d rules checked\n", s, c.Pass, c.Fail, c.Warn, c.Waived, c.Skipped, r.Summary.Rules.BySeverity[s])
	}
	if err := t.Flush(); err != nil {
		return err
	}
	k := r.Summary.Rules
	fmt.Fprintf(w, "\n%d of %d rules checked (%d have a check), %d kept, %d skipped", k.Checked, k.Total, k.Covered, k.Kept, k.Skipped)
	if r.Summary.Quality >= 0 {
		fmt.Fprintf(w, "; quality %d of 100", r.Summary.Quality)
	}
	fmt.Fprintf(w, "\n%s\n", r.Sentence())
	return w.Flush()
}

// noteworthy reports whether a reader should see the result unasked.
func (x *Result) noteworthy() bool {
	return x.Verdict != Pass && x.Verdict != Waived && !x.Verdict.Skipped()
}

// Sentence is the verdict in one sentence.
func (r *Report) Sentence() string {
	c := r.Summary.Checks
	switch r.Verdict {
	case Conformant:
		return fmt.Sprintf("conformant: %s passed, none that binds failed", count(c.Pass, "check"))
	case WithWaivers:
		return fmt.Sprintf("conformant but for %s: %s passed", count(c.Waived, "waived failure"), count(c.Pass, "check"))
	case NotConformant:
		n := 0
		for i := range r.Results {
			if r.Results[i].Broken() {
				n++
			}
		}
		return fmt.Sprintf("not conformant: %s failed, %d passed", count(n, "check"), c.Pass)
	}
	if r.Run.Interrupted {
		return fmt.Sprintf("incomplete: interrupted with %s left", count(r.Run.Left, "check"))
	}
	return "incomplete: no check came to a verdict"
}

// count puts a number before a noun.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// describe names the plugin in a line.
func (p *Plugin) describe() string {
	s := p.File
	if p.Platform != "" {
		s += ", platform " + p.Platform
	}
	if p.Major != 0 || p.Minor != 0 {
		s += ", PJRT API " + p.API()
	}
	if p.SHA256 != "" {
		s += ", sha256 " + p.SHA256[:12]
	}
	return s
}
