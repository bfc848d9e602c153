// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package header

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"strings"

	"modernc.org/cc/v4"
)

// Attributes may change a layout, and the C front end knows few of them. In some places it takes
// the one that it knows, aligned, and forgets it. So all attributes are looked up in the text
// that the preprocessor makes, as a compiler does: they may come out of macros.

const instead = ": write the layout that it makes with fields and types, or take it out"

// layoutAttributes say why an attribute cannot be read. Their names are without the underscores
// around them. Those that are not here change neither a layout nor a call.
var layoutAttributes = map[string]string{
	"packed":               "packed structs are not supported",
	"mode":                 "the attribute mode is not supported: write the type that it makes",
	"vector_size":          "vectors are not supported: write an array",
	"ext_vector_type":      "vectors are not supported: write an array",
	"neon_vector_type":     "vectors are not supported: write an array",
	"matrix_type":          "matrices are not supported: write an array",
	"transparent_union":    "the attribute transparent_union is not supported: it changes how an argument is passed: take it out",
	"scalar_storage_order": "the attribute scalar_storage_order is not supported: it changes the order of bytes: take it out",
	"randomize_layout":     "the attribute randomize_layout is not supported" + instead,
	"no_unique_address":    "the attribute no_unique_address is not supported" + instead,
	"address_space":        "the attribute address_space is not supported: take it out",
	"ms_abi":               callingConvention("ms_abi"),
	"regcall":              callingConvention("regcall"),
	"vectorcall":           callingConvention("vectorcall"),
	"preserve_most":        callingConvention("preserve_most"),
	"preserve_all":         callingConvention("preserve_all"),
	"swiftcall":            callingConvention("swiftcall"),
}

func callingConvention(name string) string {
	return "the attribute " + name + " is not supported: it changes how the function is called: take it out"
}

// layoutPragmas are pragmas that change layouts.
var layoutPragmas = map[string]string{
	"pack":                 "packed structs are not supported",
	"scalar_storage_order": layoutAttributes["scalar_storage_order"],
}

// harmless are attributes that headers have often, and that mean no work.
var harmless = wordSet("warn_unused_result unused deprecated visibility noreturn nonnull")

// plainName returns the name of an attribute without the underscores around it.
func plainName(name string) string {
	if strings.HasPrefix(name, "__") && strings.HasSuffix(name, "__") && len(name) > 4 {
		return name[2 : len(name)-2]
	}
	return name
}

// refuseLayout fails on an attribute in the tokens from k to m, which are taken out, that changes
// a layout.
func (r *remover) refuseLayout(k, m int) {
	for ; k < m; k++ {
		name := plainName(r.toks[k].text)
		switch why := layoutAttributes[name]; {
		case r.toks[k].kind != kindIdent:
		case name == "packed" && r.is(r.before(k), "enum"):
			r.fail(k, "%s", packedEnum)
		case why != "":
			r.fail(k, "%s", why)
		case name == "aligned":
			r.fail(k, "%s", "the attribute aligned is not supported in double brackets and after enum: write __attribute__((aligned(16)))")
		case r.is(k, "alignas"), r.is(k, "_Alignas"):
			r.fail(k, "%s is not supported here: write __attribute__((aligned(16)))", r.toks[k].text)
		}
	}
}

// before returns the index of the token before the attributes that the token k is in.
func (r *remover) before(k int) int {
	for ; k >= 0; k-- {
		if r.is(k, "enum") || r.is(k, "struct") || r.is(k, "union") || r.is(k, ";") || r.is(k, "{") || r.is(k, "}") {
			break
		}
	}
	return k
}

const packedEnum = "packed enums are not supported: state the type of the values, as in enum E : uint8_t"

// maxAttributes bounds the work of looking at attributes. The core header has 140.
const maxAttributes = 2000

