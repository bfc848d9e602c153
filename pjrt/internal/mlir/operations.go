// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package mlir

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"github.com/purepjrt/purepjrt/pjrt/internal/dataflow"
	"github.com/purepjrt/purepjrt/pjrt/internal/preempt"
)

// mentionsTypes reports whether text mentions types that package dataflow looks at, or an operation
// whose name is written with escapes, as it may be in the generic form.
func mentionsTypes(code []byte, c dataflow.Compiler) bool {
	for _, name := range c.Types() {
		if preempt.Contains(code, []byte(name)) {
			return true
		}
	}
	return preempt.IndexByte(code, '\\') >= 0
}

// operationsReader reads the operations of a module in text, after reader has accepted how deep its
// parts are nested. Where it does not understand the text, it goes on with the next token, and what
// it makes has less in it.
type operationsReader struct {
	lexer
	module     *dataflow.Module
	scopes     []map[string]*dataflow.Value
	attributes map[string]int // where the values of aliases begin
	types      map[string]int
	mainDepth  int
	followed   *int // how many aliases were followed
	named      *int // how many names of results there may be
	used       int  // up to where values are known to be no results
}

// maxAliases is how many aliases may stand for each other, and maxFollowed how often one may be
// read.
const (
	maxAliases  = 16
	maxFollowed = 1 << 16
)

// follow reports whether an alias may be read, inside so many others.
func (r *operationsReader) follow(aliases int) bool {
	*r.followed++
	return aliases < maxAliases && *r.followed < maxFollowed
}

// readOperations returns the operations of a module, or some of them once w has ended.
func readOperations(code []byte, w *work) *dataflow.Module {
	r := newOperationsReader(code, w)
	r.findAliases()
	r.mainDepth = 1 << 30
	for r.pos < len(r.code) {
		r.block(new(dataflow.Block))
	}
	return r.module
}

// HasIndex reports whether a number in the text of an attribute has the type index, as in
// {n = 5 : index}.
func HasIndex(attribute []byte) bool {
	attribute = bytes.ReplaceAll(attribute, []byte{0}, []byte{' '}) // as MLIR does where a program does not end
	return newOperationsReader(attribute, &work{ctx: context.Background()}).attribute(0, false).Index
}

func newOperationsReader(code []byte, w *work) *operationsReader {
	r := &operationsReader{
		lexer: lexer{code: code, work: w}, module: &dataflow.Module{Functions: make(map[string]*dataflow.Block)},
		scopes:     []map[string]*dataflow.Value{{}},
		attributes: make(map[string]int), types: make(map[string]int),
		followed: new(int), named: new(int),
	}
	*r.named = len(code)/16 + 16 // each result has its operation and its type in the text
	return r
}

// findAliases notes where the values of aliases begin, which may come after their uses.
func (r *operationsReader) findAliases() {
	if bytes.IndexByte(r.code, '#') < 0 && bytes.IndexByte(r.code, '!') < 0 {
		return
	}
	l := r.lexer
	for t := l.next(); t.kind != end; t = l.next() {
		if (t.kind == attributeName || t.kind == typeName) && l.peek() == '=' {
			l.next()
			if t.kind == typeName {
				r.types[string(l.bytes(t))] = l.pos
			} else {
				r.attributes[string(l.bytes(t))] = l.pos
			}
		}
	}
}

// block reads operations up to the brace that closes the block.
func (r *operationsReader) block(b *dataflow.Block) {
	for {
		t := r.next()
		switch t.kind {
		case end, '}':
			return
		case value:
			if r.code[t.start] == '^' {
				r.label(b)
				continue
			}
			names := r.resultNames(t)
			if names == nil {
				continue
			}
			if t = r.next(); t.kind == word || t.kind == text {
				r.operation(b, t, names)
			}
		case word:
			r.operation(b, t, nil)
		case text:
			if r.peek() == '(' {
				r.operation(b, t, nil)
			}
		case attributeName, typeName:
			// An alias. What it stands for has no operations.
		case '{':
			r.block(b) // of something unknown
		}
	}
}

// label reads the parameters of a block.
func (r *operationsReader) label(b *dataflow.Block) {
	if r.peek() == '(' {
		r.next()
		r.parameters(b, ')')
	}
	if r.peek() == ':' {
		r.next()
	}
}

