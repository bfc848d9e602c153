// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package xlaflags

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/purepjrt/purepjrt/internal/excerpt"
)

// ParseDebugOptions reads flags from a DebugOptions message in protobuf's text
// format: the public package documents it.
func ParseDebugOptions(text string) (map[string]any, error) {
	p := textParser{text: text}
	flags := make(map[string]any)
	lists := make(map[string][]string) // the elements of repeated flags, in all their places
	var repeated []Flag                // in the order of the text
	for {
		name := p.next()
		switch {
		case p.err != nil:
			return nil, p.err
		case name == "":
			for _, f := range repeated {
				var err error
				if flags[f.Name], err = f.parse(strings.Join(lists[f.Name], ",")); err != nil {
					return nil, err
				}
			}
			return flags, nil
		case name == "," || name == ";":
			continue
		}
		f, ok := Lookup(name)
		switch {
		case !isWord(name[0]):
			return nil, fmt.Errorf("expected the name of a flag, not %q", excerpt.Of(name))
		case !ok:
			return nil, Unknown(name)
		case f.Kind == Message || f.EnvOnly:
			return nil, fmt.Errorf("XLA flag %s cannot be set in this way", name)
		}
		if colon := p.next(); colon != ":" {
			return nil, fmt.Errorf("XLA flag %s is followed by %q, not by a colon", name, excerpt.Of(colon))
		}
		values, err := p.values(f)
		if err != nil {
			return nil, err
		}
		if f.Repeated {
			if _, ok := lists[f.Name]; !ok {
				repeated = append(repeated, f)
			}
			lists[f.Name] = append(lists[f.Name], values...)
			continue
		}
		if flags[f.Name], err = f.parse(strings.Join(values, ",")); err != nil {
			return nil, err
		}
	}
}

// values reads a value, or a list of them in brackets.
func (p *textParser) values(f Flag) ([]string, error) {
	token := p.next()
	if token != "[" {
		v, err := p.value(f, token)
		return []string{v}, err
	}
	if !f.Repeated {
		return nil, fmt.Errorf("XLA flag %s takes %s, not a list", f.Name, f.wants())
	}
	var values []string
	for {
		token := p.next()
		if token == "]" && len(values) == 0 {
			return nil, nil
		}
		v, err := p.value(f, token)
		if err != nil {
			return nil, err
		}
		values = append(values, v)
		switch end := p.next(); end {
		case "]":
			return values, nil
		case ",":
		default:
			return nil, fmt.Errorf("the list of XLA flag %s has %q instead of a comma or a bracket", f.Name, excerpt.Of(end))
		}
	}
}

// value returns the text of a scalar. Strings are in quotes, and adjacent strings are joined.
// Everything else is a word.
func (p *textParser) value(f Flag, token string) (string, error) {
	switch {
	case p.err != nil:
		return "", p.err
	case token == "" || !isQuote(token[0]) && !isWord(token[0]):
		return "", fmt.Errorf("XLA flag %s has no value before %q", f.Name, excerpt.Of(token))
	case isQuote(token[0]) != (f.Kind == String):
		return "", fmt.Errorf("XLA flag %s takes %s, not %s", f.Name, f.wants(), excerpt.Of(token))
	case f.Kind != String:
		return token, nil
	}
	var b strings.Builder
	for {
		s, err := unquote(token)
		if err != nil {
			return "", fmt.Errorf("XLA flag %s: %w", f.Name, err)
		}
		b.WriteString(s)
		rest := *p
		if token = rest.next(); token == "" || !isQuote(token[0]) {
			break
		}
		*p = rest
	}
	if f.Repeated && strings.Contains(b.String(), ",") {
		return "", fmt.Errorf("XLA flag %s has the element %q, which contains a comma, but lists are sent with commas between elements", f.Name, excerpt.Of(b.String()))
	}
	return b.String(), nil
}

// unquote parses a string in single or double quotes, with C's escapes.
func unquote(s string) (string, error) {
	quote := s[0]
	var b []byte
	for s = s[1 : len(s)-1]; s != ""; {
		// Unlike protobuf, UnquoteChar rejects the escape of the other quote.
		if strings.HasPrefix(s, `\'`) || strings.HasPrefix(s, `\"`) || strings.HasPrefix(s, `\?`) {
			b, s = append(b, s[1]), s[2:]
			continue
		}
		r, wide, rest, err := strconv.UnquoteChar(s, quote)
		if err != nil {
			return "", fmt.Errorf("the string %c%s%c has an unknown escape", quote, excerpt.Of(s), quote)
		}
		if wide {
			b = append(b, string(r)...)
		} else {
			b = append(b, byte(r))
		}
		s = rest
	}
	return string(b), nil
}

// textParser splits protobuf's text format into words, strings with their quotes, and punctuation.
type textParser struct {
	text string
	err  error
}

// next returns the next token. At the end, or after a mistake, which is in err, it returns "".
func (p *textParser) next() string {
	for {
		p.text = strings.TrimLeft(p.text, " \t\r\n\v\f")
		if !strings.HasPrefix(p.text, "#") {
			break
		}
		_, p.text, _ = strings.Cut(p.text, "\n")
	}
	if p.text == "" || p.err != nil {
		return ""
	}
	n := 1
	switch c := p.text[0]; {
	case isQuote(c):
		for n < len(p.text) && p.text[n] != c && p.text[n] != '\n' {
			if p.text[n] == '\\' {
				n++
			}
			n++
		}
		if n >= len(p.text) || p.text[n] != c {
			p.err = fmt.Errorf("the string %s has no end", p.text[:min(len(p.text), 40)])
			return ""
		}
		n++
	case isWord(c):
		for n < len(p.text) && isWord(p.text[n]) {
			n++
		}
	}
	token := p.text[:n]
	p.text = p.text[n:]
	return token
}

func isQuote(c byte) bool { return c == '"' || c == '\'' }

func isWord(c byte) bool {
	return c == '_' || c == '.' || c == '-' || c == '+' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
