// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package header

import (
	"slices"
	"strings"

	"github.com/purepjrt/purepjrt/gen/model"
	"modernc.org/cc/v4"
)

// extractor makes the model of the main header out of a translation.
type extractor struct {
	*translation
	isCXX     bool // tags are names of types, or C++ was taken out
	h         *model.Header
	typedefs  map[string]*ctype  // of the whole translation unit
	objects   map[string]*ctype  // likewise of functions and variables
	anonymous map[cc.Node]string // struct or enum without a tag -> the typedef that names it
	noDiscard map[string]bool    // function typedefs marked as a whole
	structs   map[string]int     // name -> index in h.Structs
	sizes     map[string]model.StructSize
	declared  []string // tags declared by the header, in order
	defined   map[string]bool
	docs      map[string]string // tag -> documentation of its first declaration
	enumConst map[string]int64  // all enumerators of the translation unit
	tagSizes  map[string]int64  // sizes of structs, unions and enums by tag or typedef
	aliases   []alias
	marking   map[string]bool // macros -> whether they mark results
	inside    string          // the struct whose fields are being read
	err       error
}

func (t *translation) extract() (h *model.Header, err error) {
	line := 1
	defer func() {
		if p := recover(); p != nil {
			h, err = nil, t.main.errorf(line, 1, "%s", t.panicText(p))
		}
	}()
	x := &extractor{
		translation: t, isCXX: t.cxx(), h: newHeader(), objects: map[string]*ctype{},
		typedefs: map[string]*ctype{}, anonymous: map[cc.Node]string{}, noDiscard: map[string]bool{},
		structs: map[string]int{}, sizes: map[string]model.StructSize{}, defined: map[string]bool{},
		docs: map[string]string{}, enumConst: map[string]int64{}, tagSizes: map[string]int64{},
		marking: map[string]bool{},
	}
	x.preamble()
	for l := t.ast.TranslationUnit; l != nil && x.err == nil; l = l.TranslationUnit {
		ed := l.ExternalDeclaration
		if ed == nil || ed.Declaration == nil {
			continue
		}
		if x.isOwn(ed) {
			line = ed.Position().Line
		}
		if d := ed.Declaration; d.DeclarationSpecifiers == nil && d.InitDeclaratorList != nil {
			x.untyped(d)
			continue
		}
		x.declaration(ed.Declaration, x.isOwn(ed))
	}
	if x.err != nil {
		return nil, x.err
	}
	x.finish()
	return x.h, nil
}

// isOwn reports whether the main header itself declares n.
func (x *extractor) isOwn(n cc.Node) bool {
	p := n.Position()
	return p.Filename == mainName && !slices.ContainsFunc(x.added, func(a added) bool {
		return a.line == p.Line && a.from <= p.Column && p.Column < a.to
	})
}

func newHeader() *model.Header {
	return &model.Header{
		Includes: model.Includes{System: []string{}, Project: []string{}},
		Macros:   []model.Macro{}, Enums: []model.Enum{}, Opaque: []model.Opaque{}, Structs: []model.Struct{},
		Functions: []model.Func{}, Callbacks: []model.Func{}, Tables: []model.Table{}, Places: map[string]model.Pos{},
	}
}

// tokenAt returns the index of the main header's token that t was written as.
// A token made by a macro is at the name of the macro.
func (x *extractor) tokenAt(t cc.Token) (int, bool) {
	p := t.Position()
	if p.Filename != mainName {
		return 0, false
	}
	i, ok := x.main.byPos[[2]int{p.Line, original(x.shifts[mainName], p.Line, p.Column)}]
	return i, ok
}

// pos returns the place of the first of the tokens that is in the main header.
func (x *extractor) pos(toks ...cc.Token) model.Pos {
	for _, t := range toks {
		if i, ok := x.tokenAt(t); ok {
			return posOf(&x.main.toks[i])
		}
	}
	return model.Pos{}
}

func posOf(t *token) model.Pos { return model.Pos{Line: t.line, Col: t.col} }

// place notes where an item is, unless it has no name. The first place of a name counts.
func (x *extractor) place(item string, p model.Pos) {
	if strings.HasPrefix(item, ".") || strings.HasSuffix(item, " ") {
		return
	}
	if _, ok := x.h.Places[item]; !ok && p.Line > 0 {
		x.h.Places[item] = p
	}
}