// parameters reads names with types up to a closing bracket.
func (r *operationsReader) parameters(b *dataflow.Block, closing kind) {
	depth := 0
	for {
		t := r.next()
		switch t.kind {
		case end:
			return
		case closing:
			if depth == 0 {
				return
			}
			depth--
		case '(', '{', '[', '<':
			depth++
		case ')', '}', ']', '>':
			depth--
		case value:
			if depth > 0 || r.peek() != ':' {
				continue
			}
			r.next()
			v := &dataflow.Value{Type: r.typ(0)}
			b.Params = append(b.Params, v)
			r.define(string(r.bytes(t)), v)
		}
	}
}

func (r *operationsReader) define(name string, v *dataflow.Value) {
	r.scopes[len(r.scopes)-1][name] = v
}

// use returns the value with a name.
func (r *operationsReader) use(name string) *dataflow.Value {
	for i := len(r.scopes) - 1; i >= 0; i-- {
		if v := r.scopes[i][name]; v != nil {
			return v
		}
	}
	return new(dataflow.Value)
}

// resultNames reads the names of results before the equals sign, of which the first is t. It
// returns nil if they are something else. A name for several results stands once for each.
func (r *operationsReader) resultNames(t token) []string {
	var names []string
	for {
		name := string(r.bytes(t))
		n := 1
		if r.peek() == ':' {
			r.next()
			count := r.next()
			n, _ = strconv.Atoi(string(r.bytes(count)))
		}
		if n = min(n, 1<<12, *r.named); n <= 0 {
			return nil
		}
		*r.named -= n
		if n == 1 {
			names = append(names, name)
		}
		for i := 0; n != 1 && i < n; i++ {
			names = append(names, name+"#"+strconv.Itoa(i))
		}
		switch t := r.next(); t.kind {
		case '=':
			return names
		case ',':
		default:
			r.pos = t.start
			return nil
		}
		if t = r.next(); t.kind != value {
			r.pos = t.start
			return nil
		}
	}
}

// operationName returns the name of StableHLO's operation.
func operationName(name string) string {
	name = name[strings.LastIndexByte(name, '.')+1:]
	if i := strings.LastIndex(name, "_v"); i > 0 && i+2 < len(name) && classes[name[i+2]] == classDigit {
		name = name[:i]
	}
	return name
}

// operation reads an operation after its name.
func (r *operationsReader) operation(b *dataflow.Block, name token, results []string) {
	o := &dataflow.Op{Name: operationName(r.name(name)), Attributes: make(map[string]dataflow.Attribute)}
	start := len(r.scopes)
	types := []dataflow.Type(nil)
	if name.kind == text && r.peek() == '(' {
		types = r.generic(o)
	} else {
		types = r.pretty(o)
	}
	r.scopes = r.scopes[:start]
	b.Ops = append(b.Ops, o)
	for i, result := range results {
		var t dataflow.Type
		switch {
		case len(types) == len(results):
			t = types[i]
		case len(types) > 0:
			t = types[len(types)-1]
		}
		r.define(result, o.NewResult(t))
	}
	// Results that nothing uses need no names, but count.
	if o.Name == "custom_call" && len(results) == 0 {
		for _, t := range types {
			o.NewResult(t)
		}
	}
	// A name with a number sign may also stand for the only result.
	if len(results) == 1 {
		r.define(results[0]+"#0", o.Results[0])
	}
	if o.Name == "func" {
		r.function(o)
	}
}

// function notes a function.
func (r *operationsReader) function(o *dataflow.Op) {
	if len(o.Regions) == 0 {
		return
	}
	o.Regions[0].Public = o.IsPublic()
	name := o.Attributes["sym_name"].Text
	if r.module.Functions[name] == nil || len(r.scopes) < r.mainDepth {
		r.module.Functions[name] = o.Regions[0]
	}
	if name == "main" && len(r.scopes) < r.mainDepth {
		r.module.Main, r.mainDepth = o.Regions[0], len(r.scopes)
	}
}

