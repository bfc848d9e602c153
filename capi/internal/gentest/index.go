// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package gentest checks generated declarations against the measured facts of the C headers. Only tests import it. The
// generator writes an Index of all generated declarations into packages capi and ffi, so that the checks leave none
// out.
package gentest

import (
	"fmt"
	"reflect"
)

// Index lists the generated declarations of a package.
type Index struct {
	Structs   []Struct
	Handles   []Type
	Enums     []Enum
	Functions []Function // by table, in the order of slots
	Callbacks []Type
	Constants []Constant
}

// Struct is a struct with a body.
type Struct struct {
	Header, C string
	Type      reflect.Type
	Tag       bool         // C has no typedef, only struct NAME
	Fields    []string     // C names of the fields that are not padding; of a union the first member's
	Union     map[int]bool // which of the fields are unions
	SizeConst string       // the C constant *_STRUCT_SIZE and what Go has for it
	Size      int64
}

// Type is a handle or a function pointer.
type Type struct {
	Header, C string
	Type      reflect.Type
}

// Function is a function of a table. Name, Offset and Size come from its
// descriptor.
type Function struct {
	Header, Table, Slot, C, ArgsC string

	Name         string
	Offset, Size uintptr
	Same         bool         // the arguments' method Function returns that descriptor
	Args         reflect.Type // the struct
}

// Constant is a number or a string.
type Constant struct {
	Header, C string
	Value     any
}

// Value is an enumerator of the enum type E.
type Value[E any] struct {
	C, Go string
	Value E
}

// Enum is an enum type, its values as numbers.
type Enum struct {
	Header, C string
	Values    []Value[int64]
	All       []int64
	Text      func(int64) string
	Marshal   func(int64) (string, error)
	Unmarshal func(string) (int64, error)
	Parse     func(string) (int64, error)
}

// enumType has the common methods of generated enum types.
type enumType interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64
	fmt.Stringer
	MarshalText() ([]byte, error)
}

// NewEnum describes the enum type E by its functions.
func NewEnum[E enumType](header, c string, all func() []E, parse func(string) (E, error), values []Value[E]) Enum {
	e := Enum{
		Header: header, C: c,
		Text: func(n int64) string { return E(n).String() },
		Marshal: func(n int64) (string, error) {
			text, err := E(n).MarshalText()
			return string(text), err
		},
		Unmarshal: func(s string) (int64, error) {
			var v E
			err := any(&v).(interface{ UnmarshalText([]byte) error }).UnmarshalText([]byte(s))
			return int64(v), err
		},
		Parse: func(s string) (int64, error) {
			v, err := parse(s)
			return int64(v), err
		},
	}
	for _, v := range values {
		e.Values = append(e.Values, Value[int64]{v.C, v.Go, int64(v.Value)})
	}
	for _, v := range all() {
		e.All = append(e.All, int64(v))
	}
	return e
}
