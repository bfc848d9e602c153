// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package ffi

import (
	"iter"
	"unsafe"

	"github.com/purepjrt/purepjrt/capi"
)

// Table returns the table through which the functions of f.API are called; see
// [Table].
func (f *CallFrame) Table() (*capi.Table, error) { return Table(f.API) }

// SetFuture lets the call continue after the handler has returned nil. The call ends when future is
// set (XLA_FFI_Future_SetAvailable, XLA_FFI_Future_SetError), which must happen exactly once.
// Buffers stay valid until then, but the frame does not. Preconditions: future comes from
// XLA_FFI_Future_Create of f.API, and the handler returns nil.
//
// It fails on a host that has no futures.
func (f *CallFrame) SetFuture(future *Future) error {
	h, err := hostOf(f.API)
	if err != nil {
		return capi.ErrorCodeInvalidArgument.Errorf("%v", err)
	}
	// struct_size does not include this field. The field was introduced together with the function,
	// so a host that has the function has the field.
	if !h.table.Has((*FutureCreateArgs)(nil).Function()) {
		return h.unimplemented("XLA_FFI_Future_Create", "has no futures: finish the work before the handler returns")
	}
	f.Future = future
	return nil
}

// Len returns the number of arguments.
func (a *Args) Len() int { return length(a.StructSize >= ArgsSize, a.Size, a.Types, a.Args) }

// All returns the arguments: the kind of each and its struct.
func (a *Args) All() iter.Seq2[ArgType, unsafe.Pointer] { return each(a.Len(), a.Types, a.Args) }

// Buffer returns argument i. It fails if there is no such argument, or if it is not a buffer.
func (a *Args) Buffer(i int) (*Buffer, error) {
	if n := a.Len(); i < 0 || i >= n {
		return nil, capi.ErrorCodeInvalidArgument.Errorf("there is no argument %d: the call has %d", i, n)
	}
	kind, p := element(a.Types, a.Args, i)
	if kind != ArgTypeBuffer {
		return nil, capi.ErrorCodeInvalidArgument.Errorf("argument %d is of kind %v, not a buffer", i, kind)
	}
	return asBuffer("argument", i, p)
}

// Buffers returns all arguments. It fails if one is not a buffer.
func (a *Args) Buffers() ([]*Buffer, error) { return buffers(a.Len(), a.Buffer) }

// Len returns the number of results.
func (r *Rets) Len() int { return length(r.StructSize >= RetsSize, r.Size, r.Types, r.Rets) }

// All returns the results: the kind of each and its struct.
func (r *Rets) All() iter.Seq2[RetType, unsafe.Pointer] { return each(r.Len(), r.Types, r.Rets) }

// Buffer returns result i, for writing. It fails if there is no such result, or if it is not a
// buffer.
func (r *Rets) Buffer(i int) (*Buffer, error) {
	if n := r.Len(); i < 0 || i >= n {
		return nil, capi.ErrorCodeInvalidArgument.Errorf("there is no result %d: the call has %d", i, n)
	}
	kind, p := element(r.Types, r.Rets, i)
	if kind != RetTypeBuffer {
		return nil, capi.ErrorCodeInvalidArgument.Errorf("result %d is of kind %v, not a buffer", i, kind)
	}
	return asBuffer("result", i, p)
}

// Buffers returns all results. It fails if one is not a buffer.
func (r *Rets) Buffers() ([]*Buffer, error) { return buffers(r.Len(), r.Buffer) }

// length returns the length of two parallel arrays in C. It returns 0 if the struct is too short or
// an array is null.
func length[K any](complete bool, size int64, kinds *K, items *unsafe.Pointer) int {
	if !complete || size <= 0 || kinds == nil || items == nil {
		return 0
	}
	return int(size)
}

// element returns element i of two parallel arrays in C.
func element[K any](kinds *K, items *unsafe.Pointer, i int) (K, unsafe.Pointer) {
	return unsafe.Slice(kinds, i+1)[i], unsafe.Slice(items, i+1)[i]
}

func each[K any](n int, kinds *K, items *unsafe.Pointer) iter.Seq2[K, unsafe.Pointer] {
	return func(yield func(K, unsafe.Pointer) bool) {
		for i := range n {
			if !yield(element(kinds, items, i)) {
				return
			}
		}
	}
}

func asBuffer(what string, i int, p unsafe.Pointer) (*Buffer, error) {
	b := (*Buffer)(p)
	if b == nil || b.StructSize < BufferSize {
		return nil, capi.ErrorCodeInvalidArgument.Errorf("the buffer of %s %d is null or too short", what, i)
	}
	return b, nil
}

func buffers(n int, buffer func(int) (*Buffer, error)) ([]*Buffer, error) {
	list := make([]*Buffer, n)
	for i := range list {
		b, err := buffer(i)
		if err != nil {
			return nil, err
		}
		list[i] = b
	}
	return list, nil
}
