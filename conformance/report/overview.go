// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package report

import (
	_ "embed"
	"errors"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"github.com/purepjrt/purepjrt/conformance/rules"
	"github.com/purepjrt/purepjrt/internal/outside"
)

//go:embed overview.html
var overviewText string

// overview is what the page of several reports shows.
type overview struct {
	Columns []column
	// Notes say how the runs differ, apart from their plugins.
	Notes []string
	Rows  []overviewRow
	Same  int // rules on which all reports agree
}

// column is a report and what distinguishes it from the others.
type column struct {
	*Report
	Label string
}

// overviewRow is a rule on which the reports differ.
type overviewRow struct {
	Rule  *rules.Rule
	Level string
	Cells []overviewCell
	Fails bool // some plugin breaks it
}

// overviewCell is what one report says about a rule. Class is the class of a result, or
// empty if the report has none.
type overviewCell struct {
	Class, Sign, Title string
}

var overviewPage = newPage(overviewText, template.FuncMap{
	"plugins": func(n int) string { return count(n, "plugin") },
	"short":   func(s string) string { return shorten(s, 80) },
})

// WriteOverview writes one page about several reports, of different plugins or versions:
// the levels that each reaches, and the rules on which they differ. Reports of the same
// platform stand side by side, the oldest API first. Like the page of one report it needs
// no network and no other file. Reports of programs, which reach no level, are refused.
func WriteOverview(out io.Writer, reports []*Report) error {
	out = outside.Writer(out)
	if len(reports) == 0 {
		return errors.New("there are no reports to show")
	}
	for _, r := range reports {
		if r.Programs != nil {
			return fmt.Errorf("the report of %s is about programs: a page of several reports shows the rules of the contract",
				r.Plugin.File)
		}
	}
	return overviewPage.Execute(out, newOverview(reports))
}

func newOverview(reports []*Report) *overview {
	reports = slices.Clone(reports)
	slices.SortStableFunc(reports, func(a, b *Report) int {
		for _, n := range []int{
			strings.Compare(a.Plugin.Platform, b.Plugin.Platform), strings.Compare(a.Plugin.File, b.Plugin.File),
			a.Plugin.Major - b.Plugin.Major, a.Plugin.Minor - b.Plugin.Minor, a.Started.Compare(b.Started),
		} {
			if n != 0 {
				return n
			}
		}
		return 0
	})
	o := &overview{Notes: runNotes(reports)}
	seen := make(map[string]int)
	for _, r := range reports {
		label := r.Plugin.File + " " + r.Plugin.API()
		if seen[label]++; seen[label] > 1 {
			label += fmt.Sprintf(" (%d)", seen[label])
		}
		o.Columns = append(o.Columns, column{r, label})
	}
	byRule := make([]map[string]overviewCell, len(reports))
	for i, r := range reports {
		byRule[i] = r.cells()
	}
	for _, rule := range rules.All() {
		row := overviewRow{Rule: rule}
		classes := make(map[string]bool)
		for i := range reports {
			cell := byRule[i][rule.ID]
			classes[cell.Class] = true
			row.Cells = append(row.Cells, cell)
		}
		row.Fails = classes["fail"]
		if len(classes) == 1 {
			o.Same++
			continue
		}
		row.Level = LevelOf(rule, false)
		o.Rows = append(o.Rows, row)
	}
	return o
}

// badness orders the classes of results: the worst counts.
var badness = map[string]int{"": 0, "skip": 1, "pass": 2, "blocked": 3, "waived": 4, "warn": 5, "fail": 6}

var signs = map[string]string{"": "", "skip": "–", "pass": "✓", "blocked": "∅", "waived": "(✗)", "warn": "!", "fail": "✗"}

// cells returns what the report says about each rule. The worst check of a rule counts.
func (r *Report) cells() map[string]overviewCell {
	out := make(map[string]overviewCell)
	for i := range r.Results {
		x := &r.Results[i]
		class := kindOf(*x)
		if have, ok := out[x.Rule]; ok && badness[have.Class] >= badness[class] {
			continue
		}
		cell := overviewCell{Class: class, Sign: signs[class], Title: fmt.Sprintf("%s: %s", x.Check, x.Verdict)}
		switch {
		case x.Verdict == Blocked:
			cell.Title += ": " + x.why()
		case len(x.Failures) > 0:
			cell.Title += ": " + x.headline()
		case x.Skip != "":
			cell.Title += ": " + x.Skip
		}
		if x.Changed != "" {
			cell.Title += "; " + x.Changed
		}
		out[x.Rule] = cell
	}
	return out
}

// runNotes says how the runs differ where they should be the same for a comparison.
func runNotes(reports []*Report) []string {
	var notes []string
	differ := func(what string, of func(*Report) string) {
		var values []string
		for _, r := range reports {
			if v := of(r); !slices.Contains(values, v) {
				values = append(values, v)
			}
		}
		if len(values) > 1 {
			notes = append(notes, fmt.Sprintf("The runs differ in %s: %s.", what, strings.Join(values, ", ")))
		}
	}
	differ("the suite", func(r *Report) string { return suiteName(&r.Suite) })
	differ("the profile", func(r *Report) string { return r.Run.Profile })
	differ("the list of checks", func(r *Report) string { return orNone(r.Run.List) })
	differ("the levels", func(r *Report) string {
		if len(r.Run.Levels) == 0 {
			return "all"
		}
		return strings.Join(r.Run.Levels, " ")
	})
	differ("the filter", func(r *Report) string {
		if r.Run.Filter == "" {
			return "none"
		}
		return r.Run.Filter
	})
	return notes
}
