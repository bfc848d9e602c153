// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build skew

package realplugin_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

// skewed lists real plugins with API versions other than the binding's.
var skewed = []struct {
	name       string
	minor      int
	functions  int // of the core that it has
	extensions int
	run        func(t *testing.T, p *plugin)
	// smaller has the sizes that the plugin expects for structs that have grown since, by the C
	// name of the function.
	smaller map[string]uintptr
}{
	{"tpu@0.0.2", 55, 96, 2, tpuSkew, map[string]uintptr{
		"PJRT_Plugin_Attributes": 24, "PJRT_Client_Create": 72, "PJRT_Device_MemoryStats": 185, "PJRT_Executable_DeserializeAndLoad": 48,
	}},
	{"tpu@0.0.11", 67, 112, 4, tpuSkew, map[string]uintptr{
		"PJRT_Plugin_Attributes": 24, "PJRT_Device_MemoryStats": 185, "PJRT_Executable_DeserializeAndLoad": 48, "PJRT_Executable_GetCompiledMemoryStats": 56,
	}},
	{"tpu", 117, 138, 18, tpuSkew, map[string]uintptr{
		"PJRT_Client_CreateErrorBuffer": 112, "PJRT_Device_MemoryStats": 185, "PJRT_Executable_DeserializeAndLoad": 64,
		"PJRT_Executable_GetCompiledMemoryStats": 112,
	}},
	{"cuda12@0.4.34", 54, 96, 6, cudaSkew, map[string]uintptr{
		"PJRT_Plugin_Attributes": 24, "PJRT_Client_Create": 72, "PJRT_Device_MemoryStats": 185, "PJRT_Executable_DeserializeAndLoad": 48,
	}},
	{"cuda12@0.6.0", 68, 112, 8, cudaSkew, map[string]uintptr{
		"PJRT_Plugin_Attributes": 24, "PJRT_Device_MemoryStats": 185, "PJRT_Executable_DeserializeAndLoad": 48, "PJRT_Executable_GetCompiledMemoryStats": 56,
	}},
	{"cuda13", 116, 138, 11, cudaSkew, map[string]uintptr{
		"PJRT_Client_CreateErrorBuffer": 112, "PJRT_Device_MemoryStats": 185, "PJRT_Executable_DeserializeAndLoad": 64,
		"PJRT_Executable_GetCompiledMemoryStats": 112,
	}},
}

func TestSkew(t *testing.T) {
	for _, age := range skewed {
		t.Run(age.name, func(t *testing.T) {
			path := plugintest.Path(t, age.name)
			// Two plugins of one kind cannot share a process.
			if !isolated(t) {
				return
			}
			p := open(t, path)
			major, minor := p.table.Version()
			assert.Equal(t, [2]int{capi.APIMajor, age.minor}, [2]int{major, minor})
			require.NoError(t, p.table.ExtensionsErr())
			assert.Len(t, p.table.Extensions(), age.extensions)
			assert.Equal(t, age.functions, skewFunctions(t, p, age.minor), "functions")
			silent := map[string]bool{
				"PJRT_Client_CreateViewOfDeviceBuffer": true, // checks the type first, and ends the process
				"PJRT_LoadedExecutable_Fingerprint":    true, // does not check
				"PJRT_ExecuteContext_Create":           true, // does not check, on TPUs
			}
			n := checkSizes(t, p, silent, age.smaller)
			t.Logf("API 0.%d: %d functions, %d sizes, %d extensions", minor, age.functions, n, age.extensions)
			assert.Greater(t, n, age.functions-10)
			skewFields(t, p, age.minor)
			a := do(t, p, capi.PluginAttributesArgs{})
			assert.Contains(t, attributes(a.Attributes, a.NumAttributes), "xla_version")
			age.run(t, p)
		})
	}
}

