/* SPDX-License-Identifier: Apache-2.0
   Restates the public ABI of openxla/xla's header of this path. */

// Reads which memories a device has from its description alone, without a
// client. Optional, and still experimental upstream.

#ifndef XLA_PJRT_C_PJRT_C_API_MEMORY_DESCRIPTIONS_EXTENSION_H_
#define XLA_PJRT_C_PJRT_C_API_MEMORY_DESCRIPTIONS_EXTENSION_H_

#include <stddef.h>

#include "xla/pjrt/c/pjrt_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

// The version of this extension. The plugin does not report it.
#define PJRT_API_MEMORY_DESCRIPTIONS_EXTENSION_VERSION 1

// Describes a memory. It belongs to the description of the device and lives as
// long as that does.
typedef struct PJRT_MemoryDescription PJRT_MemoryDescription;

// The arguments of PJRT_DeviceDescription_MemoryDescriptions.
struct PJRT_DeviceDescription_MemoryDescriptions_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_DeviceDescription* device_description;
  // The descriptions, owned by the device's description.
  const PJRT_MemoryDescription* const* memory_descriptions;  // out
  // How many there are.
  size_t num_memory_descriptions;  // out
  // Which of them the device uses when none is asked for. The largest size_t,
  // which is -1, means none.
  size_t default_memory_index;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_DeviceDescription_MemoryDescriptions_Args,
                          default_memory_index);

// Returns the memories that a device has.
typedef PJRT_Error* PJRT_DeviceDescription_MemoryDescriptions(
    PJRT_DeviceDescription_MemoryDescriptions_Args* args);

// The arguments of PJRT_MemoryDescription_Kind.
struct PJRT_MemoryDescription_Kind_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  const PJRT_MemoryDescription* memory_description;
  // The name of the kind, such as device or pinned_host. Valid as long as the
  // description.
  const char* kind;  // out
  // Its length in bytes.
  size_t kind_size;  // out
  // A number that stands for the kind, the same as PJRT_Memory_Kind_Id gives.
  int kind_id;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_MemoryDescription_Kind_Args, kind_id);

// Returns the kind of a memory.
typedef PJRT_Error* PJRT_MemoryDescription_Kind(
    PJRT_MemoryDescription_Kind_Args* args);

// The node of the memory descriptions extension.
struct PJRT_MemoryDescriptions_Extension {
  PJRT_Extension_Base base;
  PJRT_NO_DISCARD PJRT_DeviceDescription_MemoryDescriptions*
      PJRT_DeviceDescription_MemoryDescriptions;
  PJRT_NO_DISCARD PJRT_MemoryDescription_Kind* PJRT_MemoryDescription_Kind;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_MemoryDescriptions_Extension,
                          PJRT_MemoryDescription_Kind);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // XLA_PJRT_C_PJRT_C_API_MEMORY_DESCRIPTIONS_EXTENSION_H_
