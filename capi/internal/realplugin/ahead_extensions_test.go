// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build aot

package realplugin_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/purepjrt/purepjrt/capi"
)

// twoPartitions are compile options for two partitions of an SPMD program.
var twoPartitions = []byte{0x1a, 6, 0x20, 1, 0x28, 2, 0x30, 1}

// shardedProgram splits its argument over two partitions.
const shardedProgram = `module @sharded attributes {mhlo.num_partitions = 2 : i32} {
  func.func @main(%a: tensor<8x128xf32> {mhlo.sharding = "{devices=[2,1]0,1}"}) -> (tensor<8x128xf32> {mhlo.sharding = "{devices=[2,1]0,1}"}) {
    %0 = stablehlo.add %a, %a : tensor<8x128xf32>
    return %0 : tensor<8x128xf32>
  }
}`

// matrixProgram has a matrix as its result.
const matrixProgram = `module @matrix {
  func.func @main(%a: tensor<256x128xf32>) -> tensor<256x128xf32> {
    %0 = stablehlo.tanh %a : tensor<256x128xf32>
    return %0 : tensor<256x128xf32>
  }
}`

func TestExtensionsAheadOfTime(t *testing.T) {
	p := tpu(t)
	p.forget()
	require.NoError(t, p.table.ExtensionsErr())
	assert.Len(t, p.table.Extensions(), 18)
	for _, c := range []struct {
		name string
		run  func(*testing.T, *plugin)
	}{
		{"topology numbers", aheadTopologyNumbers},
		{"topology places", aheadTopologyPlaces},
		{"topology slices", aheadTopologySlices},
		{"layouts", aheadLayouts},
		{"memory descriptions", aheadMemoryDescriptions},
		{"executable metadata", aheadMetadata},
		{"shardings", aheadShardings},
		{"phases", aheadPhases},
		{"abi version", aheadABIVersion},
		{"tpu executable", aheadTPUExecutable},
		{"profiler", aheadProfiler},
		{"multi slice", aheadMultiSlice},
	} {
		t.Run(c.name, func(t *testing.T) { c.run(t, p) })
	}
	n := 0
	for _, name := range p.functions() {
		if _, ok := extensionFunctions()[name]; ok {
			n++
		}
	}
	t.Logf("%d functions of extensions called on libtpu", n)
	assert.Equal(t, 64, n)
}

// extensionFunctions are the names of all functions that are not in the core.
func extensionFunctions() map[string]bool {
	names := make(map[string]bool)
	for _, s := range capi.Sections() {
		for _, f := range capi.Functions(s) {
			if s != capi.SectionCore {
				names[f.Name] = true
			}
		}
	}
	return names
}

func aheadTopologyNumbers(t *testing.T, p *plugin) {
	// Eight chips with two cores each, on two hosts.
	x := p.topology(t, "v4:2x2x2")
	for name, c := range map[string]struct {
		got  int32
		want int32
	}{
		"processes":                   {do(t, p, capi.TPUTopologyProcessCountArgs{Topology: x}).ProcessCount, 2},
		"chips per process":           {do(t, p, capi.TPUTopologyChipsPerProcessArgs{Topology: x}).ChipsPerProcess, 4},
		"cores per chip":              {do(t, p, capi.TPUTopologyCoreCountPerChipArgs{Topology: x}).CoreCountOfDefaultTypePerChip, 2},
		"chips":                       {do(t, p, capi.TPUTopologyChipCountArgs{Topology: x}).ChipCount, 8},
		"cores":                       {do(t, p, capi.TPUTopologyCoreCountArgs{Topology: x}).CoreCountOfDefaultType, 16},
		"cores per process":           {do(t, p, capi.TPUTopologyCoreCountPerProcessArgs{Topology: x}).CoreCountOfDefaultTypePerProcess, 8},
		"logical devices":             {do(t, p, capi.TPUTopologyLogiDeviceCountArgs{Topology: x}).LogicalDeviceCountOfDefaultType, 16},
		"logical devices per process": {do(t, p, capi.TPUTopologyLogiDeviceCountPerProcessArgs{Topology: x}).LogicalDeviceCountOfDefaultTypePerProcess, 8},
		"logical devices per chip":    {do(t, p, capi.TPUTopologyLogiDeviceCountPerChipArgs{Topology: x}).LogicalDeviceCountOfDefaultTypePerChip, 2},
	} {
		assert.Equal(t, c.want, c.got, name)
	}
	ids := make([]int32, 4)
	args := capi.TPUTopologyProcessIDsArgs{Topology: x, MaxProcessIDs: 4}
	args.ProcessIDs, _ = first(ids)
	assert.Equal(t, []int32{0, 1}, ids[:do(t, p, args).NumProcessIDs])
	ids = make([]int32, 8)
	on := capi.TPUTopologyLogiDeviceIDsOnProcessArgs{Topology: x, ProcessID: 1, MaxLogicalDeviceIDs: 8}
	on.LogicalDeviceOfDefaultTypeIDs, _ = first(ids)
	assert.Equal(t, []int32{8, 9, 10, 11, 12, 13, 14, 15}, ids[:do(t, p, on).NumLogicalDeviceIDs])
}

