// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build aot

package pjrt_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
)

func TestAheadOfTimeInPhases(t *testing.T) {
	ctx := context.Background()
	p := openTPU(t)
	topology := newTopology(t, p, "v5e:2x2")
	phases, err := p.Phases()
	require.NoError(t, err)
	require.Contains(t, phases, "phase1_hlo_opts")
	program := pjrt.PartialProgram{Code: []byte(add), Format: "mlir", Consumers: phases[:1], Version: "1.0"}
	out, err := p.CompilePhases(ctx, topology, []pjrt.PartialProgram{program}, phases[:1], nil)
	require.NoError(t, err)
	require.NotEmpty(t, out)
	for _, o := range out {
		assert.Equal(t, "phase1_hlo_opts", o.Producer)
		assert.NotEmpty(t, o.Code)
	}

	_, err = p.CompilePhases(ctx, topology, []pjrt.PartialProgram{program}, []string{"phase9"}, nil)
	require.ErrorContains(t, err, `the compiler has no phase "phase9"; it has phase1_hlo_opts`)
	program.Code = []byte("func.func private @main()")
	_, err = p.CompilePhases(ctx, topology, []pjrt.PartialProgram{program}, phases[:1], nil)
	require.ErrorContains(t, err, "has no body")
}

func TestAheadOfTimeProfiles(t *testing.T) {
	p := openTPU(t)
	profiler, err := p.NewProfiler(nil)
	require.NoError(t, err)
	defer profiler.Close()
	_, err = profiler.Data()
	require.ErrorIs(t, err, pjrt.ErrFailedPrecondition)
	require.ErrorIs(t, profiler.Stop(), pjrt.ErrFailedPrecondition)
	require.NoError(t, profiler.Start())
	require.ErrorIs(t, profiler.Start(), pjrt.ErrFailedPrecondition)
	_, err = profiler.Data()
	require.ErrorIs(t, err, pjrt.ErrFailedPrecondition)
	require.NoError(t, profiler.Stop())
	data, err := profiler.Data()
	require.NoError(t, err)
	assert.NotEmpty(t, data)
	assert.NotEqual(t, make([]byte, len(data)), data, "a profile is more than zeros")
	require.NoError(t, profiler.Close())
	_, err = profiler.Data()
	require.ErrorIs(t, err, pjrt.ErrClosed)
}
