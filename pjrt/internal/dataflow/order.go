// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package dataflow

import (
	"fmt"
	"slices"
	"strings"
)

// order says what is known about the comparator of a sort.
type order int

const (
	unknownOrder order = iota
	strictOrder        // false for equal elements
	noOrder            // true for some equal elements, or for two elements both ways
)

// maxTerms limits how many terms are made of one comparator.
const maxTerms = 1 << 12

// maxSteps returns how many operations are looked at for all comparators. Those of sorts with one
// long comparator, or of functions that call others twice, are far more than the program has.
func (m *Module) maxSteps() int { return maxTerms + 32*m.ops }

// term is the number of a term. Equal terms have the same number.
type term int

const (
	unknown term = iota
	isFalse
	isTrue
)

// terms makes terms of values. A term is an operation on other terms that nothing simpler is equal
// to.
type terms struct {
	module *Module
	byKey  map[string]term
	leaf   map[term]bool // terms of a parameter, and not of an operation
	negate map[term]term // the opposites of comparisons
	of     map[term][]term
	n      int
}

// comparatorOrder returns what is known about a comparator: whether it can be true for equal
// elements, or for a pair and for the pair the other way round.
func (m *Module) comparatorOrder(comparator *Block) order {
	for range maxCalls {
		f := m.calledFor(comparator)
		if f == nil {
			break
		}
		comparator = f
	}
	known, ok := m.orders[comparator]
	if !ok {
		if m.orders == nil {
			m.orders = make(map[*Block]order)
		}
		known = m.readOrder(comparator)
		m.orders[comparator] = known
	}
	return known
}

// calledFor returns the function that does all that a block does, or nil.
func (m *Module) calledFor(b *Block) *Block {
	if len(b.Ops) != 2 || b.Ops[0].Name != "call" {
		return nil
	}
	call := b.Ops[0]
	if !slices.Equal(call.Operands, b.Params) || !slices.Equal(b.results(), call.Results) {
		return nil
	}
	return m.Functions[call.Attributes["callee"].Text]
}

func (m *Module) readOrder(comparator *Block) order {
	n := len(comparator.Params)
	if n == 0 || n%2 != 0 {
		return unknownOrder
	}
	t := terms{
		module: m, byKey: make(map[string]term), leaf: make(map[term]bool),
		negate: make(map[term]term), of: make(map[term][]term),
	}
	symbols := make([]term, n)
	for i := range symbols {
		symbols[i] = t.symbol(fmt.Sprint("parameter ", i))
	}
	call := func(argument func(i int) term) term {
		list := make([]term, n)
		for i := range list {
			list[i] = argument(i)
		}
		return t.block(comparator, list, nil, 0)
	}
	equal := call(func(i int) term { return symbols[i/2*2] })
	switch {
	case equal == isTrue, t.leaf[equal], t.independent(equal):
		return noOrder
	case equal != isFalse:
		return unknownOrder
	}
	there := call(func(i int) term { return symbols[i] })
	back := call(func(i int) term { return symbols[i^1] })
	switch {
	case there == isFalse:
		return strictOrder
	case there == unknown:
		return unknownOrder
	case there == back:
		return noOrder
	}
	return strictOrder
}

// independent reports whether a term compares two parameters that have nothing to do with each
// other, so that it is true for some.
func (t *terms) independent(c term) bool {
	of := t.of[c]
	return len(of) == 2 && t.leaf[of[0]] && t.leaf[of[1]]
}

func (t *terms) symbol(name string) term {
	s := t.intern(name)
	if s != unknown {
		t.leaf[s] = true
	}
	return s
}

func (t *terms) intern(key string) term {
	if known, ok := t.byKey[key]; ok {
		return known
	}
	if t.n >= maxTerms {
		return unknown
	}
	t.n++
	made := isTrue + term(t.n)
	t.byKey[key] = made
	return made
}

// scope has the terms of the values of a block.
type scope struct {
	known map[*Value]term
	outer *scope // of the values around the block; nil if it sees none
}

