/* SPDX-License-Identifier: Apache-2.0
   Restates the public ABI of openxla/xla's header of this path. */

// Runs collective operations outside of a compiled program, on memory that the
// caller addresses itself. The operations are asynchronous: each gives an
// event, and its buffers must stay untouched until that event is ready.

#ifndef XLA_PJRT_C_PJRT_C_API_COLLECTIVES_EXTENSION_H_
#define XLA_PJRT_C_PJRT_C_API_COLLECTIVES_EXTENSION_H_

#include <stddef.h>
#include <stdint.h>

#include "xla/pjrt/c/pjrt_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

// The version of this extension. The plugin does not report it.
#define PJRT_API_COLLECTIVES_EXTENSION_VERSION 1

// An implementation of collectives. Free it with PJRT_Collectives_Destroy.
typedef struct PJRT_Collectives PJRT_Collectives;

// The arguments of PJRT_Collectives_Destroy.
struct PJRT_Collectives_Destroy_Args {
  size_t struct_size;
  PJRT_Collectives* collectives;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Collectives_Destroy_Args, collectives);

// Frees an implementation of collectives.
typedef PJRT_Error* PJRT_Collectives_Destroy(
    PJRT_Collectives_Destroy_Args* args);

// One rank's connection to the other ranks of a clique. Free it with
// PJRT_Collectives_Communicator_Destroy.
typedef struct PJRT_Collectives_Communicator PJRT_Collectives_Communicator;

// Keeps the array of communicators alive, though not the communicators
// themselves.
typedef struct PJRT_Collectives_Communicators PJRT_Collectives_Communicators;

// The arguments of PJRT_Collectives_CreateCommunicators.
struct PJRT_Collectives_CreateCommunicators_Args {
  size_t struct_size;
  PJRT_Collectives* collectives;
  // The global ids of the devices that take part.
  const int64_t* device_ids;
  // How many there are.
  size_t num_device_ids;
  // The opaque ids on which all processes of the clique have agreed; null when
  // there are none. They may hold zero bytes.
  const char** clique_ids;
  // The length of each clique id in bytes.
  const size_t* clique_id_sizes;
  // How many clique ids there are.
  size_t num_clique_ids;
  // The ranks that this process takes in the clique.
  int64_t* rank_ids;
  // How many ranks this process takes.
  size_t num_device_ranks;
  // One communicator for each rank. The array lives until the holder is freed;
  // the communicators live on, and the caller frees each.
  PJRT_Collectives_Communicator** communicators;  // out
  // How many there are.
  size_t num_communicators;  // out
  // What keeps the array alive. Free it with the deleter, once.
  PJRT_Collectives_Communicators* communicators_holder;  // out
  // Frees the holder and the array, not the communicators.
  void (*communicators_holder_deleter)(
      PJRT_Collectives_Communicators* ptr);  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Collectives_CreateCommunicators_Args,
                          communicators_holder_deleter);

// Connects the ranks of this process with those of the others. May block until
// all ranks of the clique have joined.
typedef PJRT_Error* PJRT_Collectives_CreateCommunicators(
    PJRT_Collectives_CreateCommunicators_Args* args);

// The arguments of PJRT_Collectives_Communicator_Destroy.
struct PJRT_Collectives_Communicator_Destroy_Args {
  size_t struct_size;
  PJRT_Collectives_Communicator* communicator;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Collectives_Communicator_Destroy_Args,
                          communicator);

// Frees a communicator.
typedef PJRT_Error* PJRT_Collectives_Communicator_Destroy(
    PJRT_Collectives_Communicator_Destroy_Args* args);

// How a reduction combines two values.
enum PJRT_Collectives_ReductionKind : int32_t {
  // Adds them.
  PJRT_COLLECTIVES_REDUCTION_SUM = 0,
  // Multiplies them.
  PJRT_COLLECTIVES_REDUCTION_PRODUCT = 1,
  // Takes the smaller one.
  PJRT_COLLECTIVES_REDUCTION_MIN = 2,
  // Takes the larger one.
  PJRT_COLLECTIVES_REDUCTION_MAX = 3,
};

// Whose devices take part in a collective operation.
enum PJRT_Collectives_CollectiveOpKind : int32_t {
  // Those of several modules, which are told apart by a channel.
  PJRT_COLLECTIVES_COLLECTIVE_OP_KIND_CROSS_MODULE = 0,
  // Those of the replicas of one module.
  PJRT_COLLECTIVES_COLLECTIVE_OP_KIND_CROSS_REPLICA = 1,
};

