// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package signature reads from the text of a StableHLO program which arguments
// its main function takes.
//
// Plugins do not check the element types and shapes of what they execute: a
// wrong type of the same size is silently reinterpreted. The C API cannot be
// asked for the parameters either, so the text is the place to look.
//
// This is no MLIR parser: it finds the main function and reads its parameter
// list, in the pretty form (func.func @main(...)) and in the generic one
// ("func.func"() <{function_type = ...}>). What it does not understand it leaves
// unknown; it never rejects a program.
package signature

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// Dynamic is the extent of a dimension that is known only at run time.
const Dynamic = -1

// A Param is the type of one parameter, or of one result.
type Param struct {
	// Type is the element type. It is dtype.Invalid where the parameter is not a
	// ranked tensor of a type that PJRT has (a token, a type alias, a quantized
	// type), and then Dims says nothing.
	Type dtype.Type
	// Dims are the extents, Dynamic for an unknown one.
	Dims []int64
}

// Known reports whether the type of the parameter could be read.
func (p Param) Known() bool { return p.Type != dtype.Invalid }

// Accepts reports whether an array of this type and these dimensions fits p.
// Everything fits what is not known.
func (p Param) Accepts(t dtype.Type, dims []int64) bool {
	if !p.Known() {
		return true
	}
	if t != p.Type || len(dims) != len(p.Dims) {
		return false
	}
	for i, d := range p.Dims {
		if d != Dynamic && d != dims[i] {
			return false
		}
	}
	return true
}

// String spells p as f32[2,3], with ? for a dynamic dimension.
func (p Param) String() string {
	if !p.Known() {
		return "unknown"
	}
	return Format(p.Type, p.Dims)
}

// Format spells an array type as f32[2,3].
func Format(t dtype.Type, dims []int64) string {
	extents := make([]string, len(dims))
	for i, d := range dims {
		extents[i] = strconv.FormatInt(d, 10)
		if d == Dynamic {
			extents[i] = "?"
		}
	}
	return fmt.Sprintf("%s[%s]", t, strings.Join(extents, ","))
}

// Main returns the parameters of the function main of program. It reports false
// when program is not text or no main function was understood.
func Main(program []byte) ([]Param, bool) {
	f, ok := find(program)
	return f.params, ok
}

// Results returns the results of the function main of program. It reports false
// when program is not text or no main function was understood.
func Results(program []byte) ([]Param, bool) {
	f, ok := find(program)
	return f.results, ok
}

// NumResults returns the number of results of the function main of program. It
// reports false when program is not text or no main function was understood.
func NumResults(program []byte) (int, bool) {
	results, ok := Results(program)
	return len(results), ok
}

// function is what is known of a function.
type function struct {
	params  []Param // not nil
	results []Param // not nil
}

// find looks for the function main.
func find(program []byte) (function, bool) {
	if bytes.HasPrefix(program, []byte("ML\xefR")) || bytes.IndexByte(program, 0) >= 0 {
		return function{}, false
	}
	s := scanner{text: string(program)}
	var found function
	best, depth := math.MaxInt, 0
	for {
		tok := s.next()
		switch {
		case tok == "":
			return found, found.params != nil
		case tok == "{":
			depth++
		case tok == "}":
			depth--
		case depth >= best:
			// A main inside a nested module is another one's.
		case tok == "func.func":
			if f, ok := pretty(s); ok {
				found, best = f, depth
			}
		case tok == `"func.func"`:
			if f, ok := generic(s); ok {
				found, best = f, depth
			}
		}
		// Nothing encloses this main but the module of the program; what follows is
		// most of a long program.
		if best <= 1 {
			return found, true
		}
	}
}

// pretty reads [visibility] @main(%a: type {attributes} loc(...), ...) -> type.
func pretty(s scanner) (function, bool) {
	name := s.next()
	if name == "public" || name == "private" || name == "nested" {
		name = s.next()
	}
	if name != "@main" && name != `@"main"` || s.next() != "(" {
		return function{}, false
	}
	params, ok := list(&s)
	if !ok {
		return function{}, false
	}
	results, ok := readResults(&s)
	return function{params, results}, ok
}

// readResults reads what follows the parameters: an arrow and one type, or an
// arrow and several in parentheses, or something else when there are none.
func readResults(s *scanner) ([]Param, bool) {
	if next := *s; next.next() != "->" {
		return []Param{}, true
	}
	s.next()
	first := s.next()
	if first == "(" {
		return list(s)
	}
	// A single type ends with the bracket that closes it, if it has one.
	tokens := []string{first}
	var open brackets
	for next := *s; len(open) > 0 || len(tokens) == 1 && next.next() == "<"; {
		tok := s.next()
		if tok == "" {
			return nil, false
		}
		tokens = append(tokens, tok)
		open.see(tok)
	}
	return []Param{param(tokens)}, true
}