// checkAttributes returns an error about the first attribute or pragma that changes a layout in a
// way that is not read.
func (t *translation) checkAttributes() error {
	if !t.mayChangeLayouts() {
		return nil
	}
	full := t.expand(cuts{})
	if len(full.pragmas) > 0 {
		at := t.locate(func(c cuts) bool { return len(t.expand(c).pragmas) > 0 })
		return at.named("_Pragma").errorf("%s", layoutPragmas[full.pragmas[0]])
	}
	if len(full.attributes) > maxAttributes {
		at := t.locate(func(c cuts) bool { return len(t.expand(c).attributes) > maxAttributes })
		return at.errorf("this is attribute number %d, more than the %d that are read: use fewer", maxAttributes+1, maxAttributes)
	}
	for k, a := range full.attributes {
		if why := full.judge(a); why != "" {
			at := t.locate(func(c cuts) bool { return len(t.expand(c).attributes) > k })
			return at.named(full.toks[a.name].text).errorf("%s", why)
		}
	}
	return nil
}

// named returns the place of a name inside the brackets that end at s, or of what is before the
// brackets.
func (s spot) named(name string) spot {
	if s.token > 1 && s.toks[s.token-2].text == name {
		return s.at(s.token - 2) // the text of a pragma, which counts before its bracket is closed
	}
	if s.token < 0 || s.toks[s.token].text != ")" {
		return s
	}
	found := max(opening(s.toks, s.token)-1, 0)
	for k := found; k < s.token; k++ {
		if s.toks[k].text == name {
			found = k
		}
	}
	return s.at(found)
}

func (s spot) at(token int) spot {
	return spot{source: s.source, token: token, line: s.toks[token].line, col: s.toks[token].col}
}

// mayChangeLayouts reports whether the sources have anything but the most common attributes.
func (t *translation) mayChangeLayouts() bool {
	for _, r := range t.rws {
		if slices.ContainsFunc(r.dirs, func(d directive) bool {
			return d.name == "pragma" && len(d.toks) > 0 && layoutPragmas[d.toks[0].text] != "" || hasAttributes(d.toks)
		}) || hasAttributes(r.toks) {
			return true
		}
	}
	return false
}

func hasAttributes(toks []token) bool {
	for i, t := range toks {
		switch {
		case t.kind == kindIdent && (t.text == "_Pragma" || layoutAttributes[plainName(t.text)] != ""):
			return true
		case attributeWords[t.text]:
			if len(toks) < i+4 || toks[i+2].text != "(" || !harmless[plainName(toks[i+3].text)] {
				return true
			}
			if m := matching(toks, i+2); m < 0 || slices.ContainsFunc(toks[i+4:m], func(t token) bool { return t.kind == kindIdent }) {
				return true
			}
		}
	}
	return false
}

// expansion is what the preprocessor makes of the sources.
type expansion struct {
	toks       []token
	attributes []attribute
	pragmas    []string // those that change layouts
}

// attribute is an attribute in an expansion.
type attribute struct {
	first, last int // the tokens with what it is in: __attribute__ to the last bracket, or _Alignas
	name        int // the token that names it
}

// expand runs the preprocessor on what is left by the cuts. Its errors are not of
// interest here: the front end finds them again.
func (t *translation) expand(left cuts) (e expansion) {
	config, sources, err := t.input(left)
	if err != nil {
		return expansion{}
	}
	defer func() { _ = recover() }() // the front end will panic again, and then it is reported
	c := config()
	c.PragmaHandler = func(toks []cc.Token) error {
		if name := toks[0].SrcStr(); layoutPragmas[name] != "" {
			e.pragmas = append(e.pragmas, name)
		}
		return nil
	}
	var text bytes.Buffer
	_ = cc.Preprocess(c, sources, &text)
	l := lexer{source: &source{text: text.Bytes()}, line: 1}
	for {
		tok, ok, err := l.next()
		if err != nil || !ok {
			break
		}
		e.toks = append(e.toks, tok)
	}
	e.find()
	return e
}

// find finds the attributes. Those that nothing closes are not there yet.
func (e *expansion) find() {
	for i := 0; i+1 < len(e.toks); i++ {
		open, depth := i+1, 1
		switch t := e.toks[i].text; {
		case attributeWords[t] && e.is(open, "("):
		case t == "[" && e.is(open, "["):
			open = i
		default:
			continue
		}
		last := matching(e.toks, open)
		if last < 0 {
			return
		}
		switch e.toks[i].text {
		case "_Alignas", "alignas":
			e.attributes = append(e.attributes, attribute{i, last, i})
			continue
		case "__declspec":
			depth = 0
		}
		e.names(i, last, open+1+depth)
		i = last
	}
}

