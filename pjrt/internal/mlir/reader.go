// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package mlir

import (
	"bytes"
	"context"
	"math"

	"github.com/purepjrt/purepjrt/pjrt/internal/dataflow"
)

// reader reads the text of a module: its functions, what these call, and its tensor types. It
// follows only the syntax that all operations share, and accepts much that MLIR does not.
type reader struct {
	lexer
	Limits
	depths     depths
	functions  []*function
	kept       useList               // mentions of functions outside of functions
	attributes map[string]*attribute // the aliases of attributes
	types      map[string]int        // the aliases of types, and how deep the brackets in each are nested

	op        operation // the one that is being read
	inRegion  bool      // whether operations may come next, and not only parts of one
	function  *function // the one around the position, or nil
	scope     scope
	regions   int    // around the position
	outside   int    // how many of them enclose the function's body
	brackets  int    // around the position, except in locations
	locations int    // brackets of locations around the position
	open      [4]int // brackets of each kind around the position
	signs     int    // before the position
	values    int    // attributes and types around the position
	permuted  dataflow.Permuted
	main      *Signature // of the outermost function main that was found
	mainScope int        // how many regions enclose it
	mainEnd   int        // before it, no function main is sought
	devices   devicesReader
	deepest   int   // the most brackets around any position in the alias of a type that is being read
	inAlias   bool  // whether one is being read
	hasLarge  bool  // whether an array has dataflow.Large elements
	mentions  bool  // whether there is another thing that package dataflow looks at
	last      token // the last one read
	hint      hint  // what it says about the next one
	signature struct {
		name, end, body int // where its name begins, where it ends, and where the body begins that follows it, or -1
		function        *function
	}
}

// hint is what a token says about the next one.
type hint byte

const (
	none      hint = iota
	operands       // they come next: the token is the name of an operation
	callee         // the function that the operation calls comes next
	locations      // the brackets of a location come next
	dims           // the dimensions of a tensor type come next
)

// operation is what is known about an operation.
type operation struct {
	kind     operationKind
	generic  bool      // in the generic form
	function *function // that it defines
}

type operationKind byte

const (
	anyOperation operationKind = iota
	definition                 // func.func
	call
	composite
	customCall
	asyncStart
	permute
	module // what its attributes mention is not kept
)

func newReader(ctx context.Context, code []byte, limits Limits) *reader {
	r := &reader{
		lexer: lexer{code: code, work: &work{ctx: ctx}}, Limits: limits, depths: depthsFor(limits.stack()),
		attributes: make(map[string]*attribute), types: make(map[string]int),
	}
	r.scope.start, r.signature.name, r.signature.body, r.inRegion = -1, -1, -1, true
	r.mainScope = math.MaxInt
	return r
}

// read reads a module. It fails with the error of the context if that ends first.
func (r *reader) read() error {
	for r.pos < len(r.code) {
		if err := r.items(end, nil, false); err != nil {
			return err
		}
	}
	return r.work.err
}

// items reads up to the closing bracket. a, unless it is nil, collects what comes before it.
// location says that all this is part of a location.
func (r *reader) items(closing kind, a *attribute, location bool) error {
	for {
		before, h := r.last, r.hint
		t := r.take()
		switch t.kind {
		case end, closing:
			return nil
		case ')', ']', '}':
			// A mistake. If the bracket closes an outer group, the inner one ends, too.
			if r.open[bracket(t.kind)] > 0 {
				r.pos = t.start
				return nil
			}
		default:
			if err := r.item(t, before, h, a, location); err != nil {
				return err
			}
		}
	}
}

// take reads a token.
func (r *reader) take() token {
	r.last, r.hint = r.next(), none
	return r.last
}

