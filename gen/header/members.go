// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package header

// structure handles the struct or union whose keyword is toks[k] and returns
// the index of its last token: the tag or the closing brace.
func (r *remover) structure(k, end int) int {
	n := skipAttributes(r.toks, k+1)
	for a := k + 1; a < n; a++ {
		if r.is(a, "[", "[") {
			m := r.match(a, end)
			r.refuseLayout(a, m)
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

// members handles the members of a struct.
func (r *remover) members(i, end int, tag string) {
	for i < end && r.err == nil {
		switch {
		case r.is(i, ";"):
			r.blank(i, i+1) // the front end accepts it, but prints a message
			i++
			continue
		case (r.is(i, "public") || r.is(i, "private") || r.is(i, "protected")) && r.is(i+1, ":"):
			r.take(i, i+2)
			i += 2
			continue
		}
		j := r.endOf(i, end)
		switch {
		case r.is(i, "using"), r.is(i, "friend"), r.is(i, "template"), r.is(i, "typedef"),
			r.is(i, "static"), r.is(i, "static_assert"), r.is(i, "constexpr"), r.memberFunction(i, j, tag):
			r.take(i, j)
		case r.namesNothing(i, j):
			r.fail(i, "this declares no field: write a name after the type")
		default:
			r.walk(i, j, false)
			r.initializers(i, j)
			if r.macroCall(i) && r.complete[r.toks[i].text] && r.matchingSemicolon(i, j) {
				r.blank(j-1, j)
			}
		}
		i = j
	}
}

// matchingSemicolon reports whether the macro call at i and a semicolon are all
// there is before j.
func (r *remover) matchingSemicolon(i, j int) bool { return r.match(i+1, j) == j-2 && r.is(j-1, ";") }

// namesNothing reports whether the member from i to j is only a type: a keyword or two,
// one name, an enum. The front end accepts that, but prints a message.
func (r *remover) namesNothing(i, j int) bool {
	names, words, enum := 0, 0, false
	for k := i; k < j && !r.is(k, ";"); k++ {
		switch t := r.toks[k]; {
		case enum && t.text == "{":
			return r.is(r.match(k, j)+1, ";")
		case t.kind != kindIdent || r.isMacro(t.text):
			return false
		case t.text == "enum":
			enum = true
		case keywords[t.text]:
			words++
		default:
			names++
		}
	}
	return names+words > 0 && (names == 0 || names == 1 && r.keywordsOnly(i, j))
}

// keywordsOnly reports whether no keyword from i to j is a type by itself.
func (r *remover) keywordsOnly(i, j int) bool {
	for k := i; k < j; k++ {
		if t := r.toks[k].text; keywords[t] && !qualifiers[t] {
			return false
		}
	}
	return true
}

// initializers blanks the C++ initializers of a member.
func (r *remover) initializers(i, j int) {
	for k := i; k < j; k++ {
		switch t := r.toks[k]; t.text {
		case "(", "[":
			k = r.match(k, j)
		case "{":
			m := r.match(k, j)
			if r.ident(k-1) && k > i && !r.taggedAt(k-1) {
				r.take(k, m+1)
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
			r.take(k, n)
			return
		}
	}
}

// taggedAt reports whether the name at k follows struct, union or enum, or is
// the underlying type of an enum.
func (r *remover) taggedAt(k int) bool {
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

// memberFunction reports whether the member from i to j is a function: a name followed by
// parentheses and preceded by a type, or by the tag alone. A pointer to a function has
// its name inside the parentheses, and so has the call of a macro that makes a field.
func (r *remover) memberFunction(i, j int, tag string) bool {
	typed := false
	for k := i; k < j; k++ {
		switch t := r.toks[k]; {
		case t.text == "~" || t.text == "operator":
			return true
		case t.text == "{" || t.text == ";" || t.text == "=":
			return false
		case t.text == "[":
			k = r.match(k, j)
		case attributeWords[t.text] || t.text == "decltype" || t.text == "__typeof__":
			typed = typed || t.text == "decltype" || t.text == "__typeof__"
			if r.is(k+1, "(") {
				k = r.match(k+1, j)
			}
		case t.text == "(":
			if k == i || !r.ident(k-1) || r.is(k+1, "*") || r.is(k+1, "^") {
				return false
			}
			name := r.toks[k-1].text
			return !r.isMacro(name) && (typed || name == tag && tag != "")
		case t.kind == kindIdent && !r.is(k+1, "("):
			typed = typed || !qualifiers[t.text]
		}
	}
	return false
}

// enum handles the enum whose keyword is toks[k] and returns the index of its
// last token.
func (r *remover) enum(k, end int) int {
	n := k + 1
	if r.is(n, "class") || r.is(n, "struct") {
		r.take(n, n+1)
		r.scoped[k] = true
		n++
	}
	if after := skipAttributes(r.toks, n); after > n {
		r.refuseLayout(n, after)
		r.blank(n, after) // the front end does not expect them here
		n = after
	}
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
	for a := n; a < m; a++ {
		if r.is(a, "[", "[") {
			a = r.attribute(a, m)
		}
	}
	if r.scoped[k] {
		r.scope(n+1, m, tag)
	}
	if tag != "" && r.asTypes {
		// After the whole declaration, because a declarator may follow the brace.
		r.enumTypes = append(r.enumTypes, " typedef enum "+tag+" "+tag+";")
	}
	return m
}

// scope renames the enumerators of a scoped enum, which live in their own
// namespace in C++ and would collide in C.
func (r *remover) scope(i, end int, tag string) {
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
