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

// write writes the table, or a sentence for each row if the numbers do not fit side by side.
func (x tallies) write(t Text, w io.Writer) error {
	text, width, err := x.table(t)
	if err == nil && t.Columns > 0 && width > t.Columns {
		text, err = x.sentences(t)
	}
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, text)
	return err
}

// table returns the table, and how wide it is without the notes.
func (x tallies) table(t Text) (text string, width int, err error) {
	var b strings.Builder
	tw := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	if x.levels {
		fmt.Fprintf(tw, "%s\tSTATE\tPASS\tFAIL\tWARN\tWAIVED\tBLOCKED\tSKIPPED\t\n", x.names)
	} else {
		fmt.Fprintf(tw, "%s\tPASS\tFAIL\tWARN\tWAIVED\tSKIPPED\n", x.names)
	}
	for _, row := range x.rows {
		if x.levels {
			fmt.Fprintf(tw, "%s\t%s\t%d\t%d\t%d\t%d\t%d\t%d\t%s\n", row.name, row.state,
				row.Pass, row.Fail, row.Warn, row.Waived, row.Blocked, row.Skipped, row.note)
		} else {
			fmt.Fprintf(tw, "%s\t%d\t%d\t%d\t%d\t%d\n", row.name, row.Pass, row.Fail, row.Warn, row.Waived, row.Skipped)
		}
	}
	if err := tw.Flush(); err != nil {
		return "", 0, err
	}
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	for i, line := range lines {
		if i > 0 && x.rows[i-1].state != "" {
			// Only now, since escape sequences would spoil the widths of columns.
			state := x.rows[i-1].state
			line = strings.Replace(line, string(state), t.paint(stateKind(state), string(state)), 1)
		}
		lines[i] = strings.TrimRight(line, " ")
	}
	return strings.Join(lines, "\n") + "\n", utf8.RuneCountInString(lines[0]), nil
}

// sentences returns a sentence for each row, with the numbers that are not zero.
func (x tallies) sentences(t Text) (string, error) {
	var b strings.Builder
	tw := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, row := range x.rows {
		var parts []string
		if row.state != "" {
			parts = append(parts, t.paint(stateKind(row.state), string(row.state)))
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
		fmt.Fprintf(tw, "%s\t%s%s\n", row.name, text, row.note)
	}
	err := tw.Flush()
	return b.String(), err
}
