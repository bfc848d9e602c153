/* SPDX-License-Identifier: Apache-2.0
   Restates the public ABI of openxla/xla's header of this path. */

// Lets a program decide how its custom calls are split over devices. The
// partitioner calls back while a program is being compiled, on a thread of the
// plugin's choice. The structs were made for JAX, hence their names.

#ifndef XLA_PJRT_C_PJRT_C_API_CUSTOM_PARTITIONER_EXTENSION_H_
#define XLA_PJRT_C_PJRT_C_API_CUSTOM_PARTITIONER_EXTENSION_H_

#include <stddef.h>
#include <stdint.h>

#include "xla/pjrt/c/pjrt_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

// The version of this extension. The plugin does not report it.
#define PJRT_API_CUSTOM_PARTITIONER_EXTENSION_VERSION 1

// Bytes with a length, borrowed from whoever made the struct. They need not end
// in a zero byte.
typedef struct JAX_CustomCallPartitioner_string {
  // The first byte.
  const char* data;
  // The length in bytes.
  size_t size;
} JAX_CustomCallPartitioner_string;

// The shape of an array, and how it is split over devices where that is known.
typedef struct JAX_CustomCallPartitioner_aval {
  // The shape, as a serialized ShapeProto message.
  JAX_CustomCallPartitioner_string shape;
  // Whether the sharding is known.
  bool has_sharding;
  // The sharding, as a serialized OpSharding message. Meaningless when
  // has_sharding is false.
  JAX_CustomCallPartitioner_string sharding;
} JAX_CustomCallPartitioner_aval;

// The head of each callback's arguments: which version the two sides speak, and
// what the callback answers.
typedef struct JAX_CustomCallPartitioner_version_and_error {
  // The version of the callbacks that the plugin speaks.
  int64_t api_version;
  // Whatever the callback needs to keep its results alive.
  void* data;  // out
  // Called once with data when the results have been read; null when there is
  // nothing to free.
  void (*cleanup_fn)(void* data);  // out
  // Set by the callback when it failed. The compilation then fails with the
  // code and the text.
  bool has_error;
  // The kind of the error. Meaningless when has_error is false.
  PJRT_Error_Code code;  // out
  // The text of the error. Must live until cleanup_fn is called. Meaningless
  // when has_error is false.
  JAX_CustomCallPartitioner_string error_msg;  // out
} JAX_CustomCallPartitioner_version_and_error;

// The arguments of the partition callback.
//
// The callback stores three results, which must live until the header's cleanup
// function is called: the program that computes one part of the custom call, as
// an MLIR module; the sharding that each operand must have for it, in the order
// of the operands; and the sharding of its result.
typedef struct JAX_CustomCallPartitioner_Partition_Args {
  // The version, and the error if there is one.
  JAX_CustomCallPartitioner_version_and_error header;
  // How many operands the custom call has.
  size_t num_args;
  // The operands.
  JAX_CustomCallPartitioner_aval* op_args;
  // The result.
  JAX_CustomCallPartitioner_aval op_result;
  // The backend configuration of the custom call, as the program states it.
  JAX_CustomCallPartitioner_string backend_config;

  // out
  JAX_CustomCallPartitioner_string mlir_module;
  JAX_CustomCallPartitioner_string* args_sharding;
  JAX_CustomCallPartitioner_string result_sharding;
} JAX_CustomCallPartitioner_Partition_Args;

// The arguments of the infer_sharding callback, which derives the sharding of
// the result from those of the operands.
typedef struct JAX_CustomCallPartitioner_InferShardingFromOperands_Args {
  // The version, and the error if there is one.
  JAX_CustomCallPartitioner_version_and_error header;
  // How many operands the custom call has.
  size_t num_args;
  // The operands.
  JAX_CustomCallPartitioner_aval* op_args;
  // The shape of the result, as a serialized ShapeProto message.
  JAX_CustomCallPartitioner_string result_shape;
  // The backend configuration of the custom call, as the program states it.
  JAX_CustomCallPartitioner_string backend_config;
  // Set by the callback when it could derive a sharding.
  bool has_result_sharding;
  // Stored by the callback: a serialized OpSharding message, which must live
  // until cleanup_fn is called.
  JAX_CustomCallPartitioner_string result_sharding;
} JAX_CustomCallPartitioner_InferShardingFromOperands_Args;

