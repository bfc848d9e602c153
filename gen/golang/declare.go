// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package golang

import (
	"errors"
	"fmt"
	"go/token"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/purepjrt/purepjrt/gen/model"
)

// typeKind says what a C type becomes.
type typeKind int

const (
	kindHandle typeKind = iota
	kindEnum
	kindStruct
	kindCallback
	kindAlias
)

// typeInfo is a C type that the headers declare.
type typeInfo struct {
	c, goName string
	kind      typeKind
	unit      *unit
	doc       string

	enum   *model.Enum
	st     *model.Struct
	fn     *model.Func
	target string // kindAlias: the C type that it names
	// alsoC are further typedefs of the same struct.
	alsoC []string
	// fields are the struct's fields in Go, once it has been written.
	fields []placed
}

// declare gives each type of each header its Go name.
func (g *generator) declare() error {
	for pkg, ids := range reserved {
		what := "a hand-written declaration"
		if pkg == packageOutside {
			what = "what pjrtgen writes for every extension"
		}
		for _, id := range ids {
			g.names[pkg][id] = owner{c: what}
		}
	}
	for _, u := range g.order {
		if err := g.declareHeader(u); err != nil {
			return u.fail(err)
		}
	}
	return nil
}

func (g *generator) declareHeader(u *unit) error {
	h := u.header
	var errs []error
	add := func(t *typeInfo) {
		if t.unit = u; g.types[t.c] != nil {
			// It was declared by an earlier header, unless a struct or an enum shares its name with
			// a typedef of something else.
			if other := g.types[t.c]; other.unit == u && other.kind != t.kind {
				errs = append(errs, at(t.item(), fmt.Errorf("%s%s and the typedef %s have one name in Go: give one of them another name",
					other.item(), u.where(u, other.item()), t.c)))
			}
			return
		}
		t.goName = goName(u.pkg, t.c)
		errs = append(errs, at(t.item(), g.claim(u, t.goName, t.c, t.item())))
		g.types[t.c] = t
		u.types = append(u.types, t)
	}
	for i := range h.Enums {
		e := &h.Enums[i]
		if e.Name == "" {
			continue // constants
		}
		add(&typeInfo{c: e.Name, kind: kindEnum, enum: e, doc: e.Doc})
	}
	for _, o := range h.Opaque {
		if !g.hasBody(o.Name) {
			add(&typeInfo{c: o.Name, kind: kindHandle, doc: o.Doc})
		}
	}
	for i := range h.Structs {
		s := &h.Structs[i]
		t := &typeInfo{c: s.Name, kind: kindStruct, st: s, doc: s.Doc}
		add(t)
		for _, other := range s.Typedefs {
			switch {
			case other == s.Name:
			case s.Role == model.RoleArgs:
				// Another function's arguments that happen to look alike.
				add(&typeInfo{c: other, kind: kindStruct, st: s, doc: s.Doc})
			case g.types[other] == nil:
				g.types[other] = t
				t.alsoC = append(t.alsoC, other)
			}
		}
	}
	slots := g.tableFunctions(u)
	for _, fns := range [][]model.Func{h.Callbacks, h.Functions} {
		for i := range fns {
			if f := &fns[i]; !slots[f.Name] {
				add(&typeInfo{c: f.Name, kind: kindCallback, fn: f, doc: f.Doc})
			}
		}
	}
	for _, a := range h.Aliases {
		if a.Opaque {
			add(&typeInfo{c: a.Name, kind: kindHandle})
		} else {
			add(&typeInfo{c: a.Name, kind: kindAlias, target: a.Type})
		}
	}
	return errors.Join(errs...)
}

// hasBody reports whether some header defines the struct, so that it is not a handle.
func (g *generator) hasBody(c string) bool {
	for _, u := range g.order {
		for i := range u.header.Structs {
			if u.header.Structs[i].Name == c {
				return true
			}
		}
	}
	return false
}

// owner is what has a Go name.
type owner struct {
	c    string // its C name, or what it is in words
	unit *unit  // nil for what no header declares
	item string // the key of its place in the unit's header
}

// claim takes an exported Go name of the unit's package for a C name, whose place is that of item.
func (g *generator) claim(u *unit, id, c, item string) error {
	if !token.IsIdentifier(id) || !token.IsExported(id) {
		return fmt.Errorf("%s would be called %q in Go, which is not an exported name: give it another name", c, id)
	}
	return g.take(u, id, c, item)
}

