// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package golang

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/purepjrt/purepjrt/gen/model"
)

// plain returns the header with the fields of structs without a name among the fields of the
// structs around them, which is where C programs see them. Inside a union such structs stay, since
// their fields are in use together. A header without such structs is returned as it is.
func plain(h *model.Header) *model.Header {
	var structs []model.Struct
	for i := range h.Structs {
		if !slices.ContainsFunc(h.Structs[i].Fields, func(f model.Field) bool { return f.Anonymous == "struct" }) {
			continue
		}
		if structs == nil {
			structs = slices.Clone(h.Structs)
		}
		structs[i].Fields = plainFields(structs[i].Fields)
	}
	if structs == nil {
		return h
	}
	out := *h
	out.Structs = structs
	return &out
}

// plainFields returns the fields with those of structs without a name in their place. What is
// said of such a struct holds for its fields: its direction for each, its comment before the first.
func plainFields(fields []model.Field) []model.Field {
	var out []model.Field
	for _, f := range fields {
		if f.Anonymous != "struct" {
			out = append(out, f)
			continue
		}
		for i, inner := range plainFields(f.Fields) {
			if inner.Dir == model.DirNone {
				inner.Dir = f.Dir
			}
			if i == 0 {
				inner.Doc = strings.TrimSpace(f.Doc + "\n\n" + inner.Doc)
			}
			out = append(out, inner)
		}
	}
	return out
}

// union is an anonymous union, which Go sees as words.
type union struct {
	owner   *typeInfo
	field   *model.Field
	id      string
	typ     goType
	members []member
}

// member is a member of a union, or of a struct without a name in it.
type member struct {
	*model.Field
	goType
	// clears is the union that the member has alone while it is in use. It is nil for the fields of
	// a struct, which others use with it.
	clears *model.Field
}

// newUnion describes a union of the struct t, of which it is the union number n. Its words are as
// large as the largest alignment among its members, so that Go leaves no room that C does not.
func (g *generator) newUnion(t *typeInfo, f *model.Field, n int) (*union, error) {
	u := &union{owner: t, field: f, id: unionNames[t.c]}
	if u.id == "" || n > 0 {
		u.id = "Union"
		if n > 0 {
			u.id += fmt.Sprint(n + 1)
		}
	}
	word := int64(1)
	var walk func(f, clears *model.Field) error
	walk = func(f, clears *model.Field) error {
		switch {
		case f.Anonymous == "struct":
			clears = nil
		case clears == nil:
			clears = f
		}
		for i := range f.Fields {
			m := &f.Fields[i]
			if m.Anonymous != "" {
				if err := walk(m, clears); err != nil {
					return err
				}
				continue
			}
			gt, err := g.fieldType(t, m)
			if err != nil {
				return at(t.st.Name+"."+m.Name, fmt.Errorf("member %s: %w", m.Name, err))
			}
			if gt.size != m.Size || m.Offset%gt.align != 0 {
				return at(t.st.Name+"."+m.Name, fmt.Errorf("member %s: has %d bytes in C, at offset %d, and %d in Go, at a multiple of %d",
					m.Name, m.Size, m.Offset, gt.size, gt.align))
			}
			word = max(word, gt.align)
			u.members = append(u.members, member{m, gt, clears})
		}
		return nil
	}
	if err := walk(f, nil); err != nil {
		return nil, err
	}
	if f.Size%word != 0 {
		word = 1 // a packed union
	}
	code := map[int64]*jen.Statement{1: jen.Byte(), 2: jen.Uint16(), 4: jen.Uint32(), 8: jen.Uint64()}[word]
	u.typ = goType{code: jen.Index(jen.Lit(int(f.Size / word))).Add(code), size: f.Size, align: word}
	return u, nil
}

// names returns the C names of the members.
func (u *union) names() string {
	var names []string
	for _, m := range u.members {
		names = append(names, m.Name)
	}
	return strings.Join(names, ", ")
}

// doc says what may be in the union.
func (u *union) doc() string {
	return fmt.Sprintf("A union of %s. The methods with those names read and write it; the garbage collector sees no pointer in it.", u.names())
}

// place returns a pointer of the type *code to the byte of the union at an offset of the struct.
func (u *union) place(offset int64, code jen.Code) *jen.Statement {
	at := jen.Qual("unsafe", "Pointer").Call(jen.Op("&").Id("u").Dot(u.id))
	if d := offset - u.field.Offset; d > 0 {
		at = jen.Qual("unsafe", "Add").Call(at, jen.Lit(int(d)))
	}
	return jen.Parens(jen.Op("*").Add(code)).Call(at)
}

// clear returns the statement that zeroes what a member has alone, or nil.
func (u *union) clear(m *member) jen.Code {
	switch {
	case m.clears == nil:
		return nil
	case m.clears == u.field:
		return jen.Id("u").Dot(u.id).Op("=").Add(u.typ.code).Values()
	}
	bytes := jen.Index(jen.Lit(int(m.clears.Size))).Byte()
	return jen.Op("*").Add(u.place(m.clears.Offset, bytes)).Op("=").Add(bytes).Values()
}

// accessors writes the methods of a union's members: a pointer to a member that is a struct, else
// the value and a setter. taken has the names of the struct's fields and methods.
func (g *generator) accessors(u *union, f *jen.File, taken names) error {
	recv := func() *jen.Statement { return jen.Id("u").Op("*").Id(u.owner.goName) }
	for i := range u.members {
		m := &u.members[i]
		id, name := fieldID(m.Name), u.owner.c+"."+m.Name
		methods := []string{id, "Set" + id}
		if m.class == classStruct {
			methods = methods[:1]
		}
		for _, method := range methods {
			if err := taken.take(u.owner, method, m.Field, "the method "+method+" of member "+m.Name); err != nil {
				return err
			}
		}
		if m.class == classStruct {
			f.Comment(comment(fmt.Sprintf("%s of %s points to the member %s of the union; it is valid only while that member is in use.",
				id, u.owner.goName, name), m.Doc))
			f.Func().Params(recv()).Id(id).Params().Op("*").Add(m.code).Add(oneLine(jen.Return(u.place(m.Offset, m.code))))
			continue
		}
		f.Comment(comment(about(name, m.Doc)))
		f.Func().Params(recv()).Id(id).Params().Add(m.code).Add(oneLine(jen.Return(jen.Op("*").Add(u.place(m.Offset, m.code)))))
		doc := fmt.Sprintf("Set%s makes %s the member in use.", id, name)
		if m.clears == nil {
			doc = fmt.Sprintf("Set%s sets %s and leaves the rest of the union as it is.", id, name)
		}
		if m.class == classPointer {
			doc += " The caller keeps what it points to alive."
		}
		f.Comment(comment(doc))
		var body []jen.Code
		if clear := u.clear(m); clear != nil {
			body = append(body, clear)
		}
		body = append(body, jen.Op("*").Add(u.place(m.Offset, m.code)).Op("=").Id("value"))
		f.Func().Params(recv()).Id("Set" + id).Params(jen.Id("value").Add(m.code)).Block(body...)
	}
	return nil
}
