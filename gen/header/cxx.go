// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package header

import (
	"fmt"
	"strings"
)

// remover takes the C++ out of one source, token by token, so that every token stays
// where a reader of the original finds it. It notes what it takes out where the facts
// need it.
//
// It goes by tokens that C does not have, or not at that place: namespace, "::", a
// reference, a value for a parameter or a member, a body after parameters, a base class.
// It does not know which names are types and which are variables. So it leaves every
// declaration, however its name is wrapped, to the C front end, which says what is wrong
// with it.
type remover struct {
	*source
	*unit
	edits   []edit // one for each token
	asTypes bool   // an enum's tag is a type's name, as in C++

	cxx        bool           // C++ was seen outside the branches for C++ compilers
	starts     []int          // the first tokens of the declarations at file level
	namespaces []string       // in order of their first appearance
	space      map[int]string // index of the first token of a declaration -> innermost namespace
	scoped     map[int]bool   // index of the keyword enum of an enum class
	marked     map[int]bool   // indexes of [[nodiscard]], the opening brackets
	refs       map[int]string // index of a token that became "*" -> "&" or "&&"
	constexpr  map[int]bool   // index of the first token of a constexpr variable
	spelled    map[string]string
	enumTypes  []string // the typedefs of enums in the declaration at hand
	err        error
}

// edit says what becomes of a token.
type edit struct {
	blank  bool
	repl   string // replaces it if not empty
	suffix string // is put after it
}

// remove finds what has to change in s, a source of u. Spelled collects the C++
// names that were replaced by C identifiers and is shared by the sources of one
// translation.
func remove(u *unit, s *source, spelled map[string]string, asTypes bool) (*remover, error) {
	r := &remover{
		source: s, unit: u, edits: make([]edit, len(s.toks)), asTypes: asTypes, space: map[int]string{},
		scoped: map[int]bool{}, marked: map[int]bool{}, refs: map[int]string{}, constexpr: map[int]bool{}, spelled: spelled,
	}
	r.declarations(0, len(s.toks), "")
	return r, r.err
}

func (r *remover) fail(i int, format string, args ...any) {
	if r.err == nil {
		r.err = r.errorAt(i, format, args...)
	}
}

func (r *remover) is(i int, text ...string) bool {
	for k, w := range text {
		if i+k < 0 || i+k >= len(r.toks) || r.toks[i+k].text != w || r.toks[i+k].kind == kindString {
			return false
		}
	}
	return true
}

func (r *remover) ident(i int) bool {
	return i >= 0 && i < len(r.toks) && r.toks[i].kind == kindIdent && !keywords[r.toks[i].text]
}

func (r *remover) isMacro(name string) bool {
	_, ok := r.macros[name]
	return ok
}

// macroCall reports whether a function-like macro is called at i.
func (r *remover) macroCall(i int) bool {
	return r.ident(i) && r.macros[r.toks[i].text] && r.is(i+1, "(")
}

// take blanks the tokens from i to j, exclusive, which are C++.
func (r *remover) take(i, j int) {
	r.cxx = true
	r.blank(i, j)
}

func (r *remover) blank(i, j int) {
	for ; i < j && i < len(r.toks); i++ {
		r.edits[i] = edit{blank: true}
	}
}

// match is matching, with an error if the bracket is not closed before end.
func (r *remover) match(i, end int) int {
	open, m := match(r.toks, i)
	if m < 0 || m >= end {
		r.fail(open, "nothing closes this %q: add the closing one, or remove this", r.toks[open].text)
		return end - 1
	}
	return m
}

