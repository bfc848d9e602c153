// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package header

import (
	"fmt"
	"strings"

	"modernc.org/cc/v4"
)

// shape is the outermost part of a C type.
type shape byte

const (
	shapeBase shape = iota // a builtin type
	shapeName              // a typedef name
	shapeTag               // struct, union or enum
	shapePtr
	shapeArray
	shapeFunc
)

// ctype is a type as the header spells it, typedef names kept.
type ctype struct {
	shape    shape
	name     string // base, name, tag (the tag or, of an anonymous type, "")
	keyword  string // tag: struct, union or enum
	def      cc.Node
	isConst  bool
	volatile bool
	ref      string // ptr: "&" or "&&" for a C++ reference
	elem     *ctype // ptr, array; func: result
	length   int64  // array: -1 without bound
	bound    string // array: what its length is written as, if that is no constant
	params   []cparam
	variadic bool
	noProto  bool // declared with empty parentheses
}

type cparam struct {
	name string
	typ  *ctype
}

// spellType spells t around inner, which is a declarator or empty.
func (x *extractor) spellType(t *ctype, inner string) string {
	switch t.shape {
	case shapePtr:
		mark := "*"
		if t.ref != "" {
			mark = t.ref
		}
		if t.isConst {
			mark += "const"
		}
		if t.volatile {
			mark += " volatile"
		}
		if (t.isConst || t.volatile) && inner != "" {
			inner = " " + inner
		}
		inner = mark + inner
		if t.elem.shape == shapeFunc || t.elem.shape == shapeArray {
			inner = "(" + inner + ")"
		}
		return x.spellType(t.elem, inner)
	case shapeArray:
		bound := "[]"
		if t.length >= 0 {
			bound = fmt.Sprintf("[%d]", t.length)
		}
		return x.spellType(t.elem, inner+bound)
	case shapeFunc:
		var params []string
		for _, p := range t.params {
			params = append(params, x.spellType(p.typ, ""))
		}
		if t.variadic {
			params = append(params, "...")
		}
		list := strings.Join(params, ", ")
		if list == "" && !t.noProto && !x.isCXX {
			list = "void"
		}
		return x.spellType(t.elem, inner+"("+list+")")
	}
	name := x.baseName(t)
	if t.volatile {
		name = "volatile " + name
	}
	if t.isConst {
		name = "const " + name
	}
	if inner == "" {
		return name
	}
	if strings.HasPrefix(inner, "[") {
		return name + inner
	}
	return name + " " + inner
}

// baseName returns the name of a type that is not a pointer, array or function.
func (x *extractor) baseName(t *ctype) string {
	switch {
	case t.shape == shapeName:
		if s, ok := x.spelled[t.name]; ok {
			return s
		}
	case t.shape == shapeTag && t.name == "":
		return x.anonymous[t.def]
	}
	return t.name
}

// canon returns t with its typedef names resolved.
func (x *extractor) canon(t *ctype) *ctype { return x.resolve(t, 0) }

func (x *extractor) resolve(t *ctype, depth int) *ctype {
	c := *t
	switch t.shape {
	case shapeName:
		d := x.typedefs[t.name]
		_, foreign := x.spelled[t.name]
		if d == nil || foreign || depth > 100 {
			return t
		}
		if t.name == "bool" {
			return &ctype{shape: shapeBase, name: "bool", isConst: t.isConst, volatile: t.volatile}
		}
		r := *x.resolve(d, depth+1)
		return qualify(&r, t.isConst, t.volatile)
	case shapeBase:
		if t.name == "_Bool" {
			c.name = "bool"
		}
	case shapePtr, shapeArray:
		c.elem = x.resolve(t.elem, depth+1)
	case shapeFunc:
		c.elem = x.resolve(t.elem, depth+1)
		c.params = nil
		for _, p := range t.params {
			c.params = append(c.params, cparam{p.name, x.decay(x.resolve(p.typ, depth+1))})
		}
	}
	return &c
}

// decay returns what C makes of a parameter that is declared as a function or
// an array.
func (x *extractor) decay(t *ctype) *ctype {
	switch t.shape {
	case shapeFunc:
		return &ctype{shape: shapePtr, elem: t}
	case shapeArray:
		return &ctype{shape: shapePtr, elem: t.elem}
	}
	return t
}

