// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package lint

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/purepjrt/purepjrt/gen/header"
	"github.com/purepjrt/purepjrt/gen/model"
)

// maxMissing bounds how many faults Text passes over.
const maxMissing = 20

// Text reads a header and returns its faults in the order of their places. text is the text of the
// file at path. A constant that names a field that its struct does not have is a fault like any
// other: the header is read without it. The model is nil if the declaration of such a constant
// cannot be left out.
func Text(path string, text []byte, opts header.Options) (*model.Header, []Finding, error) {
	var found []Finding
	var taken []byte // declarations that were left out
	for {
		h, err := header.ParseText(path, text, opts)
		if err == nil {
			found = append(found, Header(h)...)
			// A faulty constant is not a missing one.
			names := strings.FieldsFunc(string(taken), func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
			found = slices.DeleteFunc(found, func(f Finding) bool {
				return f.Rule == NoSizeConstant && (slices.Contains(names, f.Item) || slices.Contains(names, f.Item+"_STRUCT_SIZE"))
			})
			slices.SortStableFunc(found, Compare)
			return h, found, nil
		}
		var e *header.Error
		if !errors.As(err, &e) || e.Member == "" || e.Path != path {
			return nil, nil, err
		}
		found = append(found, Finding{
			Rule: MissingField, Item: e.Member, Pos: model.Pos{Line: e.Line, Col: e.Col},
			Problem: fmt.Sprintf("a constant names the field %s, which its struct does not have", e.Member),
			Advice:  "name the last field of the struct",
		})
		rest, gone := without(text, e.Line)
		if gone == nil || len(found) == maxMissing {
			return nil, found, nil
		}
		text, taken = rest, append(append(taken, gone...), ';')
	}
}

// without returns the text with spaces in place of the declaration that begins on a line, up to its
// semicolon, and that declaration. It returns nil if the declaration does not end.
func without(text []byte, line int) (rest, gone []byte) {
	at := 0
	for range line - 1 {
		i := bytes.IndexByte(text[at:], '\n')
		if i < 0 {
			return nil, nil
		}
		at += i + 1
	}
	end := bytes.IndexByte(text[at:], ';')
	if end < 0 {
		return nil, nil
	}
	out := bytes.Clone(text)
	for i := at; i <= at+end; i++ {
		if out[i] != '\n' && out[i] != '\r' {
			out[i] = ' '
		}
	}
	return out, text[at : at+end]
}
