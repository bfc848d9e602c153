// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package dataflow has the operations of a program, which value each of them uses, and the
// operations on which XLA's plugins for CPUs are known to end the process. The readers of the
// formats of programs make it, so the checks do not depend on how a program is written.
package dataflow

import "slices"

// Module is a program. What its reader did not understand is left out of it.
type Module struct {
	Functions map[string]*Block
	Main      *Block // nil if it was not found
	// Key, unless it is nil, returns what is in the code of an operation besides what Op has. It is
	// the same for operations that do the same.
	Key func(code []byte) string

	live     []*Block // the function Main, and closed blocks that it needs
	uncalled []*Block // public functions that nothing calls, and closed blocks that they need
	ops      int      // how many there are in both
	steps    int      // how many of comparators were looked at

	orders map[*Block]order // of comparators

	unknown unknowns
	bodies  map[bodyKey]string // what notPerElement found
}

// Block is the body of a function or a region. Its last operation returns its results.
type Block struct {
	Params []*Value
	Ops    []*Op
	// Closed says that the block of a region uses no values from outside. Any number of operations
	// may share it.
	Closed bool
	// Public says that it is the body of a function that compilers keep though nothing calls it.
	Public bool
}

// Op is an operation.
type Op struct {
	// Name is the name of StableHLO's operation, without dialect and version.
	Name     string
	Operands []*Value
	Results  []*Value
	Regions  []*Block
	// Attributes are those that the reader understood.
	Attributes map[string]Attribute
	Code       []byte // the operation as it is written; nil if there is no Module.Key

	live   bool
	stays  bool // also after the compiler has made constants of arrays without elements
	folded folding
}

// Value is the result of an operation, or a parameter of a block.
type Value struct {
	Type  Type
	Op    *Op // nil for a parameter
	used  bool
	stays bool // an operation that stays uses it
}

// Type is the type of a value. The zero Type is one that is not known.
type Type struct {
	Element string // such as f32
	Dims    []int64
	// Bounds has the bounds of dimensions that are not known, Dynamic where there is none. Nil
	// means that there are none at all.
	Bounds []int64
	Tuple  bool
	Parts  []Type // of a tuple, up to MaxParts; a tuple among them is a zero Type
}

// MaxParts is how many parts of a tuple are known: no check looks at more.
const MaxParts = 4

// Dynamic stands for a dimension that is not known, or for a bound that there is not.
const Dynamic = -1 << 63

// Attribute is an attribute of an operation: its numbers, or its last word.
type Attribute struct {
	Numbers []int64
	Text    string
	// Splat says that the one number stands for any number of them.
	Splat bool
	// Zero says that all elements are zeros of any type and sign, as far as the reader sees.
	Zero bool
	// Index says that a number somewhere in it has the type index.
	Index bool
}

// IsZeros reports whether all elements in data are zeros. size is that of numbers whose highest bit
// is a sign, in bytes, and 0 for others: a zero may have a sign.
func IsZeros(data []byte, size int) bool {
	for i, c := range data {
		if isSign := c == 0x80 && size > 0 && (i+1)%size == 0; c != 0 && !isSign {
			return false
		}
	}
	return true
}

// NewResult adds a result to the operation.
func (o *Op) NewResult(t Type) *Value {
	v := &Value{Type: t, Op: o}
	o.Results = append(o.Results, v)
	return v
}

// number returns the attribute that is one number.
func (o *Op) number(name string, otherwise int64) int64 {
	if a, ok := o.Attributes[name]; ok && len(a.Numbers) > 0 {
		return a.Numbers[0]
	}
	return otherwise
}

// numbers returns n numbers of an attribute, or n times the other one if there is no such
// attribute.
func (o *Op) numbers(name string, n int, otherwise int64) []int64 {
	a, ok := o.Attributes[name]
	if ok && len(a.Numbers) == n && !a.Splat {
		return a.Numbers
	}
	if ok && len(a.Numbers) == 1 {
		otherwise = a.Numbers[0]
	}
	list := make([]int64, n)
	for i := range list {
		list[i] = otherwise
	}
	return list
}

// IsPublic reports whether the operation, a function, is kept though nothing calls it.
func (o *Op) IsPublic() bool {
	visibility := o.Attributes["sym_visibility"].Text
	return visibility == "" || visibility == "public"
}

// isTrue reports whether an attribute is true.
func (o *Op) isTrue(name string) bool {
	a := o.Attributes[name]
	return a.Text == "true" || len(a.Numbers) == 1 && a.Numbers[0] != 0
}

// extent returns the largest extent of a dimension, or 0 if it is not known.
func (t *Type) extent(i int) int64 {
	if i < 0 || i >= len(t.Dims) {
		return 0
	}
	if t.Dims[i] >= 0 {
		return t.Dims[i]
	}
	if i < len(t.Bounds) && t.Bounds[i] >= 0 {
		return t.Bounds[i]
	}
	return 0
}

// isEmpty reports whether it is known that there are no elements.
func (t *Type) isEmpty() bool {
	return t.Element != "" && slices.Contains(t.Dims, 0) && slices.Min(t.Dims) == 0
}

// isBounded reports whether a dimension is not known but has a bound.
func (t *Type) isBounded(i int) bool {
	return 0 <= i && i < len(t.Dims) && t.Dims[i] == Dynamic && t.extent(i) > 0
}

// elements returns the number of elements, as a floating-point number, or 0 if it is not known.
func (t *Type) elements() float64 {
	if t.Element == "" {
		return 0
	}
	n := 1.0
	for i := range t.Dims {
		n *= float64(t.extent(i))
	}
	return n
}
