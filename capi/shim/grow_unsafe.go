// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package shim

import (
	"runtime"
	"unsafe"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/describe"
	"github.com/purepjrt/purepjrt/capi/serve"
)

// grows reports whether the args of a function say how large they are.
func grows(f *capi.Function) bool { return f.Size != 0 }

// grow passes a call on with args of the newest size.
func grow(c *serve.Invocation) {
	f, args, have := c.Function(), c.Args(), c.Size()
	if args == nil || have < wordSize {
		c.Forward()
		return
	}
	full, grown := enlarge(args, have, f.Size)
	nested := make([]unsafe.Pointer, len(f.Nested))
	for i, n := range f.Nested {
		if n.Offset+wordSize > have {
			continue
		}
		at := (*unsafe.Pointer)(unsafe.Add(full, n.Offset))
		if *at == nil {
			continue
		}
		inner, more := enlarge(*at, *(*uintptr)(*at), describe.StructByName(n.Struct).Size)
		if !more {
			continue
		}
		if !grown {
			full, grown = clone(full, have), true
			at = (*unsafe.Pointer)(unsafe.Add(full, n.Offset))
		}
		nested[i], *at = *at, inner
	}
	if !grown {
		c.Forward()
		return
	}
	c.SetArgs(full)
	c.Forward()
	c.SetArgs(args)
	for i, n := range f.Nested {
		if nested[i] != nil {
			*(*unsafe.Pointer)(unsafe.Add(full, n.Offset)) = nested[i]
		}
	}
	have = really(f, have)
	copy(unsafe.Slice((*byte)(args), have)[wordSize:], unsafe.Slice((*byte)(full), have)[wordSize:])
	runtime.KeepAlive(full)
}

var functionAttributes = (*capi.PluginAttributesArgs)(nil).Function()

// really returns the true size of args whose struct_size is size. XLA's client before API 0.72
// gives the args of PJRT_Plugin_Attributes a struct_size that ends before their last field, but
// reads that field all the same.
func really(f *capi.Function, size uintptr) uintptr {
	if f == functionAttributes {
		return f.Size
	}
	return size
}

// enlarge returns a struct with as many bytes as the newest version has, and whether it had to be
// copied.
func enlarge(s unsafe.Pointer, have, want uintptr) (unsafe.Pointer, bool) {
	if have >= want {
		return s, false
	}
	full := unsafe.Pointer(unsafe.SliceData(make([]uintptr, (want+wordSize-1)/wordSize)))
	copy(unsafe.Slice((*byte)(full), want), unsafe.Slice((*byte)(s), have))
	*(*uintptr)(full) = want
	return full, true
}

// clone returns a copy of a struct.
func clone(s unsafe.Pointer, size uintptr) unsafe.Pointer {
	full := unsafe.Pointer(unsafe.SliceData(make([]uintptr, (size+wordSize-1)/wordSize)))
	copy(unsafe.Slice((*byte)(full), size), unsafe.Slice((*byte)(s), size))
	return full
}
