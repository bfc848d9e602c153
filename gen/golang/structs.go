// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package golang

import (
	"errors"
	"fmt"
	"go/token"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/purepjrt/purepjrt/gen/model"
)

// fieldID returns the Go name of a field.
func fieldID(c string) string {
	id := camel(c)
	for _, prefix := range []string{"PJRT_", "XLA_FFI_"} {
		if rest, ok := strings.CutPrefix(c, prefix); ok {
			id = camel(strings.ReplaceAll(rest, "_PJRT_", "_"))
		}
	}
	if other, ok := reservedFields[id]; ok {
		return other
	}
	return id
}

// placed is a field with its place in the Go struct.
type placed struct {
	c      string // of a union, the first member
	id     string
	offset int64
	union  bool
}

// structDecl writes a struct, its size constant, the accessors of its unions and the
// types of the function pointers in it. Callbacks go to their own sheet.
func (g *generator) structDecl(t *typeInfo, to, callbacks *sheet) ([]placed, error) {
	s := t.st
	var (
		code   []jen.Code
		fields []placed
		errs   []error
		seen   = make(map[string]string)
		unions []*union
		end    int64
		align  int64 = 1
		pads   int
	)
	fail := func(f *model.Field, format string, args ...any) {
		errs = append(errs, at(s.Name+"."+f.Name, fmt.Errorf(format, args...)))
	}
	if s.Kind == "union" {
		return nil, fmt.Errorf("union %s: Go has no unions: put it into a struct as a member without a name, whose fields get methods", s.Name)
	}
	put := func(f *model.Field, id string, gt goType, item jen.Code) {
		if other, ok := seen[id]; ok {
			fail(f, "fields %s and %s would both be called %s in Go: give one of them another name", other, f.Name, id)
		}
		if !token.IsIdentifier(id) {
			fail(f, "field %s: would be called %q in Go, which is not a name", f.Name, id)
		}
		seen[id] = f.Name
		at := (end + gt.align - 1) / gt.align * gt.align
		switch {
		case f.Offset < at || f.Offset%gt.align != 0:
			fail(f, "field %s: is at offset %d, but Go places values of its type only at multiples of %d", f.Name, f.Offset, gt.align)
		case f.Offset > at:
			pads++
			code = append(code, jen.Id("_").Index(jen.Lit(int(f.Offset-end))).Byte())
		}
		end = f.Offset + gt.size
		align = max(align, gt.align)
		c := f.Name
		if c == "" && len(f.Fields) > 0 {
			c = f.Fields[0].Name
		}
		fields = append(fields, placed{c, id, f.Offset, f.Anonymous != ""})
		code = append(code, item)
	}
	for i := range s.Fields {
		f := &s.Fields[i]
		if f.Anonymous != "" {
			u := newUnion(t, f, len(unions))
			unions = append(unions, u)
			put(f, u.id, u.typ, jen.Comment(comment(u.doc(), f.Doc)).Line().Id(u.id).Add(u.typ.code))
			continue
		}
		gt, err := g.fieldType(t, f)
		if err != nil {
			fail(f, "field %s: %w", f.Name, err)
			continue
		}
		if gt.size != f.Size {
			fail(f, "field %s: has %d bytes in C and %d in Go", f.Name, f.Size, gt.size)
			continue
		}
		if gt.size == 0 && i == len(s.Fields)-1 {
			fail(f, "field %s: has no elements, and Go makes a struct larger that ends with such an array: leave it out", f.Name)
		}
		id := fieldID(f.Name)
		put(f, id, gt, g.fieldCode(t, f, id, gt))
		if f.Kind == "fnptr" && f.Sig != nil && !(isTable(s) && g.isSlot(t, f)) {
			if err := g.inlineCallback(t, f, callbacks); err != nil {
				fail(f, "field %s: %w", f.Name, err)
			}
		}
	}
	switch size := (end + align - 1) / align * align; {
	case size < s.Size:
		code = append(code, jen.Id("_").Index(jen.Lit(int(s.Size-end))).Byte())
	case size > s.Size:
		errs = append(errs, fmt.Errorf("has %d bytes in C and %d in Go", s.Size, size))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("struct %s: %w", s.Name, err)
	}
	f := to.add()
	f.Comment(g.structDoc(t))
	f.Type().Id(t.goName).Struct(code...)
	g.sizeConst(t, f)
	if fn := g.byArgs[t]; fn != nil {
		functionMethod(fn, f)
	}
	for _, u := range unions {
		if err := g.accessors(u, f, seen); err != nil {
			return nil, fmt.Errorf("struct %s: %w", s.Name, err)
		}
	}
	return fields, nil
}