// take is claim for any name.
func (g *generator) take(u *unit, id, c, item string) error {
	if other, ok := g.names[u.pkg][id]; ok && (other.c != c || other.item != item) {
		advice := "give one of them a name in gen/golang/names.go"
		switch {
		case u.pkg == packageOutside && other.unit == nil:
			advice = "give it another name"
		case u.pkg == packageOutside:
			advice = "give one of them another name"
		}
		return fmt.Errorf("%s%s and %s would both be called %s in Go: %s", other.c, other.unit.where(u, other.item), c, id, advice)
	}
	g.names[u.pkg][id] = owner{c, u, item}
	return nil
}

// where says in brackets on which line an item of the unit's header is, for an error about the
// header of the unit from; it is empty if the line is not known.
func (u *unit) where(from *unit, item string) string {
	if u == nil {
		return ""
	}
	p, ok := u.header.Places[item]
	switch {
	case !ok:
		return ""
	case u == from:
		return fmt.Sprintf(" (line %d)", p.Line)
	}
	return fmt.Sprintf(" (%s:%d)", u.header.Path, p.Line)
}

// isTable reports whether plugins offer functions through the struct.
func isTable(s *model.Struct) bool {
	_, ok := apiTables[s.Name]
	return ok || s.Role == model.RoleExtension
}

// tableFunctions returns the function and callback typedefs that slots of the
// header's tables use; they need no type of their own.
func (g *generator) tableFunctions(u *unit) map[string]bool {
	out := make(map[string]bool)
	for i := range u.header.Structs {
		s := &u.header.Structs[i]
		if !isTable(s) {
			continue
		}
		for j := range s.Fields {
			f := &s.Fields[j]
			if f.Kind != "fnptr" || f.Fn == "" {
				continue
			}
			if sig, _, ok := g.signature(u.header, f); u.kind != unitCore && (!ok || g.argsOf(u, sig) == nil) {
				continue // a field of its own type
			}
			out[f.Fn] = true
		}
	}
	return out
}

// item returns what the places of a header call the type.
func (t *typeInfo) item() string {
	switch t.kind {
	case kindStruct:
		if t.st.Name == t.c {
			return "struct " + t.c
		}
	case kindEnum:
		return "enum " + t.c
	}
	return t.c
}

// table is a struct of function pointers that is a section of capi.
type table struct {
	unit      *unit
	st        *typeInfo
	section   string // Go expression
	errors    string // Go name of the kind of errors
	functions []*function
}

// function is a slot that takes a pointer to its arguments.
type function struct {
	table *table
	c     string // C name
	args  *typeInfo
	field *model.Field // the slot
	slot  int          // how many functions of the table precede it
	void  bool
	doc   string
	since int
	row   jen.Code // its descriptor, once it has been written
}

// findFunctions fills the tables of the units.
func (g *generator) findFunctions() error {
	for _, u := range g.order {
		for i := range u.header.Structs {
			s := &u.header.Structs[i]
			if !isTable(s) || g.outside.name != "" && s != g.outside.table {
				continue
			}
			t := &table{unit: u, st: g.types[s.Name]}
			if err := g.fillTable(t, s); err != nil {
				return u.fail(at("struct "+s.Name, fmt.Errorf("struct %s: %w", s.Name, err)))
			}
			if len(t.functions) > 0 {
				u.tables = append(u.tables, t)
			}
		}
		if len(u.tables) > 1 {
			return fmt.Errorf("%s: %s and %s are both tables of functions: one per header is expected", u.header.Path, u.tables[0].st.c,
				u.tables[1].st.c)
		}
	}
	return nil
}

func (g *generator) fillTable(t *table, s *model.Struct) error {
	if a, ok := apiTables[s.Name]; ok {
		t.section, t.errors = a.section, a.errors
	} else {
		t.errors = "ErrorsPJRT"
	}
	for i := range s.Fields {
		f := &s.Fields[i]
		if f.Kind != "fnptr" {
			continue
		}
		fail := func(format string, args ...any) error {
			return at(s.Name+"."+f.Name, fmt.Errorf("field "+f.Name+": "+format, args...))
		}
		sig, doc, ok := g.signature(t.unit.header, f)
		if !ok {
			return fail("nothing says what %s looks like", f.Type)
		}
		args := g.argsOf(t.unit, sig)
		if args == nil {
			continue // a field of its own type, no function of the section
		}
		if sig.Variadic {
			return fail("it takes further arguments after %s, which no caller has: leave out the ellipsis", args.c)
		}
		if other := g.byArgs[args]; other != nil {
			return fail("its argument struct %s already belongs to %s: give it its own struct, or a typedef of that one", args.c, other.c)
		}
		fn := &function{
			table: t, c: functionName(f, args), args: args, field: f, slot: len(t.functions), doc: doc, since: g.slotSince(t, f),
		}
		switch ret, ptr := parseType(sig.Ret); {
		case ret == "void" && ptr == 0:
			fn.void = true
		case ptr != 1 || errorTypes[ret] != t.errors:
			return fail("it returns %s, which is not the error type of this table", sig.Ret)
		}
		g.byArgs[args] = fn
		t.functions = append(t.functions, fn)
	}
	if t.section == "" && len(t.functions) > 0 && t.unit.pkg != packageOutside {
		x := extensionType(t.unit.header, s.Name)
		if x == "" {
			return errors.New("it is not known which PJRT_Extension_Type its nodes carry")
		}
		owner, id := g.enumValue(x)
		if owner == "" {
			return fmt.Errorf("its nodes carry %s, which no enum of the headers has", x)
		}
		t.section = id
	}
	return nil
}

