// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package diff

import (
	"slices"
	"strings"

	"github.com/purepjrt/purepjrt/gen/model"
)

// relation says how close two types are to a reader that knows only one.
type relation int

const (
	same      relation = iota
	constOnly          // differ in const, volatile or restrict alone
	spelling           // other spelling, same bits: void* for T*, int for an enum
	different
)

// compatible reports whether bits written as one type can be read as the other.
func (r relation) compatible() bool { return r != different }

func (r relation) why() string {
	switch r {
	case constOnly:
		return "only a qualifier such as const differs, which the compiled code does not show"
	case spelling:
		return "the same bits under another type"
	default:
		return ""
	}
}

// typedefs are the names of standard types that headers of different ages use
// for one another. Parameters keep typedefs, so they are resolved here.
var typedefs = map[string]string{
	"size_t": "unsigned long", "uint64_t": "unsigned long", "uintptr_t": "unsigned long",
	"int64_t": "long", "ptrdiff_t": "long", "intptr_t": "long",
	"uint32_t": "unsigned int", "int32_t": "int",
	"uint16_t": "unsigned short", "int16_t": "short",
	"uint8_t": "unsigned char", "int8_t": "signed char",
	"_Bool": "bool",
}

// tokens splits the text of a type, drops the words struct, union and enum, and
// gives renamed types their newer names.
func tokens(text string, renamed map[string]string) []string {
	var out []string
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == ' ' || c == '\t':
			i++
		case identByte(c):
			j := i
			for j < len(text) && identByte(text[j]) {
				j++
			}
			word := text[i:j]
			i = j
			if word == "struct" || word == "union" || word == "enum" || word == "class" {
				continue
			}
			if to, ok := renamed[word]; ok {
				word = to
			}
			if to, ok := typedefs[word]; ok {
				word = to
			}
			out = append(out, strings.Fields(word)...)
		default:
			if n := len(out); c == ')' && n > 1 && out[n-2] == "(" && out[n-1] == "void" {
				out = out[:n-1] // (void) in C is () in C++, and a header may change from one to the other
			}
			out = append(out, string(c))
			i++
		}
	}
	// On the model's targets, long and long long are the same.
	return slices.CompactFunc(out, func(a, b string) bool { return a == "long" && b == "long" })
}

func identByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func dropConst(t []string) []string {
	return slices.DeleteFunc(slices.Clone(t), func(s string) bool {
		return s == "const" || s == "volatile" || s == "restrict"
	})
}

func isVoidPointer(t []string) bool { return len(t) == 2 && t[0] == "void" && t[1] == "*" }

func isPointer(t []string) bool { return slices.Contains(t, "*") && !slices.Contains(t, "[") }

// relate compares two types given as text.
func relate(oldType, newType string, renamed map[string]string) relation {
	a, b := tokens(oldType, renamed), tokens(newType, nil)
	if slices.Equal(a, b) {
		return same
	}
	a, b = dropConst(a), dropConst(b)
	switch {
	case slices.Equal(a, b):
		return constOnly
	case isVoidPointer(a) && isPointer(b), isPointer(a) && isVoidPointer(b):
		return spelling
	default:
		return different
	}
}

func fieldType(f model.Field) string {
	if f.Canon != "" {
		return f.Canon
	}
	return f.Type
}

// relateFields compares the types of two fields.
func relateFields(o, n model.Field, renamed map[string]string) relation {
	if fieldType(o) == "" || fieldType(n) == "" {
		return same // one side's types are not known
	}
	r := relate(fieldType(o), fieldType(n), renamed)
	if r == different && o.Size == n.Size && len(o.Array) == 0 && len(n.Array) == 0 &&
		(o.Kind == "int" && n.Kind == "enum" || o.Kind == "enum" && n.Kind == "int") {
		return spelling
	}
	return r
}

// signatureText returns a function's type as text: result, then parameters.
func signatureText(ret string, params []model.Param) string {
	types := make([]string, len(params))
	for i, p := range params {
		types[i] = p.Type
	}
	return ret + " (" + strings.Join(types, ", ") + ")"
}

func funcText(f *model.Func) string { return signatureText(f.Ret, f.Params) }
