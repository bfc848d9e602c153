// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package header

import (
	"slices"
	"strings"

	"github.com/purepjrt/purepjrt/gen/model"
	"modernc.org/cc/v4"
)

// structure adds the struct or union whose body is d.
func (x *extractor) structure(d *cc.StructOrUnionSpecifier, t *ctype, n notes) {
	name := x.baseName(t)
	if name == "" {
		return // the type of a variable
	}
	if _, ok := x.structs[name]; ok {
		return
	}
	typ := d.Type()
	s := model.Struct{
		Name: name, Kind: t.keyword, Tag: name, Typedefs: []string{}, Size: typ.Size(), Align: int64(typ.Align()),
		Doc: n.text(),
	}
	x.place("struct "+name, x.pos(d.Token, d.StructOrUnion.Token))
	outer := x.inside
	x.inside = name
	s.Fields = x.fields(d, 0)
	x.inside = outer
	if x.err != nil {
		return
	}
	if s.Doc == "" {
		s.Doc = x.docs[name]
	}
	x.structs[name] = len(x.h.Structs)
	x.h.Structs = append(x.h.Structs, s)
}

// member is a struct or union type of the C front end.
type member interface {
	NumFields() int
	FieldByIndex(int) *cc.Field
}

// fields makes the model of the fields in the body d, which begins at offset.
func (x *extractor) fields(d *cc.StructOrUnionSpecifier, offset int64) []model.Field {
	typ, ok := d.Type().(member)
	if !ok {
		return nil
	}
	byDecl, unnamed := declared(typ)
	out, names := []model.Field{}, map[string]bool{}
	group := model.DirNone
	prev := -1
	for l := d.StructDeclarationList; l != nil && x.err == nil; l = l.StructDeclarationList {
		sd := l.StructDeclaration
		if sd.SpecifierQualifierList == nil {
			if l := sd.StructDeclaratorList; l != nil && l.StructDeclarator.Declarator != nil {
				x.undeclaredAt(l.StructDeclarator.Declarator.NameTok())
			}
			continue
		}
		first, last := x.fieldSpan(sd)
		n := x.main.notesOf(first, last)
		group = x.groupOf(group, n, prev, first)
		prev = last
		t := x.specifierQualifiers(sd.SpecifierQualifierList)
		if node := definition(t); node != nil && t.name != "" {
			x.define(node, t, true, n)
		}
		if sd.StructDeclaratorList == nil {
			if inner, ok := t.def.(*cc.StructOrUnionSpecifier); ok && len(unnamed) > 0 && t.keyword != "enum" {
				f := unnamed[0]
				unnamed = unnamed[1:]
				at := offset + f.Offset()
				m := model.Field{
					Anonymous: t.keyword, Offset: at, Size: f.Type().Size(), Fields: x.fields(inner, at), Doc: n.text(),
				}
				x.addNames(names, m, first)
				out = append(out, m)
			} else if definition(t) == nil {
				x.failAt(first, "this declares no field: write a name after the type")
			}
			continue
		}
		for sl := sd.StructDeclaratorList; sl != nil; sl = sl.StructDeclaratorList {
			decl := sl.StructDeclarator.Declarator
			f := byDecl[decl]
			if decl == nil {
				x.failAt(first, "a bit-field has no offset in bytes: use a whole integer")
				return nil
			}
			if f == nil {
				continue
			}
			if f.IsBitfield() {
				x.failAt(first, "%s is a bit-field, which has no offset in bytes: use a whole integer", decl.Name())
				return nil
			}
			m := x.field(x.declarator(t, decl), f, first, last)
			m.Name, m.Offset = decl.Name(), offset+f.Offset()
			if inner, ok := t.def.(*cc.StructOrUnionSpecifier); ok && t.name == "" && m.Kind == t.keyword {
				m.Fields = x.fields(inner, m.Offset)
			}
			x.place(x.inside+"."+m.Name, x.pos(decl.NameTok()))
			if i, ok := x.tokenAt(decl.NameTok()); ok {
				x.addNames(names, m, i)
			} else {
				x.addNames(names, m, first)
			}
			m.Dir, m.Doc, m.Deprecated = n.direction(), n.text(), n.deprecated()
			if m.Dir == model.DirNone && group != model.DirNone {
				m.Dir, m.DirScope = group, "group-comment"
			}
			out = append(out, m)
		}
	}
	return out
}

