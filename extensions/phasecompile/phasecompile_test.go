// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package phasecompile_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/extensions"
	"github.com/purepjrt/purepjrt/extensions/phasecompile"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

const double = `module @double {
  func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.add %a, %a : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}`

func TestAProgramGoesThroughPhases(t *testing.T) {
	ctx := context.Background()
	p := pjrttest.New(t, pjrttest.Options{NoLeaks: true})
	p.Program("double", pjrttest.Signature{}, pjrttest.Identity)
	topology, err := p.Client().Topology()
	require.NoError(t, err)
	phases, err := phasecompile.Phases(p.Plugin())
	require.NoError(t, err)
	require.NotEmpty(t, phases)
	program := phasecompile.Program{Code: []byte(double), Format: "mlir"}
	out, err := phasecompile.Compile(ctx, topology, []phasecompile.Program{program}, phases, nil)
	require.NoError(t, err)
	require.Len(t, out, 1)
	assert.Equal(t, "double", out[0].Name)
	assert.Equal(t, phases[len(phases)-1], out[0].Producer)
}

const halves = `module @halves attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%a: tensor<2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<2xf32> {
    return %a : tensor<2xf32>
  }
}`

// The options of a phase get the number of devices from the program.
func TestAProgramSaysForHowManyDevicesItIs(t *testing.T) {
	ctx := context.Background()
	stand := pjrttest.New(t, pjrttest.Options{Devices: 2})
	stand.Program("halves", pjrttest.Signature{}, pjrttest.Identity)
	var sent *pjrt.CompileOptions
	table, err := serve.Wrap(raw.Table(stand.Plugin()), serve.Around(func(c *serve.Invocation, a *capi.PhaseCompileRunPhaseArgs) {
		var err error
		sent, err = pjrt.DecodeCompileOptions(capi.Bytes(a.CompileOptions, a.CompileOptionsSize))
		assert.NoError(t, err)
		c.Forward()
	}))
	require.NoError(t, err)
	t.Cleanup(func() { table.Close() })
	plugin, err := raw.Plugin(table.Capi())
	require.NoError(t, err)
	client, err := plugin.NewClient(ctx, nil)
	require.NoError(t, err)
	defer client.Close()
	topology, err := client.Topology()
	require.NoError(t, err)
	phases, err := phasecompile.Phases(plugin)
	require.NoError(t, err)
	program := []phasecompile.Program{{Code: []byte(halves), Format: "mlir"}}
	opts := new(pjrt.CompileOptions)
	_, err = phasecompile.Compile(ctx, topology, program, phases, opts)
	require.NoError(t, err)
	assert.Equal(t, 2, sent.Partitions)
	assert.True(t, sent.SPMD)
	assert.True(t, sent.Shardy)
	assert.Zero(t, *opts, "the caller's options stay as they are")
	_, err = phasecompile.Compile(ctx, topology, program, phases, &pjrt.CompileOptions{Partitions: 1})
	require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
	require.ErrorContains(t, err, "the program states that it is for 2 partitions, and the compile options ask for 1")
	_, err = phasecompile.Compile(ctx, topology, []phasecompile.Program{{Code: []byte("any"), Format: "of the plugin"}}, phases[1:], nil)
	require.Error(t, err)
	assert.NotContains(t, err.Error(), "states")
}

func TestMisuseOfPhasesIsAnErrorHere(t *testing.T) {
	ctx := context.Background()
	p := pjrttest.New(t, pjrttest.Options{NoLeaks: true})
	topology, err := p.Client().Topology()
	require.NoError(t, err)
	phases, err := phasecompile.Phases(p.Plugin())
	require.NoError(t, err)
	good := phasecompile.Program{Code: []byte(double), Format: "mlir"}
	for name, c := range map[string]struct {
		topology *pjrt.Topology
		program  *phasecompile.Program
		phases   []string
		opts     *pjrt.CompileOptions
		want     string
	}{
		"no topology":    {nil, &good, phases, nil, "topology is nil"},
		"no programs":    {topology, nil, phases, nil, "there are no programs"},
		"no phases":      {topology, &good, nil, nil, "there are no phases"},
		"empty":          {topology, &phasecompile.Program{Format: "mlir"}, phases, nil, "program 0 is empty"},
		"not UTF-8":      {topology, &phasecompile.Program{Code: good.Code, Name: "\xff"}, phases, nil, "not UTF-8"},
		"unknown phase":  {topology, &good, []string{"phase9"}, nil, `has no phase "phase9"`},
		"without a body": {topology, &phasecompile.Program{Code: []byte("func.func private @main()"), Format: "mlir"}, phases, nil, "has no body"},
		"devices":        {topology, &good, phases, &pjrt.CompileOptions{Replicas: 9}, "9"},
		"few devices":    {topology, &phasecompile.Program{Code: []byte(halves), Format: "mlir"}, phases, nil, "for 2 partitions, and the client has 1 devices"},
	} {
		var programs []phasecompile.Program
		if c.program != nil {
			programs = append(programs, *c.program)
		}
		_, err := phasecompile.Compile(ctx, c.topology, programs, c.phases, c.opts)
		require.ErrorIs(t, err, pjrt.ErrInvalidArgument, name)
		assert.ErrorContains(t, err, c.want, name)
	}
	over, stop := context.WithCancel(ctx)
	stop()
	_, err = phasecompile.Compile(over, topology, []phasecompile.Program{good}, phases, nil)
	assert.ErrorIs(t, err, context.Canceled)
}

func TestThereIsNoPhaseCompiler(t *testing.T) {
	cpu := plugintest.Plugin(t)
	assert.True(t, extensions.Supported(cpu, capi.ExtensionTypePhaseCompile), "the plugin has the node without its functions")
	_, err := phasecompile.Phases(cpu)
	assert.ErrorIs(t, err, pjrt.ErrUnimplemented)
	_, err = phasecompile.Phases(nil)
	assert.ErrorIs(t, err, pjrt.ErrInvalidArgument)
}
