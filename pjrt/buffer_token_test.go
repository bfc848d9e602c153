// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/extensions/crosshost"
	"github.com/purepjrt/purepjrt/extensions/memories"
	"github.com/purepjrt/purepjrt/extensions/rawbuffer"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dlpack"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/transfer"
)

// Plugins end the process when they are asked for the layout, the dimensions or the contents
// of a token.
func TestATokenOnlyOrdersExecutions(t *testing.T) {
	if !inChild(t) {
		return
	}
	ctx := context.Background()
	client := cpuDevices(t, 2)
	// A token can be passed on, and copies of an argument to another device can be asked for.
	pass := compilePortable(t, client, `func.func @main(%a: !stablehlo.token) -> !stablehlo.token {
  %t = stablehlo.after_all %a : !stablehlo.token
  return %t : !stablehlo.token
}`)
	exe := compile(t, client, `func.func @main() -> !stablehlo.token {
  %t = stablehlo.create_token : !stablehlo.token
  return %t : !stablehlo.token
}`)
	results, err := exe.Execute(ctx, nil, nil)
	require.NoError(t, err)
	b := results[0]
	defer b.Close()

	assert.Equal(t, pjrt.Shape{Type: dtype.Token}, b.Shape())
	require.NoError(t, b.Wait(ctx))
	dims, err := b.DynamicDims()
	require.NoError(t, err)
	assert.Empty(t, dims)
	actual, err := b.UnpaddedDims(ctx)
	require.NoError(t, err)
	assert.Empty(t, actual)
	size, err := b.OnDeviceSize()
	require.NoError(t, err)
	assert.Zero(t, size)

	for name, call := range map[string]func() error{
		"Layout":        func() error { _, err := b.Layout(); return err },
		"ToHost":        func() error { _, err := b.ToHost(ctx); return err },
		"ToHostInto":    func() error { _, err := b.ToHostInto(ctx, make([]byte, 8)); return err },
		"ToHostAsync":   func() error { _, err := b.ToHostAsync(make([]byte, 8)); return err },
		"ToHostStrided": func() error { return b.ToHostStrided(ctx, nil, []int64{}) },
		"ToSlice":       func() error { _, err := pjrt.ToSlice[float32](ctx, b); return err },
		"ReadInPlace":   func() error { return b.ReadInPlace(ctx, func([]byte) error { return nil }) },
		"Reference":     func() error { _, err := b.Reference(ctx); return err },
		"Bitcast":       func() error { _, err := b.Bitcast(ctx, pjrt.Shape{Type: dtype.F32, Dims: []int64{0}}, nil); return err },
		"CopyToDevice":  func() error { _, err := b.CopyToDevice(ctx, client.Devices()[1]); return err },
		"CopyToMemory":  func() error { _, err := b.CopyToMemory(ctx, client.Memories()[1]); return err },
		"an execution that copies its arguments": func() error {
			_, err := pass.Execute(ctx, []*pjrt.Buffer{b}, &pjrt.ExecuteOptions{Device: client.Devices()[1], CopyArguments: true})
			return err
		},
		"dlpack.Export":                func() error { _, err := dlpack.Export(ctx, b); return err },
		"memories.LayoutOf":            func() error { _, err := memories.LayoutOf(b); return err },
		"rawbuffer.Of":                 func() error { _, err := rawbuffer.Of(ctx, b); return err },
		"crosshost.CopyToRemoteDevice": func() error { _, err := crosshost.CopyToRemoteDevice(ctx, b, []byte("x")); return err },
		"transfer.CopyRaw":             func() error { return transfer.CopyRaw(ctx, b, nil, 0) },
		"transfer.StartCopyRaw":        func() error { _, err := transfer.StartCopyRaw(ctx, b, nil, 0); return err },
		"transfer.PrepareCopyRaw":      func() error { _, err := transfer.PrepareCopyRaw(ctx, b, 0, 0); return err },
	} {
		require.ErrorContains(t, call(), "token", name)
	}

	passed, err := pass.Execute(ctx, []*pjrt.Buffer{b}, nil)
	require.NoError(t, err)
	require.NoError(t, passed[0].Wait(ctx))
	require.NoError(t, passed[0].Close())
	require.NoError(t, b.Delete())
}

func compilePortable(t *testing.T, client *pjrt.Client, code string) *pjrt.LoadedExecutable {
	t.Helper()
	exe, err := client.Compile(context.Background(), pjrt.Program{Code: []byte(code)}, &pjrt.CompileOptions{Portable: true})
	require.NoError(t, err)
	t.Cleanup(func() { exe.Close() })
	return exe
}
