// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package ffi

import (
	"iter"
	"unsafe"

	"github.com/purepjrt/purepjrt/capi"
)

// Attr is an attribute: its kind, and the struct for that kind.
type Attr struct {
	Kind AttrType
	Data unsafe.Pointer
}

// Numbers holds the bytes of one or more numbers of a type that Go lacks, such as BF16.
type Numbers struct {
	Type DataType
	Data []byte
}

// Len returns the number of attributes.
func (a *Attrs) Len() int {
	if a.Names == nil {
		return 0
	}
	return length(a.StructSize >= AttrsSize, a.Size, a.Types, a.Attrs)
}

// All returns the names and attributes, in the order of the names.
func (a *Attrs) All() iter.Seq2[string, Attr] {
	return func(yield func(string, Attr) bool) {
		n := a.Len()
		for i := range n {
			kind, p := element(a.Types, a.Attrs, i)
			if !yield(unsafe.Slice(a.Names, n)[i].String(), Attr{kind, p}) {
				return
			}
		}
	}
}

// Lookup returns the attribute with this name, or false if there is none.
func (a *Attrs) Lookup(name string) (Attr, bool) {
	for n, x := range a.All() {
		if n == name {
			return x, true
		}
	}
	return Attr{}, false
}

// Map returns all attributes as Go values; see [Attr.Value]. Dictionaries are
// maps of the same type.
func (a *Attrs) Map() (map[string]any, error) {
	m := make(map[string]any, a.Len())
	for name, x := range a.All() {
		v, err := x.Value()
		if err == nil {
			if d, ok := v.(*Attrs); ok {
				v, err = d.Map()
			}
		}
		if err != nil {
			return nil, capi.ErrorCodeInvalidArgument.Errorf("attribute %q: %v", name, err)
		}
		m[name] = v
	}
	return m, nil
}

// String returns a copy of the bytes, or "" if s is nil.
func (s *ByteSpan) String() string {
	if s == nil {
		return ""
	}
	return capi.String(s.Ptr, s.Len)
}

// Value returns a copy of the attribute as a Go value. A string is a string, a
// number a bool, int8 to int64, uint8 to uint64, float32, float64, complex64 or
// complex128, and an array a slice of these; a number or an array of another
// type is a [Numbers]. A dictionary is an *Attrs, valid until the call ends.
func (x Attr) Value() (any, error) {
	if x.Data == nil {
		return nil, capi.ErrorCodeInvalidArgument.Errorf("an attribute of kind %v without a value", x.Kind)
	}
	switch x.Kind {
	case AttrTypeString:
		return (*ByteSpan)(x.Data).String(), nil
	case AttrTypeDictionary:
		return (*Attrs)(x.Data), nil
	case AttrTypeScalar:
		s := (*Scalar)(x.Data)
		return numbers(s.Dtype, s.Value, 1, true)
	case AttrTypeArray:
		a := (*Array)(x.Data)
		return numbers(a.Dtype, a.Data, a.Size, false)
	}
	return nil, capi.ErrorCodeInvalidArgument.Errorf("an attribute of the unknown kind %v", x.Kind)
}

// Attribute returns the attribute with this name as a T, one of the types that [Attr.Value]
// returns. It fails if there is none, or if it has another type.
func Attribute[T any](a *Attrs, name string) (T, error) {
	var zero T
	x, ok := a.Lookup(name)
	if !ok {
		return zero, &capi.Error{Code: capi.ErrorCodeNotFound, Message: "the call has no attribute " + name}
	}
	v, err := x.Value()
	if err != nil {
		return zero, capi.ErrorCodeInvalidArgument.Errorf("attribute %q: %v", name, err)
	}
	t, ok := v.(T)
	if !ok {
		return zero, capi.ErrorCodeInvalidArgument.Errorf("attribute %q is a %T, not a %T", name, v, zero)
	}
	return t, nil
}

// numbers copies n numbers at p. It returns the number itself for a scalar, or a slice for an
// array.
func numbers(d DataType, p unsafe.Pointer, n uintptr, scalar bool) (any, error) {
	if p == nil && n > 0 {
		return nil, capi.ErrorCodeInvalidArgument.Errorf("%d numbers of type %v without an address", n, d)
	}
	switch d {
	case DataTypePred:
		return elements[bool](p, n, scalar), nil
	case DataTypeS8:
		return elements[int8](p, n, scalar), nil
	case DataTypeS16:
		return elements[int16](p, n, scalar), nil
	case DataTypeS32:
		return elements[int32](p, n, scalar), nil
	case DataTypeS64:
		return elements[int64](p, n, scalar), nil
	case DataTypeU8:
		return elements[uint8](p, n, scalar), nil
	case DataTypeU16:
		return elements[uint16](p, n, scalar), nil
	case DataTypeU32:
		return elements[uint32](p, n, scalar), nil
	case DataTypeU64:
		return elements[uint64](p, n, scalar), nil
	case DataTypeF32:
		return elements[float32](p, n, scalar), nil
	case DataTypeF64:
		return elements[float64](p, n, scalar), nil
	case DataTypeC64:
		return elements[complex64](p, n, scalar), nil
	case DataTypeC128:
		return elements[complex128](p, n, scalar), nil
	}
	// XLA does not specify how attributes of less than a byte are stored.
	size := d.Bits()
	if size < 8 {
		return nil, capi.ErrorCodeInvalidArgument.Errorf("%d numbers of the type %v, which cannot be read", n, d)
	}
	return Numbers{d, append([]byte{}, unsafe.Slice((*byte)(p), n*uintptr(size/8))...)}, nil
}

// elements copies n numbers at p, which need not be aligned.
func elements[T Element](p unsafe.Pointer, n uintptr, scalar bool) any {
	list := make([]T, n)
	if n > 0 {
		size := n * unsafe.Sizeof(list[0])
		copy(unsafe.Slice((*byte)(unsafe.Pointer(&list[0])), size), unsafe.Slice((*byte)(p), size))
	}
	if scalar {
		return list[0]
	}
	return list
}
