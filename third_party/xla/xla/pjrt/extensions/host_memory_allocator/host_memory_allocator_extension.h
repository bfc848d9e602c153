/* SPDX-License-Identifier: Apache-2.0
   Restates the public ABI of openxla/xla's header of this path. */

// Allocates host memory that the plugin can transfer from and to quickly,
// because it is pinned or mapped for the device.

#ifndef XLA_PJRT_EXTENSIONS_HOST_MEMORY_ALLOCATOR_HOST_MEMORY_ALLOCATOR_EXTENSION_H_
#define XLA_PJRT_EXTENSIONS_HOST_MEMORY_ALLOCATOR_HOST_MEMORY_ALLOCATOR_EXTENSION_H_

#include <cstddef>
#include <cstdint>

#include "xla/pjrt/c/pjrt_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

// The version of this extension. The plugin does not report it.
#define PJRT_API_HOST_MEMORY_ALLOCATOR_EXTENSION_VERSION 0

// The arguments of PJRT_HostMemoryAllocator_Allocate.
struct PJRT_HostMemoryAllocator_Allocate_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Client* client;
  // How many bytes to allocate.
  size_t size;
  // The NUMA node on which the memory should lie.
  int numa_node;
  // The memory, uninitialised. The caller frees it by calling the deleter once.
  uint8_t* ptr;  // out
  // Frees the memory: call it with the memory and with deleter_arg.
  void (*deleter)(void* ptr, void* arg);  // out
  // The second argument of the deleter.
  void* deleter_arg;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_HostMemoryAllocator_Allocate_Args, deleter_arg);
#define PJRT_HostMemoryAllocator_Allocate_Args_STRUCT_SIZE \
  PJRT_STRUCT_SIZE(PJRT_HostMemoryAllocator_Allocate_Args, deleter_arg)

// Allocates host memory for transfers with the devices of a client.
typedef PJRT_Error* (*PJRT_HostMemoryAllocator_Allocate)(
    PJRT_HostMemoryAllocator_Allocate_Args* args);

// The node of the host memory allocator extension. It replaces the older host
// allocator, whose type is number 15.
struct PJRT_HostMemoryAllocator_Extension {
  PJRT_Extension_Base base;
  PJRT_HostMemoryAllocator_Allocate allocate;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_HostMemoryAllocator_Extension, allocate);
#define PJRT_HostMemoryAllocator_Extension_STRUCT_SIZE \
  PJRT_STRUCT_SIZE(PJRT_HostMemoryAllocator_Extension, allocate)

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // XLA_PJRT_EXTENSIONS_HOST_MEMORY_ALLOCATOR_HOST_MEMORY_ALLOCATOR_EXTENSION_H_