// Where a collective operation runs on CPU devices, and how long it may wait
// for the others. Read during the call only.
struct PJRT_Collectives_CpuExecutor {
  // Tells this run of the program apart from others.
  int64_t run_id;
  // The global ids of the devices that take part.
  int64_t* global_device_ids;
  // How many there are.
  size_t num_global_device_ids;
  // How many of them are in this process.
  int32_t num_local_participants;
  // Whose devices take part.
  PJRT_Collectives_CollectiveOpKind collective_op_kind;
  // Tells this operation apart from others of the run.
  int64_t op_id;
  // How long to wait for the others, in nanoseconds.
  int64_t timeout_in_ns;
};

// The arguments of PJRT_Collectives_Communicator_AllReduce.
struct PJRT_Collectives_Communicator_AllReduce_Args {
  size_t struct_size;
  PJRT_Collectives_Communicator* communicator;
  // The memory to send. The caller keeps it, unchanged, until the event is
  // ready.
  void* send_buffer_ptr;
  // Its length in bytes.
  size_t send_buffer_size;
  // Where the result goes. The caller keeps it until the event is ready.
  void* recv_buffer_ptr;
  // Its length in bytes.
  size_t recv_buffer_size;
  // The type of the elements.
  PJRT_Buffer_Type primitive_type;
  // How many elements each rank contributes.
  size_t count;
  // How values are combined.
  PJRT_Collectives_ReductionKind reduction_kind;
  // Needed on CPU devices only; null elsewhere.
  PJRT_Collectives_CpuExecutor* cpu_executor;
  // Ready when this rank is done, or has failed. Owned by the caller, who frees
  // it with PJRT_Event_Destroy.
  PJRT_Event* event;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Collectives_Communicator_AllReduce_Args, event);

// Combines the values of all ranks, and gives the result to each.
typedef PJRT_Error* PJRT_Collectives_Communicator_AllReduce(
    PJRT_Collectives_Communicator_AllReduce_Args* args);

// The arguments of PJRT_Collectives_Communicator_ReduceScatter.
struct PJRT_Collectives_Communicator_ReduceScatter_Args {
  size_t struct_size;
  PJRT_Collectives_Communicator* communicator;
  // The memory to send. The caller keeps it, unchanged, until the event is
  // ready.
  void* send_buffer_ptr;
  // Its length in bytes.
  size_t send_buffer_size;
  // Where the result goes. The caller keeps it until the event is ready.
  void* recv_buffer_ptr;
  // Its length in bytes.
  size_t recv_buffer_size;
  // The type of the elements.
  PJRT_Buffer_Type primitive_type;
  // How many elements each rank contributes.
  size_t count;
  // How values are combined.
  PJRT_Collectives_ReductionKind reduction_kind;
  // Needed on CPU devices only; null elsewhere.
  PJRT_Collectives_CpuExecutor* cpu_executor;
  // Ready when this rank is done, or has failed. Owned by the caller, who frees
  // it with PJRT_Event_Destroy.
  PJRT_Event* event;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Collectives_Communicator_ReduceScatter_Args,
                          event);

// Combines the values of all ranks, and gives each rank its share of the
// result.
typedef PJRT_Error* PJRT_Collectives_Communicator_ReduceScatter(
    PJRT_Collectives_Communicator_ReduceScatter_Args* args);

// The arguments of PJRT_Collectives_Communicator_AllGather.
struct PJRT_Collectives_Communicator_AllGather_Args {
  size_t struct_size;
  PJRT_Collectives_Communicator* communicator;
  // The memory to send. The caller keeps it, unchanged, until the event is
  // ready.
  void* send_buffer_ptr;
  // Its length in bytes.
  size_t send_buffer_size;
  // Where the result goes. The caller keeps it until the event is ready.
  void* recv_buffer_ptr;
  // Its length in bytes.
  size_t recv_buffer_size;
  // The type of the elements.
  PJRT_Buffer_Type primitive_type;
  // How many elements each rank contributes.
  size_t count;
  // Needed on CPU devices only; null elsewhere.
  PJRT_Collectives_CpuExecutor* cpu_executor;
  // Ready when this rank is done, or has failed. Owned by the caller, who frees
  // it with PJRT_Event_Destroy.
  PJRT_Event* event;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Collectives_Communicator_AllGather_Args, event);

// Puts the values of all ranks one after the other, in the order of the ranks,
// and gives the result to each.
typedef PJRT_Error* PJRT_Collectives_Communicator_AllGather(
    PJRT_Collectives_Communicator_AllGather_Args* args);

