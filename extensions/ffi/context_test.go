// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package ffi_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	cffi "github.com/purepjrt/purepjrt/capi/ffi"
	"github.com/purepjrt/purepjrt/extensions"
	"github.com/purepjrt/purepjrt/extensions/ffi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
)

// testType registers a type with the CPU plugin, which a process can do only once.
var testType = func() func(testing.TB, *pjrt.Plugin) int64 {
	var once sync.Once
	var id int64
	return func(t testing.TB, p *pjrt.Plugin) int64 {
		t.Helper()
		once.Do(func() {
			var err error
			id, err = ffi.RegisterType(p, "purepjrt extensions/ffi test")
			require.NoError(t, err)
		})
		return id
	}
}()

func TestDataIsNotAddedWhileAnExecutionUsesTheContext(t *testing.T) {
	ctx := context.Background()
	client := newClient(t)
	x, err := ffi.NewContext(client.Plugin())
	require.NoError(t, err)
	defer x.Close()
	var during error
	handler := mapping(t, func(_ *cffi.CallFrame, v float32) (float32, error) {
		during = x.AddUserData(1<<40, 1)
		return v, nil
	})
	exe := compile(t, client, callsC(t, client, handler))
	_, err = exe.Execute(ctx, []*pjrt.Buffer{upload(t, client, 1, 2, 3, 4)}, &pjrt.ExecuteOptions{Extensions: []pjrt.ExecuteExtension{x}})
	require.NoError(t, err)
	require.ErrorIs(t, during, pjrt.ErrFailedPrecondition)
	require.ErrorContains(t, during, "1 executions are using the execute context")
}

func TestAContextServesManyExecutions(t *testing.T) {
	ctx := context.Background()
	client := newClient(t)
	id := testType(t, client.Plugin())
	add := mapping(t, func(frame *cffi.CallFrame, x float32) (float32, error) {
		data, err := frame.UserData(cffi.TypeID{TypeID: id})
		return x + float32(data), err
	})
	exe := compile(t, client, callsC(t, client, add))
	a := upload(t, client, 1, 2, 3, 4)
	x, err := ffi.NewContext(client.Plugin())
	require.NoError(t, err)
	require.NoError(t, x.AddUserData(id, 42))
	require.Error(t, x.AddUserData(id, 43), "a second value of the type")
	var running []*pjrt.Event
	var results []*pjrt.Buffer
	for range 4 {
		outs, e, err := exe.Start(ctx, []*pjrt.Buffer{a}, &pjrt.ExecuteOptions{Extensions: []pjrt.ExecuteExtension{x}})
		require.NoError(t, err)
		running, results = append(running, e), append(results, outs...)
	}
	require.NoError(t, x.Close())
	require.NoError(t, x.Close())
	require.ErrorIs(t, x.AddUserData(id, 44), pjrt.ErrClosed)
	for i, e := range running {
		require.NoError(t, e.Wait(ctx))
		assert.Equal(t, []float32{43, 44, 45, 46}, read(t, results[i]))
		e.Close()
	}
	require.Eventually(t, func() bool { return pjrt.Live()["execute context"] == 0 }, time.Minute, time.Millisecond)
}

func TestMisuseOfContextsIsAnErrorHere(t *testing.T) {
	ctx := context.Background()
	client := newClient(t)
	exe := compile(t, client, "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> { return %a : tensor<4xf32> }")
	a := upload(t, client, 1, 2, 3, 4)
	closed, err := ffi.NewContext(client.Plugin())
	require.NoError(t, err)
	require.NoError(t, closed.Close())
	one, err := ffi.NewContext(client.Plugin())
	require.NoError(t, err)
	defer one.Close()
	foreign, err := ffi.NewContext(pjrttest.New(t, pjrttest.Options{}).Plugin())
	require.NoError(t, err)
	defer foreign.Close()
	for name, c := range map[string]struct {
		contexts []pjrt.ExecuteExtension
		want     string
	}{
		"closed":          {[]pjrt.ExecuteExtension{closed}, "execute context is closed"},
		"nil":             {[]pjrt.ExecuteExtension{(*ffi.Context)(nil)}, "the execute context is nil"},
		"zero":            {[]pjrt.ExecuteExtension{new(ffi.Context)}, "the execute context is nil"},
		"another plugin":  {[]pjrt.ExecuteExtension{foreign}, "belong to different plugins"},
		"two of them":     {[]pjrt.ExecuteExtension{one, one}, "already has an execute context"},
		"good, then none": {[]pjrt.ExecuteExtension{one, nil}, "extension 1 of the execution is nil"},
	} {
		_, err := exe.Execute(ctx, []*pjrt.Buffer{a}, &pjrt.ExecuteOptions{Extensions: c.contexts})
		require.ErrorContains(t, err, c.want, name)
	}
	var none *ffi.Context
	require.NoError(t, none.Close())
	require.ErrorIs(t, none.AddUserData(1, 1), pjrt.ErrInvalidArgument)
	require.ErrorIs(t, new(ffi.Context).AddUserData(1, 1), pjrt.ErrInvalidArgument)
	require.NoError(t, new(ffi.Context).Close())
	_, err = ffi.NewContext(nil)
	require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
	_, err = ffi.RegisterType(client.Plugin(), "")
	require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
}

func TestWhichPluginsTakeContexts(t *testing.T) {
	ctx := context.Background()
	for minor, taken := range map[int]bool{63: false, 64: true, capi.APIMinor: true} {
		p := pjrttest.New(t, pjrttest.Options{Minor: minor})
		p.Program("nothing", pjrttest.Signature{}, pjrttest.Identity)
		assert.False(t, extensions.Supported(p.Plugin(), capi.ExtensionTypeFFI))
		x, err := ffi.NewContext(p.Plugin())
		require.NoError(t, err)
		require.ErrorIs(t, x.AddUserData(1, 1), pjrt.ErrUnimplemented)
		exe, err := p.Client().Compile(ctx, pjrt.Program{Code: []byte(`module @nothing { func.func @main() { return } }`)}, nil)
		require.NoError(t, err)
		_, err = exe.Execute(ctx, nil, &pjrt.ExecuteOptions{Extensions: []pjrt.ExecuteExtension{x}})
		if taken {
			require.NoError(t, err, minor)
			assert.NotZero(t, p.Live()["PJRT_ExecuteContext"])
		} else {
			require.ErrorIs(t, err, pjrt.ErrUnimplemented, minor)
		}
		require.NoError(t, x.Close())
		assert.Zero(t, p.Live()["PJRT_ExecuteContext"], "no execution keeps it")
		require.NoError(t, exe.Close())
	}
}
