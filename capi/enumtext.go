// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package capi

import (
	"fmt"
	"strings"
)

// integer lists the underlying types of enum types.
type integer interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

// EnumValue is one enumerator of an EnumText and its three names.
type EnumValue[E integer] struct {
	Value E
	Text  string // short form, such as INVALID_ARGUMENT
	C     string // as the header spells it
	Go    string // of the Go constant
}

// EnumText turns the values of a C enumeration into text and back. Each generated enum type has
// one, in this package and in those that pjrtgen extension writes elsewhere. It is read only, and
// any goroutine may use it.
type EnumText[E integer] struct {
	Type   string // Go name
	Values []EnumValue[E]
}

// String returns the short text of v, or the type and the number, such as ErrorCode(99), if no
// enumerator has that value.
func (e *EnumText[E]) String(v E) string {
	for i := range e.Values {
		if e.Values[i].Value == v {
			return e.Values[i].Text
		}
	}
	return fmt.Sprintf("%s(%d)", e.Type, v)
}

// Parse returns the value that s names. s is its short text, C name or Go name, in upper or lower
// case, or has the form that String gives to unknown numbers.
func (e *EnumText[E]) Parse(s string) (E, error) {
	for i := range e.Values {
		v := &e.Values[i]
		if strings.EqualFold(s, v.Text) || strings.EqualFold(s, v.C) || strings.EqualFold(s, v.Go) {
			return v.Value, nil
		}
	}
	if n, ok := e.number(s); ok {
		return n, nil
	}
	known := make([]string, len(e.Values))
	for i := range e.Values {
		known[i] = e.Values[i].Text
	}
	return 0, fmt.Errorf("%q is not a known %s: use one of %s", s, e.Type, strings.Join(known, ", "))
}

// number reads the form Type(99).
func (e *EnumText[E]) number(s string) (E, bool) {
	if len(s) < len(e.Type)+3 || !strings.EqualFold(s[:len(e.Type)], e.Type) {
		return 0, false
	}
	var n E
	rest := s[len(e.Type):]
	if _, err := fmt.Sscanf(rest, "(%d)", &n); err != nil || fmt.Sprintf("(%d)", n) != rest {
		return 0, false
	}
	return n, true
}

// All returns the values in the header's order, each once.
func (e *EnumText[E]) All() []E {
	out := make([]E, 0, len(e.Values))
	seen := make(map[E]bool, len(e.Values))
	for i := range e.Values {
		if v := e.Values[i].Value; !seen[v] {
			seen[v] = true
			out = append(out, v)
		}
	}
	return out
}
