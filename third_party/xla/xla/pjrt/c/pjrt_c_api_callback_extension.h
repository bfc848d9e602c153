/* SPDX-License-Identifier: Apache-2.0
   Restates the public ABI of openxla/xla's header of this path. */

// Lets a program be called by the plugin when something happens to the devices
// as a whole, such as a TPU slice that fails to build.

#ifndef XLA_PJRT_C_PJRT_C_API_CALLBACK_EXTENSION_H_
#define XLA_PJRT_C_PJRT_C_API_CALLBACK_EXTENSION_H_

#include <stddef.h>
#include <stdint.h>

#include "xla/pjrt/c/pjrt_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

// The version of this extension. The plugin does not report it.
#define PJRT_API_CALLBACK_EXTENSION_VERSION 1

// What a callback is called for, and so which struct it is given.
enum PJRT_Callback_Type {
  // No event. Registering for it is an error.
  PJRT_Callback_Type_Unknown,
  // A TPU slice could not be built. The callback is given a
  // PJRT_Callback_Tpu_SliceBuilderArgs.
  PJRT_Callback_Type_Tpu_SliceBuilder,
  // The process is about to end because of an error. The callback is given a
  // PJRT_Callback_PrefatalArgs.
  PJRT_Callback_Type_Prefatal,
};

// Why a TPU slice could not be built.
enum class PJRT_Callback_Tpu_SliceFailureType : int {
  // No reason is known.
  SLICE_FAILURE_UNKNOWN = 0,
  // The slice failed while it was being initialised.
  SLICE_FAILURE_INIT_ERROR = 1,
  // A worker of the slice did not answer.
  SLICE_FAILURE_WORKER_UNAVAILABLE = 2,
  // A task of the slice kept restarting.
  SLICE_FAILURE_FLAPPING_TASK_ERROR = 3,
  // The failure was injected by software, for a test.
  SLICE_FAILURE_SW_INJECT_ERROR = 4,
  // The driver of a chip reported an error.
  SLICE_FAILURE_CHIP_DRIVER_ERROR = 5,
};

// What a PJRT_Callback_Type_Tpu_SliceBuilder callback is given. Valid until the
// callback returns.
struct PJRT_Callback_Tpu_SliceBuilderArgs {
  size_t struct_size;
  // Why the slice could not be built.
  PJRT_Callback_Tpu_SliceFailureType failure_type;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Callback_Tpu_SliceBuilderArgs, failure_type);

// What a PJRT_Callback_Type_Prefatal callback is given. Valid until the
// callback returns.
struct PJRT_Callback_PrefatalArgs {
  size_t struct_size;
  // The kind of the error.
  PJRT_Error_Code error_code;
  // The text of the error, valid until the callback returns. Use its length: it
  // need not end in a zero byte.
  const char* error_message;
  // Its length in bytes.
  size_t error_message_size;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Callback_PrefatalArgs, error_message_size);

// What the plugin calls: args is the struct that belongs to the type it was
// registered for, and user_arg is what was given when it was registered. The
// call may come on any thread, including one that the program did not start.
typedef void PJRT_Callback_Function(void* args, void* user_arg);

// The arguments of PJRT_Register_Callback.
struct PJRT_Callback_RegisterCallback_Args {
  size_t struct_size;
  PJRT_Client* client;
  // When to call: the type of event.
  PJRT_Callback_Type type;
  // The function to call. It must stay callable as long as the client lives:
  // nothing unregisters it.
  PJRT_Callback_Function* callback;
  // Passed on to the callback unchanged.
  void* user_arg;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Callback_RegisterCallback_Args, user_arg);

// Registers a callback with a client. An unknown type is an error.
typedef PJRT_Error* PJRT_Register_Callback(
    PJRT_Callback_RegisterCallback_Args* args);

// The arguments of PJRT_Callback_InvokeCallback.
struct PJRT_Callback_InvokeCallback_Args {
  size_t struct_size;
  PJRT_Client* client;
  // The type whose callbacks to call.
  PJRT_Callback_Type type;
  // The struct that belongs to the type. Used during the call only.
  void* args;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Callback_InvokeCallback_Args, args);

// Calls what was registered for a type, on the calling thread, and returns when
// the callbacks have returned.
typedef PJRT_Error* PJRT_Callback_InvokeCallback(
    PJRT_Callback_InvokeCallback_Args* args);

// The node of the callback extension. Its args have no extension_start.
struct PJRT_Callback_Extension {
  PJRT_Extension_Base base;
  PJRT_NO_DISCARD PJRT_Register_Callback* register_callback;
  PJRT_NO_DISCARD PJRT_Callback_InvokeCallback* invoke_callback;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Callback_Extension, invoke_callback);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // XLA_PJRT_C_PJRT_C_API_CALLBACK_EXTENSION_H_
