// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package extension

import (
	"fmt"
	"slices"
	"sync"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/ffi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
)

func standInGPU() *serve.GPUCustomCall {
	var mu sync.Mutex
	registered := make(map[string]uintptr)
	return &serve.GPUCustomCall{CustomCallHandlesTraits: true, CustomCall: func(a *capi.GPURegisterCustomCallArgs) error {
		mu.Lock()
		defer mu.Unlock()
		name := capi.String(a.FunctionName, a.FunctionNameSize)
		switch old, again := registered[name]; {
		case a.APIVersion != 0 && a.APIVersion != 1:
			return invalid("there is no such api_version")
		case again && old != a.HandlerExecute:
			return invalid("there is another handler of that name")
		}
		if a.APIVersion == 1 {
			askHandler(ffi.Handler(a.HandlerExecute))
		}
		registered[name] = a.HandlerExecute
		return nil
	}}
}

func standInMegascale() *serve.MegascaleExtension {
	var contexts objects[capi.MegascaleClientContext]
	return &serve.MegascaleExtension{
		CreateClientContextFromPJRTClient: func(a *capi.MegascaleCreateClientContextFromPjRtClientArgs) error {
			a.ClientContext = contexts.add(newHandle[capi.MegascaleClientContext](), "")
			return nil
		},
		DeleteClientContext: func(a *capi.MegascaleDeleteClientContextArgs) error { return contexts.drop(a.ClientContext) },
		CreateAOTConfig: func(a *capi.MegascaleCreateAOTConfigArgs) error {
			a.MultiSliceConfig = configs.add(newHandle[capi.MultiSliceConfig](), fmt.Sprintf("\x08%c", rune(a.NumSlices)))
			return nil
		},
	}
}

// configs holds messages whose field 1 is the number of slices.
var configs objects[capi.MultiSliceConfig]

func standInSlices() *serve.MultiSliceExtension {
	return &serve.MultiSliceExtension{
		ConfigDestroy: func(a *capi.MultiSliceConfigDestroyArgs) error { return configs.drop(a.Config) },
		ConfigNumSlices: func(a *capi.MultiSliceConfigNumSlicesArgs) error {
			c, err := configs.find(a.Config)
			if err == nil {
				a.NumSlices = int32(c[1])
			}
			return err
		},
		ConfigSliceID: func(a *capi.MultiSliceConfigSliceIDArgs) error {
			_, err := configs.find(a.Config)
			a.SliceID = 1
			return err
		},
		ConfigNumDevicesPerSlice: func(a *capi.MultiSliceConfigNumDevicesPerSliceArgs) error {
			c, err := configs.find(a.Config)
			if err != nil {
				return err
			}
			n := int32(c[1])
			ids, counts := make([]int32, n), make([]int32, n)
			for i := range n {
				ids[i], counts[i] = i, 4
			}
			a.SliceIDs, a.NumDevicesPerSliceMap = mutant.LastingArray(ids)
			a.NumDevices, _ = mutant.LastingArray(counts)
			a.DevicesPerSliceMapDeleter = capi.MultiSliceConfigNumDevicesPerSliceArgsDevicesPerSliceMapDeleter(nothing())
			return nil
		},
		ConfigSerialize: func(a *capi.MultiSliceConfigSerializeArgs) error {
			c, err := configs.find(a.Config)
			a.Serialized, a.Size = mutant.LastingText(c)
			a.SerializedConfigDeleter = capi.MultiSliceConfigSerializeArgsSerializedConfigDeleter(nothing())
			return err
		},
	}
}

// subslices holds topologies of a part of the chips, with their bounds.
var subslices objects[capi.TopologyDescription]

// bounds returns the bounds of a topology's chips: 2x2x1, with one device each and one
// process, except for a subslice.
func bounds(x *capi.TopologyDescription) []int32 {
	if b, err := subslices.find(x); err == nil {
		return []int32{int32(b[0]), int32(b[1]), int32(b[2])}
	}
	return []int32{2, 2, 1}
}

func number32(x *capi.TopologyDescription, out *int32) error {
	*out = product(bounds(x))
	return nil
}

func constant(out *int32) error {
	*out = 1
	return nil
}

// fillIn returns a list of dimensions in the caller's memory.
func fillIn(list []int32, to *int32, room uintptr, n *uintptr) error {
	if room < uintptr(len(list)) {
		return invalid("there is no room for the dimensions")
	}
	copy(mutant.View(to, room), list)
	*n = uintptr(len(list))
	return nil
}

// idAt and placeOf convert places to numbers and back.
func idAt(bounds, at []int32) int32 { return at[0] + bounds[0]*(at[1]+bounds[1]*at[2]) }

