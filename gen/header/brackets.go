// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package header

// matching returns the index of the bracket that closes toks[i], or -1.
func matching(toks []token, i int) int {
	_, m := match(toks, i)
	return m
}

// match returns the index of the bracket that closes toks[i], or -1 and the
// index of the innermost bracket that nothing closes.
func match(toks []token, i int) (open, closing int) {
	stack := make([]int, 0, 8)
	for ; i < len(toks); i++ {
		if toks[i].kind != kindPunct {
			continue
		}
		switch t := toks[i].text; t {
		case "(", "[", "{":
			stack = append(stack, i)
		case ")", "]", "}":
			top := len(stack) - 1
			if top < 0 || counterpart[toks[stack[top]].text] != t {
				if top < 0 {
					return i, -1
				}
				return stack[top], -1
			}
			if top == 0 {
				return stack[0], i
			}
			stack = stack[:top]
		}
	}
	if len(stack) == 0 {
		return max(len(toks)-1, 0), -1
	}
	return stack[len(stack)-1], -1
}

var counterpart = map[string]string{"(": ")", "[": "]", "{": "}"}

// opening returns the index of the bracket that toks[i] closes, or -1. It does not look at brackets
// of other forms.
func opening(toks []token, i int) int {
	closing := toks[i].text
	for depth := 0; i >= 0; i-- {
		switch t := toks[i]; {
		case t.kind == kindString:
		case t.text == closing:
			depth++
		case counterpart[t.text] == closing:
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// skipAttributes returns the index after [[...]] and __attribute__((...)) at i.
func skipAttributes(toks []token, i int) int {
	for i+1 < len(toks) {
		switch {
		case toks[i].text == "[" && toks[i+1].text == "[",
			attributeWords[toks[i].text] && toks[i+1].text == "(":
			j := i
			if toks[i].text != "[" {
				j++
			}
			m := matching(toks, j)
			if m < 0 {
				return len(toks)
			}
			i = m + 1
		default:
			return i
		}
	}
	return i
}
