// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package wire

import (
	"fmt"
	"strings"
)

// Tokens splits protobuf's text format into words, strings with their quotes, and punctuation.
type Tokens struct {
	Rest string // what has not been read
	Err  error
}

// Next returns the next token. At the end, or after a mistake, which is in Err, it returns "".
func (t *Tokens) Next() string {
	for {
		t.Rest = strings.TrimLeft(t.Rest, " \t\r\n\v\f")
		if !strings.HasPrefix(t.Rest, "#") {
			break
		}
		_, t.Rest, _ = strings.Cut(t.Rest, "\n")
	}
	if t.Rest == "" || t.Err != nil {
		return ""
	}
	n := 1
	switch c := t.Rest[0]; {
	case IsQuote(c):
		for n < len(t.Rest) && t.Rest[n] != c && t.Rest[n] != '\n' {
			if t.Rest[n] == '\\' {
				n++
			}
			n++
		}
		if n >= len(t.Rest) || t.Rest[n] != c {
			t.Err = fmt.Errorf("the string %s has no end", t.Rest[:min(len(t.Rest), 40)])
			return ""
		}
		n++
	case IsWord(c):
		for n < len(t.Rest) && IsWord(t.Rest[n]) {
			n++
		}
	}
	token := t.Rest[:n]
	t.Rest = t.Rest[n:]
	return token
}

// IsQuote reports whether a string begins with c.
func IsQuote(c byte) bool { return c == '"' || c == '\'' }

// IsWord reports whether a word, which may be a number with a sign, has c in it.
func IsWord(c byte) bool {
	return c == '_' || c == '.' || c == '-' || c == '+' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
