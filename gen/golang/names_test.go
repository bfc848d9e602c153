// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package golang

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestGoNames(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ pkg, c, want string }{
		{packageCAPI, "PJRT_Client_Create_Args", "ClientCreateArgs"},
		{packageCAPI, "PJRT_Api", "API"},
		{packageCAPI, "PJRT_Api_Version", "APIVersion"},
		{packageCAPI, "PJRT_Error", "ErrorHandle"},
		{packageCAPI, "PLUGIN_Profiler_Error", "ProfilerErrorHandle"},
		{packageCAPI, "PLUGIN_Profiler_Error_Destroy_Args", "ProfilerErrorDestroyArgs"},
		{packageCAPI, "PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args", "LayoutsClientGetDefaultLayoutArgs"},
		{packageCAPI, "PJRT_Client_DmaMap_Args", "ClientDMAMapArgs"},
		{packageCAPI, "PJRT_Buffer_IsOnCpu_Args", "BufferIsOnCPUArgs"},
		{packageCAPI, "PJRT_HloOutputCallbackInfo", "HLOOutputCallbackInfo"},
		{packageCAPI, "PJRT_KeyValueGetCallback_ValueDeleter", "KeyValueGetCallbackValueDeleter"},
		{packageCAPI, "PJRT_Memory_Kind_Id_Args", "MemoryKindIDArgs"},
		{packageCAPI, "PJRT_LoadedExecutable_AddressableDeviceLogicalIds_Args", "LoadedExecutableAddressableDeviceLogicalIDsArgs"},
		{packageCAPI, "PJRT_Megascale_CreateAoTConfig_Args", "MegascaleCreateAOTConfigArgs"},
		{packageCAPI, "PJRT_FFI_Type_Info", "FFITypeInfo"},
		{packageCAPI, "PJRT_TpuTopology_HasLimitedIciConnectivity_Args", "TPUTopologyHasLimitedICIConnectivityArgs"},
		{packageCAPI, "JAX_CustomCallPartitioner_version_and_error", "JAXCustomCallPartitionerVersionAndError"},
		{packageFFI, "XLA_FFI_Api", "API"},
		{packageFFI, "XLA_FFI_RunId_Get_Args", "RunIDGetArgs"},
		{packageFFI, "XLA_FFI_Error", "ErrorHandle"},
	} {
		assert.Equal(t, c.want, goName(c.pkg, c.c), c.c)
	}
}

func TestFieldNames(t *testing.T) {
	t.Parallel()
	for c, want := range map[string]string{
		"struct_size":                           "StructSize",
		"num_options":                           "NumOptions",
		"device_memory_ptr":                     "DeviceMemoryPtr",
		"kv_get_user_arg":                       "KVGetUserArg",
		"task_ids":                              "TaskIDs",
		"pjrt_api_version":                      "PJRTAPIVersion",
		"mlir_module":                           "MLIRModule",
		"PJRT_Client_Create":                    "ClientCreate",
		"XLA_FFI_Error_Create":                  "ErrorCreate",
		"function":                              "FunctionField",
		"type":                                  "Type",
		"PJRT_Layouts_PJRT_Buffer_MemoryLayout": "LayoutsBufferMemoryLayout",
	} {
		assert.Equal(t, want, fieldID(c), c)
	}
}

func TestUnexportedNames(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		"ErrorCode":     "errorCode",
		"TPUInitType":   "tpuInitType",
		"ProcessIDsFor": "processIDsFor",
	} {
		assert.Equal(t, want, unexported(s))
	}
}

func TestEnumNames(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		enum          string
		values        []string
		names, stexts []string
	}{
		{
			"PJRT_Error_Code", []string{"PJRT_Error_Code_OK", "PJRT_Error_Code_INVALID_ARGUMENT"},
			[]string{"ErrorCodeOK", "ErrorCodeInvalidArgument"}, []string{"OK", "INVALID_ARGUMENT"},
		},
		{
			"PJRT_HostBufferSemantics", []string{"PJRT_HostBufferSemantics_kImmutableZeroCopy", "PJRT_HostBufferSemantics_kImmutableUntil"},
			[]string{"HostBufferSemanticsImmutableZeroCopy", "HostBufferSemanticsImmutableUntil"}, []string{"ImmutableZeroCopy", "ImmutableUntil"},
		},
		{
			"PJRT_NamedValue_Type", []string{"PJRT_NamedValue_kInt64List", "PJRT_NamedValue_kInt64"},
			[]string{"NamedValueInt64List", "NamedValueInt64"}, []string{"Int64List", "Int64"},
		},
		{
			"PJRT_Buffer_Type", []string{"PJRT_Buffer_Type_F8E4M3FN", "PJRT_Buffer_Type_PRED"},
			[]string{"BufferTypeF8E4M3FN", "BufferTypePred"}, []string{"F8E4M3FN", "PRED"},
		},
		{
			"PJRT_Callback_Tpu_SliceFailureType", []string{"SLICE_FAILURE_UNKNOWN", "SLICE_FAILURE_INIT_ERROR"},
			[]string{"CallbackTPUSliceFailureTypeUnknown", "CallbackTPUSliceFailureTypeInitError"}, []string{"UNKNOWN", "INIT_ERROR"},
		},
		{
			"PJRT_Collectives_CollectiveOpKind",
			[]string{"PJRT_COLLECTIVES_COLLECTIVE_OP_KIND_CROSS_MODULE", "PJRT_COLLECTIVES_COLLECTIVE_OP_KIND_CROSS_REPLICA"},
			[]string{"CollectivesCollectiveOpKindCrossModule", "CollectivesCollectiveOpKindCrossReplica"}, []string{"CROSS_MODULE", "CROSS_REPLICA"},
		},
		{
			// One value has no common prefix with others.
			"XLA_FFI_ArgType", []string{"XLA_FFI_ArgType_BUFFER"},
			[]string{"FFIArgTypeBuffer"}, []string{"BUFFER"},
		},
	} {
		pkg := packageCAPI
		if c.enum == "XLA_FFI_ArgType" {
			pkg = packageFFI
			c.names = []string{"ArgTypeBuffer"}
		}
		names, texts := enumNames(pkg, c.enum, c.values)
		assert.Equal(t, c.names, names)
		assert.Equal(t, c.stexts, texts)
	}
}

func TestTypesAreSplitIntoBaseAndPointers(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]struct {
		base string
		ptr  int
	}{
		"PJRT_Error *":          {"PJRT_Error", 1},
		"const char *":          {"char", 1},
		"PJRT_Device *const *":  {"PJRT_Device", 2},
		"unsigned long":         {"unsigned long", 0},
		"struct X*":             {"X", 1},
		"void":                  {"void", 0},
		"const struct X *const": {"X", 1},
	} {
		base, ptr := parseType(s)
		assert.Equal(t, want.base, base, s)
		assert.Equal(t, want.ptr, ptr, s)
	}
}

func TestCommentsAreWrapped(t *testing.T) {
	t.Parallel()
	got := comment("First paragraph that is long enough to need a second line because it goes on and on.\nStill it.\n\nSecond:\n- an item\n  with more\n* another", "", "\tcode (here)", "Last.")
	assert.Equal(t, `// First paragraph that is long enough to need a second line because it goes
// on and on. Still it.
//
// Second:
//
//   - an item with more
//   - another
//
//	code (here)
//
// Last.`, got)
	assert.Empty(t, comment(""))
}
