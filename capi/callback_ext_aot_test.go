// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build aot

package capi_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

// tpu compiles for a TPU on a machine without one.
type tpu struct {
	table    *capi.Table
	topology *capi.TopologyDescription
}

func newTPU(t *testing.T) *tpu {
	t.Helper()
	table, err := capi.Open(plugintest.Path(t, "tpu"))
	require.NoError(t, err)
	require.NoError(t, new(capi.Call[capi.PluginInitializeArgs]).Do(table))
	var c capi.Call[capi.TopologyDescriptionCreateArgs]
	c.Args.TopologyName, c.Args.TopologyNameSize = capi.StringData("v5e:2x2")
	require.NoError(t, c.Do(table))
	t.Cleanup(func() {
		var d capi.Call[capi.TopologyDescriptionDestroyArgs]
		d.Args.Topology = c.Args.Topology
		assert.NoError(t, d.Do(table))
	})
	return &tpu{table, c.Args.Topology}
}

// compile compiles a small program and frees the result.
func (x *tpu) compile() error {
	p := &capi.Program{StructSize: capi.ProgramSize}
	p.Code, p.CodeSize = capi.StringData(`module @purepjrt_transform {
  func.func @main(%a: tensor<8x128xf32>) -> tensor<8x128xf32> {
    %0 = stablehlo.add %a, %a : tensor<8x128xf32>
    return %0 : tensor<8x128xf32>
  }
}`)
	p.Format, p.FormatSize = capi.StringData("mlir")
	var c capi.Call[capi.CompileArgs]
	c.Args.Topology, c.Args.Program = x.topology, p
	// One replica, one partition.
	c.Args.CompileOptions, c.Args.CompileOptionsSize = capi.StringData("\x1a\x04\x20\x01\x28\x01")
	if err := c.Do(x.table); err != nil {
		return err
	}
	var d capi.Call[capi.ExecutableDestroyArgs]
	d.Args.Executable = c.Args.Executable
	return d.Do(x.table)
}

func (x *tpu) register(name string, c *capi.XLATransformCallbacks) error {
	var r capi.Call[capi.RegisterXLATransformArgs]
	r.Args.Name, r.Args.NameSize = capi.StringData(name)
	r.Args.Stage, r.Args.Callbacks = capi.XLATransformPipelineStagePreScheduler, c
	return r.Do(x.table)
}

func (x *tpu) unregister(t *testing.T, name string, c *capi.XLATransformCallbacks) {
	t.Helper()
	var r capi.Call[capi.ClearXLATransformArgs]
	r.Args.Name, r.Args.NameSize = capi.StringData(name)
	r.Args.Stage, r.Args.Callbacks = capi.XLATransformPipelineStagePreScheduler, c
	require.NoError(t, r.Do(x.table))
	assert.True(t, r.Args.Cleared)
}

func TestXLATransformAheadOfTime(t *testing.T) {
	x := newTPU(t)
	live := capi.LiveHandles()
	var modules [][]byte
	var answer error
	deleted := 0
	c := capi.NewXLATransform(capi.XLATransform{
		Transform: func(m []byte) ([]byte, error) { modules = append(modules, m); return nil, answer },
		Deleted:   func() { deleted++ },
	})
	require.NoError(t, x.register("observe", c))
	collect()
	require.NoError(t, x.compile())
	require.Len(t, modules, 1)
	assert.True(t, bytes.Contains(modules[0], []byte("purepjrt_transform")), "a serialized HloModuleProto of this program")

	answer = &capi.Error{Code: capi.ErrorCodeOutOfRange, Message: "not this program"}
	err := x.compile()
	require.ErrorIs(t, err, capi.ErrorCodeInternal, "libtpu passes on the text, but not the code")
	require.ErrorContains(t, err, "not this program")
	assert.Equal(t, live, capi.LiveHandles(), "the plugin called the cleanup function")
	assert.Zero(t, deleted)

	x.unregister(t, "observe", c)
	require.NoError(t, x.compile())
	assert.Len(t, modules, 2, "not called after it was removed")
	assert.Equal(t, 1, deleted)
}

func TestXLATransformReplacesTheProgramAheadOfTime(t *testing.T) {
	x := newTPU(t)
	live := capi.LiveHandles()
	deleted := 0
	c := capi.NewXLATransform(capi.XLATransform{
		Transform: func(m []byte) ([]byte, error) { return m, nil },
		Deleted:   func() { deleted++ },
	})
	require.NoError(t, x.register("replace", c))
	require.NoError(t, x.compile())
	assert.Equal(t, live, capi.LiveHandles(), "the plugin called the cleanup function")
	x.unregister(t, "replace", c)
	assert.Equal(t, 1, deleted)
}
