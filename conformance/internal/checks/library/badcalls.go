// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package library

import (
	"math"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

// badCall is a call that plugins usually refuse.
type badCall struct {
	name   string
	client bool // it needs a client
	call   func(t *check.T) *capi.ErrorHandle
}

var badCalls = []badCall{
	{"PJRT_Client_LookupDevice of id -1", true, func(t *check.T) *capi.ErrorHandle {
		return rawError(t, capi.ClientLookupDeviceArgs{Client: t.Client().Handle, ID: -1})
	}},
	{"PJRT_Client_LookupDevice of id INT_MAX", true, func(t *check.T) *capi.ErrorHandle {
		return rawError(t, capi.ClientLookupDeviceArgs{Client: t.Client().Handle, ID: math.MaxInt32})
	}},
	{"PJRT_Client_LookupAddressableDevice of id 9999", true, func(t *check.T) *capi.ErrorHandle {
		return rawError(t, capi.ClientLookupAddressableDeviceArgs{Client: t.Client().Handle, LocalHardwareID: 9999})
	}},
	{"PJRT_Client_Compile of an unknown format", true, func(t *check.T) *capi.ErrorHandle {
		return compileError(t, "no_such_format", check.AddOne, check.Devices(1, 1))
	}},
	{"PJRT_Client_Compile of no program", true, func(t *check.T) *capi.ErrorHandle {
		return compileError(t, "mlir", "this is no program", check.Devices(1, 1))
	}},
	{"PJRT_Client_Compile with options that are no proto", true, func(t *check.T) *capi.ErrorHandle {
		return compileError(t, "mlir", check.AddOne, []byte("\xff\xff\xff\xff not a proto"))
	}},
	{"PJRT_Client_DefaultDeviceAssignment into too short an array", true, func(t *check.T) *capi.ErrorHandle {
		ids := []int32{-1, -1}
		args := capi.ClientDefaultDeviceAssignmentArgs{Client: t.Client().Handle, NumReplicas: 1, NumPartitions: 1}
		args.DefaultAssignment = &ids[0]
		return rawError(t, args)
	}},
	{"PJRT_Client_BufferFromHostBuffer of a negative dimension", true, func(t *check.T) *capi.ErrorHandle {
		return rawError(t, check.HostArgs(t.Client(), []float32{1, 2, 3, 4}, -4))
	}},
	{"PJRT_Buffer_ToHostBuffer into too short an array", true, func(t *check.T) *capi.ErrorHandle {
		dst := make([]byte, 64)
		return rawError(t, capi.BufferToHostBufferArgs{
			Src: check.Upload(t, t.Client(), []float32{1, 2, 3, 4}), HostLayout: check.RowMajor(1), Dst: check.Pointer(dst), DstSize: 4,
		})
	}},
	{"PJRT_Executable_DeserializeAndLoad of no executable", true, func(t *check.T) *capi.ErrorHandle {
		args := capi.ExecutableDeserializeAndLoadArgs{Client: t.Client().Handle}
		args.SerializedExecutable, args.SerializedExecutableSize = capi.StringData("this is no executable")
		return rawError(t, args)
	}},
	{"PJRT_Plugin_Attributes with a struct_size of 8", false, func(t *check.T) *capi.ErrorHandle {
		c := &capi.Call[capi.PluginAttributesArgs]{}
		c.Args.StructSize = 8
		h, _ := check.RawError(t, c)
		return h
	}},
	{"PJRT_Plugin_Initialize with a struct_size of 0", false, func(t *check.T) *capi.ErrorHandle {
		h, _ := check.RawError(t, &capi.Call[capi.PluginInitializeArgs]{})
		return h
	}},
}

func compileError(t *check.T, format, code string, options []byte) *capi.ErrorHandle {
	args := t.CompileArgs(t.Client(), code, options)
	args.Program = t.Program(format, code)
	out, h := rawCall(t, args)
	if h == nil {
		check.Own(t, out.Executable)
	}
	return h
}