func (s *scope) term(v *Value) (t term, ok bool) {
	for ; s != nil && !ok; s = s.outer {
		t, ok = s.known[v]
	}
	return t, ok
}

// block returns the term of the first result of a block.
func (t *terms) block(b *Block, arguments []term, outer *scope, depth int) term {
	const deepest = 32
	if depth > deepest || len(b.Ops) == 0 || len(b.Ops) > maxTerms {
		return unknown
	}
	known := make(map[*Value]term, len(b.Params)+len(b.Ops))
	in := &scope{known, outer}
	for i, p := range b.Params {
		if i < len(arguments) {
			known[p] = arguments[i]
		}
	}
	for _, o := range b.Ops {
		if o.Name == "return" {
			return t.value(o, 0, in)
		}
		if t.module.steps++; t.module.steps > t.module.maxSteps() {
			return unknown
		}
		s := t.operation(o, in, depth)
		for i, r := range o.Results {
			switch {
			case s == unknown:
				known[r] = unknown
			case i == 0:
				known[r] = s
			default:
				known[r] = t.intern(fmt.Sprintf("result %d of %d", i, s))
			}
		}
	}
	return unknown
}

// value returns the term of an operand. A value from outside of the comparator is the same
// whenever it is called.
func (t *terms) value(o *Op, i int, in *scope) term {
	if i >= len(o.Operands) {
		return unknown
	}
	v := o.Operands[i]
	if s, ok := in.term(v); ok {
		return s
	}
	if v.Op != nil && v.Op.Name == "constant" && len(v.Op.Operands) == 0 {
		return t.operation(v.Op, nil, 0)
	}
	if v.Op == nil && v.Type.Element == "" {
		return unknown // a value that the reader did not find
	}
	return t.intern(fmt.Sprintf("outside %p", v))
}

// operation returns the term of an operation's first result.
func (t *terms) operation(o *Op, in *scope, depth int) term {
	if len(o.Results) == 0 {
		return unknown
	}
	args := make([]term, len(o.Operands))
	for i := range args {
		args[i] = t.value(o, i, in)
	}
	switch o.Name {
	case "constant":
		a := o.Attributes["value"]
		switch {
		case o.Results[0].Type.Element == "i1" && len(o.Results[0].Type.Dims) == 0 &&
			(a.Text == "true" || a.Text == "false" || len(a.Numbers) == 1):
			return truth(a.Text == "true" || len(a.Numbers) == 1 && a.Numbers[0] != 0)
		case len(a.Numbers) == 0 && a.Text == "":
			return unknown
		}
		return t.intern(fmt.Sprint("constant ", a.Text, a.Numbers))
	case "compare":
		if len(args) == 2 && args[0] != unknown && args[1] != unknown {
			return t.compare(o.Attributes["comparison_direction"].Text, args[0], args[1])
		}
		return unknown
	case "not":
		if len(args) == 1 {
			return t.not(args[0])
		}
	case "and", "or", "xor":
		if len(args) == 2 {
			return t.logic(o.Name, args[0], args[1])
		}
	case "select":
		if len(args) == 3 {
			return t.choose(args[0], args[1], args[2])
		}
	case "if":
		if len(args) == 1 && len(o.Regions) == 2 {
			return t.choose(args[0], t.block(o.Regions[0], nil, in, depth+1), t.block(o.Regions[1], nil, in, depth+1))
		}
	case "call", "composite":
		f := t.module.Functions[o.Attributes["callee"].Text]
		if o.Name == "composite" {
			f = t.module.Functions[o.Attributes["decomposition"].Text]
		}
		if f == nil {
			return unknown
		}
		return t.block(f, args, nil, depth+1)
	case "minimum", "maximum":
		if len(args) == 2 && args[0] == args[1] {
			return args[0]
		}
	case "rng", "rng_bit_generator", "custom_call", "while", "case":
		return unknown
	case "reshape", "convert", "broadcast_in_dim", "optimization_barrier":
		if len(args) > 0 && (args[0] == isTrue || args[0] == isFalse) && o.Results[0].Type.Element == "i1" {
			return args[0]
		}
	}
	if len(o.Regions) > 0 || slices.Contains(args, unknown) {
		return unknown
	}
	switch o.Name {
	case "add", "multiply", "minimum", "maximum":
		slices.Sort(args)
	}
	key := fmt.Sprint(o.Name, args, o.Results[0].Type, attributesKey(o))
	if o.Code != nil && t.module.Key != nil {
		key += t.module.Key(o.Code)
	}
	return t.intern(key)
}

