// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build aot

package custompartitioner_test

import (
	"context"
	"errors"
	"os"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/extensions"
	"github.com/purepjrt/purepjrt/extensions/custompartitioner"
	"github.com/purepjrt/purepjrt/extensions/xlatransform"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/hlo"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
	"github.com/purepjrt/purepjrt/pjrt/sharding"
)

// calling returns a program for two devices that calls target with an array that is cut in
// two. attributes are attributes of the call.
func calling(target, attributes string) pjrt.Program {
	return pjrt.Program{Code: []byte(`module attributes {mhlo.num_partitions = 2 : i32} {
  func.func @main(%a: tensor<8x4xf32> {mhlo.sharding = "{devices=[2,1]0,1}"}) -> (tensor<8x4xf32> {mhlo.sharding = "{devices=[2,1]0,1}"}) {
    %0 = stablehlo.tanh %a : tensor<8x4xf32>
    %1 = stablehlo.custom_call @` + target + `(%0) {backend_config = "twice"` + attributes + `} : (tensor<8x4xf32>) -> tensor<8x4xf32>
    %2 = stablehlo.tanh %1 : tensor<8x4xf32>
    return %2 : tensor<8x4xf32>
  }
}`)}
}

// opcodes compiles a program for two GPUs, and returns the operations of the program for one of
// them.
func opcodes(t *testing.T, p *pjrt.Plugin, program pjrt.Program) (map[string]int, error) {
	t.Helper()
	config, err := os.ReadFile("../../conformance/topologies/h100.txtpb")
	require.NoError(t, err)
	topology, err := p.NewTopology(context.Background(), "h100", &pjrt.TopologyOptions{Create: []pjrt.Attribute{
		{Name: "target_config", Value: string(config)}, {Name: "topology", Value: "1x1x2"},
	}})
	require.NoError(t, err)
	defer topology.Close()
	count := make(map[string]int)
	stop := errors.New("seen enough")
	pass, err := xlatransform.Register(p, "operations", func(m *hlo.Module) (bool, error) {
		for _, i := range m.All() {
			count[i.Opcode]++
		}
		return false, stop // the rest of the compilation needs NVIDIA's assembler
	}, nil)
	require.NoError(t, err)
	defer pass.Close()
	_, err = p.CompileFor(context.Background(), topology, program, nil)
	if err != nil && len(count) == 0 {
		return nil, err
	}
	return count, nil
}

func TestAheadOfTimeACustomCallIsSplitInGo(t *testing.T) {
	p, err := pjrt.Open(plugintest.Path(t, "cuda13"))
	require.NoError(t, err)
	require.True(t, extensions.Supported(p, capi.ExtensionTypeCustomPartitioner))
	rows := sharding.Spec{Kind: sharding.Tiled, Tiles: []int64{2, 1}, Devices: []int64{0, 1}}
	var inferred, split int
	require.NoError(t, custompartitioner.Register(p, "double_rows", custompartitioner.Partitioner{
		Infer: func(c custompartitioner.Call) (*sharding.Spec, error) {
			inferred++
			return c.Operands[0].Sharding, nil
		},
		Partition: func(c custompartitioner.Call) (custompartitioner.Parts, error) {
			split++
			assert.Equal(t, "twice", string(c.Config))
			assert.Equal(t, dtype.F32, c.Result.Shape.Type)
			assert.Equal(t, []int64{8, 4}, c.Result.Shape.Dims)
			require.Len(t, c.Operands, 1)
			require.NotNil(t, c.Operands[0].Sharding)
			assert.Equal(t, rows.String(), c.Operands[0].Sharding.String())
			return custompartitioner.Parts{
				Module: []byte(`func.func @main(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = stablehlo.add %a, %a : tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}`),
				Operands: []sharding.Spec{rows}, Result: rows,
			}, nil
		},
	}))
	count, err := opcodes(t, p, calling("double_rows", ""))
	require.NoError(t, err)
	assert.Equal(t, 1, split)
	assert.Positive(t, inferred)
	assert.Equal(t, 1, count["add"])
	assert.Zero(t, count["custom-call"])
	assert.Zero(t, count["all-gather"], "each device computes its rows")

	require.ErrorIs(t, custompartitioner.Register(p, "double_rows", custompartitioner.Partitioner{}), pjrt.ErrAlreadyExists)
	require.ErrorIs(t, custompartitioner.RegisterBatch(p, "double_rows"), pjrt.ErrAlreadyExists)

	var nothing custompartitioner.Parts
	for target, c := range map[string]struct {
		partition func(custompartitioner.Call) (custompartitioner.Parts, error)
		want      string
	}{
		"refuses": {func(custompartitioner.Call) (custompartitioner.Parts, error) { return nothing, errors.New("not today") }, "not today"},
		"panics":  {func(custompartitioner.Call) (custompartitioner.Parts, error) { panic("a hole") }, "a hole"},
		"ends": {func(custompartitioner.Call) (custompartitioner.Parts, error) { runtime.Goexit(); return nothing, nil },
			"ended its goroutine"},
		"forgets": {func(custompartitioner.Call) (custompartitioner.Parts, error) { return nothing, nil }, "0 shardings for 1 operands"},
		"cannot":  {nil, "cannot be partitioned"},
	} {
		target = "double_" + target
		require.NoError(t, custompartitioner.Register(p, target, custompartitioner.Partitioner{Partition: c.partition}))
		_, err = opcodes(t, p, calling(target, ""))
		require.ErrorContains(t, err, c.want, target)
	}
}

func TestAheadOfTimeACallOfRowsIsSplit(t *testing.T) {
	p, err := pjrt.Open(plugintest.Path(t, "cuda13"))
	require.NoError(t, err)
	const batch = `, mhlo.frontend_attributes = {num_batch_dims = "1"},
      operand_layouts = [dense<[1, 0]> : tensor<2xindex>], result_layouts = [dense<[1, 0]> : tensor<2xindex>]`
	whole, err := opcodes(t, p, calling("rows_not_registered", batch))
	require.NoError(t, err)
	require.NoError(t, custompartitioner.RegisterBatch(p, "rows_registered"))
	split, err := opcodes(t, p, calling("rows_registered", batch))
	require.NoError(t, err)
	assert.Positive(t, whole["all-gather"]+whole["all-gather-start"], "an unregistered call gets the whole array on each device: %v", whole)
	assert.Zero(t, split["all-gather"]+split["all-gather-start"], split)
	assert.Equal(t, 1, split["custom-call"])
}