// The arguments of PJRT_Collectives_Communicator_CollectivePermute.
struct PJRT_Collectives_Communicator_CollectivePermute_Args {
  size_t struct_size;
  PJRT_Collectives_Communicator* communicator;
  // The memory to send. The caller keeps it, unchanged, until the event is
  // ready.
  void* send_buffer_ptr;
  // Its length in bytes.
  size_t send_buffer_size;
  // Where the result goes. The caller keeps it until the event is ready.
  void* recv_buffer_ptr;
  // Its length in bytes.
  size_t recv_buffer_size;
  // The type of the elements.
  PJRT_Buffer_Type primitive_type;
  // How many elements each rank contributes.
  size_t count;
  // Whether this rank receives anything.
  bool has_source_rank;
  // The rank to receive from. Meaningless when has_source_rank is false.
  int64_t source_rank;
  // The ranks to send to, if any.
  int64_t* target_ranks;
  // How many there are.
  size_t num_target_ranks;
  // Needed on CPU devices only; null elsewhere.
  PJRT_Collectives_CpuExecutor* cpu_executor;
  // Ready when this rank is done, or has failed. Owned by the caller, who frees
  // it with PJRT_Event_Destroy.
  PJRT_Event* event;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Collectives_Communicator_CollectivePermute_Args,
                          event);

// Sends the values of this rank to some ranks, and receives those of at most
// one.
typedef PJRT_Error* PJRT_Collectives_Communicator_CollectivePermute(
    PJRT_Collectives_Communicator_CollectivePermute_Args* args);

// The arguments of PJRT_Collectives_Communicator_AllToAll.
struct PJRT_Collectives_Communicator_AllToAll_Args {
  size_t struct_size;
  PJRT_Collectives_Communicator* communicator;
  // The memory to send to each rank. The caller keeps it, unchanged, until the
  // event is ready.
  void** send_buffers_ptrs;
  // The length of each in bytes.
  const size_t* send_buffers_sizes;
  // How many ranks are sent to.
  size_t num_send_buffers;
  // Where the values from each rank go. The caller keeps it until the event is
  // ready.
  void** recv_buffers_ptrs;
  // The length of each in bytes.
  const size_t* recv_buffers_sizes;
  // How many ranks are received from.
  size_t num_recv_buffers;
  // The type of the elements.
  PJRT_Buffer_Type primitive_type;
  // How many elements each rank contributes.
  size_t count;
  // Needed on CPU devices only; null elsewhere.
  PJRT_Collectives_CpuExecutor* cpu_executor;
  // Ready when this rank is done, or has failed. Owned by the caller, who frees
  // it with PJRT_Event_Destroy.
  PJRT_Event* event;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Collectives_Communicator_AllToAll_Args, event);

// Sends a different part to each rank, and receives one from each.
typedef PJRT_Error* PJRT_Collectives_Communicator_AllToAll(
    PJRT_Collectives_Communicator_AllToAll_Args* args);

// Keeps the text about a communicator alive until the deleter that came with it
// is called.
typedef struct PJRT_Collectives_ToString_Holder
    PJRT_Collectives_ToString_Holder;

// The arguments of PJRT_Collectives_Communicator_ToString.
struct PJRT_Collectives_Communicator_ToString_Args {
  size_t struct_size;
  PJRT_Collectives_Communicator* communicator;
  // The text. Not terminated by a zero byte.
  const char* str;  // out
  // Its length in bytes.
  size_t str_size;  // out
  // What keeps the text alive. Free it with the deleter, once.
  PJRT_Collectives_ToString_Holder* str_holder;  // out
  // Frees the holder, and the text with it.
  void (*str_holder_deleter)(PJRT_Collectives_ToString_Holder* ptr);  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Collectives_Communicator_ToString_Args,
                          str_holder_deleter);

// Describes a communicator for people who debug.
typedef PJRT_Error* PJRT_Collectives_Communicator_ToString(
    PJRT_Collectives_Communicator_ToString_Args* args);

// The node of the collectives extension. Its args have no extension_start.
struct PJRT_Collectives_Extension {
  PJRT_Extension_Base base;
  PJRT_NO_DISCARD PJRT_Collectives_Destroy* collectives_destroy;
  PJRT_NO_DISCARD PJRT_Collectives_CreateCommunicators*
      collectives_create_communicators;
  PJRT_NO_DISCARD PJRT_Collectives_Communicator_Destroy* communicator_destroy;
  PJRT_NO_DISCARD PJRT_Collectives_Communicator_AllReduce*
      communicator_all_reduce;
  PJRT_NO_DISCARD PJRT_Collectives_Communicator_ReduceScatter*
      communicator_reduce_scatter;
  PJRT_NO_DISCARD PJRT_Collectives_Communicator_AllGather*
      communicator_all_gather;
  PJRT_NO_DISCARD PJRT_Collectives_Communicator_CollectivePermute*
      communicator_collective_permute;
  PJRT_NO_DISCARD PJRT_Collectives_Communicator_AllToAll*
      communicator_all_to_all;
  PJRT_NO_DISCARD PJRT_Collectives_Communicator_ToString*
      communicator_to_string;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Collectives_Extension, communicator_to_string);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // XLA_PJRT_C_PJRT_C_API_COLLECTIVES_EXTENSION_H_