// span returns the indexes of the first and the last token of n.
func (x *extractor) span(n cc.Node) (first, last int) {
	first, last = -1, -1
	for _, t := range cc.NodeTokens(n) {
		i, ok := x.tokenAt(t)
		if !ok {
			continue
		}
		if first < 0 || i < first {
			first = i
		}
		if i > last {
			last = i
		}
	}
	if first < 0 {
		return 0, 0
	}
	// A macro's arguments come after its name.
	if x.macros[x.main.toks[last].text] && x.rw.is(last+1, "(") {
		if m := matching(x.main.toks, last+1); m > 0 {
			last = m
		}
		if x.rw.is(last+1, ";") {
			last++
		}
	}
	return first, last
}

func (x *extractor) failAt(i int, format string, args ...any) {
	if x.err == nil {
		x.err = x.main.errorAt(i, format, args...)
	}
}

// declaration handles a declaration of the main header (own), or of a header that it
// includes, from which only names are taken.
func (x *extractor) declaration(d *cc.Declaration, own bool) {
	spec := x.declarationSpecifiers(d.DeclarationSpecifiers)
	first, last := 0, 0
	var n notes
	if own && len(x.main.toks) > 0 {
		first, last = x.span(d)
		n = x.main.notesOf(x.leading(first), last)
	}
	node := definition(spec.typ)
	if spec.typ.shape == shapeTag && spec.typ.name == "" {
		x.nameAnonymous(d, spec)
	}
	if node != nil {
		x.define(node, spec.typ, own, n)
	}
	if own {
		x.note(spec.typ, spec.typedef, d, n)
	}
	for l := d.InitDeclaratorList; l != nil; l = l.InitDeclaratorList {
		decl := l.InitDeclarator.Declarator
		if decl == nil {
			continue
		}
		name, typ := decl.Name(), x.declarator(spec.typ, decl)
		if !spec.typedef {
			x.objects[name] = typ
		}
		if own {
			x.place(name, x.pos(decl.NameTok()))
		}
		switch {
		case spec.typedef:
			x.typedef(name, typ, own, n, first, last)
		case !own:
		case typ.shape == shapeFunc:
			x.prototype(name, typ, first, n)
		default:
			x.variable(name, typ, spec, l.InitDeclarator, first)
		}
	}
}

// leading returns the index of the first token of the declaration as written,
// marks and attributes included, that the C front end did not see.
func (x *extractor) leading(first int) int {
	for first > 0 {
		p := first - 1
		if e := x.rw.edits[p]; e.blank && !x.rw.is(p, "{") && !x.rw.is(p, "}") && !x.rw.is(p, ";") && !x.rw.is(p, ")") {
			first = p
			continue
		}
		if t := x.main.toks[p]; t.kind == kindIdent && x.rw.isMacro(t.text) && !x.macros[t.text] {
			first = p
			continue
		}
		break
	}
	return first
}

// definition returns the body that a specifier of t defines, if it has one.
func definition(t *ctype) cc.Node {
	switch d := t.def.(type) {
	case *cc.StructOrUnionSpecifier:
		if d.Case == cc.StructOrUnionSpecifierDef {
			return d
		}
	case *cc.EnumSpecifier:
		if d.Case == cc.EnumSpecifierDef {
			return d
		}
	}
	return nil
}

// nameAnonymous gives a type without a tag the name of its typedef.
func (x *extractor) nameAnonymous(d *cc.Declaration, spec specifiers) {
	if !spec.typedef {
		return
	}
	for l := d.InitDeclaratorList; l != nil; l = l.InitDeclaratorList {
		decl := l.InitDeclarator.Declarator
		if decl != nil && decl.Pointer == nil && decl.DirectDeclarator != nil && decl.DirectDeclarator.Case == cc.DirectDeclaratorIdent {
			x.anonymous[spec.typ.def] = decl.Name()
			return
		}
	}
}

// define adds the struct or enum whose body is node.
func (x *extractor) define(node cc.Node, t *ctype, own bool, n notes) {
	switch d := node.(type) {
	case *cc.EnumSpecifier:
		x.enum(d, t, own, n)
	case *cc.StructOrUnionSpecifier:
		if t.name != "" {
			x.defined[t.name] = true
		}
		if typ := d.Type(); typ != nil {
			x.tagSizes[x.baseName(t)] = typ.Size()
		}
		if own {
			x.structure(d, t, n)
		}
	}
}

