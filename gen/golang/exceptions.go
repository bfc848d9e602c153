// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package golang

import (
	"strings"

	"github.com/purepjrt/purepjrt/gen/model"
)

// The Go packages that are generated.
const (
	packageCAPI  = "capi"
	packageFFI   = "ffi"
	packageServe = "serve"
	// packageOutside stands for the package of an extension outside of this module,
	// whatever its name.
	packageOutside = "\x00outside"

	pathCAPI    = "github.com/purepjrt/purepjrt/capi"
	pathFFI     = pathCAPI + "/ffi"
	pathServe   = pathCAPI + "/serve"
	pathCCall   = pathCAPI + "/internal/ccall"
	pathGenTest = pathCAPI + "/internal/gentest"
	pathOutside = "outside.invalid" // no file imports it
)

// oldestMinor is the oldest API minor that capi accepts. A field that came in it
// or before is known to every plugin, so it needs no gate.
const oldestMinor = 45

// oldestServed is the oldest API minor that package serve can have: since then, the
// functions have kept their places.
const oldestServed = 57

// staleArgs are args structs whose size constant left fields out until a minor, as
// facts/history.json shows.
var staleArgs = map[string]struct {
	size  int64
	until int
}{
	"PJRT_Plugin_Attributes_Args": {24, 71},
}

// elementStructs are the structs that args hold in arrays, not singly, and the heads of
// lists.
var elementStructs = map[string]bool{
	"PJRT_Extension_Base": true,
	"PJRT_NamedValue":     true,
	"PJRT_ProcessInfo":    true,
	"PJRT_ShapeSpec":      true,
}

// valuePrefixes are what the values of an enum begin with, where neither the enum's name
// nor a comparison of the values shows it.
var valuePrefixes = map[string]string{
	"PJRT_Collectives_CollectiveOpKind": "PJRT_COLLECTIVES_COLLECTIVE_OP_KIND_",
	"PJRT_FFI_Handler_TraitsBits":       "PJRT_FFI_HANDLER_TRAITS_",
	"PjRtCApiTpuInitType":               "kPjRtCApiTpuInitType",
	"XLA_FFI_Handler_TraitsBits":        "XLA_FFI_HANDLER_TRAITS_",
	"XLA_FFI_InternalExtension_Type":    "XLA_FFI_Extension_",
}

// unionNames are the names of the fields that stand for anonymous unions, by
// struct. A struct that is not listed gets Union.
var unionNames = map[string]string{
	"PJRT_NamedValue":          "Value",
	"PJRT_Buffer_MemoryLayout": "Layout",
}

// scalars are the C types that are neither declared by the headers nor void.
var scalars = map[string]string{
	"bool":                      "bool",
	"_Bool":                     "bool",
	"char":                      "byte",
	"signed char":               "int8",
	"unsigned char":             "uint8",
	"short":                     "int16",
	"unsigned short":            "uint16",
	"int":                       "int32",
	"unsigned int":              "uint32",
	"unsigned":                  "uint32",
	"long":                      "int",
	"unsigned long":             "uintptr",
	"long long":                 "int64",
	"unsigned long long":        "uint64",
	"float":                     "float32",
	"double":                    "float64",
	"size_t":                    "uintptr",
	"ptrdiff_t":                 "int",
	"intptr_t":                  "int",
	"uintptr_t":                 "uintptr",
	"int8_t":                    "int8",
	"int16_t":                   "int16",
	"int32_t":                   "int32",
	"int64_t":                   "int64",
	"uint8_t":                   "uint8",
	"uint16_t":                  "uint16",
	"uint32_t":                  "uint32",
	"uint64_t":                  "uint64",
	"xla::GlobalDeviceId":       "int32",
	"xla::CrossHostTransferKey": "int64",
}

// wordNames are the void pointers that Go must see as numbers: the collector
// ends the process when a pointer holds a small number, and these hold whatever
// their owner likes (a key of a callback table, a stream's number), the address
// of a function, or an address of a device.
var wordNames = map[string]bool{
	"":                  true, // a parameter without a name
	"arg":               true,
	"callback_data":     true,
	"device_buffer_ptr": true,
	"device_event":      true,
	"device_memory_ptr": true,
	"handler":           true,
	"key":               true,
	"object":            true,
	"priv":              true,
	"private_data":      true,
	"state":             true,
	"stream":            true,
	"user_arg":          true,
	"user_data":         true,
}

