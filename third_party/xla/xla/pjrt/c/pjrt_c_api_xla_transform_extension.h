/* SPDX-License-Identifier: Apache-2.0
   Restates the public ABI of openxla/xla's header of this path. */

// Lets a program change what the compiler is working on, at chosen points of
// the compilation.

#ifndef XLA_PJRT_C_PJRT_C_API_XLA_TRANSFORM_EXTENSION_H_
#define XLA_PJRT_C_PJRT_C_API_XLA_TRANSFORM_EXTENSION_H_

#include <stddef.h>
#include <stdint.h>

#include "xla/pjrt/c/pjrt_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

// The version of this extension. The plugin does not report it.
#define PJRT_API_XLA_TRANSFORM_EXTENSION_VERSION 1

// Bytes with a length, borrowed from whoever made the struct. They need not end
// in a zero byte.
typedef struct PJRT_XlaTransform_string {
  // The first byte.
  const char* data;
  // The length in bytes.
  size_t size;
} PJRT_XlaTransform_string;

// The head of a callback's arguments: which version the two sides speak, and
// what the callback answers.
typedef struct PJRT_XlaTransform_version_and_error {
  // The version of the callbacks that the plugin speaks.
  int64_t api_version;
  // Whatever the callback needs to keep its results alive.
  void* data;  // out
  // Called once with data when the results have been read; null when there is
  // nothing to free.
  void (*cleanup_fn)(void* data);  // out
  // Set when the callback failed. The compilation then fails with the code and
  // the text.
  bool has_error;  // out
  // The kind of the error. Meaningless when has_error is false.
  PJRT_Error_Code code;  // out
  // The text of the error, alive until cleanup_fn is called. Meaningless when
  // has_error is false.
  PJRT_XlaTransform_string error_msg;  // out
} PJRT_XlaTransform_version_and_error;

// The arguments of the transform_hlo_module callback.
struct PJRT_XlaTransform_Args {
  size_t struct_size;
  // The version, and the error if there is one.
  PJRT_XlaTransform_version_and_error header;
  // The program, a serialized HloModuleProto message, valid until the callback
  // returns.
  PJRT_XlaTransform_string hlo_module;  // in
  // The new program, a serialized HloModuleProto message, alive until
  // cleanup_fn is called. Read only when changed is true.
  PJRT_XlaTransform_string transformed_hlo_module;  // out
  // Whether there is a new program.
  bool changed;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_XlaTransform_Args, changed);

// What a program registers. The plugin keeps the struct until it calls dtor.
typedef struct PJRT_XlaTransform_Callbacks {
  // The version of the callbacks that the program speaks.
  int64_t version;
  // Called once, when the plugin no longer needs the callbacks; null when there
  // is nothing to free.
  void (*dtor)(struct PJRT_XlaTransform_Callbacks* data);
  // Called during compilations, on a thread of the plugin's choice; null for
  // none.
  void (*transform_hlo_module)(
      struct PJRT_XlaTransform_Callbacks* data, PJRT_XlaTransform_Args* args);
} PJRT_XlaTransform_Callbacks;

// A point of the compilation at which a transformation runs.
typedef enum PJRT_XlaTransform_PipelineStage {
  // Before instructions are put in order.
  PJRT_XlaTransform_PipelineStage_kPreScheduler = 0,
  // After instructions have been put in order.
  PJRT_XlaTransform_PipelineStage_kPostScheduler = 1,
} PJRT_XlaTransform_PipelineStage;

// The arguments of PJRT_Register_Xla_Transform_Fn.
struct PJRT_Register_Xla_Transform_Args {
  size_t struct_size;
  // The name by which the transformation can be removed. Read during the call
  // only.
  const char* name;
  // Its length in bytes.
  size_t name_size;
  // When the transformation runs.
  PJRT_XlaTransform_PipelineStage stage;
  // Kept by the plugin, which calls its dtor when it no longer needs it.
  PJRT_XlaTransform_Callbacks* callbacks;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Register_Xla_Transform_Args, callbacks);

