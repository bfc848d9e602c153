// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package report

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"unicode/utf8"
)

// tallies is a table of the outcomes of groups of checks.
type tallies struct {
	names  string // the heading of the names
	levels bool   // whether the rows are levels, which have states and blocked checks; programs have neither
	rows   []tally
}

// tally is the outcome of a group of checks. State and note may be empty.
type tally struct {
	name  string
	state LevelState
	Counts
	note string
}

// write writes the table. In a terminal that is too narrow for the notes they are below the table,
// and if the numbers do not fit side by side each row becomes a sentence.
func (x tallies) write(t Text, w io.Writer) error {
	text, width, err := x.table(t, true)
	if err == nil && t.Columns > 0 && width > t.Columns {
		var notes strings.Builder
		x.notes(t, &notes)
		text, width, err = x.table(t, false)
		text += notes.String()
	}
	if err == nil && t.Columns > 0 && width > t.Columns {
		text = x.sentences(t)
	}
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, text)
	return err
}

// table returns the table, and how wide it is.
func (x tallies) table(t Text, notes bool) (text string, width int, err error) {
	var b strings.Builder
	tw := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	if x.levels {
		fmt.Fprintf(tw, "%s\tSTATE\tPASS\tFAIL\tWARN\tWAIVED\tBLOCKED\tSKIPPED\t\n", x.names)
	} else {
		fmt.Fprintf(tw, "%s\tPASS\tFAIL\tWARN\tWAIVED\tSKIPPED\n", x.names)
	}
	for _, row := range x.rows {
		note := shorten(row.note, reasonLength)
		if !notes && row.state != "" {
			note = ""
		}
		if x.levels {
			fmt.Fprintf(tw, "%s\t%s\t%d\t%d\t%d\t%d\t%d\t%d\t%s\n", row.name, row.state,
				row.Pass, row.Fail, row.Warn, row.Waived, row.Blocked, row.Skipped, note)
		} else {
			fmt.Fprintf(tw, "%s\t%d\t%d\t%d\t%d\t%d\n", row.name, row.Pass, row.Fail, row.Warn, row.Waived, row.Skipped)
		}
	}
	if err := tw.Flush(); err != nil {
		return "", 0, err
	}
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	for i, line := range lines {
		line = strings.TrimRight(line, " ")
		width = max(width, utf8.RuneCountInString(line))
		if i > 0 && x.rows[i-1].state != "" {
			// Only now, since escape sequences would spoil the widths of columns.
			state := x.rows[i-1].state
			line = strings.Replace(line, string(state), t.paint(stateKind(state), string(state)), 1)
		}
		lines[i] = line
	}
	return strings.Join(lines, "\n") + "\n", width, nil
}

// reasonLength is the length to which the table cuts the reason of a level, if it is beside it.
const reasonLength = 120

// notes writes why levels have their states, those of the same reason in one line.
func (x tallies) notes(t Text, w io.Writer) {
	var order []string
	names := make(map[string][]string)
	for _, row := range x.rows {
		if row.note == "" || row.state == "" {
			continue
		}
		if names[row.note] == nil {
			order = append(order, row.note)
		}
		names[row.note] = append(names[row.note], row.name)
	}
	for _, note := range order {
		begin := fmt.Sprintf("%-8s", strings.Join(names[note], ", ")+": ")
		t.paragraph(w, begin, len(begin), note)
	}
}

// sentences returns a sentence for each row, with the numbers that are not zero.
func (x tallies) sentences(t Text) string {
	var b strings.Builder
	indent := 0
	for _, row := range x.rows {
		indent = max(indent, utf8.RuneCountInString(row.name)+2)
	}
	for _, row := range x.rows {
		var parts []string
		if row.state != "" {
			parts = append(parts, string(row.state))
		}
		for _, c := range []struct {
			n    int
			what string
		}{
			{row.Pass, "passed"}, {row.Fail, "failed"}, {row.Warn, "warned"},
			{row.Waived, "waived"}, {row.Blocked, "blocked"}, {row.Skipped, "skipped"},
		} {
			if c.n > 0 {
				parts = append(parts, fmt.Sprintf("%d %s", c.n, c.what))
			}
		}
		text := strings.Join(parts, ", ")
		if row.note != "" && text != "" {
			text += "; "
		}
		var line strings.Builder
		t.paragraph(&line, fmt.Sprintf("%-*s", indent, row.name), indent, text+row.note)
		b.WriteString(strings.Replace(line.String(), string(row.state), t.paint(stateKind(row.state), string(row.state)), 1))
	}
	return b.String()
}