func TestSkewRefusesPluginsOfAnotherShape(t *testing.T) {
	path := plugintest.Path(t, "cuda12@0.4.23")
	if !isolated(t) {
		return
	}
	table, err := capi.Open(path)
	assert.Nil(t, table)
	assert.ErrorIs(t, err, capi.ErrTooOld)
	assert.EqualError(t, err, "plugin "+path+": the plugin is too old: it has API 0.40; API 0.45 and later are supported, except 0.56: use a newer plugin")
}

// skewFunctions counts the functions that the plugin has, and checks the errors of those that it
// lacks.
func skewFunctions(t *testing.T, p *plugin, minor int) int {
	t.Helper()
	n := 0
	for _, e := range echoes {
		f := e.function
		if p.table.Has(f) {
			n++
			continue
		}
		err := e.probe(p)
		var pe *capi.Error
		require.ErrorAs(t, err, &pe, f.Name)
		assert.True(t, pe.Missing, f.Name)
		assert.Equal(t, capi.ErrorCodeUnimplemented, pe.Code)
		assert.Contains(t, err.Error(), f.Name+": UNIMPLEMENTED: the plugin does not have this function")
		if f.Since > minor {
			assert.Contains(t, err.Error(), fmt.Sprintf("it came with API 0.%d, and the plugin has API 0.%d", f.Since, minor))
		}
	}
	return n
}

// skewFields sets every field that is newer than the plugin, one by one. The call must fail before
// it reaches the plugin, which would ignore the field.
func skewFields(t *testing.T, p *plugin, minor int) {
	t.Helper()
	refused := 0
	check := func(f *capi.Function, g capi.Gate, name string, err error) {
		refused++
		require.ErrorIs(t, err, capi.ErrorCodeUnimplemented)
		assert.ErrorContains(t, err, fmt.Sprintf("%s: UNIMPLEMENTED: the field %s is set, which came with API 0.%d, but the plugin has API 0.%d", f.Name, name, g.Since, minor))
	}
	for _, e := range echoes {
		if !p.table.Has(e.function) {
			continue
		}
		for _, g := range e.function.Gated {
			if g.Since > minor {
				check(e.function, g, g.Name, e.set(p, g, nil))
			}
		}
		for _, n := range e.function.Nested {
			for _, g := range n.Gated {
				if g.Since > minor {
					check(e.function, g, n.Struct+"."+g.Name, e.set(p, g, &n))
				}
			}
		}
	}
	t.Logf("%d newer fields refused", refused)
	assert.Equal(t, minor < capi.APIMinor, refused > 0)
}

// tpuSkew compiles ahead of time for a TPU.
func tpuSkew(t *testing.T, p *plugin) {
	topology := p.topology(t, "v4:2x2x1")
	name := do(t, p, capi.TopologyDescriptionPlatformNameArgs{Topology: topology})
	assert.Equal(t, "tpu", raw(name.PlatformName, name.PlatformNameSize))
	d := do(t, p, capi.TopologyDescriptionGetDeviceDescriptionsArgs{Topology: topology})
	assert.EqualValues(t, 8, d.NumDescriptions, "two cores on each of four chips")
	kind := do(t, p, capi.DeviceDescriptionKindArgs{DeviceDescription: *d.Descriptions})
	assert.Equal(t, "TPU v4", raw(kind.DeviceKind, kind.DeviceKindSize))
	compileSkew(t, p, topology)
	fails(t, p, compileFor(topology, "module {", oneDevice), capi.ErrorCodeUnknown, "")
	_, err := try(p, capi.ClientCreateArgs{})
	assert.ErrorContains(t, err, "PJRT_Client_Create: ")
	assert.ErrorContains(t, err, "TPU initialization failed")
}