// Registers a transformation, in the whole process. It runs in all compilations
// that start later.
typedef PJRT_Error* (*PJRT_Register_Xla_Transform_Fn)(
    PJRT_Register_Xla_Transform_Args* args);

// The arguments of PJRT_Clear_Xla_Transform_Fn.
struct PJRT_Clear_Xla_Transform_Args {
  size_t struct_size;
  // When the transformation runs.
  PJRT_XlaTransform_PipelineStage stage;
  // The name under which it was registered.
  const char* name;
  // Its length in bytes.
  size_t name_size;
  // What was registered.
  PJRT_XlaTransform_Callbacks* callbacks;
  // Whether there was such a transformation.
  bool cleared;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Clear_Xla_Transform_Args, cleared);

// Removes a transformation. Compilations that start later do not run it.
typedef PJRT_Error* (*PJRT_Clear_Xla_Transform_Fn)(
    PJRT_Clear_Xla_Transform_Args* args);

// What the passes of a compilation did.
typedef struct PJRT_HloPassPipelineTrace {
  // A serialized HloModuleMetadataProto message.
  const char* serialized_trace;
  // Its length in bytes.
  size_t serialized_trace_size;
} PJRT_HloPassPipelineTrace;

// The arguments of PJRT_Xla_Transform_Get_Hlo_Pass_Pipeline_Trace_Fn.
struct PJRT_Xla_Transform_Get_Hlo_Pass_Pipeline_Trace_Args {
  size_t struct_size;
  // The program, a serialized HloModuleProto message. An input, read during the
  // call only.
  PJRT_XlaTransform_string hlo_module;
  // An output, owned by the caller, who frees it with
  // destroy_hlo_pass_pipeline_trace.
  PJRT_HloPassPipelineTrace trace;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Xla_Transform_Get_Hlo_Pass_Pipeline_Trace_Args,
                          trace);

// Returns what the passes of a compilation did to a program.
typedef PJRT_Error* (*PJRT_Xla_Transform_Get_Hlo_Pass_Pipeline_Trace_Fn)(
    PJRT_Xla_Transform_Get_Hlo_Pass_Pipeline_Trace_Args* args);

// The arguments of PJRT_Xla_Transform_Destroy_Hlo_Pass_Pipeline_Trace_Fn.
struct PJRT_Xla_Transform_Destroy_Hlo_Pass_Pipeline_Trace_Args {
  size_t struct_size;
  // What to free.
  PJRT_HloPassPipelineTrace* trace;
};
PJRT_DEFINE_STRUCT_TRAITS(
    PJRT_Xla_Transform_Destroy_Hlo_Pass_Pipeline_Trace_Args, trace);

// Frees a trace. It returns nothing and cannot fail.
typedef void (*PJRT_Xla_Transform_Destroy_Hlo_Pass_Pipeline_Trace_Fn)(
    PJRT_Xla_Transform_Destroy_Hlo_Pass_Pipeline_Trace_Args* args);

// The node of the XLA transform extension. Its args have no extension_start.
struct PJRT_Xla_Transform_Extension {
  PJRT_Extension_Base base;
  PJRT_NO_DISCARD PJRT_Register_Xla_Transform_Fn register_xla_transform;
  PJRT_NO_DISCARD PJRT_Clear_Xla_Transform_Fn clear_xla_transform;
  PJRT_Xla_Transform_Get_Hlo_Pass_Pipeline_Trace_Fn get_hlo_pass_pipeline_trace;
  PJRT_Xla_Transform_Destroy_Hlo_Pass_Pipeline_Trace_Fn
      destroy_hlo_pass_pipeline_trace;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Xla_Transform_Extension,
                          destroy_hlo_pass_pipeline_trace);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // XLA_PJRT_C_PJRT_C_API_XLA_TRANSFORM_EXTENSION_H_