// declarations handles the declarations of a file, a namespace or an extern "C" block.
func (r *remover) declarations(i, end int, space string) {
	for i < end && r.err == nil {
		switch {
		case r.is(i, ";") || r.is(i, "}"):
			i++
		case r.is(i, "namespace") || r.is(i, "inline", "namespace"):
			i = r.namespace(i, end, space)
		case r.is(i, "extern") && i+1 < end && r.toks[i+1].kind == kindString:
			if !r.is(i+2, "{") {
				r.take(i+1, i+2)
				i = r.declaration(i, end, space)
				continue
			}
			// The end may be in a branch for C++ compilers only.
			m := matching(r.toks, i+2)
			if m >= 0 && m < end {
				r.blank(m, m+1)
			} else {
				m = end
			}
			r.take(i, i+3)
			r.declarations(i+3, m, space)
			i = m + 1
		case r.is(i, "static_assert", "("), r.is(i, "_Static_assert", "("):
			m := r.match(i+1, end)
			r.blank(i, m+1)
			i = m + 1
		case r.is(i, "template"), r.is(i, "friend"), r.is(i, "using"):
			j := r.endOf(i, end)
			if !r.alias(i, j) {
				r.take(i, j)
			}
			i = j
		case r.macroCall(i):
			r.starts = append(r.starts, i)
			i = r.match(i+1, end) + 1
		default:
			i = r.declaration(i, end, space)
		}
	}
}

func (r *remover) namespace(i, end int, space string) int {
	start, inner := i, space
	if r.is(i, "inline") {
		i++
	}
	for i++; i < end && !r.is(i, "{") && !r.is(i, ";"); i++ {
		if r.ident(i) {
			inner = r.toks[i].text
			r.addNamespace(inner)
		}
	}
	r.take(start, i+1)
	if i >= end || r.is(i, ";") { // namespace a = b;
		return i + 1
	}
	m := r.match(i, end)
	r.declarations(i+1, m, inner)
	r.blank(m, m+1)
	return m + 1
}

func (r *remover) addNamespace(name string) {
	for _, n := range r.namespaces {
		if n == name {
			return
		}
	}
	r.namespaces = append(r.namespaces, name)
}

// alias turns "using X = T;", which ends before j, into "typedef T X;" and
// reports whether it could.
func (r *remover) alias(i, j int) bool {
	if !r.is(i, "using") || !r.is(i+2, "=") || j-1 <= i+3 || !r.is(j-1, ";") {
		return false
	}
	for k := i + 3; k < j-1; k++ {
		if t := r.toks[k]; t.kind != kindIdent && t.text != "*" && t.text != "::" {
			return false
		}
	}
	r.walk(i+3, j-1, false)
	r.take(i+1, i+3)
	r.edits[i] = edit{repl: "typedef"}
	r.edits[j-2].suffix = " " + r.toks[i+1].text
	return true
}

// endOf returns the index after the declaration at i.
func (r *remover) endOf(i, end int) int {
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
		}
	}
	return end
}

