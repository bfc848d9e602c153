// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrttest_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/extensions/phasecompile"
	"github.com/purepjrt/purepjrt/extensions/profiler"
	"github.com/purepjrt/purepjrt/extensions/rawbuffer"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
)

func TestRawMemory(t *testing.T) {
	t.Parallel()
	hosts(t, pjrttest.Options{}, func(t testing.TB, w *world) {
		b := w.buffer(t, nil, 1, 2, 3)
		raw, err := rawbuffer.Of(w.ctx, b)
		if !w.has(t, "PJRT_RawBuffer_CreateRawAliasOfBuffer", err) {
			closeAll(t, b)
			return
		}
		assert.Equal(t, int64(12), raw.Size())
		in, err := raw.Memory()
		require.NoError(t, err)
		assert.Same(t, w.c.AddressableDevices()[0].DefaultMemory(), in)
		require.NoError(t, raw.CopyFromHost(w.ctx, dtype.Bytes([]float32{7}), 4))
		assert.Equal(t, []float32{1, 7, 3}, w.values(t, b), "the raw buffer shares the memory")
		got := make([]float32, 2)
		require.NoError(t, raw.CopyToHost(w.ctx, dtype.Bytes(got), 4))
		assert.Equal(t, []float32{7, 3}, got)
		onCPU, err := b.IsOnCPU()
		require.NoError(t, err)
		if address, err := raw.HostAddress(); w.has(t, "PJRT_RawBuffer_GetHostPointer", err) {
			assert.Equal(t, onCPU, address != 0)
		}
		closeAll(t, b)
		require.NoError(t, raw.CopyToHost(w.ctx, dtype.Bytes(got), 0), "the raw buffer outlives the buffer")
		require.NoError(t, raw.Close())
	})
}

func TestCompilationInPhases(t *testing.T) {
	t.Parallel()
	walk(t, pjrttest.Options{}, func(t testing.TB, w *world) {
		plugin := w.p.Plugin()
		phases, err := phasecompile.Phases(plugin)
		if !w.has(t, "PJRT_PhaseCompile_Get_Compiler", err) {
			return
		}
		topology, err := w.c.Topology()
		require.NoError(t, err)
		program := phasecompile.Program{Code: module("double", "(%a: tensor<1xf32>) -> tensor<1xf32>").Code, Format: "mlir"}
		out, err := phasecompile.Compile(w.ctx, topology, []phasecompile.Program{program}, phases, nil)
		require.NoError(t, err)
		require.Len(t, out, 1)
		assert.Equal(t, program.Code, out[0].Code)
		assert.Equal(t, phases[len(phases)-1], out[0].Producer)
		assert.Equal(t, "double", out[0].Name)
		_, err = phasecompile.Compile(w.ctx, topology, []phasecompile.Program{program}, phases[1:], nil)
		assert.ErrorIs(t, err, pjrt.ErrInvalidArgument, "the first phase was skipped")
	})
}

func TestProfiles(t *testing.T) {
	t.Parallel()
	walk(t, pjrttest.Options{}, func(t testing.TB, w *world) {
		p, err := profiler.New(w.p.Plugin(), nil)
		require.NoError(t, err)
		require.NoError(t, p.Start())
		exe := w.compile(t, "identity", "() -> ()", nil)
		_, err = exe.Execute(w.ctx, nil, nil)
		require.NoError(t, err)
		require.NoError(t, p.Stop())
		data, err := p.Data()
		require.NoError(t, err)
		assert.Contains(t, string(data), "/device:PJRTTEST:0")
		assert.Contains(t, string(data), "identity")
		require.NoError(t, p.Close())
		require.NoError(t, exe.Close())
	})
}

func TestResultsThatAreUsedAgain(t *testing.T) {
	t.Parallel()
	hosts(t, pjrttest.Options{}, func(t testing.TB, w *world) {
		exe := w.compile(t, "double", "(%a: tensor<1xf32>) -> tensor<1xf32>", nil)
		a := w.buffer(t, nil, 3)
		outs := make([]*pjrt.Buffer, 1)
		for range 3 {
			require.NoError(t, exe.ExecuteInto(w.ctx, outs, []*pjrt.Buffer{a}, &pjrt.ExecuteOptions{ReuseResults: true}))
			assert.Equal(t, []float32{6}, w.values(t, outs[0]))
			closeAll(t, outs...)
		}
		closeAll(t, a)
		require.NoError(t, exe.Close())
	})
}
