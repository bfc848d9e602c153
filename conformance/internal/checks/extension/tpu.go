// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package extension

import (
	"fmt"
	"slices"
	"strings"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/internal/wire"
)

// maxDims is larger than the number of dimensions of any topology.
const maxDims = 8

// tpuCounts holds the counts of a TPU topology.
type tpuCounts struct {
	processes, chipsPerProcess, chips         int32
	coresPerChip, coresPerProcess, cores      int32
	devicesPerChip, devicesPerProcess, device int32
}

func countsOf(t *check.T, x *capi.TopologyDescription) tpuCounts {
	return tpuCounts{
		processes:         check.Call(t, capi.TPUTopologyProcessCountArgs{Topology: x}).ProcessCount,
		chipsPerProcess:   check.Call(t, capi.TPUTopologyChipsPerProcessArgs{Topology: x}).ChipsPerProcess,
		chips:             check.Call(t, capi.TPUTopologyChipCountArgs{Topology: x}).ChipCount,
		coresPerChip:      check.Call(t, capi.TPUTopologyCoreCountPerChipArgs{Topology: x}).CoreCountOfDefaultTypePerChip,
		coresPerProcess:   check.Call(t, capi.TPUTopologyCoreCountPerProcessArgs{Topology: x}).CoreCountOfDefaultTypePerProcess,
		cores:             check.Call(t, capi.TPUTopologyCoreCountArgs{Topology: x}).CoreCountOfDefaultType,
		devicesPerChip:    check.Call(t, capi.TPUTopologyLogiDeviceCountPerChipArgs{Topology: x}).LogicalDeviceCountOfDefaultTypePerChip,
		devicesPerProcess: check.Call(t, capi.TPUTopologyLogiDeviceCountPerProcessArgs{Topology: x}).LogicalDeviceCountOfDefaultTypePerProcess,
		device:            check.Call(t, capi.TPUTopologyLogiDeviceCountArgs{Topology: x}).LogicalDeviceCountOfDefaultType,
	}
}

// bounds returns the dimensions that a call filled in; ask returns how many these are.
func bounds(t *check.T, what string, ask func(list *int32) uintptr) []int32 {
	list := make([]int32, maxDims)
	return dimsOf(t, list, ask(&list[0]), what)
}

// dimsOf returns the dimensions that a call filled in.
func dimsOf(t *check.T, list []int32, n uintptr, what string) []int32 {
	if n == 0 || n > uintptr(len(list)) {
		t.Fatalf("%s: expected 1 to %d dimensions, got %d", what, len(list), n)
	}
	return list[:n]
}

func chipBounds(t *check.T, x *capi.TopologyDescription) []int32 {
	return bounds(t, "chip bounds", func(list *int32) uintptr {
		return check.Call(t, capi.TPUTopologyChipBoundsArgs{Topology: x, ChipBoundsMaxDims: maxDims, ChipBounds: list}).ChipBoundsNumDims
	})
}

func processBounds(t *check.T, x *capi.TopologyDescription) []int32 {
	return bounds(t, "process bounds", func(list *int32) uintptr {
		args := capi.TPUTopologyProcessBoundsArgs{Topology: x, ProcessBoundsMaxDims: maxDims, ProcessBounds: list}
		return check.Call(t, args).ProcessBoundsNumDims
	})
}

func chipsPerProcessBounds(t *check.T, x *capi.TopologyDescription) []int32 {
	return bounds(t, "bounds of the chips of a process", func(list *int32) uintptr {
		args := capi.TPUTopologyChipsPerProcessBoundsArgs{Topology: x, ChipPerProcessBoundsMaxDims: maxDims, ChipPerProcessBounds: list}
		return check.Call(t, args).ChipPerProcessBoundsNumDims
	})
}

func product(list []int32) int32 {
	p := int32(1)
	for _, n := range list {
		p *= n
	}
	return p
}

// coordinates calls visit with every place within bounds.
func coordinates(bounds []int32, visit func([]int32)) {
	at := make([]int32, len(bounds))
	for {
		visit(at)
		i := 0
		for ; i < len(at); i++ {
			if at[i]++; at[i] < bounds[i] {
				break
			}
			at[i] = 0
		}
		if i == len(at) {
			return
		}
	}
}

