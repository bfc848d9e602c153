// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrttest

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
)

func TestQuestionsAboutTPUsWithWrongArguments(t *testing.T) {
	t.Parallel()
	x := newCaller(t, Options{Devices: 4, Processes: 2, Extensions: deviceExtensions}) // 2x2x2 chips
	top := ok(x, capi.ClientTopologyDescriptionArgs{Client: x.c}).Topology
	ints := func(list ...int32) *int32 { return &list[0] }
	const big = 1 << 20

	part := ok(x, capi.TPUTopologySubsliceArgs{Topology: top, ChipsPerHostBounds: ints(1, 2, 1), ChipsPerHostBoundsNumDims: 3,
		HostBounds: ints(1, 1, 2), HostBoundsNumDims: 3}).SubsliceTopology
	inPart := capi.TPUTopologySubsliceDeviceIDFromFullDeviceIDArgs{ClientTopology: top, SubsliceTopology: part,
		SubsliceOrigin: ints(1, 0, 0), SubsliceOriginDimNum: 3, FullDeviceID: 3}
	assert.Equal(t, int32(1), ok(x, inPart).SubsliceDeviceID)
	inPart.FullDeviceID = 2
	wrong(x, "device 2 is outside the part of [1 2 2] chips at [1 0 0]", inPart)
	inPart.FullDeviceID = 8
	wrong(x, "no device 8", inPart)
	inPart.FullDeviceID, inPart.SubsliceOrigin = 3, ints(2, 0, 0)
	wrong(x, "no chip at [2 0 0]", inPart)
	inPart.SubsliceOrigin = nil
	wrong(x, "has 3 coordinates", inPart)
	flat, name := capi.TopologyDescriptionCreateArgs{}, "1x2x2x2"
	flat.TopologyName, flat.TopologyNameSize = capi.StringData(name)
	inPart.SubsliceOrigin, inPart.SubsliceTopology = ints(0, 0, 0), ok(x, flat).Topology
	wrong(x, "4 dimensions", inPart)
	ok(x, capi.TopologyDescriptionDestroyArgs{Topology: inPart.SubsliceTopology})
	inPart.SubsliceTopology = nil
	wrong(x, "the PJRT_TopologyDescription is null", inPart)
	ok(x, capi.TopologyDescriptionDestroyArgs{Topology: part})
	inPart.SubsliceTopology = part
	wrong(x, "was destroyed", inPart)

	for text, a := range map[string]capi.TPUTopologySubsliceArgs{
		"does not fit into a system of [2 2 2]": {ChipsPerHostBounds: ints(2, 2, 2), ChipsPerHostBoundsNumDims: 3, HostBounds: ints(1, 1, 2), HostBoundsNumDims: 3},
		"the chips of a host have 2":            {ChipsPerHostBounds: ints(2, 2), ChipsPerHostBoundsNumDims: 2, HostBounds: ints(1, 1, 2), HostBoundsNumDims: 3},
		"the hosts have 3":                      {ChipsPerHostBounds: ints(2, 2, 1), ChipsPerHostBoundsNumDims: 3, HostBoundsNumDims: 3},
		"not a list of hosts":                   {ChipsPerHostBounds: ints(2, 2, 1), ChipsPerHostBoundsNumDims: 3, HostBounds: ints(1, 0, 1), HostBoundsNumDims: 3},
		"not a list of chips of a host":         {ChipsPerHostBounds: ints(big, big, big), ChipsPerHostBoundsNumDims: 3, HostBounds: ints(1, 1, 1), HostBoundsNumDims: 3},
	} {
		a.Topology = top
		wrong(x, text, a)
	}
	wrong(x, "are more than 65536 chips", capi.TPUTopologyReplaceHostBoundsArgs{Topology: top, HostBounds: ints(1<<8, 1<<7, 1), HostBoundsDimNum: 3})

	room := make([]int32, 8)
	wrong(x, "room for 1 numbers, but there are 2", capi.TPUTopologyProcessIDsArgs{Topology: top, MaxProcessIDs: 1, ProcessIDs: &room[0]})
	wrong(x, "room for 0 numbers", capi.TPUTopologyProcessIDsArgs{Topology: top, MaxProcessIDs: -1, ProcessIDs: &room[0]})
	wrong(x, "room for 8 numbers", capi.TPUTopologyProcessIDsArgs{Topology: top, MaxProcessIDs: 8})
	on := capi.TPUTopologyLogiDeviceIDsOnProcessArgs{
		Topology: top, ProcessID: 2, MaxLogicalDeviceIDs: 3, LogicalDeviceOfDefaultTypeIDs: &room[0]}
	wrong(x, "no process 2", on)
	on.ProcessID = 1
	wrong(x, "room for 3 numbers, but there are 4", on)
	wrong(x, "no process -1", capi.TPUTopologyProcessCoordFromIDArgs{Topology: top, ProcessID: -1, CoordsMaxDims: 8, Coords: &room[0]})
	wrong(x, "no chip 8", capi.TPUTopologyProcIDAndIdxOnProcForChipArgs{Topology: top, ChipID: 8})
	wrong(x, "no device -1", capi.TPUTopologyProcIDAndIdxOnProcForLogiDeviceArgs{Topology: top, DeviceID: -1})
	wrong(x, "no chip 9", capi.TPUTopologyIsReachableOverLimitedICIArgs{Topology: top, DestChipID: 9})
	wrong(x, "has 3 coordinates, not 2", capi.TPUTopologyChipIDFromCoordArgs{Topology: top, Coords: &room[0], CoordsNumDims: 2})
	wrong(x, "with the index 1", capi.TPUTopologyLogiDeviceIDFromChipCoordAndIdxArgs{
		Topology: top, ChipCoords: &room[0], ChipCoordsNumDims: 3, LogicalDeviceIndexOnChip: 1})
	wrong(x, "room for 2 numbers, but there are 3", capi.TPUTopologyChipCoordAndIdxForLogiDeviceArgs{Topology: top, ChipCoords: &room[0], ChipCoordsMaxDims: 2})
	wrong(x, "room for 2 numbers, but there are 3", capi.TPUTopologyChipBoundsArgs{Topology: top, ChipBounds: &room[0], ChipBoundsMaxDims: 2})
	assert.Equal(t, make([]int32, 8), room, "nothing was written")

	strategy := []byte("12345678")
	a := ok(x, capi.TPUTopologyGetRoutingStrategyArgs{Topology: top, RoutingStrategy: &strategy[0], RoutingStrategyLen: 8})
	assert.Equal(t, "mesh\x00678", string(strategy))
	assert.Equal(t, uintptr(5), a.RoutingStrategyLen)
	wrong(x, "room for 4 bytes", capi.TPUTopologyGetRoutingStrategyArgs{Topology: top, RoutingStrategy: &strategy[0], RoutingStrategyLen: 4})

	uneven := x.p.newTopology(x.p.layoutOf([]int{4, 3}), true)
	wrong(x, "the processes have [4 3] devices", capi.TPUTopologyChipCountArgs{Topology: uneven.handle}, capi.ErrorCodeFailedPrecondition)
	ok(x, capi.TopologyDescriptionDestroyArgs{Topology: uneven.handle})
}