// bodyAt reports whether the brace at k opens the body of a function.
func (r *remover) bodyAt(k int) bool {
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

// declaration handles the declaration at i and returns the index after it.
func (r *remover) declaration(i, end int, space string) int {
	j := r.endOf(i, end)
	r.starts = append(r.starts, i)
	if space != "" {
		r.space[i] = space
	}
	if r.skips(i, j) {
		r.take(i, j)
		return j
	}
	for k := i; k < j && !r.is(k, "=") && !r.is(k, "("); k++ {
		if r.is(k, "constexpr") {
			r.constexpr[i] = true
		}
	}
	r.enumTypes = nil
	r.walk(i, j, false)
	if j > i && r.is(j-1, ";") {
		r.edits[j-1].suffix += strings.Join(r.enumTypes, "")
	}
	return j
}

// skips reports whether the declaration is C++ that has no meaning in C: a
// class with a body or a base, a member function defined outside its class, an
// operator, a variable of a C++ type.
func (r *remover) skips(i, j int) bool {
	for k := i; k < j; k++ {
		switch t := r.toks[k].text; t {
		case "operator", "~":
			return true
		case "class":
			if r.is(k-1, "enum") {
				continue
			}
			for n := k + 1; n < j && !r.is(n, ";"); n++ {
				if r.is(n, "{") || r.is(n, ":") {
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
		case "(":
			return k-3 > i && r.is(k-2, "::") // Type::function(...) outside its class
		case "{":
			return false
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

// walk takes the C++ out of the specifiers and declarators from i to j: one declaration,
// one member, or what is in parentheses.
func (r *remover) walk(i, j int, params bool) {
	for k := i; k < j && r.err == nil; k++ {
		switch t := r.toks[k]; {
		case t.kind == kindString || t.kind == kindNumber:
		case r.is(k, "[", "["):
			k = r.attribute(k, j)
		case t.text == "[":
			k = r.match(k, j)
		case attributeWords[t.text] || t.text == "decltype" || t.text == "__typeof__":
			if r.is(k+1, "(") {
				k = r.match(k+1, j)
			}
		case t.text == "struct" || t.text == "union":
			k = r.structure(k, j)
		case t.text == "class":
			r.cxx = true
			r.edits[k] = edit{repl: "struct"}
		case t.text == "enum":
			k = r.enum(k, j)
		case t.text == "::" || r.ident(k) && (r.is(k+1, "::") || r.template(k, j)):
			k = r.qualified(k, j)
		case t.text == "&" || t.text == "&&":
			r.cxx = true
			r.refs[k] = t.text
			r.edits[k] = edit{repl: "*"}
		case t.text == "constexpr" || t.text == "consteval" || t.text == "constinit" || t.text == "explicit" ||
			t.text == "virtual" || t.text == "mutable" || t.text == "typename":
			r.take(k, k+1)
		case t.text == "inline":
			r.blank(k, k+1)
		case t.text == "noexcept":
			r.take(k, k+1)
			if r.is(k+1, "(") {
				m := r.match(k+1, j)
				r.blank(k+1, m+1)
				k = m
			}
		case t.text == "=" && params:
			k = r.defaultArgument(k, j) - 1
		case t.text == "=":
			return // an initializer is an expression: C has the same
		case r.macroCall(k):
			k = r.match(k+1, j)
		case t.text == "(":
			m := r.match(k, j)
			r.walk(k+1, m, true)
			k = m
		case t.text == "{":
			m := r.match(k, j)
			if r.bodyAt(k) {
				r.blank(k, m+1)
				r.edits[k] = edit{repl: ";"}
			}
			k = m
		}
	}
}

// attribute takes out [[...]] at k and returns the index of its last token.
func (r *remover) attribute(k, end int) int {
	m := r.match(k, end)
	for n := k; n < m; n++ {
		if isNoDiscard(r.toks[n].text) {
			r.marked[k] = true
		}
	}
	r.refuseLayout(k, m)
	r.take(k, m+1)
	return m
}

// template reports whether the name at k has template arguments.
func (r *remover) template(k, end int) bool {
	return r.is(k+1, "<") && r.closeAngle(k+1, end) > 0
}

// closeAngle returns the index of the ">" that closes toks[k], or -1.
func (r *remover) closeAngle(k, end int) int {
	depth := 0
	for ; k < end; k++ {
		switch r.toks[k].text {
		case "<":
			if depth++; depth > maxNesting {
				return -1
			}
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
func (r *remover) qualified(k, end int) int {
	start, last := k, k
	for k < end {
		if r.is(k, "::") || r.is(k, "template") {
			last = k
			k++
			continue
		}
		if !r.ident(k) || k > start && !r.is(k-1, "::") && !r.is(k-1, "template") {
			break
		}
		last = k
		k++
		if r.is(k, "<") {
			if m := r.closeAngle(k, end); m > 0 {
				last = m
				k = m + 1
			}
		}
	}
	text := strings.Builder{}
	for n := start; n <= last; n++ {
		if n > start && (r.toks[n-1].text == "," || r.toks[n].kind == kindIdent && r.toks[n-1].kind == kindIdent) {
			text.WriteByte(' ')
		}
		text.WriteString(r.toks[n].text)
	}
	r.take(start, last+1)
	r.edits[start] = edit{repl: r.spell(text.String())}
	return last
}

// spell returns the C identifier that stands for a C++ name.
func (r *remover) spell(text string) string {
	for id, s := range r.spelled {
		if s == text {
			return id
		}
	}
	id := fmt.Sprintf("__cxx_%d", len(r.spelled))
	r.spelled[id] = text
	return id
}

// defaultArgument takes out the default argument at k and returns the index after it.
func (r *remover) defaultArgument(k, end int) int {
	start := k
	for ; k < end && !r.is(k, ","); k++ {
		switch r.toks[k].text {
		case "(", "[", "{":
			k = r.match(k, end)
		case "<":
			if m := r.closeAngle(k, end); m > 0 {
				k = m
			}
		}
	}
	r.take(start, k)
	return k
}
