// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build aot

package phasecompile_test

import (
	"context"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/extensions"
	"github.com/purepjrt/purepjrt/extensions/phasecompile"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

func TestAheadOfTimeInPhases(t *testing.T) {
	ctx := context.Background()
	plugin, err := pjrt.Open(plugintest.Path(t, "tpu"))
	require.NoError(t, err)
	require.True(t, extensions.Supported(plugin, capi.ExtensionTypePhaseCompile))
	topology, err := plugin.NewTopology(ctx, "v5e:2x2", nil)
	require.NoError(t, err)
	defer topology.Close()
	phases, err := phasecompile.Phases(plugin)
	require.NoError(t, err)
	require.Contains(t, phases, "phase1_hlo_opts")
	program := phasecompile.Program{Code: []byte(double), Format: "mlir", Consumers: phases[:1], Version: "1.0"}
	out, err := phasecompile.Compile(ctx, topology, []phasecompile.Program{program}, phases[:1], nil)
	require.NoError(t, err)
	require.NotEmpty(t, out)
	for _, o := range out {
		assert.Equal(t, "phase1_hlo_opts", o.Producer)
		assert.NotEmpty(t, o.Code)
	}

	// A program for four devices says so itself; without that number this phase fails.
	layer, err := os.ReadFile("../../pjrt/sharding/testdata/layer/shardy-export.mlirbc")
	require.NoError(t, err)
	divided := phasecompile.Program{Code: layer, Format: "mlir", Consumers: phases[:1], Version: "1.0"}
	_, err = phasecompile.Compile(ctx, topology, []phasecompile.Program{divided}, phases[:1], nil)
	require.NoError(t, err)

	_, err = phasecompile.Compile(ctx, topology, []phasecompile.Program{program}, []string{"phase9"}, nil)
	require.ErrorContains(t, err, `the compiler has no phase "phase9"; it has phase1_hlo_opts`)
	program.Code = []byte("func.func private @main()")
	_, err = phasecompile.Compile(ctx, topology, []phasecompile.Program{program}, phases[:1], nil)
	require.ErrorContains(t, err, "has no body")
}
