/* SPDX-License-Identifier: Apache-2.0
   Restates the public ABI of openxla/xla's header of this path. */

// Orders the work of a program's own streams with that of the plugin, on
// platforms that have streams.

#ifndef XLA_PJRT_C_PJRT_C_API_STREAM_EXTENSION_H_
#define XLA_PJRT_C_PJRT_C_API_STREAM_EXTENSION_H_

#include <stddef.h>
#include <stdint.h>

#include "xla/pjrt/c/pjrt_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

// The version of this extension. The plugin does not report it.
#define PJRT_API_STREAM_EXTENSION_VERSION 0

// The arguments of PJRT_Get_Stream_For_External_Ready_Events.
struct PJRT_Get_Stream_For_External_Ready_Events_Args {
  size_t struct_size;
  PJRT_Device* device;
  // The stream as the platform knows it, a CUstream with CUDA. Owned by the
  // device.
  intptr_t stream;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Get_Stream_For_External_Ready_Events_Args,
                          stream);

// Returns the stream on which a device waits for buffers that others fill.
typedef PJRT_Error* PJRT_Get_Stream_For_External_Ready_Events(
    PJRT_Get_Stream_For_External_Ready_Events_Args* args);

// The arguments of PJRT_Wait_Until_Buffer_Ready_On_Stream.
struct PJRT_Wait_Until_Buffer_Ready_On_Stream_Args {
  size_t struct_size;
  // The stream that waits.
  intptr_t stream;
  PJRT_Buffer* buffer;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Wait_Until_Buffer_Ready_On_Stream_Args, buffer);

// Makes a stream wait until a buffer is ready. The calling thread does not
// wait. A deleted buffer is an error.
typedef PJRT_Error* PJRT_Wait_Until_Buffer_Ready_On_Stream(
    PJRT_Wait_Until_Buffer_Ready_On_Stream_Args* args);

// The node of the stream extension. Its args have no extension_start.
struct PJRT_Stream_Extension {
  PJRT_Extension_Base base;
  PJRT_NO_DISCARD PJRT_Get_Stream_For_External_Ready_Events* get_stream;
  PJRT_NO_DISCARD PJRT_Wait_Until_Buffer_Ready_On_Stream* wait_stream;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Stream_Extension, wait_stream);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // XLA_PJRT_C_PJRT_C_API_STREAM_EXTENSION_H_