func placeOf(bounds []int32, id int32) []int32 {
	return []int32{id % bounds[0], id / bounds[0] % bounds[1], id / bounds[0] / bounds[1]}
}

func count32(n int32, to *int32, room int32, out *uintptr) error {
	list := make([]int32, n)
	for i := range list {
		list[i] = int32(i)
	}
	return fillIn(list, to, uintptr(room), out)
}

func standInTopology() *serve.TPUTopologyExtension {
	return &serve.TPUTopologyExtension{
		ProcessCount:     func(a *capi.TPUTopologyProcessCountArgs) error { return constant(&a.ProcessCount) },
		ChipsPerProcess:  func(a *capi.TPUTopologyChipsPerProcessArgs) error { return number32(a.Topology, &a.ChipsPerProcess) },
		CoreCountPerChip: func(a *capi.TPUTopologyCoreCountPerChipArgs) error { return constant(&a.CoreCountOfDefaultTypePerChip) },
		ChipCount:        func(a *capi.TPUTopologyChipCountArgs) error { return number32(a.Topology, &a.ChipCount) },
		CoreCount:        func(a *capi.TPUTopologyCoreCountArgs) error { return number32(a.Topology, &a.CoreCountOfDefaultType) },
		LogicalDeviceCountPerProcess: func(a *capi.TPUTopologyLogiDeviceCountPerProcessArgs) error {
			return number32(a.Topology, &a.LogicalDeviceCountOfDefaultTypePerProcess)
		},
		LogicalDeviceCount: func(a *capi.TPUTopologyLogiDeviceCountArgs) error {
			return number32(a.Topology, &a.LogicalDeviceCountOfDefaultType)
		},
		LogicalDeviceCountPerChip: func(a *capi.TPUTopologyLogiDeviceCountPerChipArgs) error {
			return constant(&a.LogicalDeviceCountOfDefaultTypePerChip)
		},
		CoreCountPerProcess: func(a *capi.TPUTopologyCoreCountPerProcessArgs) error {
			return number32(a.Topology, &a.CoreCountOfDefaultTypePerProcess)
		},
		ProcessIDs: func(a *capi.TPUTopologyProcessIDsArgs) error {
			return count32(1, a.ProcessIDs, a.MaxProcessIDs, &a.NumProcessIDs)
		},
		LogicalDeviceIDsOnProcess: func(a *capi.TPUTopologyLogiDeviceIDsOnProcessArgs) error {
			return count32(product(bounds(a.Topology)), a.LogicalDeviceOfDefaultTypeIDs, a.MaxLogicalDeviceIDs, &a.NumLogicalDeviceIDs)
		},
		ProcIDAndIdxOnProcForChip: func(a *capi.TPUTopologyProcIDAndIdxOnProcForChipArgs) error {
			a.ProcessID, a.IndexOnProcess = 0, a.ChipID
			return nil
		},
		ProcIDAndIdxOnProcForLogiDevice: func(a *capi.TPUTopologyProcIDAndIdxOnProcForLogiDeviceArgs) error {
			a.ProcessID, a.IndexOnProcess = 0, a.DeviceID
			return nil
		},
		ChipIDFromCoord: func(a *capi.TPUTopologyChipIDFromCoordArgs) error {
			a.ChipID = idAt(bounds(a.Topology), capi.Slice(a.Coords, a.CoordsNumDims))
			return nil
		},
		LogicalDeviceIDFromChipCoordAndIdx: func(a *capi.TPUTopologyLogiDeviceIDFromChipCoordAndIdxArgs) error {
			a.LogicalDeviceOfDefaultTypeID = idAt(bounds(a.Topology), capi.Slice(a.ChipCoords, a.ChipCoordsNumDims))
			return nil
		},
		ChipCoordAndIdxForLogiDevice: func(a *capi.TPUTopologyChipCoordAndIdxForLogiDeviceArgs) error {
			a.DeviceIndexOnChip = 0
			return fillIn(placeOf(bounds(a.Topology), a.DeviceID), a.ChipCoords, a.ChipCoordsMaxDims, &a.ChipCoordsNumDims)
		},
		ChipsPerProcessBounds: func(a *capi.TPUTopologyChipsPerProcessBoundsArgs) error {
			return fillIn(bounds(a.Topology), a.ChipPerProcessBounds, a.ChipPerProcessBoundsMaxDims, &a.ChipPerProcessBoundsNumDims)
		},
		ChipBounds: func(a *capi.TPUTopologyChipBoundsArgs) error {
			return fillIn(bounds(a.Topology), a.ChipBounds, a.ChipBoundsMaxDims, &a.ChipBoundsNumDims)
		},
		ProcessBounds: func(a *capi.TPUTopologyProcessBoundsArgs) error {
			return fillIn([]int32{1, 1, 1}, a.ProcessBounds, a.ProcessBoundsMaxDims, &a.ProcessBoundsNumDims)
		},
		Subslice: func(a *capi.TPUTopologySubsliceArgs) error {
			b := capi.Slice(a.ChipsPerHostBounds, a.ChipsPerHostBoundsNumDims)
			a.SubsliceTopology = subslices.add(newHandle[capi.TopologyDescription](), string([]byte{byte(b[0]), byte(b[1]), byte(b[2])}))
			return nil
		},
		IsSubsliceTopology: func(a *capi.TPUTopologyIsSubsliceTopologyArgs) error {
			_, err := subslices.find(a.Topology)
			a.IsSubsliceTopology = err == nil
			return nil
		},
		SubsliceDeviceIDFromFullDeviceID: func(a *capi.TPUTopologySubsliceDeviceIDFromFullDeviceIDArgs) error {
			a.SubsliceDeviceID = idAt(bounds(a.SubsliceTopology), placeOf(bounds(a.ClientTopology), a.FullDeviceID))
			return nil
		},
		GetRoutingStrategy: func(a *capi.TPUTopologyGetRoutingStrategyArgs) error {
			const strategy = "mesh\x00"
			if a.RoutingStrategyLen < uintptr(len(strategy)) {
				return invalid("there is no room for the strategy")
			}
			copy(mutant.View(a.RoutingStrategy, a.RoutingStrategyLen), strategy)
			return nil
		},
	}
}

