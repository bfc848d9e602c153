// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrttest

import (
	"slices"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
)

// on turns a method of the plugin into a table function that counts its calls and fails
// as tests ask. It returns nil for a function that the options list as absent.
func on[A any, P interface {
	*A
	capi.Arguments
}](p *Plugin, fn func(P) error) func(P) error {
	name := P(nil).Function().Name
	p.functions[name] = true
	if slices.Contains(p.opts.Absent, name) {
		return nil
	}
	return func(a P) error {
		p.mu.Lock()
		p.calls[name]++
		p.mu.Unlock()
		if err := p.faults.synchronous(name); err != nil {
			return err
		}
		return fn(a)
	}
}

// processInfoSince is the API minor that gave the arguments of
// PJRT_Client_UpdateGlobalProcessInfo their present layout. Plugins of earlier minors,
// which had other layouts, lack the function here.
const processInfoSince = 75

// phasesSince is the API minor that gave the phase compile extension its
// functions.
const phasesSince = 72

// functionTable returns the functions of the plugin.
func (p *Plugin) functionTable() *serve.Plugin {
	s := &serve.Plugin{
		Minor: p.opts.Minor,
		Nodes: p.opts.Nodes,
		// None of these functions needs fields that older callers lack.
		Callers: serve.OldestMinor,

		PluginInitialize:                                    on(p, p.pluginInitialize),
		PluginAttributes:                                    on(p, p.pluginAttributes),
		EventDestroy:                                        on(p, p.eventDestroy),
		EventIsReady:                                        on(p, p.eventIsReady),
		EventError:                                          on(p, p.eventError),
		EventAwait:                                          on(p, p.eventAwait),
		EventOnReady:                                        on(p, p.eventOnReady),
		ClientCreate:                                        on(p, p.clientCreate),
		ClientDestroy:                                       on(p, p.clientDestroy),
		ClientPlatformName:                                  on(p, p.clientPlatformName),
		ClientProcessIndex:                                  on(p, p.clientProcessIndex),
		ClientPlatformVersion:                               on(p, p.clientPlatformVersion),
		ClientDevices:                                       on(p, p.clientDevices),
		ClientAddressableDevices:                            on(p, p.clientAddressableDevices),
		ClientLookupDevice:                                  on(p, p.clientLookupDevice),
		ClientLookupAddressableDevice:                       on(p, p.clientLookupAddressableDevice),
		ClientAddressableMemories:                           on(p, p.clientAddressableMemories),
		ClientCompile:                                       on(p, p.clientCompile),
		ClientDefaultDeviceAssignment:                       on(p, p.clientDefaultDeviceAssignment),
		ClientBufferFromHostBuffer:                          on(p, p.clientBufferFromHostBuffer),
		DeviceDescriptionID:                                 on(p, p.deviceDescriptionID),
		DeviceDescriptionProcessIndex:                       on(p, p.deviceDescriptionProcessIndex),
		DeviceDescriptionAttributes:                         on(p, p.deviceDescriptionAttributes),
		DeviceDescriptionKind:                               on(p, p.deviceDescriptionKind),
		DeviceDescriptionDebugString:                        on(p, p.deviceDescriptionDebugString),
		DeviceDescriptionToString:                           on(p, p.deviceDescriptionToString),
		DeviceGetDescription:                                on(p, p.deviceGetDescription),
		DeviceIsAddressable:                                 on(p, p.deviceIsAddressable),
		DeviceLocalHardwareID:                               on(p, p.deviceLocalHardwareID),
		DeviceAddressableMemories:                           on(p, p.deviceAddressableMemories),
		DeviceDefaultMemory:                                 on(p, p.deviceDefaultMemory),
		DeviceMemoryStats:                                   on(p, p.deviceMemoryStats),
		MemoryID:                                            on(p, p.memoryID),
		MemoryKind:                                          on(p, p.memoryKind),
		MemoryDebugString:                                   on(p, p.memoryDebugString),
		MemoryToString:                                      on(p, p.memoryToString),
		MemoryAddressableByDevices:                          on(p, p.memoryAddressableByDevices),
		ExecutableDestroy:                                   on(p, p.executableDestroy),
		ExecutableName:                                      on(p, p.executableName),
		ExecutableNumReplicas:                               on(p, p.executableNumReplicas),
		ExecutableNumPartitions:                             on(p, p.executableNumPartitions),
		ExecutableNumOutputs:                                on(p, p.executableNumOutputs),
		ExecutableSizeOfGeneratedCodeInBytes:                on(p, p.executableSizeOfGeneratedCodeInBytes),
		ExecutableGetCostAnalysis:                           on(p, p.executableGetCostAnalysis),
		ExecutableOutputMemoryKinds:                         on(p, p.executableOutputMemoryKinds),
		ExecutableOptimizedProgram:                          on(p, p.executableOptimizedProgram),
		ExecutableSerialize:                                 on(p, p.executableSerialize),
		LoadedExecutableDestroy:                             on(p, p.loadedExecutableDestroy),
		LoadedExecutableGetExecutable:                       on(p, p.loadedExecutableGetExecutable),
		LoadedExecutableAddressableDevices:                  on(p, p.loadedExecutableAddressableDevices),
		LoadedExecutableDelete:                              on(p, p.loadedExecutableDelete),
		LoadedExecutableIsDeleted:                           on(p, p.loadedExecutableIsDeleted),
		LoadedExecutableExecute:                             on(p, p.loadedExecutableExecute),
		ExecutableDeserializeAndLoad:                        on(p, p.executableDeserializeAndLoad),
		LoadedExecutableFingerprint:                         on(p, p.loadedExecutableFingerprint),
		BufferDestroy:                                       on(p, p.bufferDestroy),
		BufferElementType:                                   on(p, p.bufferElementType),
		BufferDimensions:                                    on(p, p.bufferDimensions),
		BufferUnpaddedDimensions:                            on(p, p.bufferUnpaddedDimensions),
		BufferDynamicDimensionIndices:                       on(p, p.bufferDynamicDimensionIndices),
		BufferGetMemoryLayout:                               on(p, p.bufferGetMemoryLayout),
		BufferOnDeviceSizeInBytes:                           on(p, p.bufferOnDeviceSizeInBytes),
		BufferDevice:                                        on(p, p.bufferDevice),
		BufferMemory:                                        on(p, p.bufferMemory),
		BufferDelete:                                        on(p, p.bufferDelete),
		BufferIsDeleted:                                     on(p, p.bufferIsDeleted),
		BufferCopyToDevice:                                  on(p, p.bufferCopyToDevice),
		BufferToHostBuffer:                                  on(p, p.bufferToHostBuffer),
		BufferIsOnCPU:                                       on(p, p.bufferIsOnCPU),
		BufferReadyEvent:                                    on(p, p.bufferReadyEvent),
		BufferUnsafePointer:                                 on(p, p.bufferUnsafePointer),
		BufferIncreaseExternalReferenceCount:                on(p, p.bufferIncreaseExternalReferenceCount),
		BufferDecreaseExternalReferenceCount:                on(p, p.bufferDecreaseExternalReferenceCount),
		BufferOpaqueDeviceMemoryDataPointer:                 on(p, p.bufferOpaqueDeviceMemoryDataPointer),
		CopyToDeviceStreamDestroy:                           on(p, p.streamDestroy),
		CopyToDeviceStreamAddChunk:                          on(p, p.streamAddChunk),
		CopyToDeviceStreamTotalBytes:                        on(p, p.streamTotalBytes),
		CopyToDeviceStreamGranuleSize:                       on(p, p.streamGranuleSize),
		CopyToDeviceStreamCurrentBytes:                      on(p, p.streamCurrentBytes),
		TopologyDescriptionCreate:                           on(p, p.topologyDescriptionCreate),
		TopologyDescriptionDestroy:                          on(p, p.topologyDescriptionDestroy),
		TopologyDescriptionPlatformName:                     on(p, p.topologyDescriptionPlatformName),
		TopologyDescriptionPlatformVersion:                  on(p, p.topologyDescriptionPlatformVersion),
		TopologyDescriptionGetDeviceDescriptions:            on(p, p.topologyDescriptionGetDeviceDescriptions),
		TopologyDescriptionSerialize:                        on(p, p.topologyDescriptionSerialize),
		TopologyDescriptionAttributes:                       on(p, p.topologyDescriptionAttributes),
		Compile:                                             on(p, p.compileAhead),
		ExecutableOutputElementTypes:                        on(p, p.executableOutputElementTypes),
		ExecutableOutputDimensions:                          on(p, p.executableOutputDimensions),
		BufferCopyToMemory:                                  on(p, p.bufferCopyToMemory),
		ClientCreateViewOfDeviceBuffer:                      on(p, p.clientCreateViewOfDeviceBuffer),
		ExecutableFingerprint:                               on(p, p.executableFingerprint),
		ClientTopologyDescription:                           on(p, p.clientTopologyDescription),
		ExecutableGetCompiledMemoryStats:                    on(p, p.executableGetCompiledMemoryStats),
		MemoryKindID:                                        on(p, p.memoryKindID),
		ExecuteContextCreate:                                on(p, p.executeContextCreate),
		ExecuteContextDestroy:                               on(p, p.executeContextDestroy),
		BufferCopyRawToHost:                                 on(p, p.bufferCopyRawToHost),
		AsyncHostToDeviceTransferManagerDestroy:             on(p, p.transferManagerDestroy),
		AsyncHostToDeviceTransferManagerTransferData:        on(p, p.transferManagerTransferData),
		ClientCreateBuffersForAsyncHostToDevice:             on(p, p.clientCreateBuffersForAsyncHostToDevice),
		AsyncHostToDeviceTransferManagerRetrieveBuffer:      on(p, p.transferManagerRetrieveBuffer),
		AsyncHostToDeviceTransferManagerDevice:              on(p, p.transferManagerDevice),
		AsyncHostToDeviceTransferManagerBufferCount:         on(p, p.transferManagerBufferCount),
		AsyncHostToDeviceTransferManagerBufferSize:          on(p, p.transferManagerBufferSize),
		AsyncHostToDeviceTransferManagerSetBufferError:      on(p, p.transferManagerSetBufferError),
		AsyncHostToDeviceTransferManagerAddMetadata:         on(p, p.transferManagerAddMetadata),
		ClientDMAMap:                                        on(p, p.clientDMAMap),
		ClientDMAUnmap:                                      on(p, p.clientDMAUnmap),
		ClientCreateUninitializedBuffer:                     on(p, p.clientCreateUninitializedBuffer),
		ClientUpdateGlobalProcessInfo:                       on(p, p.clientUpdateGlobalProcessInfo),
		TopologyDescriptionDeserialize:                      on(p, p.topologyDescriptionDeserialize),
		ClientCreateAliasBuffer:                             on(p, p.clientCreateAliasBuffer),
		ClientFulfillAliasBuffer:                            on(p, p.clientFulfillAliasBuffer),
		LoadedExecutableGetDeviceAssignment:                 on(p, p.loadedExecutableGetDeviceAssignment),
		ClientCreateErrorBuffer:                             on(p, p.clientCreateErrorBuffer),
		AsyncHostToDeviceTransferManagerTransferLiteral:     on(p, p.transferManagerTransferLiteral),
		BufferCopyRawToHostFuture:                           on(p, p.bufferCopyRawToHostFuture),
		DevicePoisonExecution:                               on(p, p.devicePoisonExecution),
		DeviceCreateAsyncTrackingEvent:                      on(p, p.deviceCreateAsyncTrackingEvent),
		AsyncTrackingEventDestroy:                           on(p, p.asyncTrackingEventDestroy),
		ExecutableGetCompileOptions:                         on(p, p.executableGetCompileOptions),
		BufferDonateWithControlDependency:                   on(p, p.bufferDonateWithControlDependency),
		EventCreate:                                         on(p, p.eventCreate),
		EventSet:                                            on(p, p.eventSet),
		DeviceGetAttributes:                                 on(p, p.deviceGetAttributes),
		ClientLoad:                                          on(p, p.clientLoad),
		LoadedExecutableAddressableDeviceLogicalIDs:         on(p, p.loadedExecutableAddressableDeviceLogicalIDs),
		BufferBitcast:                                       on(p, p.bufferBitcast),
		TopologyDescriptionFingerprint:                      on(p, p.topologyDescriptionFingerprint),
		ExecutableParameterMemoryKinds:                      on(p, p.executableParameterMemoryKinds),
		DeviceClearMemoryStats:                              on(p, p.deviceClearMemoryStats),
		TopologyDescriptionMakeCanonicalShapeForMemorySpace: on(p, p.topologyDescriptionMakeCanonicalShapeForMemorySpace),
		TopologyDescriptionGetMemorySpaceKindIDs:            on(p, p.topologyDescriptionGetMemorySpaceKindIDs),
	}
	if p.opts.Minor < processInfoSince {
		s.ClientUpdateGlobalProcessInfo = nil
	}
	p.addExtensions(s)
	return s
}