// note records that the header declares a tag, which it may do in a typedef.
func (x *extractor) note(t *ctype, isTypedef bool, d *cc.Declaration, n notes) {
	if t.shape != shapeTag || t.name == "" || t.keyword == "enum" {
		return
	}
	if _, ok := x.docs[t.name]; !ok {
		// "struct X;", "typedef struct X X;" and "typedef struct X* Y;" declare X; "struct X* f();"
		// uses it.
		l := d.InitDeclaratorList
		if l != nil && (l.InitDeclarator.Declarator == nil || l.InitDeclarator.Declarator.Pointer != nil && !isTypedef ||
			l.InitDeclarator.Declarator.DirectDeclarator.Case != cc.DirectDeclaratorIdent) {
			return
		}
		x.declared = append(x.declared, t.name)
		x.docs[t.name] = n.text()
	}
}

// typedef adds a typedef name.
func (x *extractor) typedef(name string, t *ctype, own bool, n notes, first, last int) {
	if _, ok := x.typedefs[name]; !ok {
		x.typedefs[name] = t
	}
	if !own {
		return
	}
	c := x.canon(t)
	switch {
	case t.shape == shapeFunc:
		f := x.function2(name, t, n)
		f.Form = "function-type"
		x.noDiscard[name] = x.marked(x.leading(first), last)
		x.h.Functions = append(x.h.Functions, f)
	case t.shape == shapePtr && t.elem.shape == shapeFunc:
		f := x.function2(name, t.elem, n)
		f.Form = "pointer-to-function"
		x.noDiscard[name] = x.marked(x.leading(first), last)
		x.h.Callbacks = append(x.h.Callbacks, f)
	case t.shape == shapeTag && t.keyword == "enum":
		for i := range x.h.Enums {
			if e := &x.h.Enums[i]; e.Name == x.baseName(t) && e.Typedef == "" {
				e.Typedef = name
			}
		}
	default:
		a := alias{Alias: model.Alias{Name: name, Type: x.spellType(t, "")}}
		if c.shape == shapeTag && c.keyword != "enum" {
			a.tag = x.baseName(c)
		}
		x.aliases = append(x.aliases, a)
	}
}

// alias is a typedef that gives another name to a type. An alias of a struct with the
// given tag may turn out to be a name of that struct.
type alias struct {
	model.Alias
	tag string
}

// settle sorts the aliases, once all structs are known, into names of the header's
// structs, names of handles, and others.
func (x *extractor) settle() {
	for _, a := range x.aliases {
		i, own := x.structs[a.tag]
		switch {
		case own && a.tag != "":
			if s := &x.h.Structs[i]; !slices.Contains(s.Typedefs, a.Name) {
				s.Typedefs = append(s.Typedefs, a.Name)
			}
			continue
		case a.Name == a.tag:
			continue // the handle itself
		}
		a.Opaque = a.tag != "" && !x.defined[a.tag]
		if !slices.ContainsFunc(x.h.Aliases, func(b model.Alias) bool { return b.Name == a.Name }) {
			x.h.Aliases = append(x.h.Aliases, a.Alias)
		}
	}
}

// marked reports whether one of the tokens from first to last says that a result must be
// checked.
func (x *extractor) marked(first, last int) bool {
	for i := first; i <= last && i < len(x.main.toks); i++ {
		t := x.main.toks[i]
		if x.rw.marked[i] {
			return true
		}
		if t.kind == kindIdent && (isNoDiscard(t.text) || x.rw.isMacro(t.text) && x.macroMarks(t.text)) {
			return true
		}
	}
	return false
}

// macroMarks reports whether a definition of the macro, in any branch, marks what it
// makes.
func (x *extractor) macroMarks(name string) bool {
	if m, ok := x.marking[name]; ok {
		return m
	}
	found := false
	for _, rw := range x.rws {
		for _, d := range rw.dirs {
			if d.name != "define" || len(d.toks) == 0 || d.toks[0].text != name {
				continue
			}
			for _, t := range d.toks[1:] {
				found = found || t.kind == kindIdent && isNoDiscard(t.text)
			}
		}
	}
	x.marking[name] = found
	return found
}

// function2 makes the model of a function of type t.
func (x *extractor) function2(name string, t *ctype, n notes) model.Func {
	s := x.signature(t)
	f := model.Func{
		Name: name, Ret: s.Ret, Params: s.Params, NoPrototype: s.NoPrototype, Variadic: s.Variadic, RetByValue: s.RetByValue,
		Doc: n.text(),
	}
	if r := x.canon(t.elem); r.shape == shapePtr && r.elem.shape == shapeTag {
		f.ReturnsError = strings.HasSuffix(x.baseName(r.elem), "_Error")
	}
	for _, p := range s.Params {
		f.ByValueParams = f.ByValueParams || p.ByValue
	}
	if len(t.params) == 1 {
		if p := t.params[0].typ; p.shape == shapePtr && (p.elem.shape == shapeName || p.elem.shape == shapeTag) {
			if arg := x.baseName(p.elem); strings.HasSuffix(arg, "_Args") {
				f.SingleArgsPointer, f.ArgsStruct = true, arg
			}
		}
	}
	return f
}

