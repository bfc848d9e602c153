// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package serve_test

import (
	"reflect"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/internal/ccall"
	"github.com/purepjrt/purepjrt/capi/serve"
)

// everything returns a plugin with all extensions and no func.
func everything() *serve.Plugin {
	p := new(serve.Plugin)
	for v, i := reflect.ValueOf(p).Elem(), 0; i < v.NumField(); i++ {
		if f := v.Field(i); f.Kind() == reflect.Pointer {
			f.Set(reflect.New(f.Type().Elem()))
		}
	}
	return p
}

// allFunctions returns the functions of all sections.
func allFunctions() []*capi.Function {
	var list []*capi.Function
	for _, s := range capi.Sections() {
		list = append(list, capi.Functions(s)...)
	}
	return list
}

// slotOf returns the address of a function that the table must have.
func slotOf(t testing.TB, tab *capi.Table, f *capi.Function) uintptr {
	t.Helper()
	require.NoError(t, tab.Lacks(f))
	base := unsafe.Pointer(tab.API())
	switch f.Section {
	case capi.SectionCore:
	case capi.SectionProfiler:
		base = unsafe.Pointer((*capi.ProfilerExtension)(unsafe.Pointer(tab.Extension(capi.ExtensionTypeProfiler).Node)).ProfilerAPI)
	default:
		base = unsafe.Pointer(tab.Extension(capi.ExtensionType(f.Section - capi.SectionExtension(0))).Node)
	}
	return *(*uintptr)(unsafe.Add(base, f.Offset))
}

// rawCall calls f with args unchanged and returns its error, which is nil for a void function.
func rawCall(t testing.TB, tab *capi.Table, f *capi.Function, args unsafe.Pointer) *capi.ErrorHandle {
	t.Helper()
	frame := &ccall.ArgFrame{Frame: ccall.Frame{Code: slotOf(t, tab, f)}, Arg: args}
	ccall.InvokeArg(frame)
	if f.Void {
		return nil
	}
	return *(**capi.ErrorHandle)(unsafe.Pointer(&frame.Ret))
}

// refused reads an error, destroys it, and returns its contents.
func refused(t testing.TB, h *capi.ErrorHandle) *capi.Error {
	t.Helper()
	e := serve.ReadError(h)
	require.NotNil(t, e, "not an error of this package")
	require.True(t, serve.DestroyError(h))
	return e
}

// words is memory for args of any function, larger than any struct.
type words [128]uintptr

func (w *words) args() unsafe.Pointer { return unsafe.Pointer(w) }