// behaviour returns the hooks of the stand-in, which need the functions of the real plugin.
func behaviour(f flaws) []serve.Hook {
	return slices.Concat((&frontEnd{flaws: f}).hooks(), newNetwork(f).hooks(), new(archive).hooks(), []serve.Hook{
		serve.Around(func(c *serve.Invocation, a *capi.TopologyDescriptionDestroyArgs) {
			if _, err := subslices.find(a.Topology); err == nil {
				_ = subslices.drop(a.Topology)
				return
			}
			c.Forward()
		}),
		serve.Around(func(c *serve.Invocation, a *capi.WaitUntilBufferReadyOnStreamArgs) {
			if out, err := mutant.Try(c.Table(), capi.BufferIsDeletedArgs{Buffer: a.Buffer}); err != nil || out.IsDeleted {
				c.Fail(capi.ErrorCodeInvalidArgument, "the buffer is deleted: %v", err)
				return
			}
			c.Forward()
		}),
		serve.Around(func(c *serve.Invocation, _ *capi.GPURegisterCustomCallArgs) {
			if c.Size() == 64 {
				return // the caller is older than traits, and serve would refuse it as too old
			}
			c.Forward()
		}),
		serve.Around(func(c *serve.Invocation, a *capi.ShardingsExecutableOutputShardingsArgs) {
			a.Shardings, a.ShardingSizes, a.NumOutputs = shardingsOf(c.Table(), a.Executable)
		}),
		serve.Around(func(c *serve.Invocation, a *capi.ShardingsExecutableParameterShardingsArgs) {
			// The programs of the checks have as many parameters as results, except add.
			a.Shardings, a.ShardingSizes, a.NumParameters = shardingsOf(c.Table(), a.Executable)
			name, err := mutant.Try(c.Table(), capi.ExecutableNameArgs{Executable: a.Executable})
			if err == nil && capi.String(name.ExecutableName, name.ExecutableNameSize) == "add" {
				data, size := mutant.LastingText("")
				a.Shardings, a.NumParameters = mutant.LastingArray([]*byte{data, data})
				a.ShardingSizes, _ = mutant.LastingArray([]uintptr{size, size})
			}
		}),
	})
}

// shardingsOf returns tiled shardings for the program with one result on two partitions,
// and replicated ones for all others.
func shardingsOf(table *capi.Table, e *capi.Executable) (**byte, *uintptr, uintptr) {
	outputs, err := mutant.Try(table, capi.ExecutableNumOutputsArgs{Executable: e})
	partitions, err2 := mutant.Try(table, capi.ExecutableNumPartitionsArgs{Executable: e})
	if err != nil || err2 != nil {
		return nil, nil, 0
	}
	sharding := ""
	if outputs.NumOutputs == 1 && partitions.NumPartitions == 2 {
		sharding = "\x08\x03"
	}
	data, sizes := make([]*byte, outputs.NumOutputs), make([]uintptr, outputs.NumOutputs)
	for i := range data {
		data[i], sizes[i] = mutant.LastingText(sharding)
	}
	p, n := mutant.LastingArray(data)
	q, _ := mutant.LastingArray(sizes)
	return p, q, n
}