// item reads what begins with the token t, which comes after the token before and its hint h.
func (r *reader) item(t, before token, h hint, a *attribute, location bool) error {
	if t.kind != '-' {
		r.signs = 0
	}
	switch t.kind {
	case word, text, symbol, attributeName:
		if r.brackets+r.locations == 0 || r.mayTellDevices(t) {
			r.devices.see(&r.lexer, t, r.brackets+r.locations)
		}
		r.mentions = r.mentions || r.nameConcernsDataflow(t)
	case number:
		if t.end-t.start >= len("0x")+hexDigits {
			r.mentions = r.mentions || r.numberConcernsDataflow(t)
		}
	}
	switch t.kind {
	case '-':
		if r.signs++; r.signs > r.depths.signs {
			return r.depths.tooDeep("signs", r.depths.signs)
		}
	case '(', '[', '{', '<':
		return r.group(t, before, h, a, location)
	case word:
		return r.word(t, a)
	case text:
		return r.text(t, h, a, location)
	case symbol:
		switch {
		case h == callee:
			r.use(use{name: r.name(t)})
		case a != nil:
			a.addUse(use{name: r.name(t)})
		case h != operands && t.start != r.signature.name:
			r.use(use{name: r.name(t), mention: true})
		}
	case attributeName:
		return r.attributeName(t, before, h, a)
	case typeName:
		return r.typeName(t)
	case number:
		if a != nil {
			a.addNumber(r.bytes(t), before.kind == '-')
		}
	}
	return nil
}

// Numbers of 63 bits.
const (
	decimalDigits = 19
	hexDigits     = 16
)

// numberConcernsDataflow reports whether a number is so large that package dataflow may look at it.
func (r *reader) numberConcernsDataflow(t token) bool {
	b := r.bytes(t)
	return b[1] == 'x' || len(b) >= decimalDigits && bytes.IndexByte(b, '.') < 0
}

// nameConcernsDataflow reports whether a token is the name of an operation that package dataflow
// looks at, or data with such a number.
func (r *reader) nameConcernsDataflow(t token) bool {
	const longestName, longestData = 64, 1 << 12
	n := t.end - t.start
	switch b := r.bytes(t); {
	case t.kind == text && n > longestName:
		return n <= longestData && (bytes.Contains(b, []byte("FFFF7F")) || bytes.Contains(b, []byte("ffff7f")))
	case t.kind == text:
		return r.Compiler().Checks(operationName(view(bytes.Trim(b, `"`))))
	case t.kind == word && n <= longestName && (n == len(dataflow.Cast) || bytes.IndexByte(b, '.') > 0):
		return r.Compiler().Checks(operationName(view(b)))
	}
	return false
}

// bracket returns the index of a bracket, opening or closing, in reader.open.
func bracket(k kind) int {
	switch k {
	case '(', ')':
		return 0
	case '[', ']':
		return 1
	case '{', '}':
		return 2
	}
	return 3
}

// group reads what is between an opening bracket, which has been read, and the one that closes it.
func (r *reader) group(opening, before token, h hint, a *attribute, location bool) error {
	index := bracket(opening.kind)
	r.open[index]++
	op, inRegion := r.op, r.inRegion
	r.inRegion = false
	err := func() error {
		closing := kind(")]}>"[index])
		if h == locations || location && index < 2 {
			r.locations++
			defer func() { r.locations-- }()
			if r.locations > r.depths.locations {
				return r.depths.tooDeep("locations", r.depths.locations)
			}
			return r.items(closing, nil, true)
		}
		r.brackets++
		defer func() { r.brackets-- }()
		r.deepest = max(r.deepest, r.brackets)
		if r.brackets > r.depths.brackets {
			return r.depths.tooDeep("brackets", r.depths.brackets)
		}
		switch {
		case h == dims:
			return r.tensor(before.start)
		case before.kind == '=' && op.kind != module:
			r.op = operation{} // in a value there are no attributes of the operation
		}
		if opening.kind == '{' && a == nil && r.isRegion(opening, before) {
			return r.region(opening, before)
		}
		return r.items(closing, a, false)
	}()
	r.op, r.inRegion = op, inRegion
	r.open[index]--
	return err
}