func aheadTopologyPlaces(t *testing.T, p *plugin) {
	x := p.topology(t, "v4:2x2x2")
	chip := do(t, p, capi.TPUTopologyProcIDAndIdxOnProcForChipArgs{Topology: x, ChipID: 6})
	assert.Equal(t, [2]int32{1, 2}, [2]int32{chip.ProcessID, chip.IndexOnProcess})
	device := do(t, p, capi.TPUTopologyProcIDAndIdxOnProcForLogiDeviceArgs{Topology: x, DeviceID: 13})
	assert.Equal(t, [2]int32{1, 5}, [2]int32{device.ProcessID, device.IndexOnProcess})

	coords := make([]int32, 4)
	process := capi.TPUTopologyProcessCoordFromIDArgs{Topology: x, ProcessID: 1, CoordsMaxDims: 4}
	process.Coords, _ = first(coords)
	assert.Equal(t, []int32{0, 0, 1}, coords[:do(t, p, process).CoordsNumDims])
	at := capi.TPUTopologyChipIDFromCoordArgs{Topology: x}
	at.Coords, at.CoordsNumDims = first([]int32{1, 0, 1})
	assert.EqualValues(t, 5, do(t, p, at).ChipID)
	logical := capi.TPUTopologyLogiDeviceIDFromChipCoordAndIdxArgs{Topology: x, LogicalDeviceIndexOnChip: 1}
	logical.ChipCoords, logical.ChipCoordsNumDims = first([]int32{0, 1, 1})
	assert.EqualValues(t, 13, do(t, p, logical).LogicalDeviceOfDefaultTypeID)
	clear(coords)
	back := capi.TPUTopologyChipCoordAndIdxForLogiDeviceArgs{Topology: x, DeviceID: 13, ChipCoordsMaxDims: 4}
	back.ChipCoords, _ = first(coords)
	out := do(t, p, back)
	assert.Equal(t, []int32{0, 1, 1}, coords[:out.ChipCoordsNumDims])
	assert.EqualValues(t, 1, out.DeviceIndexOnChip)

	perProcess := capi.TPUTopologyChipsPerProcessBoundsArgs{Topology: x, ChipPerProcessBoundsMaxDims: 4}
	perProcess.ChipPerProcessBounds, _ = first(coords)
	assert.Equal(t, []int32{2, 2, 1}, coords[:do(t, p, perProcess).ChipPerProcessBoundsNumDims])
	chips := capi.TPUTopologyChipBoundsArgs{Topology: x, ChipBoundsMaxDims: 4}
	chips.ChipBounds, _ = first(coords)
	assert.Equal(t, []int32{2, 2, 2}, coords[:do(t, p, chips).ChipBoundsNumDims])
	processes := capi.TPUTopologyProcessBoundsArgs{Topology: x, ProcessBoundsMaxDims: 4}
	processes.ProcessBounds, _ = first(coords)
	assert.Equal(t, []int32{1, 1, 2}, coords[:do(t, p, processes).ProcessBoundsNumDims])
	chips.ChipBoundsMaxDims = 1
	_, err := try(p, chips)
	assert.Error(t, err, "three bounds do not fit in one place")
}

