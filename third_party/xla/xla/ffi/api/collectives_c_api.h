/* SPDX-License-Identifier: Apache-2.0
   Restates the public ABI of openxla/xla's header of this path. */

// Gives handlers of the FFI the communicators that XLA uses among devices, and
// windows of memory that several devices reach. A handler asks for them in the stage
// Prepare, before the runtime makes them, and gets them in the stages Initialize and
// Execute. It finds the extension with XLA_FFI_InvokeContext_FindExtension.

#ifndef XLA_FFI_API_COLLECTIVES_C_API_H_
#define XLA_FFI_API_COLLECTIVES_C_API_H_

#include <stddef.h>
#include <stdint.h>

#include "xla/ffi/api/c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

// What the nodes of this extension carry as their type.
#define XLA_FFI_Extension_Collectives 129

// The version of this extension.
#define XLA_FFI_Extension_Collectives_MajorVersion 0
#define XLA_FFI_Extension_Collectives_MinorVersion 2

// What the ids of a group are, and which devices belong together.
typedef enum XLA_FFI_CollectiveGroupMode {
  // Replicas, of one partition.
  XLA_FFI_GROUP_CROSS_REPLICA = 0,
  // Partitions, of one replica.
  XLA_FFI_GROUP_CROSS_PARTITION = 1,
  // Replicas, with all their partitions.
  XLA_FFI_GROUP_CROSS_REPLICA_AND_PARTITION = 2,
  // Replica times number of partitions plus partition.
  XLA_FFI_GROUP_FLATTENED_ID = 3,
} XLA_FFI_CollectiveGroupMode;

// A group of devices, lent for the call.
typedef struct XLA_FFI_ReplicaGroup {
  const int64_t* ids;
  size_t size;
} XLA_FFI_ReplicaGroup;

typedef struct XLA_FFI_Collectives_Extension XLA_FFI_Collectives_Extension;

// The state of one execution. It belongs to the runtime.
typedef struct XLA_FFI_CollectivesState XLA_FFI_CollectivesState;

// A communicator of the platform, an ncclComm_t for CUDA. It belongs to the runtime.
typedef struct XLA_FFI_Communicator XLA_FFI_Communicator;

// The arguments of XLA_FFI_Communicator_Request.
typedef struct XLA_FFI_Communicator_Request_Args {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  XLA_FFI_CollectiveGroupMode group_mode;
  const XLA_FFI_ReplicaGroup* groups;
  size_t num_groups;
  // Tells communicators of the same groups apart.
  int64_t communication_id;
} XLA_FFI_Communicator_Request_Args;
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_Communicator_Request_Args,
                             communication_id);

// Asks for the communicator of a group. Only in the stage Prepare.
typedef XLA_FFI_Error* XLA_FFI_Communicator_Request(
    const XLA_FFI_Collectives_Extension* self,
    XLA_FFI_Communicator_Request_Args* args);

// The arguments of XLA_FFI_Communicator_Get.
typedef struct XLA_FFI_Communicator_Get_Args {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  XLA_FFI_CollectiveGroupMode group_mode;
  const XLA_FFI_ReplicaGroup* groups;
  size_t num_groups;
  int64_t communication_id;
  XLA_FFI_Communicator* communicator;  // out
} XLA_FFI_Communicator_Get_Args;
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_Communicator_Get_Args, communicator);

// Returns the communicator of a group that was asked for. Only in the stages
// Initialize and Execute.
typedef XLA_FFI_Error* XLA_FFI_Communicator_Get(
    const XLA_FFI_Collectives_Extension* self,
    XLA_FFI_Communicator_Get_Args* args);

// A window of memory that the devices of a group reach, an ncclWindow_t for CUDA. It
// belongs to the runtime.
typedef struct XLA_FFI_Window XLA_FFI_Window;

// The memory of a window, on the device.
typedef struct XLA_FFI_CollectiveMemoryRegion {
  const void* buffer;
  size_t byte_size;
  uint64_t flags;
} XLA_FFI_CollectiveMemoryRegion;

// The arguments of XLA_FFI_Window_Request.
typedef struct XLA_FFI_Window_Request_Args {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  XLA_FFI_CollectiveGroupMode group_mode;
  const XLA_FFI_ReplicaGroup* groups;
  size_t num_groups;
  int64_t communication_id;
  // The memory of the windows, one region for each, lent for the call.
  const XLA_FFI_CollectiveMemoryRegion* regions;
  size_t num_regions;
} XLA_FFI_Window_Request_Args;
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_Window_Request_Args, num_regions);

// Asks for windows. Only in the stage Prepare; the runtime makes them once it has
// the communicator.
typedef XLA_FFI_Error* XLA_FFI_Window_Request(
    const XLA_FFI_Collectives_Extension* self,
    XLA_FFI_Window_Request_Args* args);

// The arguments of XLA_FFI_Window_Get.
typedef struct XLA_FFI_Window_Get_Args {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  XLA_FFI_CollectiveGroupMode group_mode;
  const XLA_FFI_ReplicaGroup* groups;
  size_t num_groups;
  int64_t communication_id;
  // The memory whose window is wanted.
  const void* buffer;  // in
  XLA_FFI_Window* window;  // out
  // Where the memory begins in the window, in bytes.
  size_t window_offset;  // out
} XLA_FFI_Window_Get_Args;
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_Window_Get_Args, window_offset);

// Returns the window that holds some memory. Only in the stages Initialize and
// Execute.
typedef XLA_FFI_Error* XLA_FFI_Window_Get(
    const XLA_FFI_Collectives_Extension* self, XLA_FFI_Window_Get_Args* args);

// The node of this extension.
struct XLA_FFI_Collectives_Extension {
  XLA_FFI_Extension extension_base;
  XLA_FFI_CollectivesState* state;
  XLA_FFI_Communicator_Request* request_communicator;
  XLA_FFI_Communicator_Get* get_communicator;
  XLA_FFI_Window_Request* request_window;
  XLA_FFI_Window_Get* get_window;
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_Collectives_Extension, get_window);

#ifdef __cplusplus
}
#endif

#endif