// wordExceptions are words that their names do not show, by struct or callback and by
// field or parameter; the result of a function is named return.
var wordExceptions = map[string]bool{
	"JAX_CustomCallPartitioner_version_and_error.data":                      true,
	"JAX_CustomCallPartitioner_version_and_error.cleanup_fn.data":           true,
	"PJRT_FFI_UserData.data":                                                true,
	"PJRT_Memory_FunctionTable.get_user_data.return":                        true,
	"PJRT_Memory_FunctionTable.set_user_data.data":                          true,
	"PJRT_RawBuffer_FunctionTable.opaque_device_memory_data_pointer.return": true,
	"PJRT_XlaTransform_version_and_error.data":                              true,
	"PJRT_XlaTransform_version_and_error.cleanup_fn.data":                   true,
	"XLA_FFI_DeviceMemory_Allocate_Args.data":                               true,
	"XLA_FFI_DeviceMemory_Free_Args.data":                                   true,
	"XLA_FFI_InvokeContext_Get_Args.data":                                   true,
	"XLA_FFI_Task.data":                                                     true,
	"XLA_FFI_ThreadPool_Schedule_Args.data":                                 true,
}

// isWord reports whether the void pointer called name of the struct or callback
// owner is a number for Go.
func isWord(owner, name string) bool {
	if wordExceptions[owner+"."+name] {
		return true
	}
	return wordNames[name] || strings.HasSuffix(name, "_arg") || strings.HasSuffix(name, "_user_data") ||
		strings.HasPrefix(name, "handler_")
}

// unsetByPlugins are pointers, by struct and field, in structs that plugins hand
// out by value and fill in only in part: what was on the plugin's stack stays in
// them, and a number there ends a Go program once the struct is copied. No header
// declares an extension of these structs, so nothing is lost by a plain word.
var unsetByPlugins = map[string]bool{
	"PJRT_Buffer_MemoryLayout.extension_start":         true,
	"PJRT_Buffer_MemoryLayout_Tiled.extension_start":   true,
	"PJRT_Buffer_MemoryLayout_Strides.extension_start": true,
}

// callerMemory are the fields that headers mark as out although their pointer is
// an input: what it points to is the caller's memory, which the function fills.
// Do must not clear such a pointer.
var callerMemory = map[string]bool{
	"PJRT_Executable_OptimizedProgram_Args.program":                       true,
	"PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers_Args.buffers":     true,
	"PJRT_Transfers_PJRT_Client_CrossHostSendBuffers_Args.send_events":    true,
	"PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers_Args.buffers": true,
	"XLA_FFI_ThreadPool_NumThreads_Args.num_threads":                      true,
}

// unmarkedOut are the fields that functions fill although the headers do not mark
// them as out.
var unmarkedOut = map[string]bool{
	"PJRT_Triton_Compile_Args.out_asm":                          true,
	"PJRT_Triton_Compile_Args.out_asm_size":                     true,
	"PJRT_Triton_Compile_Args.out_path":                         true,
	"PJRT_Triton_Compile_Args.out_path_size":                    true,
	"PJRT_Triton_Compile_Args.out_smem_bytes":                   true,
	"PJRT_Xla_Transform_Get_Hlo_Pass_Pipeline_Trace_Args.trace": true,
}

// isOut reports whether a function fills the field f of the struct st. What keeps an
// output alive is an output itself; headers mark only its deleter.
func isOut(st *typeInfo, f *model.Field) bool {
	if f.Dir == model.DirOut || unmarkedOut[st.c+"."+f.Name] {
		return true
	}
	for i := range st.st.Fields {
		if d := &st.st.Fields[i]; d.Name == f.Name+"_deleter" && d.Dir == model.DirOut {
			return f.Dir == model.DirNone
		}
	}
	return false
}

