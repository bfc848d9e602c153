// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package report

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/purepjrt/purepjrt/internal/outside"
)

// Code hosts limit the size of comments, GitHub to 65,536 characters.
const (
	maxMarkdown  = 50     // results that a list describes in full
	markdownSize = 56_000 // bytes after which lists end
	maxFound     = 5      // failures of one result
)

// WriteMarkdown writes the report as Markdown for a pull request.
func (r *Report) WriteMarkdown(out io.Writer) error {
	out = outside.Writer(out)
	w := new(bytes.Buffer)
	fmt.Fprintf(w, "## PJRT conformance: %s\n\n", inline(r.Sentence()))
	fmt.Fprintf(w, "%s; suite %s (PJRT API %s)%s, profile %s, %v\n\n", inline(r.Plugin.describe()), inline(r.Suite.Version), r.Suite.API,
		r.Run.judgedBy(), r.Run.Profile, r.Duration.Round(100*time.Millisecond))
	if r.Plugin.SHA256 != "" {
		fmt.Fprintf(w, "SHA-256 %s\n\n", code(r.Plugin.SHA256))
	}
	if r.Run.NoDevice != "" {
		fmt.Fprintf(w, "No device was used: %s\n\n", inline(r.Run.Ahead()))
	}
	if r.Run.Artifacts != "" {
		fmt.Fprintf(w, "Programs were %s\n\n", inline(r.Run.Sent()))
	}
	if text := r.unjudged(); text != "" {
		fmt.Fprintf(w, "%s.\n\n", inline(text))
	}
	if r.Programs != nil {
		r.Programs.writeMarkdown(w)
	} else {
		r.markdownLevels(w)
	}
	r.markdownLeads(w)
	for i, b := range r.Blocks {
		if i == 0 {
			fmt.Fprint(w, "\nBlocked checks, which need functions that do not work:\n\n| Checks | By the failure of | Why |\n|---:|---|---|\n")
		}
		if i < maxCauses {
			fmt.Fprintf(w, "| %d | %s | %s |\n", len(b.Blocked), b.Check, inline(b.why()))
		}
	}
	for i, c := range r.Causes {
		if i == 0 {
			fmt.Fprint(w, "\nThe most frequent causes:\n\n| Checks | Cause |\n|---:|---|\n")
		}
		if i < maxCauses {
			fmt.Fprintf(w, "| %d | %s |\n", len(c.Checks), inline(c.Text))
		}
	}
	r.markdownSkew(w)
	r.markdownList(w, "Failures", func(x *Result) bool { return x.Broken() && x.Verdict != Flaky })
	r.markdownList(w, "Flaky", func(x *Result) bool { return x.Verdict == Flaky })
	r.markdownList(w, "Warnings", func(x *Result) bool { return x.noteworthy() && !x.Broken() && x.Verdict != Flaky })
	if by := r.waivedBy(); by != "" {
		fmt.Fprintf(w, "\nWaived: %s %s.\n", count(r.Summary.Checks.Waived, "failure"), inline(by))
	}
	r.markdownList(w, "Waived", func(x *Result) bool { return x.Verdict == Waived })
	for i, p := range r.Problems {
		if i == maxMarkdown || w.Len() > markdownSize {
			fmt.Fprintf(w, "* and %d more\n", len(r.Problems)-i)
			break
		}
		if i == 0 {
			fmt.Fprint(w, "\n### Problems outside any check\n\n")
		}
		fmt.Fprintf(w, "* %s\n", inline(p))
	}
	_, err := out.Write(w.Bytes())
	return err
}

func (r *Report) markdownLevels(w io.Writer) {
	fmt.Fprint(w, "| Level | State | Pass | Fail | Warn | Waived | Blocked | Skipped |\n|---|---|---:|---:|---:|---:|---:|---:|\n")
	for _, l := range r.Levels {
		c := l.Counts
		state := string(l.State)
		if l.Reason != "" {
			state += ": " + l.Reason
		}
		fmt.Fprintf(w, "| %s | %s | %d | %d | %d | %d | %d | %d |\n", l.Name, inline(state), c.Pass, c.Fail, c.Warn, c.Waived, c.Blocked,
			c.Skipped)
	}
	fmt.Fprintf(w, "\n%s", &r.Summary.Rules)
	if r.Summary.Quality >= 0 {
		fmt.Fprintf(w, "; quality %d of 100", r.Summary.Quality)
	}
	fmt.Fprint(w, "\n")
}

