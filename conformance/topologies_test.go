// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package conformance

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/session"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

func TestTopologiesThatTheSuiteKnows(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "v5e:2x2", usualTopology("tpu").Name)
	for platform, name := range map[string]string{"cuda": "CUDA", "rocm": "ROCM", "oneapi": "SYCL"} {
		gpu := usualTopology(platform)
		require.Len(t, gpu.Options, 2)
		assert.Equal(t, "target_config", gpu.Options[0].Name)
		assert.Regexp(t, `(?m)^platform_name: "`+name+`"$`, gpu.Options[0].Value)
		// The compilers divide by these.
		for _, field := range []string{"threads_per_warp", "block_dim_limit_x", "block_dim_limit_y", "block_dim_limit_z"} {
			assert.Regexp(t, `(?m)^  `+field+`: [1-9]`, gpu.Options[0].Value)
		}
	}
	assert.Nil(t, usualTopology("neuron"))
	assert.Nil(t, usualTopology(""))
}

// The CPU plugin makes no topologies; what it was asked for is in the report.
func TestTheUsualTopologyIsForRunsWithoutAClientAndAName(t *testing.T) {
	t.Parallel()
	usual := func(o Options) (topology string, options []string, chosen bool) {
		o.Plugin, o.Filter, o.Jobs = plugintest.Path(t, "cpu"), regexp.MustCompile("^LOAD-01$"), 1
		o.token = runToken
		c, err := o.config()
		require.NoError(t, err)
		assert.Nil(t, c.Usual, "none is known for CPUs")
		c.Usual = &session.Topology{Name: "usual", Options: []session.Option{{Name: "n", Value: int64(2)}}}
		r, err := runConfig(t.Context(), c)
		require.NoError(t, err)
		return r.Run.Topology, r.Run.TopologyOptions, r.Run.UsualTopology
	}
	name, options, chosen := usual(Options{NoDevice: true})
	assert.Equal(t, "usual", name)
	assert.Equal(t, []string{"n=2"}, options)
	assert.True(t, chosen)
	name, _, chosen = usual(Options{NoDevice: true, Topology: "mine"})
	assert.Equal(t, "mine", name)
	assert.False(t, chosen)
	name, options, chosen = usual(Options{NoDevice: true, TopologyOptions: []capi.Attribute{{Name: "own", Value: "@x"}}})
	assert.Empty(t, name)
	assert.Equal(t, []string{"own:string=@x"}, options)
	assert.False(t, chosen)
	name, _, chosen = usual(Options{})
	assert.Empty(t, name, "there is a client")
	assert.False(t, chosen)
}

func TestCommandsNameTheFilesOfOptions(t *testing.T) {
	t.Parallel()
	o := &Options{
		Plugin: "p.so", NoDevice: true, OptionFiles: map[string]string{"target_config": "gpu.txtpb"},
		TopologyOptions: []capi.Attribute{{Name: "target_config", Value: "a: 1\nb: 2"}, {Name: "topology", Value: "1x1x1"}},
	}
	assert.Equal(t, "pjrt-conformance run p.so --topology-option target_config=@gpu.txtpb --topology-option topology=1x1x1 --no-device --run '^CMP-19$'",
		o.commandLine(&check.Check{Rule: "CMP-19"}))
}
