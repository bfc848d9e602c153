// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package capi_test

import (
	"runtime"
	"sync"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
)

// fake is a PJRT_Api in Go memory whose functions are Go functions behind C
// entry points. A process has few of those, so tests make them at package
// level, with entryOf.
type fake struct {
	api  *capi.API
	pins runtime.Pinner
}

// newFake makes a table of the given minor. Its struct_size covers the given number of slots.
func newFake(t testing.TB, minor int, slots int) *fake {
	f := &fake{api: new(capi.API)}
	f.api.StructSize = slotsStart + uintptr(slots)*unsafe.Sizeof(uintptr(0))
	f.api.PJRTAPIVersion = capi.APIVersion{StructSize: capi.APIVersionSize, MajorVersion: capi.APIMajor, MinorVersion: int32(minor)}
	t.Cleanup(f.pins.Unpin)
	return f
}

var slotsStart = unsafe.Offsetof(capi.API{}.ErrorDestroy)

// set stores the C function in the slot of fn.
func (f *fake) set(fn *capi.Function, code uintptr) *fake {
	*(*uintptr)(unsafe.Add(unsafe.Pointer(f.api), fn.Offset)) = code
	return f
}

// extend prepends nodes to the extension chain.
func (f *fake) extend(nodes ...*capi.ExtensionBase) *fake {
	for _, n := range nodes {
		n.Next = f.api.ExtensionStart
		f.api.ExtensionStart = n
	}
	return f
}

func (f *fake) table(t testing.TB) *capi.Table {
	t.Helper()
	table, err := capi.NewTable(f.api, capi.Reentrant())
	require.NoError(t, err)
	return table
}

// function returns the descriptor of the function that takes an A.
func function[A any]() *capi.Function { return new(capi.Call[A]).Function() }

// entryOf makes a C function from a Go function with an args struct, once.
func entryOf[A any](fn func(args *A) uintptr) func() uintptr {
	return sync.OnceValue(func() uintptr { return purego.NewCallback(fn) })
}

// fakeError is the target of the fake's error handles.
type fakeError struct {
	code      capi.ErrorCode
	message   string
	destroyed int
}

func (e *fakeError) handle() *capi.ErrorHandle { return (*capi.ErrorHandle)(unsafe.Pointer(e)) }

func fakeErrorOf(h *capi.ErrorHandle) *fakeError { return (*fakeError)(unsafe.Pointer(h)) }

var (
	errorDestroy = entryOf(func(a *capi.ErrorDestroyArgs) uintptr {
		fakeErrorOf(a.Error).destroyed++
		return 0xdeadbeef // the function returns nothing: garbage for the result register
	})
	errorMessage = entryOf(func(a *capi.ErrorMessageArgs) uintptr {
		a.Message, a.MessageSize = capi.StringData(fakeErrorOf(a.Error).message)
		return 0xdeadbeef
	})
	errorGetCode = entryOf(func(a *capi.ErrorGetCodeArgs) uintptr {
		a.Code = fakeErrorOf(a.Error).code
		return 0
	})
)

// withErrors gives the table the functions that read errors.
func (f *fake) withErrors() *fake {
	return f.set(function[capi.ErrorDestroyArgs](), errorDestroy()).
		set(function[capi.ErrorMessageArgs](), errorMessage()).
		set(function[capi.ErrorGetCodeArgs](), errorGetCode())
}