// addExtensions adds the extensions that the options ask for.
func (p *Plugin) addExtensions(s *serve.Plugin) {
	for _, x := range p.opts.Extensions {
		switch x {
		case capi.ExtensionTypeLayouts:
			s.Layouts = &serve.LayoutsExtension{
				LayoutsMemoryLayoutDestroy:           on(p, p.layoutDestroy),
				LayoutsMemoryLayoutSerialize:         on(p, p.layoutSerialize),
				LayoutsClientGetDefaultLayout:        on(p, p.layoutDefaultOfClient),
				LayoutsBufferMemoryLayout:            on(p, p.layoutOfBuffer),
				LayoutsTopologyGetDefaultLayout:      on(p, p.layoutDefaultOfTopology),
				LayoutsExecutableGetOutputLayouts:    on(p, p.layoutsOfOutputs),
				LayoutsExecutableGetParameterLayouts: on(p, p.layoutsOfParameters),
			}
		case capi.ExtensionTypeMemoryDescriptions:
			s.MemoryDescriptions = &serve.MemoryDescriptionsExtension{
				DeviceDescriptionMemoryDescriptions: on(p, p.deviceDescriptionMemoryDescriptions),
				MemoryDescriptionKind:               on(p, p.memoryDescriptionKind),
			}
		case capi.ExtensionTypeShardings:
			s.Shardings = &serve.ShardingsExtension{
				ShardingsExecutableParameterShardings: on(p, p.shardingsOfParameters),
				ShardingsExecutableOutputShardings:    on(p, p.shardingsOfOutputs),
			}
		case capi.ExtensionTypeRawBuffer:
			s.RawBuffer = &serve.RawBufferExtension{
				RawBufferCreateRawAliasOfBuffer: on(p, p.rawBufferCreate),
				RawBufferDestroy:                on(p, p.rawBufferDestroy),
				RawBufferGetOnDeviceSizeInBytes: on(p, p.rawBufferSize),
				RawBufferGetMemorySpace:         on(p, p.rawBufferMemory),
				RawBufferCopyRawHostToDevice:    on(p, p.rawBufferToDevice),
				RawBufferCopyRawDeviceToHost:    on(p, p.rawBufferToHost),
				RawBufferGetHostPointer:         on(p, p.rawBufferHostPointer),
			}
		case capi.ExtensionTypeProfiler:
			s.Profiler = &serve.ProfilerAPI{
				Create:               on(p, p.profilerCreate),
				Destroy:              on(p, p.profilerDestroy),
				Start:                on(p, p.profilerStart),
				Stop:                 on(p, p.profilerStop),
				CollectData:          on(p, p.profilerCollectData),
				Consume:              on(p, p.profilerConsume),
				ConsumeResultDestroy: p.profilerConsumeResultDestroy,
				Serialize:            on(p, p.profilerSerialize),
			}
		case capi.ExtensionTypePhaseCompile:
			if p.opts.Minor < phasesSince {
				continue
			}
			s.PhaseCompile = &serve.PhaseCompileExtension{
				PhaseCompileGetCompiler:     on(p, p.phaseCompiler),
				PhaseCompileDestroyCompiler: p.phaseDestroyCompiler,
				PhaseCompileRunPhases:       on(p, p.phaseRun),
				PhaseCompileGetPhaseNames:   on(p, p.phaseNames),
				PhaseCompileCBuffersDestroy: p.phaseDestroyBuffers,
			}
		case capi.ExtensionTypeCrossHostTransfers:
			if p.opts.Network == nil {
				continue
			}
			s.CrossHostTransfers = &serve.CrossHostTransfersExtension{
				TransfersClientMakeCrossHostReceiveBuffers: on(p, p.crossHostMakeReceive),
				TransfersBufferCopyToRemoteDevice:          p.remoteCopy(on(p, p.copyToRemoteDevice)),
				TransfersClientCrossHostReceiveBuffers:     on(p, p.crossHostReceive),
				TransfersClientCrossHostSendBuffers:        on(p, p.crossHostSend),
			}
		case capi.ExtensionTypeHostMemoryAllocator:
			s.HostMemoryAllocator = &serve.HostMemoryAllocatorExtension{Allocate: on(p, p.hostMemoryAllocate)}
		case capi.ExtensionTypeABIVersion:
			s.ABIVersion = &serve.ABIVersionExtension{
				ClientRuntimeABIVersion:                     on(p, p.clientRuntimeABIVersion),
				ExecutableGetABIVersion:                     on(p, p.executableGetABIVersion),
				RuntimeABIVersionDestroy:                    on(p, p.runtimeABIVersionDestroy),
				RuntimeABIVersionIsCompatibleWithRuntime:    on(p, p.runtimeFitsRuntime),
				RuntimeABIVersionIsCompatibleWithExecutable: on(p, p.runtimeFitsExecutable),
				RuntimeABIVersionToProto:                    on(p, p.runtimeABIVersionToProto),
				RuntimeABIVersionPlatformID:                 on(p, p.runtimeABIVersionPlatformID),
				ExecutableABIVersionDestroy:                 on(p, p.executableABIVersionDestroy),
				ExecutableABIVersionToProto:                 on(p, p.executableABIVersionToProto),
				ExecutableABIVersionPlatformID:              on(p, p.executableABIVersionPlatformID),
				RuntimeABIVersionFromProto:                  on(p, p.runtimeABIVersionFromProto),
				ExecutableABIVersionFromProto:               on(p, p.executableABIVersionFromProto),
			}
		case capi.ExtensionTypeExecutableMetadata:
			s.ExecutableMetadata = &serve.ExecutableMetadataExtension{
				GetExecutableMetadata:     on(p, p.getExecutableMetadata),
				DestroySerializedMetadata: p.destroyExecutableMetadata,
			}
		case capi.ExtensionTypeCallback:
			s.Callback = &serve.CallbackExtension{
				RegisterCallback: on(p, p.registerCallback),
				InvokeCallback:   on(p, p.invokeCallback),
			}
		case capi.ExtensionTypeStream:
			s.Stream = &serve.StreamExtension{GetStream: on(p, p.getStream), WaitStream: on(p, p.waitStream)}
		case capi.ExtensionTypeGPUCustomCall:
			s.GPU = &serve.GPUCustomCall{CustomCall: on(p, p.registerCustomCall), CustomCallHandlesTraits: true}
		case capi.ExtensionTypeTriton:
			s.Triton = &serve.TritonExtension{Compile: on(p, p.tritonCompile)}
		case capi.ExtensionTypeMultiSlice:
			s.MultiSlice = &serve.MultiSliceExtension{
				ConfigDestroy:            on(p, p.configDestroy),
				ConfigNumSlices:          on(p, p.configNumSlices),
				ConfigSliceID:            on(p, p.configSliceID),
				ConfigNumDevicesPerSlice: on(p, p.configNumDevicesPerSlice),
				ConfigSerialize:          on(p, p.configSerialize),
			}
		case capi.ExtensionTypeMegascale:
			s.Megascale = &serve.MegascaleExtension{
				CreateClientContextFromPJRTClient: on(p, p.contextOfClient),
				CreateDefaultClientContext:        on(p, p.defaultContext),
				DeleteClientContext:               on(p, p.deleteContext),
				CreateAOTConfig:                   on(p, p.createAOTConfig),
				CreateMultiSliceConfig:            on(p, p.createMultiSliceConfig),
				ClientContextInitialize:           on(p, p.initializeContext),
				DeviceIDToMegascaleID:             on(p, p.deviceToMegascale),
				MegascaleIDToDeviceID:             on(p, p.megascaleToDevice),
			}
		case capi.ExtensionTypeTPUTopology:
			s.TPUTopology = p.tpuTopology()
		}
	}
}
