/* SPDX-License-Identifier: Apache-2.0
   Restates the public ABI of openxla/xla's header of this path. */

// Moves buffers between the devices of different hosts, without a compiled
// program. There are two routes. By keys: both sides name the transfer with the
// same key, and the plugin finds the other side. By descriptors: the receiver
// gets bytes from the plugin, brings them to the sender by its own means, and
// the sender passes them to its plugin.

#ifndef XLA_PJRT_EXTENSIONS_CROSS_HOST_TRANSFERS_PJRT_C_API_CROSS_HOST_TRANSFERS_EXTENSION_H_
#define XLA_PJRT_EXTENSIONS_CROSS_HOST_TRANSFERS_PJRT_C_API_CROSS_HOST_TRANSFERS_EXTENSION_H_

#include <cstddef>
#include <cstdint>

#include "xla/pjrt/c/pjrt_c_api.h"
#include "xla/pjrt/pjrt_client.h"
#include "xla/pjrt/pjrt_common.h"

#ifdef __cplusplus
extern "C" {
#endif

// The version of this extension. The plugin does not report it.
#define PJRT_API_CROSS_HOST_TRANSFERS_EXTENSION_VERSION 8

// The arguments of PJRT_Transfers_PJRT_Client_CrossHostSendBuffers.
struct PJRT_Transfers_PJRT_Client_CrossHostSendBuffers_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Client* client;
  // How many buffers are sent.
  size_t num_buffers;
  // The buffers to send, borrowed for the call.
  PJRT_Buffer** buffers;
  // The global id of the device that each buffer goes to.
  const xla::GlobalDeviceId* dst_global_device_ids;
  // One key for each buffer, the same as on the other side and used by no other
  // transfer.
  const xla::CrossHostTransferKey* transfer_keys;
  // One event for each buffer, ready when it is sent or has failed. The caller
  // provides the array and owns the events.
  PJRT_Event** send_events;  // out
  // The incarnations of the tasks that take part: incarnation_ids[i] is that of
  // the task task_ids[i]. Where an id occurs twice, the first counts.
  size_t num_tasks;
  const int* task_ids;
  const int64_t* incarnation_ids;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Transfers_PJRT_Client_CrossHostSendBuffers_Args,
                          incarnation_ids);

// Sends buffers to devices of other hosts, which must receive them under the
// same keys. Returns at once. Sending to oneself, and arrays of different
// lengths, are errors.
typedef PJRT_Error* PJRT_Transfers_PJRT_Client_CrossHostSendBuffers(
    PJRT_Transfers_PJRT_Client_CrossHostSendBuffers_Args* args);

// The arguments of PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers.
struct PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Client* client;
  // How many buffers are received, each with its own shape.
  size_t num_shapes;
  // The number of dimensions of each shape.
  size_t* shape_num_dims;
  // The dimensions of each shape, major to minor; the lengths of these lists
  // are in shape_num_dims.
  const int64_t** num_dims;
  // The element type of each shape.
  PJRT_Buffer_Type* element_types;
  // The layout of each shape. A null element means the default layout.
  PJRT_Buffer_MemoryLayout** layouts;
  // The device to receive on.
  PJRT_Device* device;
  // The global id of the device that each buffer comes from.
  const xla::GlobalDeviceId* src_global_device_ids;
  // One key for each buffer, the same as on the other side and used by no other
  // transfer.
  const xla::CrossHostTransferKey* transfer_keys;
  // One buffer for each shape, ready when its data have arrived. The caller
  // provides the array and owns the buffers.
  PJRT_Buffer** buffers;  // out
  // The incarnations of the tasks that take part: incarnation_ids[i] is that of
  // the task task_ids[i]. Where an id occurs twice, the first counts.
  size_t num_tasks;
  const int* task_ids;
  const int64_t* incarnation_ids;
};
PJRT_DEFINE_STRUCT_TRAITS(
    PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers_Args, incarnation_ids);

// Makes buffers whose data come from devices of other hosts, which must send
// them under the same keys. Returns at once. Receiving from oneself, and arrays
// of different lengths, are errors.
typedef PJRT_Error* PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers(
    PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers_Args* args);

// Called when the attempt to cancel a transfer has ended. The error is null
// when it succeeded; the header does not say who frees one that is not.
typedef void (*PJRT_Transfers_CrossHostOnCanceledCallback)(
    PJRT_Error* error, void* user_arg);

// Called by the receiver to give up on a descriptor whose sender will never
// come, so that the receiving buffer fails with the given code and text. The
// bytes and the text are read during the call; on_canceled is called with
// on_canceled_user_arg when it is done. The last parameter is what came with
// this function.
typedef void (*PJRT_Transfers_CrossHostSendCancelNotifier)(
    const char* serialized_descriptor, size_t serialized_descriptor_size,
    PJRT_Error_Code reason, const char* error_message,
    size_t error_message_size,
    PJRT_Transfers_CrossHostOnCanceledCallback on_canceled,
    void* on_canceled_user_arg, void* user_arg);

// Called once, when the receiving side is set up or has failed. On failure the
// error is not null, and there are no descriptors; the header does not say who
// frees the error. Otherwise there is one descriptor for each buffer, to be
// brought to its sender; the bytes are valid until the function returns. The
// cancel notifier may be kept and called later, with the argument that came
// with it.
typedef void (*PJRT_Transfers_CrossHostRecvNotifier)(
    PJRT_Error* error, const char** serialized_descriptors,
    size_t* descriptors_sizes, size_t num_descriptors, void* user_arg,
    PJRT_Transfers_CrossHostSendCancelNotifier cancel_notifier,
    void* cancel_notifier_user_arg);