// compileSkew compiles a program and calls the executable's functions that the plugin has.
func compileSkew(t *testing.T, p *plugin, topology *capi.TopologyDescription) {
	e := p.compileAhead(t, topology, addProgram, oneDevice)
	name := do(t, p, capi.ExecutableNameArgs{Executable: e})
	assert.Equal(t, "add4", raw(name.ExecutableName, name.ExecutableNameSize))
	assert.EqualValues(t, 1, do(t, p, capi.ExecutableNumOutputsArgs{Executable: e}).NumOutputs)
	types := do(t, p, capi.ExecutableOutputElementTypesArgs{Executable: e})
	assert.Equal(t, []capi.BufferType{capi.BufferTypeF32}, capi.Slice(types.OutputTypes, types.NumOutputTypes))
	assert.NotEmpty(t, p.serialize(t, e))
	code, format := p.optimized(t, e)
	assert.Equal(t, "hlo_with_config", format)
	assert.Contains(t, string(code), "add")
	cost := do(t, p, capi.ExecutableGetCostAnalysisArgs{Executable: e})
	assert.Contains(t, attributes(cost.Properties, cost.NumProperties), "flops")
	stats, err := try(p, capi.ExecutableGetCompiledMemoryStatsArgs{Executable: e})
	if !p.table.Has(stats.Function()) {
		assert.ErrorContains(t, err, "PJRT_Executable_GetCompiledMemoryStats: UNIMPLEMENTED: the plugin does not have this function")
		return
	}
	require.NoError(t, err)
	assert.Positive(t, stats.OutputSizeInBytes)
	assert.Equal(t, 2*stats.OutputSizeInBytes, stats.ArgumentSizeInBytes)
}

// a100 describes a GPU to compile for, in the text form of a
// GpuTargetConfigProto.
const a100 = `platform_name: "CUDA"
device_description_str: "A100"
gpu_device_info {
  threads_per_block_limit: 1024
  threads_per_warp: 32
  shared_memory_per_block: 49152
  shared_memory_per_core: 167936
  threads_per_core_limit: 2048
  core_count: 108
  fpus_per_core: 64
  block_dim_limit_x: 2147483647
  block_dim_limit_y: 65535
  block_dim_limit_z: 65535
  memory_bandwidth: 2039000000000
  l2_cache_size: 41943040
  clock_rate_ghz: 1.41
  device_memory_size: 85899345920
  shared_memory_per_block_optin: 166912
  registers_per_core_limit: 65536
  registers_per_block_limit: 65536
  cuda_compute_capability { major: 8 minor: 0 }
}`

// cudaSkew describes an absent GPU, and compiles for it. That the oldest plugin cannot is an
// error like any other.
func cudaSkew(t *testing.T, p *plugin) {
	client, err := try(p, capi.ClientCreateArgs{})
	if err == nil { // there is a GPU after all
		do(t, p, capi.ClientDestroyArgs{Client: client.Client})
	} else {
		assert.EqualError(t, err, "PJRT_Client_Create: FAILED_PRECONDITION: No visible GPU devices.")
	}
	args, v := topologyArgs(t, "a100", capi.Attribute{Name: "target_config", Value: a100}, capi.Attribute{Name: "topology", Value: "1x2x2"})
	out, err := try(p, args)
	runtime.KeepAlive(v)
	require.NoError(t, err)
	topology := out.Topology
	name := do(t, p, capi.TopologyDescriptionPlatformNameArgs{Topology: topology})
	assert.Equal(t, "cuda", raw(name.PlatformName, name.PlatformNameSize))
	d := do(t, p, capi.TopologyDescriptionGetDeviceDescriptionsArgs{Topology: topology})
	assert.EqualValues(t, 4, d.NumDescriptions)
	kind := do(t, p, capi.DeviceDescriptionKindArgs{DeviceDescription: *d.Descriptions})
	assert.Equal(t, "A100", raw(kind.DeviceKind, kind.DeviceKindSize))
	fails(t, p, compileFor(topology, "module {", oneDevice), capi.ErrorCodeUnknown, "Failed to parse using StableHLO")
	compiled, err := try(p, compileFor(topology, addProgram, oneDevice))
	if err == nil {
		do(t, p, capi.ExecutableDestroyArgs{Executable: compiled.Executable})
	} else { // ptxas is installed with each plugin, but the oldest one also wants a driver
		assert.ErrorContains(t, err, "Could not get driver version")
	}
	do(t, p, capi.TopologyDescriptionDestroyArgs{Topology: topology})
}
