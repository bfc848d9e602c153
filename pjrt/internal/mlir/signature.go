// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package mlir

import (
	"bytes"
	"context"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/purepjrt/purepjrt/pjrt/array"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/internal/bytecode"
	"github.com/purepjrt/purepjrt/pjrt/internal/dataflow"
	"github.com/purepjrt/purepjrt/pjrt/internal/preempt"
)

// Signature has the types of a function. Those that are not ranked tensors of a type that PJRT has
// are zero.
type Signature struct {
	Params  []array.Shape // not nil
	Results []array.Shape // not nil
}

// FindMain looks for the function main in a text, and reads no further. It reports false if there
// is none that it understands, for bytecode, and for text with a zero byte, which is the end of the
// program for some compilers, and if ctx ends first.
func FindMain(ctx context.Context, program []byte) (Signature, bool) {
	if bytes.HasPrefix(program, []byte(bytecode.Magic)) || preempt.IndexByte(program, 0) >= 0 {
		return Signature{}, false
	}
	s := scanner{text: view(program), work: &work{ctx: ctx}}
	var found Signature
	best, depth := math.MaxInt, 0
	read := 0 // up to where functions have been read
	for {
		tok := s.next()
		switch {
		case tok == "":
			return found, found.Params != nil && s.work.err == nil
		case tok == "{":
			depth++
		case tok == "}":
			depth--
		case depth >= best || s.at < read:
			// A main inside a nested module is not the program's, and there is none between the
			// parts of another function.
		case tok == "func.func", tok == `"func.func"`:
			form := pretty
			if tok[0] == '"' {
				form = generic
			}
			ahead := s
			if f, ok := form(&ahead); ok {
				found, best = f, depth
			}
			read = ahead.at
		}
		// Only the module of the program encloses this main, so there is no need to scan the rest
		// of a long program.
		if best <= 1 {
			return found, true
		}
	}
}

// MainOfBytecode is like FindMain for a module in bytecode.
func MainOfBytecode(m *bytecode.Module) (Signature, bool) {
	if m.Main == nil {
		return Signature{}, false
	}
	return Signature{shapesOf(m.Main.Params), shapesOf(m.Main.Results)}, true
}

func shapesOf(types []dataflow.Type) []array.Shape {
	shapes := make([]array.Shape, len(types))
	for i, x := range types {
		if t, err := dtype.Parse(x.Element); err == nil && t.String() == x.Element {
			shapes[i] = array.Shape{Type: t, Dims: slices.Clone(x.Dims)}
		}
	}
	return shapes
}

// pretty reads a function of the form [visibility] @main(%a: type {attributes} loc(...), ...) ->
// type.
func pretty(s *scanner) (Signature, bool) {
	name := s.next()
	if name == "public" || name == "private" || name == "nested" {
		name = s.next()
	}
	if name != "@main" && name != `@"main"` || s.next() != "(" {
		return Signature{}, false
	}
	params, ok := list(s)
	if !ok {
		return Signature{}, false
	}
	results, ok := readResults(s)
	return Signature{params, results}, ok
}

// readResults reads the results after the parameters: an arrow and one type, or an arrow and
// several types in parentheses. If there is no arrow, there are no results.
func readResults(s *scanner) ([]array.Shape, bool) {
	if next := *s; next.next() != "->" {
		return []array.Shape{}, true
	}
	s.next()
	first := s.next()
	if first == "(" {
		return list(s)
	}
	// A single type with brackets ends at its closing bracket.
	p := parameter{first}
	var open brackets
	for next := *s; len(open) > 0 || len(p) == 1 && next.next() == "<"; {
		tok := s.next()
		if tok == "" {
			return nil, false
		}
		p.add(tok)
		open.see(tok)
	}
	return []array.Shape{p.shape()}, true
}

