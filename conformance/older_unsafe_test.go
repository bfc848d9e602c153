// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package conformance

import (
	"runtime"
	"slices"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/describe"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/capi/shim"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

// older returns the oldest CPU plugin as if it had an older API minor: its table says so and ends
// where the older API's did, it has no newer extensions, and its functions neither read nor
// write newer fields of their args.
func older(t testing.TB, minor int) *capi.API {
	real, err := capi.Open(plugintest.Path(t, "cpu@0.81"))
	require.NoError(t, err)
	var hooks []serve.Hook
	var newer []string
	for _, section := range capi.Sections() {
		functions := capi.Functions(section)
		for _, f := range functions {
			if d := describe.Of(f); d != nil && f.Since <= minor && f.Size != 0 && (sizeAt(d.Args, minor) < f.Size || len(f.Nested) > 0) {
				hooks = append(hooks, serve.AroundFunction(f, func(c *serve.Invocation) { forget(c, minor) }))
			}
		}
		if !slices.ContainsFunc(functions, func(f *capi.Function) bool { return f.Since <= minor }) {
			newer = append(newer, section.String())
		}
	}
	known, err := serve.Wrap(real, hooks...)
	require.NoError(t, err)
	s, err := shim.New(shim.Config{Minor: minor, Absent: newer})
	require.NoError(t, err)
	table, err := s.Wrap(known.Capi())
	require.NoError(t, err)
	return table.API()
}

// sizeAt returns the size that a struct had in an API minor.
func sizeAt(s *describe.Struct, minor int) uintptr {
	size := 2 * unsafe.Sizeof(uintptr(0)) // struct_size and extension_start
	for i := range s.Fields {
		if f := &s.Fields[i]; f.Since <= minor {
			size = max(size, f.Offset+f.Size)
		}
	}
	return size
}

// forget passes a call on without the fields that are newer than minor.
func forget(c *serve.Invocation, minor int) {
	f, args, have := c.Function(), c.Args(), c.Size()
	known := sizeAt(describe.Of(f).Args, minor)
	if args == nil || have < known {
		c.Forward()
		return
	}
	full := cut(args, known, f.Size)
	inner := make([]unsafe.Pointer, len(f.Nested))
	for i, n := range f.Nested {
		at := (*unsafe.Pointer)(unsafe.Add(full, n.Offset))
		s := describe.StructByName(n.Struct)
		if inner[i] = *at; *at != nil && *(*uintptr)(*at) >= sizeAt(s, minor) {
			*at = cut(*at, sizeAt(s, minor), s.Size)
		}
	}
	c.SetArgs(full)
	c.Forward()
	c.SetArgs(args)
	for i, n := range f.Nested {
		*(*unsafe.Pointer)(unsafe.Add(full, n.Offset)) = inner[i]
	}
	const size = unsafe.Sizeof(uintptr(0)) // struct_size is the caller's
	copy(unsafe.Slice((*byte)(args), known)[size:], unsafe.Slice((*byte)(full), known)[size:])
	runtime.KeepAlive(full)
}

// cut returns a struct of the given size with only the first known bytes of s.
func cut(s unsafe.Pointer, known, size uintptr) unsafe.Pointer {
	full := unsafe.Pointer(unsafe.SliceData(make([]unsafe.Pointer, size/unsafe.Sizeof(uintptr(0))+1)))
	copy(unsafe.Slice((*byte)(full), size), unsafe.Slice((*byte)(s), known))
	*(*uintptr)(full) = size
	return full
}
