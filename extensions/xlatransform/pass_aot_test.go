// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build aot

package xlatransform_test

import (
	"context"
	"errors"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/extensions"
	"github.com/purepjrt/purepjrt/extensions/xlatransform"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/hlo"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

// target is what programs are compiled for.
type target struct {
	*pjrt.Plugin
	topology *pjrt.Topology
}

func tpu(t testing.TB) target {
	t.Helper()
	p, err := pjrt.Open(plugintest.Path(t, "tpu"))
	require.NoError(t, err)
	topology, err := p.NewTopology(context.Background(), "v5e:2x2", nil)
	require.NoError(t, err)
	t.Cleanup(func() { topology.Close() })
	return target{p, topology}
}

func cuda(t testing.TB) target {
	t.Helper()
	p, err := pjrt.Open(plugintest.Path(t, "cuda13"))
	require.NoError(t, err)
	config, err := os.ReadFile("../../conformance/topologies/h100.txtpb")
	require.NoError(t, err)
	topology, err := p.NewTopology(context.Background(), "h100", &pjrt.TopologyOptions{Create: []pjrt.Attribute{
		{Name: "target_config", Value: string(config)}, {Name: "topology", Value: "1x1x1"},
	}})
	require.NoError(t, err)
	t.Cleanup(func() { topology.Close() })
	return target{p, topology}
}

func (x target) compile(program string) (*pjrt.Executable, error) {
	return x.CompileFor(context.Background(), x.topology, pjrt.Program{Code: []byte(program)}, nil)
}

func (x target) pass(t testing.TB, name string, stage xlatransform.Stage, fn xlatransform.Func) {
	t.Helper()
	p, err := xlatransform.Register(x.Plugin, name, fn, &xlatransform.Options{Stage: stage})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, p.Close()) })
}

const layer = `
func.func @main(%a: tensor<128x256xf32>, %b: tensor<256x512xf32>) -> tensor<128x512xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<128x256xf32>, tensor<256x512xf32>) -> tensor<128x512xf32>
  %1 = stablehlo.tanh %0 : tensor<128x512xf32>
  %z = stablehlo.constant dense<3.5> : tensor<f32>
  %s = stablehlo.reduce(%1 init: %z) applies stablehlo.add across dimensions = [0] : (tensor<128x512xf32>, tensor<f32>) -> tensor<512xf32>
  %2 = stablehlo.broadcast_in_dim %s, dims = [1] : (tensor<512xf32>) -> tensor<128x512xf32>
  %3 = stablehlo.add %1, %2 : tensor<128x512xf32>
  return %3 : tensor<128x512xf32>
}`

func TestAheadOfTimeTheWorkOfAProgramIsWhatTheCompilerSays(t *testing.T) {
	x := tpu(t)
	var flops, transcendentals int64
	x.pass(t, "count", xlatransform.PostScheduler, func(m *hlo.Module) (bool, error) {
		flops, transcendentals = 0, 0
		for _, i := range m.All() {
			if i.Opcode == "add" && i.Shape.Size() == 1 {
				continue // the body of the reduction, which counts as part of it
			}
			flops += i.Flops()
			transcendentals += i.Transcendentals()
		}
		return false, nil
	})
	exe, err := x.compile(layer)
	require.NoError(t, err)
	defer exe.Close()
	costs, err := exe.CostAnalysis()
	require.NoError(t, err)
	for _, c := range costs {
		switch c.Name {
		case "flops": // libtpu reports 7 digits
			assert.InEpsilon(t, c.Value, float64(flops), 1e-6)
		case "transcendentals":
			assert.EqualValues(t, c.Value, transcendentals)
		}
	}
	assert.EqualValues(t, 2*128*256*512+127*512+128*512, flops)
}

const wide = `
func.func @main(%a: tensor<8x128xf32>) -> tensor<8x128xf32> {
  %0 = stablehlo.custom_call @go_tanh(%a) : (tensor<8x128xf32>) -> tensor<8x128xf32>
  return %0 : tensor<8x128xf32>
}`

