// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build aot

package gomlx_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/gomlx"
	"github.com/purepjrt/purepjrt/pjrt/plugins"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

// XLA's compiler for GPUs takes the calls, and leaves them to cuDNN in the program that it makes.
func TestAheadOfTimeAttentionIsLeftToCuDNN(t *testing.T) {
	ctx := context.Background()
	path := plugintest.Path(t, "cuda13")
	require.NoError(t, plugins.Prepare(path))
	plugin, err := pjrt.Open(path)
	require.NoError(t, err)
	h100, err := os.ReadFile("../../conformance/topologies/h100.txtpb")
	require.NoError(t, err)
	topology, err := plugin.NewTopology(ctx, "", &pjrt.TopologyOptions{Create: []pjrt.Attribute{
		{Name: "target_config", Value: string(h100)}, {Name: "topology", Value: "1x1x1"},
	}})
	require.NoError(t, err)
	defer topology.Close()
	devices, err := topology.Devices()
	require.NoError(t, err)
	assert.Equal(t, 256, gomlx.Features(devices))

	b := open(t, "")
	gomlx.SetCuDNN(b, 256)
	for name, c := range cudnnCases {
		text, err := gomlx.Text(c.build(t, b))
		require.NoError(t, err)
		exe, err := plugin.CompileFor(ctx, topology, pjrt.Program{Code: []byte(text)}, nil)
		require.NoError(t, err, name)
		program, err := exe.OptimizedProgram()
		require.NoError(t, err)
		calls := strings.Count(string(program.Code), "__cudnn$fmhaSoftmax")
		assert.Equal(t, 2, calls, name)
		assert.Equal(t, 1, strings.Count(string(program.Code), "__cudnn$fmhaSoftmaxBackward"), name)
		require.NoError(t, exe.Close())
	}
}
