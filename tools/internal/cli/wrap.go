// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package cli

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// escapes are the sequences that set colours.
var escapes = regexp.MustCompile("\x1b\\[[0-9;]*m")

// TextWidth returns how many columns a text takes up. Escape sequences take up none.
func TextWidth(s string) int { return utf8.RuneCountInString(escapes.ReplaceAllString(s, "")) }

// Wrap breaks a line between words so that its parts fit. Parts after the first are indented: to
// the last or the second column if the line has columns and enough room, otherwise a little. A word
// that is too long stays whole.
func Wrap(line string, columns int) string {
	hang := lastColumn(line)
	if hang > columns-roomOfColumn {
		hang = secondColumn(line)
	}
	if hang == 0 || hang > columns/2 && hang > columns-roomOfColumn {
		if hang = len(line) - len(strings.TrimLeft(line, " ")); hang > 0 {
			hang = min(hang+2, columns/2)
		}
	}
	return WrapAt(line, columns, hang)
}

// WrapAt breaks a line as Wrap does, and indents the parts after the first by hang.
func WrapAt(line string, columns, hang int) string {
	if TextWidth(line) <= columns {
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
		if !first && width+len(gap)+TextWidth(word) > columns {
			indent := hang
			if hang+TextWidth(word) > columns {
				indent = min(hang, 2) // to show as much of a long word as possible
			}
			b.WriteString("\n" + strings.Repeat(" ", indent))
			width, gap = indent, ""
		}
		b.WriteString(gap + word)
		width += len(gap) + TextWidth(word)
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

// Reflow fits prose to a width. Lines that begin with a space belong to a list; continuation lines
// of an item are indented to its second column.
func Reflow(text string, columns int) string {
	columns = min(columns, widestProse)
	var b strings.Builder
	item, hang := "", 0
	flush := func() {
		if item != "" {
			b.WriteString(Wrap(item, columns) + "\n")
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

// WrapCommand breaks a shell command between words, so that it can still be pasted.
func WrapCommand(line string, columns int) string {
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
