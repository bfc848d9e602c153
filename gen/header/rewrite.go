// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package header

import (
	"fmt"
	"strings"
)

// rewriter turns the C++ of one source into C that declares the same layouts,
// token by token, so that every token stays where a reader of the original
// finds it. What it takes out it notes where the facts need it.
type rewriter struct {
	*source
	*names
	edits []edit // one for each token

	cxx        bool           // C++ was seen outside the branches for C++ compilers
	namespaces []namespace    // in order of their first appearance
	space      map[int]string // index of the first token of a declaration -> innermost namespace
	scoped     map[int]bool   // index of the keyword enum of an enum class
	marked     map[int]bool   // indexes of [[nodiscard]], the opening brackets
	refs       map[int]string // index of a token that became "*" -> "&" or "&&"
	constexpr  map[int]bool   // index of the first token of a constexpr variable
	spelled    map[string]string
	unknown    map[string]int // names of types that nothing declares -> first use
	vague      map[string]int // likewise of macros
	err        error
}

// edit says what becomes of a token.
type edit struct {
	blank  bool
	repl   string // stands in its place if not empty
	suffix string // is put behind it
}

// namespace is a C++ namespace of the source.
type namespace struct{ name string }

// rewrite finds what has to change in s. known are the names of s and of all
// that it includes; spelled collects the C++ names that were replaced by C
// identifiers and is shared by the sources of one translation.
func rewrite(s *source, known *names, spelled map[string]string) (*rewriter, error) {
	r := &rewriter{
		source: s, names: known, edits: make([]edit, len(s.toks)), space: map[int]string{},
		scoped: map[int]bool{}, marked: map[int]bool{}, refs: map[int]string{}, constexpr: map[int]bool{},
		spelled: spelled, unknown: map[string]int{}, vague: map[string]int{},
	}
	for _, d := range s.dirs {
		if d.active && d.name == "pragma" && len(d.toks) > 0 && d.toks[0].text == "pack" {
			return nil, s.errorf(d.line, d.col, "packed structs are not supported")
		}
	}
	r.declarations(0, len(s.toks), "")
	return r, r.err
}

func (r *rewriter) fail(i int, format string, args ...any) {
	if r.err == nil {
		r.err = r.errorAt(i, format, args...)
	}
}

func (r *rewriter) is(i int, text ...string) bool {
	for k, w := range text {
		if i+k < 0 || i+k >= len(r.toks) || r.toks[i+k].text != w || r.toks[i+k].kind == kindString {
			return false
		}
	}
	return true
}

func (r *rewriter) ident(i int) bool {
	return i >= 0 && i < len(r.toks) && r.toks[i].kind == kindIdent && !keywords[r.toks[i].text]
}

func (r *rewriter) blank(i, j int) {
	for ; i < j && i < len(r.toks); i++ {
		r.edits[i] = edit{blank: true}
	}
}

// match is matching, with an error when the bracket is not closed before end.
func (r *rewriter) match(i, end int) int {
	open, m := match(r.toks, i)
	if m < 0 || m >= end {
		r.fail(open, "nothing closes this %q", r.toks[open].text)
		return end - 1
	}
	return m
}

// declarations handles those of a file, a namespace or an extern "C" block.
func (r *rewriter) declarations(i, end int, space string) {
	for i < end && r.err == nil {
		t := r.toks[i]
		switch {
		case t.text == ";" || t.text == "}":
			i++
		case r.is(i, "namespace") || r.is(i, "inline", "namespace"):
			i = r.namespace(i, end, space)
		case r.is(i, "extern") && i+1 < end && r.toks[i+1].kind == kindString:
			if r.is(i+2, "{") {
				// The end may stand in a branch for C++ compilers only.
				m := matching(r.toks, i+2)
				if m >= 0 && m < end {
					r.blank(m, m+1)
				} else {
					m = end
				}
				r.blank(i, i+3)
				r.cxx = true
				r.declarations(i+3, m, space)
				i = m + 1
				continue
			}
			r.blank(i+1, i+2)
			r.cxx = true
			i = r.declaration(i, end, space)
		case t.text == "static_assert" || t.text == "_Static_assert":
			if !r.is(i+1, "(") {
				i++
				continue
			}
			m := r.match(i+1, end)
			r.blank(i, m+1)
			i = m + 1
		case t.text == "template" || t.text == "friend" || t.text == "using":
			r.cxx = true
			if r.is(i, "using") && r.is(i+2, "=") && r.alias(i, end) {
				i = r.endOf(i, end)
				continue
			}
			j := r.endOf(i, end)
			r.blank(i, j)
			i = j
		case r.macroCall(i, end) > 0:
			i = r.macroCall(i, end)
		default:
			i = r.declaration(i, end, space)
		}
	}
}

