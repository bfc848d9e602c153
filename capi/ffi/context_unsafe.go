// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package ffi

import (
	"fmt"
	"unsafe"

	"github.com/purepjrt/purepjrt/capi"
)

// CustomOptions returns the options that the caller of the program gave its custom calls
// (XLA_FFI_CustomOptions_Get, version 0.5), which stay valid until the call ends. There are none if
// the caller gave none. On a host of an older version it fails with capi.ErrorCodeUnimplemented.
func (f *CallFrame) CustomOptions() (*Attrs, error) {
	h, err := hostOf(f.API)
	if err != nil {
		return nil, capi.ErrorCodeInvalidArgument.Errorf("%v", err)
	}
	var c capi.Call[CustomOptionsGetArgs]
	c.Args.Ctx = f.Ctx
	if err := c.Do(h.table); err != nil {
		return nil, err
	}
	if c.Args.Attrs == nil {
		return new(Attrs), nil
	}
	return c.Args.Attrs, nil
}

// Extension returns what the host offers under the number of an extension
// (XLA_FFI_InvokeContext_FindExtension, version 0.4), valid until the call ends, or nil if it
// offers nothing. Functions of an extension are there if its StructSize covers their fields.
func (f *CallFrame) Extension(number int64) (*Extension, error) {
	h, err := hostOf(f.API)
	if err != nil {
		return nil, capi.ErrorCodeInvalidArgument.Errorf("%v", err)
	}
	var c capi.Call[InvokeContextFindExtensionArgs]
	c.Args.Ctx, c.Args.ExtensionType = f.Ctx, number
	if err := c.Do(h.table); err != nil {
		return nil, err
	}
	return c.Args.Extension, nil
}

// Collectives returns the extension that has communicators between devices, valid until the call
// ends. It fails with capi.ErrorCodeUnimplemented on a host without the extension, or with another
// major version of it. The functions that request and return windows came with version 0.2: on a
// host that lacks them they are null here.
func (f *CallFrame) Collectives() (*CollectivesExtension, error) {
	return extension[CollectivesExtension](f, ExtensionCollectives, ExtensionCollectivesMajorVersion, "collectives")
}

// Record returns the extension that lets a handler record commands, valid until the call ends. It
// fails with capi.ErrorCodeUnimplemented on a host without the extension, or with another major
// version of it.
func (f *CallFrame) Record() (*RecordExtension, error) {
	return extension[RecordExtension](f, ExtensionRecord, ExtensionRecordMajorVersion, "record")
}

// extension returns the host's node or, if that node is shorter, a copy with zeros for what it
// lacks.
func extension[T any](f *CallFrame, number int64, major int32, name string) (*T, error) {
	const fn = "XLA_FFI_InvokeContext_FindExtension"
	h, err := hostOf(f.API)
	if err != nil {
		return nil, capi.ErrorCodeInvalidArgument.Errorf("%v", err)
	}
	x, err := f.Extension(number)
	switch {
	case err != nil:
		return nil, err
	case x == nil:
		return nil, h.unimplemented(fn, "does not offer the extension "+name+" to this call")
	case x.ID.MajorVersion != major:
		return nil, h.unimplemented(fn, fmt.Sprintf("offers the extension %s in version %d.%d, and this binding knows %d.x",
			name, x.ID.MajorVersion, x.ID.MinorVersion, major))
	}
	node := (*T)(unsafe.Pointer(x))
	if x.StructSize >= unsafe.Sizeof(*node) {
		return node, nil
	}
	short := new(T)
	copy(unsafe.Slice((*byte)(unsafe.Pointer(short)), x.StructSize), unsafe.Slice((*byte)(unsafe.Pointer(x)), x.StructSize))
	return short, nil
}
