// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build aot

package inspect_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

func TestAheadOfTimeForTPUs(t *testing.T) {
	plugin, err := pjrt.Open(plugintest.Path(t, "tpu"))
	require.NoError(t, err)
	topology, err := plugin.NewTopology(t.Context(), "v5e:2x2", nil)
	require.NoError(t, err)
	defer topology.Close()
	code, err := os.ReadFile("../sharding/testdata/layer/shardy-export.mlirbc")
	require.NoError(t, err)
	exe, err := plugin.CompileFor(t.Context(), topology, pjrt.Program{Code: code}, nil)
	require.NoError(t, err)
	defer exe.Close()
	r, page := report(t, exe)
	assert.Empty(t, r.Absent, "libtpu reports everything")
	require.NotNil(t, r.Parameters[0].Sharding)
	assert.Contains(t, r.Parameters[0].Layout, "T(4,128)")
	assert.Equal(t, "device", r.Results[0].MemoryKind)
	assert.Positive(t, r.CodeSize)
	assert.True(t, r.Schedule.Measured)
	// An argument of f32[4,4] fills a tile of 4 x 128.
	assert.Equal(t, int64(4*128*4), r.Schedule.Buffers[0].Bytes)
	assert.Empty(t, r.Allocations, "executables of libtpu hide their buffer assignment")
	assert.NotEmpty(t, r.Kernels)
	assert.Contains(t, page, "optimal_seconds")
}
