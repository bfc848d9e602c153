// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package header

import (
	"bytes"
	"sort"
)

// cuts say how much of each source the C front end reads, by the source's name. Of those that
// are not named it reads everything.
type cuts map[string]cut

// cut is the beginning of a source: its first lines, and of what is in them its first tokens
// outside directives.
type cut struct {
	tokens int
	lines  int // all if negative
}

func (c cuts) of(name string, r *remover) cut {
	if c, ok := c[name]; ok {
		return c
	}
	return cut{tokens: len(r.toks), lines: -1}
}

// head returns the lines of the text that are before the cut.
func (c cut) head(text []byte) []byte {
	if c.lines < 0 {
		return text
	}
	end := 0
	for range c.lines {
		n := bytes.IndexByte(text[end:], '\n')
		if n < 0 {
			return text
		}
		end += n + 1
	}
	return text[:end]
}

// spot is a token of a source, or a line of it.
type spot struct {
	*source
	token     int // negative if it is none
	line, col int
}

func (s spot) errorf(format string, args ...any) error {
	return s.source.errorf(s.line, s.col, format, args...)
}

// locate finds the place in the sources up to which they must be read for something to be seen.
// It is how a fault gets a place that the front end reports without one, or that comes out of
// macros: the token is then the name of the outermost macro, or the bracket after its arguments.
func (t *translation) locate(seen func(cuts) bool) spot {
	found := cuts{}
	name := mainName
	for {
		r := t.rws[name]
		all := len(r.toks)
		lines := 1 + sort.Search(bytes.Count(r.text, []byte("\n")), func(n int) bool {
			found[name] = cut{tokens: all, lines: n + 1}
			return seen(found)
		})
		found[name] = cut{tokens: all, lines: lines}
		if d := r.directiveOn(lines); d != nil {
			inner, _ := includeName(*d)
			if _, visited := found[inner]; d.name == "include" && t.rws[inner] != nil && !visited {
				name = inner
				continue
			}
			return spot{source: r.source, token: -1, line: d.line, col: d.col}
		}
		n := sort.Search(all, func(n int) bool {
			found[name] = cut{tokens: n, lines: lines}
			return seen(found)
		})
		if n == 0 {
			return spot{source: r.source, token: -1, line: lines, col: 1}
		}
		return spot{source: r.source, token: n - 1, line: r.toks[n-1].line, col: r.toks[n-1].col}
	}
}

// directiveOn returns the directive that ends on a line.
func (s *source) directiveOn(line int) *directive {
	i := sort.Search(len(s.dirs), func(i int) bool { return s.dirs[i].line > line }) - 1
	if i < 0 {
		return nil
	}
	d, last := &s.dirs[i], s.dirs[i].line
	if n := len(d.toks); n > 0 {
		last = d.toks[n-1].line
	}
	if last < line {
		return nil
	}
	return d
}