// declared returns the fields by their declarators, and those that have none.
func declared(typ member) (byDecl map[*cc.Declarator]*cc.Field, unnamed []*cc.Field) {
	byDecl = map[*cc.Declarator]*cc.Field{}
	for i := range typ.NumFields() {
		f := typ.FieldByIndex(i)
		if f == nil {
			continue
		}
		if f.Declarator() == nil {
			unnamed = append(unnamed, f)
		}
		byDecl[f.Declarator()] = f
	}
	return byDecl, unnamed
}

// addNames adds the names by which a field, or what is in it, is reached, and fails at the token i
// if a name is there already. The front end would take the first of two fields.
func (x *extractor) addNames(names map[string]bool, f model.Field, i int) {
	if f.Anonymous != "" {
		for _, inner := range f.Fields {
			x.addNames(names, inner, i)
		}
		return
	}
	if names[f.Name] {
		x.failAt(i, "there are two fields %s: rename one", f.Name)
	}
	names[f.Name] = true
}

// groupOf returns the direction that a comment marks for the group of fields to
// which the one that begins at first belongs. A group ends at a blank line, and
// at a field with a comment above it.
func (x *extractor) groupOf(group model.Dir, n notes, prev, first int) model.Dir {
	if d := n.groupMark(); d != model.DirNone {
		return d
	}
	if group == model.DirNone || prev < 0 || len(n.lead) > 0 {
		return model.DirNone
	}
	if x.main.toks[first].line-x.main.toks[prev].line > 1 {
		return model.DirNone
	}
	return group
}

// fieldSpan returns the tokens of a member as written, from the first to the
// semicolon.
func (x *extractor) fieldSpan(sd *cc.StructDeclaration) (first, last int) {
	first, last = x.span(sd)
	if i, ok := x.tokenAt(sd.Token); ok && x.rw.is(i, ";") {
		last = i
	} else {
		for last < len(x.main.toks)-1 && !x.rw.is(last, ";") && !x.rw.is(last, "}") {
			last++
		}
	}
	for first > 0 && !x.rw.is(first-1, ";") && !x.rw.is(first-1, "{") && !x.rw.is(first-1, "}") && !x.rw.is(first-1, ":") {
		first--
	}
	return first, last
}

func (x *extractor) field(t *ctype, f *cc.Field, first, last int) model.Field {
	c := x.canon(t)
	spelled := x.spellType(t, "")
	t = x.derived(t)
	b, depth := base(t)
	m := model.Field{
		Decl: x.decl(first, last), Type: spelled, Canon: x.spellType(c, ""), Kind: x.kindOf(c),
		Ptr: depth, Array: bounds(t), Const: b.isConst, Size: f.Type().Size(), NoDiscard: x.marked(first, last),
	}
	if b.shape == shapeFunc {
		m.Ptr = 0
	} else {
		m.Base = x.baseName(b)
	}
	if n := c.variable(); n != "" {
		x.failAt(first, "the length %s of field %s is no constant expression in C, as a constant variable is none: "+
			"write a number, a macro or a value of an enum", n, f.Name())
		return m
	}
	if e, _ := base(c); depth == 0 && e.shape == shapeBase && withoutCounterpart(e.name) != "" {
		x.failAt(first, "the type of field %s: %s", f.Name(), withoutCounterpart(e.name))
		return m
	}
	if f.Type().IsIncomplete() || m.Size < 0 {
		todo := "define it before, or give the directory that holds xla/ with -I"
		if _, cxx := x.spelled[b.name]; cxx {
			todo = "it is a C++ type, which no C API has"
		} else if m.Kind == "array" {
			todo = "give its length, or declare a pointer"
		}
		x.failAt(first, "the size of %s, the type of field %s, is not known: %s", m.Type, f.Name(), todo)
		return m
	}
	if m.Kind == "fnptr" {
		switch {
		case t.shape == shapePtr && t.elem.shape == shapeFunc:
			m.Sig = x.signature(t.elem)
		case b.shape == shapeName:
			m.Fn, m.Ptr = b.name, 0
			m.NoDiscard = m.NoDiscard || x.noDiscard[b.name]
		}
	}
	return m
}

