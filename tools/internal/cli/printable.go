// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package cli

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
)

// Printable quotes the characters of a text that would change the state of a terminal or the look
// of the text around, such as escape sequences and marks of direction. Newlines and tabs stay.
func Printable(text string) string {
	return quoted(text, func(c rune) string {
		switch {
		case c < 0x100:
			return fmt.Sprintf(`\x%02x`, c)
		case c > 0xffff:
			return fmt.Sprintf(`\U%08x`, c)
		}
		return fmt.Sprintf(`\u%04x`, c)
	})
}

// Cell is Printable for a text that is a part of a line: it quotes newlines and tabs too.
func Cell(text string) string {
	return strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(Printable(text))
}

// PrintableJSON is Printable for JSON, which means the same afterwards.
func PrintableJSON(text string) string {
	return quoted(text, func(c rune) string {
		if high, low := utf16.EncodeRune(c); high != unicode.ReplacementChar {
			return fmt.Sprintf(`\u%04x\u%04x`, high, low)
		}
		return fmt.Sprintf(`\u%04x`, c)
	})
}

func quoted(text string, quote func(rune) string) string {
	var b strings.Builder
	for _, c := range strings.ToValidUTF8(text, "\uFFFD") {
		if c == '\n' || c == '\t' || !(unicode.Is(unicode.C, c) || unicode.Is(unicode.Zl, c) || unicode.Is(unicode.Zp, c)) {
			b.WriteRune(c)
		} else {
			b.WriteString(quote(c))
		}
	}
	return b.String()
}
