// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package extension

import (
	"strings"
	"sync"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
	"github.com/purepjrt/purepjrt/internal/wire"
)

func naturalLayoutMutants() []mutant.Mutant {
	return []mutant.Mutant{
		mutant.OnePlace("XLAY-02", "has one place for the bytes of all layouts", check.Answer[capi.LayoutsMemoryLayoutSerializeArgs, byte]),
		mutant.Before("XLAY-04", "takes no notice of the layout that is asked for", func(a *capi.ClientBufferFromHostBufferArgs) { a.DeviceLayout = nil }),
		mutant.Before("XLAY-05", "loses a dimension", func(a *capi.LayoutsTopologyGetDefaultLayoutArgs) { a.NumDims /= 2 }),
		mutant.Before("XLAY-04", "has another default from five dimensions on", func(a *capi.LayoutsClientGetDefaultLayoutArgs) {
			if a.NumDims > 4 {
				a.NumDims--
			}
		}),
		mutant.Before("XLAY-05", "knows at most five dimensions of topologies", func(a *capi.LayoutsTopologyGetDefaultLayoutArgs) {
			a.NumDims = min(a.NumDims, 5)
		}),
		mutant.Hooked("XLAY-06", "gives the array of an earlier call to a later one", func() []serve.Hook {
			var last []*capi.LayoutsMemoryLayout
			return []serve.Hook{mutant.Changed(func(a *capi.LayoutsExecutableGetOutputLayoutsArgs, _ int64) {
				for i := range last {
					last[i] = last[0]
				}
				last = capi.Slice(a.Layouts, a.NumOutputs)
				a.Layouts, a.NumOutputs = mutant.LastingArray(last)
			})}
		}),
		mutant.After("XLAY-08", "takes no notice of modes", func(a *capi.LayoutsExecutableGetOutputLayoutsArgs) {
			list := capi.Slice(a.Layouts, a.NumOutputs)
			for i := range list {
				list[i] = list[len(list)-1]
			}
			mutant.Reply(a, list)
		}),
	}
}

func naturalFFIMutants() []mutant.Mutant {
	return []mutant.Mutant{
		mutant.After("XFFI-01", "gives one type_id to all types", func(a *capi.FFITypeRegisterArgs) { a.TypeID = 7 }),
		mutant.Forgives("XFFI-01", "gives another type_id to a type that it has", func(a *capi.FFITypeRegisterArgs) { a.TypeID = 4711 }),
		mutant.Of("XFFI-05", "loses attributes", func(c *serve.Invocation, a *capi.ClientCompileArgs) {
			given, program := a.Program, *a.Program
			text := strings.Replace(capi.String(program.Code, program.CodeSize), "scale = 3.0", "scale = 1.0", 1)
			program.Code, program.CodeSize = capi.CString(text), uintptr(len(text))
			a.Program = &program
			c.Forward()
			a.Program = given
		}),
		mutant.Swallows[capi.FFIRegisterHandlerArgs]("XFFI-06", "takes null for a handler"),
		mutant.Before("XFFI-06", "calls handlers of other platforms", func(a *capi.FFIRegisterHandlerArgs) {
			a.PlatformName, a.PlatformNameSize = mutant.LastingText("Host")
		}),
		plainly[capi.LoadedExecutableExecuteArgs]("XFFI-07", "loses the message of a handler's error").And(plainly[capi.EventAwaitArgs]("", "")),
	}
}

// plainly makes a mutant whose errors are all the same.
func plainly[A any](name, fault string) mutant.Mutant {
	return mutant.Errs[A](name, fault, func(c *serve.Invocation, _ *capi.Error) { c.Fail(capi.ErrorCodeInternal, "failed") })
}

