// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package ffi

import (
	"slices"
	"unsafe"

	cffi "github.com/purepjrt/purepjrt/capi/ffi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// Arg is an argument of a call, with elements of type T. It is a view, valid until the
// handler returns.
type Arg[T dtype.Elem] struct {
	// Data is the memory of the array, not a copy, in row-major order if the program asks
	// for that: see Target. A handler must not write to it. On platforms other than Host
	// the memory is a device's, and Data is nil.
	Data []T
	// Dims are the dimensions, none for a scalar. They must not be changed.
	Dims []int64
	// Address is the address of the memory, in a device's memory on platforms other than
	// Host, and 0 before the stage in which the program runs.
	Address uintptr
}

// Ret is a result of a call, with elements of type T: see [Arg]. The handler fills it in;
// what Data holds before that is undefined.
type Ret[T dtype.Elem] struct {
	Data    []T
	Dims    []int64
	Address uintptr
}

// AnyArg is an argument of any type: see [Arg].
type AnyArg struct {
	Type dtype.Type
	Dims []int64
	// Bytes is the memory of the array, in which elements of less than a byte are packed, the first
	// one of each byte in its low bits.
	Bytes   []byte
	Address uintptr
}

// AnyRet is a result of any type: see [Ret].
type AnyRet struct {
	Type    dtype.Type
	Dims    []int64
	Bytes   []byte
	Address uintptr
}

// Array returns the argument as an array that shares its memory. Elements of less than a
// byte are an error, because an array of the host does not pack them.
func (a AnyArg) Array() (pjrt.HostArray, error) { return arrayOf(a.Type, a.Dims, a.Bytes, a.Address) }

// Array returns the result as an array that shares its memory: see [AnyArg.Array].
func (r AnyRet) Array() (pjrt.HostArray, error) { return arrayOf(r.Type, r.Dims, r.Bytes, r.Address) }

func arrayOf(t dtype.Type, dims []int64, data []byte, address uintptr) (pjrt.HostArray, error) {
	switch {
	case t.IsSubByte():
		return pjrt.HostArray{}, pjrt.ErrInvalidArgument.Errorf("the elements of %v are packed: unpack Bytes",
			pjrt.Shape{Type: t, Dims: dims})
	case data == nil && address != 0 && !slices.Contains(dims, 0): // empty arrays need no memory
		return pjrt.HostArray{}, pjrt.ErrInvalidArgument.Errorf("the memory of %v is a device's: copy it to the host first",
			pjrt.Shape{Type: t, Dims: dims})
	}
	return pjrt.HostArray{Type: t, Dims: dims, Data: data}, nil
}

// A binder fills in the field at p from a buffer. read says that the memory is the host's
// and that its contents are there.
type binder func(p unsafe.Pointer, b *cffi.Buffer, read bool) error

// operand has the methods of pointers to fields for arguments and results.
type operand interface {
	bind() binder
	clear() func(p unsafe.Pointer)
	isResult() bool
	// elem returns the type of the elements, or dtype.Invalid for any type.
	elem() dtype.Type
}

func (*Arg[T]) isResult() bool   { return false }
func (*Ret[T]) isResult() bool   { return true }
func (*AnyArg) isResult() bool   { return false }
func (*AnyRet) isResult() bool   { return true }
func (*Arg[T]) elem() dtype.Type { return dtype.Of[T]() }
func (*Ret[T]) elem() dtype.Type { return dtype.Of[T]() }
func (*AnyArg) elem() dtype.Type { return dtype.Invalid }
func (*AnyRet) elem() dtype.Type { return dtype.Invalid }

func (*Arg[T]) bind() binder {
	want := cffi.DataType(dtype.Of[T]().PrimitiveType())
	return func(p unsafe.Pointer, b *cffi.Buffer, read bool) (err error) {
		a := (*Arg[T])(p)
		*a = Arg[T]{Dims: dimsOf(b), Address: uintptr(b.Data)}
		if b.Dtype != want {
			return pjrt.ErrInvalidArgument.Errorf("is %v, and the handler takes %v", shapeOf(b), dtype.Of[T]())
		}
		if !read {
			return nil
		}
		raw, err := b.Bytes()
		if err != nil {
			return err
		}
		a.Data, err = dtype.View[T](raw)
		return err
	}
}

func (*Ret[T]) bind() binder {
	want := cffi.DataType(dtype.Of[T]().PrimitiveType())
	var zero T
	return func(p unsafe.Pointer, b *cffi.Buffer, read bool) error {
		r := (*Ret[T])(p)
		*r = Ret[T]{Dims: dimsOf(b), Address: uintptr(b.Data)}
		if b.Dtype != want {
			return pjrt.ErrInvalidArgument.Errorf("is %v, and the handler makes %v", shapeOf(b), dtype.Of[T]())
		}
		if !read {
			return nil
		}
		raw, err := b.Bytes()
		if err != nil || len(raw) == 0 {
			return err
		}
		if uintptr(b.Data)%unsafe.Alignof(zero) != 0 {
			return pjrt.ErrInvalidArgument.Errorf("has the address %#x, which is not aligned for %v", uintptr(b.Data), dtype.Of[T]())
		}
		// The contents are undefined, so unlike View this must not look at them.
		r.Data = unsafe.Slice((*T)(b.Data), uintptr(len(raw))/unsafe.Sizeof(zero))
		return nil
	}
}

func (*Arg[T]) clear() func(unsafe.Pointer) {
	return func(p unsafe.Pointer) { *(*Arg[T])(p) = Arg[T]{} }
}
func (*Ret[T]) clear() func(unsafe.Pointer) {
	return func(p unsafe.Pointer) { *(*Ret[T])(p) = Ret[T]{} }
}
func (*AnyArg) clear() func(unsafe.Pointer) {
	return func(p unsafe.Pointer) { *(*AnyArg)(p) = AnyArg{} }
}
func (*AnyRet) clear() func(unsafe.Pointer) {
	return func(p unsafe.Pointer) { *(*AnyRet)(p) = AnyRet{} }
}

func (*AnyArg) bind() binder { return bindAny }
func (*AnyRet) bind() binder { return bindAny }

func bindAny(p unsafe.Pointer, b *cffi.Buffer, read bool) (err error) {
	a := (*AnyArg)(p) // an AnyRet has the same fields
	*a = AnyArg{Type: typeOf(b.Dtype), Dims: dimsOf(b), Address: uintptr(b.Data)}
	if a.Type == dtype.Invalid {
		return pjrt.ErrInvalidArgument.Errorf("has the type %v, which has no Go form", b.Dtype)
	}
	if read && a.Type != dtype.Token {
		a.Bytes, err = b.Bytes()
	}
	return err
}

// dimsOf is Dimensions without a copy.
func dimsOf(b *cffi.Buffer) []int64 {
	if b.Rank <= 0 || b.Dims == nil {
		return nil
	}
	return unsafe.Slice(b.Dims, b.Rank)
}

func shapeOf(b *cffi.Buffer) pjrt.Shape {
	return pjrt.Shape{Type: typeOf(b.Dtype), Dims: b.Dimensions()}
}

// types has the element types by number in XLA.
var types = func() (list [64]dtype.Type) {
	for t := dtype.Invalid + 1; t.Valid(); t++ {
		list[t.PrimitiveType()] = t
	}
	return list
}()

func typeOf(d cffi.DataType) dtype.Type {
	if d < 0 || int(d) >= len(types) {
		return dtype.Invalid
	}
	return types[d]
}
