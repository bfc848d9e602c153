// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package ffi_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/ffi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// newClient makes a client of the CPU plugin.
func newClient(t testing.TB) *pjrt.Client {
	t.Helper()
	plugin := plugintest.Plugin(t)
	client, err := plugin.NewClient(context.Background(), nil)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, client.Close()) })
	return client
}

// hostMinor returns the minor version of the table that the CPU plugin passes to handlers.
func hostMinor(t testing.TB) int {
	t.Helper()
	minors := map[int]int{81: 2, 106: 3, 115: 4}
	minor, ok := minors[plugintest.Age(t)]
	require.True(t, ok, "API 0.%d", plugintest.Age(t))
	return minor
}

// codeOf returns the code that errors of the table have: before version 0.4 it had none.
func codeOf(t testing.TB, code string) string {
	if hostMinor(t) < 4 {
		return "UNKNOWN"
	}
	return code
}

// register makes a handler and registers it with the plugin under a new name.
func register(t testing.TB, table *capi.Table, fn ffi.HandlerFunc, options *ffi.HandlerOptions) (name string) {
	t.Helper()
	h := newHandler(t, fn, options)
	t.Cleanup(func() { assert.True(t, h.Release()) })
	name = target()
	require.NoError(t, registerHandler(table, name, "Host", h))
	return name
}

var targets atomic.Int32

// target returns a name that no handler has yet.
func target() string { return fmt.Sprintf("purepjrt_ffi_%d", targets.Add(1)) }

func registerHandler(table *capi.Table, name, platform string, h ffi.Handler) error {
	var c capi.Call[capi.FFIRegisterHandlerArgs]
	c.Args.TargetName, c.Args.TargetNameSize = capi.StringData(name)
	c.Args.PlatformName, c.Args.PlatformNameSize = capi.StringData(platform)
	c.Args.Handler = uintptr(h)
	return c.Do(table)
}

// callTarget returns a program that calls a target with two vectors and attributes.
func callTarget(name, attributes string) pjrt.Program {
	return pjrt.Program{Code: fmt.Appendf(nil, `module @call {
  func.func @main(%%a: tensor<4xf32>, %%b: tensor<4xf32>) -> tensor<4xf32> {
    %%0 = stablehlo.custom_call @%s(%%a, %%b) {api_version = 4 : i32, backend_config = {%s}} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    return %%0 : tensor<4xf32>
  }
}`, name, attributes)}
}

func vector(x ...float32) pjrt.HostArray {
	return pjrt.HostArray{Type: dtype.F32, Dims: []int64{int64(len(x))}, Data: dtype.Bytes(x)}
}

// run compiles the program and runs it on two vectors of four elements.
func run(t testing.TB, client *pjrt.Client, program pjrt.Program) (pjrt.HostArray, error) {
	t.Helper()
	ctx := context.Background()
	exe, err := client.Compile(ctx, program, nil)
	if err != nil {
		return pjrt.HostArray{}, err
	}
	defer exe.Close()
	return execute(client, exe, nil)
}

func execute(client *pjrt.Client, exe *pjrt.LoadedExecutable, options *pjrt.ExecuteOptions) (pjrt.HostArray, error) {
	ctx := context.Background()
	var args []*pjrt.Buffer
	for _, x := range []pjrt.HostArray{vector(1, 2, 3, 4), vector(10, 20, 30, 40)} {
		b, err := client.BufferFromHost(ctx, x, nil)
		if err != nil {
			return pjrt.HostArray{}, err
		}
		defer b.Close()
		args = append(args, b)
	}
	outs, err := exe.Execute(ctx, args, options)
	if err != nil {
		return pjrt.HostArray{}, err
	}
	defer outs[0].Close()
	return outs[0].ToHost(ctx)
}