// generic reads the rest of an operation in the generic form, and returns the types of its results.
func (r *operationsReader) generic(o *dataflow.Op) []dataflow.Type {
	r.next() // the bracket
	r.operands(o)
	for {
		switch r.peek() {
		case '[': // successors
			if !r.skipGroup() {
				return nil
			}
		case '<':
			r.next()
			if r.peek() == '{' {
				r.dictionary(o)
			} else if t := r.next(); t.kind == attributeName {
				r.aliasedDictionary(o, string(r.bytes(t)))
			}
			if r.peek() == '>' {
				r.next()
			}
		case '(':
			r.next()
			for r.peek() == '{' {
				r.next()
				r.region(o)
				if r.peek() == ',' {
					r.next()
				}
			}
			if r.peek() == ')' {
				r.next()
			}
		case '{':
			r.dictionary(o)
		case ':':
			r.next()
			return r.functionType()
		default:
			return nil
		}
	}
}

// operands reads names of values up to a closing parenthesis.
func (r *operationsReader) operands(o *dataflow.Op) {
	for {
		switch t := r.next(); t.kind {
		case end, ')':
			return
		case value:
			o.Operands = append(o.Operands, r.use(r.valueName(t)))
		}
	}
}

// valueName returns the name of a value that is used, with the number of the result.
func (r *operationsReader) valueName(t token) string {
	name := string(r.bytes(t))
	if r.peek() == '#' {
		ahead := r.lexer
		if n := string(r.bytes(ahead.next())); len(n) > 1 && classes[n[1]] == classDigit {
			r.next()
			name += n
		}
	}
	return name
}

// region reads a region after its brace.
func (r *operationsReader) region(o *dataflow.Op, params ...*dataflow.Value) {
	b := &dataflow.Block{Params: params}
	o.Regions = append(o.Regions, b)
	r.scopes = append(r.scopes, make(map[string]*dataflow.Value))
	depth := len(r.scopes)
	r.block(b)
	r.scopes = r.scopes[:depth-1]
}

// functionType reads the types of operands and results, and returns the latter. A list without an
// arrow is that of the results.
func (r *operationsReader) functionType() []dataflow.Type {
	list := r.typeList()
	if r.peek() == '-' {
		ahead := r.lexer
		if ahead.next().kind == arrow {
			r.next()
			return r.typeList()
		}
	}
	return list
}

// typeList reads types in parentheses, or with commas between them.
func (r *operationsReader) typeList() []dataflow.Type {
	var list []dataflow.Type
	if r.peek() == '(' {
		r.next()
		for c := r.peek(); c != ')' && c != 0; c = r.peek() {
			list = append(list, r.typ(0))
			if r.peek() == '{' && !r.skipGroup() { // attributes of a result
				return list
			}
			if r.peek() == ',' {
				r.next()
			} else if r.peek() != ')' {
				r.next()
			}
		}
		r.next()
		return list
	}
	for {
		list = append(list, r.typ(0))
		if r.peek() != ',' {
			return list
		}
		ahead := r.lexer
		ahead.next()
		if t := ahead.next(); t.kind != word && t.kind != typeName {
			return list
		}
		r.next()
	}
}

// pretty reads the rest of an operation in a form of its own, and returns the types of its results.
func (r *operationsReader) pretty(o *dataflow.Op) (types []dataflow.Type) {
	switch o.Name {
	case "func":
		return r.prettyFunction(o)
	case "module":
		if r.peek() == '@' {
			r.next()
		}
	}
	for {
		before := r.pos
		t := r.next()
		switch t.kind {
		case end, '}':
			r.pos = before
			return types
		case value:
			if r.code[t.start] == '^' || r.begins(t) {
				r.pos = before
				return types
			}
			o.Operands = append(o.Operands, r.use(r.valueName(t)))
		case symbol:
			o.Attributes[attributeNamed(o, "callee")] = dataflow.Attribute{Text: r.name(t)}
		case '(':
			types = r.group(o, types)
		case '{':
			if r.isDictionary(t) {
				r.pos = t.start
				r.dictionary(o)
			} else {
				r.region(o)
			}
		case '[', '<':
			if r.pos = t.start; o.Name == "slice" && t.kind == '[' {
				ahead := *r
				ahead.limits(o)
			}
			if !r.skipGroup() {
				return types
			}
		case ':':
			types = r.functionType()
		case text:
			if r.peek() == '(' && types != nil {
				r.pos = before
				return types
			}
		case attributeName, typeName:
			if r.peek() == '=' {
				r.pos = before
				return types
			}
		case word:
			if !r.prettyWord(o, t, types) {
				r.pos = before
				return types
			}
		}
	}
}

