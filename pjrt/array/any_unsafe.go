// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package array

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"unsafe"

	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// ToAny is [ToSlice] for a type that is known only when the program runs. It returns a copy of the
// elements in row-major order, as a slice of the Go type that dtype.Type.GoType names, such as
// []float32 for F32.
func ToAny(a Array) (any, error) {
	if err := a.Check(); err != nil {
		return nil, err
	}
	elem := a.Type.GoType()
	if elem == nil {
		return nil, fmt.Errorf("elements of type %v have no Go type", a.Type)
	}
	if err := checkBools(a); err != nil {
		return nil, err
	}
	s := reflect.MakeSlice(reflect.SliceOf(elem), a.Len(), a.Len())
	copy(bytesOf(s), a.Data)
	return s.Interface(), nil
}

// OfAny is [Of] and [ScalarOf] for a type that is known only when the program runs. data is an
// element, or a slice of elements, whose memory the array then shares, or slices and arrays of such
// slices, which are copied: [][]float32 is a matrix. Slices side by side must have the same length.
// dims must be empty, unless data is a slice of elements.
func OfAny(data any, dims ...int64) (Array, error) {
	v := reflect.ValueOf(data)
	if !v.IsValid() {
		return Array{}, errors.New("cannot make an array of nil")
	}
	elem, rank := v.Type(), 0
	for elem.Kind() == reflect.Slice || elem.Kind() == reflect.Array {
		elem = elem.Elem()
		rank++
	}
	t, ok := typeOf(elem)
	if !ok {
		return Array{}, fmt.Errorf("cannot make an array of a %T: %v is not the type of an element", data, elem)
	}
	if v.Kind() == reflect.Slice && rank == 1 {
		if len(dims) == 0 {
			dims = []int64{int64(v.Len())}
		}
		return Array{Type: t, Dims: slices.Clone(dims), Data: bytesOf(v)}, nil
	}
	if len(dims) > 0 {
		return Array{}, fmt.Errorf("cannot give a %T the dimensions %v: it has its own", data, dims)
	}
	a := Array{Type: t}
	a.Dims = make([]int64, rank)
	// Where there is no slice, nothing says how long it would be: 0.
	for i, x := 0, v; i < rank && x.Len() > 0; i, x = i+1, x.Index(0) {
		a.Dims[i] = int64(x.Len())
	}
	err := a.appendAny(v, a.Dims)
	return a, err
}

// appendAny appends the elements of v, which has the dimensions.
func (a *Array) appendAny(v reflect.Value, dims []int64) error {
	if len(dims) == 0 {
		one := reflect.MakeSlice(reflect.SliceOf(v.Type()), 1, 1)
		one.Index(0).Set(v)
		a.Data = append(a.Data, bytesOf(one)...)
		return nil
	}
	if int64(v.Len()) != dims[0] {
		return fmt.Errorf("slices side by side have %d and %d elements: all must have the same length", dims[0], v.Len())
	}
	if len(dims) == 1 && v.Kind() == reflect.Slice {
		a.Data = append(a.Data, bytesOf(v)...)
		return nil
	}
	for i := range v.Len() {
		if err := a.appendAny(v.Index(i), dims[1:]); err != nil {
			return err
		}
	}
	return nil
}

// typeOf returns the type whose elements are of a Go type.
func typeOf(elem reflect.Type) (dtype.Type, bool) {
	for _, t := range dtype.All() {
		if t.GoType() == elem {
			return t, true
		}
	}
	return 0, false
}

// bytesOf returns the memory of a slice of elements.
func bytesOf(s reflect.Value) []byte {
	n := s.Len() * int(s.Type().Elem().Size())
	if n == 0 {
		return []byte{}
	}
	return unsafe.Slice((*byte)(s.UnsafePointer()), n)
}
