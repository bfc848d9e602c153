// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package extension

import (
	"bytes"
	"slices"
	"sync/atomic"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
)

func cpuMutants() []mutant.Mutant {
	die := func(*serve.Invocation, *capi.Error) { mutant.Die() }
	return []mutant.Mutant{
		mutant.After("XLAY-01", "makes no layouts", func(a *capi.LayoutsClientGetDefaultLayoutArgs) { a.Layout = nil }),
		mutant.After("XLAY-01", "cuts the bytes of layouts short", func(a *capi.LayoutsMemoryLayoutSerializeArgs) { a.SerializedBytesSize-- }),
		mutant.Says[capi.LayoutsMemoryLayoutSerializeArgs]("XLAY-01", "names the first dimension twice", "{0,0}"),
		mutant.AfterEach("XLAY-02", "gives other bytes the second time",
			func(a *capi.LayoutsMemoryLayoutSerializeArgs, n int64) { a.SerializedBytesSize -= uintptr(n - 1) }),
		mutant.Dies("XLAY-03", "follows a null layout", func(a *capi.LayoutsMemoryLayoutDestroyArgs) bool { return a.Layout == nil }),
		mutant.Says[capi.LayoutsMemoryLayoutSerializeArgs]("XLAY-04", "has one layout for all", "{1,0}"),
		mutant.Nothing[capi.LayoutsTopologyGetDefaultLayoutArgs]("XLAY-05", "has another default for topologies"),
		mutant.After("XLAY-06", "forgets an output", func(a *capi.LayoutsExecutableGetOutputLayoutsArgs) { a.NumOutputs-- }),
		mutant.Lists[capi.LayoutsExecutableGetOutputLayoutsArgs]("XLAY-08", "swaps the outputs",
			func(list []*capi.LayoutsMemoryLayout) []*capi.LayoutsMemoryLayout {
				slices.Reverse(list)
				return list
			}),
		mutant.After("XFFI-01", "gives the type_id 0", func(a *capi.FFITypeRegisterArgs) { a.TypeID = 0 }),
		mutant.Swallows[capi.FFITypeRegisterArgs]("XFFI-02", "overwrites types"),
		mutant.Swallows[capi.FFIUserDataAddArgs]("XFFI-03", "replaces values"),
		mutant.Dies("XFFI-04", "follows a null context", func(a *capi.FFIUserDataAddArgs) bool { return a.Context == nil }),
		mutant.Nothing[capi.FFIRegisterHandlerArgs]("XFFI-05", "forgets handlers"),
		mutant.Dies("XFFI-06", "calls a null handler", func(a *capi.FFIRegisterHandlerArgs) bool { return a.Handler == 0 }),
		mutant.Swallows[capi.LoadedExecutableExecuteArgs]("XFFI-07", "takes no notice of failed handlers"),
		mutant.Errs[capi.ClientCompileArgs]("XFFI-08", "ends with an unknown target", die).And(mutant.Errs[capi.LoadedExecutableExecuteArgs]("", "", die)),
	}
}

