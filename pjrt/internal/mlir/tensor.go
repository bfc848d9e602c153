// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package mlir

import (
	"strconv"
	"strings"

	"github.com/purepjrt/purepjrt/pjrt/internal/dataflow"
)

// extent reads an extent of a tensor type with the x after it, and returns its digits or the
// question mark of an extent that is not known. It stays before what is something else.
func (l *lexer) extent() (extent []byte, ok bool) {
	l.skipSpace()
	from := l.pos
	if !l.follows('?') {
		l.skipDigits()
	}
	to := l.pos
	if from == to || l.peek() != 'x' {
		l.pos = from
		return nil, false
	}
	l.pos++
	return l.code[from:to], true
}

// tensorType reads the type of a tensor from its bracket on. It returns where its encoding begins,
// or 0 if it has none.
func (l *lexer) tensorType() (t dataflow.Type, encoding int) {
	l.next() // the bracket
	t.Dims = []int64{}
	for {
		from := l.pos
		extent, ok := l.extent()
		if !ok {
			break
		}
		n := int64(dataflow.Dynamic)
		if extent[0] != '?' {
			var err error
			if n, err = strconv.ParseInt(view(extent), 10, 64); err != nil {
				l.pos = from // too large for any type
				break
			}
		}
		t.Dims = append(t.Dims, n)
	}
	for depth := 0; ; {
		tok := l.next()
		switch tok.kind {
		case end:
			return t, encoding
		case '<', '(', '[', '{':
			depth++
		case '>', ')', ']', '}':
			if depth--; depth < 0 {
				return t, encoding
			}
		case word, typeName:
			name := operationName(strings.TrimPrefix(string(l.bytes(tok)), "!"))
			if name == "bool" { // of portable artifacts
				name = "i1"
			}
			if t.Element == "" {
				t.Element = name
			} else if t.Element == "complex" && depth == 1 {
				t.Element = "complex<" + name + ">"
			}
		case ',':
			if depth == 0 && encoding == 0 {
				encoding = l.pos
			}
		}
	}
}