// macroCall returns the index behind a call of a function-like macro at i and
// the semicolon after it, or 0 if there is none.
func (r *rewriter) macroCall(i, end int) int {
	if !r.ident(i) || !r.macros[r.toks[i].text] || !r.is(i+1, "(") {
		return 0
	}
	return r.match(i+1, end) + 1
}

func (r *rewriter) namespace(i, end int, space string) int {
	start := i
	r.cxx = true
	if r.is(i, "inline") {
		i++
	}
	inner := space
	for i++; i < end && r.toks[i].text != "{" && r.toks[i].text != ";"; i++ {
		if r.ident(i) {
			inner = r.toks[i].text
			r.addNamespace(inner)
		}
	}
	if i >= end || r.toks[i].text == ";" { // namespace a = b;
		r.blank(start, i+1)
		return i + 1
	}
	m := r.match(i, end)
	r.blank(start, i+1)
	r.declarations(i+1, m, inner)
	r.blank(m, m+1)
	return m + 1
}

func (r *rewriter) addNamespace(name string) {
	for _, n := range r.namespaces {
		if n.name == name {
			return
		}
	}
	r.namespaces = append(r.namespaces, namespace{name})
}

// alias turns "using X = T;" into "typedef T X;" and reports whether it could.
func (r *rewriter) alias(i, end int) bool {
	j := r.endOf(i, end)
	for k := i + 3; k < j-1; k++ {
		if t := r.toks[k]; t.kind != kindIdent && t.text != "*" && t.text != "::" {
			return false
		}
	}
	if j-1 <= i+3 || !r.is(j-1, ";") {
		return false
	}
	r.walk(i+3, j-1, false)
	r.edits[i] = edit{repl: "typedef"}
	r.blank(i+1, i+3)
	r.edits[j-2].suffix = " " + r.toks[i+1].text
	return true
}

// endOf returns the index behind the declaration at i.
func (r *rewriter) endOf(i, end int) int {
	params := false // a parameter list was seen at this level
	for k := i; k < end; k++ {
		switch t := r.toks[k]; t.text {
		case "(", "[":
			params = params || t.text == "("
			k = r.match(k, end)
		case "{":
			m := r.match(k, end)
			if params && r.bodyAt(k) {
				if r.is(m+1, ";") && m+1 < end {
					m++
				}
				return m + 1
			}
			k = m
		case ";":
			return k + 1
		case "}":
			return max(k, i+1)
		case "namespace", "template":
			if k > i && r.is(k-1, ")") {
				return k
			}
		case "extern", "typedef":
			// A macro call without a semicolon stands before a declaration.
			if k > i && r.is(k-1, ")") {
				return k
			}
		}
	}
	return end
}

// bodyAt reports whether the brace at k opens the body of a function.
func (r *rewriter) bodyAt(k int) bool {
	for k--; k >= 0; k-- {
		switch t := r.toks[k].text; t {
		case "const", "noexcept", "override", "final":
		case ")":
			return true
		default:
			return false
		}
	}
	return false
}

// declaration handles the one at i and returns the index behind it.
func (r *rewriter) declaration(i, end int, space string) int {
	j := r.endOf(i, end)
	if space != "" {
		r.space[i] = space
	}
	if r.skips(i, j) {
		r.cxx = true
		r.blank(i, j)
		return j
	}
	for k := i; k < j; k++ {
		if r.is(k, "constexpr") {
			r.constexpr[i] = true
		}
		if r.is(k, "=") || r.is(k, "(") {
			break
		}
	}
	r.walk(i, j, false)
	return j
}

