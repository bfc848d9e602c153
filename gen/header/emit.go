// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package header

import (
	"bytes"
	"slices"
)

// shift says that on a line, from an emitted column on, a token is delta bytes
// after its place in the original.
type shift struct{ line, col, delta int }

// added says that on a line the columns from from to to, exclusive, hold text
// that the original does not have.
type added struct{ line, from, to int }

// emit returns the text of the first end tokens, with the edits, and of all
// directives. Its lines are those of the original; the shifts, sorted, map its
// columns back.
func (r *remover) emit(end int) (text []byte, shifts []shift, extra []added) {
	var b bytes.Buffer
	pos, line, delta := 0, 0, 0
	for i, e := range r.edits {
		if i >= end {
			e = edit{blank: true}
		}
		if !e.blank && e.repl == "" && e.suffix == "" {
			continue
		}
		t := r.toks[i]
		if t.line != line {
			line, delta = t.line, 0
		}
		b.Write(r.text[pos:t.off])
		pos = t.end()
		n := b.Len()
		switch {
		case e.repl != "":
			b.WriteString(e.repl)
		case e.blank:
			b.Write(bytes.Repeat([]byte(" "), len(t.text)))
		default:
			b.WriteString(t.text)
		}
		if e.suffix != "" {
			from := t.col + delta + b.Len() - n
			extra = append(extra, added{line, from, from + len(e.suffix)})
			b.WriteString(e.suffix)
		}
		if d := b.Len() - n - len(t.text); d != 0 {
			delta += d
			shifts = append(shifts, shift{line, t.col + len(t.text) + delta, delta})
		}
	}
	b.Write(r.text[pos:])
	if n := b.Len(); n == 0 || b.Bytes()[n-1] != '\n' {
		b.WriteByte('\n')
	}
	return b.Bytes(), shifts, extra
}

// original maps a column of emitted text back.
func original(shifts []shift, line, col int) int {
	i, ok := slices.BinarySearchFunc(shifts, shift{line: line, col: col}, func(a, b shift) int {
		if a.line != b.line {
			return a.line - b.line
		}
		return a.col - b.col
	})
	if !ok {
		i--
	}
	if i >= 0 && shifts[i].line == line {
		return max(col-shifts[i].delta, 1)
	}
	return col
}
