// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// ratio formats a number with two significant digits, or three above one.
func ratio(x float64) string {
	switch {
	case x < 0.01:
		return fmt.Sprintf("%.4f", x)
	case x < 0.1:
		return fmt.Sprintf("%.3f", x)
	case x < 10:
		return fmt.Sprintf("%.2f", x)
	}
	return fmt.Sprintf("%.0f", x)
}

// duration formats a time in nanoseconds with three significant digits.
func duration(ns float64) string {
	for _, u := range []struct {
		size float64
		name string
	}{{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}, {1, "ns"}} {
		if ns >= u.size || u.size == 1 {
			x := ns / u.size
			digits := max(0, 2-int(math.Floor(math.Log10(max(x, 1)))))
			return fmt.Sprintf("%.*f %s", digits, x, u.name)
		}
	}
	return ""
}

// size formats a number of bytes with three significant digits.
func size(bytes float64) string {
	for _, u := range []struct {
		size float64
		name string
	}{{1e6, "MB"}, {1e3, "kB"}} {
		if bytes >= u.size {
			return fmt.Sprintf("%.3g %s", bytes/u.size, u.name)
		}
	}
	return fmt.Sprintf("%.0f B", bytes)
}

// spread formats a median with its quartiles.
func spread(q Quartiles, format func(float64) string) string {
	return fmt.Sprintf("%s (%s to %s)", format(q.Median), format(q.Q1), format(q.Q3))
}

// isApart reports whether a row is not in the table of most rows, but in one of its own.
func isApart(r row) bool { return group(r.name) == "growth" || group(r.name) == jobs }

// markdown returns the table of all rows except those that have a table of their own, of which it adds
// that of growth.
// If quartiles is true, it shows the quartiles.
func markdown(results *Results, quartiles bool) string {
	var b strings.Builder
	table(&b, columnsOf(results), func(add func(title string, cells []string)) {
		for _, r := range rows {
			measured := results.row(r.name)
			if measured == nil || isApart(r) {
				continue
			}
			var cells []string
			for _, program := range columnsOf(results) {
				cells = append(cells, cell(r, measured.Cells[program], program, quartiles))
			}
			v, limit := judge(r, measured)
			if v == missed || v == near {
				limit += ": " + string(v)
			}
			add(r.title, append(cells, limit))
		}
	})
	for _, more := range []string{consisting(results), growth(results)} {
		if more != "" {
			b.WriteString("\n" + more)
		}
	}
	return b.String()
}

// columnsOf returns the programs that results has.
func columnsOf(results *Results) []string {
	var present []string
	for _, program := range columns {
		for _, row := range results.Rows {
			if row.Cells[program] != nil {
				present = append(present, program)
				break
			}
		}
	}
	return present
}

func table(b *strings.Builder, programs []string, fill func(add func(title string, cells []string))) {
	b.WriteString("| |")
	for _, p := range programs {
		b.WriteString(" " + titles[p] + " |")
	}
	b.WriteString(" to reach |\n|---|" + strings.Repeat("---|", len(programs)+1) + "\n")
	fill(func(title string, cells []string) {
		b.WriteString("| " + title + " |")
		for _, c := range cells {
			if c != "" {
				b.WriteString(" " + c)
			}
			b.WriteString(" |")
		}
		b.WriteString("\n")
	})
}

// cell formats a time for C and a ratio to C for others, or a time if C does not take part.
func cell(r row, c *Cell, program string, quartiles bool) string {
	if c == nil {
		return ""
	}
	value, format := c.Nanoseconds, r.say
	if program != baseline && c.Ratio != nil {
		value, format = *c.Ratio, ratio
	}
	text := format(value.Median)
	if quartiles {
		text = spread(value, format)
	}
	if c.Allocs != nil && program != baseline {
		text += fmt.Sprintf("; %.0f", *c.Allocs)
		if quartiles && c.Bytes != nil {
			text += fmt.Sprintf(", %.0f B", *c.Bytes)
		}
	}
	return text
}

// consisting returns the table of the parts of the command, the largest first.
func consisting(results *Results) string {
	measured := results.row("tool/size")
	if measured == nil {
		return ""
	}
	var b strings.Builder
	b.WriteString("| part of the command | size |\n|---|---|\n")
	largest := func(a, b string) int {
		return cmp.Or(cmp.Compare(measured.Parts[b], measured.Parts[a]), strings.Compare(a, b))
	}
	for _, name := range slices.SortedFunc(maps.Keys(measured.Parts), largest) {
		fmt.Fprintf(&b, "| %s | %s |\n", name, size(measured.Parts[name]))
	}
	return b.String()
}