func aheadTopologySlices(t *testing.T, p *plugin) {
	x := p.topology(t, "v4:4x4x4")
	assert.False(t, do(t, p, capi.TPUTopologyIsSubsliceTopologyArgs{Topology: x}).IsSubsliceTopology)
	sub := capi.TPUTopologySubsliceArgs{Topology: x}
	sub.ChipsPerHostBounds, sub.ChipsPerHostBoundsNumDims = first([]int32{2, 2, 1})
	sub.HostBounds, sub.HostBoundsNumDims = first([]int32{1, 1, 2})
	part := do(t, p, sub).SubsliceTopology
	assert.True(t, do(t, p, capi.TPUTopologyIsSubsliceTopologyArgs{Topology: part}).IsSubsliceTopology)
	assert.EqualValues(t, 8, do(t, p, capi.TPUTopologyChipCountArgs{Topology: part}).ChipCount)
	id := capi.TPUTopologySubsliceDeviceIDFromFullDeviceIDArgs{ClientTopology: x, SubsliceTopology: part, FullDeviceID: 1}
	id.SubsliceOrigin, id.SubsliceOriginDimNum = first([]int32{0, 0, 0})
	assert.EqualValues(t, 1, do(t, p, id).SubsliceDeviceID)
	do(t, p, capi.TopologyDescriptionDestroyArgs{Topology: part})
	replace := capi.TPUTopologyReplaceHostBoundsArgs{Topology: x}
	replace.HostBounds, replace.HostBoundsDimNum = first([]int32{1, 1, 1})
	other := do(t, p, replace).NewTopology
	assert.EqualValues(t, 4, do(t, p, capi.TPUTopologyChipCountArgs{Topology: other}).ChipCount)
	do(t, p, capi.TopologyDescriptionDestroyArgs{Topology: other})

	do(t, p, capi.TPUTopologyIsEnhancedBarrierEnabledArgs{Topology: x})
	do(t, p, capi.TPUTopologyHasLimitedICIConnectivityArgs{Topology: x})
	fails(t, p, capi.TPUTopologyIsReachableOverLimitedICIArgs{Topology: x, DestChipID: 1}, capi.ErrorCodeInvalidArgument, "must be 2d for limited ICI routing")
	reachable := do(t, p, capi.TPUTopologyIsReachableOverLimitedICIArgs{Topology: p.topology(t, "v5e:4x4"), DestChipID: 1})
	assert.True(t, reachable.IsReachableOverLimitedICI)
	text := make([]byte, 64)
	strategy := capi.TPUTopologyGetRoutingStrategyArgs{Topology: x}
	fails(t, p, strategy, capi.ErrorCodeInvalidArgument, "`routing_strategy_len` must be >= ")
	strategy.RoutingStrategy, strategy.RoutingStrategyLen = first(text)
	assert.Equal(t, "mesh", capi.GoString(do(t, p, strategy).RoutingStrategy))
	config := capi.TPUTopologyGetDefaultPlatformConfigArgs{}
	config.PlatformTypeName, config.PlatformTypeNameLen = capi.StringData("no such platform")
	_, err := try(p, config)
	assert.ErrorContains(t, err, "platform type name")
}

func aheadLayouts(t *testing.T, p *plugin) {
	topology := p.topology(t, "v5e:2x2")
	dims, n := first([]int64{256, 128})
	assert.Equal(t, "{1,0:T(8,128)}", layoutText(t, p, do(t, p, capi.LayoutsTopologyGetDefaultLayoutArgs{
		TopologyDescription: topology, Type: capi.BufferTypeF32, Dims: dims, NumDims: n,
	}).Layout))
	e := p.compileAhead(t, topology, matrixProgram, oneDevice)
	out := do(t, p, capi.LayoutsExecutableGetOutputLayoutsArgs{Executable: e})
	assert.Equal(t, []string{"{1,0:T(8,128)}"}, executableLayouts(t, p, out.Layouts, out.NumOutputs))
	in := do(t, p, capi.LayoutsExecutableGetParameterLayoutsArgs{Executable: e})
	assert.Equal(t, []string{"{1,0:T(8,128)}"}, executableLayouts(t, p, in.Layouts, in.NumParameters))
}

func aheadMemoryDescriptions(t *testing.T, p *plugin) {
	d := do(t, p, capi.TopologyDescriptionGetDeviceDescriptionsArgs{Topology: p.topology(t, "v5e:2x2")})
	m := do(t, p, capi.DeviceDescriptionMemoryDescriptionsArgs{DeviceDescription: *d.Descriptions})
	var kinds []string
	for _, description := range capi.Slice(m.MemoryDescriptions, m.NumMemoryDescriptions) {
		k := do(t, p, capi.MemoryDescriptionKindArgs{MemoryDescription: description})
		kinds = append(kinds, raw(k.Kind, k.KindSize))
	}
	assert.ElementsMatch(t, []string{"device", "pinned_host", "unpinned_host"}, kinds)
	assert.Equal(t, "device", kinds[m.DefaultMemoryIndex])
}

