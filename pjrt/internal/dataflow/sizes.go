// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package dataflow

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"
)

// checkSizes refuses results with sizes that may be beyond their bounds. Executions copy as many
// elements as the size says, whatever room there is.
func (m *Module) checkSizes() error {
	s := sizes{
		module: m, seen: make(map[*Value]bool), walked: make(map[*Op]bool),
		ranges: make(map[*Value]numberRange), places: make(map[*Value]int),
	}
	for _, v := range m.Main.results() {
		s.needs(v)
	}
	for i := 0; i < len(s.list); i++ {
		if err := s.check(s.list[i]); err != nil {
			return err
		}
	}
	return nil
}

// sizes finds the operations that give a result its size.
type sizes struct {
	module *Module
	seen   map[*Value]bool
	list   []*Value // arrays whose size a result may have
	walked map[*Op]bool
	ranges map[*Value]numberRange // of values that are the same whichever function is called
	places map[*Value]int         // which result of its operation a value is
	steps  int                    // for one size
	all    int
}

// needs notes that a result may have the size of a value.
func (s *sizes) needs(v *Value) {
	if v.Type.hasBounds() && !s.seen[v] {
		s.seen[v] = true
		s.list = append(s.list, v)
	}
}

func (t *Type) hasBounds() bool {
	for i := range t.Dims {
		if t.isBounded(i) {
			return true
		}
	}
	return false
}

// check checks the operation that makes a value, and notes those that it takes a size from.
func (s *sizes) check(v *Value) error {
	o := v.Op
	if o == nil {
		return nil
	}
	switch {
	case o.Name == "set_dimension_size" && len(o.Operands) == 2:
		if err := s.within(v, o.dimension(), o.Operands[1]); err != nil {
			return err
		}
		s.needs(o.Operands[0])
		return nil
	case o.Name == "dynamic_reshape" && len(o.Operands) >= 2:
		parts := elements(o.Operands[1], len(v.Type.Dims))
		for d := range v.Type.Dims {
			size := parts[d]
			if len(o.Operands[1].Type.Dims) == 0 && d+1 < len(o.Operands) { // HLO has an operand for each
				size = o.Operands[d+1]
			}
			if err := s.within(v, d, size); err != nil {
				return err
			}
		}
		s.needs(o.Operands[0])
		return nil
	}
	if s.walked[o] {
		return nil
	}
	s.walked[o] = true
	for _, operand := range o.Operands {
		s.needs(operand)
	}
	blocks := o.Regions
	for _, key := range []string{"callee", "decomposition"} {
		if a, ok := o.Attributes[key]; ok && s.module.Functions[a.Text] != nil {
			blocks = append(blocks[:len(blocks):len(blocks)], s.module.Functions[a.Text])
		}
	}
	for _, b := range blocks {
		for _, r := range b.results() {
			s.needs(r)
		}
	}
	return nil
}

// within returns an error unless size is within the bound of a dimension.
func (s *sizes) within(v *Value, dimension int, size *Value) error {
	if !v.Type.isBounded(dimension) {
		return nil
	}
	bound := v.Type.extent(dimension)
	s.steps = 0
	r := s.rangeOf(size, nil, 0)
	if r.low >= 0 && r.high <= bound {
		return nil
	}
	is := "a number that only the execution knows"
	if r.low == r.high {
		is = strconv.FormatInt(r.low, 10)
	}
	return fmt.Errorf("the program sets the size of dimension %d of a result, whose bound is %d, to %s, and the execution would end the process "+
		"if it is not one from 0 to the bound: limit it with clamp", dimension, bound, is)
}

// elements returns the parts of a list of numbers that have the first n of them.
func elements(v *Value, n int) []*Value {
	list := make([]*Value, 0, n)
	if v.Op != nil && v.Op.Name == "concatenate" {
		for _, part := range v.Op.Operands {
			for range int(min(part.Type.elements(), float64(n-len(list)))) {
				list = append(list, part)
			}
		}
	}
	for len(list) < n {
		list = append(list, v)
	}
	return list
}

// numberRange is which integers a value can have.
type numberRange struct{ low, high int64 }

var anyNumber = numberRange{math.MinInt64, math.MaxInt64}

func (r numberRange) join(o numberRange) numberRange {
	return numberRange{min(r.low, o.low), max(r.high, o.high)}
}

