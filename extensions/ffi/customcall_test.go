// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package ffi_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	cffi "github.com/purepjrt/purepjrt/capi/ffi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/extensions"
	"github.com/purepjrt/purepjrt/extensions/ffi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

func newClient(t testing.TB) *pjrt.Client {
	t.Helper()
	client := plugintest.Client(t)
	require.True(t, extensions.Supported(client.Plugin(), capi.ExtensionTypeFFI))
	return client
}

// registrar makes a plugin in memory that registers handlers with a Go function.
func registrar(t testing.TB, register func(*capi.FFIRegisterHandlerArgs)) *pjrt.Plugin {
	t.Helper()
	table, err := (&serve.Plugin{
		PluginInitialize: func(*capi.PluginInitializeArgs) error { return nil },
		FFI: &serve.FFIExtension{RegisterHandler: func(a *capi.FFIRegisterHandlerArgs) error {
			register(a)
			return nil
		}},
	}).Serve()
	require.NoError(t, err)
	t.Cleanup(func() { table.Close() })
	plugin, err := raw.Plugin(table.Capi())
	require.NoError(t, err)
	return plugin
}

func compile(t testing.TB, c *pjrt.Client, code string) *pjrt.LoadedExecutable {
	t.Helper()
	exe, err := c.Compile(context.Background(), pjrt.Program{Code: []byte(code)}, nil)
	require.NoError(t, err)
	t.Cleanup(func() { exe.Close() })
	return exe
}

func upload(t testing.TB, c *pjrt.Client, values ...float32) *pjrt.Buffer {
	t.Helper()
	b, err := pjrt.FromSlice(context.Background(), c, values, int64(len(values)))
	require.NoError(t, err)
	t.Cleanup(func() { b.Close() })
	return b
}

func read(t testing.TB, b *pjrt.Buffer) []float32 {
	t.Helper()
	values, err := pjrt.ToSlice[float32](context.Background(), b)
	require.NoError(t, err)
	require.NoError(t, b.Close())
	return values
}

// callsC registers a handler under a name of its own, and returns a program that calls it.
func callsC(t testing.TB, c *pjrt.Client, handler cffi.Handler) string {
	t.Helper()
	name := target()
	require.NoError(t, ffi.RegisterC(c.Plugin(), ffi.CustomCall{Target: name, Platform: "Host", Handler: handler}))
	return withAttributes(name, "")
}

// mapping returns a handler that applies f to each element of its argument.
func mapping(t testing.TB, f func(frame *cffi.CallFrame, x float32) (float32, error)) cffi.Handler {
	t.Helper()
	h, err := cffi.NewHandler(func(frame *cffi.CallFrame) error {
		in, err := frame.Args.Buffer(0)
		if err != nil {
			return err
		}
		out, err := frame.Rets.Buffer(0)
		if err != nil {
			return err
		}
		from, err := cffi.Elements[float32](in)
		if err != nil {
			return err
		}
		to, err := cffi.Elements[float32](out)
		if err != nil {
			return err
		}
		for i := range to {
			if to[i], err = f(frame, from[i]); err != nil {
				return err
			}
		}
		return nil
	}, nil)
	require.NoError(t, err)
	return h
}

func TestAProgramCallsAGoFunction(t *testing.T) {
	ctx := context.Background()
	client := newClient(t)
	twice := mapping(t, func(_ *cffi.CallFrame, x float32) (float32, error) { return 2 * x, nil })
	exe := compile(t, client, callsC(t, client, twice))
	outs, err := exe.Execute(ctx, []*pjrt.Buffer{upload(t, client, 1, 2, 3, 4)}, nil)
	require.NoError(t, err)
	assert.Equal(t, []float32{2, 4, 6, 8}, read(t, outs[0]))
}
