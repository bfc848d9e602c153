// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package cli

import (
	"bytes"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// screen is a terminal. It wraps lines that are wider than the terminal, but never within a word.
type screen struct {
	file    *os.File
	pending []byte // the beginning of a line
}

// Output returns the writer for a file of the process. If it is a terminal, the writer wraps lines,
// and the caller calls [Finish] at the end.
func Output(f *os.File) io.Writer {
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
		text.WriteString(Wrap(strings.TrimSuffix(line, "\n"), Columns(s.file)))
		text.WriteByte('\n')
	}
	s.pending = append(s.pending[:0], s.pending[end:]...)
	if _, err := io.WriteString(s.file, text.String()); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Finish writes a last line that does not end with a newline.
func Finish(w io.Writer) {
	if s, ok := w.(*screen); ok && len(s.pending) > 0 {
		_, _ = s.file.Write(s.pending) // no caller is left to return an error to
		s.pending = nil
	}
}

// TerminalOf returns the terminal that w writes to, or nil.
func TerminalOf(w io.Writer) *os.File {
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

// Verbatim returns the writer for output that programs read, whose lines must not be wrapped.
func Verbatim(w io.Writer) io.Writer {
	if s, ok := w.(*screen); ok {
		return s.file
	}
	return w
}

// UsualColumns is the width of text that does not go to a terminal.
const UsualColumns = 80

// Columns returns the width of the terminal that w writes to, or UsualColumns.
func Columns(w io.Writer) int {
	if f := TerminalOf(w); f != nil {
		if n, _, err := term.GetSize(int(f.Fd())); err == nil && n > 0 {
			return n
		}
	}
	return UsualColumns
}

// Coloured reports whether output to out may have colours: on a terminal, unless the environment
// forbids them (no-color.org).
func Coloured(out io.Writer) bool {
	return TerminalOf(out) != nil && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// Overwritable returns the terminal that w writes to, or nil if there is none or if it cannot
// overwrite a line.
func Overwritable(w io.Writer) *os.File {
	if os.Getenv("TERM") == "dumb" {
		return nil
	}
	return TerminalOf(w)
}