// prettyWord reads what begins with a word in the form of an operation of its own, given the types
// that it had before. It reports false for the name of the next operation.
func (r *operationsReader) prettyWord(o *dataflow.Op, t token, types []dataflow.Type) bool {
	w := string(r.bytes(t))
	switch {
	case w == "loc":
		if r.peek() == '(' {
			r.skipGroup()
		}
	case w == "applies":
		if t := r.next(); t.kind == word {
			o.Regions = append(o.Regions, applied(operationName(string(r.bytes(t))), o))
		} else {
			r.pos = t.start
		}
	case (w == "reducer" || w == "cond" || w == "do") && (r.peek() == '(' || r.peek() == '{'):
		var b dataflow.Block
		r.scopes = append(r.scopes, make(map[string]*dataflow.Value))
		if r.peek() == '(' {
			r.next()
			r.pairs(&b)
		} else {
			r.nameParameters(o, &b, types)
		}
		if r.peek() == '{' {
			r.next()
			r.region(o, b.Params...)
		}
		r.scopes = r.scopes[:len(r.scopes)-1]
	case w == "window" && o.Name == "convolution" && r.peek() == '=':
		if r.next(); r.peek() == '{' {
			r.dictionary(o)
		}
	case w == "dim_numbers" && r.peek() == '=':
		r.next()
		o.Attributes["dimension_numbers"] = r.dimensionNumbers()
	case r.peek() == '=':
		r.next()
		o.Attributes[attributeNamed(o, w)] = r.attribute(0, true)
	case w == "dense" && r.peek() == '<':
		r.pos = t.start
		o.Attributes["value"] = r.attribute(0, true)
	case strings.IndexByte(w, '.') > 0, w == "return", w == "call", w == "module", w == "func":
		return len(o.Attributes) == 0 && len(o.Operands) == 0 && types == nil && o.Name == "module"
	case o.Name == "compare" && len(o.Operands) == 0 && o.Attributes["comparison_direction"].Text == "":
		o.Attributes["comparison_direction"] = dataflow.Attribute{Text: w}
	case o.Name == "compare":
		o.Attributes["compare_type"] = dataflow.Attribute{Text: w}
	}
	return true
}

// limits reads where a slice begins and ends and what its strides are, such as [0:8:2, 1:3].
func (r *operationsReader) limits(o *dataflow.Op) {
	names := [...]string{"start_indices", "limit_indices", "strides"}
	var lists [len(names)][]int64
	one := [len(names)]int64{2: 1}
	for part := 0; ; {
		switch t := r.next(); t.kind {
		case end:
			return
		case number:
			if n, ok := integer(r.bytes(t), false); ok && part < len(one) {
				one[part] = n
			}
		case ':':
			part++
		case ',', ']':
			for i, n := range one {
				lists[i] = append(lists[i], n)
			}
			part, one = 0, [len(names)]int64{2: 1}
			if t.kind == ']' {
				for i, name := range names {
					o.Attributes[name] = dataflow.Attribute{Numbers: lists[i]}
				}
				return
			}
		}
	}
}

// integer reads a number of at most 64 bits without or, in hexadecimal digits, with its sign bit.
func integer(digits []byte, negative bool) (int64, bool) {
	text := string(digits)
	if negative {
		text = "-" + text
	}
	if n, err := strconv.ParseInt(text, 0, 64); err == nil {
		return n, true
	}
	n, err := strconv.ParseUint(text, 0, 64)
	return int64(n), err == nil && strings.HasPrefix(text, "0x")
}

// applied returns the body of a reduction by one operation.
func applied(name string, reduction *dataflow.Op) *dataflow.Block {
	t := dataflow.Type{Dims: []int64{}}
	if len(reduction.Operands) > 0 {
		t.Element = reduction.Operands[0].Type.Element
	}
	b := &dataflow.Block{Params: []*dataflow.Value{{Type: t}, {Type: t}}}
	o := &dataflow.Op{Name: name, Operands: slices.Clone(b.Params)}
	b.Ops = []*dataflow.Op{o, {Name: "return", Operands: []*dataflow.Value{o.NewResult(t)}}}
	return b
}

// begins reports whether a value after the position is the first result of another operation. t is
// the value's token.
func (r *operationsReader) begins(t token) bool {
	if t.start < r.used {
		return false
	}
	ahead, named := *r, *r.named
	begins := ahead.resultNames(t) != nil
	*r.named = named
	if !begins {
		r.used = ahead.pos // no equals sign follows the rest of the list either
	}
	return begins
}

