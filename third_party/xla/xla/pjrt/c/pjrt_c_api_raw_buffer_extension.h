/* SPDX-License-Identifier: Apache-2.0
   Restates the public ABI of openxla/xla's header of this path. */

// Gives access to the bytes behind a buffer, without type, shape or layout.
// Optional, and still experimental upstream.

#ifndef XLA_PJRT_C_PJRT_C_API_RAW_BUFFER_EXTENSION_H_
#define XLA_PJRT_C_PJRT_C_API_RAW_BUFFER_EXTENSION_H_

#include <stddef.h>
#include <stdint.h>

#include "xla/pjrt/c/pjrt_c_api.h"
#include "xla/pjrt/c/pjrt_c_api_device_event.h"

#ifdef __cplusplus
extern "C" {
#endif

// The version of this extension. The plugin does not report it.
#define PJRT_API_RAW_BUFFER_EXTENSION_VERSION 2

typedef struct PJRT_RawBuffer PJRT_RawBuffer;

// The functions of a raw buffer, which do the same as those of the extension.
// The table belongs to the plugin and lives as long as the process.
struct PJRT_RawBuffer_FunctionTable {
  size_t struct_size;
  // The size of a PJRT_RawBuffer.
  size_t instance_size;
  PJRT_Extension_Base* extension_start;
  // Adds a reference.
  void (*inc_ref)(PJRT_RawBuffer* raw_buffer);
  // Drops a reference. The raw buffer is freed with the last one.
  void (*dec_ref)(PJRT_RawBuffer* raw_buffer);
  // Returns the number of bytes on the device.
  size_t (*get_on_device_size_in_bytes)(const PJRT_RawBuffer* raw_buffer);
  // Returns the memory in which the bytes lie, owned by the client.
  PJRT_Memory* (*get_memory_space)(const PJRT_RawBuffer* raw_buffer);
  // Returns the bytes where the host can address them, and null elsewhere.
  void* (*get_host_pointer)(const PJRT_RawBuffer* raw_buffer);
  // Copies transfer_size bytes from src to the given offset, once the
  // dependencies are ready. Keep src, unchanged, until the event is ready.
  PJRT_NO_DISCARD PJRT_Error* (*copy_raw_host_to_device_and_return_event)(
      PJRT_RawBuffer* raw_buffer, const void* src, int64_t offset,
      int64_t transfer_size, PJRT_DeviceEventVector* dependencies,
      PJRT_DeviceEvent* event);
  // Copies transfer_size bytes from the given offset to dst, once the
  // dependencies are ready. Keep dst until the event is ready.
  PJRT_NO_DISCARD PJRT_Error* (*copy_raw_device_to_host_and_return_event)(
      PJRT_RawBuffer* raw_buffer, void* dst, int64_t offset,
      int64_t transfer_size, PJRT_DeviceEventVector* dependencies,
      PJRT_DeviceEvent* event);
  // Returns the address of the bytes on the device. The host may not be able to
  // read there.
  void* (*opaque_device_memory_data_pointer)(const PJRT_RawBuffer* raw_buffer);
  // Makes an event that is ready when the memory has been allocated.
  PJRT_NO_DISCARD PJRT_Error* (*make_allocation_ready_event)(
      PJRT_RawBuffer* raw_buffer, PJRT_DeviceEvent* event);
  // Stores the event on which the raw buffer itself waits.
  PJRT_NO_DISCARD PJRT_Error* (*get_raw_buffer_async_value)(
      PJRT_RawBuffer* raw_buffer, PJRT_DeviceEvent* event);
  // Tells whether the bytes may be written.
  bool (*is_mutable)(const PJRT_RawBuffer* raw_buffer);
  // Makes a raw buffer of slice_size bytes from the given offset, which shares
  // memory with this one. The caller owns it.
  PJRT_NO_DISCARD PJRT_Error* (*slice)(
      PJRT_RawBuffer* raw_buffer, int64_t offset, int64_t slice_size,
      PJRT_RawBuffer** sliced_buffer);
  // Copies the bytes to another raw buffer, possibly of another device, once
  // the events are ready; a null list of events asks for the copy at once, on
  // the calling thread. The promises are fulfilled when the target is written
  // and when the source is no longer read. The callback is told whether the
  // target could be allocated, by an error that is null on success.
  void (*schedule_copy_to)(
      PJRT_RawBuffer* src_buffer,
      PJRT_DeviceEventVector* transfer_dependency_events,
      PJRT_RawBuffer* dst_buffer,
      PJRT_DeviceEventPromise* definition_event_promise,
      PJRT_DeviceEventPromise* src_usage_event_promise,
      void (*allocation_event_callback)(PJRT_Error* status, void* user_data),
      void* allocation_event_user_data);
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_RawBuffer_FunctionTable, schedule_copy_to);

// The bytes behind a buffer. It is reference-counted, and larger than this
// struct says: only its first word is public.
struct PJRT_RawBuffer {
  // The functions of the raw buffer. Plugins with a version of this extension
  // below 2 have no such word: their raw buffers are opaque.
  const PJRT_RawBuffer_FunctionTable* vtable;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_RawBuffer, vtable);

// The arguments of PJRT_RawBuffer_CreateRawAliasOfBuffer.
struct PJRT_RawBuffer_CreateRawAliasOfBuffer_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Buffer* buffer;
  // Owned by the caller, who frees it with PJRT_RawBuffer_Destroy.
  PJRT_RawBuffer* raw_buffer;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_RawBuffer_CreateRawAliasOfBuffer_Args,
                          raw_buffer);