// skips reports whether the declaration is C++ that has no meaning in C: a
// class with a body or a base, a member function defined outside its class, an
// operator, a variable of a C++ type.
func (r *rewriter) skips(i, j int) bool {
	for k := i; k < j; k++ {
		switch t := r.toks[k].text; t {
		case "operator", "~":
			return true
		case "class":
			if r.is(k-1, "enum") {
				continue
			}
			for n := k + 1; n < j; n++ {
				if r.is(n, "{") || r.is(n, ":") || r.is(n, ";") && n == k+2 {
					return true
				}
				if !r.ident(n) && !r.is(n, "::") {
					break
				}
			}
		case "struct", "union":
			n := skipAttributes(r.toks, k+1)
			if r.ident(n) && (r.is(n+1, ":") || r.is(n+1, "final", ":")) {
				return true
			}
		case "(", "{":
			// Type::function(...) outside its class.
			return t == "(" && k-2 >= i && r.is(k-2, "::") && k-3 > i
		case "=":
			for n := i; n < k; n++ {
				if r.is(n, "::") {
					return true
				}
			}
			return false
		}
	}
	return false
}

// walk rewrites the specifiers and declarators from i to j: one declaration,
// one member, or a parameter list.
func (r *rewriter) walk(i, j int, params bool) {
	typed := false // the type specifier was seen
	for k := i; k < j && r.err == nil; k++ {
		t := r.toks[k]
		switch {
		case t.kind == kindString || t.kind == kindNumber:
		case r.is(k, "[", "["):
			m := r.match(k, j)
			for n := k; n < m; n++ {
				if isNoDiscard(r.toks[n].text) {
					r.marked[k] = true
				}
			}
			r.cxx = true
			r.blank(k, m+1)
			k = m
		case t.text == "[":
			k = r.match(k, j)
		case t.text == "__attribute__" || t.text == "__declspec" || t.text == "alignas" || t.text == "_Alignas":
			if r.is(k+1, "(") {
				r.refusePacked(k, r.match(k+1, j))
				k = r.match(k+1, j)
			}
		case t.text == "struct" || t.text == "union":
			k = r.structure(k, j)
			typed = true
		case t.text == "class":
			r.edits[k] = edit{repl: "struct"}
			r.cxx = true
		case t.text == "enum":
			k = r.enum(k, j)
			typed = true
		case t.text == "::" || r.ident(k) && (r.is(k+1, "::") || !typed && r.template(k, j)):
			k = r.qualified(k, j)
			typed = true
		case t.text == "&" || t.text == "&&":
			r.refs[k] = t.text
			r.edits[k] = edit{repl: "*"}
			r.cxx = true
		case t.text == "constexpr" || t.text == "consteval" || t.text == "constinit" || t.text == "explicit" ||
			t.text == "virtual" || t.text == "mutable" || t.text == "typename":
			r.blank(k, k+1)
			r.cxx = true
		case t.text == "inline":
			r.blank(k, k+1)
		case t.text == "noexcept":
			r.cxx = true
			r.blank(k, k+1)
			if r.is(k+1, "(") {
				m := r.match(k+1, j)
				r.blank(k+1, m+1)
				k = m
			}
		case t.text == "=":
			if params {
				k = r.defaultArgument(k, j) - 1
				continue
			}
			return // an initializer is an expression: C has the same
		case t.text == ",":
			typed = typed && !params
		case t.text == "(":
			m := r.match(k, j)
			if !typed && k > i && r.ident(k-1) {
				// The call of a macro that is known, or should be.
				k = m
				typed = true
				continue
			}
			r.walk(k+1, m, r.holdsParameters(k, m))
			k = m
		case t.text == "{":
			m := r.match(k, j)
			if r.bodyAt(k) {
				r.blank(k, m+1)
				r.edits[k] = edit{repl: ";"}
			}
			k = m
		case typeWords[t.text]:
			typed = true
		case r.ident(k) && !typed:
			typed = r.typeName(k, j)
		}
	}
}

// refusePacked fails on an attribute that the C front end does not honour.
func (r *rewriter) refusePacked(k, m int) {
	for ; k < m; k++ {
		if r.is(k, "packed") || r.is(k, "__packed__") {
			r.fail(k, "packed structs are not supported")
		}
	}
}

