// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build aot

package realplugin_test

import (
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

var tpuOnce struct {
	sync.Once
	plugin *plugin
}

// tpu returns libtpu, loaded once. Without a TPU it can only compile.
func tpu(t testing.TB) *plugin {
	t.Helper()
	tpuOnce.Do(func() { tpuOnce.plugin = open(t, plugintest.Path(t, "tpu")) })
	require.NotNil(t, tpuOnce.plugin, "libtpu did not load")
	return tpuOnce.plugin
}

var aheadTests = []struct {
	name string
	run  func(*testing.T, *plugin)
}{
	{"plugin", aheadPlugin},
	{"events", aheadEvents},
	{"topology", aheadTopology},
	{"executable", aheadExecutable},
	{"errors", aheadErrors},
}

// aheadOnly lists the functions that libtpu can run without a TPU, but that the CPU plugin lacks or
// cannot run.
var aheadOnly = []string{
	"PJRT_Compile",
	"PJRT_Error_ForEachPayload",
	"PJRT_Event_Create",
	"PJRT_Event_Set",
	"PJRT_Executable_GetCompileOptions",
	"PJRT_Executable_OutputMemoryKinds",
	"PJRT_Executable_ParameterMemoryKinds",
	"PJRT_TopologyDescription_Create",
	"PJRT_TopologyDescription_Deserialize",
	"PJRT_TopologyDescription_Destroy",
	"PJRT_TopologyDescription_Fingerprint",
	"PJRT_TopologyDescription_GetMemorySpaceKindIds",
	"PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace",
}

func TestCoreFunctionsAheadOfTime(t *testing.T) {
	p := tpu(t)
	p.forget()
	for _, c := range aheadTests {
		t.Run(c.name, func(t *testing.T) { c.run(t, p) })
	}
	called := p.functions()
	for _, name := range aheadOnly {
		assert.True(t, slices.Contains(called, name), "%s was not called", name)
	}
	t.Logf("%d core functions called on libtpu", len(called))
	assert.Len(t, called, 48)
}

func aheadPlugin(t *testing.T, p *plugin) {
	major, minor := p.table.Version()
	assert.Equal(t, [2]int{0, 117}, [2]int{major, minor})
	for _, f := range capi.Functions(capi.SectionCore) {
		assert.True(t, p.table.Has(f), f.Name)
	}
	a := do(t, p, capi.PluginAttributesArgs{})
	assert.Contains(t, attributes(a.Attributes, a.NumAttributes), "stablehlo_current_version")
	fails(t, p, capi.ClientCreateArgs{}, capi.ErrorCodeNotFound, "No jellyfish device found")
	fails(t, p, capi.ExecuteContextCreateArgs{}, capi.ErrorCodeUnimplemented, "")
}

func aheadEvents(t *testing.T, p *plugin) {
	e := do(t, p, capi.EventCreateArgs{}).Event
	assert.False(t, p.isReady(t, e))
	got := make(chan error, 2)
	notify := func(h *capi.ErrorHandle) { got <- p.table.TakeError(h) }
	p.onReady(t, e, notify)
	do(t, p, capi.EventSetArgs{Event: e})
	assert.NoError(t, <-got)
	assert.True(t, p.isReady(t, e))
	do(t, p, capi.EventErrorArgs{Event: e})
	require.NoError(t, p.wait(t, e))

	e = do(t, p, capi.EventCreateArgs{}).Event
	failure := capi.EventSetArgs{Event: e, ErrorCode: capi.ErrorCodeAborted}
	failure.ErrorMessage, failure.ErrorMessageSize = capi.StringData("called off")
	do(t, p, failure)
	p.onReady(t, e, notify)
	assert.EqualError(t, <-got, "ABORTED: called off")
	assert.ErrorIs(t, p.wait(t, e), capi.ErrorCodeAborted)
}

func aheadTopology(t *testing.T, p *plugin) {
	topology := p.topology(t, "v5e:2x2")
	name := do(t, p, capi.TopologyDescriptionPlatformNameArgs{Topology: topology})
	assert.Equal(t, "tpu", raw(name.PlatformName, name.PlatformNameSize))
	version := do(t, p, capi.TopologyDescriptionPlatformVersionArgs{Topology: topology})
	assert.NotEmpty(t, raw(version.PlatformVersion, version.PlatformVersionSize))
	d := do(t, p, capi.TopologyDescriptionGetDeviceDescriptionsArgs{Topology: topology})
	descriptions := capi.Slice(d.Descriptions, d.NumDescriptions)
	require.Len(t, descriptions, 4)
	for i, description := range descriptions {
		assert.EqualValues(t, i, do(t, p, capi.DeviceDescriptionIDArgs{DeviceDescription: description}).ID)
		assert.Zero(t, do(t, p, capi.DeviceDescriptionProcessIndexArgs{DeviceDescription: description}).ProcessIndex)
		kind := do(t, p, capi.DeviceDescriptionKindArgs{DeviceDescription: description})
		assert.Equal(t, "TPU v5 lite", raw(kind.DeviceKind, kind.DeviceKindSize))
		a := do(t, p, capi.DeviceDescriptionAttributesArgs{DeviceDescription: description})
		assert.Equal(t, []int64{int64(i % 2), int64(i / 2), 0}, attributes(a.Attributes, a.NumAttributes)["coords"])
		debug := do(t, p, capi.DeviceDescriptionDebugStringArgs{DeviceDescription: description})
		assert.NotEmpty(t, raw(debug.DebugString, debug.DebugStringSize))
		text := do(t, p, capi.DeviceDescriptionToStringArgs{DeviceDescription: description})
		assert.Contains(t, raw(text.ToString, text.ToStringSize), "TpuDevice")
	}
	a := do(t, p, capi.TopologyDescriptionAttributesArgs{Topology: topology})
	assert.NotEmpty(t, attributes(a.Attributes, a.NumAttributes))
	print := do(t, p, capi.TopologyDescriptionFingerprintArgs{Topology: topology}).Fingerprint
	assert.NotZero(t, print)
	assert.NotEqual(t, print, do(t, p, capi.TopologyDescriptionFingerprintArgs{Topology: p.topology(t, "v6e:2x2")}).Fingerprint)

	s := do(t, p, capi.TopologyDescriptionSerializeArgs{Topology: topology})
	serialized := capi.Bytes(s.SerializedBytes, s.SerializedBytesSize)
	s.SerializedTopologyDeleter.Call(s.SerializedTopology)
	again := capi.TopologyDescriptionDeserializeArgs{}
	again.SerializedTopology, again.SerializedTopologySize = capi.BytesData(serialized)
	copied := do(t, p, again).Topology
	assert.Equal(t, print, do(t, p, capi.TopologyDescriptionFingerprintArgs{Topology: copied}).Fingerprint)
	do(t, p, capi.TopologyDescriptionDestroyArgs{Topology: copied})

	k := do(t, p, capi.TopologyDescriptionGetMemorySpaceKindIDsArgs{Topology: topology})
	kinds := capi.Slice(k.MemorySpaceKindIDs, k.NumMemorySpaceKindIDs)
	require.NotEmpty(t, kinds)
	shape := capi.TopologyDescriptionMakeCanonicalShapeForMemorySpaceArgs{
		Topology: topology, MemorySpaceKindID: kinds[0], ElementType: capi.BufferTypeF32,
	}
	shape.Dims, shape.NumDims = first([]int64{8, 128})
	made := do(t, p, shape)
	// A ShapeProto: element type F32, dimensions 8 and 128.
	assert.Contains(t, raw(made.SerializedShape, made.SerializedShapeSize), "\x10\x0b\x1a\x03\x08\x80\x01")
	made.SerializedShapeDeleter.Call(made.SerializedShape)

	sliced := p.topology(t, "v5e:2x2", capi.Attribute{Name: "num_slices", Value: int64(2)})
	assert.EqualValues(t, 8, do(t, p, capi.TopologyDescriptionGetDeviceDescriptionsArgs{Topology: sliced}).NumDescriptions)
	for name, text := range map[string]string{"v6:2x2": "Invalid TPU external name", "v5e:3x3": "not divisible by"} {
		args, _ := topologyArgs(t, name)
		_, err := try(p, args)
		assert.ErrorContains(t, err, text)
	}
	args, v := topologyArgs(t, "v5e:2x2", capi.Attribute{Name: "bogus", Value: int64(1)})
	_, err := try(p, args)
	assert.ErrorIs(t, err, capi.ErrorCodeInvalidArgument)
	assert.ErrorContains(t, err, "Unexpected arguments: bogus")
	_ = v
}

func aheadExecutable(t *testing.T, p *plugin) {
	e := p.compileAhead(t, p.topology(t, "v5e:2x2"), addProgram, oneDevice)
	name := do(t, p, capi.ExecutableNameArgs{Executable: e})
	assert.Equal(t, "add4", raw(name.ExecutableName, name.ExecutableNameSize))
	assert.EqualValues(t, 1, do(t, p, capi.ExecutableNumReplicasArgs{Executable: e}).NumReplicas)
	assert.EqualValues(t, 1, do(t, p, capi.ExecutableNumPartitionsArgs{Executable: e}).NumPartitions)
	assert.EqualValues(t, 1, do(t, p, capi.ExecutableNumOutputsArgs{Executable: e}).NumOutputs)
	assert.Positive(t, do(t, p, capi.ExecutableSizeOfGeneratedCodeInBytesArgs{Executable: e}).SizeInBytes)
	cost := do(t, p, capi.ExecutableGetCostAnalysisArgs{Executable: e})
	assert.Contains(t, attributes(cost.Properties, cost.NumProperties), "flops")
	stats := do(t, p, capi.ExecutableGetCompiledMemoryStatsArgs{Executable: e})
	assert.EqualValues(t, stats.OutputSizeInBytes*2, stats.ArgumentSizeInBytes)
	assert.Positive(t, stats.PeakMemoryInBytes)
	assert.Positive(t, stats.TotalSizeInBytes)
	out := do(t, p, capi.ExecutableOutputMemoryKindsArgs{Executable: e})
	assert.Equal(t, []string{"device"}, texts(out.MemoryKinds, out.MemoryKindSizes, out.NumOutputs))
	in := do(t, p, capi.ExecutableParameterMemoryKindsArgs{Executable: e})
	assert.Equal(t, []string{"device", "device"}, texts(in.MemoryKinds, in.MemoryKindSizes, in.NumParameters))
	types := do(t, p, capi.ExecutableOutputElementTypesArgs{Executable: e})
	assert.Equal(t, []capi.BufferType{capi.BufferTypeF32}, capi.Slice(types.OutputTypes, types.NumOutputTypes))
	dims := do(t, p, capi.ExecutableOutputDimensionsArgs{Executable: e})
	assert.Equal(t, []int64{4}, capi.Slice(dims.Dims, *dims.DimSizes))
	print := func(e *capi.Executable) string {
		f := do(t, p, capi.ExecutableFingerprintArgs{Executable: e})
		return raw(f.ExecutableFingerprint, f.ExecutableFingerprintSize)
	}
	assert.Len(t, print(e), 32)
	other := p.compileAhead(t, p.topology(t, "v5e:2x2"), donateProgram, oneDevice)
	assert.NotEqual(t, print(e), print(other))
	o := do(t, p, capi.ExecutableGetCompileOptionsArgs{Executable: e})
	assert.Greater(t, o.SerializedBytesSize, uintptr(6))
	o.SerializedCompileOptionsDeleter.Call(o.SerializedCompileOptions)
	assert.Greater(t, len(p.serialize(t, e)), 10000)
	code, format := p.optimized(t, e)
	assert.Equal(t, "hlo_with_config", format)
	assert.Contains(t, string(code), "add")
}

func aheadErrors(t *testing.T, p *plugin) {
	topology := p.topology(t, "v5e:2x2")
	fails(t, p, compileFor(topology, "module {", oneDevice), capi.ErrorCodeUnknown, "")
	fails(t, p, compileFor(topology, addProgram, nil), capi.ErrorCodeInvalidArgument, "Not enough cores available")
	const huge = `module @huge {
  func.func @main() -> tensor<f32> {
    %0 = stablehlo.iota dim = 0 : tensor<4294967296xf32>
    %1 = stablehlo.iota dim = 0 : tensor<4294967296xf32>
    %2 = stablehlo.reverse %0, dims = [0] : tensor<4294967296xf32>
    %3 = "stablehlo.sort"(%2) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %c = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    }) {dimension = 0 : i64} : (tensor<4294967296xf32>) -> tensor<4294967296xf32>
    %4 = stablehlo.slice %3 [7:8] : (tensor<4294967296xf32>) -> tensor<1xf32>
    %5 = stablehlo.reshape %4 : (tensor<1xf32>) -> tensor<f32>
    return %5 : tensor<f32>
  }
}`
	_, err := try(p, compileFor(topology, huge, oneDevice))
	assert.ErrorIs(t, err, capi.ErrorCodeResourceExhausted)

	var c capi.Call[capi.CompileArgs]
	c.Args = compileFor(topology, "module {", oneDevice)
	c.Args.StructSize = capi.CompileArgsSize
	h, err := c.Raw(p.table)
	require.NoError(t, err)
	payloads := 0
	visitor, user := capi.NewErrorPayloadVisitor(func(string, []byte) { payloads++ })
	do(t, p, capi.ErrorForEachPayloadArgs{Error: h, Visitor: visitor, UserArg: uintptr(user)})
	user.Delete()
	assert.Zero(t, payloads)
	assert.Equal(t, capi.ErrorCodeUnknown, do(t, p, capi.ErrorGetCodeArgs{Error: h}).Code)
	m := do(t, p, capi.ErrorMessageArgs{Error: h})
	assert.NotEmpty(t, raw(m.Message, m.MessageSize))
	// Since API 0.107 an error has its own functions for that.
	require.NotNil(t, h.Vtable)
	assert.Equal(t, capi.ErrorCodeUnknown, h.Vtable.GetCode.Call(h))
	do(t, p, capi.ErrorDestroyArgs{Error: h})
}

func TestThePluginExpectsTheSizesThatItIsSentAheadOfTime(t *testing.T) {
	n := checkSizes(t, tpu(t), map[string]bool{
		"PJRT_Client_CreateViewOfDeviceBuffer": true, // checks the type first, and ends the process
		"PJRT_LoadedExecutable_Fingerprint":    true, // does not check
		"PJRT_ExecuteContext_Create":           true, // does not check
	}, map[string]uintptr{
		"PJRT_Client_CreateErrorBuffer":          112,
		"PJRT_Device_MemoryStats":                185,
		"PJRT_Executable_DeserializeAndLoad":     64,
		"PJRT_Executable_GetCompiledMemoryStats": 112,
	})
	t.Logf("%d sizes compared", n)
	assert.Greater(t, n, 130)
}