func qualify(t *ctype, isConst, volatile bool) *ctype {
	if !isConst && !volatile {
		return t
	}
	c := *t
	if t.shape == shapeArray {
		c.elem = qualify(t.elem, isConst, volatile)
		return &c
	}
	c.isConst = c.isConst || isConst
	c.volatile = c.volatile || volatile
	return &c
}

// kindOf names the kind of the canonical type c.
func (x *extractor) kindOf(c *ctype) string {
	switch c.shape {
	case shapePtr:
		if c.elem.shape == shapeFunc {
			return "fnptr"
		}
		return "pointer"
	case shapeArray:
		return "array"
	case shapeFunc:
		return "function"
	case shapeTag:
		return c.keyword
	case shapeName:
		if x.typedefs[c.name] != nil && cxxType(x.spelled[c.name]) != "" {
			return "int"
		}
		return "struct"
	}
	switch c.name {
	case "bool":
		return "bool"
	case "void":
		return "void"
	case "float", "double", "long double":
		return "float"
	}
	return "int"
}

// base returns what is left of t without pointers and bounds, and the depth of
// the pointers.
func base(t *ctype) (b *ctype, depth int) {
	for {
		switch t.shape {
		case shapePtr:
			depth++
			t = t.elem
		case shapeArray:
			t = t.elem
		default:
			return t, depth
		}
	}
}

// derived returns t with pointers and arrays in place of the typedefs that name them. Typedefs of
// pointers to functions stay.
func (x *extractor) derived(t *ctype) *ctype {
	for t.shape == shapeName {
		c := x.canon(t)
		if c.shape != shapeArray && (c.shape != shapePtr || c.elem.shape == shapeFunc) {
			return t
		}
		d := *x.typedefs[t.name]
		t = qualify(&d, t.isConst, t.volatile)
	}
	if t.shape == shapeArray || t.shape == shapePtr {
		c := *t
		c.elem = x.derived(t.elem)
		return &c
	}
	return t
}

// variable returns what the length of an array is written as if it is no constant.
func (t *ctype) variable() string {
	for ; t.shape == shapeArray; t = t.elem {
		if t.bound != "" {
			return t.bound
		}
	}
	return ""
}

func bounds(t *ctype) (lens []int64) {
	for t.shape == shapeArray {
		lens = append(lens, t.length)
		t = t.elem
	}
	return lens
}

// specifiers holds what declaration specifiers say.
type specifiers struct {
	typ     *ctype
	typedef bool
	extern  bool
	static  bool
}

// builder collects specifiers one by one.
type builder struct {
	x     *extractor
	words []string
	word  cc.Token // the first of the words
	s     specifiers
	isC   bool
	isV   bool
	atom  cc.Token // the last _Atomic
}

func (b *builder) qualifier(q *cc.TypeQualifier) {
	if q == nil {
		return
	}
	switch q.Case {
	case cc.TypeQualifierConst:
		b.isC = true
	case cc.TypeQualifierVolatile:
		b.isV = true
	case cc.TypeQualifierAtomic:
		b.atom = q.Token
	}
}

func (b *builder) typeSpecifier(t *cc.TypeSpecifier) {
	if t == nil {
		return
	}
	switch t.Case {
	case cc.TypeSpecifierStructOrUnion:
		su := t.StructOrUnionSpecifier
		tag := su.Token.SrcStr()
		b.s.typ = &ctype{shape: shapeTag, name: tag, keyword: su.StructOrUnion.Token.SrcStr(), def: su}
	case cc.TypeSpecifierEnum:
		e := t.EnumSpecifier
		b.s.typ = &ctype{shape: shapeTag, name: e.Token2.SrcStr(), keyword: "enum", def: e}
	case cc.TypeSpecifierTypeName:
		b.s.typ = &ctype{shape: shapeName, name: t.Token.SrcStr()}
	case cc.TypeSpecifierTypeofType:
		b.s.typ = b.x.abstractDeclarator(b.x.specifierQualifiers(t.TypeName.SpecifierQualifierList), t.TypeName.AbstractDeclarator)
	case cc.TypeSpecifierTypeofExpr:
		b.s.typ = b.x.typeOf(t)
	case cc.TypeSpecifierAtomic:
		n := t.AtomicTypeSpecifier
		b.s.typ = b.x.abstractDeclarator(b.x.specifierQualifiers(n.TypeName.SpecifierQualifierList), n.TypeName.AbstractDeclarator)
		b.atom = n.Token
	default:
		if len(b.words) == 0 {
			b.word = t.Token
		}
		b.words = append(b.words, t.Token.SrcStr())
	}
}