func aheadMetadata(t *testing.T, p *plugin) {
	e := p.compileAhead(t, p.topology(t, "v5e:2x2"), addProgram, oneDevice)
	m := do(t, p, capi.ExecutableMetadataGetExecutableMetadataArgs{Executable: e}).Metadata
	require.NotNil(t, m)
	assert.Greater(t, m.SerializedMetadataSize, uintptr(100))
	do(t, p, capi.ExecutableMetadataDestroySerializedMetadataArgs{Metadata: m})
}

func aheadShardings(t *testing.T, p *plugin) {
	topology := p.topology(t, "v5e:2x2")
	plain := p.compileAhead(t, topology, matrixProgram, oneDevice)
	assert.Nil(t, do(t, p, capi.ShardingsExecutableOutputShardingsArgs{Executable: plain}).Shardings)
	e := p.compileAhead(t, topology, shardedProgram, twoPartitions)
	in := do(t, p, capi.ShardingsExecutableParameterShardingsArgs{Executable: e})
	out := do(t, p, capi.ShardingsExecutableOutputShardingsArgs{Executable: e})
	shardings := texts(in.Shardings, in.ShardingSizes, in.NumParameters)
	require.Len(t, shardings, 1)
	assert.NotEmpty(t, shardings[0])
	assert.Equal(t, shardings, texts(out.Shardings, out.ShardingSizes, out.NumOutputs))
}

func aheadPhases(t *testing.T, p *plugin) {
	compiler := do(t, p, capi.PhaseCompileGetCompilerArgs{}).PhaseCompiler
	n := do(t, p, capi.PhaseCompileGetPhaseNamesArgs{PhaseCompiler: compiler})
	assert.Equal(t, []string{"phase1_hlo_opts", "phase2a_tlp_lowering", "phase2b_deduped_lowering", "phase3_linking", "phase3_linking_test_only"},
		texts(n.PhaseNames, n.PhaseNamesSizes, n.NumPhaseNames))
	do(t, p, capi.PhaseCompileCBuffersDestroyArgs{
		CharBuffers: n.PhaseNames, CharBufferSizes: n.PhaseNamesSizes, NumCharBuffers: n.NumPhaseNames,
	})
	run := capi.PhaseCompileRunPhaseArgs{PhaseCompiler: compiler, Topology: p.topology(t, "v5e:2x2")}
	run.CompileOptions, run.CompileOptionsSize = capi.BytesData(oneDevice)
	set := func(phase string, programs ...string) {
		name, size := capi.StringData(phase)
		run.PhasesToRun, run.NumPhasesToRun = first([]*byte{name})
		run.PhasesToRunSizes, _ = first([]uintptr{size})
		inputs, sizes := make([]*byte, len(programs)), make([]uintptr, len(programs))
		for i, program := range programs {
			inputs[i], sizes[i] = capi.StringData(program)
		}
		run.InputPrograms, run.NumInputPrograms = first(inputs)
		run.InputProgramsSizes, _ = first(sizes)
	}
	set("no such phase")
	_, err := try(p, run)
	assert.Error(t, err)
	set("phase1_hlo_opts", partialProgram(addProgram))
	out := do(t, p, run)
	assert.NotEmpty(t, texts(out.OutputPrograms, out.OutputProgramsSizes, out.NumOutputPrograms))
	do(t, p, capi.PhaseCompileCBuffersDestroyArgs{
		CharBuffers: out.OutputPrograms, CharBufferSizes: out.OutputProgramsSizes, NumCharBuffers: out.NumOutputPrograms,
	})
	do(t, p, capi.PhaseCompileDestroyCompilerArgs{PhaseCompiler: compiler})
}

// partialProgram is a PjRtPartialProgramProto of StableHLO for the first phase.
func partialProgram(text string) string {
	var b []byte
	for i, field := range []string{text, "mlir", "", "phase1_hlo_opts", "1.0"} {
		if field != "" {
			b = protowire.AppendTag(b, protowire.Number(i+1), protowire.BytesType)
			b = protowire.AppendString(b, field)
		}
	}
	return string(b)
}

