// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package xlaflags

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/purepjrt/purepjrt/internal/excerpt"
	"github.com/purepjrt/purepjrt/internal/wire"
)

// ParseDebugOptions reads flags from a DebugOptions message in protobuf's text
// format: the public package documents it.
func ParseDebugOptions(text string) (map[string]any, error) {
	p := textParser{wire.Tokens{Rest: text}}
	flags := make(map[string]any)
	lists := make(map[string][]string) // the elements of repeated flags, in all their places
	var repeated []Flag                // in the order of the text
	for {
		name := p.Next()
		switch {
		case p.Err != nil:
			return nil, p.Err
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
		case !wire.IsWord(name[0]):
			return nil, fmt.Errorf("expected the name of a flag, not %q", excerpt.Of(name))
		case !ok:
			return nil, Unknown(name)
		case f.Kind == Message || f.EnvOnly:
			return nil, fmt.Errorf("XLA flag %s cannot be set in this way", name)
		}
		if colon := p.Next(); colon != ":" {
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

// textParser reads flags from protobuf's text format.
type textParser struct{ wire.Tokens }

// values reads a value, or a list of them in brackets.
func (p *textParser) values(f Flag) ([]string, error) {
	token := p.Next()
	if token != "[" {
		v, err := p.value(f, token)
		return []string{v}, err
	}
	if !f.Repeated {
		return nil, fmt.Errorf("XLA flag %s takes %s, not a list", f.Name, f.wants())
	}
	var values []string
	for {
		token := p.Next()
		if token == "]" && len(values) == 0 {
			return nil, nil
		}
		v, err := p.value(f, token)
		if err != nil {
			return nil, err
		}
		values = append(values, v)
		switch end := p.Next(); end {
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
	case p.Err != nil:
		return "", p.Err
	case token == "" || !wire.IsQuote(token[0]) && !wire.IsWord(token[0]):
		return "", fmt.Errorf("XLA flag %s has no value before %q", f.Name, excerpt.Of(token))
	case wire.IsQuote(token[0]) != (f.Kind == String):
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
		if token = rest.Next(); token == "" || !wire.IsQuote(token[0]) {
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