// isDictionary reports whether attributes follow an opening brace, not operations.
func (r *operationsReader) isDictionary(opening token) bool {
	l := reader{lexer: r.lexer}
	l.pos = opening.end
	return !l.isRegion(opening, token{})
}

// group reads what is in parentheses in a form of its own: operands, or the parameters of a loop
// with what they begin with.
func (r *operationsReader) group(o *dataflow.Op, types []dataflow.Type) []dataflow.Type {
	depth := 0
	for {
		t := r.next()
		switch t.kind {
		case end:
			return types
		case '(', '[', '{', '<':
			depth++
		case ')', ']', '}', '>':
			if depth--; depth < 0 {
				return types
			}
		case word:
			if r.peek() == '=' { // as in top_k(%a, k = 2)
				r.next()
				o.Attributes[attributeNamed(o, string(r.bytes(t)))] = r.attribute(0, true)
			}
		case value:
			name := r.valueName(t)
			if r.peek() != '=' {
				o.Operands = append(o.Operands, r.use(name))
				continue
			}
			r.next()
			if t := r.next(); t.kind == value {
				o.Operands = append(o.Operands, r.use(r.valueName(t)))
				o.Attributes["params"] = dataflow.Attribute{Text: strings.TrimPrefix(o.Attributes["params"].Text+" "+name, " ")}
			}
		}
	}
}

// nameParameters defines the parameters of a loop, whose names its operands have.
func (r *operationsReader) nameParameters(o *dataflow.Op, b *dataflow.Block, types []dataflow.Type) {
	for i, name := range strings.Fields(o.Attributes["params"].Text) {
		v := new(dataflow.Value)
		if i < len(types) {
			v.Type = types[i]
		}
		b.Params = append(b.Params, v)
		r.define(name, v)
	}
}

// pairs reads the parameters of a reduction, which come in groups.
func (r *operationsReader) pairs(b *dataflow.Block) {
	r.parameters(b, ')')
	for r.peek() == '(' {
		r.next()
		r.parameters(b, ')')
	}
}

// prettyFunction reads a function in its own form.
func (r *operationsReader) prettyFunction(o *dataflow.Op) []dataflow.Type {
	t := r.next()
	if t.kind == word {
		o.Attributes["sym_visibility"] = dataflow.Attribute{Text: string(r.bytes(t))}
		t = r.next()
	}
	if t.kind != symbol {
		return nil
	}
	o.Attributes["sym_name"] = dataflow.Attribute{Text: r.name(t)}
	if r.peek() != '(' {
		return nil
	}
	r.scopes = append(r.scopes, make(map[string]*dataflow.Value)) // operation takes it away again
	var b dataflow.Block
	r.next()
	r.parameters(&b, ')')
	if r.peek() == '-' {
		r.next()
		r.typeList()
	}
	if r.peek() == 'a' {
		if t := r.next(); string(r.bytes(t)) == "attributes" && r.peek() == '{' && !r.skipGroup() {
			return nil
		}
	}
	if r.peek() == '{' {
		r.next()
		r.region(o, b.Params...)
	}
	return nil
}

// dictionary reads attributes in braces.
func (r *operationsReader) dictionary(o *dataflow.Op) {
	r.next() // the brace
	for {
		t := r.next()
		switch t.kind {
		case end, '}':
			return
		case word, text:
			if r.peek() == '=' {
				r.next()
				o.Attributes[attributeNamed(o, r.name(t))] = r.attribute(0, false)
			}
		}
	}
}

// prettyNames are the names of attributes where the form of an operation of its own has others.
var prettyNames = map[string]map[string]string{
	"convolution": {
		"stride": "window_strides", "pad": "padding", "lhs_dilate": "lhs_dilation", "rhs_dilate": "rhs_dilation", "reverse": "window_reversal",
	},
	"custom_call": {"callee": "call_target_name"},
	"pad":         {"low": "edge_padding_low", "high": "edge_padding_high", "interior": "interior_padding"},
}

// attributeNamed returns the name of an attribute of an operation in the generic form.
func attributeNamed(o *dataflow.Op, name string) string {
	if generic := prettyNames[o.Name][name]; generic != "" {
		return generic
	}
	return name
}

