// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package extension

import (
	"slices"
	"sync"

	"github.com/ebitengine/purego"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
)

// standIn has the extensions that need a compiler or a network behind them, which neither
// the CPU plugin nor the in-memory plugin has. Its functions do nothing: the hooks of
// behaviour answer, with the help of the plugin that the extensions are put in front of.
var standIn = sync.OnceValues(func() (*serve.Table, error) {
	return (&serve.Plugin{
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

// behaviour returns the hooks of the stand-in, which need the functions of the real plugin.
func behaviour(f flaws) []serve.Hook {
	return slices.Concat((&frontEnd{flaws: f}).hooks(), newNetwork(f).hooks(), new(archive).hooks(), shardingHooks())
}

// with makes a mutant from a stand-in that has flaws itself.
func with(name, fault string, f flaws) mutant.Mutant {
	return mutant.Mutant{
		Check: name, Fault: fault,
		Wrap:  func(real *capi.Table) (*serve.Table, error) { return flawed(real, f) },
		Sound: sound,
	}
}

func invalid(message string) error {
	return &capi.Error{Code: capi.ErrorCodeInvalidArgument, Message: message}
}

// nothing is a deleter with nothing to delete.
var nothing = sync.OnceValue(func() uintptr { return purego.NewCallback(func(uintptr) uintptr { return 0 }) })
