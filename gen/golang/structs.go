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

// names are the Go names of a struct's fields and methods, with what has each.
type names map[string]holder

// holder is what has a name.
type holder struct {
	what  string // in words
	field *model.Field
}

// take gives a name to a field of the struct t, or to a method of it.
func (n names) take(t *typeInfo, id string, f *model.Field, what string) error {
	item := func(f *model.Field) string { return t.st.Name + "." + firstMember(f) }
	if other, ok := n[id]; ok {
		return at(item(f), fmt.Errorf("%s%s and %s would both be called %s in Go: give one of them another name", other.what,
			t.unit.where(t.unit, item(other.field)), what, id))
	}
	n[id] = holder{what, f}
	return nil
}

// firstMember returns the C name of a field, or that of the first member of a union.
func firstMember(f *model.Field) string {
	if leaves := model.Leaves([]model.Field{*f}); len(leaves) > 0 {
		return leaves[0].Name
	}
	return f.Name
}

// structWriter writes one struct.
type structWriter struct {
	*generator
	t         *typeInfo
	callbacks *sheet // for the types of the function pointers in it
	code      []jen.Code
	fields    []placed
	names     names
	unions    []*union
	errs      []error
	end       int64 // of what has been written
	align     int64 // of the Go struct
}

// structDecl writes a struct, its size constant, the accessors of its unions and the
// types of the function pointers in it. Callbacks go to their own sheet.
func (g *generator) structDecl(t *typeInfo, to, callbacks *sheet) ([]placed, error) {
	s := t.st
	if s.Kind == "union" {
		return nil, fmt.Errorf("union %s: Go has no unions: put it into a struct as a member without a name, whose fields get methods", s.Name)
	}
	w := &structWriter{generator: g, t: t, callbacks: callbacks, names: make(names), align: 1}
	for i := range s.Fields {
		f := &s.Fields[i]
		if err := w.field(f, i == len(s.Fields)-1); err != nil {
			w.errs = append(w.errs, at(s.Name+"."+firstMember(f), err))
		}
	}
	switch size := (w.end + w.align - 1) / w.align * w.align; {
	case len(w.errs) > 0: // the sum is of no use
	case size < s.Size:
		w.code = append(w.code, jen.Id("_").Index(jen.Lit(int(s.Size-w.end))).Byte())
	case size > s.Size:
		w.errs = append(w.errs, fmt.Errorf("has %d bytes in C and %d in Go", s.Size, size))
	}
	if err := errors.Join(w.errs...); err != nil {
		return nil, fmt.Errorf("struct %s: %w", s.Name, err)
	}
	f := to.add()
	f.Comment(g.structDoc(t))
	f.Type().Id(t.goName).Struct(w.code...)
	if err := g.sizeConst(t, f); err != nil {
		return nil, fmt.Errorf("struct %s: %w", s.Name, err)
	}
	if fn := g.byArgs[t]; fn != nil {
		functionMethod(fn, f)
	}
	for _, u := range w.unions {
		if err := g.accessors(u, f, w.names); err != nil {
			return nil, fmt.Errorf("struct %s: %w", s.Name, err)
		}
	}
	return w.fields, nil
}

// field writes one field.
func (w *structWriter) field(f *model.Field, last bool) error {
	if f.Anonymous != "" {
		u, err := w.newUnion(w.t, f, len(w.unions))
		if err != nil {
			return err
		}
		w.unions = append(w.unions, u)
		if err := w.put(f, u.id, u.typ, jen.Comment(comment(u.doc(), f.Doc)).Line().Id(u.id).Add(u.typ.code)); err != nil {
			return err
		}
		for _, m := range u.members {
			if err := w.inline(m.Field); err != nil {
				return at(w.t.st.Name+"."+m.Name, fmt.Errorf("member %s: %w", m.Name, err))
			}
		}
		return nil
	}
	gt, err := w.fieldType(w.t, f)
	switch {
	case err != nil:
		return fmt.Errorf("field %s: %w", f.Name, err)
	case gt.size != f.Size:
		return fmt.Errorf("field %s: has %d bytes in C and %d in Go", f.Name, f.Size, gt.size)
	case gt.size == 0 && last:
		return fmt.Errorf("field %s: has no elements, and Go makes a struct larger that ends with such an array: leave it out", f.Name)
	}
	id := fieldID(f.Name)
	if err := w.put(f, id, gt, w.fieldCode(w.t, f, id, gt)); err != nil {
		return err
	}
	if err := w.inline(f); err != nil {
		return fmt.Errorf("field %s: %w", f.Name, err)
	}
	return nil
}

// inline writes the type of a function pointer that is declared in the struct, unless it is one of
// a table's functions.
func (w *structWriter) inline(f *model.Field) error {
	if f.Kind != "fnptr" || f.Sig == nil || isTable(w.t.st) && w.isSlot(w.t, f) {
		return nil
	}
	return w.inlineCallback(w.t, f, w.callbacks)
}

// put places a field, with padding in front where C leaves room and Go would not.
func (w *structWriter) put(f *model.Field, id string, gt goType, item jen.Code) error {
	what := "field " + f.Name
	if f.Anonymous != "" {
		what = "the union of " + w.unions[len(w.unions)-1].names()
	}
	if err := w.names.take(w.t, id, f, what); err != nil {
		return err
	}
	if !token.IsIdentifier(id) {
		return fmt.Errorf("%s: would be called %q in Go, which is not a name: give it another name", what, id)
	}
	next := (w.end + gt.align - 1) / gt.align * gt.align
	switch {
	case f.Offset < next || f.Offset%gt.align != 0:
		return fmt.Errorf("%s: is at offset %d, but Go places values of its type only at multiples of %d", what, f.Offset, gt.align)
	case f.Offset > next:
		w.code = append(w.code, jen.Id("_").Index(jen.Lit(int(f.Offset-w.end))).Byte())
	}
	w.end = f.Offset + gt.size
	w.align = max(w.align, gt.align)
	w.fields = append(w.fields, placed{firstMember(f), id, f.Offset, f.Anonymous != ""})
	w.code = append(w.code, item)
	return nil
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
	if overaligned(t) {
		paragraphs = append(paragraphs, fmt.Sprintf("C aligns it at %d bytes and Go at %d: use pointers to those that "+
			"C has made, and make none.", t.st.Align, goAlignment))
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
func (g *generator) sizeConst(t *typeInfo, f *jen.File) error {
	size := t.st.StructSize
	if size == nil || t.c != t.st.Name {
		return nil
	}
	id := t.goName + "Size"
	if err := g.claim(t.unit, id, size.Const, t.item()); err != nil {
		return err
	}
	stale := ""
	if isStale(size) {
		stale = fmt.Sprintf("The header's constant ends at %s; the struct goes on to byte %d.", size.LastField, dataEnd(t.st))
	}
	f.Comment(comment(size.Const, stale))
	f.Const().Id(id).Op("=").Lit(int(size.Value))
	return nil
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