var topologyChecks = []check.Check{
	{Rule: "XTPU-01", Library: true, Run: func(t *check.T) {
		x := t.Topology()
		c := countsOf(t, x)
		check.Equal(t, c, countsOf(t, x), "counts that are asked for again")
		check.Equal(t, c.processes*c.chipsPerProcess, c.chips, "chips, next to processes x chips per process, of %+v", c)
		check.Equal(t, c.chips*c.coresPerChip, c.cores, "cores, next to chips x cores per chip, of %+v", c)
		check.Equal(t, c.chipsPerProcess*c.coresPerChip, c.coresPerProcess, "cores per process, of %+v", c)
		check.Equal(t, c.chips*c.devicesPerChip, c.device, "logical devices, next to chips x devices per chip, of %+v", c)
		check.Equal(t, c.chipsPerProcess*c.devicesPerChip, c.devicesPerProcess, "logical devices per process, of %+v", c)
		check.Equal(t, c.chips, product(chipBounds(t, x)), "chips within the bounds")
		check.Equal(t, c.processes, product(processBounds(t, x)), "processes within the bounds")
		check.Equal(t, c.chipsPerProcess, product(chipsPerProcessBounds(t, x)), "chips of a process within the bounds")
		ids := make([]int32, c.processes)
		processes := capi.TPUTopologyProcessIDsArgs{Topology: x, MaxProcessIDs: c.processes}
		processes.ProcessIDs, _ = check.First(ids)
		check.Equal(t, uintptr(c.processes), check.Call(t, processes).NumProcessIDs, "number of process ids")
		seen := make(map[int32]bool)
		for _, id := range ids {
			list := make([]int32, c.devicesPerProcess)
			on := capi.TPUTopologyLogiDeviceIDsOnProcessArgs{Topology: x, ProcessID: id, MaxLogicalDeviceIDs: c.devicesPerProcess}
			on.LogicalDeviceOfDefaultTypeIDs, _ = check.First(list)
			check.Equal(t, uintptr(c.devicesPerProcess), check.Call(t, on).NumLogicalDeviceIDs, "number of device ids on process %d", id)
			for _, d := range list {
				if seen[d] {
					t.Errorf("the device %d is on two processes", d)
				}
				seen[d] = true
			}
		}
		check.Equal(t, int(c.device), len(seen), "devices on all processes")
		check.Equal(t, int(c.device), len(topologyDescriptions(t)), "device descriptions")
	}},
	{Rule: "XTPU-02", Library: true, Run: func(t *check.T) {
		x := t.Topology()
		c := countsOf(t, x)
		chips, devices := make(map[int32]bool), make(map[int32]bool)
		type place struct{ process, index int32 }
		onProcess := make(map[place]int32)
		coordinates(chipBounds(t, x), func(at []int32) {
			chip := capi.TPUTopologyChipIDFromCoordArgs{Topology: x}
			chip.Coords, chip.CoordsNumDims = check.First(at)
			id := check.Call(t, chip).ChipID
			if id < 0 || id >= c.chips || chips[id] {
				t.Errorf("the chip at %v: expected an id of its own below %d, got %d", at, c.chips, id)
			}
			chips[id] = true
			for i := range c.devicesPerChip {
				to := capi.TPUTopologyLogiDeviceIDFromChipCoordAndIdxArgs{Topology: x, LogicalDeviceIndexOnChip: i}
				to.ChipCoords, to.ChipCoordsNumDims = check.First(at)
				d := check.Call(t, to).LogicalDeviceOfDefaultTypeID
				if devices[d] {
					t.Errorf("the device %d is in two places", d)
				}
				devices[d] = true
				back := make([]int32, maxDims)
				from := capi.TPUTopologyChipCoordAndIdxForLogiDeviceArgs{Topology: x, DeviceID: d, ChipCoordsMaxDims: maxDims}
				from.ChipCoords, _ = check.First(back)
				out := check.Call(t, from)
				got := dimsOf(t, back, out.ChipCoordsNumDims, "the place of a device")
				check.Equal(t, fmt.Sprint(at, i), fmt.Sprint(got, out.DeviceIndexOnChip), "place and index on the chip of device %d", d)
				on := check.Call(t, capi.TPUTopologyProcIDAndIdxOnProcForLogiDeviceArgs{Topology: x, DeviceID: d})
				p := place{on.ProcessID, on.IndexOnProcess}
				if p.index < 0 || p.index >= c.devicesPerProcess {
					t.Errorf("index on the process of device %d: expected 0 to %d, got %d", d, c.devicesPerProcess-1, p.index)
				}
				if other, taken := onProcess[p]; taken {
					t.Errorf("the devices %d and %d both are number %d of process %d", other, d, p.index, p.process)
				}
				onProcess[p] = d
			}
		})
		places := make(map[place]int32)
		for id := range c.chips {
			out := check.Call(t, capi.TPUTopologyProcIDAndIdxOnProcForChipArgs{Topology: x, ChipID: id})
			p := place{out.ProcessID, out.IndexOnProcess}
			if other, taken := places[p]; taken {
				t.Errorf("the chips %d and %d both are number %d of process %d", other, id, p.index, p.process)
			}
			places[p] = id
		}
	}},
	{Rule: "XTPU-03", Library: true, Hostile: true, Run: func(t *check.T) {
		x := t.Topology()
		full := countsOf(t, x)
		bounds := chipsPerProcessBounds(t, x)
		ones := make([]int32, len(bounds))
		for i := range ones {
			ones[i] = 1
		}
		smaller := slices.Clone(bounds)
		if full.processes == 1 {
			for i := range smaller {
				if smaller[i] > 1 {
					smaller[i] /= 2
					break
				}
			}
		}
		args := capi.TPUTopologySubsliceArgs{Topology: x}
		args.ChipsPerHostBounds, args.ChipsPerHostBoundsNumDims = check.First(smaller)
		args.HostBounds, args.HostBoundsNumDims = check.First(ones)
		out, err := check.Try(t, args)
		if err != nil || full.chips == 1 {
			t.SkipEnvf("the topology %v cannot be made smaller: %v", bounds, err)
		}
		sub := check.Own(t, out.SubsliceTopology)
		check.Equal(t, true, check.Call(t, capi.TPUTopologyIsSubsliceTopologyArgs{Topology: sub}).IsSubsliceTopology,
			"is_subslice_topology of a subslice")
		part := countsOf(t, sub)
		if part.device >= full.device {
			t.Errorf("a subslice of %v chips: expected less than %d devices, got %d", smaller, full.device, part.device)
		}
		ids := make(map[int32]int32)
		for d := range full.device {
			at := make([]int32, maxDims)
			place := capi.TPUTopologyChipCoordAndIdxForLogiDeviceArgs{Topology: x, DeviceID: d, ChipCoordsMaxDims: maxDims}
			place.ChipCoords, _ = check.First(at)
			dimsOf(t, at, check.Call(t, place).ChipCoordsNumDims, "the place of a device")
			outside := false // asking for a device outside may end the process
			for i, n := range smaller {
				outside = outside || at[i] >= n
			}
			if outside {
				continue
			}
			id := capi.TPUTopologySubsliceDeviceIDFromFullDeviceIDArgs{ClientTopology: x, SubsliceTopology: sub, FullDeviceID: d}
			id.SubsliceOrigin, id.SubsliceOriginDimNum = check.First(make([]int32, len(bounds)))
			out := check.Call(t, id)
			if other, taken := ids[out.SubsliceDeviceID]; taken {
				t.Errorf("the devices %d and %d both have the id %d in the subslice", other, d, out.SubsliceDeviceID)
			}
			ids[out.SubsliceDeviceID] = d
		}
		check.Equal(t, int(part.device), len(ids), "devices of the full topology that are in the subslice")
	}},
	{Rule: "XTPU-04", Library: true, Run: func(t *check.T) {
		strategy := capi.TPUTopologyGetRoutingStrategyArgs{Topology: t.Topology()}
		text := make([]byte, 256)
		strategy.RoutingStrategy, strategy.RoutingStrategyLen = check.First(text)
		out := check.Call(t, strategy)
		if i := strings.IndexByte(string(text), 0); i <= 0 {
			t.Errorf("expected a routing strategy that ends with a zero byte, got %q of %d bytes", text, out.RoutingStrategyLen)
		}
		short := capi.TPUTopologyGetRoutingStrategyArgs{Topology: t.Topology()}
		one := []byte{check.Canary, check.Canary}
		short.RoutingStrategy, _ = check.First(one)
		short.RoutingStrategyLen = 1
		if _, err := check.Try(t, short); err == nil {
			t.Errorf("a routing strategy in one byte: expected an error, got %q", one)
		}
		check.Equal(t, check.Canary, one[1], "the byte after the memory for a routing strategy")
	}},
}