// Makes a raw buffer that shares the memory of a buffer. Each keeps the memory
// alive, in whatever order they are freed.
typedef PJRT_Error* PJRT_RawBuffer_CreateRawAliasOfBuffer(
    PJRT_RawBuffer_CreateRawAliasOfBuffer_Args* args);

// The arguments of PJRT_RawBuffer_Destroy.
struct PJRT_RawBuffer_Destroy_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_RawBuffer* buffer;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_RawBuffer_Destroy_Args, buffer);

// Frees a raw buffer.
typedef PJRT_Error* PJRT_RawBuffer_Destroy(PJRT_RawBuffer_Destroy_Args* args);

// The arguments of PJRT_RawBuffer_GetHostPointer.
struct PJRT_RawBuffer_GetHostPointer_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_RawBuffer* buffer;
  // The address, valid as long as the raw buffer; null where the host cannot
  // address the memory.
  void* host_pointer;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_RawBuffer_GetHostPointer_Args, host_pointer);

// Returns the address of the bytes where the host can read them.
typedef PJRT_Error* PJRT_RawBuffer_GetHostPointer(
    PJRT_RawBuffer_GetHostPointer_Args* args);

// The arguments of PJRT_RawBuffer_GetOnDeviceSizeInBytes.
struct PJRT_RawBuffer_GetOnDeviceSizeInBytes_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_RawBuffer* buffer;
  // The number of bytes.
  size_t on_device_size_in_bytes;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_RawBuffer_GetOnDeviceSizeInBytes_Args,
                          on_device_size_in_bytes);

// Returns how many bytes the raw buffer has on the device.
typedef PJRT_Error* PJRT_RawBuffer_GetOnDeviceSizeInBytes(
    PJRT_RawBuffer_GetOnDeviceSizeInBytes_Args* args);

// The arguments of PJRT_RawBuffer_GetMemorySpace.
struct PJRT_RawBuffer_GetMemorySpace_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_RawBuffer* buffer;
  // Owned by the client.
  PJRT_Memory* memory_space;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_RawBuffer_GetMemorySpace_Args, memory_space);

// Returns the memory in which the bytes lie.
typedef PJRT_Error* PJRT_RawBuffer_GetMemorySpace(
    PJRT_RawBuffer_GetMemorySpace_Args* args);

// The arguments of PJRT_RawBuffer_CopyRawDeviceToHost.
struct PJRT_RawBuffer_CopyRawDeviceToHost_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_RawBuffer* buffer;
  // Where the bytes go. The caller keeps it until the event is ready.
  void* dst;
  // The first byte on the device, counted from the start of the raw buffer.
  int64_t offset;
  // How many bytes to copy.
  int64_t transfer_size;
  // Ready when the copy is done, or has failed. Owned by the caller, who frees
  // it with PJRT_Event_Destroy.
  PJRT_Event* event;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_RawBuffer_CopyRawDeviceToHost_Args, event);

// Copies bytes to the host. Returns at once; a range outside of the raw buffer
// is an error.
typedef PJRT_Error* PJRT_RawBuffer_CopyRawDeviceToHost(
    PJRT_RawBuffer_CopyRawDeviceToHost_Args* args);

// The arguments of PJRT_RawBuffer_CopyRawHostToDevice.
struct PJRT_RawBuffer_CopyRawHostToDevice_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_RawBuffer* buffer;
  // Where the bytes come from. The caller keeps it, unchanged, until the event
  // is ready.
  const void* src;
  // The first byte on the device, counted from the start of the raw buffer.
  int64_t offset;
  // How many bytes to copy.
  int64_t transfer_size;
  // Ready when the copy is done, or has failed. Owned by the caller, who frees
  // it with PJRT_Event_Destroy.
  PJRT_Event* event;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_RawBuffer_CopyRawHostToDevice_Args, event);

// Copies bytes from the host. Returns at once; a range outside of the raw
// buffer is an error.
typedef PJRT_Error* PJRT_RawBuffer_CopyRawHostToDevice(
    PJRT_RawBuffer_CopyRawHostToDevice_Args* args);

// The node of the raw buffer extension.
struct PJRT_RawBuffer_Extension {
  PJRT_Extension_Base base;

// Each slot is named after its function type.
#define _PJRT_API_STRUCT_FIELD(fn_type) fn_type* fn_type

  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_RawBuffer_CreateRawAliasOfBuffer);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_RawBuffer_Destroy);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_RawBuffer_GetOnDeviceSizeInBytes);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_RawBuffer_GetMemorySpace);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_RawBuffer_CopyRawHostToDevice);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_RawBuffer_CopyRawDeviceToHost);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_RawBuffer_GetHostPointer);

#undef _PJRT_API_STRUCT_FIELD
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_RawBuffer_Extension,
                          PJRT_RawBuffer_GetHostPointer);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // XLA_PJRT_C_PJRT_C_API_RAW_BUFFER_EXTENSION_H_