// decl returns the member as written, without comments, attributes and marks,
// and with white space normalised: one space between words, none around
// punctuation except after commas and before the parenthesis of a function
// pointer's name.
func (x *extractor) decl(first, last int) string {
	var b strings.Builder
	var prev *token
	inner := false
	for i := first; i <= last && i < len(x.main.toks); i++ {
		t := &x.main.toks[i]
		if t.text == ";" && i == last {
			break
		}
		if x.rw.is(i, "[", "[") {
			if m := matching(x.main.toks, i); m > 0 {
				i = m
				continue
			}
		}
		if t.kind == kindIdent && (isNoDiscard(t.text) || x.rw.isMacro(t.text) && !x.rw.macros[t.text] && x.macroMarks(t.text)) {
			continue
		}
		if prev != nil && spaced(prev, t, inner) {
			b.WriteByte(' ')
		}
		b.WriteString(t.text)
		inner = t.text == "*" && prev != nil && (prev.text == "(" || prev.text == "*" && inner)
		prev = t
	}
	return b.String()
}

// spaced reports whether there is a space between a and b in normalised form.
// inner says that a is the star of a function pointer's name.
func spaced(a, b *token, inner bool) bool {
	word := func(t *token) bool { return t.kind != kindPunct }
	switch {
	case word(a) && word(b):
		return true
	case a.text == ",":
		return true
	case a.text == "*" || a.text == "&" || a.text == "&&" || a.text == ">":
		return word(b) && !inner || b.text == "("
	case b.text == "(" && word(a):
		return b.off > a.end() // a name and its arguments stay together
	}
	return false
}

// complete finishes the structs once every declaration is known.
func (x *extractor) complete() {
	macros := map[string]bool{}
	for _, m := range x.h.Macros {
		macros[m.Name] = true
	}
	for i := range x.h.Structs {
		s := &x.h.Structs[i]
		end := int64(0)
		for _, f := range s.Fields {
			if f.Name == "struct_size" {
				s.HasStructSize = true
			}
			if f.Name == "extension_start" {
				s.HasExtensionStart = true
			}
			if s.Kind == "struct" && f.Offset > end {
				s.Holes = append(s.Holes, [2]int64{end, f.Offset - end})
			}
			end = max(end, f.Offset+f.Size)
		}
		s.TailPadding = s.Size - end
		if size, ok := x.sizes[s.Name]; ok {
			size.ShadowedByMacro = macros[size.Const]
			if last := lastOf(s.Fields); size.LastField != "" && len(last) > 0 && !slices.Contains(last, size.LastField) {
				size.LastFieldIsNotLast, size.TrueLastField = true, last[len(last)-1]
			}
			s.StructSize = &size
		}
		s.Role = x.role(s)
	}
}

// lastOf returns the names under which the last field of a struct can be
// named: several if it is an anonymous union.
func lastOf(fields []model.Field) []string {
	if len(fields) == 0 {
		return nil
	}
	f := fields[len(fields)-1]
	if f.Anonymous == "" {
		return []string{f.Name}
	}
	var names []string
	for _, m := range f.Fields {
		names = append(names, m.Name)
	}
	return names
}
