// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package library

import (
	"unsafe"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

// setSlot changes a word of a table.
func setSlot(api *capi.API, offset, value uintptr) {
	*(*uintptr)(unsafe.Add(unsafe.Pointer(api), offset)) = value
}

// slotOf returns a word of a table.
func slotOf(api *capi.API, offset uintptr) uintptr {
	return *(*uintptr)(unsafe.Add(unsafe.Pointer(api), offset))
}

// setNode changes a word of an extension.
func setNode(x *capi.ExtensionBase, offset, value uintptr) {
	*(*uintptr)(unsafe.Add(unsafe.Pointer(x), offset)) = value
}

// overrun writes behind the caller's struct, if a check placed it to notice that.
func overrun(c *serve.Invocation) {
	c.Forward()
	if size := c.Size(); size > 0 && size <= c.Function().Size && check.IsPlaced(c.Args()) {
		if p := (*byte)(unsafe.Add(c.Args(), size)); *p == check.Canary {
			*p = 0
		}
	}
}

// lengthen makes a plugin believe that every struct is as long as its own.
func lengthen(c *serve.Invocation) {
	size := c.Size()
	if c.Args() == nil || c.Function().Size == 0 || size >= c.Function().Size {
		c.Forward()
		return
	}
	stated := (*uintptr)(c.Args())
	*stated = c.Function().Size
	c.Forward()
	*stated = size
}

// extended reports whether the caller's args have an extension.
func extended(c *serve.Invocation) bool {
	return c.Size() >= 16 && c.Function().Section == capi.SectionCore && *(*uintptr)(unsafe.Add(c.Args(), 8)) != 0
}

// stranger returns an executable that does not exist.
func stranger() *capi.LoadedExecutable { return (*capi.LoadedExecutable)(unsafe.Pointer(new(uintptr))) }

// peek reads the last field of the struct, whatever size the caller states.
func peek(c *serve.Invocation) {
	if size := c.Function().Size; size > 0 && c.Args() != nil {
		leftover += *(*byte)(unsafe.Add(c.Args(), size-1))
	}
	c.Forward()
}

// leftover takes what peek reads.
//
//lint:ignore U1000 it is written, so that the compiler keeps the read
var leftover byte

// strangeClient returns a client that does not exist.
func strangeClient() *capi.Client { return (*capi.Client)(unsafe.Pointer(new(uintptr))) }

// strangeTopology returns a topology that does not exist.
func strangeTopology() *capi.TopologyDescription {
	return (*capi.TopologyDescription)(unsafe.Pointer(new(uintptr)))
}

// fillOutput writes a buffer that does not exist to the first output.
func fillOutput(a *capi.LoadedExecutableExecuteArgs) {
	if list := *a.OutputLists; list != nil {
		*list = check.Retain((*capi.Buffer)(unsafe.Pointer(new(uintptr))))
	}
}