func naturalMemoryMutants() []mutant.Mutant {
	return mutant.InMemory([]mutant.Mutant{
		mutant.After("XPROF-02", "has bytes that are no message", func(a *capi.ProfilerCollectDataArgs) {
			if a.Buffer != nil {
				*a.Buffer = 0xff
			}
		}),
		mutant.Refuses("XPROF-04", "refuses extensions of executions", capi.ErrorCodeInvalidArgument, func(a *capi.LoadedExecutableExecuteArgs) bool { return a.ExtensionStart != nil }),
		mutant.Hooked("XRAW-01", "makes a copy", func() []serve.Hook {
			copies := make(map[*capi.Buffer]*capi.Buffer)
			return []serve.Hook{
				serve.Around(func(c *serve.Invocation, a *capi.ClientBufferFromHostBufferArgs) {
					c.Forward()
					if twin, err := mutant.Try(c.Table(), *a); err == nil {
						copies[a.Buffer] = twin.Buffer
					}
				}),
				serve.Around(func(c *serve.Invocation, a *capi.RawBufferCreateRawAliasOfBufferArgs) {
					given := a.Buffer
					a.Buffer = copies[given]
					c.Forward()
					a.Buffer = given
				}),
			}
		}),
		mutant.Before("XRAW-05", "writes at the front whatever the offset", func(a *capi.RawBufferCopyRawHostToDeviceArgs) { a.Offset = 0 }),
		mutant.Before("XRAW-06", "reads at the front whatever the offset", func(a *capi.RawBufferCopyRawDeviceToHostArgs) { a.Offset = 0 }),
		mutant.Before("XRAW-06", "reads a byte too many", func(a *capi.RawBufferCopyRawDeviceToHostArgs) {
			if a.TransferSize > 0 && a.Offset+a.TransferSize < 16 {
				a.TransferSize++
			}
		}),
		mutant.OnceFails[capi.BufferDestroyArgs, capi.RawBufferCopyRawDeviceToHostArgs]("XRAW-07", "takes the alias with the buffer", capi.ErrorCodeInvalidArgument),
		mutant.After("XRAW-08", "knows another memory than the table",
			func(a *capi.RawBufferGetMemorySpaceArgs) { a.MemorySpace = nil }),
		mutant.OnceAfter[capi.PhaseCompileCBuffersDestroyArgs]("XPH-02", "frees the names that it has once", func(a *capi.PhaseCompileGetPhaseNamesArgs) { *a.PhaseNamesSizes = 0 }),
		mutant.Of("XPH-03", "takes no phases for success", func(c *serve.Invocation, a *capi.PhaseCompileRunPhaseArgs) {
			if a.NumPhasesToRun > 0 {
				c.Forward()
			}
		}),
		mutant.Dies("XPH-03", "ends without phases",
			func(a *capi.PhaseCompileRunPhaseArgs) bool { return a.NumPhasesToRun == 0 }),
		mutant.After("XPH-04", "makes programs without bytes", func(a *capi.PhaseCompileRunPhaseArgs) { *a.OutputProgramsSizes = 0 }),
		mutant.After("XHMA-01", "has a deleter that frees nothing", func(a *capi.HostMemoryAllocatorAllocateArgs) {
			a.Deleter = capi.HostMemoryAllocatorAllocateArgsDeleter(nothing())
		}),
		mutant.After("XHMA-01", "has no memory", func(a *capi.HostMemoryAllocatorAllocateArgs) { a.Ptr = nil }),
		mutant.Dies("XHMA-02", "ends when no memory is wanted", func(a *capi.HostMemoryAllocatorAllocateArgs) bool { return a.Size == 0 }),
		mutant.AfterEach("XSTR-01", "has a stream only once",
			func(a *capi.GetStreamForExternalReadyEventsArgs, n int64) {
				if n > 1 {
					a.Stream = 0
				}
			}),
		mutant.After("XABI-01", "has another platform for its runtime",
			func(a *capi.RuntimeABIVersionPlatformIDArgs) { a.PlatformID++ }),
		mutant.Swallows[capi.RuntimeABIVersionFromProtoArgs]("XABI-05", "reads garbage as a runtime's version"),
		plainly[capi.ExecutableABIVersionFromProtoArgs]("XABI-05", "says of garbage that it cannot"),
		mutant.Dies("XABI-05", "ends with garbage", func(a *capi.RuntimeABIVersionFromProtoArgs) bool {
			return a.SerializedProtoSize > 0 && *a.SerializedProto == 0xff
		}),
		mutant.Dies("XABI-06", "follows a null version of an executable", func(a *capi.ExecutableABIVersionDestroyArgs) bool { return a.ABIVersion == nil }),
		mutant.Swallows[capi.RuntimeABIVersionIsCompatibleWithRuntimeArgs]("XABI-07", "takes runtimes of other platforms"),
		mutant.OnceAfter[capi.ExecutableMetadataDestroySerializedMetadataArgs]("XXMD-01", "frees the metadata that it has once",
			func(a *capi.ExecutableMetadataGetExecutableMetadataArgs) {
				a.Metadata.SerializedMetadataSize = 0
			}),
		mutant.Before("XCB-01", "loses user_arg", func(a *capi.CallbackRegisterCallbackArgs) { a.UserArg = 0 }),
		mutant.Before("XCB-01", "loses args", func(a *capi.CallbackInvokeCallbackArgs) { a.Args = nil }),
		mutant.Before("XCB-01", "passes args of its own", func(a *capi.CallbackInvokeCallbackArgs) { a.Args = elsewhere() }),
		mutant.Of("XCB-01", "has callbacks of one type only", func(c *serve.Invocation, a *capi.CallbackInvokeCallbackArgs) {
			if a.Type == capi.CallbackTypePrefatal {
				c.Forward()
			}
		}),
		mutant.Of("XCB-01", "calls callbacks of all types", func(c *serve.Invocation, a *capi.CallbackInvokeCallbackArgs) {
			given := a.Type
			for a.Type = capi.CallbackTypeTPUSliceBuilder; a.Type <= capi.CallbackTypePrefatal; a.Type++ {
				c.Forward()
			}
			a.Type = given
		}),
		mutant.Swallows[capi.CallbackInvokeCallbackArgs]("XCB-02", "calls callbacks of any type"),
	}...)
}