// growth returns the table of costs against sizes.
func growth(results *Results) string {
	var b strings.Builder
	for _, s := range series {
		for _, p := range s.params {
			measured := results.row(fmt.Sprintf("growth/%s/%d", s.job, p))
			if measured == nil {
				continue
			}
			ours, c := measured.Cells[viaPjrt], measured.Cells[inC]
			if ours == nil || c == nil {
				continue
			}
			among := 1.0
			if s.of {
				among = float64(p)
			}
			fmt.Fprintf(&b, "| %s | %d | %s | %s | %s |\n", s.title, p, duration(c.Nanoseconds.Median/among),
				duration(ours.Nanoseconds.Median/among), ratio(ours.Ratio.Median))
		}
	}
	if b.Len() == 0 {
		return ""
	}
	return "| cost of one | how many | C | `pjrt` | of C |\n|---|---|---|---|---|\n" + b.String()
}

// behind lists the rows in which another program or the goal is ahead, for readers who skip
// the table.
func behind(results *Results) string {
	var slower, short []string
	for _, r := range rows {
		measured := results.row(r.name)
		if measured == nil || isApart(r) {
			continue
		}
		ours, cgo := measured.Cells[viaPjrt], measured.Cells[viaCgo]
		if ours != nil && cgo != nil && ours.Ratio.Median > cgo.Ratio.Median {
			slower = append(slower, r.title)
		}
		if v, _ := judge(r, measured); v == missed {
			short = append(short, r.title)
		}
	}
	say := func(what string, list []string) string {
		if len(list) == 0 {
			return what + ": none.\n"
		}
		return what + ":\n\n- " + strings.Join(list, "\n- ") + "\n"
	}
	return say("Rows on which `pjrt` is slower than go-xla", slower) + "\n" + say("Rows that miss what they should reach", short)
}

// section returns the text of performance.md between the two marks: all rows.
func section(results *Results) string {
	m := results.Machine
	return fmt.Sprintf("Medians on %s (%d cores); plugin for CPUs, API %s; go-xla %s; %s; JAX %s.\n\n%s\n%s", m.Processor, m.Cores,
		m.Versions["api"], m.Versions[viaCgo], m.Versions["go"], m.Versions[withJAX], markdown(results, false), behind(results))
}

// everyday are the rows and the columns that README.md has.
var (
	everyday        = []string{"work/execute", "work/upload-1KiB", "work/download-1MiB", "many/devices"}
	everydayColumns = []string{inC, viaCgo, viaPjrt, withJAX}
)

// summary returns the text of README.md between the two marks: a few rows, without allocations.
func summary(results *Results) string {
	var b strings.Builder
	b.WriteString("| |")
	for _, program := range everydayColumns {
		b.WriteString(" " + titles[program] + " |")
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(everydayColumns)) + "\n")
	for _, r := range rows {
		measured := results.row(r.name)
		if measured == nil || !slices.Contains(everyday, r.name) {
			continue
		}
		b.WriteString("| " + r.title + " |")
		for _, program := range everydayColumns {
			text, _, _ := strings.Cut(cell(r, measured.Cells[program], program, false), ";")
			b.WriteString(strings.TrimRight(" "+text, " ") + " |")
		}
		b.WriteString("\n")
	}
	return b.String()
}

// passage is the part of a document that shows results, between two marks.
type passage struct {
	begin string
	text  func(*Results) string
}

// pages are the documents that show results, relative to the root, and what each shows.
var pages = map[string][]passage{
	"README.md": {{"<!-- make bench writes what follows -->", summary}},
	"pjrt/docs/performance.md": {
		{"<!-- make bench writes what follows -->", section}, {"<!-- make bench writes the jobs that follow -->", jobsSection},
	},
}

// untilHere ends a passage.
const untilHere = "<!-- until here -->"

// inserted returns the text of a page with the results in it.
func inserted(name, page string, results *Results) (string, error) {
	for _, p := range pages[name] {
		head, rest, ok := strings.Cut(page, p.begin+"\n")
		_, tail, ends := strings.Cut(rest, untilHere)
		if !ok || !ends {
			return "", fmt.Errorf("%s lacks the marks %q and %q, between which the results stand", name, p.begin, untilHere)
		}
		page = head + p.begin + "\n\n" + p.text(results) + "\n" + untilHere + tail
	}
	return page, nil
}
