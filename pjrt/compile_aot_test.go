// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build aot

package pjrt_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

// compileAhead compiles a program for four TPUs.
func compileAhead(t *testing.T, code string, o *pjrt.CompileOptions) (*pjrt.Executable, error) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	plugin, err := pjrt.Open(plugintest.Path(t, "tpu"))
	require.NoError(t, err)
	topology, err := plugin.NewTopology(ctx, "v5e:2x2", nil)
	require.NoError(t, err)
	defer topology.Close()
	exe, err := plugin.CompileFor(ctx, topology, pjrt.Program{Code: []byte(code)}, o)
	if err == nil {
		t.Cleanup(func() { exe.Close() })
	}
	return exe, err
}

func TestAheadOfTimeAnExecutableDescribesItself(t *testing.T) {
	exe, err := compileAhead(t, mixed, &pjrt.CompileOptions{Optimization: "O1"})
	require.NoError(t, err)
	assert.Equal(t, "mixed", exe.Name())
	assert.Equal(t, [3]int{1, 1, 5}, [3]int{exe.NumReplicas(), exe.NumPartitions(), exe.NumOutputs()})
	parameters, err := exe.Parameters()
	require.NoError(t, err)
	assert.Equal(t, "f32[2,3,4] i8[]", spell(parameters))
	outputs, err := exe.Outputs()
	require.NoError(t, err)
	assert.Equal(t, "f64[] f32[4,3,2] i8[] bf16[0,5] i1[3]", spell(outputs))
	kinds, err := exe.OutputMemoryKinds()
	require.NoError(t, err)
	assert.Equal(t, []string{"device", "device", "device", "device", "device"}, kinds)
	kinds, err = exe.ParameterMemoryKinds()
	require.NoError(t, err)
	assert.Equal(t, []string{"device", "device"}, kinds)
	layouts, err := exe.OutputLayouts()
	require.NoError(t, err)
	require.Len(t, layouts, 5)
	for i, l := range layouts {
		require.NotNil(t, l.Layout, l.Text)
		assert.Len(t, l.Layout.MinorToMajor, len(outputs[i].Dims))
	}
	layouts, err = exe.ParameterLayouts()
	require.NoError(t, err)
	require.Len(t, layouts, 2)
	assert.Len(t, layouts[0].Layout.Tiles, 1)
	shardings, err := exe.OutputShardings()
	require.NoError(t, err)
	assert.Nil(t, shardings, "it is not partitioned")
	code, err := exe.GeneratedCodeSize()
	require.NoError(t, err)
	assert.Positive(t, code)
	costs, err := exe.CostAnalysis()
	require.NoError(t, err)
	assert.NotEmpty(t, costs)
	stats, err := exe.MemoryStats()
	require.NoError(t, err)
	assert.Positive(t, stats.Total)
	assert.Positive(t, stats.TotalAllocation)
	fingerprint, err := exe.Fingerprint()
	require.NoError(t, err)
	assert.Len(t, fingerprint, 32)
	o, err := exe.CompileOptions()
	require.NoError(t, err)
	assert.Equal(t, "O1", o.Optimization)
	assert.Equal(t, [2]int{1, 1}, [2]int{o.Replicas, o.Partitions})
	again, err := compileAhead(t, mixed, o)
	require.NoError(t, err, "the options that came back can be used")
	data, err := again.Serialize(context.Background())
	require.NoError(t, err)
	assert.NotEmpty(t, data)
}

func TestAheadOfTimeAnExecutableKnowsItsShardings(t *testing.T) {
	exe, err := compileAhead(t, `module @sharded {
  func.func @main(%a: tensor<8x2xf32> {mhlo.sharding = "{devices=[4,1]0,1,2,3}"}) -> (tensor<8x2xf32> {mhlo.sharding = "{devices=[2,2]0,1,2,3}"}) {
    %0 = stablehlo.add %a, %a : tensor<8x2xf32>
    return %0 : tensor<8x2xf32>
  }
}`, &pjrt.CompileOptions{Partitions: 4, SPMD: true, DeviceIDs: [][]int{{3, 2, 1, 0}}})
	require.NoError(t, err)
	assert.Equal(t, 4, exe.NumPartitions())
	in, err := exe.ParameterShardings()
	require.NoError(t, err)
	require.Len(t, in, 1)
	assert.Equal(t, "{devices=[4,1]0,1,2,3}", in[0].String())
	out, err := exe.OutputShardings()
	require.NoError(t, err)
	require.Len(t, out, 1)
	assert.Equal(t, "{devices=[2,2]0,1,2,3}", out[0].String())
	parameters, err := exe.Parameters()
	require.NoError(t, err)
	outputs, err := exe.Outputs()
	require.NoError(t, err)
	assert.Equal(t, "f32[2,2] f32[4,1]", spell(append(parameters, outputs...)))
}

func TestAheadOfTimeFlagsBelongToTheirPlatform(t *testing.T) {
	for want, flags := range map[string]map[string]any{
		"":                       {"xla_tpu_enable_latency_hiding_scheduler": true, "xla_tpu_scoped_vmem_limit_kib": 1024, "xla_step_marker_location": "STEP_MARK_NONE"},
		"No such compile option": {"xla_tpu_no_such_flag": true},
		"Failed to parse 'x'":    {"xla_tpu_scoped_vmem_limit_kib": "x"},
		"takes an int32, not a value of type bool": {"xla_backend_optimization_level": true},
	} {
		_, err := compileAhead(t, add, &pjrt.CompileOptions{Flags: flags})
		if want == "" {
			require.NoError(t, err)
			continue
		}
		require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
		assert.ErrorContains(t, err, want)
	}
}

func TestAheadOfTimeProgramsStateHowManyDevicesTheyAreFor(t *testing.T) {
	for _, file := range []string{"gspmd.mlir", "gspmd-export.mlirbc", "shardy.mlir", "shardy.mlirbc", "shardy-export.mlirbc"} {
		code, err := os.ReadFile("sharding/testdata/layer/" + file)
		require.NoError(t, err)
		exe, err := compileAhead(t, string(code), nil)
		require.NoError(t, err, file)
		assert.Equal(t, 4, exe.NumPartitions(), file)
		out, err := exe.OutputShardings()
		require.NoError(t, err)
		assert.Equal(t, "[{devices=[2,2]0,1,2,3} {replicated} {devices=[2,2]0,1,2,3}]", fmt.Sprint(out), file)
		_, err = compileAhead(t, string(code), &pjrt.CompileOptions{Partitions: 2})
		require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
		assert.ErrorContains(t, err, "the program states that it is for 4 partitions, and the compile options ask for 2")
	}
	p := openTPU(t)
	_, err := p.CompileFor(t.Context(), newTopology(t, p, "v5e:1x1"), pjrt.Program{Code: []byte(stating("mhlo.num_partitions = 4 : i32"))}, nil)
	require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
	assert.ErrorContains(t, err, "for 4 partitions, and the topology has 1 devices")
}
