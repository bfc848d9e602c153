// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package ffi

import (
	"reflect"
	"slices"
	"unsafe"

	cffi "github.com/purepjrt/purepjrt/capi/ffi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// numeric makes the setters for one kind of numbers.
type numeric struct {
	scalar, array func(t reflect.Type) setter
}

// numbers has the kinds of numbers that attributes can become.
var numbers = map[reflect.Kind]numeric{
	reflect.Bool:       numericOf(truth),
	reflect.Int:        numericOf(integer[int]),
	reflect.Int8:       numericOf(integer[int8]),
	reflect.Int16:      numericOf(integer[int16]),
	reflect.Int32:      numericOf(integer[int32]),
	reflect.Int64:      numericOf(integer[int64]),
	reflect.Uint:       numericOf(integer[uint]),
	reflect.Uint8:      numericOf(integer[uint8]),
	reflect.Uint16:     numericOf(integer[uint16]),
	reflect.Uint32:     numericOf(integer[uint32]),
	reflect.Uint64:     numericOf(integer[uint64]),
	reflect.Float32:    numericOf(float32Of),
	reflect.Float64:    numericOf(float64Of),
	reflect.Complex64:  numericOf(complex64Of),
	reflect.Complex128: numericOf(complex128Of),
}

// A reader returns the number of type d at p, and false if E cannot hold it exactly.
type reader[E comparable] func(d cffi.DataType, p unsafe.Pointer) (E, bool)

// numericOf makes the setters for types with the same memory layout as E.
func numericOf[E comparable](read reader[E]) numeric {
	return numeric{
		scalar: func(t reflect.Type) setter {
			return func(p unsafe.Pointer, x cffi.Attr) error {
				if x.Kind == cffi.AttrTypeScalar && x.Data != nil {
					if s := (*cffi.Scalar)(x.Data); s.Value != nil {
						if v, ok := read(s.Dtype, s.Value); ok {
							*(*E)(p) = v
							return nil
						}
					}
				}
				return pjrt.ErrInvalidArgument.Errorf("is %s, and the handler takes %v", described(x), t)
			}
		},
		array: func(t reflect.Type) setter {
			return func(p unsafe.Pointer, x cffi.Attr) error {
				if x.Kind == cffi.AttrTypeArray && x.Data != nil {
					if readArray((*[]E)(p), (*cffi.Array)(x.Data), read) {
						return nil
					}
				}
				return pjrt.ErrInvalidArgument.Errorf("is %s, and the handler takes %v", described(x), t)
			}
		},
	}
}

// readArray puts the numbers of an array into a new slice, unless the old one has the same.
func readArray[E comparable](to *[]E, a *cffi.Array, read reader[E]) bool {
	bits := uintptr(a.Dtype.Bits())
	if bits == 0 || bits%8 != 0 || a.Data == nil && a.Size > 0 {
		return false
	}
	list := *to
	if uintptr(len(list)) != a.Size || list == nil {
		list = make([]E, a.Size)
	}
	shared := len(list) > 0 && unsafe.SliceData(list) == unsafe.SliceData(*to)
	for i := range list {
		v, ok := read(a.Dtype, unsafe.Add(a.Data, uintptr(i)*bits/8))
		if !ok {
			return false
		}
		if shared && list[i] != v {
			list, shared = slices.Clone(list), false // a handler may have kept the old one
		}
		list[i] = v
	}
	*to = list
	return true
}

// load reads a value that need not be aligned.
func load[T any](p unsafe.Pointer) (v T) {
	size := unsafe.Sizeof(v)
	copy(unsafe.Slice((*byte)(unsafe.Pointer(&v)), size), unsafe.Slice((*byte)(p), size))
	return v
}

func truth(d cffi.DataType, p unsafe.Pointer) (bool, bool) {
	return d == cffi.DataTypePred && load[byte](p) != 0, d == cffi.DataTypePred
}

type anyInteger interface {
	int | int8 | int16 | int32 | int64 | uint | uint8 | uint16 | uint32 | uint64
}

func integer[E anyInteger](d cffi.DataType, p unsafe.Pointer) (E, bool) {
	switch d {
	case cffi.DataTypeS8:
		return fit[E](int64(load[int8](p)))
	case cffi.DataTypeS16:
		return fit[E](int64(load[int16](p)))
	case cffi.DataTypeS32:
		return fit[E](int64(load[int32](p)))
	case cffi.DataTypeS64:
		return fit[E](load[int64](p))
	case cffi.DataTypeU8:
		return fit[E](int64(load[uint8](p)))
	case cffi.DataTypeU16:
		return fit[E](int64(load[uint16](p)))
	case cffi.DataTypeU32:
		return fit[E](int64(load[uint32](p)))
	case cffi.DataTypeU64:
		v := load[uint64](p)
		e := E(v)
		return e, uint64(e) == v && e >= 0
	}
	return 0, false
}

// fit returns v as an E, and whether that is the same number.
func fit[E anyInteger](v int64) (E, bool) {
	e := E(v)
	return e, int64(e) == v && (e < 0) == (v < 0)
}

func float32Of(d cffi.DataType, p unsafe.Pointer) (float32, bool) {
	switch d {
	case cffi.DataTypeF32:
		return load[float32](p), true
	case cffi.DataTypeF16:
		return load[dtype.Float16](p).Float32(), true
	case cffi.DataTypeBF16:
		return load[dtype.BFloat16](p).Float32(), true
	}
	return 0, false
}

func float64Of(d cffi.DataType, p unsafe.Pointer) (float64, bool) {
	if d == cffi.DataTypeF64 {
		return load[float64](p), true
	}
	v, ok := float32Of(d, p)
	return float64(v), ok
}

func complex64Of(d cffi.DataType, p unsafe.Pointer) (complex64, bool) {
	if d == cffi.DataTypeC64 {
		return load[complex64](p), true
	}
	return 0, false
}

func complex128Of(d cffi.DataType, p unsafe.Pointer) (complex128, bool) {
	if d == cffi.DataTypeC128 {
		return load[complex128](p), true
	}
	v, ok := complex64Of(d, p)
	return complex128(v), ok
}
