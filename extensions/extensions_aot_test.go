// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build aot

package extensions_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/extensions/executables"
	"github.com/purepjrt/purepjrt/extensions/memories"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

func TestAheadOfTimeWhatLibtpuReportsAboutAnExecutable(t *testing.T) {
	ctx := context.Background()
	p, err := pjrt.Open(plugintest.Path(t, "tpu"))
	require.NoError(t, err)
	topology, err := p.NewTopology(ctx, "v5e:2x2", nil)
	require.NoError(t, err)
	defer topology.Close()
	exe, err := p.CompileFor(ctx, topology, pjrt.Program{Code: []byte(`
func.func @main(%a: tensor<8x128xf32>) -> tensor<8x128xf32> { return %a : tensor<8x128xf32> }`)}, nil)
	require.NoError(t, err)
	defer exe.Close()
	metadata, err := executables.Metadata(exe)
	require.NoError(t, err)
	assert.NotEmpty(t, metadata)
	version, err := executables.ABIVersionOf(exe)
	require.NoError(t, err)
	assert.NotZero(t, version.Platform)
	assert.NotEmpty(t, version.Proto)
	garbage := executables.ABIVersion{Proto: []byte("garbage")}
	require.Error(t, executables.RuntimeRuns(p, garbage, version))
	require.Error(t, executables.RuntimeRuns(p, version, garbage))
	require.Error(t, executables.RuntimeReplaces(p, garbage, garbage))
	kinds, err := memories.OfTopology(topology)
	require.NoError(t, err)
	require.Len(t, kinds, 4)
	assert.Len(t, kinds[0], 3)
}
