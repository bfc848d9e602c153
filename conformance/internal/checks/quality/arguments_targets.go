// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package quality

import (
	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

// targetFamily holds functions that belong together.
type targetFamily struct {
	library bool // they need no client
	several int  // how many times several fields are changed at once
	targets func() []target
}

// families are the functions that fuzzArguments calls.
var families = map[string]targetFamily{
	"client":   {false, 3000, clientTargets},
	"compile":  {false, 400, compileTargets},
	"upload":   {false, 3000, uploadTargets},
	"buffer":   {false, 3000, bufferTargets},
	"transfer": {false, 3000, transferTargets},
	"execute":  {false, 3000, executeTargets},
	"getters":  {false, 500, getterTargets},
	"topology": {true, 1000, topologyTargets},
}

type (
	tt = *check.T
	ss = *subject
)

// made destroys a buffer that a call made, which may be an error buffer.
func made(t tt, s ss, b *capi.Buffer) {
	if b == nil {
		t.Errorf("success without a buffer")
		return
	}
	if out, err := check.Try(t, capi.BufferReadyEventArgs{Buffer: b}); err == nil {
		_ = s.wait(out.Event)
	}
	if err := s.destroy(b); err != nil {
		t.Errorf("%v", err)
	}
}

func clientTargets() []target {
	return []target{
		fuzzed(func(t tt, _ ss) capi.ClientCreateArgs { return t.CreateArgs() }, func(t tt, _ ss, a capi.ClientCreateArgs) {
			_, _ = check.Try(t, capi.ClientDestroyArgs{Client: a.Client})
		}),
		fuzzed(func(t tt, s ss) capi.ClientLookupDeviceArgs {
			d := t.Description(s.c.Devices[0])
			return capi.ClientLookupDeviceArgs{Client: s.c.Handle, ID: check.Call(t, capi.DeviceDescriptionIDArgs{DeviceDescription: d}).ID}
		}, nil),
		fuzzed(func(t tt, s ss) capi.ClientLookupAddressableDeviceArgs {
			id := check.Call(t, capi.DeviceLocalHardwareIDArgs{Device: s.c.Devices[0]}).LocalHardwareID
			return capi.ClientLookupAddressableDeviceArgs{Client: s.c.Handle, LocalHardwareID: id}
		}, nil),
		fuzzed(func(_ tt, s ss) capi.ClientDefaultDeviceAssignmentArgs {
			return capi.ClientDefaultDeviceAssignmentArgs{Client: s.c.Handle, NumReplicas: 1, NumPartitions: 1, DefaultAssignmentSize: 1,
				DefaultAssignment: new(int32)}
		}, nil),
		fuzzed(func(_ tt, s ss) (a capi.DevicePoisonExecutionArgs) {
			a.Device, a.LaunchID, a.ErrorCode = s.c.Devices[0], 424242, capi.ErrorCodeAborted
			a.ErrorMessage, a.ErrorMessageSize = capi.StringData("on purpose")
			return a
		}, nil),
		fuzzed(func(_ tt, s ss) (a capi.DeviceCreateAsyncTrackingEventArgs) {
			a.Device = s.c.Devices[0]
			a.Description, a.DescriptionSize = capi.StringData("conformance suite")
			return a
		}, func(t tt, _ ss, a capi.DeviceCreateAsyncTrackingEventArgs) {
			_, _ = check.Try(t, capi.AsyncTrackingEventDestroyArgs{Event: a.Event})
		}),
	}
}

func compileTargets() []target {
	ended := func(t tt, e *capi.LoadedExecutable) {
		if e == nil {
			t.Errorf("success without an executable")
			return
		}
		_, _ = check.Try(t, capi.LoadedExecutableDestroyArgs{Executable: e})
	}
	return []target{
		fuzzed(func(t tt, s ss) capi.ClientCompileArgs {
			return t.CompileArgs(s.c, check.AddOne, check.Devices(1, 1))
		}, func(t tt, _ ss, a capi.ClientCompileArgs) { ended(t, a.Executable) }),
		fuzzed(func(t tt, s ss) capi.CompileArgs {
			c := t.CompileArgs(s.c, check.AddOne, check.Devices(1, 1))
			x, _ := check.Try(t, capi.ClientTopologyDescriptionArgs{Client: s.c.Handle})
			return capi.CompileArgs{Topology: x.Topology, Client: s.c.Handle, Program: c.Program, CompileOptions: c.CompileOptions,
				CompileOptionsSize: c.CompileOptionsSize}
		}, func(t tt, _ ss, a capi.CompileArgs) {
			_, _ = check.Try(t, capi.ExecutableDestroyArgs{Executable: a.Executable})
		}),
		fuzzed(func(_ tt, s ss) (a capi.ExecutableDeserializeAndLoadArgs) {
			a.Client = s.c.Handle
			a.SerializedExecutable, a.SerializedExecutableSize = capi.BytesData(s.saved)
			return a
		}, func(t tt, _ ss, a capi.ExecutableDeserializeAndLoadArgs) { ended(t, a.LoadedExecutable) }),
	}
}

// dims returns the dimensions of the targets' arrays, which have four floats.
func dims() (*int64, uintptr) { return check.First([]int64{2, 2}) }

func uploadTargets() []target {
	upload := func(layout *capi.BufferMemoryLayout) target {
		return fuzzed(func(_ tt, s ss) capi.ClientBufferFromHostBufferArgs {
			a := check.HostArgs(s.c, []float32{1, 2, 3, 4}, 2, 2)
			a.DeviceLayout = layout
			return a
		}, func(t tt, s ss, a capi.ClientBufferFromHostBufferArgs) {
			if a.DoneWithHostBuffer != nil {
				_ = s.wait(a.DoneWithHostBuffer)
			}
			made(t, s, a.Buffer)
		})
	}
	memory := func(t tt, s ss) *capi.Memory {
		m, _ := check.Try(t, capi.DeviceDefaultMemoryArgs{Device: s.c.Devices[0]})
		return m.Memory
	}
	return []target{
		upload(nil),
		upload(check.TiledLayout([]int64{1, 0})),
		fuzzed(func(_ tt, s ss) (a capi.ClientCreateUninitializedBufferArgs) {
			a.Client, a.Device, a.ShapeElementType = s.c.Handle, s.c.Devices[0], capi.BufferTypeF32
			a.ShapeDims, a.ShapeNumDims = dims()
			return a
		}, func(t tt, s ss, a capi.ClientCreateUninitializedBufferArgs) { made(t, s, a.Buffer) }),
		fuzzed(func(t tt, s ss) (a capi.ClientCreateErrorBufferArgs) {
			a.Client, a.Memory, a.ShapeElementType, a.ErrorCode = s.c.Handle, memory(t, s), capi.BufferTypeF32, capi.ErrorCodeAborted
			a.ErrorMessage, a.ErrorMessageSize = capi.StringData("on purpose")
			a.ShapeDims, a.ShapeNumDims = dims()
			return a
		}, func(t tt, s ss, a capi.ClientCreateErrorBufferArgs) { made(t, s, a.Buffer) }),
	}
}

func bufferTargets() []target {
	return []target{
		fuzzed(func(_ tt, s ss) capi.BufferToHostBufferArgs {
			return capi.BufferToHostBufferArgs{Src: s.buffer, HostLayout: check.RowMajor(1),
				Dst: check.Pointer(make([]byte, 16)), DstSize: 16}
		}, func(_ tt, s ss, a capi.BufferToHostBufferArgs) {
			if a.Event != nil {
				_ = s.wait(a.Event)
			}
		}),
		fuzzed(func(_ tt, s ss) capi.BufferCopyRawToHostArgs {
			return capi.BufferCopyRawToHostArgs{Buffer: s.buffer, Dst: check.Pointer(make([]byte, 16)), TransferSize: 16}
		}, func(_ tt, s ss, a capi.BufferCopyRawToHostArgs) {
			if a.Event != nil {
				_ = s.wait(a.Event)
			}
		}),
		fuzzed(func(t tt, s ss) capi.BufferCopyToMemoryArgs {
			m, _ := check.Try(t, capi.DeviceDefaultMemoryArgs{Device: s.c.Devices[0]})
			return capi.BufferCopyToMemoryArgs{Buffer: s.buffer, DstMemory: m.Memory}
		}, func(t tt, s ss, a capi.BufferCopyToMemoryArgs) { made(t, s, a.DstBuffer) }),
		fuzzed(func(t tt, s ss) (a capi.BufferBitcastArgs) {
			b, err := s.upload([]float32{1, 2, 3, 4})
			if err != nil {
				t.Fatalf("%v", err)
			}
			a.Buffer, a.ElementType = b, capi.BufferTypeS32
			a.Dims, a.NumDims = dims()
			return a
		}, func(t tt, s ss, a capi.BufferBitcastArgs) { made(t, s, a.OutBuffer) }),
	}
}

func transferTargets() []target {
	manager := func(t tt, s ss) *capi.AsyncHostToDeviceTransferManager {
		a := transferArgs(t, s)
		out, _ := check.Try(t, a)
		return check.Own(t, out.TransferManager)
	}
	return []target{
		fuzzed(transferArgs, func(t tt, _ ss, a capi.ClientCreateBuffersForAsyncHostToDeviceArgs) { check.Own(t, a.TransferManager) }),
		fuzzed(func(t tt, s ss) capi.AsyncHostToDeviceTransferManagerTransferDataArgs {
			return capi.AsyncHostToDeviceTransferManagerTransferDataArgs{
				TransferManager: manager(t, s), Data: check.Pointer([]float32{1, 2, 3, 4}), TransferSize: 16, IsLastTransfer: true,
			}
		}, func(_ tt, s ss, a capi.AsyncHostToDeviceTransferManagerTransferDataArgs) {
			if a.DoneWithH2dTransfer != nil {
				_ = s.wait(a.DoneWithH2dTransfer)
			}
		}),
		fuzzed(func(t tt, s ss) capi.AsyncHostToDeviceTransferManagerRetrieveBufferArgs {
			return capi.AsyncHostToDeviceTransferManagerRetrieveBufferArgs{TransferManager: manager(t, s)}
		}, func(t tt, _ ss, a capi.AsyncHostToDeviceTransferManagerRetrieveBufferArgs) { check.Own(t, a.BufferOut) }),
		fuzzed(func(t tt, s ss) capi.AsyncHostToDeviceTransferManagerBufferSizeArgs {
			return capi.AsyncHostToDeviceTransferManagerBufferSizeArgs{TransferManager: manager(t, s)}
		}, nil),
		fuzzed(func(t tt, s ss) (a capi.AsyncHostToDeviceTransferManagerSetBufferErrorArgs) {
			a.TransferManager, a.ErrorCode = manager(t, s), capi.ErrorCodeAborted
			a.ErrorMessage, a.ErrorMessageSize = capi.StringData("on purpose")
			return a
		}, nil),
		fuzzed(func(t tt, s ss) (a capi.AsyncHostToDeviceTransferManagerAddMetadataArgs) {
			a.TransferManager = manager(t, s)
			a.TransferMetadata, a.NumMetadata = t.NamedValues(capi.Attribute{Name: "suite", Value: "conformance"})
			return a
		}, nil),
	}
}

func transferArgs(t tt, s ss) capi.ClientCreateBuffersForAsyncHostToDeviceArgs {
	m, _ := check.Try(t, capi.DeviceDefaultMemoryArgs{Device: s.c.Devices[0]})
	spec := &capi.ShapeSpec{StructSize: capi.ShapeSpecSize, ElementType: capi.BufferTypeF32}
	spec.Dims, spec.NumDims = dims()
	return capi.ClientCreateBuffersForAsyncHostToDeviceArgs{Client: s.c.Handle, Memory: m.Memory, ShapeSpecs: spec, NumShapeSpecs: 1}
}

func executeTargets() []target {
	return []target{
		fuzzed(func(_ tt, s ss) capi.LoadedExecutableExecuteArgs {
			x := check.NewExecution(s.exe, 1, []*capi.Buffer{s.buffer})
			x.Options.NonDonatableInputIndices, x.Options.NumNonDonatableInputIndices = check.First([]int64{0})
			return x.Args
		}, func(t tt, s ss, a capi.LoadedExecutableExecuteArgs) {
			for _, e := range capi.Slice(a.DeviceCompleteEvents, a.NumDevices) {
				if e != nil {
					_ = s.wait(e)
				}
			}
			for _, list := range capi.Slice(a.OutputLists, a.NumDevices) {
				made(t, s, *list)
			}
		}),
		fuzzed(func(tt, ss) (a capi.ExecuteContextCreateArgs) { return }, func(t tt, _ ss, a capi.ExecuteContextCreateArgs) {
			_, _ = check.Try(t, capi.ExecuteContextDestroyArgs{Context: a.Context})
		}),
	}
}

func topologyTargets() []target {
	end := func(t tt, x *capi.TopologyDescription) {
		_, _ = check.Try(t, capi.TopologyDescriptionDestroyArgs{Topology: x})
	}
	return []target{
		fuzzed(func(t tt, _ ss) (a capi.TopologyDescriptionCreateArgs) {
			a.TopologyName, a.TopologyNameSize = capi.StringData(t.Env().Topology)
			a.CreateOptions, a.NumOptions = t.NamedValues(t.Env().TopologyOptions...)
			return a
		}, func(t tt, _ ss, a capi.TopologyDescriptionCreateArgs) { end(t, a.Topology) }),
		fuzzed(func(t tt, _ ss) (a capi.TopologyDescriptionDeserializeArgs) {
			out, err := check.Try(t, capi.TopologyDescriptionSerializeArgs{Topology: t.Topology()})
			if err == nil {
				data := capi.Bytes(out.SerializedBytes, out.SerializedBytesSize)
				out.SerializedTopologyDeleter.Call(out.SerializedTopology)
				a.SerializedTopology, a.SerializedTopologySize = capi.BytesData(data)
			}
			return a
		}, func(t tt, _ ss, a capi.TopologyDescriptionDeserializeArgs) { end(t, a.Topology) }),
	}
}

// getter returns a function that only takes a handle: only what precedes the handle can
// be changed.
func getter[A, H any](object func(ss) *H) target {
	return fuzzed(func(_ tt, s ss) A { return check.About[A](object(s)) }, nil)
}

func getterTargets() []target {
	client := func(s ss) *capi.Client { return s.c.Handle }
	device := func(s ss) *capi.Device { return s.c.Devices[0] }
	buffer := func(s ss) *capi.Buffer { return s.buffer }
	program := func(s ss) *capi.Executable { return s.program }
	loaded := func(s ss) *capi.LoadedExecutable { return s.exe }
	return []target{
		fuzzed(func(tt, ss) (a capi.PluginAttributesArgs) { return }, nil),
		getter[capi.ClientPlatformNameArgs](client),
		getter[capi.ClientPlatformVersionArgs](client),
		getter[capi.ClientProcessIndexArgs](client),
		getter[capi.ClientDevicesArgs](client),
		getter[capi.ClientAddressableDevicesArgs](client),
		getter[capi.ClientAddressableMemoriesArgs](client),
		getter[capi.ClientTopologyDescriptionArgs](client),
		getter[capi.DeviceGetDescriptionArgs](device),
		getter[capi.DeviceIsAddressableArgs](device),
		getter[capi.DeviceLocalHardwareIDArgs](device),
		getter[capi.DeviceAddressableMemoriesArgs](device),
		getter[capi.DeviceDefaultMemoryArgs](device),
		getter[capi.DeviceMemoryStatsArgs](device),
		getter[capi.BufferElementTypeArgs](buffer),
		getter[capi.BufferDimensionsArgs](buffer),
		getter[capi.BufferUnpaddedDimensionsArgs](buffer),
		getter[capi.BufferDynamicDimensionIndicesArgs](buffer),
		getter[capi.BufferGetMemoryLayoutArgs](buffer),
		getter[capi.BufferOnDeviceSizeInBytesArgs](buffer),
		getter[capi.BufferIsDeletedArgs](buffer),
		getter[capi.BufferIsOnCPUArgs](buffer),
		getter[capi.BufferDeviceArgs](buffer),
		getter[capi.BufferMemoryArgs](buffer),
		fuzzed(func(_ tt, s ss) capi.BufferReadyEventArgs { return capi.BufferReadyEventArgs{Buffer: s.buffer} },
			func(_ tt, s ss, a capi.BufferReadyEventArgs) {
				_ = s.wait(a.Event)
			}),
		getter[capi.ExecutableNameArgs](program),
		getter[capi.ExecutableNumReplicasArgs](program),
		getter[capi.ExecutableNumPartitionsArgs](program),
		getter[capi.ExecutableNumOutputsArgs](program),
		getter[capi.ExecutableSizeOfGeneratedCodeInBytesArgs](program),
		getter[capi.ExecutableFingerprintArgs](program),
		getter[capi.ExecutableGetCostAnalysisArgs](program),
		getter[capi.ExecutableOutputElementTypesArgs](program),
		getter[capi.ExecutableOutputDimensionsArgs](program),
		getter[capi.ExecutableOutputMemoryKindsArgs](program),
		getter[capi.LoadedExecutableAddressableDevicesArgs](loaded),
	}
}