// apiTables are the tables that are not extensions, by struct: the section that
// Function.Section names, and the kind of errors of its functions.
var apiTables = map[string]struct{ section, errors string }{
	"PJRT_Api":            {"SectionCore", "ErrorsPJRT"},
	"PLUGIN_Profiler_Api": {"SectionProfiler", "ErrorsProfiler"},
	"XLA_FFI_Api":         {"SectionCore", "ErrorsFFI"},
}

// errorTypes are the handles that functions return for errors.
var errorTypes = map[string]string{
	"PJRT_Error":            "ErrorsPJRT",
	"PLUGIN_Profiler_Error": "ErrorsProfiler",
	"XLA_FFI_Error":         "ErrorsFFI",
}

// pure are the functions that may take the short call path, which keeps the scheduler
// waiting: they return what is at hand, wait for no device, no lock that is held for long
// and no other thread, make no callbacks and free nothing.
//
// PJRT_Buffer_UnpaddedDimensions is not among them, since a dynamic shape is only
// known when the computation has ended, and neither is PJRT_Executable_NumOutputs,
// for which some plugins read the whole program.
var pure = map[string]bool{
	"PJRT_AsyncHostToDeviceTransferManager_BufferCount": true,
	"PJRT_AsyncHostToDeviceTransferManager_BufferSize":  true,
	"PJRT_AsyncHostToDeviceTransferManager_Device":      true,
	"PJRT_Buffer_Device":                                true,
	"PJRT_Buffer_Dimensions":                            true,
	"PJRT_Buffer_DynamicDimensionIndices":               true,
	"PJRT_Buffer_ElementType":                           true,
	"PJRT_Buffer_IsDeleted":                             true,
	"PJRT_Buffer_IsOnCpu":                               true,
	"PJRT_Buffer_Memory":                                true,
	"PJRT_Buffer_OnDeviceSizeInBytes":                   true,
	"PJRT_Client_AddressableDevices":                    true,
	"PJRT_Client_AddressableMemories":                   true,
	"PJRT_Client_Devices":                               true,
	"PJRT_Client_LookupAddressableDevice":               true,
	"PJRT_Client_LookupDevice":                          true,
	"PJRT_Client_PlatformName":                          true,
	"PJRT_Client_PlatformVersion":                       true,
	"PJRT_Client_ProcessIndex":                          true,
	"PJRT_DeviceDescription_Attributes":                 true,
	"PJRT_DeviceDescription_DebugString":                true,
	"PJRT_DeviceDescription_Id":                         true,
	"PJRT_DeviceDescription_Kind":                       true,
	"PJRT_DeviceDescription_ProcessIndex":               true,
	"PJRT_DeviceDescription_ToString":                   true,
	"PJRT_Device_AddressableMemories":                   true,
	"PJRT_Device_DefaultMemory":                         true,
	"PJRT_Device_GetDescription":                        true,
	"PJRT_Device_IsAddressable":                         true,
	"PJRT_Device_LocalHardwareId":                       true,
	"PJRT_Event_IsReady":                                true,
	"PJRT_Executable_Name":                              true,
	"PJRT_Executable_NumPartitions":                     true,
	"PJRT_Executable_NumReplicas":                       true,
	"PJRT_Executable_SizeOfGeneratedCodeInBytes":        true,
	"PJRT_Memory_AddressableByDevices":                  true,
	"PJRT_Memory_DebugString":                           true,
	"PJRT_Memory_Id":                                    true,
	"PJRT_Memory_Kind":                                  true,
	"PJRT_Memory_Kind_Id":                               true,
	"PJRT_Memory_ToString":                              true,
}

// resultErrors are functions whose error is their result, so that no error says how the
// call itself went.
var resultErrors = map[string]bool{
	"XLA_FFI_Error_Create": true,
}

// stringPrefixes are put in front of the Go names of string constants, by the C++
// namespace that declares them.
var stringPrefixes = map[string]string{
	"tpu_configs": "TPUConfig",
}

// deleterWords end the names of functions that free something: if such a function is
// null, there is nothing to do.
var deleterWords = []string{"Deleter", "Destructor", "Dtor", "CleanupFn", "Destroy"}

// isDeleter reports whether a callback of this Go name frees something.
func isDeleter(goName string) bool {
	for _, w := range deleterWords {
		if strings.HasSuffix(goName, w) {
			return true
		}
	}
	return false
}
