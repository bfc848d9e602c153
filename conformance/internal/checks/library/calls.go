// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package library

import (
	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

type (
	tt = *check.T
	ss = *session
)

// family holds the calls of functions that belong together.
type family struct {
	name   string
	client bool // they need a client
	calls  []call
}

// families has every function that can be called with arguments that any plugin must
// accept, unless it says that it lacks the function.
var families = withMade([]family{
	{"plugin", false, []call{
		of(func(tt, ss) (a capi.PluginInitializeArgs) { return }, nil),
		of(func(tt, ss) (a capi.PluginAttributesArgs) { return }, nil),
		of(func(tt, ss) (a capi.ExecuteContextCreateArgs) { return }, func(t tt, _ ss, out capi.ExecuteContextCreateArgs) {
			check.Call(t, capi.ExecuteContextDestroyArgs{Context: out.Context})
		}),
		given(hasContexts, of(func(t tt, s ss) (a capi.ExecuteContextDestroyArgs) {
			if s.context == nil { // of a call that was refused
				s.context = check.Call(t, capi.ExecuteContextCreateArgs{}).Context
				t.Cleanup(func() {
					if s.context != nil {
						check.Call(t, capi.ExecuteContextDestroyArgs{Context: s.context})
						s.context = nil
					}
				})
			}
			a.Context = s.context
			return
		}, func(_ tt, s ss, _ capi.ExecuteContextDestroyArgs) { s.context = nil })),
	}},
	{"topology", false, topologyCalls},
	{"client", true, clientCalls},
	{"event", true, eventCalls},
	{"device", true, deviceCalls},
	{"buffer", true, bufferCalls},
	{"executable", true, executableCalls},
	{"transfer", true, nil},
})

// withMade adds the calls that work on objects of their own after the others.
func withMade(families []family) []family {
	for i := range families {
		families[i].calls = append(families[i].calls, madeCalls[families[i].name]...)
	}
	return families
}

// hasContexts reports whether the plugin has execute contexts.
func hasContexts(t tt, _ ss) bool {
	out, err := check.Try(t, capi.ExecuteContextCreateArgs{})
	if err == nil {
		check.Call(t, capi.ExecuteContextDestroyArgs{Context: out.Context})
	}
	return err == nil
}

// hasMemories reports whether devices have memories.
func hasMemories(t tt, s ss) bool {
	_, err := check.Try(t, capi.DeviceDefaultMemoryArgs{Device: s.device()})
	return err == nil
}

// hasEvents reports whether the plugin makes events for its callers.
func hasEvents(t tt, _ ss) bool {
	out, err := check.Try(t, capi.EventCreateArgs{})
	check.Own(t, out.Event)
	return err == nil
}

// serializes reports whether programs can be serialized.
func serializes(t tt, s ss) bool {
	out, err := check.Try(t, capi.ExecutableSerializeArgs{Executable: s.prog(t)})
	if err == nil {
		out.SerializedExecutableDeleter.Call(out.SerializedExecutable)
	}
	return err == nil
}

var topologyCalls = []call{
	ofTopology[capi.TopologyDescriptionPlatformNameArgs](nil),
	ofTopology[capi.TopologyDescriptionPlatformVersionArgs](nil),
	ofTopology[capi.TopologyDescriptionGetDeviceDescriptionsArgs](nil),
	ofTopology(func(_ tt, _ ss, out capi.TopologyDescriptionSerializeArgs) {
		out.SerializedTopologyDeleter.Call(out.SerializedTopology)
	}),
	ofTopology[capi.TopologyDescriptionAttributesArgs](nil),
	ofTopology[capi.TopologyDescriptionFingerprintArgs](nil),
	ofTopology[capi.TopologyDescriptionGetMemorySpaceKindIDsArgs](nil),
	ofDescription[capi.DeviceDescriptionIDArgs](nil),
	ofDescription[capi.DeviceDescriptionProcessIndexArgs](nil),
	ofDescription[capi.DeviceDescriptionAttributesArgs](nil),
	ofDescription[capi.DeviceDescriptionKindArgs](nil),
	ofDescription[capi.DeviceDescriptionDebugStringArgs](nil),
	ofDescription[capi.DeviceDescriptionToStringArgs](nil),
}

var clientCalls = []call{
	of(func(t tt, _ ss) capi.ClientCreateArgs { return t.CreateArgs() }, func(t tt, _ ss, out capi.ClientCreateArgs) {
		check.Call(t, capi.ClientDestroyArgs{Client: out.Client})
	}),
	of(func(tt, ss) (a capi.ClientDestroyArgs) { return }, nil),
	ofClient[capi.ClientPlatformNameArgs](nil),
	ofClient[capi.ClientPlatformVersionArgs](nil),
	ofClient[capi.ClientProcessIndexArgs](nil),
	ofClient[capi.ClientTopologyDescriptionArgs](nil),
	ofClient[capi.ClientDevicesArgs](nil),
	ofClient[capi.ClientAddressableDevicesArgs](nil),
	ofClient[capi.ClientAddressableMemoriesArgs](nil),
	of(func(t tt, s ss) capi.ClientLookupDeviceArgs {
		return capi.ClientLookupDeviceArgs{Client: s.c(),
			ID: check.Call(t, capi.DeviceDescriptionIDArgs{DeviceDescription: s.description(t)}).ID}
	}, nil),
	of(func(t tt, s ss) capi.ClientLookupAddressableDeviceArgs {
		id := check.Call(t, capi.DeviceLocalHardwareIDArgs{Device: s.device()}).LocalHardwareID
		return capi.ClientLookupAddressableDeviceArgs{Client: s.c(), LocalHardwareID: id}
	}, nil),
	ofClient[capi.ClientUpdateGlobalProcessInfoArgs](nil),
	of(func(_ tt, s ss) capi.ClientDefaultDeviceAssignmentArgs {
		return capi.ClientDefaultDeviceAssignmentArgs{
			Client: s.c(), NumReplicas: 1, NumPartitions: 1, DefaultAssignmentSize: 1, DefaultAssignment: new(int32),
		}
	}, nil),
	of(func(t tt, s ss) capi.ClientCompileArgs {
		return t.CompileArgs(s.client, check.AddOne, check.Devices(1, 1))
	}, func(t tt, _ ss, out capi.ClientCompileArgs) { check.Own(t, out.Executable) }),
	of(func(t tt, s ss) (a capi.CompileArgs) {
		c := t.CompileArgs(s.client, check.AddOne, check.Devices(1, 1))
		return capi.CompileArgs{
			Topology: s.topo(t), Client: s.c(), Program: c.Program, CompileOptions: c.CompileOptions, CompileOptionsSize: c.CompileOptionsSize,
		}
	}, func(t tt, _ ss, out capi.CompileArgs) { check.Own(t, out.Executable) }),
	of(func(t tt, s ss) capi.ClientBufferFromHostBufferArgs {
		return check.HostArgs(s.client, []float32{1, 2, 3, 4})
	}, func(t tt, _ ss, out capi.ClientBufferFromHostBufferArgs) {
		check.Own(t, out.Buffer)
		t.NoError(t.Wait(out.DoneWithHostBuffer), "done_with_host_buffer")
	}),
	of(func(t tt, s ss) (a capi.ClientCreateUninitializedBufferArgs) {
		a.Client, a.Device, a.ShapeElementType = s.c(), s.device(), capi.BufferTypeF32
		a.ShapeDims, a.ShapeNumDims = check.First([]int64{4})
		return
	}, func(t tt, _ ss, out capi.ClientCreateUninitializedBufferArgs) { check.Own(t, out.Buffer) }),
	given(hasMemories, of(func(t tt, s ss) (a capi.ClientCreateErrorBufferArgs) {
		a.Client, a.Memory, a.ShapeElementType, a.ErrorCode = s.c(), s.memory(t), capi.BufferTypeF32, capi.ErrorCodeAborted
		a.ErrorMessage, a.ErrorMessageSize = capi.StringData("an error on purpose")
		a.ShapeDims, a.ShapeNumDims = check.First([]int64{4})
		return
	}, func(t tt, _ ss, out capi.ClientCreateErrorBufferArgs) { check.Own(t, out.Buffer) })),
	given(hasMemories, of(func(t tt, s ss) (a capi.ClientCreateBuffersForAsyncHostToDeviceArgs) {
		spec := &capi.ShapeSpec{StructSize: capi.ShapeSpecSize, ElementType: capi.BufferTypeF32}
		spec.Dims, spec.NumDims = check.First([]int64{4})
		a.Client, a.Memory, a.ShapeSpecs, a.NumShapeSpecs = s.c(), s.memory(t), spec, 1
		return
	}, func(t tt, _ ss, out capi.ClientCreateBuffersForAsyncHostToDeviceArgs) {
		check.Own(t, out.TransferManager)
	})),
}

var eventCalls = []call{
	of(func(tt, ss) (a capi.ErrorDestroyArgs) { return }, nil),
	of(func(tt, ss) (a capi.EventDestroyArgs) { return }, nil),
	ofEvent[capi.EventIsReadyArgs](nil),
	ofEvent[capi.EventErrorArgs](nil),
	ofEvent[capi.EventAwaitArgs](nil),
	of(func(t tt, s ss) (a capi.EventOnReadyArgs) {
		callback, handle := capi.NewEventOnReadyCallback(func(*capi.ErrorHandle) {})
		t.Cleanup(handle.Delete)
		a.Event, a.Callback, a.UserArg = s.ready(t), callback, uintptr(handle)
		return
	}, nil),
	of(func(tt, ss) (a capi.EventCreateArgs) { return }, func(t tt, _ ss, out capi.EventCreateArgs) { check.Own(t, out.Event) }),
	given(hasEvents, of(func(t tt, _ ss) (a capi.EventSetArgs) {
		a.Event = check.Own(t, check.Call(t, capi.EventCreateArgs{}).Event)
		return
	}, nil)),
}

var deviceCalls = []call{
	ofDevice[capi.DeviceGetDescriptionArgs](nil),
	ofDevice[capi.DeviceIsAddressableArgs](nil),
	ofDevice[capi.DeviceLocalHardwareIDArgs](nil),
	ofDevice[capi.DeviceAddressableMemoriesArgs](nil),
	ofDevice[capi.DeviceDefaultMemoryArgs](nil),
	ofDevice[capi.DeviceMemoryStatsArgs](nil),
	ofDevice[capi.DeviceClearMemoryStatsArgs](nil),
	of(func(_ tt, s ss) capi.DevicePoisonExecutionArgs {
		return capi.DevicePoisonExecutionArgs{Device: s.device(), LaunchID: 424242, ErrorCode: capi.ErrorCodeAborted}
	}, nil),
	ofDevice(func(_ tt, _ ss, out capi.DeviceGetAttributesArgs) { out.AttributesDeleter.Call(out.DeviceAttributes) }),
	ofMemory[capi.MemoryIDArgs](nil),
	ofMemory[capi.MemoryKindArgs](nil),
	ofMemory[capi.MemoryKindIDArgs](nil),
	ofMemory[capi.MemoryDebugStringArgs](nil),
	ofMemory[capi.MemoryToStringArgs](nil),
	ofMemory[capi.MemoryAddressableByDevicesArgs](nil),
}

var bufferCalls = []call{
	of(func(tt, ss) (a capi.BufferDestroyArgs) { return }, nil),
	ofBuffer[capi.BufferElementTypeArgs](nil),
	ofBuffer[capi.BufferDimensionsArgs](nil),
	ofBuffer[capi.BufferUnpaddedDimensionsArgs](nil),
	ofBuffer[capi.BufferDynamicDimensionIndicesArgs](nil),
	ofBuffer[capi.BufferGetMemoryLayoutArgs](nil),
	of(func(t tt, s ss) capi.BufferToHostBufferArgs {
		dst := make([]byte, 16)
		return capi.BufferToHostBufferArgs{Src: s.buf(t), HostLayout: check.RowMajor(1), Dst: check.Pointer(dst), DstSize: 16}
	}, func(t tt, _ ss, out capi.BufferToHostBufferArgs) { wait(t, out.Event) }),
	ofBuffer[capi.BufferOnDeviceSizeInBytesArgs](nil),
	of(func(t tt, s ss) capi.BufferDeleteArgs { return capi.BufferDeleteArgs{Buffer: s.upload(t)} }, nil),
	ofBuffer[capi.BufferIsDeletedArgs](nil),
	of(func(t tt, s ss) capi.BufferCopyRawToHostArgs {
		dst := make([]byte, 16)
		return capi.BufferCopyRawToHostArgs{Buffer: s.buf(t), Dst: check.Pointer(dst), TransferSize: 16}
	}, func(t tt, _ ss, out capi.BufferCopyRawToHostArgs) { wait(t, out.Event) }),
	given(hasMemories, of(func(t tt, s ss) capi.BufferCopyToMemoryArgs {
		// Not the buffer's own memory if there is another, since not all plugins accept
		// that.
		memories := s.client.Memories
		return capi.BufferCopyToMemoryArgs{Buffer: s.buf(t), DstMemory: memories[len(memories)-1]}
	}, func(t tt, _ ss, out capi.BufferCopyToMemoryArgs) { check.Own(t, out.DstBuffer) })),
	ofBuffer[capi.BufferIsOnCPUArgs](nil),
	ofBuffer[capi.BufferDeviceArgs](nil),
	ofBuffer[capi.BufferMemoryArgs](nil),
	ofBuffer(func(t tt, _ ss, out capi.BufferReadyEventArgs) { wait(t, out.Event) }),
	ofBuffer[capi.BufferUnsafePointerArgs](nil),
	ofBuffer(func(t tt, s ss, _ capi.BufferIncreaseExternalReferenceCountArgs) {
		check.Call(t, capi.BufferDecreaseExternalReferenceCountArgs{Buffer: s.buf(t)})
	}),
	ofBuffer[capi.BufferOpaqueDeviceMemoryDataPointerArgs](nil),
}

var executableCalls = []call{
	of(func(tt, ss) (a capi.ExecutableDestroyArgs) { return }, nil),
	of(func(tt, ss) (a capi.LoadedExecutableDestroyArgs) { return }, nil),
	ofLoaded(func(t tt, _ ss, out capi.LoadedExecutableGetExecutableArgs) { check.Own(t, out.Executable) }),
	ofProgram[capi.ExecutableNameArgs](nil),
	ofProgram[capi.ExecutableNumReplicasArgs](nil),
	ofProgram[capi.ExecutableNumPartitionsArgs](nil),
	ofProgram[capi.ExecutableNumOutputsArgs](nil),
	ofProgram[capi.ExecutableSizeOfGeneratedCodeInBytesArgs](nil),
	ofProgram[capi.ExecutableFingerprintArgs](nil),
	ofProgram[capi.ExecutableGetCostAnalysisArgs](nil),
	ofProgram[capi.ExecutableGetCompiledMemoryStatsArgs](nil),
	ofProgram[capi.ExecutableOutputElementTypesArgs](nil),
	ofProgram[capi.ExecutableOutputDimensionsArgs](nil),
	ofProgram[capi.ExecutableOutputMemoryKindsArgs](nil),
	of(func(t tt, s ss) capi.ExecutableOptimizedProgramArgs {
		return capi.ExecutableOptimizedProgramArgs{Executable: s.prog(t), Program: &capi.Program{StructSize: capi.ProgramSize}}
	}, nil),
	ofProgram(func(_ tt, _ ss, out capi.ExecutableSerializeArgs) {
		out.SerializedExecutableDeleter.Call(out.SerializedExecutable)
	}),
	ofProgram(func(_ tt, _ ss, out capi.ExecutableGetCompileOptionsArgs) {
		out.SerializedCompileOptionsDeleter.Call(out.SerializedCompileOptions)
	}),
	given(serializes, of(func(t tt, s ss) capi.ExecutableDeserializeAndLoadArgs {
		return deserializeArgs(t, s)
	}, func(t tt, _ ss, out capi.ExecutableDeserializeAndLoadArgs) { check.Own(t, out.LoadedExecutable) })),
	ofLoaded[capi.LoadedExecutableAddressableDevicesArgs](nil),
	ofLoaded[capi.LoadedExecutableFingerprintArgs](nil),
	ofLoaded[capi.LoadedExecutableIsDeletedArgs](nil),
	of(func(t tt, s ss) capi.LoadedExecutableDeleteArgs {
		return capi.LoadedExecutableDeleteArgs{Executable: t.Compile(s.client, check.AddOne)}
	}, nil),
	of(func(t tt, s ss) capi.LoadedExecutableExecuteArgs {
		x := check.NewExecution(s.exe(t), 1, []*capi.Buffer{s.buf(t)})
		t.Cleanup(func() {
			for _, b := range x.Outputs[0] {
				check.Own(t, b)
			}
			check.Own(t, x.Events[0])
		})
		return x.Args
	}, nil),
}

// deserializeArgs returns the arguments that load a serialized program.
func deserializeArgs(t tt, s ss) (a capi.ExecutableDeserializeAndLoadArgs) {
	a.Client = s.c()
	a.SerializedExecutable, a.SerializedExecutableSize = capi.BytesData(t.Serialize(s.prog(t)))
	return a
}

func wait(t tt, e *capi.Event) {
	t.NoError(t.Wait(e), "an event")
}