// holdsParameters reports whether the parentheses k..m hold parameters, not a
// declarator.
func (r *rewriter) holdsParameters(k, m int) bool {
	return !r.is(k+1, "*") && !r.is(k+1, "&") && !r.is(k+1, "^")
}

// typeName looks at a name in the place of a type specifier and reports
// whether it is a type.
func (r *rewriter) typeName(k, end int) bool {
	name := r.toks[k].text
	switch {
	case r.isMacro(name):
		return false
	case r.isType(name) || preludeTypes[name]:
		return true
	case r.is(k+1, "("):
		if !r.is(k+2, "*") {
			r.note(r.vague, k)
			return false
		}
	case r.markerAt(k, end):
		r.note(r.vague, k)
		return false
	}
	r.note(r.unknown, k)
	return true
}

func (r *rewriter) note(m map[string]int, k int) {
	if _, ok := m[r.toks[k].text]; !ok {
		m[r.toks[k].text] = k
	}
}

// markerAt reports whether the unknown name at k is followed by a whole type,
// so that it can only be a macro that marks the declaration.
func (r *rewriter) markerAt(k, end int) bool {
	n := k + 1
	for n < end && r.is(n, "const") {
		n++
	}
	if n >= end {
		return false
	}
	t := r.toks[n]
	switch {
	case typeWords[t.text] || t.text == "struct" || t.text == "union" || t.text == "enum":
		return true
	case t.kind != kindIdent:
		return false
	case keywords[t.text] || n > k+1:
		return true
	}
	return n+1 < end && (r.toks[n+1].kind == kindIdent || r.is(n+1, "*") || r.is(n+1, "::") || r.is(n+1, "(", "*"))
}

// template reports whether the name at k has template arguments.
func (r *rewriter) template(k, end int) bool {
	return r.is(k+1, "<") && r.closeAngle(k+1, end) > 0
}

// closeAngle returns the index of the ">" that closes toks[k], or -1.
func (r *rewriter) closeAngle(k, end int) int {
	depth := 0
	for ; k < end; k++ {
		switch r.toks[k].text {
		case "<":
			depth++
		case ">":
			if depth--; depth == 0 {
				return k
			}
		case "(", "[", "{":
			k = r.match(k, end)
		case ";", ")", "]", "}":
			return -1
		}
	}
	return -1
}

// qualified replaces a C++ name, template arguments included, by an identifier
// and returns the index of its last token.
func (r *rewriter) qualified(k, end int) int {
	start := k
	last := k
	for k < end {
		switch {
		case r.is(k, "::"), r.is(k, "template"):
			last = k
			k++
			continue
		case r.ident(k) && (k == start || r.is(k-1, "::") || r.is(k-1, "template")):
			last = k
			k++
			if r.is(k, "<") {
				if m := r.closeAngle(k, end); m > 0 {
					last = m
					k = m + 1
				}
			}
			continue
		}
		break
	}
	text := strings.Builder{}
	for n := start; n <= last; n++ {
		if n > start && (r.toks[n-1].text == "," || r.toks[n].kind == kindIdent && r.toks[n-1].kind == kindIdent) {
			text.WriteByte(' ')
		}
		text.WriteString(r.toks[n].text)
	}
	r.cxx = true
	r.blank(start, last+1)
	r.edits[start] = edit{repl: r.spell(text.String())}
	return last
}

// spell returns the C identifier that stands for a C++ name.
func (r *rewriter) spell(text string) string {
	for id, s := range r.spelled {
		if s == text {
			return id
		}
	}
	id := fmt.Sprintf("__cxx_%d", len(r.spelled))
	r.spelled[id] = text
	return id
}

// defaultArgument blanks the one at k and returns the index behind it.
func (r *rewriter) defaultArgument(k, end int) int {
	start := k
	for ; k < end; k++ {
		switch r.toks[k].text {
		case "(", "[", "{":
			k = r.match(k, end)
		case "<":
			if m := r.closeAngle(k, end); m > 0 {
				k = m
			}
		case ",", ")":
			r.cxx = true
			r.blank(start, k)
			return k
		}
	}
	r.cxx = true
	r.blank(start, end)
	return end
}
