// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package tpu

import (
	"unsafe"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

func table(t *pjrt.Topology) *capi.Table { return raw.TableOf(t) }

// Place is where a chip or a device is: its process, and its index among that process's
// chips or devices, counted from 0.
type Place struct{ Process, Index int }

// ProcessIDs returns the numbers of the processes (PJRT_TpuTopology_ProcessIds).
func ProcessIDs(t *pjrt.Topology) ([]int, error) {
	n, err := Processes(t)
	if err != nil {
		return nil, err
	}
	var c capi.Call[capi.TPUTopologyProcessIDsArgs]
	room := make([]int32, max(n, 1))
	c.Args.ProcessIDs, c.Args.MaxProcessIDs = unsafe.SliceData(room), int32(len(room))
	err = ask(t, &c, &c.Args.Topology)
	return filled(room, c.Args.NumProcessIDs, err)
}

// DevicesOf returns the numbers of the devices of a process
// (PJRT_TpuTopology_LogiDeviceIdsOnProcess).
func DevicesOf(t *pjrt.Topology, process int) ([]int, error) {
	if err := inRange(t, "process", process, Processes); err != nil {
		return nil, err
	}
	n, err := devicesPerProcess(t)
	if err != nil {
		return nil, err
	}
	var c capi.Call[capi.TPUTopologyLogiDeviceIDsOnProcessArgs]
	room := make([]int32, max(n, 1))
	c.Args.ProcessID, c.Args.MaxLogicalDeviceIDs = int32(process), int32(len(room))
	c.Args.LogicalDeviceOfDefaultTypeIDs = unsafe.SliceData(room)
	err = ask(t, &c, &c.Args.Topology)
	return filled(room, c.Args.NumLogicalDeviceIDs, err)
}

// PlaceOfChip returns where a chip is (PJRT_TpuTopology_ProcIdAndIdxOnProcForChip).
func PlaceOfChip(t *pjrt.Topology, chip int) (Place, error) {
	if err := inRange(t, "chip", chip, Chips); err != nil {
		return Place{}, err
	}
	var c capi.Call[capi.TPUTopologyProcIDAndIdxOnProcForChipArgs]
	c.Args.ChipID = int32(chip)
	err := ask(t, &c, &c.Args.Topology)
	return Place{int(c.Args.ProcessID), int(c.Args.IndexOnProcess)}, err
}

// PlaceOfDevice returns where a device is (PJRT_TpuTopology_ProcIdAndIdxOnProcForLogiDevice).
func PlaceOfDevice(t *pjrt.Topology, device int) (Place, error) {
	if err := inRange(t, "device", device, devices); err != nil {
		return Place{}, err
	}
	var c capi.Call[capi.TPUTopologyProcIDAndIdxOnProcForLogiDeviceArgs]
	c.Args.DeviceID = int32(device)
	err := ask(t, &c, &c.Args.Topology)
	return Place{int(c.Args.ProcessID), int(c.Args.IndexOnProcess)}, err
}

// ProcessAt returns the coordinates of a process among the processes
// (PJRT_TpuTopology_ProcessCoordFromId).
func ProcessAt(t *pjrt.Topology, process int) ([]int, error) {
	if err := inRange(t, "process", process, Processes); err != nil {
		return nil, err
	}
	var c capi.Call[capi.TPUTopologyProcessCoordFromIDArgs]
	room := make([]int32, maxDims)
	c.Args.ProcessID, c.Args.Coords, c.Args.CoordsMaxDims = int32(process), unsafe.SliceData(room), maxDims
	err := ask(t, &c, &c.Args.Topology)
	return filled(room, c.Args.CoordsNumDims, err)
}

// ChipAt returns the number of the chip at coordinates (PJRT_TpuTopology_ChipIdFromCoord).
func ChipAt(t *pjrt.Topology, coords []int) (int, error) {
	at, err := within(t, coords)
	if err != nil {
		return 0, err
	}
	var c capi.Call[capi.TPUTopologyChipIDFromCoordArgs]
	c.Args.Coords, c.Args.CoordsNumDims = unsafe.SliceData(at), uintptr(len(at))
	err = ask(t, &c, &c.Args.Topology)
	return int(c.Args.ChipID), err
}

// DeviceAt returns the number of a device from the coordinates of its chip and its place on
// the chip (PJRT_TpuTopology_LogiDeviceIdFromChipCoordAndIdx).
func DeviceAt(t *pjrt.Topology, coords []int, index int) (int, error) {
	at, err := within(t, coords)
	if err != nil {
		return 0, err
	}
	if err := inRange(t, "device index", index, devicesPerChip); err != nil {
		return 0, err
	}
	var c capi.Call[capi.TPUTopologyLogiDeviceIDFromChipCoordAndIdxArgs]
	c.Args.ChipCoords, c.Args.ChipCoordsNumDims = unsafe.SliceData(at), uintptr(len(at))
	c.Args.LogicalDeviceIndexOnChip = int32(index)
	err = ask(t, &c, &c.Args.Topology)
	return int(c.Args.LogicalDeviceOfDefaultTypeID), err
}

// ChipOf returns the coordinates of a device's chip, and the device's place on it
// (PJRT_TpuTopology_ChipCoordAndIdxForLogiDevice).
func ChipOf(t *pjrt.Topology, device int) (coords []int, index int, err error) {
	if err := inRange(t, "device", device, devices); err != nil {
		return nil, 0, err
	}
	var c capi.Call[capi.TPUTopologyChipCoordAndIdxForLogiDeviceArgs]
	room := make([]int32, maxDims)
	c.Args.DeviceID, c.Args.ChipCoords, c.Args.ChipCoordsMaxDims = int32(device), unsafe.SliceData(room), maxDims
	err = ask(t, &c, &c.Args.Topology)
	coords, err = filled(room, c.Args.ChipCoordsNumDims, err)
	return coords, int(c.Args.DeviceIndexOnChip), err
}

// Reachable reports whether a chip can send to another in a system whose chips are not all
// connected (PJRT_TpuTopology_IsReachableOverLimitedIci). libtpu answers for systems of two
// dimensions.
func Reachable(t *pjrt.Topology, from, to int) (bool, error) {
	for _, chip := range []int{from, to} {
		if err := inRange(t, "chip", chip, Chips); err != nil {
			return false, err
		}
	}
	var c capi.Call[capi.TPUTopologyIsReachableOverLimitedICIArgs]
	c.Args.SourceChipID, c.Args.DestChipID = int32(from), int32(to)
	err := ask(t, &c, &c.Args.Topology)
	return c.Args.IsReachableOverLimitedICI, err
}

// Subslice returns the topology of a part of the system. hosts is the number of hosts along
// each dimension, and chipsPerHost the number of chips that each of them has
// (PJRT_TpuTopology_Subslice). The caller closes it.
func Subslice(t *pjrt.Topology, chipsPerHost, hosts []int) (*pjrt.Topology, error) {
	bounds, err := chipBounds(t)
	if err != nil {
		return nil, err
	}
	if len(chipsPerHost) != len(bounds) || len(hosts) != len(bounds) {
		return nil, pjrt.ErrInvalidArgument.Errorf("the system has %d dimensions: %v chips for each of %v hosts cannot be a part of it",
			len(bounds), chipsPerHost, hosts)
	}
	for d := range bounds {
		if chipsPerHost[d] < 1 || hosts[d] < 1 || chipsPerHost[d] > bounds[d]/hosts[d] {
			return nil, pjrt.ErrInvalidArgument.Errorf("a part of %v chips for each of %v hosts does not fit into a system of %v chips",
				chipsPerHost, hosts, bounds)
		}
	}
	var c capi.Call[capi.TPUTopologySubsliceArgs]
	chips, of := int32s(chipsPerHost), int32s(hosts)
	c.Args.ChipsPerHostBounds, c.Args.ChipsPerHostBoundsNumDims = unsafe.SliceData(chips), uintptr(len(chips))
	c.Args.HostBounds, c.Args.HostBoundsNumDims = unsafe.SliceData(of), uintptr(len(of))
	if err := ask(t, &c, &c.Args.Topology); err != nil {
		return nil, err
	}
	return raw.AdoptTopology(t.Plugin(), c.Args.SubsliceTopology)
}

// mostChips is more chips than any system has. libtpu takes minutes to make a few times as many.
const mostChips = 1 << 20

// WithHosts returns the topology of a system like t with the given number of hosts along
// each dimension (PJRT_TpuTopology_ReplaceHostBounds). The caller closes it.
func WithHosts(t *pjrt.Topology, hosts []int) (*pjrt.Topology, error) {
	bounds, err := chipBounds(t)
	if err != nil {
		return nil, err
	}
	if len(hosts) != len(bounds) {
		return nil, pjrt.ErrInvalidArgument.Errorf("the system has %d dimensions, not %d", len(bounds), len(hosts))
	}
	chips, err := ChipsPerProcess(t)
	if err != nil {
		return nil, err
	}
	for _, n := range hosts {
		if n < 1 || n > mostChips/max(chips, 1) {
			return nil, pjrt.ErrInvalidArgument.Errorf("there cannot be %v hosts: a system has 1 to %d chips", hosts, mostChips)
		}
		chips *= n
	}
	var c capi.Call[capi.TPUTopologyReplaceHostBoundsArgs]
	of := int32s(hosts)
	c.Args.HostBounds, c.Args.HostBoundsDimNum = unsafe.SliceData(of), uintptr(len(of))
	if err := ask(t, &c, &c.Args.Topology); err != nil {
		return nil, err
	}
	return raw.AdoptTopology(t.Plugin(), c.Args.NewTopology)
}

// DeviceInSubslice returns the number that a device of the system has in a part that begins at
// the chip with the coordinates origin (PJRT_TpuTopology_SubsliceDeviceIdFromFullDeviceId). A
// device outside the part is an error.
func DeviceInSubslice(t, part *pjrt.Topology, origin []int, device int) (int, error) {
	at, err := within(t, origin)
	if err != nil {
		return 0, err
	}
	if err := inRange(t, "device", device, devices); err != nil {
		return 0, err
	}
	h, release, err := raw.AcquireTopology(part)
	if err != nil {
		return 0, err
	}
	defer release()
	if table(part).API() != table(t).API() {
		return 0, pjrt.ErrInvalidArgument.Errorf("the part is a topology of another plugin")
	}
	if err := sameKind(t, part); err != nil {
		return 0, err
	}
	whole, err := chipBounds(t)
	if err != nil {
		return 0, err
	}
	small, err := chipBounds(part)
	if err != nil {
		return 0, err
	}
	coords, _, err := ChipOf(t, device)
	if err != nil {
		return 0, err
	}
	for d := range whole {
		if d >= len(small) || d >= len(coords) || origin[d]+small[d] > whole[d] {
			return 0, pjrt.ErrInvalidArgument.Errorf("a part of %v chips does not fit into a system of %v chips at %v",
				small, whole, origin)
		}
		if coords[d] < origin[d] || coords[d] >= origin[d]+small[d] {
			return 0, pjrt.ErrInvalidArgument.Errorf("device %d is on the chip at %v, outside the part of %v chips at %v",
				device, coords, small, origin)
		}
	}
	var c capi.Call[capi.TPUTopologySubsliceDeviceIDFromFullDeviceIDArgs]
	c.Args.SubsliceTopology, c.Args.FullDeviceID = h, int32(device)
	c.Args.SubsliceOrigin, c.Args.SubsliceOriginDimNum = unsafe.SliceData(at), uintptr(len(at))
	err = ask(t, &c, &c.Args.ClientTopology)
	return int(c.Args.SubsliceDeviceID), err
}

// sameKind returns an error if a part has other devices than the system.
func sameKind(t, part *pjrt.Topology) error {
	all, err := t.Devices()
	if err != nil {
		return err
	}
	some, err := part.Devices()
	if err != nil {
		return err
	}
	if len(all) > 0 && len(some) > 0 && all[0].Kind() != some[0].Kind() {
		return pjrt.ErrInvalidArgument.Errorf("the part has devices of the kind %s, and the system has %s", some[0].Kind(), all[0].Kind())
	}
	return nil
}

// inRange returns an error unless n is from 0 to count-1.
func inRange(t *pjrt.Topology, what string, n int, count func(*pjrt.Topology) (int, error)) error {
	all, err := count(t)
	if err == nil && (n < 0 || n >= all) {
		err = pjrt.ErrInvalidArgument.Errorf("there is no %s %d: the numbers are 0 to %d", what, n, all-1)
	}
	return err
}

// within returns the coordinates of a chip for C, or an error if the system has no such chip.
func within(t *pjrt.Topology, coords []int) ([]int32, error) {
	bounds, err := chipBounds(t)
	if err != nil {
		return nil, err
	}
	if len(coords) != len(bounds) {
		return nil, pjrt.ErrInvalidArgument.Errorf("the chips have %d coordinates, not %d", len(bounds), len(coords))
	}
	for d, x := range coords {
		if x < 0 || x >= bounds[d] {
			return nil, pjrt.ErrInvalidArgument.Errorf("there is no chip at %v in a system of %v chips", coords, bounds)
		}
	}
	return int32s(coords), nil
}

func int32s(list []int) []int32 {
	out := make([]int32, len(list))
	for i, x := range list {
		out[i] = int32(x)
	}
	return out
}