// attributesKey returns the attributes of an operation as text, in one order.
func attributesKey(o *Op) string {
	keys := make([]string, 0, len(o.Attributes))
	for k := range o.Attributes {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	var b strings.Builder
	for _, k := range keys {
		fmt.Fprint(&b, k, o.Attributes[k])
	}
	return b.String()
}

func truth(b bool) term {
	if b {
		return isTrue
	}
	return isFalse
}

// compare returns the term of a comparison. That of a number with itself counts as one of numbers
// other than NaN.
func (t *terms) compare(direction string, a, b term) term {
	if a == b {
		return truth(direction == "EQ" || direction == "LE" || direction == "GE")
	}
	name, opposite := direction, ""
	switch direction {
	case "GT", "GE":
		a, b = b, a
		name = map[string]string{"GT": "LT", "GE": "LE"}[direction]
	case "EQ", "NE":
		a, b = min(a, b), max(a, b)
	case "LT", "LE":
	default:
		return unknown
	}
	made := t.comparison(name, a, b)
	switch name { // the opposite is one of those, too
	case "LT":
		opposite, a, b = "LE", b, a
	case "LE":
		opposite, a, b = "LT", b, a
	case "EQ":
		opposite = "NE"
	case "NE":
		opposite = "EQ"
	}
	other := t.comparison(opposite, a, b)
	if made != unknown && other != unknown {
		t.negate[made], t.negate[other] = other, made
	}
	return made
}

func (t *terms) comparison(name string, a, b term) term {
	made := t.intern(fmt.Sprint(name, " ", a, " ", b))
	if made != unknown {
		t.of[made] = []term{a, b}
	}
	return made
}

func (t *terms) not(a term) term {
	switch a {
	case unknown:
		return unknown
	case isFalse:
		return isTrue
	case isTrue:
		return isFalse
	}
	if opposite, ok := t.negate[a]; ok {
		return opposite
	}
	made := t.intern(fmt.Sprint("not ", a))
	if made != unknown {
		t.negate[made], t.negate[a] = a, made
	}
	return made
}

func (t *terms) logic(name string, a, b term) term {
	a, b = min(a, b), max(a, b)
	has := func(c term) bool { return a == c || b == c }
	other := func(c term) term { // the one that is not c
		if a == c {
			return b
		}
		return a
	}
	switch {
	case name == "and" && has(isFalse):
		return isFalse
	case name == "or" && has(isTrue):
		return isTrue
	case a == unknown:
		return unknown
	case name == "and" && has(isTrue):
		return other(isTrue)
	case (name == "or" || name == "xor") && has(isFalse):
		return other(isFalse)
	case name == "xor" && a == b:
		return isFalse
	case a == b:
		return a
	case name == "xor" && has(isTrue):
		return t.not(other(isTrue))
	case t.negate[a] == b && t.negate[a] != unknown:
		return truth(name != "and")
	}
	return t.intern(fmt.Sprint(name, " ", a, " ", b))
}

// choose returns the term of a choice between two others.
func (t *terms) choose(condition, a, b term) term {
	switch {
	case condition == isTrue, a == b:
		return a
	case condition == isFalse:
		return b
	case condition == unknown || a == unknown || b == unknown:
		return unknown
	case a == isTrue && b == isFalse:
		return condition
	case a == isFalse && b == isTrue:
		return t.not(condition)
	}
	return t.intern(fmt.Sprint("choose ", condition, " ", a, " ", b))
}
