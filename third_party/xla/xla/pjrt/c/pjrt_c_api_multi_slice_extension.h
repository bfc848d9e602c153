/* SPDX-License-Identifier: Apache-2.0
   Restates the public ABI of openxla/xla's header of this path. */

// Reads the configuration of a program that runs on several TPU slices. The
// Megascale extension makes such configurations.

#ifndef XLA_PJRT_C_PJRT_C_API_MULTI_SLICE_EXTENSION_H_
#define XLA_PJRT_C_PJRT_C_API_MULTI_SLICE_EXTENSION_H_

#include <stddef.h>
#include <stdint.h>

#include "xla/pjrt/c/pjrt_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

// The version of this extension. The plugin does not report it.
#define PJRT_API_MULTI_SLICE_EXTENSION_VERSION 1

// Keeps the numbers of devices alive until the deleter that came with it is
// called.
typedef struct PJRT_MultiSlice_NumDevicesPerSlice
    PJRT_MultiSlice_NumDevicesPerSlice;

// Keeps the bytes of a serialized configuration alive until the deleter that
// came with it is called.
typedef struct PJRT_MultiSlice_SerializedConfig
    PJRT_MultiSlice_SerializedConfig;

// The configuration of a job of several slices. Free it with
// PJRT_MultiSlice_Config_Destroy.
typedef struct PJRT_MultiSlice_Config PJRT_MultiSlice_Config;

// The arguments of PJRT_MultiSlice_Config_Destroy.
struct PJRT_MultiSlice_Config_Destroy_Args {
  size_t struct_size;
  PJRT_MultiSlice_Config* config;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_MultiSlice_Config_Destroy_Args, config);

// Frees a configuration.
typedef PJRT_Error* PJRT_MultiSlice_Config_Destroy(
    PJRT_MultiSlice_Config_Destroy_Args* args);

// The arguments of PJRT_MultiSlice_Config_NumSlices.
struct PJRT_MultiSlice_Config_NumSlices_Args {
  size_t struct_size;
  PJRT_MultiSlice_Config* config;
  // The number of slices.
  int32_t num_slices;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_MultiSlice_Config_NumSlices_Args, num_slices);

// Returns how many slices a job has.
typedef PJRT_Error* PJRT_MultiSlice_Config_NumSlices(
    PJRT_MultiSlice_Config_NumSlices_Args* args);

// The arguments of PJRT_MultiSlice_Config_SliceId.
struct PJRT_MultiSlice_Config_SliceId_Args {
  size_t struct_size;
  PJRT_MultiSlice_Config* config;
  // The slice, counted from zero.
  int32_t slice_id;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_MultiSlice_Config_SliceId_Args, slice_id);

// Returns the slice that this process belongs to.
typedef PJRT_Error* PJRT_MultiSlice_Config_SliceId(
    PJRT_MultiSlice_Config_SliceId_Args* args);

// The arguments of PJRT_MultiSlice_Config_NumDevicesPerSlice.
struct PJRT_MultiSlice_Config_NumDevicesPerSlice_Args {
  size_t struct_size;
  PJRT_MultiSlice_Config* config;
  // How many slices are listed.
  size_t num_devices_per_slice_map;  // out
  // The slices, in no particular order.
  const int32_t* slice_ids;  // out
  // How many devices each of them has.
  const int32_t* num_devices;  // out
  // What keeps both lists alive. Free it with the deleter, once.
  PJRT_MultiSlice_NumDevicesPerSlice* devices_per_slice_map;  // out
  // Frees devices_per_slice_map, and both lists with it.
  void (*devices_per_slice_map_deleter)(
      PJRT_MultiSlice_NumDevicesPerSlice* ptr);  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_MultiSlice_Config_NumDevicesPerSlice_Args,
                          devices_per_slice_map_deleter);

// Returns how many devices each slice has.
typedef PJRT_Error* PJRT_MultiSlice_Config_NumDevicesPerSlice(
    PJRT_MultiSlice_Config_NumDevicesPerSlice_Args* args);

// The arguments of PJRT_MultiSlice_Config_Serialize.
struct PJRT_MultiSlice_Config_Serialize_Args {
  size_t struct_size;
  PJRT_MultiSlice_Config* config;
  // The bytes, valid until the deleter is called.
  const char* serialized;  // out
  // Their number.
  size_t size;  // out
  // What keeps the bytes alive. Free it with the deleter, once.
  PJRT_MultiSlice_SerializedConfig* serialized_config;  // out
  // Frees serialized_config, and the bytes with it.
  void (*serialized_config_deleter)(
      PJRT_MultiSlice_SerializedConfig* ptr);  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_MultiSlice_Config_Serialize_Args,
                          serialized_config_deleter);

// Writes a configuration as bytes, which the compile options of a program take.
typedef PJRT_Error* PJRT_MultiSlice_Config_Serialize(
    PJRT_MultiSlice_Config_Serialize_Args* args);

// The node of the multi-slice extension. Its args have no extension_start.
struct PJRT_MultiSlice_Extension {
  PJRT_Extension_Base base;
  PJRT_NO_DISCARD PJRT_MultiSlice_Config_Destroy* config_destroy;
  PJRT_NO_DISCARD PJRT_MultiSlice_Config_NumSlices* config_num_slices;
  PJRT_NO_DISCARD PJRT_MultiSlice_Config_SliceId* config_slice_id;
  PJRT_NO_DISCARD PJRT_MultiSlice_Config_NumDevicesPerSlice*
      config_num_devices_per_slice;
  PJRT_NO_DISCARD PJRT_MultiSlice_Config_Serialize* config_serialize;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_MultiSlice_Extension, config_serialize);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // XLA_PJRT_C_PJRT_C_API_MULTI_SLICE_EXTENSION_H_
