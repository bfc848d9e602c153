// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build aot

package pjrt_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
	saved "github.com/purepjrt/purepjrt/pjrt/compile"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

// Each version of libtpu refuses the executables of the others, and those for systems of
// another size. PJRT_AOT_TPUS names more versions than the usual two.
func TestAheadOfTimeExecutablesBelongToTheirPluginAndSystem(t *testing.T) {
	type made struct {
		plugin   *pjrt.Plugin
		topology *pjrt.Topology
		data     []byte
	}
	all := make(map[string]made)
	for _, plugin := range append([]string{"tpu", "tpu@0.0.11"}, strings.Fields(os.Getenv("PJRT_AOT_TPUS"))...) {
		p, err := pjrt.Open(plugintest.Path(t, plugin))
		require.NoError(t, err)
		for _, name := range []string{"v5e:2x2", "v5e:4x2"} {
			topology := newTopology(t, p, name)
			opts := &pjrt.CompileOptions{Partitions: 2, SPMD: true, DeviceIDs: [][]int{{0, 1}}}
			exe, err := p.CompileFor(context.Background(), topology, pjrt.Program{Code: []byte(add)}, opts)
			require.NoError(t, err)
			data, err := exe.Serialize(context.Background())
			require.NoError(t, err)
			require.NoError(t, exe.Close())
			all[plugin+" "+name] = made{p, topology, data}
		}
	}
	for from, m := range all {
		s, err := saved.Decode(m.data)
		require.NoError(t, err)
		assert.Equal(t, "tpu", s.System.Platform)
		assert.Equal(t, []string{"TPU v5 lite"}, s.System.Kinds)
		assert.Equal(t, 2, s.Devices)
		t.Logf("%s: API %d.%d, %d devices in %v, ABI %v, %q", from, s.Plugin.Major, s.Plugin.Minor, s.System.Devices, s.System.Bounds, s.ABI, s.System.PlatformVersion)
		for to, here := range all {
			plugin, name, _ := strings.Cut(to, " ")
			unasked := func(*saved.ABIVersion) (bool, error) { return false, nil }
			err := pjrt.Misplaced(s, here.plugin, pjrt.SystemOf(here.topology), unasked)
			switch {
			case from == to:
				assert.NoError(t, err, from)
			case strings.HasPrefix(from, plugin+" "):
				assert.ErrorContains(t, err, "it was compiled for a system of", "%s on %s", from, to)
			default:
				assert.ErrorContains(t, err, "another build of the plugin", "%s on %s", from, to)
			}
			if strings.HasSuffix(from, name) && from != to {
				t.Logf("%s on %s: %v", from, to, err)
			}
		}
	}
}