// signature makes the model of a function type.
func (x *extractor) signature(t *ctype) *model.Signature {
	s := &model.Signature{Ret: x.spellType(t.elem, ""), Params: []model.Param{}, NoPrototype: t.noProto, Variadic: t.variadic}
	s.RetCanon = x.spellType(x.canon(t.elem), "")
	s.RetByValue = x.byValue(t.elem)
	for _, p := range t.params {
		s.Params = append(s.Params, x.param(p))
	}
	return s
}

func (x *extractor) byValue(t *ctype) bool {
	switch x.kindOf(x.canon(t)) {
	case "struct", "union":
		return true
	}
	return false
}

func (x *extractor) param(p cparam) model.Param {
	c := x.canon(p.typ)
	b, depth := base(p.typ)
	m := model.Param{
		Name: p.name, Type: x.spellType(p.typ, ""), Kind: x.kindOf(c), Ptr: depth, Const: b.isConst, Size: 8,
		ByValue: x.byValue(p.typ),
	}
	if b.shape != shapeFunc {
		m.Base = x.baseName(b)
	}
	switch m.Kind {
	case "function":
		m.Kind = "pointer" // a function type as a parameter is a pointer to it
	case "fnptr", "pointer", "array":
	default:
		m.Size = x.sizeOf(c)
	}
	if p.typ.shape == shapePtr && p.typ.elem.shape == shapeFunc {
		m.Sig = x.signature(p.typ.elem)
	}
	return m
}

// sizeOf returns the size of a canonical type that is not an array, or 0 if it is
// unknown.
func (x *extractor) sizeOf(c *ctype) int64 {
	switch c.shape {
	case shapePtr:
		return 8
	case shapeTag:
		if n, ok := x.tagSizes[x.baseName(c)]; ok {
			return n
		}
		return 0
	case shapeName:
		switch cxxType(x.spelled[c.name]) {
		case "int32_t":
			return 4
		case "int64_t", "size_t", "uint64_t":
			return 8
		}
		return 0
	}
	return builtinSizes[c.name]
}

var builtinSizes = map[string]int64{
	"bool": 1, "char": 1, "signed char": 1, "unsigned char": 1, "short": 2, "unsigned short": 2, "int": 4,
	"unsigned int": 4, "long": 8, "unsigned long": 8, "long long": 8, "unsigned long long": 8, "float": 4,
	"double": 8, "long double": 16,
}

func (x *extractor) prototype(name string, t *ctype, first int, n notes) {
	f := x.function2(name, t, n)
	if space, ok := x.rw.space[x.declStart(first)]; ok {
		f.Namespace, f.CXX = space, true
	}
	x.h.Prototypes = append(x.h.Prototypes, f)
}

// declStart returns the index of the first token of the declaration as written
// that holds the token i.
func (x *extractor) declStart(i int) int {
	for k := i; k >= 0; k-- {
		if _, ok := x.rw.space[k]; ok {
			return k
		}
		if k < i && (x.rw.is(k, ";") || x.rw.is(k, "}") && !x.rw.edits[k].blank) {
			break
		}
	}
	return i
}

func (x *extractor) variable(name string, t *ctype, spec specifiers, d *cc.InitDeclarator, first int) {
	if tag, ok := strings.CutSuffix(name, sizeSuffix); ok && d.Initializer != nil {
		v := model.StructSize{Const: name, Form: "const_global", LastField: lastField(d.Initializer)}
		if e := d.Initializer.AssignmentExpression; e != nil {
			n, ok := integer(e.Value())
			if !ok {
				x.failAt(first, "%s has no constant value", name)
			}
			v.Value = n
		}
		x.sizes[tag] = v
		return
	}
	start := x.declStart(first)
	if x.rw.constexpr[start] || x.rw.constexpr[x.leading(first)] {
		t = qualify(t, true, false)
	}
	if t.shape == shapeArray && t.length < 0 {
		if a, ok := d.Declarator.Type().(*cc.ArrayType); ok && a.Len() >= 0 {
			c := *t
			c.length = a.Len()
			t = &c
		}
	}
	v := model.Variable{Name: name, Type: x.spellType(t, ""), Namespace: x.rw.space[start]}
	if spec.extern {
		v.Storage = "extern"
	}
	if d.Initializer != nil && d.Initializer.AssignmentExpression != nil {
		if s, ok := d.Initializer.AssignmentExpression.Value().(cc.StringValue); ok {
			v.String = strings.TrimSuffix(string(s), "\x00")
		}
	}
	x.h.Variables = append(x.h.Variables, v)
}