// dimensionNumbers reads the dimensions of a convolution, [b, 0, f]x[0, i, o]->[b, 0, f]. It
// returns where the spatial ones are in the input, then where they are in the kernel.
func (r *operationsReader) dimensionNumbers() (a dataflow.Attribute) {
	const most = 64
	for range 2 {
		for r.peek() != '[' {
			if t := r.next(); t.kind != word { // the x between them
				return dataflow.Attribute{}
			}
		}
		r.next()
		var places []int64
		for at, open := int64(0), true; open; at++ {
			t := r.next()
			switch t.kind {
			case end:
				return dataflow.Attribute{}
			case number:
				n, err := strconv.Atoi(string(r.bytes(t)))
				if err != nil || n < 0 || n >= most {
					return dataflow.Attribute{}
				}
				for len(places) <= n {
					places = append(places, -1)
				}
				places[n] = at
			case ']':
				open = false
				continue
			}
			if r.peek() == ',' {
				r.next()
			}
		}
		a.Numbers = append(a.Numbers, places...)
	}
	return a
}

// convolutionNumbers reads the attribute with the dimensions of a convolution after its bracket.
// They may be written as names with numbers.
func (r *operationsReader) convolutionNumbers() (a dataflow.Attribute) {
	if r.peek() == '[' {
		a = r.dimensionNumbers()
	}
	for {
		switch t := r.next(); t.kind {
		case end, '>':
			return a
		case word:
			if r.peek() == '=' {
				r.next()
				list := r.attribute(0, false)
				if name := r.name(t); name == "input_spatial_dimensions" || name == "kernel_spatial_dimensions" {
					a.Numbers = append(a.Numbers, list.Numbers...)
				}
			}
		}
	}
}

// aliasedDictionary reads the attributes that an alias stands for.
func (r *operationsReader) aliasedDictionary(o *dataflow.Op, alias string) {
	if at, ok := r.attributes[alias]; ok {
		ahead := *r
		if ahead.pos = at; ahead.peek() == '{' {
			ahead.dictionary(o)
		}
	}
}

// attribute reads the value of an attribute, with its type. In the form of an operation of its own,
// the types of the operation follow instead.
func (r *operationsReader) attribute(aliases int, pretty bool) (a dataflow.Attribute) {
	depth, negative := 0, false
	listed, index := false, false
	zeros, others := 0, 0
	var before token
	finish := func() {
		a.Index = a.Index || index
		a.Splat = len(a.Numbers) == 1 && !listed
		a.Zero = a.Zero || zeros > 0 && others == 0
	}
	for {
		switch c := r.peek(); {
		case c == 0, depth == 0 && pretty && c == ':', depth == 0 && (c == ',' || c == '}' || c == ')' || c == ']' || c == '>'):
			finish()
			return a
		}
		t := r.next()
		switch t.kind {
		case '(', '[', '{', '<':
			depth++
			listed = listed || t.kind == '['
		case ')', ']', '}', '>':
			depth--
		case '-':
			negative = true
			continue
		case number:
			if isZero(view(r.bytes(t))) {
				zeros++
			} else {
				others++
			}
			if n, ok := integer(r.bytes(t), negative); ok {
				a.Numbers = append(a.Numbers, n)
			} else {
				a.Text = string(r.bytes(t))
			}
		case text:
			a.Text = r.name(t)
			a.Numbers = append(a.Numbers, dataOf(a.Text)...)
			if isZero(a.Text) {
				zeros++
			} else {
				others++
			}
		case symbol:
			a.Text = r.name(t)
		case attributeName:
			if bytes.HasSuffix(r.bytes(t), []byte(".conv")) && r.peek() == '<' {
				r.next()
				a = r.convolutionNumbers()
				continue
			}
			if at, ok := r.attributes[string(r.bytes(t))]; ok && r.follow(aliases) {
				ahead := *r
				ahead.pos = at
				a = ahead.attribute(aliases+1, false)
				index = index || a.Index
			}
		case ':':
			index = index || before.kind == number && r.isIndex(0)
			if depth == 0 {
				if r.peek() == ':' { // a symbol in another one
					r.next()
					continue
				}
				finish()
				if r.peek() == '(' {
					r.functionType()
				} else {
					r.typ(0)
				}
				return a
			}
		case word:
			switch w := string(r.bytes(t)); w {
			case "tensor", "tensor_v1":
				r.pos = t.start
				r.typ(0)
			case "array":
				listed = true
			case "true":
				a.Text = w
				a.Numbers = append(a.Numbers, 1)
				others++
			case "false":
				a.Text = w
				a.Numbers = append(a.Numbers, 0)
				zeros++
			default:
				a.Text = w
			}
		case typeName:
			r.pos = t.start
			r.typ(0)
		case comparison, arrow, value, '=', ',', '?', '*', '+', '/':
		}
		before, negative = t, false
	}
}

