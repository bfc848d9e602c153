// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package ffi

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Nothing else tells a function on slices that a program's memory is on a device.
func TestAFunctionOnSlicesRefusesMemoryOfADevice(t *testing.T) {
	handle := Func(func(_ *Call, in, out []float32) error {
		copy(out, in)
		return nil
	})
	here, there := []float32{1}, []float32{0}
	require.NoError(t, handle(nil, &unary[float32, float32]{
		In: Arg[float32]{Data: here, Dims: []int64{1}, Address: 64}, Out: Ret[float32]{Data: there, Dims: []int64{1}, Address: 128},
	}))
	assert.Equal(t, here, there)
	require.NoError(t, handle(nil, &unary[float32, float32]{In: Arg[float32]{Dims: []int64{0}, Address: 64}}), "an array without elements")
	for _, op := range []*unary[float32, float32]{
		{In: Arg[float32]{Address: 64}, Out: Ret[float32]{Data: there, Address: 128}},
		{In: Arg[float32]{Data: here, Address: 64}, Out: Ret[float32]{Dims: []int64{1}, Address: 128}},
	} {
		require.ErrorContains(t, handle(nil, op), "its memory is on a device")
	}
}