func TestConfigurationsOfSlicesWithWrongArguments(t *testing.T) {
	t.Parallel()
	x := newCaller(t, Options{Extensions: deviceExtensions})
	top := ok(x, capi.ClientTopologyDescriptionArgs{Client: x.c}).Topology
	wrong(x, "from 1 to 65536 slices, not 0", capi.MegascaleCreateAOTConfigArgs{Topology: top})
	wrong(x, "from 1 to 65536 slices, not 65537", capi.MegascaleCreateAOTConfigArgs{Topology: top, NumSlices: 1<<16 + 1})
	wrong(x, "the PJRT_Megascale_ClientContext is null", capi.MegascaleCreateMultiSliceConfigArgs{Topology: top, NumSlices: 1})
	context := ok(x, capi.MegascaleCreateDefaultClientContextArgs{}).ClientContext
	wrong(x, "no slice 2 in a job of 2", capi.MegascaleCreateMultiSliceConfigArgs{Topology: top, NumSlices: 2, LocalSliceID: 2, ClientContext: context})
	ok(x, capi.MegascaleDeleteClientContextArgs{ClientContext: context})
	wrong(x, "was destroyed", capi.MegascaleDeleteClientContextArgs{ClientContext: context})
	wrong(x, "no device -1 in a slice 0", capi.MegascaleDeviceIDToMegascaleIDArgs{PerSliceDeviceID: -1})

	config := ok(x, capi.MegascaleCreateAOTConfigArgs{Topology: top, NumSlices: 2}).MultiSliceConfig
	per := ok(x, capi.MultiSliceConfigNumDevicesPerSliceArgs{Config: config})
	serialized := ok(x, capi.MultiSliceConfigSerializeArgs{Config: config})
	ok(x, capi.MultiSliceConfigDestroyArgs{Config: config})
	assert.Equal(t, []int32{1, 1}, capi.Slice(per.NumDevices, per.NumDevicesPerSliceMap), "the map outlives the configuration")
	require.NoError(t, checkSlices(capi.Bytes(serialized.Serialized, serialized.Size)))
	for text, c := range map[string]*sliceConfig{
		"not 0": {}, "not -1": {slices: -1}, "no slice 2": {slices: 2, slice: 2}, "no slice -1": {slices: 2, slice: -1},
	} {
		assert.ErrorContains(t, checkSlices(c.proto()), text)
	}
	per.DevicesPerSliceMapDeleter.Call(per.DevicesPerSliceMap)
	serialized.SerializedConfigDeleter.Call(serialized.SerializedConfig)

	e := x.compile("add", "(%a: tensor<1xf32>, %b: tensor<1xf32>) -> tensor<1xf32>")
	a, out := x.upload(x.c, x.devices(x.c)[0], 1), make([]*capi.Buffer, 1)
	args := execution(e, out, a, a)
	args.Options.MultiSliceConfig = config
	wrong(x, "was destroyed", args)
	x.destroy(a)
	ok(x, capi.LoadedExecutableDestroyArgs{Executable: e})
}