// addScaled is a handler: (a + b) * scale.
func addScaled(frame *ffi.CallFrame) error {
	args, err := frame.Args.Buffers()
	if err != nil {
		return err
	}
	rets, err := frame.Rets.Buffers()
	if err != nil {
		return err
	}
	if len(args) != 2 || len(rets) != 1 {
		return &capi.Error{Code: capi.ErrorCodeInvalidArgument, Message: "two operands and one result, please"}
	}
	a, err := ffi.Elements[float32](args[0])
	if err != nil {
		return err
	}
	b, err := ffi.Elements[float32](args[1])
	if err != nil {
		return err
	}
	out, err := ffi.Elements[float32](rets[0])
	if err != nil {
		return err
	}
	scale, err := ffi.Attribute[float32](&frame.Attrs, "scale")
	if err != nil {
		return err
	}
	for i := range out {
		out[i] = (a[i] + b[i]) * scale
	}
	return nil
}

func TestAHandlerInGoComputesPartOfAProgram(t *testing.T) {
	client := newClient(t)
	name := register(t, raw.Table(client.Plugin()), addScaled, nil)
	got, err := run(t, client, callTarget(name, "scale = 0.5 : f32"))
	require.NoError(t, err)
	assert.Equal(t, vector(5.5, 11, 16.5, 22), got)

	_, err = run(t, client, callTarget(name, "scale = 1 : i64"))
	require.ErrorContains(t, err, `attribute "scale" is a int64, not a float32`)
	_, err = run(t, client, callTarget(name, ""))
	require.ErrorIs(t, err, capi.ErrorCodeNotFound)
	require.ErrorContains(t, err, "the call has no attribute scale")
}

func TestAHandlerSeesTheWholeCall(t *testing.T) {
	client := newClient(t)
	var asked, calls int
	var attrs map[string]any
	name := register(t, raw.Table(client.Plugin()), func(frame *ffi.CallFrame) error {
		calls++
		assert.Equal(t, ffi.ExecutionStageExecute, frame.Stage)
		major, minor := frame.API.Version()
		assert.Equal(t, [2]int{0, hostMinor(t)}, [2]int{major, minor})
		require.Equal(t, 2, frame.Args.Len())
		for kind, p := range frame.Args.All() {
			assert.Equal(t, ffi.ArgTypeBuffer, kind)
			assert.NotNil(t, p)
		}
		b, err := frame.Args.Buffer(1)
		require.NoError(t, err)
		assert.Equal(t, ffi.DataTypeF32, b.Dtype)
		assert.Equal(t, []int64{4}, b.Dimensions())
		raw, err := b.Bytes()
		require.NoError(t, err)
		assert.Equal(t, vector(10, 20, 30, 40).Data, raw)
		_, err = ffi.Elements[int32](b)
		assert.EqualError(t, err, "INVALID_ARGUMENT: the buffer has the type F32, not S32")
		_, err = frame.Args.Buffer(2)
		assert.EqualError(t, err, "INVALID_ARGUMENT: there is no argument 2: the call has 2")
		_, err = frame.Rets.Buffer(-1)
		assert.EqualError(t, err, "INVALID_ARGUMENT: there is no result -1: the call has 1")
		for kind := range frame.Rets.All() {
			assert.Equal(t, ffi.RetTypeBuffer, kind)
		}
		attrs, err = frame.Attrs.Map()
		return err
	}, &ffi.HandlerOptions{Asked: func(api *ffi.API) { asked++; assert.NotNil(t, api) }})
	assert.Equal(t, [2]int{1, 0}, [2]int{asked, calls}, "registering queries the handler, but does not call it")

	_, err := run(t, client, callTarget(name, `
		b = true, i8 = -5 : i8, i16 = -500 : i16, i32 = 7 : i32, i64 = -9 : i64, u8 = 200 : ui8, u16 = 60000 : ui16, u32 = 4000000000 : ui32, u64 = 18446744073709551615 : ui64,
		f32 = 1.5 : f32, f64 = 2.5 : f64, text = "two\00words", none = "",
		list = array<i64: 1, 2, 3>, floats = array<f32: 0.5, 0.25>, flags = array<i8: 1, 0>,
		inner = {x = 1 : i32, deeper = {y = "z"}}`))
	require.NoError(t, err)
	assert.Equal(t, map[string]any{
		"b": true, "i8": int8(-5), "i16": int16(-500), "i32": int32(7), "i64": int64(-9), "u8": uint8(200), "u16": uint16(60000), "u32": uint32(4000000000), "u64": uint64(1<<64 - 1),
		"f32": float32(1.5), "f64": 2.5, "text": "two\x00words", "none": "",
		"list": []int64{1, 2, 3}, "floats": []float32{0.5, 0.25}, "flags": []int8{1, 0},
		"inner": map[string]any{"x": int32(1), "deeper": map[string]any{"y": "z"}},
	}, attrs)
	assert.Equal(t, 1, calls)
}

