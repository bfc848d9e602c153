/* SPDX-License-Identifier: Apache-2.0
   Restates the public ABI of openxla/xla's header of this path. */

// Reads how arrays lie in device memory. Optional, and still experimental
// upstream: newer plugins may change it.

#ifndef XLA_PJRT_C_PJRT_C_API_LAYOUTS_EXTENSION_H_
#define XLA_PJRT_C_PJRT_C_API_LAYOUTS_EXTENSION_H_

#include <stddef.h>
#include <stdint.h>

#include "xla/pjrt/c/pjrt_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

// The version of this extension. The plugin does not report it.
#define PJRT_API_LAYOUTS_EXTENSION_VERSION 4

// A layout: the order of the dimensions, and the tiles. Whoever received it
// from a function that hands over ownership frees it with
// PJRT_Layouts_MemoryLayout_Destroy.
typedef struct PJRT_Layouts_MemoryLayout PJRT_Layouts_MemoryLayout;

// The arguments of PJRT_Layouts_MemoryLayout_Destroy.
struct PJRT_Layouts_MemoryLayout_Destroy_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // What to free; may be null.
  PJRT_Layouts_MemoryLayout* layout;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Layouts_MemoryLayout_Destroy_Args, layout);

// Frees a layout. A null layout is allowed and does nothing.
typedef PJRT_Error* PJRT_Layouts_MemoryLayout_Destroy(
    PJRT_Layouts_MemoryLayout_Destroy_Args* args);

// Keeps the bytes of a serialized layout alive until the deleter that came with
// it is called.
typedef struct PJRT_Layouts_SerializedLayout PJRT_Layouts_SerializedLayout;

// The arguments of PJRT_Layouts_MemoryLayout_Serialize.
struct PJRT_Layouts_MemoryLayout_Serialize_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // What to write.
  PJRT_Layouts_MemoryLayout* layout;
  // The bytes, valid until the deleter is called.
  const char* serialized_bytes;  // out
  // Its length in bytes.
  size_t serialized_bytes_size;  // out
  // What keeps the bytes alive. Stored by the plugin, though not marked as an
  // output.
  PJRT_Layouts_SerializedLayout* serialized_layout;
  // Frees serialized_layout and the bytes. The caller must call it, once.
  void (*serialized_layout_deleter)(
      PJRT_Layouts_SerializedLayout* s_layout);  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Layouts_MemoryLayout_Serialize_Args,
                          serialized_layout_deleter);

// Writes a layout as bytes. The same layout always gives the same bytes.
typedef PJRT_Error* PJRT_Layouts_MemoryLayout_Serialize(
    PJRT_Layouts_MemoryLayout_Serialize_Args* args);

// The arguments of PJRT_Layouts_PJRT_Buffer_MemoryLayout.
struct PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Buffer* buffer;
  // Owned by the caller, who frees it with PJRT_Layouts_MemoryLayout_Destroy.
  PJRT_Layouts_MemoryLayout* layout;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args, layout);

// Returns the layout of a buffer.
typedef PJRT_Error* PJRT_Layouts_PJRT_Buffer_MemoryLayout(
    PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args* args);

// The arguments of PJRT_Layouts_PJRT_Client_GetDefaultLayout.
struct PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Client* client;
  // The type of the elements.
  PJRT_Buffer_Type type;
  // The dimensions, major to minor.
  const int64_t* dims;
  // How many there are.
  size_t num_dims;
  // Owned by the caller, who frees it with PJRT_Layouts_MemoryLayout_Destroy.
  PJRT_Layouts_MemoryLayout* layout;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args,
                          layout);

// Returns the layout that a client gives to an array of this type and shape
// when nothing else is asked for.
typedef PJRT_Error* PJRT_Layouts_PJRT_Client_GetDefaultLayout(
    PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args* args);

// The arguments of PJRT_Layouts_PJRT_Topology_GetDefaultLayout.
struct PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_TopologyDescription* topology_description;
  // The type of the elements.
  PJRT_Buffer_Type type;
  // The dimensions, major to minor.
  const int64_t* dims;
  // How many there are.
  size_t num_dims;
  // Owned by the caller, who frees it with PJRT_Layouts_MemoryLayout_Destroy.
  PJRT_Layouts_MemoryLayout* layout;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args,
                          layout);

// Returns the layout that the devices of a topology give to an array of this
// type and shape when nothing else is asked for. It needs no client.
typedef PJRT_Error* PJRT_Layouts_PJRT_Topology_GetDefaultLayout(
    PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args* args);

// The arguments of PJRT_Layouts_PJRT_Executable_GetOutputLayouts.
struct PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Executable* executable;
  // How many outputs there are.
  size_t num_outputs;  // out
  // The layouts, in order. The array and the layouts belong to the executable
  // and live as long as it does: do not free them.
  PJRT_Layouts_MemoryLayout** layouts;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args,
                          layouts);

// Returns the layouts of the outputs of an executable.
typedef PJRT_Error* PJRT_Layouts_PJRT_Executable_GetOutputLayouts(
    PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args* args);

// The arguments of PJRT_Layouts_PJRT_Executable_GetParameterLayouts.
struct PJRT_Layouts_PJRT_Executable_GetParameterLayouts_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Executable* executable;
  // How many parameters there are.
  size_t num_parameters;  // out
  // The layouts, in order. The array and the layouts belong to the executable
  // and live as long as it does: do not free them.
  PJRT_Layouts_MemoryLayout** layouts;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Layouts_PJRT_Executable_GetParameterLayouts_Args,
                          layouts);

// Returns the layouts that an executable expects of its parameters.
typedef PJRT_Error* PJRT_Layouts_PJRT_Executable_GetParameterLayouts(
    PJRT_Layouts_PJRT_Executable_GetParameterLayouts_Args* args);

// The node of the layouts extension.
struct PJRT_Layouts_Extension {
  PJRT_Extension_Base base;
  PJRT_NO_DISCARD PJRT_Layouts_MemoryLayout_Destroy*
      PJRT_Layouts_MemoryLayout_Destroy;
  PJRT_NO_DISCARD PJRT_Layouts_MemoryLayout_Serialize*
      PJRT_Layouts_MemoryLayout_Serialize;
  PJRT_NO_DISCARD PJRT_Layouts_PJRT_Client_GetDefaultLayout*
      PJRT_Layouts_PJRT_Client_GetDefaultLayout;
  PJRT_NO_DISCARD PJRT_Layouts_PJRT_Buffer_MemoryLayout*
      PJRT_Layouts_PJRT_Buffer_MemoryLayout;
  PJRT_NO_DISCARD PJRT_Layouts_PJRT_Topology_GetDefaultLayout*
      PJRT_Layouts_PJRT_Topology_GetDefaultLayout;
  PJRT_NO_DISCARD PJRT_Layouts_PJRT_Executable_GetOutputLayouts*
      PJRT_Layouts_PJRT_Executable_GetOutputLayouts;
  PJRT_NO_DISCARD PJRT_Layouts_PJRT_Executable_GetParameterLayouts*
      PJRT_Layouts_PJRT_Executable_GetParameterLayouts;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Layouts_Extension,
                          PJRT_Layouts_PJRT_Executable_GetParameterLayouts);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // XLA_PJRT_C_PJRT_C_API_LAYOUTS_EXTENSION_H_