var megascaleChecks = []check.Check{
	{Rule: "XTPU-06", Hostile: true, Run: func(t *check.T) {
		for range 2 {
			x := check.Call(t, capi.MegascaleCreateClientContextFromPjRtClientArgs{Client: t.Client().Handle}).ClientContext
			if x == nil {
				t.Fatalf("PJRT_Megascale_CreateClientContextFromPjRtClient: success without a context")
			}
			check.Call(t, capi.MegascaleDeleteClientContextArgs{ClientContext: x})
		}
	}},
}

// slicesOf makes a configuration of two slices of the topology; end destroys it.
func slicesOf(t *check.T) (config *capi.MultiSliceConfig, end func()) {
	config = check.Optional(t, capi.MegascaleCreateAOTConfigArgs{Topology: t.Topology(), NumSlices: 2}).MultiSliceConfig
	if config == nil {
		t.Fatalf("PJRT_Megascale_CreateAoTConfig: success without a configuration")
	}
	return config, func() { check.Call(t, capi.MultiSliceConfigDestroyArgs{Config: config}) }
}

// perSlice formats how many devices each slice has.
func perSlice(a *capi.MultiSliceConfigNumDevicesPerSliceArgs) string {
	devices, counts := make(map[int32]int32), capi.Slice(a.NumDevices, a.NumDevicesPerSliceMap)
	for i, id := range capi.Slice(a.SliceIDs, a.NumDevicesPerSliceMap) {
		devices[id] = counts[i]
	}
	return fmt.Sprint(devices)
}

