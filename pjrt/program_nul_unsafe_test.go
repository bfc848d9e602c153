// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"context"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
)

// readToNUL returns what a plugin reads if it looks for a zero byte at the end of a program,
// as plugins up to API 0.68 do.
func readToNUL(p *capi.Program) string {
	n := 0
	for *(*byte)(unsafe.Add(unsafe.Pointer(p.Code), n)) != 0 {
		n++
	}
	return string(unsafe.Slice(p.Code, n))
}

func TestProgramsAreFollowedByAZeroByte(t *testing.T) {
	ctx := context.Background()
	// The text is part of a larger string, and no zero byte follows it.
	code := []byte(add + "func.func @another() { return }" + add)[:len(add)]

	v := newVariant(t)
	setFunction(v, func(*capi.PluginAttributesArgs) uintptr { return 0 }) // nobody knows what it is
	var seen []string
	var sizes []uintptr
	var last *byte
	setFunction(v, func(a *capi.ClientCompileArgs) uintptr {
		last = a.Program.Code
		seen, sizes = append(seen, readToNUL(a.Program)), append(sizes, a.Program.CodeSize)
		c := &capi.Call[capi.ClientCompileArgs]{Args: *a}
		if err := c.Do(v.real); err != nil {
			t.Error(err)
		}
		*a = c.Args
		return 0
	})
	setFunction(v, func(a *capi.CompileArgs) uintptr {
		seen, sizes = append(seen, readToNUL(a.Program)), append(sizes, a.Program.CodeSize)
		return 0 // success without an executable
	})
	client := v.client(t)
	exe, err := client.Compile(ctx, pjrt.Program{Code: code}, nil)
	require.NoError(t, err)
	exe.Close()
	topology, err := client.Topology()
	require.NoError(t, err)
	_, err = client.Plugin().CompileFor(ctx, topology, pjrt.Program{Code: code}, nil)
	require.ErrorIs(t, err, pjrt.ErrInternal)
	assert.Equal(t, []string{add, add}, seen)
	assert.Equal(t, []uintptr{uintptr(len(add)), uintptr(len(add))}, sizes, "the size does not count it")

	// A copy of a large program takes as long as everything else that is done with it here.
	file := append(make([]byte, 0, len(add)+1), add...)
	exe, err = client.Compile(ctx, pjrt.Program{Code: file}, nil)
	require.NoError(t, err)
	exe.Close()
	assert.Same(t, unsafe.SliceData(file), last)
}
