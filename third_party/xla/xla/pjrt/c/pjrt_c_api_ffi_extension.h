/* SPDX-License-Identifier: Apache-2.0
   Restates the public ABI of openxla/xla's header of this path. */

// Registers custom calls that follow XLA's foreign function interface, and
// hands data to them. The interface itself is in xla/ffi/api/c_api.h.

#ifndef XLA_PJRT_C_PJRT_C_API_FFI_EXTENSION_H_
#define XLA_PJRT_C_PJRT_C_API_FFI_EXTENSION_H_

#include <stddef.h>
#include <stdint.h>

#include "xla/pjrt/c/pjrt_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

// The version of this extension. The plugin does not report it.
#define PJRT_API_FFI_EXTENSION_VERSION 3

// How the plugin treats values of a type.
typedef struct PJRT_FFI_Type_Info {
  // Frees a value of the type; null when there is nothing to free.
  void (*deleter)(void* object);
  // Reserved. Must be null.
  void (*serialize)();
  // Reserved. Must be null.
  void (*deserialize)();
} PJRT_FFI_Type_Info;

// The arguments of PJRT_FFI_Type_Register.
struct PJRT_FFI_Type_Register_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The name of the type, unique in the process. Read during the call only.
  const char* type_name;
  // Its length in bytes.
  size_t type_name_size;
  // Zero asks the plugin for an id, which it stores here. Any other number asks
  // for that id; it is an error when the name has another one.
  int64_t type_id;  // in/out
  // How to treat values of the type; null when there is nothing to do.
  PJRT_FFI_Type_Info* type_info;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_FFI_Type_Register_Args, type_info);

// Gives an id in the plugin to a type that the program defines. With `type_id`
// 0 the plugin chooses one; plugins refuse a name that is registered already.
typedef PJRT_Error* PJRT_FFI_Type_Register(PJRT_FFI_Type_Register_Args* args);

// A value that handlers can ask for.
typedef struct PJRT_FFI_UserData {
  // The id of its type, from PJRT_FFI_Type_Register.
  int64_t type_id;
  // The value. The plugin frees it with the deleter of its type, if it has one.
  void* data;
} PJRT_FFI_UserData;

// The arguments of PJRT_FFI_UserData_Add.
struct PJRT_FFI_UserData_Add_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The context to put the value into. Must not be null.
  PJRT_ExecuteContext* context;
  // The value. A context holds at most one of each type.
  PJRT_FFI_UserData user_data;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_FFI_UserData_Add_Args, user_data);

// Puts a value into an execute context, where handlers find it by its type id
// during executions with that context. A second value of the same type is an
// error.
typedef PJRT_Error* PJRT_FFI_UserData_Add(PJRT_FFI_UserData_Add_Args* args);

// What a handler promises. The values are bits and can be combined.
typedef enum PJRT_FFI_Handler_TraitsBits {
  // The handler may be recorded once and replayed many times, as GPU command
  // buffers do.
  PJRT_FFI_HANDLER_TRAITS_COMMAND_BUFFER_COMPATIBLE = 1,
} PJRT_FFI_Handler_TraitsBits;

// The arguments of PJRT_FFI_Register_Handler.
struct PJRT_FFI_Register_Handler_Args {
  size_t struct_size;
  // The name by which programs call the handler. Read during the call only.
  const char* target_name;
  // Its length in bytes.
  size_t target_name_size;
  // The handler, an XLA_FFI_Handler. Must not be null, and must stay callable:
  // nothing unregisters it.
  void* handler;
  // The platform that the handler is for, such as Host or CUDA.
  const char* platform_name;
  // Its length in bytes.
  size_t platform_name_size;
  // What the handler promises; zero for nothing.
  PJRT_FFI_Handler_TraitsBits traits;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_FFI_Register_Handler_Args, traits);

// Registers a handler for a custom call, in the whole process. The plugin calls
// the handler at once, to ask which version of the interface it speaks.
// Executions call it on any thread.
typedef PJRT_Error* PJRT_FFI_Register_Handler(
    PJRT_FFI_Register_Handler_Args* args);

// The node of the FFI extension. The args of PJRT_FFI_Register_Handler have no
// extension_start.
typedef struct PJRT_FFI_Extension {
  PJRT_Extension_Base base;
  PJRT_NO_DISCARD PJRT_FFI_Type_Register* type_register;
  PJRT_NO_DISCARD PJRT_FFI_UserData_Add* user_data_add;
  PJRT_NO_DISCARD PJRT_FFI_Register_Handler* register_handler;
} PJRT_FFI;
PJRT_DEFINE_STRUCT_TRAITS(PJRT_FFI_Extension, register_handler);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // XLA_PJRT_C_PJRT_C_API_FFI_EXTENSION_H_
