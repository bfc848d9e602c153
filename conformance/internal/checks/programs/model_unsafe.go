// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package programs

import (
	"unsafe"

	"github.com/purepjrt/purepjrt/capi"
)

// modern puts a table of the newest API in front of a plugin. The later functions have an
// entry even if the plugin lacks them, but calling one there would call the wrong function:
// hooks must answer all these calls.
func modern(real *capi.Table, later ...*capi.Function) (*capi.Table, error) {
	old := real.API()
	api := new(capi.API)
	copy(unsafe.Slice((*byte)(unsafe.Pointer(api)), capi.APISize), unsafe.Slice((*byte)(unsafe.Pointer(old)), old.StructSize))
	api.StructSize = capi.APISize
	api.PJRTAPIVersion.MinorVersion = capi.APIMinor
	place := *(*uintptr)(unsafe.Add(unsafe.Pointer(api), (&capi.Call[capi.PluginInitializeArgs]{}).Function().Offset))
	for _, f := range later {
		*(*uintptr)(unsafe.Add(unsafe.Pointer(api), f.Offset)) = place
	}
	return capi.NewTable(api)
}

// The model's own objects travel as handles of the API. The garbage collector
// follows them, and the model keeps each until it is destroyed.

func streamHandle(s *modelStream) *capi.CopyToDeviceStream {
	return (*capi.CopyToDeviceStream)(unsafe.Pointer(s))
}

func modelStreamOf(h *capi.CopyToDeviceStream) *modelStream { return (*modelStream)(unsafe.Pointer(h)) }

func topologyHandle(m *modelTopology) *capi.TopologyDescription {
	return (*capi.TopologyDescription)(unsafe.Pointer(m))
}

// A capi.Handle takes the place of an object that only a deleter gets.

func serializedHandle(h capi.Handle) *capi.SerializedExecutable {
	return *(**capi.SerializedExecutable)(unsafe.Pointer(&h))
}

func optionsHandle(h capi.Handle) *capi.SerializedCompileOptions {
	return *(**capi.SerializedCompileOptions)(unsafe.Pointer(&h))
}

// dependencyOf reads the args that a caller passes to a dependency's callback.
func dependencyOf(args uintptr) *capi.BufferDonateWithControlDependencyCallbackArgs {
	return *(**capi.BufferDonateWithControlDependencyCallbackArgs)(unsafe.Pointer(&args))
}