func (r numberRange) within(o numberRange) bool { return o.low <= r.low && r.high <= o.high }

// rangeOfType returns the integers of a type.
func rangeOfType(element string) numberRange {
	digits, unsigned := strings.CutPrefix(element, "u")
	width, err := strconv.Atoi(strings.TrimLeft(strings.TrimPrefix(digits, "s"), "i"))
	switch {
	case err != nil || !strings.Contains(digits, "i") || width < 1 || width > 64:
		return anyNumber
	case element == "i1":
		return numberRange{0, 1}
	case unsigned && width == 64:
		return anyNumber
	case unsigned:
		return numberRange{0, 1<<width - 1}
	}
	return numberRange{-1 << (width - 1), 1<<(width-1) - 1}
}

// rangeOf returns which integers the elements of a value can have. known has those of parameters.
func (s *sizes) rangeOf(v *Value, known map[*Value]numberRange, depth int) numberRange {
	const mostSteps, mostInAll, deepest = 1 << 12, 1 << 20, 256
	all := rangeOfType(v.Type.Element)
	if r, ok := known[v]; ok {
		return r
	}
	if known == nil {
		if r, ok := s.ranges[v]; ok {
			return r
		}
	}
	s.all++
	if s.steps++; v.Op == nil || s.steps > mostSteps || s.all > mostInAll || depth > deepest {
		return all
	}
	r := s.ofOperation(v, known, depth+1)
	if !r.within(all) {
		r = all
	}
	if known == nil {
		s.ranges[v] = r
	}
	return r
}

func (s *sizes) ofOperation(v *Value, known map[*Value]numberRange, depth int) numberRange {
	o := v.Op
	of := func(i int) numberRange { return s.rangeOf(o.Operands[i], known, depth) }
	switch o.Name {
	case "constant":
		return rangeOfNumbers(o.Attributes["value"])
	case "compare", "is_finite":
		return numberRange{0, 1}
	case "iota":
		if d := v.Type.extent(o.dimensionOfIota()); d > 0 {
			return numberRange{0, d - 1}
		}
	case "get_dimension_size":
		if len(o.Operands) == 1 {
			s.needs(o.Operands[0])
			if d := o.dimension(); 0 <= d && d < len(o.Operands[0].Type.Dims) {
				return numberRange{0, o.Operands[0].Type.extent(d)}
			}
		}
	case "call", "composite", "case", "if":
		return s.ofBlocks(v, known, depth)
	}
	switch len(o.Operands) {
	case 1:
		return ofOne(o, of(0))
	case 2:
		if o.Name == "reduce" {
			return ofReduction(v, of(0), of(1))
		}
		return ofTwo(o.Name, of(0), of(1))
	case 3:
		if o.Name == "select" {
			return of(1).join(of(2))
		}
		if o.Name == "clamp" {
			low, r, high := of(0), of(1), of(2)
			return numberRange{min(max(low.low, r.low), high.low), min(max(low.high, r.high), high.high)}
		}
	}
	if o.Name == "concatenate" && len(o.Operands) > 0 {
		r := of(0)
		for i := range o.Operands[1:] {
			r = r.join(of(i + 1))
		}
		return r
	}
	return anyNumber
}

func rangeOfNumbers(a Attribute) numberRange {
	if a.Text == "true" || a.Text == "false" || len(a.Numbers) == 0 {
		return anyNumber
	}
	r := numberRange{a.Numbers[0], a.Numbers[0]}
	for _, n := range a.Numbers {
		r = r.join(numberRange{n, n})
	}
	return r
}

// ofBlocks returns the integers of a result of functions or regions.
func (s *sizes) ofBlocks(v *Value, known map[*Value]numberRange, depth int) numberRange {
	o := v.Op
	if _, ok := s.places[v]; !ok {
		for i, r := range o.Results {
			s.places[r] = i
		}
	}
	blocks, result := o.Regions, s.places[v]
	for _, key := range []string{"callee", "decomposition"} {
		if f := s.module.Functions[o.Attributes[key].Text]; f != nil {
			blocks = []*Block{f}
			arguments := make(map[*Value]numberRange)
			for i, p := range f.Params {
				if i < len(o.Operands) {
					arguments[p] = s.rangeOf(o.Operands[i], known, depth)
				}
			}
			known = arguments
		}
	}
	var r numberRange
	for i, b := range blocks {
		list := b.results()
		if result >= len(list) {
			return anyNumber
		}
		one := s.rangeOf(list[result], known, depth)
		if i == 0 {
			r = one
		}
		r = r.join(one)
	}
	if len(blocks) == 0 {
		return anyNumber
	}
	return r
}