// generic reads the attributes of an operation, before or after its region. They must include
// sym_name = "main" and function_type = (types) -> types.
func generic(s *scanner) (Signature, bool) {
	var f Signature
	typed, named := false, false
	depth := 0
	var before, last string
	for {
		tok := s.next()
		switch {
		case tok == "":
			return Signature{}, false
		case depth == 0 && last == "(" && tok == "{":
			// In the older form the region comes first. Its contents do not matter here.
			if !s.leave() {
				return Signature{}, false
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
			if f.Params, typed = list(s); !typed {
				return Signature{}, false
			}
			if f.Results, typed = readResults(s); !typed {
				return Signature{}, false
			}
		}
		before, last = last, tok
	}
}

// maxParameters is more than any program has, and little memory.
const maxParameters = 1 << 18

// list reads parameters up to the closing parenthesis.
func list(s *scanner) ([]array.Shape, bool) {
	params := []array.Shape{}
	var one parameter
	for open := (brackets{')'}); ; {
		tok := s.next()
		if tok == "" {
			return nil, false
		}
		switch open.see(tok); {
		case len(open) == 0:
			if len(one) > 0 {
				params = append(params, one.shape())
			}
			return params, true
		case len(open) == 1 && tok == ",":
			if len(params) == maxParameters {
				return nil, false
			}
			params = append(params, one.shape())
			one = one[:0]
		default:
			one.add(tok)
		}
	}
}

// parameter has the tokens of a parameter, or the first of them.
type parameter []string

// maxTokens is more than any type of a tensor has. Attributes and a location, which come after it,
// do not matter.
const maxTokens = 1 << 10

func (p *parameter) add(tok string) {
	if len(*p) < maxTokens {
		*p = append(*p, tok)
	}
}

// shape reads a type such as tensor<2x3xf32>, and ignores the tokens after it.
func (p parameter) shape() array.Shape {
	tokens := p
	if len(tokens) > 1 && strings.HasPrefix(tokens[0], "%") && tokens[1] == ":" {
		tokens = tokens[2:]
	}
	if len(tokens) < 4 || tokens[0] != "tensor" || tokens[1] != "<" {
		return array.Shape{}
	}
	inside, ok := group(tokens[1:])
	if !ok {
		return array.Shape{}
	}
	// The scanner splits at punctuation, so rejoin tokens such as complex < f32 >. An encoding
	// after a comma is not part of the type.
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
			d, err = array.Dynamic, nil
		}
		if err != nil || d < 0 && extent != "?" {
			break
		}
		dims, text = append(dims, d), rest
	}
	t, err := dtype.Parse(text)
	if err != nil || t.String() != text {
		return array.Shape{}
	}
	return array.Shape{Type: t, Dims: dims}
}

// closer returns the bracket that closes an opening one, or 0 for another token.
func closer(tok string) byte {
	switch tok {
	case "(":
		return ')'
	case "{":
		return '}'
	case "<":
		return '>'
	case "[":
		return ']'
	}
	return 0
}

// brackets is a stack of the closing brackets still to come.
type brackets []byte

func (b *brackets) see(tok string) {
	if c := closer(tok); c != 0 {
		*b = append(*b, c)
	} else if n := len(*b); n > 0 && len(tok) == 1 && tok[0] == (*b)[n-1] {
		*b = (*b)[:n-1]
	}
}

// group returns the tokens between tokens[0], an opening bracket, and its closing bracket.
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

func index(tokens []string, tok string) int {
	for i := range tokens {
		if tokens[i] == tok {
			return i
		}
	}
	return -1
}

// scanner splits MLIR into words, strings (with their quotes) and punctuation marks, of which "->"
// is one. It drops comments and white space.
type scanner struct {
	text string
	at   int
	work *work
}

// next returns the next token, or "" at the end.
func (s *scanner) next() string {
	if !s.work.step() {
		s.at = len(s.text)
	}
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
			for n < len(rest) && isNamePart(rest[n]) && !strings.HasPrefix(rest[n:], "->") {
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

// leave skips to the end of the block that the scanner is in.
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

func isNamePart(c byte) bool {
	return c == '_' || c == '.' || c == '%' || c == '@' || c == '!' || c == '#' || c == '$' || c == '?' || c == '-' ||
		'0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
