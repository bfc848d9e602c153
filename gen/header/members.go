// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package header

import "strings"

// structure handles the struct or union whose keyword is toks[k] and returns
// the index of its last token: the tag or the closing brace.
func (r *rewriter) structure(k, end int) int {
	n := skipAttributes(r.toks, k+1)
	r.refusePacked(k, n)
	for a := k + 1; a < n; a++ {
		if r.is(a, "[", "[") {
			m := r.match(a, end)
			r.blank(a, m+1)
			a = m
		}
	}
	tag := ""
	if r.ident(n) && n < end {
		tag = r.toks[n].text
		if r.is(n+1, "::") || r.template(n, end) {
			r.blank(k, k+1) // the identifier that replaces the name is a typedef
			return r.qualified(n, end)
		}
		n++
	}
	if r.is(n, "final", "{") {
		r.blank(n, n+1)
		n++
	}
	if !r.is(n, "{") || n >= end {
		return max(n-1, k)
	}
	m := r.match(n, end)
	r.members(n+1, m, tag)
	return m
}

// members handles those of a struct.
func (r *rewriter) members(i, end int, tag string) {
	for i < end && r.err == nil {
		switch {
		case r.is(i, ";"):
			i++
			continue
		case (r.is(i, "public") || r.is(i, "private") || r.is(i, "protected")) && r.is(i+1, ":"):
			r.cxx = true
			r.blank(i, i+2)
			i += 2
			continue
		}
		j := r.endOf(i, end)
		switch {
		case r.is(i, "using"), r.is(i, "friend"), r.is(i, "template"), r.is(i, "typedef"),
			r.is(i, "static"), r.is(i, "static_assert"), r.is(i, "constexpr"), r.memberFunction(i, j, tag):
			r.cxx = true
			r.blank(i, j)
		case !r.declares(i, j):
			r.fail(i, "this declares no field")
		default:
			r.walk(i, j, false)
			r.initializers(i, j)
		}
		i = j
	}
}

// declares reports whether the member from i to j declares a field or has a
// body, and does not only name a type.
func (r *rewriter) declares(i, j int) bool {
	typed, enum := false, false
	for k := i; k < j; k++ {
		switch t := r.toks[k]; {
		case t.text == ":" && !enum:
			r.fail(i, "a bit-field has no offset in bytes")
			return true
		case t.text == "{" || t.text == "(" || t.text == ":" || t.text == "<":
			return true
		case t.text == "[":
			k = r.match(k, j)
		case t.text == "struct" || t.text == "union" || t.text == "enum" || t.text == "class":
			typed, enum = true, enum || t.text == "enum"
			k = skipAttributes(r.toks, k+1)
			if r.is(k, "{") {
				return true
			}
		case typeWords[t.text]:
			typed = true
		case r.ident(k) && typed && !r.is(k-1, "::"):
			return true
		case r.ident(k) && !r.isMacro(t.text):
			typed = true
		case r.ident(k) && !typed && r.isMacro(t.text) && r.is(k+1, ";") && k > i:
			return true
		}
	}
	return !typed
}

// initializers blanks the C++ initializers of a member.
func (r *rewriter) initializers(i, j int) {
	for k := i; k < j; k++ {
		switch t := r.toks[k]; t.text {
		case "(", "[":
			k = r.match(k, j)
		case "{":
			m := r.match(k, j)
			if r.ident(k-1) && k > i && !r.taggedAt(k-1) {
				r.cxx = true
				r.blank(k, m+1)
			}
			k = m
		case "=":
			n := k
			for n < j && r.toks[n].text != ";" {
				if r.is(n, "{") || r.is(n, "(") || r.is(n, "[") {
					n = r.match(n, j)
				}
				n++
			}
			r.cxx = true
			r.blank(k, n)
			return
		}
	}
}

// taggedAt reports whether the name at k follows struct, union or enum, or is
// the underlying type of an enum.
func (r *rewriter) taggedAt(k int) bool {
	for k--; k >= 0; k-- {
		switch t := r.toks[k].text; {
		case t == "struct" || t == "union" || t == "enum" || t == "class" || t == ":":
			return true
		case t == "]" || t == "final" || r.toks[k].kind == kindIdent:
			if t == "]" {
				return true
			}
			if !keywords[t] {
				return false
			}
		default:
			return false
		}
	}
	return false
}

// memberFunction reports whether the member from i to j is a function, not a
// pointer to one and not the call of a macro that makes a field.
func (r *rewriter) memberFunction(i, j int, tag string) bool {
	for k := i; k < j; k++ {
		switch t := r.toks[k]; {
		case t.text == "~" || t.text == "operator":
			return true
		case t.text == "{" || t.text == ";" || t.text == "=":
			return false
		case t.text == "[":
			k = r.match(k, j)
		case t.text == "__attribute__" || t.text == "alignas" || t.text == "_Alignas":
			if r.is(k+1, "(") {
				k = r.match(k+1, j)
			}
		case t.text == "(":
			if k == i || !r.ident(k-1) || r.is(k+1, "*") || r.is(k+1, "^") {
				return false
			}
			name := r.toks[k-1].text
			if name == tag && tag != "" {
				return true // a constructor
			}
			if r.isMacro(name) || k-1 == i || strings.HasPrefix(name, "_") || name == strings.ToUpper(name) {
				return false
			}
			return true
		}
	}
	return false
}

// enum handles the enum whose keyword is toks[k] and returns the index of its
// last token.
func (r *rewriter) enum(k, end int) int {
	n := k + 1
	if r.is(n, "class") || r.is(n, "struct") {
		r.cxx = true
		r.blank(n, n+1)
		r.scoped[k] = true
		n++
	}
	n = skipAttributes(r.toks, n)
	tag := ""
	if r.ident(n) && n < end {
		tag = r.toks[n].text
		n++
	}
	if r.is(n, ":") && n < end {
		r.cxx = true
		for n++; n < end && !r.is(n, "{") && !r.is(n, ";"); n++ {
			if r.is(n+1, "::") || r.is(n, "::") {
				n = r.qualified(n, end)
			}
		}
	} else if r.scoped[k] && r.is(n, "{") {
		r.edits[n-1].suffix = " : int"
	}
	if !r.is(n, "{") || n >= end {
		return max(n-1, k)
	}
	m := r.match(n, end)
	if r.scoped[k] {
		r.scope(n+1, m, tag)
	}
	if tag != "" && !r.typedefs[tag] && r.bare[tag] {
		// C++ names the type by its tag. The typedef goes behind the whole
		// declaration, because a declarator may follow the brace.
		r.cxx = true
		for e := m + 1; e < len(r.toks); e++ {
			if r.is(e, ";") {
				r.edits[e].suffix += " typedef enum " + tag + " " + tag + ";"
				break
			}
		}
	}
	return m
}

// scope renames the enumerators of a scoped enum, which live in their own
// namespace in C++ and would collide in C.
func (r *rewriter) scope(i, end int, tag string) {
	own := map[string]bool{}
	for k := i; k < end; k++ {
		if (k == i || r.is(k-1, ",")) && r.ident(k) {
			own[r.toks[k].text] = true
		}
	}
	for k := i; k < end; k++ {
		if r.ident(k) && own[r.toks[k].text] {
			r.edits[k] = edit{repl: "__" + tag + "__" + r.toks[k].text}
		}
	}
}