// fieldCode writes a field: with its C name after it if there is nothing else to say,
// else with a comment above.
func (g *generator) fieldCode(t *typeInfo, f *model.Field, id string, gt goType) jen.Code {
	mark := f.Name
	switch {
	case isOut(t, f):
		mark += " (out)"
	case f.Dir == model.DirInOut:
		mark += " (in/out)"
	}
	doc := f.Doc
	if f.Deprecated && doc == "" {
		doc = "No longer a function; its slot is kept for the layout."
	}
	return t.unit.documented(mark, doc, g.since(t.unit.header, t.c+"."+f.Name), g.structSince(t), jen.Id(id).Add(gt.code))
}

// structSince returns the minor from which a struct's fields can be expected.
func (g *generator) structSince(t *typeInfo) int {
	minor := g.since(t.unit.header, "struct "+t.c)
	if fn := g.byArgs[t]; fn != nil {
		minor = max(minor, fn.since)
	}
	return minor
}

// structDoc says what the struct is for, or gives only its C name if that says it.
func (g *generator) structDoc(t *typeInfo) string {
	own := t.doc
	if t.st.Role == model.RoleArgs {
		own = withoutLead(own)
	}
	paragraphs := []string{about(t.c, own)}
	if fn := g.byArgs[t]; fn != nil {
		said := []string{fn.field.Doc, fn.doc}
		if fn.void && !strings.Contains(fn.doc, "returns nothing") {
			said = append(said, "The function returns nothing.")
		}
		if resultErrors[fn.c] {
			said = append(said, "The error that the function returns is its result, so call it with Raw.")
		}
		if strings.Join(said, "") != "" || t.c != fn.c+"_Args" {
			paragraphs = append(append([]string{fmt.Sprintf("%s are the arguments of %s.", t.c, fn.c)}, said...), own)
		}
	}
	if len(t.alsoC) > 0 {
		paragraphs = append(paragraphs, "In C it is also called "+strings.Join(t.alsoC, " and ")+".")
	}
	paragraphs = append(paragraphs, t.unit.sinceText(g.structSince(t)))
	return comment(paragraphs...)
}

// withoutLead drops a first sentence that only repeats whose arguments a struct holds.
func withoutLead(doc string) string {
	if !strings.HasPrefix(doc, "The arguments of ") {
		return doc
	}
	if i := strings.IndexAny(doc, ".:"); i >= 0 {
		return strings.TrimSpace(doc[i+1:])
	}
	return doc
}

// sizeConst writes the constant that C calls X_STRUCT_SIZE.
func (g *generator) sizeConst(t *typeInfo, f *jen.File) {
	size := t.st.StructSize
	if size == nil || t.c != t.st.Name {
		return
	}
	stale := ""
	if isStale(size) {
		stale = fmt.Sprintf("The header's constant ends at %s; the struct goes on to byte %d.", size.LastField, dataEnd(t.st))
	}
	f.Comment(comment(size.Const, stale))
	f.Const().Id(t.goName + "Size").Op("=").Lit(int(size.Value))
}

// isStale reports whether the header's size constant leaves out fields that were
// added after it.
func isStale(s *model.StructSize) bool { return s.LastFieldIsNotLast || s.TrueLastField != "" }

// dataEnd returns the end of a struct's last field.
func dataEnd(s *model.Struct) int64 {
	end := int64(0)
	for _, f := range s.Fields {
		end = max(end, f.Offset+f.Size)
	}
	return end
}

