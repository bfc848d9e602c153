// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package restate

import (
	"strings"

	"github.com/purepjrt/purepjrt/gen/model"
)

// columns is the maximum length of the headers' lines.
const columns = 80

// memberText returns the lines of a field, with the marks that our headers give fields.
func memberText(code string, f model.Field) string {
	mark := markOf(f)
	text := "  "
	if f.Deprecated {
		text += deprecatedMark
	}
	return text + fold(code, len(mark)) + mark
}

// fold writes a member of a struct, which is indented by two columns, on one line, or on several if
// it and what follows it do not fit on one.
func fold(code string, behind int) string {
	code = oneLine(code)
	code = strings.ReplaceAll(strings.ReplaceAll(code, "( ", "("), " )", ")")
	if len("  ")+len(code)+behind <= columns {
		return code
	}
	const indent = "\n      "
	// The parameters of a function pointer, or a name after a long type.
	open := strings.LastIndex(code, ")(")
	if open < 0 {
		if i := strings.LastIndexByte(code, ' '); i > 0 {
			return code[:i] + indent + code[i+1:]
		}
		return code
	}
	var b strings.Builder
	b.WriteString(code[:open+2])
	width := columns
	for param := range strings.SplitAfterSeq(code[open+2:], ",") {
		param = strings.TrimSpace(param)
		if width+1+len(param) > columns {
			b.WriteString(indent)
			width = len(indent) - 1
		} else {
			b.WriteByte(' ')
			width++
		}
		b.WriteString(param)
		width += len(param)
	}
	return b.String()
}
