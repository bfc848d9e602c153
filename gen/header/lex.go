// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package header

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

// kind is the class of a token.
type kind byte

const (
	kindIdent kind = iota
	kindNumber
	kindString // string and character constants
	kindPunct
)

// token is a token of the text as written, before any macro is expanded.
type token struct {
	kind      kind
	text      string
	off       int // byte offset of the first character
	line, col int // from 1, col in bytes
}

func (t token) end() int { return t.off + len(t.text) }

// comment is one comment. Consecutive // lines are separate comments.
type comment struct {
	off, end  int
	line, col int
	endLine   int
	text      string // without the comment marks, not yet cleaned
	ownLine   bool   // only white space precedes it on its line
}

// directive is one preprocessor line, continuation lines included.
type directive struct {
	name   string
	toks   []token // what follows the name, comments dropped
	line   int
	col    int
	active bool // false in a branch for other compilers or languages
	tested bool // a condition that a compiler looks at, as far as this can be told
	maybe  bool // below a condition that asks whether a header exists
}

// source is one file cut into tokens, comments and directives.
type source struct {
	path     string // where the file is, as errors name it
	text     []byte // line ends normalised, byte order mark removed
	toks     []token
	comments []comment
	dirs     []directive
	size     int  // tokens, those of directives included
	once     bool // has #pragma once
	colon    bool // has a colon outside comments and literals, maybe in an inactive branch

	byPos map[[2]int]int // line and column -> index in toks
}

// The limits keep hostile input from taking more than a second or 200 MB, and
// from exhausting the stack of the C front end, which descends once for each
// bracket and each prefix operator. Upstream's largest header has a quarter of
// the size and a fifth of the tokens.
const (
	maxSize    = 512 << 10
	maxTokens  = 50_000 // of a header and all that it includes
	maxNesting = 200
	maxPuncts  = 1000
)

// lex cuts text into tokens. The error is positioned.
func lex(path string, text []byte) (*source, error) {
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	text = bytes.ReplaceAll(text, []byte("\r"), []byte("\n"))
	s := &source{path: path, text: text, byPos: map[[2]int]int{}}
	if len(text) > maxSize {
		return nil, s.errorf(1, 1, "the file has %d bytes, more than the %d that a header may have: is it a header?", len(text), maxSize)
	}
	l := lexer{source: s, line: 1}
	if err := s.checkEncoding(); err != nil {
		return nil, err
	}
	if err := l.run(); err != nil {
		return nil, err
	}
	for i, t := range s.toks {
		s.byPos[[2]int{t.line, t.col}] = i
	}
	return s, s.checkNesting()
}

func (s *source) errorf(line, col int, format string, args ...any) error {
	return &Error{Path: s.path, Line: line, Col: col, Msg: fmt.Sprintf(format, args...)}
}

// errorAt is errorf at the token with index i, or at the last one.
func (s *source) errorAt(i int, format string, args ...any) error {
	if len(s.toks) == 0 {
		return s.errorf(1, 1, format, args...)
	}
	if i >= len(s.toks) || i < 0 {
		i = len(s.toks) - 1
	}
	return s.errorf(s.toks[i].line, s.toks[i].col, format, args...)
}

type lexer struct {
	*source
	i         int
	line      int
	lineStart int
	fresh     bool // this line already has something other than white space
	cond      []condition
}

func (l *lexer) active() bool {
	return len(l.cond) == 0 || l.cond[len(l.cond)-1].on
}

func (l *lexer) col(off int) int { return off - l.lineStart + 1 }

func (l *lexer) newline() {
	l.line++
	l.lineStart = l.i
	l.fresh = false
}

func (l *lexer) run() error {
	for {
		tok, ok, err := l.next()
		if err != nil {
			return err
		}
		if !ok {
			return nil
		}
		if tok.text == "#" && tok.kind == kindPunct && !l.freshBefore(tok.off) {
			if err := l.directive(tok); err != nil {
				return err
			}
			continue
		}
		l.fresh = true
		if !l.active() {
			continue
		}
		if err := l.count(tok); err != nil {
			return err
		}
		l.toks = append(l.toks, tok)
	}
}

// count fails on the first token over the limit.
func (l *lexer) count(t token) error {
	if l.size++; l.size > maxTokens {
		return l.errorf(t.line, t.col, "this is token number %d, more than the %d that are read: cut the header in two", l.size, maxTokens)
	}
	return nil
}