// names adds the attributes in the list that begins at k, inside what is from first to last.
func (e *expansion) names(first, last, k int) {
	for ; k < last; k++ {
		switch t := e.toks[k]; {
		case t.text == "(":
			if m := matching(e.toks, k); m > 0 {
				k = m
			}
		case t.kind == kindIdent && !e.is(k+1, "::"):
			e.attributes = append(e.attributes, attribute{first, last, k})
		}
	}
}

func (e *expansion) is(i int, text string) bool {
	return i >= 0 && i < len(e.toks) && e.toks[i].text == text && e.toks[i].kind != kindString
}

// judge says why an attribute cannot be read, or nothing.
func (e *expansion) judge(a attribute) string {
	switch name := plainName(e.toks[a.name].text); name {
	case "packed":
		if e.ofEnum(a) {
			return packedEnum
		}
		return layoutAttributes[name]
	case "aligned":
		return e.judgeAligned(a)
	case "_Alignas", "alignas":
		for k := e.start(a.first); k < a.first; k++ {
			if e.is(k, "_Alignas") {
				return "two alignments of one declaration are not supported: write the larger one"
			}
		}
		return ""
	default:
		return layoutAttributes[name]
	}
}

// ofEnum reports whether the attribute is that of an enum.
func (e *expansion) ofEnum(a attribute) bool {
	k := a.first - 1
	if e.is(k, "}") {
		k = opening(e.toks, k) - 1
	}
	for ; k >= 0 && (e.toks[k].kind == kindIdent || e.is(k, ":")); k-- {
		if e.is(k, "enum") {
			return true
		}
	}
	return false
}

// judgeAligned says why the front end would not give the alignment to what gcc gives it.
func (e *expansion) judgeAligned(a attribute) string {
	if !e.is(a.name+1, "(") {
		return "the attribute aligned without a number is not supported: write aligned(16), which it means on x86-64"
	}
	if !e.is(a.first, "__attribute__") && !e.is(a.first, "__attribute") {
		return "the attribute aligned is not supported in double brackets: write __attribute__((aligned(16)))"
	}
	if beside := func(b attribute) bool { return b.first == a.first }; count(e.attributes, beside) > 2 {
		return "the attribute aligned is not supported beside several others: give it an __attribute__ of its own"
	}
	start, prev, next := e.start(a.first), e.skipBack(a.first-1), e.skip(a.last+1)
	isTypedef := e.has(start, a.first, "typedef") || e.has(a.last, next+1, "typedef")
	switch {
	case e.is(prev, "enum"), e.is(prev, "}") && e.ofEnum(a):
		return "the attribute aligned of an enum is not supported: compilers differ about it: take it out"
	case e.is(prev, "struct"), e.is(prev, "union"), e.is(prev, "}"):
		return ""
	case !isTypedef && e.enclosing(a.first) == "":
		return "" // the alignment of a function or a variable is in no layout
	case e.is(prev, "*"), e.is(prev, "("), e.is(prev, ","):
	case e.is(next, ";"), isTypedef && e.is(next, ","):
		if isTypedef && e.undefined(start, a.first) {
			return "the attribute aligned is not supported in the typedef of a struct that is not defined before: " +
				"put it after the struct's closing brace"
		}
		return ""
	case e.leads(start, a.first, a.last) && e.number(a) >= e.largest(isTypedef):
		return ""
	}
	return "the attribute aligned is not supported here: put it directly before the semicolon of the field or of the typedef, " +
		"or after the closing brace of the struct"
}

func count[T any](list []T, is func(T) bool) (n int) {
	for _, v := range list {
		if is(v) {
			n++
		}
	}
	return n
}

