// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package hlo

import (
	"bytes"
	"strings"
)

// hasIndex reports whether a number in the text of an attribute of MLIR has the type index, as in
// {n = 5 : index}.
func hasIndex(text []byte) bool {
	afterNumber, typed := false, false // what is before the rest of the text: a number, a number and a colon
	for len(text) > 0 {
		n := 1
		switch c := text[0]; {
		case c == '"':
			for n < len(text) && text[n] != '"' {
				if text[n] == '\\' {
					n++
				}
				n++
			}
			afterNumber, typed = false, false
			n++
		case bytes.HasPrefix(text, []byte("//")):
			if n = bytes.IndexByte(text, '\n'); n < 0 {
				return false
			}
		case c == ':':
			afterNumber, typed = false, afterNumber
		case strings.IndexByte(" \t\r\n", c) >= 0:
		default:
			for n < len(text) && isWord(text[n]) && isWord(c) {
				n++
			}
			if typed && string(text[:n]) == "index" {
				return true
			}
			afterNumber, typed = '0' <= c && c <= '9', false
		}
		text = text[min(n, len(text)):]
	}
	return false
}

// isWord reports whether a byte can be part of a number, a name or a keyword.
func isWord(c byte) bool {
	return c == '_' || c == '.' || c == '$' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}