// freshBefore reports whether anything other than white space and comments
// precedes off on its line.
func (l *lexer) freshBefore(off int) bool { return l.fresh && off >= l.lineStart }

// next returns the next token, crossing line ends; comments go to l.comments.
func (l *lexer) next() (token, bool, error) {
	for l.i < len(l.text) {
		c := l.text[l.i]
		switch {
		case c == '\n':
			l.i++
			l.newline()
		case c == ' ' || c == '\t' || c == '\v' || c == '\f':
			l.i++
		case c == '\\' && l.i+1 < len(l.text) && l.text[l.i+1] == '\n':
			l.i += 2
			fresh := l.fresh
			l.newline()
			l.fresh = fresh
		case c == '/' && l.i+1 < len(l.text) && (l.text[l.i+1] == '/' || l.text[l.i+1] == '*'):
			if err := l.comment(); err != nil {
				return token{}, false, err
			}
		default:
			t := l.scan()
			return t, true, l.check(t)
		}
	}
	return token{}, false, nil
}

// check fails on a token that compilers read as another than it seems to be, or not at all.
func (l *lexer) check(t token) error {
	if !l.active() || t.kind == kindString {
		return nil
	}
	if plain := digraph(l.text[t.off:]); plain != "" {
		return l.errorf(t.line, t.col, "the digraph %s is not supported: write %s", l.text[t.off:t.off+2], plain)
	}
	if t.text == "\x00" {
		return l.errorf(t.line, t.col, "there is a zero byte outside of comments: is the file UTF-16? save it as UTF-8")
	}
	if !utf8.ValidString(t.text) {
		return l.errorf(t.line, t.col, "%+q is no UTF-8: save the file as UTF-8", t.text)
	}
	return nil
}

// digraph returns what the digraph that the text begins with means. In C++, <:: is none.
func digraph(text []byte) string {
	if len(text) < 2 || bytes.HasPrefix(text, []byte("<::")) {
		return ""
	}
	return map[string]string{"<:": "[", ":>": "]", "<%": "{", "%>": "}", "%:": "#"}[string(text[:2])]
}

// checkEncoding fails on a text with the mark of another encoding.
func (s *source) checkEncoding() error {
	for _, mark := range []string{"\xff\xfe", "\xfe\xff", "\x00\x00\xfe\xff"} {
		if bytes.HasPrefix(s.text, []byte(mark)) {
			return s.errorf(1, 1, "the file is UTF-16 or UTF-32: save it as UTF-8")
		}
	}
	return nil
}

func (l *lexer) comment() error {
	start, line, col, lineStart := l.i, l.line, l.col(l.i), l.lineStart
	body := ""
	if l.text[l.i+1] == '/' {
		for l.i < len(l.text) && l.text[l.i] != '\n' {
			if l.text[l.i] == '\\' && l.i+1 < len(l.text) && l.text[l.i+1] == '\n' {
				l.i += 2
				l.newline()
				continue
			}
			l.i++
		}
		body = string(l.text[start+2 : l.i])
	} else {
		n := bytes.Index(l.text[l.i+2:], []byte("*/"))
		if n < 0 {
			return l.errorf(line, col, "a comment that begins here has no end")
		}
		body = string(l.text[l.i+2 : l.i+2+n])
		stop := l.i + 2 + n + 2
		fresh := l.fresh
		for l.i < stop {
			l.i++
			if l.text[l.i-1] == '\n' {
				l.newline()
			}
		}
		l.fresh = fresh
	}
	own := len(bytes.TrimLeft(l.text[lineStart:start], " \t\v\f")) == 0
	if l.active() {
		l.comments = append(l.comments, comment{
			off: start, end: l.i, line: line, col: col, endLine: l.line, text: readable(body), ownLine: own,
		})
	}
	return nil
}

// readable returns the text of a comment with a replacement character for all that is no UTF-8, and
// that no Go file may contain.
func readable(text string) string {
	return strings.NewReplacer("\x00", "\ufffd", "\ufeff", "").Replace(strings.ToValidUTF8(text, "\ufffd"))
}

// puncts are the punctuators of more than one character, longest first. The
// shifts are left out: ">>" ends two template argument lists.
var puncts = []string{"...", "::", "->", "&&", "##", "==", "!=", "<=", ">=", "||"}