// ofOne returns the integers of an operation on one operand.
func ofOne(o *Op, r numberRange) numberRange {
	switch o.Name {
	case "convert":
		if rangeOfType(o.Operands[0].Type.Element) == anyNumber && !strings.HasSuffix(o.Operands[0].Type.Element, "i64") {
			return anyNumber
		}
		return r
	case "reshape", "broadcast_in_dim", "slice", "transpose", "reverse", "copy", "optimization_barrier":
		return r
	case "negate":
		if r.low > math.MinInt64 {
			return numberRange{-r.high, -r.low}
		}
	case "abs":
		switch {
		case r.low >= 0:
			return r
		case r.low > math.MinInt64:
			return numberRange{0, max(-r.low, r.high)}
		}
	case "sign":
		return numberRange{-1, 1}
	case "popcnt", "count_leading_zeros":
		return numberRange{0, 64}
	}
	return anyNumber
}

// ofTwo returns the integers of an operation on two operands.
func ofTwo(name string, a, b numberRange) numberRange {
	const most = 1 << 62
	small := min(a.low, b.low) > -most && max(a.high, b.high) < most
	switch {
	case name == "minimum":
		return numberRange{min(a.low, b.low), min(a.high, b.high)}
	case name == "maximum":
		return numberRange{max(a.low, b.low), max(a.high, b.high)}
	case name == "and" && b.low >= 0:
		return numberRange{0, b.high}
	case name == "and" && a.low >= 0:
		return numberRange{0, a.high}
	case name == "remainder" && b.low > 0 && a.low >= 0:
		return numberRange{0, min(a.high, b.high-1)}
	case name == "remainder" && b.low > 0:
		return numberRange{1 - b.high, b.high - 1}
	case name == "divide" && b.low > 0 && a.low >= 0:
		return numberRange{a.low / b.high, a.high / b.low}
	case name == "add" && small:
		return numberRange{a.low + b.low, a.high + b.high}
	case name == "subtract" && small:
		return numberRange{a.low - b.high, a.high - b.low}
	case name == "multiply":
		return product(a, b)
	}
	return anyNumber
}

// product returns the integers that are products, unless they may be too large.
func product(a, b numberRange) numberRange {
	r := numberRange{math.MaxInt64, math.MinInt64}
	for _, x := range []int64{a.low, a.high} {
		for _, y := range []int64{b.low, b.high} {
			if x == math.MinInt64 || y == math.MinInt64 {
				return anyNumber
			}
			over, p := bits.Mul64(uint64(max(x, -x)), uint64(max(y, -y)))
			if over > 0 || p > math.MaxInt64 {
				return anyNumber
			}
			n := int64(p)
			if (x < 0) != (y < 0) {
				n = -n
			}
			r = r.join(numberRange{n, n})
		}
	}
	return r
}

// ofReduction returns the integers of a reduction of one array.
func ofReduction(v *Value, r, initial numberRange) numberRange {
	o := v.Op
	name := ""
	if len(o.Regions) == 1 {
		if list := o.Regions[0].results(); len(list) == 1 && list[0].Op != nil && len(o.Regions[0].Ops) == 2 {
			name = list[0].Op.Name
		}
	}
	switch name {
	case "minimum", "maximum":
		return r.join(initial)
	case "add":
		n := o.Operands[0].Type.elements() / max(1, v.Type.elements())
		if n < 1<<40 {
			return ofTwo("add", initial, product(r.join(numberRange{0, 0}), numberRange{int64(n), int64(n)}))
		}
	}
	return anyNumber
}

func (o *Op) dimensionOfIota() int {
	for _, key := range []string{"iota_dimension", "dim", "dimension"} {
		if a, ok := o.Attributes[key]; ok && len(a.Numbers) == 1 {
			return int(a.Numbers[0])
		}
	}
	return -1
}
