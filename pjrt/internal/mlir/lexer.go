// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package mlir

import (
	"bytes"
	"context"
	"strings"

	"github.com/purepjrt/purepjrt/pjrt/internal/preempt"
)

// kind is the kind of a token: one of these, or the byte itself for a bracket or another byte that
// stands alone.
type kind byte

const (
	end           kind = 0   // of the text
	word          kind = 'a' // a name without quotes or prefix
	number        kind = '0' // digits, or 0x and hexadecimal digits
	text          kind = '"' // a string, with its quotes
	symbol        kind = '@' // the name of a symbol, with or without quotes
	attributeName kind = '#' // an alias of an attribute, or an attribute of a dialect
	typeName      kind = '!' // an alias of a type, or a type of a dialect
	arrow         kind = 'A' // ->
	comparison    kind = 'C' // >= or <=, whose bytes are not brackets
	value         kind = '%' // the name of a value or a block
)

// token is a part of the text, from start to before end.
type token struct {
	kind       kind
	start, end int
}

// The classes of bytes.
const (
	classLetter = 1 << iota // of a name
	classDigit
	classPunct // $, . and -, which occur in names after a prefix
	classSpace
)

var classes = func() (c [256]byte) {
	for b := range c {
		switch {
		case 'a' <= b && b <= 'z', 'A' <= b && b <= 'Z', b == '_':
			c[b] = classLetter
		case '0' <= b && b <= '9':
			c[b] = classDigit
		case b == '$', b == '.', b == '-':
			c[b] = classPunct
		case b == ' ', b == '\t', b == '\n', b == '\r', b == 0:
			c[b] = classSpace // MLIR skips a zero byte, too
		}
	}
	return c
}()

// lexer splits text into tokens as MLIR does. Where MLIR reports an error and gives up, the
// lexer goes on with the next byte.
type lexer struct {
	code []byte
	pos  int
	work *work
}

// work ends reading with a context.
type work struct {
	ctx   context.Context
	steps int
	err   error // of the context, once it was seen to have ended
}

// often is after how many steps the context is asked whether it has ended.
const often = 1 << 12

// step counts a token, and reports whether reading goes on.
func (w *work) step() bool {
	w.steps++
	if w.steps%often == 0 && w.err == nil {
		w.err = w.ctx.Err()
	}
	return w.err == nil
}

func (l *lexer) skipSpace() {
	for l.pos < len(l.code) {
		switch c := l.code[l.pos]; {
		case classes[c] == classSpace:
			l.pos++
		case c == '/' && l.pos+1 < len(l.code) && l.code[l.pos+1] == '/':
			rest, n := l.code[l.pos:], 0
			for n < len(rest) && rest[n] != '\n' && rest[n] != '\r' {
				n++
			}
			l.pos += n
		default:
			return
		}
	}
}

// peek returns the first byte of the next token, or 0.
func (l *lexer) peek() byte {
	l.skipSpace()
	if l.pos == len(l.code) {
		return 0
	}
	return l.code[l.pos]
}

func (l *lexer) next() token {
	if !l.work.step() {
		l.pos = len(l.code)
	}
	l.skipSpace()
	start := l.pos
	k := l.skipToken()
	return token{k, start, l.pos}
}

// skipToken skips the token at the position and returns its kind.
func (l *lexer) skipToken() kind {
	if l.pos == len(l.code) {
		return end
	}
	c := l.code[l.pos]
	l.pos++
	switch classes[c] {
	case classLetter:
		l.skipName()
		return word
	case classDigit:
		l.skipNumber(c)
		return number
	}
	switch c {
	case '"':
		l.skipString()
	case '@':
		if l.pos < len(l.code) && l.code[l.pos] == '"' {
			l.pos++
			l.skipString()
		} else {
			l.skipName()
		}
	case '#', '!':
		l.skipSuffix()
	case '%', '^':
		l.skipSuffix()
		return value
	case '-':
		if l.follows('>') {
			return arrow
		}
	case '<', '>':
		if l.follows('=') {
			return comparison
		}
	default:
		if c >= 0x80 {
			return '?' // not a token
		}
	}
	return kind(c)
}

