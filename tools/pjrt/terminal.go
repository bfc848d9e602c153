// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"bytes"
	"io"
	"os"
	"regexp"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"golang.org/x/term"
)

// screen is a terminal. It wraps lines that are wider than the terminal, but never within a word.
type screen struct {
	file    *os.File
	pending []byte // the beginning of a line
}

// onTerminal returns the writer for a file of the process, which may be a terminal.
func onTerminal(f *os.File) io.Writer {
	if term.IsTerminal(int(f.Fd())) {
		return &screen{file: f}
	}
	return f
}

func (s *screen) Write(p []byte) (int, error) {
	s.pending = append(s.pending, p...)
	end := bytes.LastIndexByte(s.pending, '\n') + 1
	if end == 0 {
		return len(p), nil
	}
	var text strings.Builder
	for line := range strings.Lines(string(s.pending[:end])) {
		text.WriteString(wrapLine(strings.TrimSuffix(line, "\n"), columns(s.file)))
		text.WriteByte('\n')
	}
	s.pending = append(s.pending[:0], s.pending[end:]...)
	if _, err := io.WriteString(s.file, text.String()); err != nil {
		return 0, err
	}
	return len(p), nil
}

// finishOutput writes a last line that does not end with a newline.
func finishOutput(w io.Writer) {
	if s, ok := w.(*screen); ok && len(s.pending) > 0 {
		_, _ = s.file.Write(s.pending) // no caller is left to return an error to
		s.pending = nil
	}
}

// terminalOf returns the terminal that w writes to, or nil.
func terminalOf(w io.Writer) *os.File {
	switch w := w.(type) {
	case *screen:
		return w.file
	case *os.File:
		if term.IsTerminal(int(w.Fd())) {
			return w
		}
	}
	return nil
}

// verbatim returns the writer for output that programs read, whose lines must not be wrapped.
func verbatim(w io.Writer) io.Writer {
	if s, ok := w.(*screen); ok {
		return s.file
	}
	return w
}

// usualColumns is the width of text that does not go to a terminal.
const usualColumns = 80

// columns returns the width of the terminal that w writes to, or usualColumns.
func columns(w io.Writer) int {
	if f := terminalOf(w); f != nil {
		if n, _, err := term.GetSize(int(f.Fd())); err == nil && n > 0 {
			return n
		}
	}
	return usualColumns
}

// coloured reports whether output to out may have colours: on a terminal, unless the environment
// forbids them (no-color.org).
func coloured(out io.Writer) bool {
	return terminalOf(out) != nil && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// escapes are the sequences that set colours.
var escapes = regexp.MustCompile("\x1b\\[[0-9;]*m")

// printed returns how many columns a text takes up. Escape sequences take up none.
func printed(s string) int { return utf8.RuneCountInString(escapes.ReplaceAllString(s, "")) }

// wrapLine breaks a line between words so that its parts fit. Parts after the first are indented: to
// the last or the second column if the line has columns and enough room, otherwise a little. A word
// that is too long stays whole.
func wrapLine(line string, columns int) string {
	hang := lastColumn(line)
	if hang > columns-roomOfColumn {
		hang = secondColumn(line)
	}
	if hang == 0 || hang > columns/2 && hang > columns-roomOfColumn {
		if hang = len(line) - len(strings.TrimLeft(line, " ")); hang > 0 {
			hang = min(hang+2, columns/2)
		}
	}
	return wrapAt(line, columns, hang)
}

// wrapAt breaks a line as wrapLine does, and indents the parts after the first by hang.
func wrapAt(line string, columns, hang int) string {
	if printed(line) <= columns {
		return line
	}
	var b strings.Builder
	width, first := 0, true
	for len(line) > 0 {
		rest := strings.TrimLeft(line, " ")
		gap := line[:len(line)-len(rest)]
		word, _, _ := strings.Cut(rest, " ")
		line = rest[len(word):]
		if word == "" {
			break
		}
		if !first && width+len(gap)+printed(word) > columns {
			indent := hang
			if hang+printed(word) > columns {
				indent = min(hang, 2) // to show as much of a long word as possible
			}
			b.WriteString("\n" + strings.Repeat(" ", indent))
			width, gap = indent, ""
		}
		b.WriteString(gap + word)
		width += len(gap) + printed(word)
		first = false
	}
	return b.String()
}

// roomOfColumn is the minimum width of a text column.
const roomOfColumn = 18

// lastColumn returns where the text after the last gap of several spaces begins, or 0.
func lastColumn(line string) int {
	line = escapes.ReplaceAllString(line, "")
	gap := strings.LastIndex(strings.TrimRight(line, " "), "  ")
	if strings.TrimSpace(line[:max(gap, 0)]) == "" {
		return 0 // only the indentation
	}
	return utf8.RuneCountInString(line[:gap+2])
}

// secondColumn returns where the text after the first gap of several spaces begins, or 0.
func secondColumn(line string) int {
	line = escapes.ReplaceAllString(line, "")
	text := strings.TrimLeft(line, " ")
	indent := len(line) - len(text)
	gap := strings.Index(text, "  ")
	if gap < 0 {
		return 0
	}
	rest := text[gap:]
	return indent + gap + len(rest) - len(strings.TrimLeft(rest, " "))
}

// widestProse is the maximum width of prose; longer lines are hard to read.
const widestProse = 100

// reflow fits prose to a width. Lines that begin with a space belong to a list; continuation lines of
// an item are indented to its second column.
func reflow(text string, columns int) string {
	columns = min(columns, widestProse)
	var b strings.Builder
	item, hang := "", 0
	flush := func() {
		if item != "" {
			b.WriteString(wrapLine(item, columns) + "\n")
		}
		item = ""
	}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \n")
		words := strings.TrimLeft(line, " ")
		indent := len(line) - len(words)
		switch {
		case words == "":
			flush()
			b.WriteByte('\n')
		case item != "" && indent == hang:
			item += " " + words
		default:
			flush()
			if item, hang = line, 0; indent > 0 {
				hang = max(secondColumn(line), 1)
			}
		}
	}
	flush()
	return b.String()
}

// wrapCommand breaks a shell command between words, so that it can still be pasted.
func wrapCommand(line string, columns int) string {
	if len(line) <= columns {
		return line
	}
	var b strings.Builder
	width := 0
	indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
	quoted := false
	for i, word := range strings.Split(strings.TrimLeft(line, " "), " ") {
		switch {
		case i == 0:
			b.WriteString(indent)
			width = len(indent)
		case !quoted && width+1+len(word)+2 > columns:
			b.WriteString(" \\\n" + indent + "  ")
			width = len(indent) + 2
		default:
			b.WriteByte(' ')
			width++
		}
		b.WriteString(word)
		width += len(word)
		if strings.Count(word, "'")%2 == 1 {
			quoted = !quoted
		}
	}
	return b.String()
}

// table is text in columns, the last of which may be long. The first row has the column headings.
type table [][]string

// write prints the table, or, on a terminal that is too narrow for it, a list for each row.
func (t table) write(w io.Writer) error {
	var text bytes.Buffer
	tw := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	for _, row := range t {
		io.WriteString(tw, strings.Join(row, "\t")+"\n")
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	if terminalOf(w) != nil {
		for line := range strings.Lines(text.String()) {
			if printed(strings.TrimSuffix(line, "\n")) > columns(w) {
				return t.writeLists(w)
			}
		}
	}
	_, err := w.Write(text.Bytes())
	return err
}

func (t table) writeLists(w io.Writer) error {
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
