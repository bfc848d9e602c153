// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package mlirtest

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
)

// Rewrites change the text of a program, but not what it means. Each has a name.
var Rewrites = []struct {
	Name    string
	Rewrite func(r *rand.Rand, code string) string
}{
	{"odd bytes first", func(_ *rand.Rand, code string) string {
		return "\x00// gr\xfc\xdfe \x7f\x01 \x00 func.func \"\n" + code
	}},
	{"spaces", func(r *rand.Rand, code string) string {
		return separate(code, func() string { return strings.Repeat(oneOf(r, " ", "\n", "\t", "\r\n", "\x00"), r.IntN(3)) })
	}},
	{"comments", func(r *rand.Rand, code string) string {
		return separate(code, func() string {
			return oneOf(r, "", "//\n", "// \xe4 \" [<({ tensor<\n", "// }])> func.func private @main()\r", " // @main // \x00 \x7f\n")
		})
	}},
	{"escapes in symbols", func(r *rand.Rand, code string) string {
		return replaceTokens(code, func(t string) string {
			if t[0] != '@' || t[1] == '"' {
				return t
			}
			return `@"` + escape(r, t[1:]) + `"`
		})
	}},
	{"escapes in strings", func(r *rand.Rand, code string) string {
		return replaceTokens(code, func(t string) string {
			if t[0] != '"' || strings.Contains(t, `\`) {
				return t
			}
			return `"` + escape(r, t[1:len(t)-1]) + `"`
		})
	}},
	{"quoted names of attributes", func(r *rand.Rand, code string) string {
		return quotable.ReplaceAllStringFunc(code, func(s string) string {
			name, rest, _ := strings.Cut(s, " ")
			return `"` + escape(r, name) + `" ` + rest
		})
	}},
}

var quotable = regexp.MustCompile(`\b(sym_name|sym_visibility|callee|decomposition|called_computations) =`)

// All rewrites a program in all ways at once.
func All(r *rand.Rand, code string) string {
	for _, i := range []int{5, 4, 3, 2, 1, 0} {
		code = Rewrites[i].Rewrite(r, code)
	}
	return code
}

func oneOf(r *rand.Rand, list ...string) string { return list[r.IntN(len(list))] }

// escape writes some of the characters of s as two hexadecimal digits.
func escape(r *rand.Rand, s string) string {
	var b strings.Builder
	for i := range len(s) {
		switch r.IntN(4) {
		case 0:
			fmt.Fprintf(&b, `\%02x`, s[i])
		case 1:
			fmt.Fprintf(&b, `\%02X`, s[i])
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

// token returns the length of the token at the beginning of code, which may also be a comment or
// space. The name of a dialect includes its bracket, and the word tensor its dimensions.
func token(code string) int {
	switch c := code[0]; {
	case isSpace(code[0]):
		return span(code, isSpace)
	case strings.HasPrefix(code, "//"):
		if n := strings.IndexAny(code, "\n\r"); n >= 0 {
			return n
		}
		return len(code)
	case strings.HasPrefix(code, "{-#") || strings.HasPrefix(code, "#-}"):
		return 3
	case c == '"':
		return quoted(code)
	case c == '@' && strings.HasPrefix(code[1:], `"`):
		return 1 + quoted(code[1:])
	case c == '#' || c == '!':
		n := 1 + span(code[1:], isSuffix)
		if n > 1 && strings.HasPrefix(code[n:], "<") {
			n++
		}
		return n
	case c == '@':
		return 1 + span(code[1:], isName)
	case c == '%' || c == '^':
		return 1 + span(code[1:], isSuffix)
	case strings.HasPrefix(code, "->") || strings.HasPrefix(code, "::") || strings.HasPrefix(code, ">="):
		return 2
	case '0' <= c && c <= '9':
		return len(numbers.FindString(code[:min(len(code), 100)]))
	case isName(c):
		n := span(code, isName)
		if name := code[:n]; name == "tensor" || name == "tensor_v1" {
			n += len(dimensions.FindString(code[n:min(len(code), n+200)]))
		}
		return n
	}
	return 1
}

var (
	numbers    = regexp.MustCompile(`^(0x[0-9a-fA-F]+|[0-9]+(\.[0-9]*([eE][-+]?[0-9]+)?)?)`)
	dimensions = regexp.MustCompile(`^<\s*(([0-9]+|\?)\s*x\s*)+`)
)

func isSpace(c byte) bool { return strings.IndexByte(" \t\r\n\x00", c) >= 0 }

func isName(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '.' || c == '$'
}

func isSuffix(c byte) bool { return isName(c) || c == '-' }

// span returns the number of bytes at the beginning of s that are of a kind.
func span(s string, is func(byte) bool) int {
	for i := range len(s) {
		if !is(s[i]) {
			return i
		}
	}
	return len(s)
}

// quoted returns the length of the string at the beginning of code.
func quoted(code string) int {
	for i := 1; i < len(code); i++ {
		switch code[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(code)
}

// replaceTokens replaces tokens other than comments.
func replaceTokens(code string, replace func(string) string) string {
	var b strings.Builder
	for code != "" {
		n := token(code)
		if t := code[:n]; strings.HasPrefix(t, "//") {
			b.WriteString(t)
		} else {
			b.WriteString(replace(t))
		}
		code = code[n:]
	}
	return b.String()
}

// dims matches the parts of the beginning of a tensor type.
var dims = regexp.MustCompile(`tensor(?:_v1)?|<|[0-9]+|\?|x`)

// separate puts something between all tokens. Brackets after the name of a dialect get spaces only,
// because MLIR looks for the closing one before it takes comments out.
func separate(code string, separator func() string) string {
	open := 0
	return replaceTokens(code, func(t string) string {
		switch {
		case strings.ContainsAny(t[:1], "#!") && strings.HasSuffix(t, "<"):
			open++
		case open > 0:
			open += strings.Count(t, "<") - strings.Count(t, ">") + strings.Count(t, "->")
		}
		if open > 0 {
			return t + " "
		}
		if strings.HasPrefix(t, "tensor") && strings.Contains(t, "<") {
			t = dims.ReplaceAllStringFunc(t, func(part string) string { return part + separator() })
		}
		return t + separator()
	})
}
