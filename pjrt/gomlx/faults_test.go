// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package gomlx_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/gomlx"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
)

// inMemory returns a backend on a plugin in memory that doubles a vector with a program
// named after the test.
func inMemory(t *testing.T) (*pjrttest.Plugin, *gomlx.Backend) {
	t.Helper()
	p := pjrttest.New(t, pjrttest.Options{})
	b, err := gomlx.FromClient(t.Context(), p.Client(), nil)
	require.NoError(t, err)
	t.Cleanup(b.Finalize)
	p.Program(t.Name(), pjrttest.Signature{}, pjrttest.Map(func(x float32) float32 { return 2 * x }))
	return p, b
}

func TestABackendUsesAClientOfTheProgram(t *testing.T) {
	_, b := inMemory(t)
	same(t, vec[float32](2, 4), run(t, b, double, vec[float32](1, 2))[0])
	b.Finalize()
	x, err := pjrt.FromSlice(t.Context(), b.Client(), []float32{1})
	require.NoError(t, err, "the client is still open")
	require.NoError(t, x.Close())
	_, err = gomlx.FromClient(context.Background(), nil, nil)
	assert.ErrorContains(t, err, "the client is nil")
}

// The capabilities leave out what the device does not take.
func TestCapabilitiesAreThoseOfTheDevice(t *testing.T) {
	p := pjrttest.New(t, pjrttest.Options{})
	p.Fail("PJRT_Client_BufferFromHostBuffer", pjrt.ErrUnimplemented, "not here", pjrttest.After(1), pjrttest.Times(2))
	b, err := gomlx.FromClient(t.Context(), p.Client(), nil)
	require.NoError(t, err)
	defer b.Finalize()
	types := b.Capabilities().DTypes
	assert.Len(t, types, 13)
	assert.True(t, types[dtypes.Bool])
	assert.False(t, types[dtypes.Int8])
	assert.False(t, types[dtypes.Int16])

	p.Fail("PJRT_Client_BufferFromHostBuffer", pjrt.ErrInternal, "on fire")
	_, err = gomlx.FromClient(t.Context(), p.Client(), nil)
	assert.ErrorIs(t, err, pjrt.ErrInternal)
	assert.ErrorContains(t, err, "trying dtype Bool")
}

// What the device or the plugin cannot do is an error in GoMLX's form, which wraps the
// plugin's.
func TestWhatAPluginRefusesIsAnError(t *testing.T) {
	p, b := inMemory(t)
	p.Fail("PJRT_Client_BufferFromHostBuffer", pjrt.ErrUnimplemented, "not here", pjrttest.Times(1))
	_, err := b.BufferFromFlatData(0, brains(1), shapes.Make(dtypes.BFloat16, 1))
	require.ErrorIs(t, err, pjrt.ErrUnimplemented)
	assert.ErrorContains(t, err, "pjrt backend: making a buffer (BFloat16)[1] on device 0")
	assert.Contains(t, fmt.Sprintf("%+v", err), "BufferFromFlatData")

	p.Fail("PJRT_Client_Compile", pjrt.ErrUnimplemented, "not here", pjrttest.Times(1))
	builder := b.Builder(t.Name())
	x, err := builder.Main().Parameter("x", f32x2, nil)
	require.NoError(t, err)
	out, err := double(builder.Main(), []compute.Value{x})
	require.NoError(t, err)
	require.NoError(t, builder.Main().Return(out, nil))
	_, err = builder.Compile()
	require.ErrorIs(t, err, pjrt.ErrUnimplemented)
	assert.ErrorContains(t, err, "compiling the program")

	exe := compile(t, b, double, f32x2)
	p.Fail("PJRT_LoadedExecutable_Execute", pjrt.ErrResourceExhausted, "not here", pjrttest.Times(2))
	in := upload(t, b, vec[float32](1, 2))
	_, err = exe.Execute(in, []bool{true}, 0)
	require.ErrorIs(t, err, pjrt.ErrResourceExhausted)
	_, err = exe.Execute(in, nil, 0)
	assert.ErrorIs(t, err, gomlx.ErrFinalized, "the argument was donated to the execution that failed")

	// GoMLX's graphs panic with the same error.
	p.Fail("PJRT_Client_Compile", pjrt.ErrUnimplemented, "not here", pjrttest.Times(1))
	defer func() {
		err, ok := recover().(error)
		require.True(t, ok)
		assert.True(t, errors.Is(err, pjrt.ErrUnimplemented), "%v", err)
	}()
	graph.MustNewExec(b, func(x *graph.Node) *graph.Node { return graph.Neg(x) }).MustExec([]float32{1, 2})
}
