// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package capi_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
)

// newRegistrar serves a plugin that accepts every registration whose name is not bad.
func newRegistrar(t *testing.T) *capi.Table {
	t.Helper()
	check := func(p *byte, n uintptr) error {
		if capi.String(p, n) == "bad" {
			return errors.New("no")
		}
		return nil
	}
	plugin := &serve.Plugin{
		Minor: capi.APIMinor,
		FFI: &serve.FFIExtension{
			RegisterHandler: func(a *capi.FFIRegisterHandlerArgs) error { return check(a.TargetName, a.TargetNameSize) },
		},
		GPU: &serve.GPUCustomCall{
			CustomCall: func(a *capi.GPURegisterCustomCallArgs) error { return check(a.FunctionName, a.FunctionNameSize) },
		},
		CustomPartitioner: &serve.CustomPartitionerExtension{
			RegisterCustomPartitioner:  func(a *capi.RegisterCustomPartitionerArgs) error { return check(a.Name, a.NameSize) },
			RegisterBatchPartitionable: func(a *capi.RegisterBatchPartitionableArgs) error { return check(a.Name, a.NameSize) },
		},
		XLATransform: &serve.XLATransformExtension{
			RegisterXLATransform: func(a *capi.RegisterXLATransformArgs) error { return check(a.Name, a.NameSize) },
			ClearXLATransform: func(a *capi.ClearXLATransformArgs) error {
				a.Cleared = capi.String(a.Name, a.NameSize) != "unknown"
				return nil
			},
		},
	}
	table, err := plugin.Serve()
	require.NoError(t, err)
	t.Cleanup(func() { table.Close() })
	return table.Capi()
}

func TestATableKnowsWhatWasRegistered(t *testing.T) {
	t.Parallel()
	table := newRegistrar(t)
	assert.Empty(t, table.Registrations())
	for _, name := range []string{"a", "bad"} {
		var handler capi.Call[capi.FFIRegisterHandlerArgs]
		handler.Args.TargetName, handler.Args.TargetNameSize = capi.StringData(name)
		handler.Args.PlatformName, handler.Args.PlatformNameSize = capi.StringData("Host")
		handler.Args.Traits = capi.FFIHandlerTraitsBitsCommandBufferCompatible
		assert.Equal(t, name == "bad", handler.Do(table) != nil)
		var custom capi.Call[capi.GPURegisterCustomCallArgs]
		custom.Args.FunctionName, custom.Args.FunctionNameSize = capi.StringData(name)
		custom.Args.APIVersion = 1
		assert.Equal(t, name == "bad", custom.Do(table) != nil)
		var partitioner capi.Call[capi.RegisterCustomPartitionerArgs]
		partitioner.Args.Name, partitioner.Args.NameSize = capi.StringData(name)
		assert.Equal(t, name == "bad", partitioner.Do(table) != nil)
		var batch capi.Call[capi.RegisterBatchPartitionableArgs]
		batch.Args.Name, batch.Args.NameSize = capi.StringData(name)
		assert.Equal(t, name == "bad", batch.Do(table) != nil)
	}
	transform := func(name string, stage capi.XLATransformPipelineStage) {
		var call capi.Call[capi.RegisterXLATransformArgs]
		call.Args.Name, call.Args.NameSize = capi.StringData(name)
		call.Args.Stage = stage
		require.NoError(t, call.Do(table))
	}
	clear := func(name string) {
		var call capi.Call[capi.ClearXLATransformArgs]
		call.Args.Name, call.Args.NameSize = capi.StringData(name)
		require.NoError(t, call.Do(table))
	}
	transform("x", capi.XLATransformPipelineStagePreScheduler)
	transform("x", capi.XLATransformPipelineStagePostScheduler)
	transform("unknown", capi.XLATransformPipelineStagePreScheduler)
	clear("x")
	clear("unknown")

	names := func(list []capi.Registration) (names []string) {
		for _, r := range list {
			names = append(names, r.Function.Name+" "+r.Name)
		}
		return names
	}
	list := table.Registrations()
	assert.Equal(t, []string{
		"PJRT_FFI_Register_Handler a", "PJRT_Gpu_Register_Custom_Call a", "PJRT_Register_Custom_Partitioner a",
		"PJRT_Register_Batch_Partitionable a", "PJRT_Register_Xla_Transform_Fn x", "PJRT_Register_Xla_Transform_Fn unknown",
	}, names(list))
	assert.Equal(t, "Host", list[0].Platform)
	assert.Equal(t, capi.FFIHandlerTraitsBitsCommandBufferCompatible, list[0].Traits)
	assert.Equal(t, int32(1), list[1].APIVersion)

	second, err := capi.NewTable(table.API(), capi.Reentrant())
	require.NoError(t, err)
	assert.Equal(t, names(list), names(second.Registrations()), "another table of the same plugin knows it too")
	assert.Empty(t, newRegistrar(t).Registrations(), "another plugin knows nothing of it")
	assert.Empty(t, (*capi.Table)(nil).Registrations())
}