// isIndex reports whether the type that comes next is index.
func (r *operationsReader) isIndex(aliases int) bool {
	ahead := *r
	t := ahead.next()
	name := string(r.bytes(t))
	if at, ok := r.types[name]; ok && t.kind == typeName && r.follow(aliases) {
		ahead.pos = at
		return ahead.isIndex(aliases + 1)
	}
	return operationName(strings.TrimPrefix(name, "!")) == "index"
}

// isZero reports whether a number is 0, or all bytes in hexadecimal digits are.
func isZero(digits string) bool {
	if bytes, ok := strings.CutPrefix(digits, "0x"); ok {
		return len(bytes) > 0 && strings.Trim(bytes, "0") == ""
	}
	rest := strings.TrimLeft(digits, "0.")
	return len(rest) < len(digits) && (len(rest) == 0 || rest[0] == 'e' || rest[0] == 'E')
}

// dataOf returns the 64-bit integers of a constant that is written as bytes.
func dataOf(s string) []int64 {
	digits, ok := strings.CutPrefix(s, "0x")
	if !ok || len(digits)%16 != 0 || len(digits) > 1<<12 {
		return nil
	}
	data, err := hex.DecodeString(digits)
	if err != nil {
		return nil
	}
	var list []int64
	for ; len(data) > 0; data = data[8:] {
		list = append(list, int64(binary.LittleEndian.Uint64(data)))
	}
	return list
}

// typ reads a type.
func (r *operationsReader) typ(aliases int) (t dataflow.Type) {
	start := r.pos
	tok := r.next()
	name := string(r.bytes(tok))
	switch {
	case tok.kind == word && name == "tensor", tok.kind == typeName && strings.HasSuffix(name, ".tensor_v1"):
		if r.peek() == '<' {
			t, encoding := r.tensorType()
			if encoding > 0 {
				ahead := *r
				ahead.pos = encoding
				t.Bounds = ahead.bounds(0)
			}
			return t
		}
	case tok.kind == word && name == "tuple", tok.kind == typeName && strings.HasSuffix(name, ".tuple_v1"):
		t.Tuple = true
		if r.peek() == '<' {
			t.Parts = r.parts(aliases)
			return t
		}
	case tok.kind == typeName:
		if at, ok := r.types[name]; ok && r.follow(aliases) {
			ahead := *r
			ahead.pos = at
			return ahead.typ(aliases + 1)
		}
	case tok.kind != word && tok.kind != typeName:
		r.pos = start
		if tok.kind == '(' && r.skipGroup() && r.peek() == '-' { // a function type
			r.next()
			r.typ(aliases)
		}
		return t
	}
	if r.peek() == '<' {
		r.skipGroup()
	}
	return t
}

// parts reads the types in a tuple.
func (r *operationsReader) parts(aliases int) (list []dataflow.Type) {
	for r.next(); ; {
		start := r.pos
		switch r.peek() {
		case '>', 0:
			r.next()
			return list
		case ',':
			r.next()
			continue
		}
		t := r.typ(aliases)
		if t.Tuple {
			t = dataflow.Type{}
		}
		if len(list) < dataflow.MaxParts {
			list = append(list, t)
		}
		if r.pos == start {
			r.next()
		}
	}
}

// bounds reads the encoding of a tensor type.
func (r *operationsReader) bounds(aliases int) (list []int64) {
	t := r.next()
	if at, ok := r.attributes[string(r.bytes(t))]; ok && r.follow(aliases) {
		ahead := *r
		ahead.pos = at
		return ahead.bounds(aliases + 1)
	}
	for depth := 0; ; {
		switch t := r.next(); t.kind {
		case end:
			return nil
		case '<', '[', '(', '{':
			depth++
		case '>', ']', ')', '}':
			if depth--; depth <= 0 {
				return list
			}
		case '?':
			list = append(list, dataflow.Dynamic)
		case number:
			n, _ := strconv.ParseInt(string(r.bytes(t)), 0, 64)
			list = append(list, n)
		}
	}
}
