// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package ffi_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/extensions/ffi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

func TestAFunctionOnSlicesHandlesCalls(t *testing.T) {
	client := newClient(t)
	name, empty := target(), target()
	require.NoError(t, ffi.Register(client.Plugin(), name, ffi.Func(func(c *ffi.Call, in []float32, out []int32) error {
		factor, _ := ffi.Value[int32](c)
		for i, x := range in {
			out[i] = int32(x) * factor
		}
		return nil
	})))
	require.NoError(t, ffi.Register(client.Plugin(), empty, ffi.Func(func(_ *ffi.Call, in, out []float32) error {
		assert.Empty(t, in)
		assert.Empty(t, out)
		return nil
	})))
	exe := compile(t, client, `func.func @main(%a: tensor<2xf32>) -> tensor<2xi32> {
  %e = stablehlo.constant dense<> : tensor<0xf32>
  %n = stablehlo.custom_call @`+empty+`(%e) {api_version = 4 : i32, has_side_effect = true} : (tensor<0xf32>) -> tensor<0xf32>
  %0 = stablehlo.custom_call @`+name+`(%a) {api_version = 4 : i32} : (tensor<2xf32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}`)
	// The handler is one for all executions, and each of them has its own values.
	for _, factor := range []int32{2, 3} {
		outs, err := execute(t, exe, &pjrt.ExecuteOptions{Extensions: []pjrt.ExecuteExtension{ffi.Values{factor}}}, upload(t, client, 1, 2))
		require.NoError(t, err)
		defer outs[0].Close()
		got, err := pjrt.ToSlice[int32](t.Context(), outs[0])
		require.NoError(t, err)
		assert.Equal(t, []int32{factor, 2 * factor}, got)
	}
}

func TestWhatAFunctionOnSlicesCannotHandleIsAnError(t *testing.T) {
	client := newClient(t)
	err := ffi.Register(client.Plugin(), "nothing", ffi.Func[float32, float32](nil))
	require.ErrorContains(t, err, "the handler of the custom call nothing is nil")
	err = ffi.Register(client.Plugin(), "packed", ffi.Func(func(*ffi.Call, []dtype.Int4, []float32) error { return nil }))
	require.ErrorContains(t, err, "are packed in memory")
}