func aheadABIVersion(t *testing.T, p *plugin) {
	e := p.compileAhead(t, p.topology(t, "v5e:2x2"), addProgram, oneDevice)
	v := do(t, p, capi.ExecutableGetABIVersionArgs{Executable: e}).ABIVersion
	proto := func(v *capi.ExecutableABIVersion) string {
		s := do(t, p, capi.ExecutableABIVersionToProtoArgs{ABIVersion: v})
		defer s.SerializedProtoDeleter.Call(s.SerializedProtoHolder)
		return raw(s.SerializedProto, s.SerializedProtoSize)
	}
	id := do(t, p, capi.ExecutableABIVersionPlatformIDArgs{ABIVersion: v}).PlatformID
	assert.NotZero(t, id)
	bytes := proto(v)
	assert.NotEmpty(t, bytes)
	from := capi.ExecutableABIVersionFromProtoArgs{}
	from.SerializedProto, from.SerializedProtoSize = capi.StringData(bytes)
	again := do(t, p, from).ABIVersion
	assert.Equal(t, bytes, proto(again))
	assert.Equal(t, id, do(t, p, capi.ExecutableABIVersionPlatformIDArgs{ABIVersion: again}).PlatformID)
	do(t, p, capi.ExecutableABIVersionDestroyArgs{ABIVersion: again})
	do(t, p, capi.ExecutableABIVersionDestroyArgs{ABIVersion: v})
}

func aheadTPUExecutable(t *testing.T, p *plugin) {
	serialized := p.serialize(t, p.compileAhead(t, p.topology(t, "v5e:2x2"), addProgram, oneDevice))
	bytes, size := capi.BytesData(serialized)
	target := do(t, p, capi.TPUExecutableGetTargetArgumentsArgs{SerializedExecutable: bytes, SerializedExecutableSize: size})
	assert.NotEmpty(t, raw(target.TargetArguments, target.TargetArgumentsSize))
	module := do(t, p, capi.TPUExecutableGetHLOModuleWithConfigArgs{SerializedExecutable: bytes, SerializedExecutableSize: size})
	assert.Contains(t, raw(module.HLOModuleWithConfig, module.HLOModuleWithConfigSize), "add4")
	stats := do(t, p, capi.TPUExecutableGetCompiledMemoryStatsArgs{SerializedExecutable: bytes, SerializedExecutableSize: size})
	assert.NotEmpty(t, raw(stats.CompiledMemoryStats, stats.CompiledMemoryStatsSize))
	stats.CompiledMemoryStatsDeleter.Call(stats.CompiledMemoryStatsPtr)
	module.HLOModuleWithConfigDeleter.Call(module.HLOModuleWithConfigPtr)
	target.TargetArgumentsDeleter.Call(target.TargetArgumentsPtr)
	env := do(t, p, capi.TPUExecutableSetTPUCompilationEnvArgs{})
	assert.NotEmpty(t, raw(env.ResultCompilationEnvironments, env.ResultCompilationEnvironmentsSize))
	env.ResultCompilationEnvironmentsDeleter.Call(env.ResultCompilationEnvironmentsPtr)
	bad := capi.TPUExecutableGetHLOModuleWithConfigArgs{}
	bad.SerializedExecutable, bad.SerializedExecutableSize = capi.StringData("no executable")
	_, err := try(p, bad)
	assert.Error(t, err)
}

func aheadProfiler(t *testing.T, p *plugin) {
	x := do(t, p, capi.ProfilerCreateArgs{}).Profiler
	require.NotNil(t, x)
	do(t, p, capi.ProfilerStartArgs{Profiler: x})
	do(t, p, capi.ProfilerStopArgs{Profiler: x})
	size := do(t, p, capi.ProfilerCollectDataArgs{Profiler: x}).BufferSizeInBytes
	data := make([]byte, size+1)
	args := capi.ProfilerCollectDataArgs{Profiler: x, BufferSizeInBytes: size}
	args.Buffer, _ = first(data)
	do(t, p, args)
	do(t, p, capi.ProfilerDestroyArgs{Profiler: x})
}

func aheadMultiSlice(t *testing.T, p *plugin) {
	topology := p.topology(t, "v5e:2x2")
	c := do(t, p, capi.MegascaleCreateAOTConfigArgs{Topology: topology, NumSlices: 2}).MultiSliceConfig
	require.NotNil(t, c)
	assert.EqualValues(t, 2, do(t, p, capi.MultiSliceConfigNumSlicesArgs{Config: c}).NumSlices)
	assert.Zero(t, do(t, p, capi.MultiSliceConfigSliceIDArgs{Config: c}).SliceID)
	s := do(t, p, capi.MultiSliceConfigSerializeArgs{Config: c})
	assert.NotEmpty(t, raw(s.Serialized, s.Size))
	s.SerializedConfigDeleter.Call(s.SerializedConfig)
	do(t, p, capi.MultiSliceConfigDestroyArgs{Config: c})
}
