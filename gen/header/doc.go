// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package header

import (
	"slices"
	"strings"

	"github.com/purepjrt/purepjrt/gen/model"
)

// notes are the comments of one declaration.
type notes struct {
	lead  []comment // above it, without blank lines between
	trail []comment // after it on its last line, and aligned lines below that
}

// notesOf returns the comments of the declaration that spans the tokens from
// first to last.
func (s *source) notesOf(first, last int) notes {
	return notes{lead: s.lead(first), trail: s.trail(first, last)}
}

// lead returns the block of comments that ends on the line above the token.
func (s *source) lead(first int) []comment {
	t := s.toks[first]
	floor := 0
	if first > 0 {
		floor = s.toks[first-1].end()
	}
	i, _ := slices.BinarySearchFunc(s.comments, t.off, func(c comment, off int) int { return c.off - off })
	var block []comment
	line := t.line
	for i--; i >= 0; i-- {
		c := s.comments[i]
		if c.off < floor || !c.ownLine || c.endLine != line-1 && c.endLine != line || s.trails(i, first) {
			break
		}
		if s.directiveBetween(c.endLine, line) {
			break
		}
		block = append(block, c)
		line = c.line
	}
	slices.Reverse(block)
	return block
}

// trails reports whether the comment with index i continues the one after the token
// before first.
func (s *source) trails(i, first int) bool {
	c := s.comments[i]
	for i--; i >= 0; i-- {
		p := s.comments[i]
		if p.endLine != c.line-1 || p.col != c.col {
			return false
		}
		if !p.ownLine {
			return c.col != s.toks[first].col
		}
		c = p
	}
	return false
}

func (s *source) directiveBetween(from, to int) bool {
	for _, d := range s.dirs {
		if d.line > from && d.line < to {
			return true
		}
	}
	return false
}

// trail returns the comments after the last token up to the end of the line, including
// those between the words of the declaration, and the lines that continue them.
func (s *source) trail(first, last int) []comment {
	end := s.toks[last]
	next := len(s.text)
	if last+1 < len(s.toks) {
		next = s.toks[last+1].off
	}
	from := s.toks[first].off
	for _, t := range s.toks[first:last] {
		if t.text == "{" {
			from = end.off // comments inside a body belong to what is in it
			break
		}
	}
	var out []comment
	i, _ := slices.BinarySearchFunc(s.comments, from, func(c comment, off int) int { return c.off - off })
	for ; i < len(s.comments) && s.comments[i].off <= next; i++ {
		c := s.comments[i]
		switch {
		case c.off < end.off, c.line == end.line:
			out = append(out, c)
		case len(out) > 0 && c.ownLine:
			p := out[len(out)-1]
			if c.line == p.endLine+1 && c.col == p.col && c.col != s.toks[first].col && c.off > end.off {
				out = append(out, c)
			}
		}
	}
	return out
}

// marks are the words with which a comment marks a direction.
var marks = map[string]model.Dir{
	"in": model.DirIn, "out": model.DirOut, "input": model.DirIn, "output": model.DirOut,
	"in/out": model.DirInOut, "out/in": model.DirInOut, "input/output": model.DirInOut, "in,out": model.DirInOut,
	"in-out": model.DirInOut, "inout": model.DirInOut,
}

// A mark is a word for a direction at the beginning of a comment.
type mark struct {
	dir   model.Dir
	rest  string // what follows it
	ended bool   // a punctuation mark, or the end of the comment, follows it
}

// markOf returns the mark at the beginning of a comment. Words such as input and output
// begin sentences too: they are marks only if punctuation or the end of the comment
// follows.
func markOf(text string) (mark, bool) {
	text = strings.TrimSpace(text)
	for _, pair := range []string{" / ", ", ", " , "} {
		first, second, ok := strings.Cut(text, pair)
		both := strings.ToLower(first) + "/" + strings.ToLower(firstWord(second))
		if ok && marks[both] != "" {
			text = both + second[len(firstWord(second)):]
		}
	}
	word, rest, _ := strings.Cut(text, " ")
	bare := strings.TrimRight(word, ".,;:")
	name := strings.ToLower(strings.Trim(bare, "[]()"))
	d := marks[name]
	if d == model.DirNone {
		return mark{}, false
	}
	m := mark{d, strings.TrimSpace(rest), bare != word || rest == "" || bare[0] == '[' || bare[0] == '('}
	return m, m.ended || name != "in" && name != "input" && name != "output"
}

