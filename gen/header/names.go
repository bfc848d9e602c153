// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package header

import "strings"

// names are the identifiers that a set of sources declares, found without
// parsing them. They tell a type that C++ may name without its keyword, a
// macro, and a name that nothing declares.
type names struct {
	tags     map[string]string // struct, union or enum tags -> the keyword
	typedefs map[string]bool
	macros   map[string]bool // true for function-like ones
	others   map[string]bool // enumerators
	bare     map[string]bool // names used without a tag keyword before them
}

func newNames() *names {
	return &names{
		tags: map[string]string{}, typedefs: map[string]bool{}, macros: map[string]bool{},
		others: map[string]bool{}, bare: map[string]bool{},
	}
}

// isType reports whether n declares name as a type that can stand alone, as it
// can in C++ for any tag.
func (n *names) isType(name string) bool {
	if n.typedefs[name] {
		return true
	}
	_, ok := n.tags[name]
	return ok
}

func (n *names) isMacro(name string) bool {
	_, ok := n.macros[name]
	return ok
}

// collect adds the names of s.
func (n *names) collect(s *source) {
	for _, d := range s.dirs {
		if d.name == "define" && len(d.toks) > 0 {
			t := d.toks
			fn := len(t) > 1 && t[1].text == "(" && t[1].off == t[0].end()
			n.macros[t[0].text] = n.macros[t[0].text] || fn
		}
	}
	toks := s.toks
	for i := 0; i < len(toks); i++ {
		t := toks[i]
		if t.kind != kindIdent {
			continue
		}
		switch t.text {
		case "struct", "union", "class", "enum":
			j := i + 1
			if t.text == "enum" && j < len(toks) && (toks[j].text == "class" || toks[j].text == "struct") {
				j++
			}
			j = skipAttributes(toks, j)
			if j < len(toks) && toks[j].kind == kindIdent && !keywords[toks[j].text] {
				word := t.text
				if word == "class" {
					word = "struct"
				}
				if _, ok := n.tags[toks[j].text]; !ok {
					n.tags[toks[j].text] = word
				}
				i = j
			}
			if t.text == "enum" {
				n.enumerators(toks, j)
			}
		case "typedef":
			n.typedef(toks, i+1)
		case "using":
			if i+2 < len(toks) && toks[i+2].text == "=" {
				n.typedefs[toks[i+1].text] = true
			}
		default:
			if !keywords[t.text] {
				n.bare[t.text] = true
			}
		}
	}
}

// enumerators adds those of the enum whose tag, or whose brace, is toks[i].
func (n *names) enumerators(toks []token, i int) {
	for ; i < len(toks) && toks[i].text != "{"; i++ {
		if toks[i].text == ";" || toks[i].text == "}" || toks[i].text == ")" {
			return
		}
	}
	for ; i < len(toks) && toks[i].text != "}"; i++ {
		if (toks[i].text == "{" || toks[i].text == ",") && i+1 < len(toks) && toks[i+1].kind == kindIdent {
			n.others[toks[i+1].text] = true
		}
	}
}

// typedef adds the names that the typedef whose specifiers begin at toks[i]
// declares.
func (n *names) typedef(toks []token, i int) {
	depth := 0
	found, last := "", ""
	for ; i < len(toks); i++ {
		t := toks[i]
		switch t.text {
		case "{":
			depth++
		case "}":
			if depth == 0 {
				return
			}
			depth--
		}
		if depth > 0 {
			continue
		}
		switch {
		case t.text == "(":
			// The name is inside "(*name)" or before "name(".
			j := i + 1
			for j < len(toks) && (toks[j].text == "*" || toks[j].text == "const") {
				j++
			}
			if j > i+1 && j < len(toks) && toks[j].kind == kindIdent && found == "" {
				found = toks[j].text
			} else if found == "" {
				found = last
			}
			i = matching(toks, i)
			if i < 0 {
				return
			}
		case t.text == "[" && found == "":
			found = last
		case t.text == "," || t.text == ";":
			if found == "" {
				found = last
			}
			if found != "" {
				n.typedefs[found] = true
			}
			found = ""
			if t.text == ";" {
				return
			}
		case t.kind == kindIdent:
			last = t.text
		}
	}
}

// matching returns the index of the bracket that closes toks[i], or -1.
func matching(toks []token, i int) int {
	_, m := match(toks, i)
	return m
}

// match returns the index of the bracket that closes toks[i]; -1 and the
// index of the innermost bracket that nothing closes if there is none.
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

// skipAttributes returns the index behind [[...]] and __attribute__((...)) at i.
func skipAttributes(toks []token, i int) int {
	for i+1 < len(toks) {
		switch {
		case toks[i].text == "[" && toks[i+1].text == "[",
			(toks[i].text == "__attribute__" || toks[i].text == "alignas" || toks[i].text == "__declspec") && toks[i+1].text == "(":
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

// isNoDiscard reports whether a macro or attribute of this name marks results
// that must be looked at.
func isNoDiscard(name string) bool {
	s := strings.ReplaceAll(strings.ToLower(name), "_", "")
	return strings.Contains(s, "nodiscard") || strings.Contains(s, "warnunusedresult")
}

func wordSet(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

// typeWords are the keywords that name a type or a part of one.
var typeWords = wordSet(`void char short int long float double signed unsigned _Bool _Complex auto
	__int128 wchar_t char8_t char16_t char32_t`)

// specifierWords are the keywords that may stand before or between them.
var specifierWords = wordSet(`const volatile restrict __restrict extern static register typedef inline
	_Thread_local thread_local _Noreturn _Atomic constexpr consteval constinit mutable explicit virtual
	friend typename __extension__ __inline __const`)

// keywords are no identifiers. The C++ ones are among them: a header that both
// languages read cannot use them as names.
var keywords = func() map[string]bool {
	m := wordSet(`struct union enum class namespace template using static_assert _Static_assert sizeof alignof
		_Alignof alignas _Alignas __attribute__ __declspec operator noexcept override final nullptr true false
		return if else for while do switch case break continue goto default decltype`)
	for _, w := range []map[string]bool{typeWords, specifierWords} {
		for k := range w {
			m[k] = true
		}
	}
	// These are words only where nothing else can stand; C uses them as names.
	delete(m, "final")
	delete(m, "override")
	return m
}()