func (l *lexer) scan() token {
	t := token{off: l.i, line: l.line, col: l.col(l.i)}
	c := l.text[l.i]
	switch {
	case isIdent(c) && !isDigit(c):
		t.kind = kindIdent
		for l.i < len(l.text) && isIdent(l.text[l.i]) {
			l.i++
		}
	case isDigit(c) || c == '.' && l.i+1 < len(l.text) && isDigit(l.text[l.i+1]):
		t.kind = kindNumber
		for l.i < len(l.text) && (isIdent(l.text[l.i]) || l.text[l.i] == '.' ||
			(l.text[l.i] == '+' || l.text[l.i] == '-') && strings.IndexByte("eEpP", l.text[l.i-1]) >= 0) {
			l.i++
		}
	case c == '"' || c == '\'':
		t.kind = kindString
		for l.i++; l.i < len(l.text) && l.text[l.i] != c && l.text[l.i] != '\n'; l.i++ {
			if l.text[l.i] == '\\' && l.i+1 < len(l.text) && l.text[l.i+1] != '\n' {
				l.i++
			}
		}
		if l.i < len(l.text) && l.text[l.i] == c {
			l.i++
		}
	default:
		t.kind = kindPunct
		n := 1
		for _, p := range puncts {
			if bytes.HasPrefix(l.text[l.i:], []byte(p)) {
				n = len(p)
				break
			}
		}
		l.colon = l.colon || c == ':' && n == 1
		l.i += n
	}
	t.text = string(l.text[t.off:l.i])
	return t
}

func isIdent(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || isDigit(c) || c >= 0x80
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// directive reads the rest of a preprocessor line.
func (l *lexer) directive(hash token) error {
	d := directive{line: hash.line, col: hash.col}
	d.active = l.active()
	d.maybe = len(l.cond) > 0 && l.cond[len(l.cond)-1].maybe
	l.fresh = true
	first := true
	for l.i < len(l.text) && l.text[l.i] != '\n' {
		c := l.text[l.i]
		switch {
		case c == ' ' || c == '\t' || c == '\v' || c == '\f':
			l.i++
		case c == '\\' && l.i+1 < len(l.text) && l.text[l.i+1] == '\n':
			l.i += 2
			l.newline()
			l.fresh = true
		case c == '/' && l.i+1 < len(l.text) && (l.text[l.i+1] == '/' || l.text[l.i+1] == '*'):
			n := len(l.comments)
			if err := l.comment(); err != nil {
				return err
			}
			l.comments = l.comments[:n]
		default:
			t := l.scan()
			if err := l.check(t); err != nil {
				return err
			}
			if first {
				d.name, first = t.text, false
				continue
			}
			d.toks = append(d.toks, t)
			if err := l.count(t); err != nil {
				return err
			}
		}
	}
	if len(d.toks) > 0 && d.name == "pragma" && d.toks[0].text == "once" {
		l.once = true
	}
	if n := len(l.cond); n > 0 && (d.name == "else" || d.name == "elif") {
		d.active = l.cond[n-1].outer
	}
	d.tested = d.active && l.tests(d)
	l.conditional(d)
	l.dirs = append(l.dirs, d)
	return nil
}

// checkNesting bounds the depth to which a parser of s descends.
func (s *source) checkNesting() error {
	check := func(toks []token) error {
		depth, run := 0, 0
		for _, t := range toks {
			run++
			if t.kind != kindPunct {
				run = 0
			}
			switch t.text {
			case "(", "[", "{":
				depth++
			case ")", "]", "}":
				if depth > 0 {
					depth--
				}
			}
			if depth > maxNesting {
				return s.errorf(t.line, t.col, "brackets are nested more than %d deep", maxNesting)
			}
			if run > maxPuncts {
				return s.errorf(t.line, t.col, "there are more than %d operators in a row", maxPuncts)
			}
		}
		return nil
	}
	if err := check(s.toks); err != nil {
		return err
	}
	open := 0
	for _, d := range s.dirs {
		if strings.HasPrefix(d.name, "if") {
			if open++; open > maxNesting {
				return s.errorf(d.line, d.col, "conditions are nested more than %d deep", maxNesting)
			}
		} else if d.name == "endif" && open > 0 {
			open--
		}
		if err := check(d.toks); err != nil {
			return err
		}
	}
	return nil
}