// generic reads the attributes of an operation, before or after its region, and
// wants sym_name = "main" and function_type = (types) -> types among them.
func generic(s scanner) (function, bool) {
	var f function
	typed, named := false, false
	depth := 0
	var before, last string
	for {
		tok := s.next()
		switch {
		case tok == "":
			return function{}, false
		case depth == 0 && last == "(" && tok == "{":
			// The region comes first in the older form. Its content is no business of ours.
			if !s.leave() {
				return function{}, false
			}
			tok = "}"
		case tok == "{":
			depth++
		case tok == "}":
			if depth--; depth <= 0 {
				return f, typed && named
			}
		case depth == 1 && before == "sym_name" && last == "=":
			named = tok == `"main"`
		case depth == 1 && before == "function_type" && last == "=" && tok == "(":
			if f.params, typed = list(&s); !typed {
				return function{}, false
			}
			if f.results, typed = readResults(&s); !typed {
				return function{}, false
			}
		}
		before, last = last, tok
	}
}

// list reads parameters up to the closing parenthesis.
func list(s *scanner) ([]Param, bool) {
	var tokens []string
	open := brackets{")"}
	for len(open) > 0 {
		tok := s.next()
		if tok == "" {
			return nil, false
		}
		tokens = append(tokens, tok)
		open.see(tok)
	}
	params := []Param{}
	for _, one := range split(tokens[:len(tokens)-1]) {
		if len(one) > 1 && strings.HasPrefix(one[0], "%") && one[1] == ":" {
			one = one[2:]
		}
		params = append(params, param(one))
	}
	return params, true
}

// param reads tensor<2x3xf32>, whatever follows it.
func param(tokens []string) Param {
	if len(tokens) < 4 || tokens[0] != "tensor" || tokens[1] != "<" {
		return Param{}
	}
	inside, ok := group(tokens[1:])
	if !ok {
		return Param{}
	}
	// The words were cut at punctuation: complex < f32 > is put together again,
	// and an encoding after the comma is not part of the type.
	if at := index(inside, ","); at >= 0 {
		inside = inside[:at]
	}
	text := strings.Join(inside, "")
	dims := []int64{}
	for {
		extent, rest, more := strings.Cut(text, "x")
		if !more {
			break
		}
		d, err := strconv.ParseInt(extent, 10, 64)
		if extent == "?" {
			d, err = Dynamic, nil
		}
		if err != nil || d < Dynamic {
			break
		}
		dims, text = append(dims, d), rest
	}
	t, err := dtype.Parse(text)
	if err != nil || t.String() != text {
		return Param{}
	}
	return Param{Type: t, Dims: dims}
}

// closers pairs what opens a group with what closes it.
var closers = map[string]string{"(": ")", "{": "}", "<": ">", "[": "]"}

// brackets are the closers that are waited for, the next one last.
type brackets []string

func (b *brackets) see(tok string) {
	if closer, ok := closers[tok]; ok {
		*b = append(*b, closer)
	} else if n := len(*b); n > 0 && tok == (*b)[n-1] {
		*b = (*b)[:n-1]
	}
}

// group returns what stands between tokens[0], an opening bracket, and the
// bracket that closes it.
func group(tokens []string) ([]string, bool) {
	var open brackets
	for i, tok := range tokens {
		open.see(tok)
		if len(open) == 0 {
			return tokens[min(1, i):i], i > 0
		}
	}
	return nil, false
}

// split cuts tokens at the commas outside all brackets. Nothing is no element.
func split(tokens []string) [][]string {
	var all [][]string
	start := 0
	for i := 0; i < len(tokens); i++ {
		if tokens[i] == "," {
			all = append(all, tokens[start:i])
			start = i + 1
		} else if inside, ok := group(tokens[i:]); ok && closers[tokens[i]] != "" {
			i += len(inside) + 1
		}
	}
	if start < len(tokens) {
		all = append(all, tokens[start:])
	}
	return all
}

func index(tokens []string, tok string) int {
	for i := range tokens {
		if tokens[i] == tok {
			return i
		}
	}
	return -1
}

// scanner cuts MLIR into words, strings (with their quotes) and single
// punctuation marks, "->" being one. Comments and white space are dropped.
type scanner struct {
	text string
	at   int
}

// next returns the next token, or "" at the end.
func (s *scanner) next() string {
	for s.at < len(s.text) {
		rest := s.text[s.at:]
		switch c := rest[0]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			s.at++
		case strings.HasPrefix(rest, "//"):
			end := strings.IndexByte(rest, '\n')
			if end < 0 {
				end = len(rest)
			}
			s.at += end
		case c == '"' || strings.HasPrefix(rest, `@"`):
			return s.take(stringEnd(rest, strings.IndexByte(rest, '"')+1))
		case strings.HasPrefix(rest, "->"):
			return s.take(2)
		default:
			n := 0
			for n < len(rest) && word(rest[n]) && !strings.HasPrefix(rest[n:], "->") {
				n++
			}
			return s.take(max(n, 1))
		}
	}
	return ""
}

func (s *scanner) take(n int) string {
	s.at += n
	return s.text[s.at-n : s.at]
}

// leave skips everything up to the brace that closes the block the scanner is in.
func (s *scanner) leave() bool {
	for depth := 1; depth > 0; {
		switch s.next() {
		case "":
			return false
		case "{":
			depth++
		case "}":
			depth--
		}
	}
	return true
}

// stringEnd returns the index after the quote that ends the string whose content
// starts at i.
func stringEnd(text string, i int) int {
	for ; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(text)
}

func word(c byte) bool {
	return c == '_' || c == '.' || c == '%' || c == '@' || c == '!' || c == '#' || c == '$' || c == '?' || c == '-' ||
		'0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
