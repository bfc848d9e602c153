// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build aot

package profiler_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/extensions"
	"github.com/purepjrt/purepjrt/extensions/profiler"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

func TestAheadOfTimeProfiles(t *testing.T) {
	plugin, err := pjrt.Open(plugintest.Path(t, "tpu"))
	require.NoError(t, err)
	require.True(t, extensions.Supported(plugin, capi.ExtensionTypeProfiler))
	data := record(t, plugin, func() {})
	assert.NotEmpty(t, data)
	assert.NotEqual(t, make([]byte, len(data)), data, "the profile is all zeros")
	space, err := profiler.Decode(data)
	require.NoError(t, err, "a byte more than the message makes the file unreadable")
	assert.NotEmpty(t, space.Planes)
	_, err = profiler.Decode(taken(t, plugin))
	require.NoError(t, err)
}

func TestAheadOfTimeACompilationIsRecorded(t *testing.T) {
	ctx := context.Background()
	for _, name := range []string{"tpu", "cuda13"} {
		plugin, err := pjrt.Open(plugintest.Path(t, name))
		require.NoError(t, err)
		r, err := profiler.Record(plugin)
		require.NoError(t, err, name)
		if name == "tpu" {
			topology, err := plugin.NewTopology(ctx, "v5e:2x2", nil)
			require.NoError(t, err)
			exe, err := plugin.CompileFor(ctx, topology, pjrt.Program{Code: []byte(double)}, nil)
			require.NoError(t, err)
			require.NoError(t, exe.Close())
			require.NoError(t, topology.Close())
		}
		r.Region("done")()
		p, err := r.Stop()
		require.NoError(t, err, name)
		trace(t, p)
		space, err := profiler.Decode(p.XSpace())
		require.NoError(t, err, name)
		planes := make(map[string]bool)
		for _, x := range space.Planes {
			planes[x.Name] = true
		}
		assert.True(t, planes["/host:CPU"], name)
		assert.True(t, planes["/host:metadata"], "%s reports the programs", name)
		if name == "tpu" {
			assert.Equal(t, 1, kinds(p)[pjrt.OperationCompile])
		}
	}
}