// union is an anonymous union, which Go sees as words.
type union struct {
	owner *typeInfo
	field *model.Field
	id    string
	typ   goType
}

func newUnion(t *typeInfo, f *model.Field, n int) *union {
	u := &union{owner: t, field: f, id: unionNames[t.c]}
	if u.id == "" || n > 0 {
		u.id = "Union"
		if n > 0 {
			u.id += fmt.Sprint(n + 1)
		}
	}
	word, code := int64(8), jen.Uint64()
	if f.Offset%8 != 0 || f.Size%8 != 0 {
		word, code = 4, jen.Uint32()
	}
	if f.Offset%word != 0 || f.Size%word != 0 {
		word, code = 1, jen.Byte()
	}
	u.typ = goType{code: jen.Index(jen.Lit(int(f.Size / word))).Add(code), size: f.Size, align: word}
	return u
}

// doc says what may be in the union.
func (u *union) doc() string {
	var names []string
	for _, m := range u.members() {
		names = append(names, m.Name)
	}
	return fmt.Sprintf("A union of %s. The methods with those names read and write it; the garbage collector sees no pointer in it.", strings.Join(names, ", "))
}

// members returns the union's members, including those of structs without a name.
func (u *union) members() []*model.Field {
	var out []*model.Field
	var walk func(fields []model.Field)
	walk = func(fields []model.Field) {
		for i := range fields {
			if fields[i].Anonymous != "" {
				walk(fields[i].Fields)
			} else {
				out = append(out, &fields[i])
			}
		}
	}
	walk(u.field.Fields)
	return out
}

// accessors writes the methods of a union's members: a pointer to a member that
// is a struct, else the value and a setter.
func (g *generator) accessors(u *union, f *jen.File, taken map[string]string) error {
	recv := func() *jen.Statement { return jen.Id("u").Op("*").Id(u.owner.goName) }
	place := func(m *model.Field, code *jen.Statement) *jen.Statement {
		at := jen.Qual("unsafe", "Pointer").Call(jen.Op("&").Id("u").Dot(u.id))
		if d := m.Offset - u.field.Offset; d > 0 {
			at = jen.Qual("unsafe", "Add").Call(at, jen.Lit(int(d)))
		}
		return jen.Parens(jen.Op("*").Add(code)).Call(at)
	}
	for _, m := range u.members() {
		gt, err := g.fieldType(u.owner, m)
		if err != nil {
			return fmt.Errorf("member %s: %w", m.Name, err)
		}
		id := fieldID(m.Name)
		for _, method := range []string{id, "Set" + id} {
			if other, ok := taken[method]; ok {
				return fmt.Errorf("member %s: the method %s has the name of field %s", m.Name, method, other)
			}
		}
		name := u.owner.c + "." + m.Name
		if gt.class == classStruct {
			f.Comment(comment(fmt.Sprintf("%s of %s points to the member %s of the union; it is valid only while that member is in use.",
				id, u.owner.goName, name), m.Doc))
			f.Func().Params(recv()).Id(id).Params().Op("*").Add(gt.code).Add(oneLine(jen.Return(place(m, gt.code))))
			continue
		}
		f.Comment(comment(about(name, m.Doc)))
		f.Func().Params(recv()).Id(id).Params().Add(gt.code).Add(oneLine(jen.Return(jen.Op("*").Add(place(m, gt.code)))))
		keep := ""
		if gt.class == classPointer {
			keep = "The caller keeps what it points to alive."
		}
		f.Comment(comment(fmt.Sprintf("Set%s makes %s the member in use. %s", id, name, keep)))
		f.Func().Params(recv()).Id("Set"+id).Params(jen.Id("value").Add(gt.code)).Block(
			jen.Id("u").Dot(u.id).Op("=").Add(u.typ.code).Values(),
			jen.Op("*").Add(place(m, gt.code)).Op("=").Id("value"),
		)
	}
	return nil
}