func naturalStandInMutants() []mutant.Mutant {
	return mutant.On(sound, []mutant.Mutant{
		mutant.After("XSH-01", "has shardings of garbage", func(a *capi.ShardingsExecutableParameterShardingsArgs) {
			if a.NumParameters > 0 {
				*a.Shardings, *a.ShardingSizes = mutant.LastingText("\xff\xff")
			}
		}),
		mutant.Of("XSH-02", "has a sharding of a result for each parameter",
			func(c *serve.Invocation, a *capi.ShardingsExecutableOutputShardingsArgs) {
				c.Forward()
				name, err := mutant.Try(c.Table(), capi.ExecutableNameArgs{Executable: a.Executable})
				if err == nil && capi.String(name.ExecutableName, name.ExecutableNameSize) == "add" {
					a.Shardings, a.ShardingSizes, a.NumOutputs = mutant.LastingTexts("", "")
				}
			}),
		mutant.Hooked("XSH-03", "has one array for all executables", func() []serve.Hook {
			var mu sync.Mutex
			data, sizes := make([]*byte, 4), make([]uintptr, 4)
			return []serve.Hook{mutant.Changed(func(a *capi.ShardingsExecutableOutputShardingsArgs, _ int64) {
				mu.Lock()
				defer mu.Unlock()
				copy(data, capi.Slice(a.Shardings, a.NumOutputs))
				copy(sizes, capi.Slice(a.ShardingSizes, a.NumOutputs))
				a.Shardings, a.ShardingSizes = &data[0], &sizes[0]
			})}
		}),
		mutant.After("XSH-04", "tells of everything that it is replicated",
			func(a *capi.ShardingsExecutableParameterShardingsArgs) {
				clear(mutant.View(a.ShardingSizes, a.NumParameters))
			}),
	}...)
}

