// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package corpus

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// separator is the line between the parts of a file of tests.
const separator = "// -----"

// split cuts a file at its separators. The parts keep their comments.
func split(text string) []string {
	parts := []string{""}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimSpace(line), separator) {
			parts = append(parts, "")
			continue
		}
		parts[len(parts)-1] += line
	}
	return parts
}

// uncomment removes the comments.
func uncomment(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		switch {
		case text[i] == '"':
			end := quoted(text, i)
			b.WriteString(text[i:end])
			i = end
		case strings.HasPrefix(text[i:], "//"):
			n := strings.IndexByte(text[i:], '\n')
			if n < 0 {
				return b.String()
			}
			i += n
		default:
			b.WriteByte(text[i])
			i++
		}
	}
	return b.String()
}

// quoted returns the end of the string that begins at i.
func quoted(text string, i int) int {
	for j := i + 1; j < len(text); j++ {
		switch text[j] {
		case '\\':
			j++
		case '"':
			return j + 1
		}
	}
	return len(text)
}

// closing returns the position of the bracket that closes the one at i, or -1.
func closing(text string, i int) int {
	depth := 0
	for ; i < len(text); i++ {
		switch text[i] {
		case '"':
			i = quoted(text, i) - 1
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// function is a function of a module.
type function struct {
	name       string
	params     string // between the parentheses
	begin, end int    // of the whole function, in the module
	body       []statement
}

// statement is an operation with everything that belongs to it.
type statement struct {
	text    string
	results []string // %0 or %0:2, without the part after the colon
	op      string   // what follows the equals sign
}

var (
	functionWord = regexp.MustCompile(`\bfunc\.func\s+(?:(?:public|private|nested)\s+)?@([\w$.-]+)\s*\(`)
	resultsOf    = regexp.MustCompile(`^\s*((?:%[\w$.-]+(?::\d+)?\s*,\s*)*%[\w$.-]+(?::\d+)?)\s*=\s*`)
	beginning    = regexp.MustCompile(`^\s*(?:%[\w$.-]+(?::\d+)?(?:\s*,\s*%[\w$.-]+(?::\d+)?)*\s*=|"[\w.]+"\s*\(|[a-z_]+\.[\w.]+|call\b|return\b)`)
	goesOn       = regexp.MustCompile(`(?:[,=:(]|->)\s*$`)
	value        = regexp.MustCompile(`%[\w$.-]+(?:#\d+)?`)
)

// functions returns the functions of a module without comments.
func functions(module string) ([]*function, error) {
	var list []*function
	for at := 0; ; {
		m := functionWord.FindStringSubmatchIndex(module[at:])
		if m == nil {
			return list, nil
		}
		f := &function{name: module[at+m[2] : at+m[3]], begin: at + m[0]}
		open := at + m[1] - 1
		end := closing(module, open)
		if end < 0 {
			return nil, fmt.Errorf("the parameters of @%s do not end", f.name)
		}
		f.params = strings.TrimSpace(module[open+1 : end])
		brace := bodyOf(module, end+1)
		if brace < 0 {
			return nil, fmt.Errorf("@%s has no body", f.name)
		}
		last := closing(module, brace)
		if last < 0 {
			return nil, fmt.Errorf("the body of @%s does not end", f.name)
		}
		f.body = statements(module[brace+1 : last])
		f.end = last + 1
		list = append(list, f)
		at = f.end
	}
}

// bodyOf finds the brace of a body after the parameters. In between there may be the
// results, with or without parentheses, and attributes.
func bodyOf(text string, i int) int {
	attributes := false
	for i < len(text) {
		switch c := text[i]; {
		case c == '"':
			i = quoted(text, i)
		case c == '(' || c == '[' || c == '{' && attributes:
			end := closing(text, i)
			if end < 0 {
				return -1
			}
			i, attributes = end+1, false
		case c == '{':
			return i
		case strings.HasPrefix(text[i:], "attributes"):
			attributes = true
			i += len("attributes")
		default:
			i++
		}
	}
	return -1
}

// statements splits a body into its operations. Each begins on a new line; text within
// brackets belongs to one operation.
func statements(body string) []statement {
	var texts []string
	depth := 0
	for line := range strings.Lines(body) {
		begins := depth == 0 && beginning.MatchString(line)
		if begins && len(texts) > 0 && goesOn.MatchString(texts[len(texts)-1]) {
			begins = false
		}
		switch {
		case begins:
			texts = append(texts, line)
		case len(texts) > 0:
			texts[len(texts)-1] += line
		}
		for i := 0; i < len(line); i++ {
			switch line[i] {
			case '"':
				i = quoted(line, i) - 1
			case '(', '[', '{':
				depth++
			case ')', ']', '}':
				depth--
			}
		}
	}
	var list []statement
	for _, text := range texts {
		s := statement{text: text, op: strings.TrimSpace(text)}
		if m := resultsOf.FindStringSubmatchIndex(text); m != nil {
			for _, r := range strings.Split(text[m[2]:m[3]], ",") {
				name, _, _ := strings.Cut(strings.TrimSpace(r), ":")
				s.results = append(s.results, name)
			}
			s.op = strings.TrimSpace(text[m[1]:])
		}
		list = append(list, s)
	}
	return list
}

var (
	constantOp = regexp.MustCompile(`^"?(?:stablehlo|arith|mhlo)\.constant"?\b`)
	callOp     = regexp.MustCompile(`^(?:func\.)?call\s+@([\w$.-]+)\s*\(\s*\)`)
	returnOp   = regexp.MustCompile(`^"?(?:func\.|stablehlo\.)?return"?(?:\W|$)`)
)

// dense finds the literal of an operation. It returns what is inside dense<...>, and the
// text without it.
func dense(op string) (body, rest string, ok bool) {
	at := strings.Index(op, "dense<")
	if at < 0 {
		return "", op, false
	}
	for i := at + len("dense<"); i < len(op); i++ {
		switch op[i] {
		case '"':
			i = quoted(op, i) - 1
		case '>':
			return op[at+len("dense<") : i], op[:at] + op[i+1:], true
		}
	}
	return "", op, false
}

// tensors returns the tensor types in the text.
func tensors(text string) []string {
	var list []string
	for {
		at := strings.Index(text, "tensor<")
		if at < 0 {
			return list
		}
		depth := 0
		end := -1
		for i := at; i < len(text) && end < 0; i++ {
			switch text[i] {
			case '<':
				depth++
			case '>':
				if depth--; depth == 0 {
					end = i + 1
				}
			}
		}
		if end < 0 {
			return list
		}
		list = append(list, text[at:end])
		text = text[end:]
	}
}

// operands returns the values that an operation takes.
func operands(op string) []string { return value.FindAllString(op, -1) }

// base splits the number off %0#1.
func base(name string) (string, int) {
	b, n, _ := strings.Cut(name, "#")
	i := 0
	for _, c := range n {
		i = 10*i + int(c-'0')
	}
	return b, i
}

// define finds the operation that defines a value, and which of the operation's results the
// value is.
func (f *function) define(name string) (*statement, int, error) {
	b, n := base(name)
	for i := range f.body {
		s := &f.body[i]
		if at := slices.Index(s.results, b); at >= 0 {
			return s, at + n, nil
		}
	}
	return nil, 0, fmt.Errorf("%s is defined nowhere in @%s", name, f.name)
}

// errNotConstant is the error for a value that is computed.
var errNotConstant = errors.New("it is not a constant")

// returned returns the values that the function returns.
func (f *function) returned() ([]string, error) {
	if len(f.body) == 0 || !returnOp.MatchString(f.body[len(f.body)-1].op) {
		return nil, fmt.Errorf("@%s does not end with a return", f.name)
	}
	return operands(f.body[len(f.body)-1].op), nil
}