// typeOf returns the type of what a typeof names. decltype becomes a typeof;
// upstream uses it for functions.
func (x *extractor) typeOf(t *cc.TypeSpecifier) *ctype {
	if e, ok := t.ExpressionList.(*cc.PrimaryExpression); ok && e.Case == cc.PrimaryExpressionIdent {
		if typ := x.objects[e.Token.SrcStr()]; typ != nil {
			return typ
		}
	}
	i, _ := x.tokenAt(t.Token)
	x.failAt(i, "the type of this expression is not known: name a function or a variable that is declared before")
	return &ctype{shape: shapeBase, name: "int"}
}

func (b *builder) done() specifiers {
	if b.s.typ == nil {
		b.s.typ = &ctype{shape: shapeBase, name: builtinName(b.words)}
		if todo := withoutCounterpart(b.s.typ.name); todo != "" {
			if i, ok := b.x.tokenAt(b.word); ok {
				b.x.failAt(i, "%s", todo)
			}
		}
	}
	if i, ok := b.x.tokenAt(b.atom); ok && b.x.byValue(b.s.typ) {
		b.x.failAt(i, "an atomic struct is not supported: compilers align it differently: make its fields atomic")
	}
	b.s.typ = qualify(b.s.typ, b.isC, b.isV)
	return b.s
}

// withoutCounterpart says what to write in place of a builtin type that some compilers have and
// other languages do not, or nothing for all other types.
func withoutCounterpart(name string) string {
	if name == "void" || name == "_Bool" || builtinSizes[name] > 0 {
		return ""
	}
	todo := "write a type of standard C"
	switch {
	case strings.Contains(name, "128") || strings.Contains(name, "64x"):
		todo = "write an array of two uint64_t"
	case strings.Contains(name, "16"):
		todo = "write uint16_t"
	case strings.Contains(name, "_Complex"):
		todo = "write a struct of two numbers"
	case strings.Contains(name, "32x") || strings.Contains(name, "64"):
		todo = "write double"
	case strings.Contains(name, "32"):
		todo = "write float"
	}
	return fmt.Sprintf("the type %s has no counterpart in other languages: %s", name, todo)
}

// plainWords are the words that the names of C's usual types consist of.
var plainWords = wordSet("char short int long float double signed unsigned void _Bool")

// builtinName is the usual spelling of a builtin type.
func builtinName(words []string) string {
	count := map[string]int{}
	for _, w := range words {
		if w = strings.TrimRight(strings.TrimPrefix(w, "__signed"), "_"); w == "" {
			w = "signed"
		}
		count[w]++
		if !plainWords[w] {
			return strings.Join(words, " ")
		}
	}
	u := count["unsigned"] > 0
	sign := func(s string) string {
		if u {
			return "unsigned " + s
		}
		return s
	}
	switch {
	case count["char"] > 0:
		if count["signed"] > 0 {
			return "signed char"
		}
		return sign("char")
	case count["short"] > 0:
		return sign("short")
	case count["double"] > 0:
		if count["long"] > 0 {
			return "long double"
		}
		return "double"
	case count["long"] > 1:
		return sign("long long")
	case count["long"] > 0:
		return sign("long")
	case u || count["signed"] > 0 || count["int"] > 0 || len(words) == 0:
		return sign("int")
	}
	return strings.Join(words, " ")
}

func (x *extractor) declarationSpecifiers(n *cc.DeclarationSpecifiers) specifiers {
	b := builder{x: x}
	for ; n != nil; n = n.DeclarationSpecifiers {
		switch n.Case {
		case cc.DeclarationSpecifiersStorage:
			switch n.StorageClassSpecifier.Case {
			case cc.StorageClassSpecifierTypedef:
				b.s.typedef = true
			case cc.StorageClassSpecifierExtern:
				b.s.extern = true
			case cc.StorageClassSpecifierStatic:
				b.s.static = true
			}
		case cc.DeclarationSpecifiersTypeSpec:
			b.typeSpecifier(n.TypeSpecifier)
		case cc.DeclarationSpecifiersTypeQual:
			b.qualifier(n.TypeQualifier)
		}
	}
	return b.done()
}