// start returns the index of the first token of the declaration that the token i is in, or of what
// follows the body in it.
func (e *expansion) start(i int) int {
	for depth := 0; i > 0; i-- {
		switch p := i - 1; {
		case e.is(p, ")"), e.is(p, "]"):
			depth++
		case e.is(p, "("), e.is(p, "["):
			depth--
		case depth > 0:
		case e.is(p, ";"), e.is(p, "{"), e.is(p, "}"):
			return i
		}
	}
	return 0
}

// skipBack returns the index of the token before the attributes that end at i.
func (e *expansion) skipBack(i int) int {
	for e.is(i, ")") {
		open := opening(e.toks, i)
		if open < 1 || !attributeWords[e.toks[open-1].text] {
			return i
		}
		i = open - 2
	}
	return i
}

// skip returns the index of the token after the attributes that begin at i.
func (e *expansion) skip(i int) int { return skipAttributes(e.toks, i) }

func (e *expansion) has(i, j int, text string) bool {
	for ; i < j; i++ {
		if e.is(i, text) {
			return true
		}
	}
	return false
}

// enclosing returns the bracket around the token i, or nothing.
func (e *expansion) enclosing(i int) string {
	for depth := 0; i > 0; i-- {
		switch p := e.toks[i-1].text; p {
		case ")", "]", "}":
			depth++
		case "(", "[", "{":
			if depth--; depth < 0 {
				return p
			}
		}
	}
	return ""
}

// undefined reports whether one of the tokens from i to j names a struct of which there is no
// body before i.
func (e *expansion) undefined(i, j int) bool {
	for k := i; k < j; k++ {
		switch t := e.toks[k]; {
		case e.is(k, "struct"), e.is(k, "union"):
			tag := e.skip(k + 1)
			return !e.is(tag, "{") && !e.is(tag+1, "{") && !e.defined(t.text, e.toks[tag].text, i)
		case t.kind != kindIdent || keywords[t.text]:
		default:
			// A name that a typedef gives: look at what that typedef names.
			for d := range i {
				if e.is(d, t.text) && e.is(d+1, ";") && e.is(e.start(d), "typedef") {
					return e.undefined(e.start(d), d)
				}
			}
		}
	}
	return false
}

// defined reports whether a struct has a body before i.
func (e *expansion) defined(keyword, tag string, i int) bool {
	for k := range i {
		if n := e.skip(k + 1); e.is(k, keyword) && e.is(n, tag) && e.is(n+1, "{") {
			return true
		}
	}
	return false
}

// leads reports whether the attribute from first to last is among the words of a type, and only
// plain names and arrays follow them.
func (e *expansion) leads(start, first, last int) bool {
	for k := start; k < first; k++ {
		if e.toks[k].kind != kindIdent && !e.is(k, "(") && !e.is(k, ")") {
			return false
		}
	}
	name := e.skip(last + 1)
	k := name
	for ; k < len(e.toks) && e.toks[k].kind == kindIdent; k = e.skip(k + 1) {
	}
	if k == name || !e.is(k, ";") && !e.is(k, ",") && !e.is(k, "[") {
		return false
	}
	for ; k < len(e.toks) && !e.is(k, ";"); k++ {
		if e.is(k, "*") || e.is(k, "(") {
			return false
		}
	}
	return true
}

// number returns the alignment that an attribute states as a number, or a negative one.
func (e *expansion) number(a attribute) int64 {
	open := a.name + 1
	n, err := strconv.ParseInt(strings.TrimRight(e.toks[open+1].text, "uUlL"), 0, 32)
	if err != nil || !e.is(open, "(") || !e.is(open+2, ")") {
		return -1
	}
	return n
}

// largest returns the largest alignment that a type may have. The front end lets an attribute
// before a type lower the alignment of the type, as gcc does in a typedef of a builtin type only.
func (e *expansion) largest(isTypedef bool) int64 {
	most := int64(16)
	if isTypedef {
		most = 1
	}
	for _, a := range e.attributes {
		switch plainName(e.toks[a.name].text) {
		case "aligned", "_Alignas":
			if n := e.number(a); n >= 0 {
				most = max(most, n)
			} else {
				most = math.MaxInt32
			}
		}
	}
	return most
}