// firstWord returns the letters at the beginning of s.
func firstWord(s string) string {
	return s[:len(s)-len(strings.TrimLeftFunc(s, func(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }))]
}

// direction returns the direction that the comments after a declaration mark: at the
// beginning of the first, alone on a line below it, or as the word that ends a clause.
func (n notes) direction() model.Dir {
	in, out := false, false
	add := func(d model.Dir) {
		in = in || d == model.DirIn || d == model.DirInOut
		out = out || d == model.DirOut || d == model.DirInOut
	}
	for i, c := range n.trail {
		text := clean(c.text)
		m, ok := markOf(text)
		if ok && (i == 0 || m.rest == "") {
			add(m.dir)
			text = m.rest
		}
		for _, w := range clauseEnds(text) {
			add(marks[w])
		}
	}
	switch {
	case in && out:
		return model.DirInOut
	case out:
		return model.DirOut
	case in:
		return model.DirIn
	}
	return model.DirNone
}

// clauseEnds returns the words such as in and out, in lower case, that a punctuation mark
// or the end of the comment follows. Input and output are not among them, because they
// end ordinary sentences too.
func clauseEnds(text string) (ends []string) {
	words := strings.Fields(strings.ToLower(text))
	for i, w := range words {
		bare := strings.TrimLeft(strings.TrimRight(w, ".,;:)]"), "([")
		ended := i == len(words)-1 || strings.TrimRight(w, ".,;:)]") != w
		if ended && marks[bare] != model.DirNone && !strings.Contains(bare, "put") {
			ends = append(ends, bare)
		}
	}
	return ends
}

// groupMark returns the direction that a comment above a group of fields marks for them:
// the comment is only the mark, or begins with the mark and a colon.
func (n notes) groupMark() model.Dir {
	if len(n.lead) == 0 {
		return model.DirNone
	}
	var lines []string
	for _, c := range n.lead {
		lines = append(lines, clean(c.text))
	}
	text := strings.Join(lines, " ")
	if m, ok := markOf(text); ok && (m.rest == "" || strings.HasSuffix(strings.Fields(strings.TrimSuffix(text, m.rest))[0], ":")) {
		return m.dir
	}
	return model.DirNone
}

// deprecated reports whether the comments say that the declaration is deprecated.
func (n notes) deprecated() bool {
	for _, c := range append(slices.Clone(n.lead), n.trail...) {
		for _, w := range strings.FieldsFunc(clean(c.text), func(r rune) bool { return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z') }) {
			if strings.EqualFold(w, "deprecated") {
				return true
			}
		}
	}
	return false
}

// text returns the documentation: the comments above, then those after the declaration
// without their direction marks, one paragraph each.
func (n notes) text() string {
	lead := joinComments(n.lead)
	var trail []string
	for _, c := range n.trail {
		s := strings.TrimSpace(clean(c.text))
		if m, ok := markOf(s); ok && m.ended {
			s = m.rest
		}
		if s == "" || isLint(s) {
			continue
		}
		trail = append(trail, s)
	}
	switch behind := strings.Join(trail, "\n"); {
	case lead == "":
		return behind
	case behind == "":
		return lead
	default:
		return lead + "\n" + behind
	}
}

func joinComments(list []comment) string {
	var lines []string
	for _, c := range list {
		if s := clean(c.text); !isLint(strings.TrimSpace(s)) && !isRule(s) {
			lines = append(lines, strings.TrimRight(s, " "))
		}
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// isLint reports whether a comment talks to a tool.
func isLint(s string) bool {
	return strings.HasPrefix(s, "NOLINT") || strings.HasPrefix(s, "clang-format") || strings.HasPrefix(s, "LINT.")
}

// isRule reports whether a comment is a headline between dashes, which belongs
// to a section and not to a declaration.
func isRule(s string) bool {
	s = strings.TrimSpace(s)
	return strings.HasPrefix(s, "---") || strings.HasPrefix(s, "===")
}

// clean takes the decoration off the text of a comment.
func clean(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		if len(lines) > 1 {
			l = strings.TrimLeft(l, " \t")
			l = strings.TrimPrefix(l, "*")
		}
		l = strings.TrimPrefix(l, "/")
		l = strings.TrimPrefix(l, "!")
		lines[i] = strings.TrimPrefix(strings.TrimRight(l, " \t"), " ")
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}