func (x *extractor) specifierQualifiers(n *cc.SpecifierQualifierList) *ctype {
	b := builder{x: x}
	for ; n != nil; n = n.SpecifierQualifierList {
		switch n.Case {
		case cc.SpecifierQualifierListTypeSpec:
			b.typeSpecifier(n.TypeSpecifier)
		case cc.SpecifierQualifierListTypeQual:
			b.qualifier(n.TypeQualifier)
		}
	}
	return b.done().typ
}

func (x *extractor) pointers(t *ctype, p *cc.Pointer) *ctype {
	for ; p != nil; p = p.Pointer {
		t = &ctype{shape: shapePtr, elem: t, ref: x.reference(p.Token)}
		for q := p.TypeQualifiers; q != nil; q = q.TypeQualifiers {
			if q.TypeQualifier == nil {
				continue
			}
			switch q.TypeQualifier.Case {
			case cc.TypeQualifierConst:
				t.isConst = true
			case cc.TypeQualifierVolatile:
				t.volatile = true
			}
		}
	}
	return t
}

// reference returns how the original spells a "*" that stands for a reference.
func (x *extractor) reference(t cc.Token) string {
	if i, ok := x.tokenAt(t); ok {
		return x.rw.refs[i]
	}
	return ""
}

// declarator applies d to the type t that its specifiers gave.
func (x *extractor) declarator(t *ctype, d *cc.Declarator) *ctype {
	if d == nil {
		return t
	}
	t = x.pointers(t, d.Pointer)
	for dd := d.DirectDeclarator; dd != nil; dd = dd.DirectDeclarator {
		switch dd.Case {
		case cc.DirectDeclaratorDecl:
			return x.declarator(t, dd.Declarator)
		case cc.DirectDeclaratorArr, cc.DirectDeclaratorStaticArr, cc.DirectDeclaratorArrStatic, cc.DirectDeclaratorStar:
			t = array(t, dd.AssignmentExpression)
		case cc.DirectDeclaratorFuncParam:
			t = x.function(t, dd.ParameterTypeList)
		case cc.DirectDeclaratorFuncIdent:
			if dd.IdentifierList != nil {
				x.undeclaredAt(dd.IdentifierList.Token2)
			}
			t = &ctype{shape: shapeFunc, elem: t, noProto: !x.isCXX}
		}
	}
	return t
}

func (x *extractor) abstractDeclarator(t *ctype, d *cc.AbstractDeclarator) *ctype {
	if d == nil {
		return t
	}
	t = x.pointers(t, d.Pointer)
	for dd := d.DirectAbstractDeclarator; dd != nil; dd = dd.DirectAbstractDeclarator {
		switch dd.Case {
		case cc.DirectAbstractDeclaratorDecl:
			return x.abstractDeclarator(t, dd.AbstractDeclarator)
		case cc.DirectAbstractDeclaratorFunc:
			t = x.function(t, dd.ParameterTypeList)
		default:
			t = array(t, dd.AssignmentExpression)
		}
	}
	return t
}

func (x *extractor) function(result *ctype, l *cc.ParameterTypeList) *ctype {
	f := &ctype{shape: shapeFunc, elem: result}
	if l == nil {
		f.noProto = !x.isCXX
		return f
	}
	f.variadic = l.Case == cc.ParameterTypeListVar
	for p := l.ParameterList; p != nil; p = p.ParameterList {
		d := p.ParameterDeclaration
		if d.DeclarationSpecifiers == nil && d.Declarator != nil {
			x.undeclaredAt(d.Declarator.NameTok())
		}
		t := x.declarationSpecifiers(d.DeclarationSpecifiers).typ
		name := ""
		if d.Declarator != nil {
			t = x.declarator(t, d.Declarator)
			name = d.Declarator.Name()
		} else {
			t = x.abstractDeclarator(t, d.AbstractDeclarator)
		}
		if t.shape == shapeBase && t.name == "void" && name == "" {
			continue
		}
		f.params = append(f.params, cparam{name, t})
	}
	return f
}

// array returns the type of an array of elem that is as long as e says.
func array(elem *ctype, e cc.ExpressionNode) *ctype {
	t := &ctype{shape: shapeArray, elem: elem, length: -1}
	if e == nil {
		return t
	}
	if n, ok := integer(e.Value()); ok {
		t.length = n
	} else {
		t.bound = cc.NodeSource(e)
	}
	return t
}

func integer(v cc.Value) (int64, bool) {
	switch v := v.(type) {
	case cc.Int64Value:
		return int64(v), true
	case cc.UInt64Value:
		return int64(v), true
	}
	return 0, false
}
