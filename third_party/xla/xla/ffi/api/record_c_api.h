/* SPDX-License-Identifier: Apache-2.0
   Restates the public ABI of openxla/xla's header of this path. */

// Lets a handler of the FFI record commands, which the runtime then runs as
// often as it likes, instead of running them itself. A handler finds the
// extension with XLA_FFI_InvokeContext_FindExtension. Upstream calls it
// unfinished: minor versions may break what existed before.

#ifndef XLA_FFI_API_RECORD_C_API_H_
#define XLA_FFI_API_RECORD_C_API_H_

#include <stddef.h>
#include <stdint.h>

#include "xla/ffi/api/c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

// What the nodes of this extension carry as their type.
#define XLA_FFI_Extension_Record 128

// The version of this extension.
#define XLA_FFI_Extension_Record_MajorVersion 0
#define XLA_FFI_Extension_Record_MinorVersion 2

// The state of a recording. It belongs to the runtime.
typedef struct XLA_FFI_RecordContext XLA_FFI_RecordContext;

// A recorded command. It lives as long as the context that it was recorded in.
typedef struct XLA_FFI_Command XLA_FFI_Command;

// What a handler is asked to do.
typedef enum XLA_FFI_RecordAction {
  // Record its commands.
  XLA_FFI_RecordAction_Create = 0,
  // Give new arguments to the commands that it recorded before.
  XLA_FFI_RecordAction_Update = 1,
} XLA_FFI_RecordAction;

// The form in which a kernel is given.
typedef enum XLA_FFI_SourceFormat {
  // Text that the driver compiles.
  XLA_FFI_SourceFormat_PTX = 0,
  // A binary for one architecture.
  XLA_FFI_SourceFormat_CUBIN = 1,
  // The address of a function that is already on the device; its size is 0.
  XLA_FFI_SourceFormat_FUNCTION_PTR = 2,
} XLA_FFI_SourceFormat;

typedef struct XLA_FFI_Dim3 {
  int32_t x;
  int32_t y;
  int32_t z;
} XLA_FFI_Dim3;

// How many threads run a kernel, and in which groups.
typedef struct XLA_FFI_LaunchDims {
  // How many blocks there are.
  XLA_FFI_Dim3 grid;
  // How many threads a block has.
  XLA_FFI_Dim3 block;
  // How many blocks a cluster has; all zero means that there are no clusters.
  XLA_FFI_Dim3 cluster;
} XLA_FFI_LaunchDims;

typedef enum XLA_FFI_KernelArgType {
  // A pointer into the memory of the device.
  XLA_FFI_KernelArgType_DevicePtr = 0,
  // A value in the memory of the host.
  XLA_FFI_KernelArgType_HostValue = 1,
} XLA_FFI_KernelArgType;

// An argument of a kernel.
typedef struct XLA_FFI_KernelArg {
  // What is passed or, for a host value, where it is. A pointer into the memory
  // of the device must be good until the command has run; a host value is
  // copied before the call returns.
  const void* arg_address;
  // The size of a host value in bytes, which is not 0; 0 for a pointer into the
  // memory of the device.
  int64_t size;
  XLA_FFI_KernelArgType type;
} XLA_FFI_KernelArg;

// The arguments of a kernel, lent for the call.
typedef struct XLA_FFI_KernelArgs {
  const XLA_FFI_KernelArg* args;
  int64_t num_args;
} XLA_FFI_KernelArgs;

// The functions that record commands. A command runs after those in dependencies,
// an array that is lent for the call.
typedef struct XLA_FFI_RecordApi {
  // Records that a kernel is launched. kernel_data is the kernel in the given
  // format, kernel_size its size in bytes. uses_pdl says whether the kernel may
  // start before the previous one has ended.
  XLA_FFI_Error* (*create_launch)(
      XLA_FFI_RecordContext* ctx, const char* kernel_name,
      const void* kernel_data, int64_t kernel_size, XLA_FFI_SourceFormat format,
      XLA_FFI_LaunchDims launch_dims, uint32_t shared_mem_bytes,
      int32_t uses_pdl, const XLA_FFI_KernelArgs* args,
      const XLA_FFI_Command* const* dependencies, uint32_t num_dependencies,
      const XLA_FFI_Command** out_command);
  // Gives new arguments to a recorded launch.
  XLA_FFI_Error* (*update_launch)(XLA_FFI_RecordContext* ctx,
                                  const XLA_FFI_Command* command,
                                  const XLA_FFI_KernelArgs* args);
  // Records that size bytes are copied within the memory of the device.
  XLA_FFI_Error* (*create_memcpy_d2d)(
      XLA_FFI_RecordContext* ctx, void* dst, void* src, int64_t size,
      const XLA_FFI_Command* const* dependencies, uint32_t num_dependencies,
      const XLA_FFI_Command** out_command);
  // Gives a recorded copy a new source, target and size.
  XLA_FFI_Error* (*update_memcpy_d2d)(XLA_FFI_RecordContext* ctx,
                                      const XLA_FFI_Command* command, void* dst,
                                      void* src, int64_t size);
  // Asks the runtime to call the handler as it does without this extension, and
  // to record what it puts on its stream.
  XLA_FFI_Error* (*request_stream_capture)(XLA_FFI_RecordContext* ctx);
  // Records a command that does nothing, for others to wait for all of
  // dependencies.
  XLA_FFI_Error* (*create_empty_command)(
      XLA_FFI_RecordContext* ctx, const XLA_FFI_Command* const* dependencies,
      uint32_t num_dependencies, const XLA_FFI_Command** out_command);
} XLA_FFI_RecordApi;

// What the runtime gives a handler that records.
typedef struct XLA_FFI_RecordFrame {
  XLA_FFI_RecordContext* record_ctx;
  const XLA_FFI_RecordApi* api;
  XLA_FFI_RecordAction action;
  // The commands of the handler: room for max_commands, of which the first
  // num_commands are set.
  const XLA_FFI_Command** commands;
  int64_t* num_commands;
  int64_t max_commands;
} XLA_FFI_RecordFrame;

// The node of this extension.
typedef struct XLA_FFI_Record_Extension {
  XLA_FFI_Extension extension_base;
  XLA_FFI_RecordFrame* record_frame;
} XLA_FFI_Record_Extension;
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_Record_Extension, record_frame);

#ifdef __cplusplus
}
#endif

#endif
