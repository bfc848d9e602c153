// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package ffi_test

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	cffi "github.com/purepjrt/purepjrt/capi/ffi"
	"github.com/purepjrt/purepjrt/extensions/ffi"
)

// reported is the last error that a handler made.
var reported string

var makeError = sync.OnceValue(func() uintptr {
	return purego.NewCallback(func(a *cffi.ErrorCreateArgs) uintptr {
		reported = fmt.Sprintf("%v: %s", a.Errc, capi.GoString(a.Message))
		return 8 // any address: nothing frees it
	})
})

func TestHandlersServeAllVersionsOfTheInterface(t *testing.T) {
	var handler cffi.Handler
	plugin := registrar(t, func(a *capi.FFIRegisterHandlerArgs) { handler = cffi.Handler(a.Handler) })
	type op struct {
		In     ffi.Arg[float32]
		Out    ffi.Ret[float32]
		Factor float32
	}
	require.NoError(t, ffi.Register(plugin, "twice", func(c *ffi.Call, x *op) error {
		if x.Factor == 0 {
			return errors.New("no factor")
		}
		assert.Zero(t, c.RunID())
		_, ok := ffi.Value[int](c)
		assert.False(t, ok)
		for i, v := range x.In.Data {
			x.Out.Data[i] = v * x.Factor
		}
		return nil
	}))
	for minor := int32(0); minor <= cffi.APIMinor; minor++ {
		// A table of the oldest size has only the function for errors.
		var pin runtime.Pinner
		api := &cffi.API{StructSize: unsafe.Offsetof(cffi.API{}.ErrorGetDetails), ErrorCreate: makeError()}
		api.APIVersion = cffi.APIVersion{StructSize: cffi.APIVersionSize, MinorVersion: minor}
		in, out, dims, factor := []float32{1, 2}, make([]float32, 2), []int64{2}, float32(3)
		buffer := func(x []float32) unsafe.Pointer {
			return unsafe.Pointer(&cffi.Buffer{
				StructSize: cffi.BufferSize, Dtype: cffi.DataTypeF32, Data: unsafe.Pointer(&x[0]), Rank: 1, Dims: &dims[0],
			})
		}
		argType, retType, attrType := cffi.ArgTypeBuffer, cffi.RetTypeBuffer, cffi.AttrTypeScalar
		arg, ret := buffer(in), buffer(out)
		attr := unsafe.Pointer(&cffi.Scalar{Dtype: cffi.DataTypeF32, Value: unsafe.Pointer(&factor)})
		text, size := capi.StringData("factor")
		name := &cffi.ByteSpan{Ptr: text, Len: size}
		frame := &cffi.CallFrame{
			StructSize: cffi.CallFrameSize, API: api, Stage: cffi.ExecutionStageExecute,
			Args:  cffi.Args{StructSize: cffi.ArgsSize, Size: 1, Types: &argType, Args: &arg},
			Rets:  cffi.Rets{StructSize: cffi.RetsSize, Size: 1, Types: &retType, Rets: &ret},
			Attrs: cffi.Attrs{StructSize: cffi.AttrsSize, Size: 1, Types: &attrType, Names: &name, Attrs: &attr},
		}
		pin.Pin(api)
		require.Nil(t, handler.Call(frame), "0.%d", minor)
		assert.Equal(t, []float32{3, 6}, out)
		factor = 0
		require.NotNil(t, handler.Call(frame))
		assert.Equal(t, "UNKNOWN: no factor", reported)
		frame.Args.Size = 0
		require.NotNil(t, handler.Call(frame))
		assert.Equal(t, "INVALID_ARGUMENT: the custom call twice: the call has 0 arguments, and the handler takes 1 (In)", reported)
		pin.Unpin()
		runtime.KeepAlive(frame)
	}
}