// A receive notifier and its argument.
struct PJRT_Transfers_CrossHostRecvNotifierInfo {
  // Passed on to the notifier unchanged.
  void* user_arg;
  // The function to call.
  PJRT_Transfers_CrossHostRecvNotifier notifier;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Transfers_CrossHostRecvNotifierInfo, notifier);

// The arguments of PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers.
struct PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Client* client;
  // How many buffers are received, each with its own shape.
  size_t num_shapes;
  // The number of dimensions of each shape.
  size_t* shape_num_dims;
  // The dimensions of each shape, major to minor; the lengths of these lists
  // are in shape_num_dims.
  const int64_t** num_dims;
  // The element type of each shape.
  PJRT_Buffer_Type* element_types;
  // The layout of each shape. A null element means the default layout.
  PJRT_Buffer_MemoryLayout** layouts;
  // The device to receive on.
  PJRT_Device* device;
  // Called with the descriptors that the senders need.
  PJRT_Transfers_CrossHostRecvNotifierInfo notifier;
  // One buffer for each shape, ready when its data have arrived. The caller
  // provides the array, with room for all shapes, and owns the buffers.
  PJRT_Buffer** buffers;  // out
  // How many buffers were made.
  size_t num_buffers;  // out
  // Whether cancel_notifier may be used. Without it, and with callers that were
  // built before version 7 of this extension, it has no effect.
  bool allow_cancel_notifier;
};
PJRT_DEFINE_STRUCT_TRAITS(
    PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers_Args,
    allow_cancel_notifier);

// Makes buffers whose data come from another host by descriptors. Returns at
// once; the notifier is called later, possibly on another thread.
typedef PJRT_Error* PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers(
    PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers_Args* args);

// Called once, when the sends are enqueued or have failed. The error is null on
// success; the header does not say who frees one that is not. Sends that were
// enqueued may still fail, and then the receiver learns of it.
typedef void (*PJRT_Transfers_CrossHostRemoteSendCallback)(
    PJRT_Error* error, bool sends_were_enqueued, void* user_arg);

// A send callback and its argument.
struct PJRT_Transfers_CrossHostRemoteSendCallbackInfo {
  // Passed on to the callback unchanged.
  void* user_arg;
  // The function to call.
  PJRT_Transfers_CrossHostRemoteSendCallback on_done;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Transfers_CrossHostRemoteSendCallbackInfo,
                          on_done);

// Frees a descriptor and its length, which the caller of
// PJRT_Buffer_CopyToRemoteDevice allocated. The plugin calls it.
typedef void (*PJRT_Transfers_DescriptorDestructor)(
    char** descriptor_data, size_t* descriptor_size);

// The arguments of PJRT_Buffer_CopyToRemoteDevice.
struct PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Buffer* buffer;
  // Ready when the descriptor has been filled in. The plugin owns it from here
  // on.
  PJRT_Event* event;
  // Where the descriptor will be once the event is ready. Must stay valid until
  // then; the plugin frees it with descriptor_destructor.
  char** serialized_descriptor;
  // Where its length in bytes will be.
  size_t* serialized_descriptor_size;
  // Called when the send has been enqueued, or has failed.
  PJRT_Transfers_CrossHostRemoteSendCallbackInfo on_done;
  // Called by the plugin, exactly once, when it no longer needs the descriptor.
  PJRT_Transfers_DescriptorDestructor descriptor_destructor;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice_Args,
                          descriptor_destructor);

// Sends a buffer to the receiver that made the descriptor. Returns at once and
// cannot fail itself: the outcome goes to on_done.
typedef void PJRT_Buffer_CopyToRemoteDevice(
    PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice_Args* args);

// The node of the cross-host transfers extension.
struct PJRT_CrossHostTransfers_Extension {
  PJRT_Extension_Base base;
  PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers*
      PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers;
  PJRT_Buffer_CopyToRemoteDevice* PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice;
  PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers*
      PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers;
  PJRT_Transfers_PJRT_Client_CrossHostSendBuffers*
      PJRT_Transfers_PJRT_Client_CrossHostSendBuffers;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_CrossHostTransfers_Extension,
                          PJRT_Transfers_PJRT_Client_CrossHostSendBuffers);

#ifdef __cplusplus
}  // extern "C"
#endif

namespace pjrt {

// Makes the node of a plugin, in front of next.
PJRT_CrossHostTransfers_Extension CreateCrossHostTransfersExtension(
    PJRT_Extension_Base* next = nullptr);

// Wraps a C++ receive notifier, so that it can be passed through C.
PJRT_Transfers_CrossHostRecvNotifierInfo CppCrossHostRecvNotifierToC(
    const PJRT_Api* c_api, xla::PjRtCrossHostRecvNotifier cpp_notifier);

// Wraps a C++ send callback, so that it can be passed through C.
PJRT_Transfers_CrossHostRemoteSendCallbackInfo
CppCrossHostRemoteSendCallbackToC(
    const PJRT_Api* c_api, xla::PjRtBuffer::RemoteSendCallback cpp_callback);

}  // namespace pjrt

#endif  // XLA_PJRT_EXTENSIONS_CROSS_HOST_TRANSFERS_PJRT_C_API_CROSS_HOST_TRANSFERS_EXTENSION_H_
