// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package extension

import (
	"bytes"
	"errors"
	"sync"

	"github.com/ebitengine/purego"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
)

// standIn has the extensions that neither the CPU plugin nor the in-memory plugin has. It
// does only as much as their correct behaviour requires: mutants are made from it.
var standIn = sync.OnceValues(func() (*serve.Table, error) {
	return (&serve.Plugin{
		ABIVersion: standInABI(), ExecutableMetadata: standInMetadata(), Callback: standInCallbacks(),
		Stream: standInStreams(), GPU: standInGPU(), Triton: standInTriton(),
		MultiSlice: standInSlices(), Megascale: standInMegascale(), TPUTopology: standInTopology(),
		Shardings: &serve.ShardingsExtension{
			ShardingsExecutableParameterShardings: hooked[capi.ShardingsExecutableParameterShardingsArgs],
			ShardingsExecutableOutputShardings:    hooked[capi.ShardingsExecutableOutputShardingsArgs],
		},
		XLATransform: &serve.XLATransformExtension{
			RegisterXLATransform:        hooked[capi.RegisterXLATransformArgs],
			ClearXLATransform:           hooked[capi.ClearXLATransformArgs],
			GetHLOPassPipelineTrace:     hooked[capi.XLATransformGetHLOPassPipelineTraceArgs],
			DestroyHLOPassPipelineTrace: func(*capi.XLATransformDestroyHLOPassPipelineTraceArgs) {},
		},
		CustomPartitioner: &serve.CustomPartitionerExtension{
			RegisterCustomPartitioner:  hooked[capi.RegisterCustomPartitionerArgs],
			RegisterBatchPartitionable: hooked[capi.RegisterBatchPartitionableArgs],
		},
		TPUExecutable: &serve.TPUExecutableExtension{
			GetTargetArguments:     hooked[capi.TPUExecutableGetTargetArgumentsArgs],
			GetHLOModuleWithConfig: hooked[capi.TPUExecutableGetHLOModuleWithConfigArgs],
			GetCompiledMemoryStats: hooked[capi.TPUExecutableGetCompiledMemoryStatsArgs],
		},
		CrossHostTransfers: &serve.CrossHostTransfersExtension{
			TransfersClientMakeCrossHostReceiveBuffers: hooked[capi.TransfersClientMakeCrossHostReceiveBuffersArgs],
			TransfersBufferCopyToRemoteDevice:          func(*capi.TransfersBufferCopyToRemoteDeviceArgs) {},
			TransfersClientCrossHostReceiveBuffers:     hooked[capi.TransfersClientCrossHostReceiveBuffersArgs],
			TransfersClientCrossHostSendBuffers:        hooked[capi.TransfersClientCrossHostSendBuffersArgs],
		},
	}).Serve()
})

// hooked stands for a function that is answered by a hook in front of the plugin, because
// it needs the real plugin.
func hooked[A any](*A) error { return nil }

func invalid(message string) error {
	return &capi.Error{Code: capi.ErrorCodeInvalidArgument, Message: message}
}

// objects holds what the stand-in has handed out. A handle is the address of an object,
// which the map keeps alive.
type objects[H any] struct {
	mu   sync.Mutex
	live map[*H]string // guarded by mu
}

func (o *objects[H]) add(h *H, value string) *H {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.live == nil {
		o.live = make(map[*H]string)
	}
	o.live[h] = value
	return h
}

func (o *objects[H]) find(h *H) (string, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if v, ok := o.live[h]; ok {
		return v, nil
	}
	return "", invalid("there is no such object")
}

func (o *objects[H]) drop(h *H) error {
	if h == nil {
		return nil
	}
	_, err := o.find(h)
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.live, h)
	return err
}

// nothing is a deleter with nothing to delete.
var nothing = sync.OnceValue(func() uintptr { return purego.NewCallback(func(uintptr) uintptr { return 0 }) })

// The ABI versions are messages whose field 1 is the platform's id.
const (
	abiPlatform = 300
	abiMessage  = "\x08\xac\x02" // 300
)

func readABI(p *byte, n uintptr) (string, error) {
	b := capi.Bytes(p, n)
	if len(b) != len(abiMessage) || b[0] != 8 {
		return "", invalid("these bytes are no version")
	}
	return string(bytes.Clone(b)), nil
}

func abiID(v string) uint64 { return uint64(v[1]&0x7f) | uint64(v[2])<<7 }

