// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package npy

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/purepjrt/purepjrt/internal/excerpt"
)

// literal reads the few forms of Python literals that occur in a .npy header: a dict with string
// keys, strings, True and False, integers, and tuples or lists of these.
type literal struct {
	text string
	pos  int
}

// maxDepth limits how deeply a header can nest its values, and so how much stack reading it takes.
const maxDepth = 16

var errCutOff = errors.New("it ends too early")

func (p *literal) space() {
	for p.pos < len(p.text) && strings.IndexByte(" \t\r\n\x00", p.text[p.pos]) >= 0 {
		p.pos++
	}
}

// accept skips white space and then c if it is next.
func (p *literal) accept(c byte) bool {
	p.space()
	if p.pos < len(p.text) && p.text[p.pos] == c {
		p.pos++
		return true
	}
	return false
}

func (p *literal) unexpected(want string) error {
	p.space()
	if p.pos >= len(p.text) {
		return errCutOff
	}
	return fmt.Errorf("byte %d is %q where %s should be", p.pos, p.text[p.pos], want)
}

// dict parses the whole text as one dict.
func (p *literal) dict() (map[string]any, error) {
	if !p.accept('{') {
		return nil, p.unexpected("{")
	}
	d := make(map[string]any)
	for !p.accept('}') {
		if len(d) > 0 && !p.accept(',') {
			return nil, p.unexpected(", or }")
		}
		if p.accept('}') {
			break
		}
		key, err := p.quoted()
		if err != nil {
			return nil, err
		}
		if !p.accept(':') {
			return nil, p.unexpected(":")
		}
		if _, ok := d[key]; ok {
			return nil, fmt.Errorf("key %q occurs twice", excerpt.Of(key))
		}
		if d[key], err = p.value(0); err != nil {
			return nil, err
		}
	}
	p.space()
	if p.pos < len(p.text) {
		return nil, p.unexpected("the end")
	}
	return d, nil
}

func (p *literal) quoted() (string, error) {
	p.space()
	if p.pos >= len(p.text) || p.text[p.pos] != '\'' && p.text[p.pos] != '"' {
		return "", p.unexpected("a string")
	}
	quote := p.text[p.pos]
	end := strings.IndexByte(p.text[p.pos+1:], quote)
	if end < 0 {
		return "", errCutOff
	}
	s := p.text[p.pos+1 : p.pos+1+end]
	if strings.IndexByte(s, '\\') >= 0 {
		return "", fmt.Errorf("string %q has a backslash escape, which is not supported", excerpt.Of(s))
	}
	p.pos += end + 2
	return s, nil
}

func (p *literal) value(depth int) (any, error) {
	p.space()
	rest := p.text[p.pos:]
	switch {
	case depth > maxDepth:
		return nil, errors.New("it is nested too deeply")
	case rest == "":
		return nil, errCutOff
	case strings.HasPrefix(rest, "True"):
		p.pos += len("True")
		return true, nil
	case strings.HasPrefix(rest, "False"):
		p.pos += len("False")
		return false, nil
	case rest[0] == '(':
		return p.sequence(')', depth)
	case rest[0] == '[':
		return p.sequence(']', depth)
	case rest[0] == '-' || rest[0] >= '0' && rest[0] <= '9':
		return p.integer()
	default:
		return p.quoted()
	}
}

// sequence reads a tuple or a list up to its closing bracket.
func (p *literal) sequence(end byte, depth int) ([]any, error) {
	p.pos++
	s := []any{}
	for !p.accept(end) {
		if len(s) > 0 && !p.accept(',') {
			return nil, p.unexpected("a comma or " + string(end))
		}
		if p.accept(end) {
			break
		}
		v, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		s = append(s, v)
	}
	return s, nil
}

func (p *literal) integer() (int64, error) {
	start := p.pos
	p.pos++
	for p.pos < len(p.text) && p.text[p.pos] >= '0' && p.text[p.pos] <= '9' {
		p.pos++
	}
	digits := p.text[start:p.pos]
	// Python 2 wrote long integers with an L.
	if p.pos < len(p.text) && p.text[p.pos] == 'L' {
		p.pos++
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%s is not a number of 64 bits", excerpt.Of(digits))
	}
	return n, nil
}