// isRegion reports whether a region follows an opening brace. Otherwise attributes do.
func (r *reader) isRegion(opening, before token) bool {
	switch {
	case opening.start == r.signature.body || before.kind == '(':
		return true
	case before.kind == '=' || before.kind == '<':
		return false
	}
	// A region of nothing but a name counts as attributes, which changes nothing.
	ahead := r.lexer
	t := ahead.next()
	if t.kind == '}' {
		return false
	}
	c := ahead.peek()
	return t.kind != word && t.kind != text || c != '=' && c != ',' && c != '}'
}

// region reads a region. Its brace has been read.
func (r *reader) region(opening, before token) error {
	function, outer, outside := r.function, r.scope, r.outside
	defer func() {
		r.function, r.scope, r.outside = function, outer, outside
		r.regions--
	}()
	r.scope = scope{r.regions + 1, opening.start}
	if r.regions++; r.regions > r.depths.regions {
		return r.depths.tooDeep("regions", r.depths.regions)
	}
	switch f := r.op.function; {
	case opening.start == r.signature.body:
		r.function, r.outside = r.signature.function, r.regions
	case f != nil && r.op.generic && before.kind == '(':
		r.function, r.outside = f, r.regions
		f.hasBody = f.hasBody || r.peek() != '}'
	case r.function != nil:
		r.function.regions = max(r.function.regions, r.regions-r.outside)
	}
	r.op, r.inRegion = operation{}, true
	return r.items('}', nil, false)
}

// word reads what begins with a name without quotes.
func (r *reader) word(t token, a *attribute) error {
	w := r.bytes(t)
	switch string(w) {
	case "tensor", "tensor_v1":
		r.hint = dims
		return nil
	case "loc":
		r.hint = locations
		return nil
	case "module":
		if r.inRegion {
			r.begin(w, false)
		}
		return nil
	case "call":
		if r.inRegion {
			r.begin(w, false)
		}
		return nil
	case "bounds":
		if a != nil {
			a.isBounds = true
		}
		return nil
	case "dim_numbers":
		if r.inRegion && r.peek() == '=' {
			return r.dimensionNumbers()
		}
	case "conv":
		if r.peek() == '<' || r.peek() == '[' {
			return r.dimensionNumbers()
		}
	}
	if isKey(w) {
		if r.peek() == '=' {
			return r.member(string(w), a)
		}
		return nil
	}
	if r.inRegion && a == nil && bytes.IndexByte(w, '.') > 0 {
		r.begin(w, false)
		if r.op.kind == definition {
			if string(w) == "func.func" {
				r.readMain((*lexer).prettyMain)
			}
			r.readSignature()
		}
	}
	return nil
}

// begin begins an operation.
func (r *reader) begin(name []byte, generic bool) {
	r.op = operation{generic: generic}
	if !generic {
		r.hint = operands
	}
	name = name[bytes.LastIndexByte(name, '.')+1:]
	if i := bytes.LastIndex(name, []byte("_v")); i > 0 && i+2 < len(name) && classes[name[i+2]] == classDigit {
		name = name[:i] // the version of an operation of a portable artifact
	}
	switch string(name) {
	case "func":
		r.op.kind = definition
		if generic {
			r.op.function = &function{scope: r.scope}
			r.functions = append(r.functions, r.op.function)
		}
	case "module":
		r.op.kind = module
	case "call":
		r.op.kind, r.hint = call, callee
	case "composite":
		r.op.kind = composite
	case "custom_call":
		r.op.kind = customCall
	case "async_start":
		r.op.kind = asyncStart
	case "collective_permute":
		r.op.kind = permute
	}
}