func standInABI() *serve.ABIVersionExtension {
	var runtimes objects[capi.RuntimeABIVersion]
	var executables objects[capi.ExecutableABIVersion]
	newRuntime := func(v string) *capi.RuntimeABIVersion { return runtimes.add(newHandle[capi.RuntimeABIVersion](), v) }
	newExecutable := func(v string) *capi.ExecutableABIVersion {
		return executables.add(newHandle[capi.ExecutableABIVersion](), v)
	}
	same := func(a, b string, err error) error {
		if err == nil && a != b {
			return invalid("the versions are of different platforms")
		}
		return err
	}
	return &serve.ABIVersionExtension{
		ClientRuntimeABIVersion: func(a *capi.ClientRuntimeABIVersionArgs) error {
			a.ABIVersion = newRuntime(abiMessage)
			return nil
		},
		ExecutableGetABIVersion: func(a *capi.ExecutableGetABIVersionArgs) error {
			a.ABIVersion = newExecutable(abiMessage)
			return nil
		},
		RuntimeABIVersionDestroy:    func(a *capi.RuntimeABIVersionDestroyArgs) error { return runtimes.drop(a.ABIVersion) },
		ExecutableABIVersionDestroy: func(a *capi.ExecutableABIVersionDestroyArgs) error { return executables.drop(a.ABIVersion) },
		RuntimeABIVersionIsCompatibleWithRuntime: func(a *capi.RuntimeABIVersionIsCompatibleWithRuntimeArgs) error {
			x, err := runtimes.find(a.ABIVersion)
			y, other := runtimes.find(a.OtherABIVersion)
			return same(x, y, errors.Join(err, other))
		},
		RuntimeABIVersionIsCompatibleWithExecutable: func(a *capi.RuntimeABIVersionIsCompatibleWithExecutableArgs) error {
			x, err := runtimes.find(a.ABIVersion)
			y, other := executables.find(a.ExecutableABIVersion)
			return same(x, y, errors.Join(err, other))
		},
		RuntimeABIVersionToProto: func(a *capi.RuntimeABIVersionToProtoArgs) error {
			v, err := runtimes.find(a.ABIVersion)
			a.SerializedProto, a.SerializedProtoSize = mutant.LastingText(v)
			a.SerializedProtoDeleter = capi.RuntimeABIVersionToProtoArgsSerializedProtoDeleter(nothing())
			return err
		},
		ExecutableABIVersionToProto: func(a *capi.ExecutableABIVersionToProtoArgs) error {
			v, err := executables.find(a.ABIVersion)
			a.SerializedProto, a.SerializedProtoSize = mutant.LastingText(v)
			a.SerializedProtoDeleter = capi.ExecutableABIVersionToProtoArgsSerializedProtoDeleter(nothing())
			return err
		},
		RuntimeABIVersionPlatformID: func(a *capi.RuntimeABIVersionPlatformIDArgs) error {
			v, err := runtimes.find(a.ABIVersion)
			if err == nil {
				a.PlatformID = abiID(v)
			}
			return err
		},
		ExecutableABIVersionPlatformID: func(a *capi.ExecutableABIVersionPlatformIDArgs) error {
			v, err := executables.find(a.ABIVersion)
			if err == nil {
				a.PlatformID = abiID(v)
			}
			return err
		},
		RuntimeABIVersionFromProto: func(a *capi.RuntimeABIVersionFromProtoArgs) error {
			v, err := readABI(a.SerializedProto, a.SerializedProtoSize)
			if err == nil {
				a.ABIVersion = newRuntime(v)
			}
			return err
		},
		ExecutableABIVersionFromProto: func(a *capi.ExecutableABIVersionFromProtoArgs) error {
			v, err := readABI(a.SerializedProto, a.SerializedProtoSize)
			if err == nil {
				a.ABIVersion = newExecutable(v)
			}
			return err
		},
	}
}

func standInMetadata() *serve.ExecutableMetadataExtension {
	return &serve.ExecutableMetadataExtension{
		GetExecutableMetadata: func(a *capi.ExecutableMetadataGetExecutableMetadataArgs) error {
			list := make([]capi.ExecutableMetadata, 1)
			list[0].SerializedMetadata, list[0].SerializedMetadataSize = mutant.LastingText(abiMessage)
			a.Metadata, _ = mutant.LastingArray(list)
			return nil
		},
		DestroySerializedMetadata: func(*capi.ExecutableMetadataDestroySerializedMetadataArgs) {},
	}
}

func standInCallbacks() *serve.CallbackExtension {
	type entry struct {
		fn  capi.CallbackFunction
		arg uintptr
	}
	var mu sync.Mutex
	callbacks := make(map[capi.CallbackType]entry)
	known := func(x capi.CallbackType) error {
		if x != capi.CallbackTypePrefatal && x != capi.CallbackTypeTPUSliceBuilder {
			return invalid("there is no such type of callback")
		}
		return nil
	}
	return &serve.CallbackExtension{
		RegisterCallback: func(a *capi.CallbackRegisterCallbackArgs) error {
			mu.Lock()
			defer mu.Unlock()
			if err := known(a.Type); err != nil {
				return err
			}
			callbacks[a.Type] = entry{a.Callback, a.UserArg}
			return nil
		},
		InvokeCallback: func(a *capi.CallbackInvokeCallbackArgs) error {
			if err := known(a.Type); err != nil {
				return err
			}
			mu.Lock()
			e := callbacks[a.Type]
			mu.Unlock()
			if e.fn != 0 {
				e.fn.Call(a.Args, e.arg)
			}
			return nil
		},
	}
}

func standInStreams() *serve.StreamExtension {
	return &serve.StreamExtension{
		GetStream: func(a *capi.GetStreamForExternalReadyEventsArgs) error {
			a.Stream = 4711
			return nil
		},
		WaitStream: func(*capi.WaitUntilBufferReadyOnStreamArgs) error { return nil },
	}
}

func standInTriton() *serve.TritonExtension {
	return &serve.TritonExtension{Compile: func(*capi.TritonCompileArgs) error { return invalid("this is no module") }}
}
