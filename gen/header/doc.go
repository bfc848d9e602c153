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
	trail []comment // behind it on its last line, and aligned lines below that
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

// trails reports whether the comment with index i continues the one behind the
// token before first.
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

// trail returns the comments behind the last token up to the end of the line,
// those between the words of the declaration included, and the lines that
// continue them.
func (s *source) trail(first, last int) []comment {
	end := s.toks[last]
	next := len(s.text)
	if last+1 < len(s.toks) {
		next = s.toks[last+1].off
	}
	from := s.toks[first].off
	for _, t := range s.toks[first:last] {
		if t.text == "{" {
			from = end.off // comments inside a body belong to what stands there
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

// marks are the words that a comment gives to a direction.
var marks = map[string]model.Dir{
	"in": model.DirIn, "out": model.DirOut, "in/out": model.DirInOut, "inout": model.DirInOut,
	"in-out": model.DirInOut, "out/in": model.DirInOut, "[in]": model.DirIn, "[out]": model.DirOut,
	"[in/out]": model.DirInOut, "[in,out]": model.DirInOut, "[inout]": model.DirInOut,
}

// direction returns what the comments behind a declaration mark, and the text
// without the mark. A mark is the first word of a comment, or "in" or "out" at
// the end of a clause in it.
func (n notes) direction() model.Dir {
	in, out := false, false
	for _, c := range n.trail {
		words := strings.Fields(strings.ToLower(clean(c.text)))
		for i, w := range words {
			bare := strings.TrimRight(w, ".,;:)")
			d, ok := marks[bare]
			if !ok || i > 0 && bare == w && i < len(words)-1 {
				continue
			}
			if i == 0 && d == model.DirIn && bare == w && len(words) > 1 {
				continue // "in" begins a sentence
			}
			in = in || d == model.DirIn || d == model.DirInOut
			out = out || d == model.DirOut || d == model.DirInOut
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

// groupMark returns the direction that a comment above a group of fields marks
// for them: the comment is nothing but the mark.
func (n notes) groupMark() model.Dir {
	if len(n.lead) == 0 {
		return model.DirNone
	}
	var words []string
	for _, c := range n.lead {
		words = append(words, strings.Fields(strings.ToLower(clean(c.text)))...)
	}
	if len(words) == 0 {
		return model.DirNone
	}
	w := strings.TrimRight(words[0], ".,;:")
	if d, ok := marks[w]; ok && (len(words) == 1 || w != words[0] && strings.HasSuffix(words[0], ":")) {
		return d
	}
	return model.DirNone
}

// deprecated reports whether the comments say that the declaration is.
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

// text is the documentation: the comments above, then those behind without
// their direction marks, one paragraph each.
func (n notes) text() string {
	lead := joinComments(n.lead)
	var trail []string
	for _, c := range n.trail {
		s := strings.TrimSpace(clean(c.text))
		if _, ok := marks[strings.ToLower(s)]; ok || isLint(s) {
			continue
		}
		if word, rest, ok := strings.Cut(s, " "); ok {
			if _, ok := marks[strings.ToLower(strings.TrimRight(word, ".,;:"))]; ok && word != strings.TrimRight(word, ".,;:") {
				s = rest
			}
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