func TestAHandlersErrorIsTheExecutionsError(t *testing.T) {
	client := newClient(t)
	cases := map[string]struct {
		fn      ffi.HandlerFunc
		code    capi.ErrorCode
		message string
	}{
		"plain":    {func(*ffi.CallFrame) error { return errors.New("disk full") }, capi.ErrorCodeUnknown, "disk full"},
		"code":     {func(*ffi.CallFrame) error { return capi.ErrorCodeAborted }, capi.ErrorCodeAborted, "ABORTED"},
		"pjrt":     {func(*ffi.CallFrame) error { return &capi.Error{Code: capi.ErrorCodeDataLoss, Message: "bit rot"} }, capi.ErrorCodeDataLoss, "bit rot"},
		"deadline": {func(*ffi.CallFrame) error { return context.DeadlineExceeded }, capi.ErrorCodeDeadlineExceeded, "context deadline exceeded"},
		"ok":       {func(*ffi.CallFrame) error { return capi.ErrorCodeOK }, capi.ErrorCodeUnknown, ""},
		"panic":    {func(*ffi.CallFrame) error { panic("no such tensor") }, capi.ErrorCodeInternal, "panic in an FFI handler: no such tensor"},
		"nil map":  {func(*ffi.CallFrame) error { var m map[string]int; m["x"] = 1; return nil }, capi.ErrorCodeInternal, "assignment to entry in nil map"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			target := register(t, raw.Table(client.Plugin()), c.fn, nil)
			_, err := run(t, client, callTarget(target, ""))
			var e *pjrt.Error
			require.ErrorAs(t, err, &e)
			assert.Equal(t, c.code, e.Code)
			assert.Contains(t, e.Message, c.message)
		})
	}
}

func TestATargetThatIsNotRegisteredIsNotFound(t *testing.T) {
	client := newClient(t)
	_, err := run(t, client, callTarget("purepjrt_no_such_target", ""))
	require.ErrorIs(t, err, pjrt.ErrNotFound)
	require.ErrorContains(t, err, "purepjrt_no_such_target")

	table := raw.Table(client.Plugin())
	require.ErrorIs(t, registerHandler(table, target(), "Host", 0), pjrt.ErrInvalidArgument)
}

func TestAReleasedHandlerFailsAndCallsNothing(t *testing.T) {
	client := newClient(t)
	called := 0
	h, err := ffi.NewHandler(func(*ffi.CallFrame) error { called++; return nil }, nil)
	require.NoError(t, err)
	name := target()
	require.NoError(t, registerHandler(raw.Table(client.Plugin()), name, "Host", h))
	exe, err := client.Compile(context.Background(), callTarget(name, ""), nil)
	require.NoError(t, err)
	defer exe.Close()
	_, err = execute(client, exe, nil)
	require.NoError(t, err)
	assert.True(t, h.Release())
	assert.False(t, h.Release(), "only once")
	_, err = execute(client, exe, nil)
	require.ErrorIs(t, err, capi.ErrorCodeFailedPrecondition)
	assert.Equal(t, 1, called)
}

func TestHandlersRunAtTheSameTime(t *testing.T) {
	client := newClient(t)
	name := register(t, raw.Table(client.Plugin()), addScaled, nil)
	exe, err := client.Compile(context.Background(), callTarget(name, "scale = 2.0 : f32"), nil)
	require.NoError(t, err)
	defer exe.Close()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 50 {
				got, err := execute(client, exe, nil)
				if !assert.NoError(t, err) || !assert.Equal(t, vector(22, 44, 66, 88), got) {
					return
				}
			}
		})
	}
	wg.Wait()
}
