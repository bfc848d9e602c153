// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package describe

import "sync"

// destroyers maps the functions that destroy a handle to the field with the handle. Callers must
// destroy every handle of these types that they get.
var destroyers = map[string]string{
	"PJRT_AsyncHostToDeviceTransferManager_Destroy": "transfer_manager",
	"PJRT_AsyncTrackingEvent_Destroy":               "event",
	"PJRT_Buffer_Destroy":                           "buffer",
	"PJRT_Client_Destroy":                           "client",
	"PJRT_CopyToDeviceStream_Destroy":               "stream",
	"PJRT_Error_Destroy":                            "error",
	"PJRT_Event_Destroy":                            "event",
	"PJRT_Executable_Destroy":                       "executable",
	"PJRT_ExecuteContext_Destroy":                   "context",
	"PJRT_Layouts_MemoryLayout_Destroy":             "layout",
	"PJRT_LoadedExecutable_Destroy":                 "executable",
	"PJRT_MultiSlice_Config_Destroy":                "config",
	"PJRT_PhaseCompile_Destroy_Compiler":            "phase_compiler",
	"PJRT_TopologyDescription_Destroy":              "topology",
	"PLUGIN_Profiler_Destroy":                       "profiler",
	"PLUGIN_Profiler_Error_Destroy":                 "error",
}

// lent has the functions whose results have such types but still belong to the plugin.
var lent = map[string]bool{
	"PJRT_Client_TopologyDescription":                  true,
	"PJRT_Layouts_PJRT_Executable_GetOutputLayouts":    true,
	"PJRT_Layouts_PJRT_Executable_GetParameterLayouts": true,
	"PJRT_Megascale_CreateAoTConfig":                   true,
	"PJRT_Megascale_CreateMultiSliceConfig":            true,
}

// owned has the types of handles that destroyers destroy.
var owned = sync.OnceValue(func() map[string]bool {
	types := make(map[string]bool)
	for name := range destroyers {
		types[Destroys(name).Type] = true
	}
	return types
})

// Destroys returns the field with the handle that a function destroys, or nil if it destroys none.
func Destroys(function string) *Field {
	field, ok := destroyers[function]
	if !ok {
		return nil
	}
	return ByName(function).Args.Field(field)
}

// Owns reports whether the caller of a function has to destroy the handles that
// it finds in an out field.
func Owns(function string, f *Field) bool { return owned()[f.Type] && !lent[function] }