func naturalTPUMutants() []mutant.Mutant {
	return mutant.InMemory([]mutant.Mutant{
		mutant.AfterEach("XMS-02", "frees the map that it has once", func(a *capi.MultiSliceConfigNumDevicesPerSliceArgs, n int64) {
			if n > 1 {
				*a.NumDevices = 0
			}
		}),
		mutant.Before("XMS-03", "takes no notice of a serialized configuration", func(a *capi.ClientCompileArgs) {
			if config := field(capi.Bytes(a.CompileOptions, a.CompileOptionsSize), multiSliceConfig); config != nil {
				a.CompileOptionsSize -= uintptr(len(wire.AppendBytes(nil, multiSliceConfig, config))) // the last field
			}
		}),
		mutant.Refuses("XMS-03", "refuses what it serialized", capi.ErrorCodeInvalidArgument, func(a *capi.ClientCompileArgs) bool {
			return field(capi.Bytes(a.CompileOptions, a.CompileOptionsSize), multiSliceConfig) != nil
		}),
		mutant.After("XMS-01", "has another number of slices", func(a *capi.MultiSliceConfigNumSlicesArgs) { a.NumSlices++ }),
		mutant.After("XTPU-01", "counts a process too many", func(a *capi.TPUTopologyProcessCountArgs) { a.ProcessCount++ }),
		mutant.After("XTPU-01", "counts a chip of a process too many",
			func(a *capi.TPUTopologyChipsPerProcessArgs) { a.ChipsPerProcess++ }),
		mutant.After("XTPU-01", "counts a core of a chip too many",
			func(a *capi.TPUTopologyCoreCountPerChipArgs) { a.CoreCountOfDefaultTypePerChip++ }),
		mutant.After("XTPU-01", "counts a core too many", func(a *capi.TPUTopologyCoreCountArgs) { a.CoreCountOfDefaultType++ }),
		mutant.After("XTPU-01", "counts a core of a process too many",
			func(a *capi.TPUTopologyCoreCountPerProcessArgs) { a.CoreCountOfDefaultTypePerProcess++ }),
		mutant.After("XTPU-01", "counts a device too many",
			func(a *capi.TPUTopologyLogiDeviceCountArgs) { a.LogicalDeviceCountOfDefaultType++ }),
		mutant.After("XTPU-01", "counts a device of a process too few", func(a *capi.TPUTopologyLogiDeviceCountPerProcessArgs) {
			a.LogicalDeviceCountOfDefaultTypePerProcess--
		}),
		mutant.After("XTPU-01", "counts a device of a chip too many", func(a *capi.TPUTopologyLogiDeviceCountPerChipArgs) {
			a.LogicalDeviceCountOfDefaultTypePerChip++
		}),
		mutant.After("XTPU-01", "has other bounds of chips", func(a *capi.TPUTopologyChipBoundsArgs) { *a.ChipBounds++ }),
		mutant.After("XTPU-01", "has a device on a process twice", func(a *capi.TPUTopologyLogiDeviceIDsOnProcessArgs) {
			list := mutant.View(a.LogicalDeviceOfDefaultTypeIDs, a.NumLogicalDeviceIDs)
			list[len(list)-1] = list[0]
		}),
		mutant.After("XTPU-02", "has one id for all chips", func(a *capi.TPUTopologyChipIDFromCoordArgs) { a.ChipID = 0 }),
		mutant.After("XTPU-02", "has one id for all devices", func(a *capi.TPUTopologyLogiDeviceIDFromChipCoordAndIdxArgs) {
			a.LogicalDeviceOfDefaultTypeID = 0
		}),
		mutant.After("XTPU-02", "has an index on a chip that there is not",
			func(a *capi.TPUTopologyChipCoordAndIdxForLogiDeviceArgs) { a.DeviceIndexOnChip++ }),
		mutant.After("XTPU-02", "has two chips in one place of a process",
			func(a *capi.TPUTopologyProcIDAndIdxOnProcForChipArgs) { a.IndexOnProcess = 0 }),
		mutant.After("XTPU-02", "has two devices in one place of a process",
			func(a *capi.TPUTopologyProcIDAndIdxOnProcForLogiDeviceArgs) { a.IndexOnProcess = 0 }),
		mutant.After("XTPU-03", "says of a subslice that it is none",
			func(a *capi.TPUTopologyIsSubsliceTopologyArgs) { a.IsSubsliceTopology = false }),
		mutant.Before("XTPU-03", "makes a subslice of all chips", func(a *capi.TPUTopologySubsliceArgs) {
			list := []int32{2, 2, 1}
			a.ChipsPerHostBounds = &list[0]
		}),
		mutant.Of("XTPU-04", "has a text without an end", func(c *serve.Invocation, a *capi.TPUTopologyGetRoutingStrategyArgs) {
			room := mutant.View(a.RoutingStrategy, a.RoutingStrategyLen)
			if c.Forward(); c.Err() == nil {
				for i := range room {
					room[i] |= 0x40
				}
			}
		}),
	}...)
}

