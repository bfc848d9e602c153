// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package golang

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/dave/jennifer/jen"
)

// docWidth is where lines of comments break.
const docWidth = 77

// comment formats paragraphs of text as a Go comment. Empty paragraphs are left
// out. A paragraph may hold a list, whose items begin with a dash or a star; one
// that begins with a tab is a line of code.
func comment(paragraphs ...string) string {
	var lines []string
	for _, text := range paragraphs {
		text = goText(text)
		if strings.HasPrefix(text, "\t") { // code, to be left as it is
			lines = append(lines, "//", "//"+text)
			continue
		}
		for _, p := range splitParagraphs(text) {
			if len(lines) > 0 {
				lines = append(lines, "//")
			}
			lines = append(lines, p.format()...)
		}
	}
	return strings.Join(lines, "\n")
}

// goText returns text that a Go file may hold: bytes that are not UTF-8 are replaced, and the zero
// byte and other control characters, which Go or editors refuse, are spaces.
func goText(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case unicode.IsControl(r) || r == '\uFEFF':
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, string(unicode.ReplacementChar)))
}

// paragraph is a run of lines without an empty one: an introduction and the
// items of a list, either of which may be missing.
type paragraph struct {
	intro string
	items []string
}

func splitParagraphs(text string) []paragraph {
	var out []paragraph
	open := false
	for _, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" {
			open = false
			continue
		}
		if !open {
			out = append(out, paragraph{})
			open = true
		}
		p := &out[len(out)-1]
		item, isItem := cutBullet(line)
		switch {
		case isItem:
			p.items = append(p.items, item)
		case len(p.items) > 0:
			p.items[len(p.items)-1] += " " + line
		case p.intro != "":
			p.intro += " " + line
		default:
			p.intro = line
		}
	}
	return out
}

func cutBullet(line string) (string, bool) {
	for _, bullet := range []string{"- ", "* "} {
		if rest, ok := strings.CutPrefix(line, bullet); ok {
			return rest, true
		}
	}
	return "", false
}

func (p paragraph) format() []string {
	lines := wrap(p.intro, "// ", "// ")
	if len(p.items) > 0 && len(lines) > 0 {
		lines = append(lines, "//")
	}
	for _, item := range p.items {
		lines = append(lines, wrap(item, "//   - ", "//     ")...)
	}
	return lines
}

// wrap breaks text into lines with the prefix first on the first and rest on the
// others.
func wrap(text, first, rest string) []string {
	var out []string
	line := first
	empty := true
	for _, word := range strings.Fields(text) {
		if !empty && len(line)+1+len(word) > docWidth {
			out = append(out, line)
			line, empty = rest, true
		}
		if !empty {
			line += " "
		}
		line += word
		empty = false
	}
	if !empty {
		out = append(out, line)
	}
	return out
}

// sinceText is the sentence that says in which API minor something came.
func (u *unit) sinceText(minor int) string {
	if minor <= 0 {
		return ""
	}
	switch u.kind {
	case unitFFI:
		return fmt.Sprintf("Since XLA FFI API 0.%d.", minor)
	case unitFFIExtension:
		return fmt.Sprintf("Since version 0.%d of the extension.", minor)
	}
	return fmt.Sprintf("Since API 0.%d.", minor)
}

// documented writes a field or a value of an enum: with its C name after it if there is
// little to say, else with a comment above. since is its minor, and from the minor of
// what it belongs to.
func (u *unit) documented(c, doc string, since, from int, code *jen.Statement) jen.Code {
	note := ""
	if since > max(from, oldestMinor) || u.pkg == packageFFI && since > from {
		note = u.sinceText(since)
	}
	if doc != "" {
		return jen.Comment(comment(strings.TrimSpace(about(c, doc) + "\n\n" + note))).Line().Add(code)
	}
	if note != "" {
		c += "; s" + strings.TrimSuffix(note[1:], ".")
	}
	return code.Comment("// " + c)
}

// about returns a C name with its documentation, or the name alone if there is none.
func about(c, doc string) string {
	if doc = strings.TrimSpace(doc); doc == "" {
		return c
	}
	return c + ": " + doc
}

// base is the header's file name, as comments give it.
func (u *unit) base() string { return u.header.Path[strings.LastIndexByte(u.header.Path, '/')+1:] }
