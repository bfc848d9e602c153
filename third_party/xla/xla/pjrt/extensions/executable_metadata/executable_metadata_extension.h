/* SPDX-License-Identifier: Apache-2.0
   Restates the public ABI of openxla/xla's header of this path. */

// Reads what the compiler noted about an executable.

#ifndef XLA_PJRT_EXTENSIONS_EXECUTABLE_METADATA_EXECUTABLE_METADATA_EXTENSION_H_
#define XLA_PJRT_EXTENSIONS_EXECUTABLE_METADATA_EXECUTABLE_METADATA_EXTENSION_H_

#include <cstddef>
#include <cstdint>

#include "xla/pjrt/c/pjrt_c_api.h"
#include "xla/pjrt/pjrt_client.h"

#ifdef __cplusplus
extern "C" {
#endif

// The version of this extension. The plugin does not report it.
#define PJRT_API_EXECUTABLE_METADATA_EXTENSION_VERSION 1

// Metadata in serialized form. Free it with
// PJRT_ExecutableMetadata_DestroySerializedMetadata.
typedef struct PJRT_ExecutableMetadata {
  // The bytes of a serialized ExecutableMetadata message.
  const char* serialized_metadata;
  // Its length in bytes.
  size_t serialized_metadata_size;
} PJRT_ExecutableMetadata;

// The arguments of PJRT_ExecutableMetadata_GetExecutableMetadata. They have no
// struct_size, so they can never grow.
struct PJRT_ExecutableMetadata_GetExecutableMetadata_Args {
  PJRT_Executable* executable;
  // Owned by the caller from here on.
  PJRT_ExecutableMetadata* metadata;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_ExecutableMetadata_GetExecutableMetadata_Args,
                          metadata);

// Returns the metadata of an executable. The caller frees them with
// PJRT_ExecutableMetadata_DestroySerializedMetadata.
typedef PJRT_Error* (*PJRT_ExecutableMetadata_GetExecutableMetadata)(
    PJRT_ExecutableMetadata_GetExecutableMetadata_Args* args);

// The arguments of PJRT_ExecutableMetadata_DestroySerializedMetadata. They have
// no struct_size, so they can never grow.
struct PJRT_ExecutableMetadata_DestroySerializedMetadata_Args {
  // What to free, its bytes included.
  PJRT_ExecutableMetadata* metadata;
};
PJRT_DEFINE_STRUCT_TRAITS(
    PJRT_ExecutableMetadata_DestroySerializedMetadata_Args, metadata);

// Frees metadata and its bytes. It returns nothing and cannot fail.
typedef void (*PJRT_ExecutableMetadata_DestroySerializedMetadata)(
    PJRT_ExecutableMetadata_DestroySerializedMetadata_Args* args);

// The node of the executable metadata extension.
struct PJRT_ExecutableMetadata_Extension {
  PJRT_Extension_Base base;
  PJRT_NO_DISCARD PJRT_ExecutableMetadata_GetExecutableMetadata
      get_executable_metadata;
  PJRT_ExecutableMetadata_DestroySerializedMetadata destroy_serialized_metadata;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_ExecutableMetadata_Extension,
                          destroy_serialized_metadata);

#ifdef __cplusplus
}  // extern "C"
#endif

namespace pjrt {

// Makes the node, in front of next, from the function that reads the metadata.
PJRT_ExecutableMetadata_Extension CreateExecutableMetadataExtension(
    PJRT_Extension_Base* next,
    PJRT_ExecutableMetadata_GetExecutableMetadata get_executable_metadata);

}  // namespace pjrt

#endif  // XLA_PJRT_EXTENSIONS_EXECUTABLE_METADATA_EXECUTABLE_METADATA_EXTENSION_H_
