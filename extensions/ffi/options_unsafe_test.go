// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package ffi_test

import (
	"context"
	"runtime"
	"sync"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	cffi "github.com/purepjrt/purepjrt/capi/ffi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/extensions/ffi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// optionsHost is XLA's CPU plugin as it would be with API 0.117: it keeps the options of
// the execution under way, and handlers find XLA_FFI_CustomOptions_Get in their table.
type optionsHost struct {
	mu    sync.Mutex
	attrs *cffi.Attrs // guarded by mu
	keep  []any       // guarded by mu; what attrs points to
	api   *cffi.API   // guarded by mu; made from the plugin's
	pin   runtime.Pinner
}

// current is the only optionsHost, because C functions cannot be freed.
var current optionsHost

var getOptions = sync.OnceValue(func() uintptr {
	return purego.NewCallback(func(a *cffi.CustomOptionsGetArgs) uintptr {
		current.mu.Lock()
		defer current.mu.Unlock()
		a.Attrs = current.attrs
		return 0
	})
})

// take stores the options of an execution as attributes.
func (h *optionsHost) take(options *capi.ExecuteOptions) {
	h.mu.Lock()
	defer h.mu.Unlock()
	list := capi.Attributes(options.CustomOptions, options.NumCustomOptions)
	n := len(list)
	kinds, names, values := make([]cffi.AttrType, n+1), make([]*cffi.ByteSpan, n+1), make([]unsafe.Pointer, n+1)
	span := func(s string) *cffi.ByteSpan {
		p, size := capi.StringData(s)
		return &cffi.ByteSpan{Ptr: p, Len: size}
	}
	scalar := func(d cffi.DataType, p unsafe.Pointer) (cffi.AttrType, unsafe.Pointer) {
		return cffi.AttrTypeScalar, unsafe.Pointer(&cffi.Scalar{Dtype: d, Value: p})
	}
	for i, a := range list {
		names[i] = span(a.Name)
		switch v := a.Value.(type) {
		case string:
			kinds[i], values[i] = cffi.AttrTypeString, unsafe.Pointer(span(v))
		case int64:
			kinds[i], values[i] = scalar(cffi.DataTypeS64, unsafe.Pointer(&v))
		case float32:
			kinds[i], values[i] = scalar(cffi.DataTypeF32, unsafe.Pointer(&v))
		case bool:
			kinds[i], values[i] = scalar(cffi.DataTypePred, unsafe.Pointer(&v))
		case []int64:
			array := &cffi.Array{Dtype: cffi.DataTypeS64, Size: uintptr(len(v)), Data: unsafe.Pointer(unsafe.SliceData(v))}
			kinds[i], values[i] = cffi.AttrTypeArray, unsafe.Pointer(array)
		}
	}
	h.attrs = &cffi.Attrs{StructSize: cffi.AttrsSize, Size: int64(n), Types: &kinds[0], Names: &names[0], Attrs: &values[0]}
	h.keep = []any{list, kinds, names, values}
}

// table returns the plugin's table with the function that it lacks.
func (h *optionsHost) table(real *cffi.API) *cffi.API {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.api == nil {
		h.api = new(cffi.API)
		copy(unsafe.Slice((*byte)(unsafe.Pointer(h.api)), real.StructSize), unsafe.Slice((*byte)(unsafe.Pointer(real)), real.StructSize))
		h.api.StructSize, h.api.CustomOptionsGet = cffi.APISize, getOptions()
		h.pin.Pin(h.api)
	}
	return h.api
}

// newOptionsClient opens the plugin behind the host's hooks.
func newOptionsClient(t *testing.T) *pjrt.Client {
	t.Helper()
	real := plugintest.Plugin(t)
	served, err := serve.Wrap(raw.Table(real),
		serve.AroundFunction((*capi.LoadedExecutableExecuteArgs)(nil).Function(), func(c *serve.Invocation) {
			current.take((*capi.LoadedExecutableExecuteArgs)(c.Args()).Options)
			c.Forward()
		}),
		serve.AroundFunction((*capi.FFIRegisterHandlerArgs)(nil).Function(), func(c *serve.Invocation) {
			args := (*capi.FFIRegisterHandlerArgs)(c.Args())
			inner := cffi.Handler(args.Handler)
			outer, err := cffi.NewHandler(func(frame *cffi.CallFrame) error {
				var seen cffi.CallFrame
				size := min(frame.StructSize, unsafe.Sizeof(seen))
				copy(unsafe.Slice((*byte)(unsafe.Pointer(&seen)), size), unsafe.Slice((*byte)(unsafe.Pointer(frame)), size))
				seen.API = current.table(frame.API)
				return cffi.TakeError(frame.API, inner.Call(&seen))
			}, nil)
			assert.NoError(t, err)
			args.Handler = uintptr(outer)
			c.Forward()
		}))
	require.NoError(t, err)
	served.API().PJRTAPIVersion.MinorVersion = capi.APIMinor
	plugin, err := raw.Register(target(), served.Address())
	require.NoError(t, err)
	client, err := plugin.NewClient(context.Background(), nil)
	require.NoError(t, err)
	t.Cleanup(func() { client.Close() })
	return client
}

func TestOptionsOfAnExecutionReachItsHandlers(t *testing.T) {
	ctx := context.Background()
	client := newOptionsClient(t)
	var got map[string]any
	handler := mapping(t, func(frame *cffi.CallFrame, x float32) (float32, error) {
		options, err := frame.CustomOptions()
		if err != nil {
			return 0, err
		}
		if got, err = options.Map(); err != nil {
			return 0, err
		}
		factor, _ := got["factor"].(float32)
		return x * factor, nil
	})
	typed := handle(t, client, "", func(c *ffi.Call, op *unary) error {
		options, err := c.Options()
		assert.Equal(t, got, options)
		copy(op.Out.Data, op.In.Data)
		return err
	})
	exe := compile(t, client, callsC(t, client, handler))
	a := upload(t, client, 1, 2, 3, 4)
	for _, c := range []struct {
		extensions []pjrt.ExecuteExtension
		options    map[string]any
		want       []float32
	}{
		{[]pjrt.ExecuteExtension{ffi.Options{{Name: "factor", Value: float32(3)}, {Name: "mode", Value: "fast"}, {Name: "steps", Value: 7},
			{Name: "ids", Value: []int64{1, 2}}, {Name: "strict", Value: true}}},
			map[string]any{"factor": float32(3), "mode": "fast", "steps": int64(7), "ids": []int64{1, 2}, "strict": true}, []float32{3, 6, 9, 12}},
		{[]pjrt.ExecuteExtension{ffi.Options{{Name: "factor", Value: float32(-1)}}}, map[string]any{"factor": float32(-1)}, []float32{-1, -2, -3, -4}},
		{[]pjrt.ExecuteExtension{ffi.Options{}}, map[string]any{}, []float32{0, 0, 0, 0}},
		{nil, map[string]any{}, []float32{0, 0, 0, 0}},
	} {
		got = nil
		outs, err := exe.Execute(ctx, []*pjrt.Buffer{a}, &pjrt.ExecuteOptions{Extensions: c.extensions})
		require.NoError(t, err)
		assert.Equal(t, c.want, read(t, outs[0]))
		assert.Equal(t, c.options, got)
		_, err = execute(t, typed, &pjrt.ExecuteOptions{Extensions: c.extensions}, a)
		require.NoError(t, err)
	}
}

func TestOptionsThatCannotBePassedAreErrors(t *testing.T) {
	ctx := context.Background()
	client := newClient(t)
	exe := compile(t, client, "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> { return %a : tensor<4xf32> }")
	a := upload(t, client, 1, 2, 3, 4)
	one := ffi.Options{{Name: "a", Value: 1}}
	for name, c := range map[string]struct {
		extensions []pjrt.ExecuteExtension
		want       string
		is         error
	}{
		"an older plugin": {[]pjrt.ExecuteExtension{one}, "API 0.116", pjrt.ErrUnimplemented},
		"two lists":       {[]pjrt.ExecuteExtension{one, one}, "already has custom options: put all into one ffi.Options", pjrt.ErrInvalidArgument},
		"one name twice":  {[]pjrt.ExecuteExtension{append(one, one...)}, `the custom option "a" is given twice`, pjrt.ErrInvalidArgument},
		"no name":         {[]pjrt.ExecuteExtension{ffi.Options{{Value: 1}}}, "named value 0 has no name", pjrt.ErrInvalidArgument},
		"another type":    {[]pjrt.ExecuteExtension{ffi.Options{{Name: "a", Value: 1i}}}, "a complex128 has no C form", pjrt.ErrInvalidArgument},
	} {
		_, err := exe.Execute(ctx, []*pjrt.Buffer{a}, &pjrt.ExecuteOptions{Extensions: c.extensions})
		require.ErrorIs(t, err, c.is, name)
		require.ErrorContains(t, err, c.want, name)
	}
	_, err := one.ExtendExecute(client, nil, nil)
	require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
	// Empty options ask nothing of an older plugin.
	outs, err := exe.Execute(ctx, []*pjrt.Buffer{a}, &pjrt.ExecuteOptions{Extensions: []pjrt.ExecuteExtension{ffi.Options(nil)}})
	require.NoError(t, err)
	assert.Equal(t, []float32{1, 2, 3, 4}, read(t, outs[0]))
}