// multiSliceConfig is the field of CompileOptionsProto with a serialized configuration.
const multiSliceConfig = 6

// compileWithSlices compiles with a serialized configuration in the options, for a replica
// on each of two slices.
func compileWithSlices(t *check.T, config []byte) error {
	_, err := buildWith(t, check.AddOne, wire.AppendBytes(check.Devices(2, 1), multiSliceConfig, config))
	return err
}

var sliceChecks = []check.Check{
	{Rule: "XMS-01", Library: true, Run: func(t *check.T) {
		c, end := slicesOf(t)
		defer end()
		check.Steady[capi.MultiSliceConfigNumSlicesArgs](t, "configuration", []*capi.MultiSliceConfig{c}, nil)
		check.Steady[capi.MultiSliceConfigSliceIDArgs](t, "configuration", []*capi.MultiSliceConfig{c}, nil)
		n := check.Call(t, capi.MultiSliceConfigNumSlicesArgs{Config: c}).NumSlices
		check.Equal(t, int32(2), n, "slices of a configuration of two")
		if id := check.Call(t, capi.MultiSliceConfigSliceIDArgs{Config: c}).SliceID; id < 0 || id >= n {
			t.Errorf("slice_id: expected 0 to %d, got %d", n-1, id)
		}
	}},
	{Rule: "XMS-02", Library: true, Run: func(t *check.T) {
		c, end := slicesOf(t)
		defer end()
		first := check.Call(t, capi.MultiSliceConfigNumDevicesPerSliceArgs{Config: c})
		before := perSlice(&first)
		first.DevicesPerSliceMapDeleter.Call(first.DevicesPerSliceMap)
		out := check.Call(t, capi.MultiSliceConfigNumDevicesPerSliceArgs{Config: c})
		check.Equal(t, before, perSlice(&out), "the map, made again after the first one was freed")
		check.Equal(t, uintptr(2), out.NumDevicesPerSliceMap, "entries of the map of a configuration of two slices")
		seen, counts := make(map[int32]bool), capi.Slice(out.NumDevices, out.NumDevicesPerSliceMap)
		for i, id := range capi.Slice(out.SliceIDs, out.NumDevicesPerSliceMap) {
			if id < 0 || id >= 2 || seen[id] || counts[i] <= 0 {
				t.Errorf("entry %d: expected a slice of its own with devices, got slice %d with %d", i, id, counts[i])
			}
			seen[id] = true
		}
		out.DevicesPerSliceMapDeleter.Call(out.DevicesPerSliceMap)
	}},
	{Rule: "XMS-03", Library: true, Run: func(t *check.T) {
		c, end := slicesOf(t)
		defer end()
		first := ""
		for range 2 {
			s := check.Call(t, capi.MultiSliceConfigSerializeArgs{Config: c})
			b := capi.String(s.Serialized, s.Size)
			s.SerializedConfigDeleter.Call(s.SerializedConfig)
			isMessage(t, []byte(b), "the configuration")
			if first == "" {
				first = b
			}
			check.Equal(t, first, b, "a configuration that is serialized again")
		}
		canCompile(t)
		t.NoError(compileWithSlices(t, []byte(first)), "compiling for the configuration, serialized")
		t.ErrorCode(compileWithSlices(t, []byte("\xff\xff\xff")), "compiling for a configuration of several slices that is garbage")
	}},
}
