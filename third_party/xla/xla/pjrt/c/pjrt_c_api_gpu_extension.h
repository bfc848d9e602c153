/* SPDX-License-Identifier: Apache-2.0
   Restates the public ABI of openxla/xla's header of this path. */

// Registers custom calls with a GPU plugin, the older untyped ones and those of
// XLA's foreign function interface.

#ifndef XLA_PJRT_C_PJRT_C_API_GPU_EXTENSION_H_
#define XLA_PJRT_C_PJRT_C_API_GPU_EXTENSION_H_

#include <stddef.h>
#include <stdint.h>

#include "xla/pjrt/c/pjrt_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

// The version of this extension. The plugin does not report it.
#define PJRT_API_GPU_EXTENSION_VERSION 3

// The arguments of PJRT_Gpu_Register_Custom_Call.
struct PJRT_Gpu_Register_Custom_Call_Args {
  size_t struct_size;
  // The name by which programs call the function. Read during the call only.
  const char* function_name;
  // Its length in bytes.
  size_t function_name_size;
  // Zero for an untyped function, one for handlers of the foreign function
  // interface. Anything else is an error.
  int api_version;
  // The handler that runs once for each loaded program; null for none.
  void* handler_instantiate;
  // The handler that asks for resources before an execution; null for none.
  void* handler_prepare;
  // The handler that runs before the first operation of an execution; null for
  // none.
  void* handler_initialize;
  // The function itself. Must not be null, and must stay callable: nothing
  // unregisters it.
  void* handler_execute;
  // What the handlers promise, as bits of XLA_FFI_Handler_TraitsBits. Since
  // version 3 of this extension; a plugin uses it only when its
  // custom_call_handles_traits says so.
  uint32_t traits;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Gpu_Register_Custom_Call_Args, traits);

// Registers a custom call, in the whole process. Registering a name again with
// something else is an error.
typedef PJRT_Error* PJRT_Gpu_Register_Custom_Call(
    PJRT_Gpu_Register_Custom_Call_Args* args);

// The node of the GPU custom call extension. Its args have no extension_start.
struct PJRT_Gpu_Custom_Call {
  PJRT_Extension_Base base;
  PJRT_NO_DISCARD PJRT_Gpu_Register_Custom_Call* custom_call;
  // Whether the plugin honours traits. Since version 3 of this extension: read
  // it only when the struct_size of the node includes it.
  bool custom_call_handles_traits;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Gpu_Custom_Call, custom_call_handles_traits);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // XLA_PJRT_C_PJRT_C_API_GPU_EXTENSION_H_