// text reads what begins with a string.
func (r *reader) text(t token, h hint, a *attribute, location bool) error {
	if location {
		return nil
	}
	switch c := r.peek(); {
	case c == '(' && r.inRegion && a == nil && h != operands:
		name := r.name(t)
		r.begin([]byte(name), true)
		r.hint = none
		if name == "func.func" {
			r.readMain((*lexer).genericMain)
		}
	case c == '=':
		if name := r.name(t); isKey([]byte(name)) {
			return r.member(name, a)
		}
	case a != nil:
		if r.Permutes {
			a.addData(r.bytes(t))
		}
		a.addText(r.name(t))
	}
	return nil
}

// readMain reads the types of a function at the position, if that is the function main of a module
// further out than any other, and not within what was read for another.
func (r *reader) readMain(read func(*lexer) (Signature, bool)) {
	if r.scope.depth >= r.mainScope || r.pos < r.mainEnd {
		return
	}
	ahead := r.lexer
	f, ok := read(&ahead)
	if r.mainEnd = ahead.pos; ok {
		r.main, r.mainScope = &f, r.scope.depth
	}
}

// readSignature reads the name of a function in the pretty form, and looks for its body.
func (r *reader) readSignature() {
	if r.pos < r.signature.end {
		return // within the signature of another function
	}
	ahead := r.lexer
	t := ahead.next()
	f := &function{scope: r.scope}
	if t.kind == word {
		f.private = string(ahead.bytes(t)) == "private"
		t = ahead.next()
	}
	if t.kind != symbol {
		return
	}
	f.name, r.signature.name = ahead.name(t), t.start
	r.functions = append(r.functions, f)
	f.hasBody = true // or malformed
	r.signature.end, r.signature.function = len(r.code), f
	if ahead.peek() != '(' || !ahead.skipGroup() {
		return
	}
	if ahead.peek() == '-' && ahead.next().kind == arrow {
		if ahead.peek() != '(' {
			ahead.next()
		}
		if c := ahead.peek(); (c == '(' || c == '<') && !ahead.skipGroup() {
			return
		}
	}
	t = ahead.next()
	if t.kind == word && string(ahead.bytes(t)) == "attributes" {
		if ahead.peek() != '{' || !ahead.skipGroup() {
			return
		}
		t = ahead.next()
	}
	f.hasBody = !ahead.canFollowDeclaration(t)
	r.signature.end, r.signature.body, r.signature.function = t.start, t.start, f
}

// canFollowDeclaration reports whether MLIR takes a token after a function without a body. At all
// others, such as the type of a result without an arrow, its parser stops, and says where.
func (l *lexer) canFollowDeclaration(t token) bool {
	switch t.kind {
	case end, '}', text, value, attributeName, typeName:
		return true
	case '{':
		return bytes.HasPrefix(l.code[t.start:], []byte("{-#")) // what the file has beside the program
	case word:
		// An operation of a module without the name of its dialect is one of MLIR's own.
		switch w := l.bytes(t); string(w) {
		case "module", "unrealized_conversion_cast", "loc":
			return true
		default:
			return bytes.IndexByte(w, '.') >= 0
		}
	}
	return false
}

// skipGroup skips from a bracket to the one that closes it. It reports whether there is one.
func (l *lexer) skipGroup() bool {
	for depth := 0; ; {
		switch l.next().kind {
		case end:
			return false
		case '(', '[', '{', '<':
			depth++
		case ')', ']', '}', '>':
			if depth--; depth == 0 {
				return true
			}
		}
	}
}

// use notes that the function around the position names another one, or an alias of an attribute
// that does.
func (r *reader) use(u use) {
	switch {
	case r.function != nil:
		u.regions = int32(r.regions - r.outside)
		r.function.uses.add(u)
	case u.mention && r.op.function != nil:
		r.op.function.uses.add(u)
	case u.mention && r.pos <= r.signature.end:
		r.signature.function.uses.add(u)
	case u.mention && r.op.kind != module:
		r.kept.add(u)
	}
}