const sizeSuffix = "_STRUCT_SIZE"

// lastField returns the field that a *_STRUCT_SIZE expression names.
func lastField(n cc.Node) string {
	arrow, field := false, ""
	for _, t := range cc.NodeTokens(n) {
		if arrow {
			field = t.SrcStr()
		}
		arrow = t.SrcStr() == "->"
	}
	return field
}

func (x *extractor) enum(d *cc.EnumSpecifier, t *ctype, own bool, n notes) {
	name := x.baseName(&ctype{shape: shapeTag, name: t.name, keyword: "enum", def: d})
	e := model.Enum{Name: name, Tag: name, Values: []model.EnumValue{}, Doc: n.text()}
	var et *cc.EnumType
	if typ, ok := d.Type().(*cc.EnumType); ok {
		et = typ
	}
	keyword := -1
	if own {
		if i, ok := x.tokenAt(d.Token); ok {
			keyword = i
		}
	}
	if own {
		x.place("enum "+name, x.pos(d.Token))
	}
	negative := false
	for l := d.EnumeratorList; l != nil; l = l.EnumeratorList {
		m := l.Enumerator
		v, ok := integer(m.Value())
		nm := m.Token.SrcStr()
		i, inMain := x.tokenAt(m.Token)
		if own && !ok {
			x.failAt(max(i, 0), "the value of the enumerator %s is not known", nm)
			return
		}
		if _, twice := x.enumConst[nm]; twice && own && inMain {
			x.failAt(i, "there are two enumerators %s: rename one", nm)
			return
		}
		negative = negative || v < 0
		x.enumConst[nm] = v
		val := model.EnumValue{Name: nm, Explicit: m.Case == cc.EnumeratorExpr, Value: v}
		if own && inMain {
			if x.main.toks[i].kind == kindIdent && x.rw.edits[i].repl != "" {
				val.Name = x.main.toks[i].text
			}
			val.Doc = x.main.notesOf(i, x.enumeratorEnd(i)).text()
			x.place(name+"."+val.Name, posOf(&x.main.toks[i]))
			x.place(val.Name, posOf(&x.main.toks[i]))
		}
		if tag, ok := strings.CutSuffix(nm, sizeSuffix); ok && own && t.name == "" && name == "" {
			s := model.StructSize{Const: nm, Form: "enum", Value: v}
			if m.ConstantExpression != nil {
				s.LastField = lastField(m.ConstantExpression)
			}
			x.sizes[tag] = s
			continue
		}
		e.Values = append(e.Values, val)
	}
	if et != nil {
		if t.name != "" {
			x.tagSizes[t.name] = et.Size()
		} else if name != "" {
			x.tagSizes[name] = et.Size()
		}
	}
	if !own || len(e.Values) == 0 && name == "" {
		return
	}
	e.Scoped = keyword >= 0 && x.rw.scoped[keyword]
	e.FixedUnderlying = e.Scoped || d.EnumTypeSpecifier != nil
	e.Size, e.Signed, e.Underlying = 4, negative, "unsigned int"
	if negative || e.Scoped {
		e.Underlying = "int"
	}
	if et != nil {
		e.Size = et.Size()
		u := et.UnderlyingType()
		e.Signed = cc.IsSignedInteger(u)
		e.Underlying = underlyingName(u)
	}
	x.h.Enums = append(x.h.Enums, e)
}

// underlyingName spells an integer type.
func underlyingName(t cc.Type) string {
	return builtinName(strings.Fields(kindWords[t.Kind()]))
}

var kindWords = map[cc.Kind]string{
	cc.Char: "char", cc.SChar: "signed char", cc.UChar: "unsigned char", cc.Short: "short", cc.UShort: "unsigned short",
	cc.Int: "int", cc.UInt: "unsigned int", cc.Long: "long", cc.ULong: "unsigned long", cc.LongLong: "long long",
	cc.ULongLong: "unsigned long long", cc.Bool: "bool",
}

// enumeratorEnd returns the index of the last token of the enumerator at i, the
// comma included.
func (x *extractor) enumeratorEnd(i int) int {
	for k := i; k < len(x.main.toks); k++ {
		switch x.main.toks[k].text {
		case "(":
			if m := matching(x.main.toks, k); m > 0 {
				k = m
			}
		case ",":
			return k
		case "}":
			return max(k-1, i)
		}
	}
	return i
}