func TestAheadOfTimeACustomCallIsReplaced(t *testing.T) {
	x := tpu(t)
	_, err := x.compile(wide)
	require.ErrorContains(t, err, "go_tanh")
	replaced := 0
	x.pass(t, "replace", xlatransform.PreScheduler, func(m *hlo.Module) (bool, error) {
		was := replaced
		for c, i := range m.All() {
			if i.Opcode == "custom-call" && i.Target == "go_tanh" {
				c.Replace(i, c.Add(&hlo.Instruction{Opcode: "tanh", Shape: i.Shape, Operands: i.Operands, Source: i.Source}))
				replaced++
			}
		}
		return replaced > was, nil
	})
	exe, err := x.compile(wide)
	require.NoError(t, err)
	defer exe.Close()
	assert.Positive(t, replaced)
	p, err := exe.OptimizedProgram()
	require.NoError(t, err)
	m, err := hlo.Decode(p.Code)
	require.NoError(t, err)
	tanh := 0
	for _, i := range m.All() {
		assert.NotEqual(t, "custom-call", i.Opcode)
		if i.Opcode == "tanh" {
			tanh++
		}
	}
	assert.Equal(t, 1, tanh, m.String())
}

func TestAheadOfTimeScheduledProgramsAreRewritten(t *testing.T) {
	x := tpu(t)
	var scheduled bool
	x.pass(t, "late", xlatransform.PostScheduler, func(m *hlo.Module) (bool, error) {
		scheduled = len(m.Entry.Schedule) == len(m.Entry.Instructions)
		return true, nil // the unchanged module has to survive the rewrite
	})
	exe, err := x.compile(layer)
	require.NoError(t, err)
	defer exe.Close()
	assert.True(t, scheduled)
}

func TestAheadOfTimeAPassEndsTheCompilation(t *testing.T) {
	for name, x := range map[string]target{"tpu": tpu(t), "cuda": cuda(t)} {
		require.True(t, extensions.Supported(x.Plugin, capi.ExtensionTypeXLATransform))
		refuse := true
		p, err := xlatransform.Register(x.Plugin, "no-tanh", func(m *hlo.Module) (bool, error) {
			for _, i := range m.All() {
				if refuse && i.Opcode == "tanh" {
					return false, errors.New("this machine has no tanh: " + i.Name)
				}
				if refuse && i.Opcode == "sine" {
					panic("a sine")
				}
			}
			return false, nil
		}, nil)
		require.NoError(t, err, name)
		_, err = x.compile(layer)
		require.ErrorContains(t, err, "the pass no-tanh: this machine has no tanh: ", name)
		_, err = x.compile(`
func.func @main(%a: tensor<128xf32>) -> tensor<128xf32> {
  %0 = stablehlo.sine %a : tensor<128xf32>
  return %0 : tensor<128xf32>
}`)
		require.ErrorContains(t, err, "panic: a sine", name)
		require.NoError(t, p.Close(), name)
		if _, err = x.compile(layer); err != nil {
			// Compilations for CUDA can finish only with NVIDIA's assembler.
			require.ErrorIs(t, err, pjrt.ErrUnavailable, name)
		}
	}
}

// Tests on the stand-in read traces.
func TestAheadOfTimeATraceNeedsADevice(t *testing.T) {
	c := &hlo.Computation{Name: "main"}
	a := c.Add(&hlo.Instruction{Opcode: "parameter", Shape: hlo.Array(dtype.F32, 128)})
	c.Root = c.Add(&hlo.Instruction{Opcode: "negate", Shape: a.Shape, Operands: []*hlo.Instruction{a}})
	_, err := xlatransform.Trace(tpu(t).Plugin, &hlo.Module{Name: "m", Computations: []*hlo.Computation{c}, Entry: c})
	require.ErrorIs(t, err, pjrt.ErrNotFound)
	require.ErrorContains(t, err, "could not find registered compiler for the platform")
}