// unsteadyMutants answer otherwise when they are asked again, or about a later object.
func unsteadyMutants() []mutant.Mutant {
	return append(mutant.InMemory([]mutant.Mutant{
		mutant.LikeFormer[capi.Executable]("XLAY-06", "tells the layouts of the first executable about all", 2,
			func(a, former *capi.LayoutsExecutableGetOutputLayoutsArgs) {
				a.Layouts, a.NumOutputs = former.Layouts, former.NumOutputs
			}),
		mutant.LikeFormer[capi.Executable]("XLAY-07", "tells the layouts of the first executable about all", 2,
			func(a, former *capi.LayoutsExecutableGetParameterLayoutsArgs) {
				a.Layouts, a.NumParameters = former.Layouts, former.NumParameters
			}),
		mutant.AfterFirst[capi.DeviceDescription]("XMEMD-01", "forgets a memory when it is asked again",
			func(a *capi.DeviceDescriptionMemoryDescriptionsArgs) { a.NumMemoryDescriptions-- }),
		mutant.AfterFirst[capi.MemoryDescription]("XMEMD-02", "loses the end of a kind when it is asked again",
			func(a *capi.MemoryDescriptionKindArgs) { a.KindSize-- }),
		mutant.AfterFirst[capi.RawBuffer]("XRAW-02", "has another size when it is asked again",
			func(a *capi.RawBufferGetOnDeviceSizeInBytesArgs) { a.OnDeviceSizeInBytes-- }),
		mutant.LikeFormer[capi.RawBuffer]("XRAW-03", "tells the memory of the first alias about all", 2,
			func(a, former *capi.RawBufferGetMemorySpaceArgs) { a.MemorySpace = former.MemorySpace }),
		mutant.AfterFirst[capi.RuntimeABIVersion]("XABI-01", "has another platform when it is asked again",
			func(a *capi.RuntimeABIVersionPlatformIDArgs) { a.PlatformID-- }),
		mutant.AfterFirst[capi.MultiSliceConfig]("XMS-01", "counts the slices down when it is asked again",
			func(a *capi.MultiSliceConfigNumSlicesArgs) { a.NumSlices-- }),
		mutant.AfterFirst[capi.TopologyDescription]("XTPU-01", "counts the cores down when it is asked again",
			func(a *capi.TPUTopologyCoreCountArgs) { a.CoreCountOfDefaultType-- }),
	}...), mutant.AfterFirst[capi.Executable]("XSH-03", "forgets a parameter when it is asked again",
		func(a *capi.ShardingsExecutableParameterShardingsArgs) { a.NumParameters-- }).On(sound))
}