func memoryMutants() []mutant.Mutant {
	return mutant.InMemory([]mutant.Mutant{
		mutant.After("XLAY-07", "has no parameters", func(a *capi.LayoutsExecutableGetParameterLayoutsArgs) { a.NumParameters = 0 }),
		mutant.After("XMEMD-01", "states a default that is not there", func(a *capi.DeviceDescriptionMemoryDescriptionsArgs) {
			a.DefaultMemoryIndex = a.NumMemoryDescriptions
		}),
		mutant.After("XMEMD-02", "has the kind without its last letter", func(a *capi.MemoryDescriptionKindArgs) { a.KindSize-- }).InMemory(),
		mutant.After("XMEMD-02", "counts the terminator of the kind", func(a *capi.MemoryDescriptionKindArgs) { a.KindSize++ }).InMemory(),
		mutant.After("XMEMD-02", "has another default memory", func(a *capi.DeviceDescriptionMemoryDescriptionsArgs) {
			a.DefaultMemoryIndex = (a.DefaultMemoryIndex + 1) % a.NumMemoryDescriptions
		}).InMemory(),
		mutant.After("XMEMD-02", "has other ids of kinds", func(a *capi.MemoryDescriptionKindArgs) { a.KindID += 17 }),
		mutant.After("XMEMD-03", "has a null array",
			func(a *capi.DeviceDescriptionMemoryDescriptionsArgs) { a.MemoryDescriptions = nil }),
		mutant.Answers[capi.ProfilerStartArgs]("XPROF-01", "cannot start", capi.ErrorCodeInternal),
		mutant.After("XPROF-02", "has no data", func(a *capi.ProfilerCollectDataArgs) { a.BufferSizeInBytes = 0 }),
		mutant.Nothing[capi.ProfilerStopArgs]("XPROF-03", "stops what does not run"),
		mutant.After("XPROF-03", "says nothing in an error", func(a *capi.ProfilerErrorMessageArgs) { a.MessageSize = 0 }),
		mutant.After("XPROF-03", "counts the terminator of a message", func(a *capi.ProfilerErrorMessageArgs) { a.MessageSize++ }),
		mutant.Refuses("XPROF-04", "refuses extensions of args", capi.ErrorCodeInvalidArgument, func(a *capi.ClientCompileArgs) bool { return a.ExtensionStart != nil }),
		mutant.Before("XRAW-01", "says that it wrote", func(a *capi.RawBufferCopyRawHostToDeviceArgs) { a.TransferSize = 0 }),
		mutant.After("XRAW-02", "has the size 0", func(a *capi.RawBufferGetOnDeviceSizeInBytesArgs) { a.OnDeviceSizeInBytes = 0 }),
		mutant.After("XRAW-03", "has no memory", func(a *capi.RawBufferGetMemorySpaceArgs) { a.MemorySpace = nil }),
		mutant.After("XRAW-04", "tells another address", func(a *capi.RawBufferGetHostPointerArgs) {
			if a.HostPointer != nil {
				a.HostPointer = elsewhere()
			}
		}),
		mutant.Swallows[capi.RawBufferCopyRawHostToDeviceArgs]("XRAW-05", "writes beyond the end"),
		mutant.Swallows[capi.RawBufferCopyRawDeviceToHostArgs]("XRAW-06", "reads beyond the end"),
		mutant.Hooked("XRAW-07", "takes the buffer with the alias", func() []serve.Hook {
			var of atomic.Pointer[capi.Buffer]
			return []serve.Hook{
				mutant.Ahead(func(a *capi.RawBufferCreateRawAliasOfBufferArgs) { of.Store(a.Buffer) }),
				serve.Around(func(c *serve.Invocation, _ *capi.RawBufferDestroyArgs) {
					c.Forward()
					mutant.Try(c.Table(), capi.BufferDeleteArgs{Buffer: of.Load()})
				}),
			}
		}),
		mutant.After("XRAW-08", "knows another size than the table",
			func(a *capi.RawBufferGetOnDeviceSizeInBytesArgs) { a.OnDeviceSizeInBytes++ }),
		mutant.After("XPH-01", "makes no compiler", func(a *capi.PhaseCompileGetCompilerArgs) { a.PhaseCompiler = nil }),
		mutant.After("XPH-02", "has a phase without a name", func(a *capi.PhaseCompileGetPhaseNamesArgs) { *a.PhaseNamesSizes = 0 }),
		oneAnswer("XPH-02", "has one place for the names"),
		losesNames("XPH-02/freed", "does not free names"),
		mutant.Swallows[capi.PhaseCompileRunPhaseArgs]("XPH-03", "runs phases that there are not"),
		mutant.After("XPH-04", "cuts programs off", func(a *capi.PhaseCompileRunPhaseArgs) { *a.OutputProgramsSizes -= 3 }),
		mutant.After("XHMA-01", "has no deleter", func(a *capi.HostMemoryAllocatorAllocateArgs) { a.Deleter = 0 }),
		mutant.Dies("XHMA-02", "ends when there is too little memory", func(a *capi.HostMemoryAllocatorAllocateArgs) bool { return a.Size > 1<<40 }),
		mutant.Before("XHMA-03", "spoils uploads", func(a *capi.ClientBufferFromHostBufferArgs) {
			data := make([]float32, 1<<10)
			a.Data = pointerOf(data)
		}),
		mutant.After("XABI-01", "has no platform", func(a *capi.ExecutableABIVersionPlatformIDArgs) { a.PlatformID = 0 }),
		mutant.Answers[capi.RuntimeABIVersionIsCompatibleWithExecutableArgs]("XABI-02", "takes no executable", capi.ErrorCodeInvalidArgument),
		mutant.Answers[capi.RuntimeABIVersionIsCompatibleWithRuntimeArgs]("XABI-03", "takes no runtime", capi.ErrorCodeInvalidArgument),
		mutant.AfterEach("XABI-04", "loses what it read",
			func(a *capi.ExecutableABIVersionPlatformIDArgs, n int64) { a.PlatformID += uint64(n) }),
		mutant.Swallows[capi.ExecutableABIVersionFromProtoArgs]("XABI-05", "reads garbage"),
		mutant.Dies("XABI-06", "follows a null version", func(a *capi.RuntimeABIVersionDestroyArgs) bool { return a.ABIVersion == nil }),
		mutant.Swallows[capi.RuntimeABIVersionIsCompatibleWithExecutableArgs]("XABI-07", "takes executables of other platforms"),
		mutant.After("XXMD-01", "has empty metadata", func(a *capi.ExecutableMetadataGetExecutableMetadataArgs) {
			a.Metadata.SerializedMetadataSize = 0
		}),
		mutant.Nothing[capi.CallbackRegisterCallbackArgs]("XCB-01", "loses callbacks"),
		mutant.Swallows[capi.CallbackRegisterCallbackArgs]("XCB-02", "takes callbacks of any type"),
		mutant.Before("XCB-03", "takes the message for a C string", func(a *capi.CallbackInvokeCallbackArgs) { lengthen(a) }),
		mutant.After("XSTR-01", "has no stream", func(a *capi.GetStreamForExternalReadyEventsArgs) { a.Stream = 0 }),
		mutant.Answers[capi.WaitUntilBufferReadyOnStreamArgs]("XSTR-02", "cannot wait", capi.ErrorCodeInternal),
		mutant.Swallows[capi.WaitUntilBufferReadyOnStreamArgs]("XSTR-03", "waits for deleted buffers"),
		mutant.Nothing[capi.GPURegisterCustomCallArgs]("XGPU-01", "forgets handlers"),
		mutant.Of("XGPU-02", "needs traits", func(c *serve.Invocation, _ *capi.GPURegisterCustomCallArgs) {
			mutant.FailIf(c, c.Size() < c.Function().Size, capi.ErrorCodeInvalidArgument, "a struct of %d bytes", c.Size())
		}),
		mutant.Swallows[capi.GPURegisterCustomCallArgs]("XGPU-03", "overwrites handlers"),
		mutant.Swallows[capi.GPURegisterCustomCallArgs]("XGPU-04", "takes any api_version"),
		mutant.Swallows[capi.TritonCompileArgs]("XTRI-02", "makes nothing of garbage"),
		mutant.After("XMS-01", "swaps number and id", func(a *capi.MultiSliceConfigSliceIDArgs) { a.SliceID = 2 }),
		mutant.After("XMS-02", "forgets a slice", func(a *capi.MultiSliceConfigNumDevicesPerSliceArgs) { a.NumDevicesPerSliceMap-- }),
		mutant.After("XMS-03", "cuts the configuration off", func(a *capi.MultiSliceConfigSerializeArgs) { a.Size-- }),
		mutant.After("XTPU-01", "counts a chip too many", func(a *capi.TPUTopologyChipCountArgs) { a.ChipCount++ }),
		mutant.After("XTPU-02", "swaps axes", func(a *capi.TPUTopologyChipCoordAndIdxForLogiDeviceArgs) {
			slices.Reverse(mutant.View(a.ChipCoords, 2))
		}),
		mutant.After("XTPU-03", "gives one id to all",
			func(a *capi.TPUTopologySubsliceDeviceIDFromFullDeviceIDArgs) { a.SubsliceDeviceID = 0 }),
		mutant.Swallows[capi.TPUTopologyGetRoutingStrategyArgs]("XTPU-04", "writes beyond the memory for a text"),
		mutant.Answers[capi.MegascaleDeleteClientContextArgs]("XTPU-06", "cannot delete contexts", capi.ErrorCodeInternal),
	}...)
}