// skipName skips a name, or the rest of one.
func (l *lexer) skipName() {
	for l.pos < len(l.code) {
		if c := l.code[l.pos]; classes[c]&(classLetter|classDigit) == 0 && c != '.' && c != '$' {
			return
		}
		l.pos++
	}
}

// follows skips a byte if it comes next.
func (l *lexer) follows(c byte) bool {
	if l.pos < len(l.code) && l.code[l.pos] == c {
		l.pos++
		return true
	}
	return false
}

// skipSuffix skips a name after its prefix: digits, or a letter or punctuation with more of
// them and digits.
func (l *lexer) skipSuffix() {
	if l.pos == len(l.code) {
		return
	}
	allowed := byte(classDigit)
	if classes[l.code[l.pos]] != classDigit {
		allowed = classLetter | classDigit | classPunct
	}
	for l.pos < len(l.code) && classes[l.code[l.pos]]&allowed != 0 {
		l.pos++
	}
}

// skipNumber skips a number after its first digit.
func (l *lexer) skipNumber(first byte) {
	if first == '0' && l.pos+1 < len(l.code) && l.code[l.pos] == 'x' && isHex(l.code[l.pos+1]) {
		l.pos++
		for l.pos < len(l.code) && isHex(l.code[l.pos]) {
			l.pos++
		}
		return
	}
	l.skipDigits()
	if !l.follows('.') {
		return
	}
	l.skipDigits()
	if l.pos+1 < len(l.code) && l.code[l.pos]|0x20 == 'e' {
		n := l.pos + 1
		if l.code[n] == '+' || l.code[n] == '-' {
			n++
		}
		if n < len(l.code) && classes[l.code[n]] == classDigit {
			l.pos = n
			l.skipDigits()
		}
	}
}

func (l *lexer) skipDigits() {
	for l.pos < len(l.code) && classes[l.code[l.pos]] == classDigit {
		l.pos++
	}
}

func isHex(c byte) bool { return classes[c] == classDigit || 'a' <= c|0x20 && c|0x20 <= 'f' }

// skipString skips a string after its first quote. A string that MLIR does not accept ends with its
// line.
func (l *lexer) skipString() {
	for {
		n := preempt.IndexByte(l.code[l.pos:], '"')
		last := n < 0
		if last {
			n = len(l.code) - l.pos
		}
		part := l.code[l.pos : l.pos+n]
		if newline := preempt.IndexByte(part, '\n'); newline >= 0 {
			l.pos += newline
			return
		}
		l.pos += n
		if last {
			return
		}
		l.pos++
		// A quote after an odd number of backslashes is part of the string.
		escapes := 0
		for escapes < len(part) && part[len(part)-1-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return
		}
	}
}

func (l *lexer) bytes(t token) []byte { return l.code[t.start:t.end] }

// name returns the name that a word, a string or a symbol stands for. If it can, it returns a part
// of the text, which costs nothing.
func (l *lexer) name(t token) string {
	b := l.bytes(t)
	if t.kind == symbol {
		b = b[1:]
	}
	if len(b) == 0 || b[0] != '"' {
		return view(b)
	}
	b = bytes.TrimSuffix(b[1:], []byte(`"`))
	if bytes.IndexByte(b, '\\') < 0 {
		return view(b)
	}
	var decoded strings.Builder
	for i := 0; i < len(b); i++ {
		c := b[i]
		if c == '\\' && i+1 < len(b) {
			i++
			switch c = b[i]; {
			case c == 'n':
				c = '\n'
			case c == 't':
				c = '\t'
			case i+1 < len(b) && isHex(c) && isHex(b[i+1]):
				c = hexDigit(c)<<4 | hexDigit(b[i+1])
				i++
			}
		}
		decoded.WriteByte(c)
	}
	return decoded.String()
}

func hexDigit(c byte) byte {
	if classes[c] == classDigit {
		return c - '0'
	}
	return c | 0x20 - 'a' + 10
}