// The arguments of the propagate_user_sharding callback, which may change the
// sharding of the result to one that it likes better.
typedef struct JAX_CustomCallPartitioner_PropagateUserSharding_Args {
  // The version, and the error if there is one.
  JAX_CustomCallPartitioner_version_and_error header;
  // The backend configuration of the custom call, as the program states it.
  JAX_CustomCallPartitioner_string backend_config;
  // The shape of the result, as a serialized ShapeProto message.
  JAX_CustomCallPartitioner_string result_shape;
  // The sharding that the users of the result ask for, as a serialized
  // OpSharding message; the callback may replace it.
  JAX_CustomCallPartitioner_string result_sharding;  // in/out
} JAX_CustomCallPartitioner_PropagateUserSharding_Args;

// What a program registers for one custom call. The plugin keeps the struct
// until it calls dtor.
typedef struct JAX_CustomCallPartitioner_Callbacks {
  // The version of the callbacks that the program speaks.
  int64_t version;
  // Free for the program to use.
  void* private_data;
  // Called once, when the plugin no longer needs the callbacks, at the end of
  // the process at the latest.
  void (*dtor)(struct JAX_CustomCallPartitioner_Callbacks* data);
  // Splits a custom call.
  void (*partition)(
      struct JAX_CustomCallPartitioner_Callbacks* data,
      JAX_CustomCallPartitioner_Partition_Args* args);
  // Derives the sharding of the result.
  void (*infer_sharding)(
      struct JAX_CustomCallPartitioner_Callbacks* data,
      JAX_CustomCallPartitioner_InferShardingFromOperands_Args* args);
  // Adjusts the sharding of the result.
  void (*propagate_user_sharding)(
      struct JAX_CustomCallPartitioner_Callbacks* data,
      JAX_CustomCallPartitioner_PropagateUserSharding_Args* args);
  // Whether a custom call with side effects may run on each device on the whole
  // array.
  bool can_side_effecting_have_replicated_sharding;
} JAX_CustomCallPartitioner_Callbacks;

// The arguments of PJRT_Register_Custom_Partitioner.
struct PJRT_Register_Custom_Partitioner_Args {
  size_t struct_size;
  // The target name of the custom call. Read during the call only.
  const char* name;
  // Its length in bytes.
  size_t name_size;
  // Kept by the plugin, which calls its dtor when it no longer needs it.
  JAX_CustomCallPartitioner_Callbacks* callbacks;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Register_Custom_Partitioner_Args, callbacks);

// Registers callbacks for a custom call, in the whole process.
typedef PJRT_Error* PJRT_Register_Custom_Partitioner(
    PJRT_Register_Custom_Partitioner_Args* args);

// The arguments of PJRT_Register_Batch_Partitionable.
struct PJRT_Register_Batch_Partitionable_Args {
  size_t struct_size;
  // The target name of the custom call. Read during the call only.
  const char* name;
  // Its length in bytes.
  size_t name_size;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Register_Batch_Partitionable_Args, name_size);

// Says that a custom call treats each element of its leading dimensions
// separately, so that it can be split along them.
typedef PJRT_Error* PJRT_Register_Batch_Partitionable(
    PJRT_Register_Batch_Partitionable_Args* args);

// The node of the custom partitioner extension. Its args have no
// extension_start.
struct PJRT_Custom_Partitioner_Extension {
  PJRT_Extension_Base base;
  PJRT_NO_DISCARD PJRT_Register_Custom_Partitioner* register_custom_partitioner;
  PJRT_NO_DISCARD PJRT_Register_Batch_Partitionable*
      register_batch_partitionable;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Custom_Partitioner_Extension,
                          register_batch_partitionable);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // XLA_PJRT_C_PJRT_C_API_CUSTOM_PARTITIONER_EXTENSION_H_