func standInMutants() []mutant.Mutant {
	return mutant.On(sound, []mutant.Mutant{
		mutant.After("XSH-01", "counts a parameter too many",
			func(a *capi.ShardingsExecutableParameterShardingsArgs) { a.NumParameters-- }),
		mutant.After("XSH-02", "counts parameters for outputs",
			func(a *capi.ShardingsExecutableOutputShardingsArgs) { a.NumOutputs-- }),
		mutant.AfterEach("XSH-03", "has other shardings each time",
			func(a *capi.ShardingsExecutableOutputShardingsArgs, n int64) { a.NumOutputs -= uintptr(n / 4 & 1) }),
		mutant.After("XSH-04", "never tells shardings of outputs",
			func(a *capi.ShardingsExecutableOutputShardingsArgs) { a.NumOutputs = 0 }),
	}...)
}

// oneAnswer makes a plugin that returns the same array each time, and empties it when an
// answer is freed.
func oneAnswer(name, fault string) mutant.Mutant {
	return mutant.Hooked(name, fault, func() []serve.Hook {
		var kept *capi.PhaseCompileGetPhaseNamesArgs
		var size uintptr
		return []serve.Hook{
			serve.Around(func(c *serve.Invocation, a *capi.PhaseCompileGetPhaseNamesArgs) {
				if kept == nil {
					c.Forward()
					answer := *a
					kept, size = &answer, *a.PhaseNamesSizes
				}
				*kept.PhaseNamesSizes = size
				a.PhaseNames, a.PhaseNamesSizes, a.NumPhaseNames = kept.PhaseNames, kept.PhaseNamesSizes, kept.NumPhaseNames
			}),
			serve.Around(func(*serve.Invocation, *capi.PhaseCompileCBuffersDestroyArgs) { *kept.PhaseNamesSizes = 0 }),
		}
	})
}

// losesNames makes a plugin that leaks each answer with names.
func losesNames(name, fault string) mutant.Mutant {
	return mutant.Hooked(name, fault, func() []serve.Hook {
		var lost [][]byte
		return []serve.Hook{mutant.Ahead(func(*capi.PhaseCompileGetPhaseNamesArgs) {
			lost = append(lost, bytes.Repeat([]byte{1}, 512))
		})}
	})
}
