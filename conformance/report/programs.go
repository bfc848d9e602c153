// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package report

import (
	"fmt"
	"io"
)

// Programs is the result of a run whose checks were programs: those of a folder or of a
// StableHLO checkout, or those on which two plugins were compared. Such a run says nothing
// about levels.
type Programs struct {
	Folder    string `json:"folder,omitempty"`
	StableHLO string `json:"stablehlo,omitempty"`
	// Against is the plugin with which this one was compared.
	Against string `json:"against,omitempty"`
	// Sets counts the programs by their origin and the form in which they ran.
	Sets []ProgramCount `json:"sets"`
	// Operations and Types count the programs that contain an operation or a type. One
	// program counts for each of its operations and types.
	Operations []ProgramCount `json:"operations"`
	Types      []ProgramCount `json:"types"`
	// Skips counts the skipped programs by reason.
	Skips []SkipCount `json:"skips"`
}

// ProgramCount counts the outcomes of programs that have something in common.
type ProgramCount struct {
	Name   string `json:"name"`
	Counts Counts `json:"counts"`
}

// SkipCount says how many programs were skipped for a reason.
type SkipCount struct {
	Reason string `json:"reason"`
	Count  int    `json:"count"`
}

// noLevel says why there are no levels.
const noLevel = "No level is claimed: the checks were programs, not those of the contract."

// sentence returns the verdict of a run of programs in one sentence.
func (p *Programs) sentence(c Counts) string {
	ran := c.Total() - c.Skipped
	switch bad := c.Fail + c.Warn; {
	case ran == 0:
		return fmt.Sprintf("incomplete: none of %s came to a verdict", count(c.Total(), "program"))
	case p.Against != "" && bad > 0:
		return fmt.Sprintf("the plugins differ on %d of %s", bad, count(ran, "program"))
	case p.Against != "":
		return fmt.Sprintf("the plugins agree on %s", count(ran, "program"))
	case bad > 0:
		return fmt.Sprintf("%d of %s failed", bad, count(ran, "program"))
	case c.Waived > 0:
		return fmt.Sprintf("%s passed, except for %s", count(c.Pass, "program"), count(c.Waived, "waived failure"))
	}
	return fmt.Sprintf("%s passed, none failed", count(c.Pass, "program"))
}

// Failing returns the elements of a list for which not all programs passed.
func Failing(list []ProgramCount) []ProgramCount {
	var bad []ProgramCount
	for _, x := range list {
		if x.Counts.Fail+x.Counts.Warn+x.Counts.Waived > 0 {
			bad = append(bad, x)
		}
	}
	return bad
}

// writeText writes the counts of all sets, and those of operations and types with which a
// program failed.
func (p *Programs) writeText(t Text, w io.Writer) error {
	for _, line := range [][2]string{{"programs", p.Folder}, {"programs", p.StableHLO}, {"against", p.Against}} {
		if line[1] != "" {
			fmt.Fprintf(w, "%-8s %s\n", line[0], line[1])
		}
	}
	for _, table := range []struct {
		title string
		list  []ProgramCount
	}{{"PROGRAMS", p.Sets}, {"WITH THE OPERATION", Failing(p.Operations)}, {"WITH THE TYPE", Failing(p.Types)}} {
		if len(table.list) == 0 {
			continue
		}
		counts := tallies{names: table.title}
		for _, x := range table.list {
			counts.rows = append(counts.rows, tally{name: x.Name, Counts: x.Counts})
		}
		fmt.Fprintln(w)
		if err := counts.write(t, w); err != nil {
			return err
		}
	}
	fmt.Fprintln(w)
	for _, s := range p.Skips {
		fmt.Fprintf(w, "skipped %d: %s\n", s.Count, s.Reason)
	}
	_, err := fmt.Fprintf(w, "%s\n", noLevel)
	return err
}

// writeMarkdown writes all the counts.
func (p *Programs) writeMarkdown(w io.Writer) {
	table := func(title string, list []ProgramCount) {
		if len(list) == 0 {
			return
		}
		fmt.Fprintf(w, "| %s | Pass | Fail | Warn | Waived | Skipped |\n|---|---:|---:|---:|---:|---:|\n", title)
		for _, x := range list {
			c := x.Counts
			fmt.Fprintf(w, "| %s | %d | %d | %d | %d | %d |\n", inline(x.Name), c.Pass, c.Fail, c.Warn, c.Waived, c.Skipped)
		}
		fmt.Fprintln(w)
	}
	if p.Against != "" {
		fmt.Fprintf(w, "Compared with %s.\n\n", inline(p.Against))
	}
	table("Programs", p.Sets)
	fmt.Fprintf(w, "%s\n\n<details><summary>By operation and type</summary>\n\n", noLevel)
	table("With the operation", p.Operations)
	table("With the type", p.Types)
	fmt.Fprint(w, "</details>\n")
	if len(p.Skips) > 0 {
		fmt.Fprint(w, "\n<details><summary>Skipped</summary>\n\n")
		for _, s := range p.Skips {
			fmt.Fprintf(w, "* %d: %s\n", s.Count, inline(s.Reason))
		}
		fmt.Fprint(w, "\n</details>\n")
	}
}