// slotSince returns the minor that brought a function. Extensions often name the
// slot and the function's type differently; slots are fields too.
func (g *generator) slotSince(t *table, f *model.Field) int {
	for _, item := range []string{f.Name, f.Fn, t.st.c + "." + f.Name} {
		if minor := g.since(t.unit.header, item); minor > 0 {
			return minor
		}
	}
	return 0
}

// signature returns the C signature of a function pointer field and the
// documentation of its typedef.
func (g *generator) signature(h *model.Header, f *model.Field) (*model.Signature, string, bool) {
	if f.Sig != nil {
		return f.Sig, "", true
	}
	for _, u := range g.order {
		for _, fns := range [][]model.Func{u.header.Functions, u.header.Callbacks} {
			for i := range fns {
				if fn := &fns[i]; fn.Name == f.Fn {
					return fn.Signature(),
						fn.Doc, true
				}
			}
		}
	}
	return nil, "", false
}

// argsOf returns the args struct of the unit's package that is the only parameter of
// a signature.
func (g *generator) argsOf(u *unit, sig *model.Signature) *typeInfo {
	if len(sig.Params) != 1 {
		return nil
	}
	base, ptr := parseType(sig.Params[0].Type)
	t := g.types[base]
	if ptr != 1 || t == nil || t.kind != kindStruct || !strings.HasSuffix(t.c, "_Args") || t.unit.pkg != u.pkg {
		return nil
	}
	return t
}

// functionName returns the C name of the function in a slot: the slot's own name
// where it is a full one, else its typedef's, else what its arguments say.
func functionName(f *model.Field, args *typeInfo) string {
	for _, prefix := range []string{"PJRT_", "XLA_FFI_"} {
		if strings.HasPrefix(f.Name, prefix) {
			return f.Name
		}
	}
	if f.Fn != "" {
		return f.Fn
	}
	return strings.TrimSuffix(args.c, "_Args")
}

// extensionType returns the enumerator that an extension's nodes carry.
func extensionType(h *model.Header, st string) string {
	i := slices.IndexFunc(h.Tables, func(t model.Table) bool { return t.Struct == st })
	if i < 0 || h.Tables[i].ExtensionType == nil {
		return ""
	}
	return h.Tables[i].ExtensionType.Name
}

// enumValue returns the enum and the Go name of a C enumerator.
func (g *generator) enumValue(c string) (enum, id string) {
	for _, u := range g.order {
		for i := range u.header.Enums {
			e := &u.header.Enums[i]
			for j, v := range e.Values {
				if v.Name == c {
					ids, _ := enumNames(u.pkg, e.Name, valueNames(e))
					return e.Name, ids[j]
				}
			}
		}
	}
	return "", ""
}

func valueNames(e *model.Enum) []string {
	out := make([]string, len(e.Values))
	for i, v := range e.Values {
		out[i] = v.Name
	}
	return out
}

// parseType splits the spelling of a C type into what is left without
// qualifiers and pointers, and the number of pointers.
func parseType(s string) (base string, ptr int) {
	ptr = strings.Count(s, "*")
	var words []string
	for _, w := range strings.Fields(strings.ReplaceAll(s, "*", " ")) {
		switch w {
		case "const", "volatile", "struct", "enum", "union":
		default:
			words = append(words, w)
		}
	}
	return strings.Join(words, " "), ptr
}

// parseArray is parseType for a type that may be an array, of which it looks at the elements.
func parseArray(s string) (base string, ptr int, isArray bool) {
	elem, _, isArray := strings.Cut(s, "[")
	base, ptr = parseType(elem)
	return base, ptr, isArray
}
