// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package cli

import (
	"bytes"
	"io"
	"strings"
	"text/tabwriter"
)

// Table is text in columns, the last of which may be long. The first row has the column headings.
type Table [][]string

// Write prints the table, or, on a terminal that is too narrow for it, a list for each row. It
// quotes what cannot be part of a cell.
func (t Table) Write(w io.Writer) error {
	t = t.printable()
	var text bytes.Buffer
	tw := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	for _, row := range t {
		io.WriteString(tw, strings.Join(row, "\t")+"\n")
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	if TerminalOf(w) != nil {
		for line := range strings.Lines(text.String()) {
			if TextWidth(strings.TrimSuffix(line, "\n")) > Columns(w) {
				return t.writeLists(w)
			}
		}
	}
	_, err := w.Write(text.Bytes())
	return err
}

func (t Table) printable() Table {
	rows := make(Table, len(t))
	for i, row := range t {
		for _, cell := range row {
			rows[i] = append(rows[i], Cell(cell))
		}
	}
	return rows
}

func (t Table) writeLists(w io.Writer) error {
	var text bytes.Buffer
	tw := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	for i, row := range t[1:] {
		if i > 0 {
			io.WriteString(tw, "\n")
		}
		io.WriteString(tw, row[0]+"\n")
		for j, cell := range row[1:] {
			io.WriteString(tw, "  "+strings.ToLower(t[0][j+1])+"\t"+cell+"\n")
		}
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	_, err := w.Write(text.Bytes())
	return err
}