// markdownLeads writes what to mend first.
func (r *Report) markdownLeads(w io.Writer) {
	if len(r.Leads) == 0 {
		return
	}
	fmt.Fprint(w, "\n### Begin with\n\n")
	for i := range r.Leads {
		l := &r.Leads[i]
		x := r.Result(l.Check)
		fmt.Fprintf(w, "%d. **%s**: %s\n", i+1, inline(l.what()), r.frees(l))
		for j, f := range l.Findings {
			if j == maxFindings {
				fmt.Fprintf(w, "   * and %s\n", count(len(l.Findings)-j, "more finding"))
				break
			}
			fmt.Fprintf(w, "   * %d× %s\n", len(f.Checks), inline(f.Text))
		}
		fmt.Fprintf(w, "   * %s (%s, from: %s) says: %s\n", x.Check, x.Severity, x.Basis, inline(x.Text))
		if c := r.command(l); c != "" {
			fmt.Fprintf(w, "   * %s\n", code(c))
		}
	}
}

// markdownSkew writes the matrix of older and newer callers: the structs that grew with
// their sizes, and other structs with which something does not work.
func (r *Report) markdownSkew(w io.Writer) {
	m := r.SkewMatrix()
	if len(m.Rows) == 0 && len(m.Same) == 0 {
		return
	}
	fmt.Fprint(w, "\n<details><summary>Older and newer callers</summary>\n\n✓ works, – rejected, as the plugin may, ✗ goes wrong; sizes in bytes, with the API versions of the callers.\n\n| Struct | Sizes |\n|---|---|\n")
	for _, row := range m.Rows {
		var sizes []string
		for _, c := range row.Cells {
			if c.Skew != nil {
				sizes = append(sizes, fmt.Sprintf("%s %d (%s)", c.Sign(), c.Size, c.Callers))
			}
		}
		fmt.Fprintf(w, "| %s | %s |\n", inline(row.Struct), strings.Join(sizes, " · "))
	}
	fmt.Fprintf(w, "\n%s never grew", count(len(m.Same), "struct"))
	if bad := m.BadNames(); len(bad) > 0 {
		fmt.Fprintf(w, "; trouble with %s", inline(strings.Join(bad, ", ")))
	}
	fmt.Fprint(w, ".\n\n</details>\n")
}

func (r *Report) markdownList(w *bytes.Buffer, title string, is func(*Result) bool) {
	var list []*Result
	for i := range r.Results {
		if is(&r.Results[i]) {
			list = append(list, &r.Results[i])
		}
	}
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(w, "\n<details><summary>%s: %d</summary>\n\n", title, len(list))
	for i, x := range list {
		if i == maxMarkdown || w.Len() > markdownSize {
			fmt.Fprintf(w, "* and %d more, which are in the other forms of the report\n", len(list)-i)
			break
		}
		fmt.Fprintf(w, "* **%s** %s (%s, %s): %s\n", x.Check, x.Verdict, x.Severity, x.Basis, inline(x.Text))
		findings := x.findings()
		for j, f := range findings {
			if j == maxFound {
				fmt.Fprintf(w, "  * and %d more\n", len(findings)-j)
				break
			}
			fmt.Fprintf(w, "  * %s\n", inline(f))
		}
		if len(x.Calls) > 0 {
			fmt.Fprintf(w, "  * the last call: %s\n", inline(x.Calls[0]))
		}
		if x.Death != nil {
			for _, f := range x.Death.Frames {
				fmt.Fprintf(w, "  * in %s\n", inline(f))
			}
			if n := len(x.Death.Output); n > 0 {
				fmt.Fprintf(w, "  * last line of output: %s\n", inline(x.Death.Output[n-1]))
			}
		}
		if x.Unlisted {
			fmt.Fprintf(w, "  * %s\n", unlisted)
		}
		if x.Changed != "" {
			fmt.Fprintf(w, "  * changed: %s\n", inline(x.Changed))
		}
		if x.Waiver != nil {
			fmt.Fprintf(w, "  * waiver: %s %s\n", inline(x.Waiver.Reason), x.Waiver.Link)
		}
		if x.Reproduce != "" {
			fmt.Fprintf(w, "  * %s\n", code(x.Reproduce))
		}
	}
	fmt.Fprint(w, "\n</details>\n")
}

// inline makes text of the plugin safe within a line of Markdown.
func inline(s string) string {
	s = printable(strings.Join(strings.Fields(s), " "))
	if len(s) > 500 {
		s = strings.ToValidUTF8(s[:500], "") + " ..."
	}
	var b strings.Builder
	for _, c := range s {
		switch {
		case c == '<':
			b.WriteString("&lt;")
		case c == '&':
			b.WriteString("&amp;")
		case slices.Contains([]rune("\\`*_[]|#~"), c):
			b.WriteRune('\\')
			b.WriteRune(c)
		case c == '@': // no mention of people
			b.WriteString("@\u200b")
		default:
			b.WriteRune(c)
		}
	}
	return b.String()
}

// code makes a code span of s, whatever characters it has.
func code(s string) string {
	s = printable(s)
	fence := "`"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	if len(fence) > 1 {
		return fence + " " + s + " " + fence
	}
	return fence + s + fence
}
