// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build aot

package tpu_test

import (
	"context"
	"fmt"
	"log"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/extensions/tpu"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/hlo"
	"github.com/purepjrt/purepjrt/pjrt/plugins"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

const negate = `func.func @main(%a: tensor<8x128xf32>) -> tensor<8x128xf32> {
  %0 = stablehlo.negate %a : tensor<8x128xf32>
  return %0 : tensor<8x128xf32>
}`

// serialized compiles a program for a TPU that this machine need not have.
func serialized(plugin *pjrt.Plugin) ([]byte, error) {
	ctx := context.Background()
	topology, err := plugin.NewTopology(ctx, "v5e:1x1", nil)
	if err != nil {
		return nil, err
	}
	defer topology.Close()
	exe, err := plugin.CompileFor(ctx, topology, pjrt.Program{Code: []byte(negate)}, nil)
	if err != nil {
		return nil, err
	}
	defer exe.Close()
	return exe.Serialize(ctx)
}

func TestAheadOfTimeWhatASerializedExecutableContains(t *testing.T) {
	p, err := pjrt.Open(plugintest.Path(t, "tpu"))
	require.NoError(t, err)
	data, err := serialized(p)
	require.NoError(t, err)
	target, err := tpu.TargetArguments(p, data)
	require.NoError(t, err)
	assert.NotEmpty(t, target)
	program, err := tpu.Program(p, data)
	require.NoError(t, err)
	m, err := hlo.Decode(program.Code)
	require.NoError(t, err)
	assert.Contains(t, m.String(), "negate")
	stats, err := tpu.MemoryStats(p, data)
	require.NoError(t, err)
	assert.NotEmpty(t, stats)
	costs, err := tpu.CostAnalysis(p, target, program)
	require.NoError(t, err)
	byName := make(map[string]any)
	for _, c := range costs {
		byName[c.Name] = c.Value
	}
	assert.EqualValues(t, 8*128, byName["flops"], costs)

	env, err := tpu.CompilationEnvironments(p, nil)
	require.NoError(t, err)
	assert.NotEmpty(t, env)
	_, err = tpu.Setting(p, env, "no_such_setting")
	require.Error(t, err)
	value, err := tpu.Setting(p, env, "xla_tpu_enable_async_collective_fusion")
	require.NoError(t, err)
	assert.Contains(t, []string{"true", "false"}, value)
	is, err := tpu.IsPredetermined(p, nil)
	require.NoError(t, err)
	assert.False(t, is)
	is, err = tpu.IsCancellationPlaceholder(p, nil)
	require.NoError(t, err)
	assert.False(t, is)
}

func TestAheadOfTimeBytesThatAreNoExecutable(t *testing.T) {
	p, err := pjrt.Open(plugintest.Path(t, "tpu"))
	require.NoError(t, err)
	data, err := serialized(p)
	require.NoError(t, err)
	target, err := tpu.TargetArguments(p, data)
	require.NoError(t, err)
	program, err := tpu.Program(p, data)
	require.NoError(t, err)
	for _, bad := range [][]byte{nil, []byte("no executable"), data[:len(data)/2]} {
		_, err = tpu.TargetArguments(p, bad)
		require.Error(t, err)
		_, err = tpu.Program(p, bad)
		require.Error(t, err)
		_, err = tpu.MemoryStats(p, bad)
		require.Error(t, err)
	}
	for _, programs := range [][]pjrt.Program{nil, {{Code: []byte(negate)}}, {{Format: "hlo_with_config"}}} {
		_, err = tpu.CostAnalysis(p, target, programs...)
		require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
	}
	_, err = tpu.CostAnalysis(p, []byte("no target"), program)
	require.Error(t, err)
	_, err = tpu.Setting(p, nil, "")
	require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
	_, err = tpu.CompilationEnvironments(p, []byte("no environment"))
	require.Error(t, err)
}

// The program in a serialized executable, without a TPU.
func ExampleProgram_aheadOfTime() {
	plugin, err := plugins.Load(context.Background(), "tpu")
	if err != nil {
		log.Fatal(err)
	}
	data, err := serialized(plugin)
	if err != nil {
		log.Fatal(err)
	}
	program, err := tpu.Program(plugin, data)
	if err != nil {
		log.Fatal(err)
	}
	m, err := hlo.Decode(program.Code)
	if err != nil {
		log.Fatal(err)
	}
	for _, i := range m.Entry.Instructions {
		if i.Opcode == "parameter" {
			fmt.Println("parameter", i.Parameter, i.Shape)
		}
	}
	// Output: parameter 0 f32[8,128]{1,0:T(8,128)}
}
