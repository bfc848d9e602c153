/* SPDX-License-Identifier: Apache-2.0
   Restates the public ABI of openxla/xla's header of this path. */

// The profiler of a plugin, found through the profiler extension. It has its
// own errors. A profile is taken in this order: create, start, let the program
// run, stop, collect, destroy.

#ifndef XLA_BACKENDS_PROFILER_PLUGIN_PROFILER_C_API_H_
#define XLA_BACKENDS_PROFILER_PLUGIN_PROFILER_C_API_H_

#include <stddef.h>
#include <stdint.h>

// The size of a struct up to and including the named field, without the padding
// after it.
#define PROFILER_STRUCT_SIZE(struct_type, last_field) \
  offsetof(struct_type, last_field) + sizeof(((struct_type*)0)->last_field)

// Follows each struct: its typedef, and the constant that a caller stores in
// struct_size.
#define PROFILER_DEFINE_STRUCT_TRAITS(sname, last_field) \
  typedef struct sname sname;                            \
  enum { sname##_STRUCT_SIZE = PROFILER_STRUCT_SIZE(sname, last_field) }

#ifdef __cplusplus
extern "C" {
#endif

// The version of the profiler's table.
#define PLUGIN_PROFILER_VERSION 1

// A profiler. Free it with PLUGIN_Profiler_Destroy.
typedef struct PLUGIN_Profiler PLUGIN_Profiler;

// An error of the profiler. Whoever receives it frees it with
// PLUGIN_Profiler_Error_Destroy.
typedef struct PLUGIN_Profiler_Error PLUGIN_Profiler_Error;

// The arguments of PLUGIN_Profiler_Error_Destroy.
struct PLUGIN_Profiler_Error_Destroy_Args {
  size_t struct_size;
  // Not used. Must be null.
  void* priv;
  // What to free; may be null.
  PLUGIN_Profiler_Error* error;
};
PROFILER_DEFINE_STRUCT_TRAITS(PLUGIN_Profiler_Error_Destroy_Args, error);

// Frees an error. A null error is allowed and does nothing. It returns nothing
// and cannot fail.
typedef void PLUGIN_Profiler_Error_Destroy(
    PLUGIN_Profiler_Error_Destroy_Args* args);

// The arguments of PLUGIN_Profiler_Error_Message.
struct PLUGIN_Profiler_Error_Message_Args {
  size_t struct_size;
  // Not used. Must be null.
  void* priv;
  const PLUGIN_Profiler_Error* error;
  // The text, valid as long as the error. It need not end in a zero byte.
  const char* message;  // out
  // Its length in bytes.
  size_t message_size;  // out
};
PROFILER_DEFINE_STRUCT_TRAITS(PLUGIN_Profiler_Error_Message_Args, message_size);

// Returns the text of an error. It returns nothing and cannot fail.
typedef void PLUGIN_Profiler_Error_Message(
    PLUGIN_Profiler_Error_Message_Args* args);

// The arguments of PLUGIN_Profiler_Error_GetCode.
struct PLUGIN_Profiler_Error_GetCode_Args {
  size_t struct_size;
  // Not used. Must be null.
  void* priv;
  const PLUGIN_Profiler_Error* error;
  // The kind, numbered as PJRT_Error_Code.
  int code;  // out
};
PROFILER_DEFINE_STRUCT_TRAITS(PLUGIN_Profiler_Error_GetCode_Args, code);

// Returns the kind of an error.
typedef PLUGIN_Profiler_Error* PLUGIN_Profiler_Error_GetCode(
    PLUGIN_Profiler_Error_GetCode_Args* args);

// The arguments of PLUGIN_Profiler_Create.
struct PLUGIN_Profiler_Create_Args {
  size_t struct_size;
  // A serialized ProfileOptions message. Read during the call only.
  const char* options;
  // Its length in bytes.
  size_t options_size;
  // Owned by the caller, who frees it with PLUGIN_Profiler_Destroy.
  PLUGIN_Profiler* profiler;  // out
};
PROFILER_DEFINE_STRUCT_TRAITS(PLUGIN_Profiler_Create_Args, profiler);

// Makes a profiler. It records nothing yet.
typedef PLUGIN_Profiler_Error* PLUGIN_Profiler_Create(
    PLUGIN_Profiler_Create_Args* args);

// The arguments of PLUGIN_Profiler_Destroy.
struct PLUGIN_Profiler_Destroy_Args {
  size_t struct_size;
  PLUGIN_Profiler* profiler;
};
PROFILER_DEFINE_STRUCT_TRAITS(PLUGIN_Profiler_Destroy_Args, profiler);

// Frees a profiler.
typedef PLUGIN_Profiler_Error* PLUGIN_Profiler_Destroy(
    PLUGIN_Profiler_Destroy_Args* args);

// The arguments of PLUGIN_Profiler_Start.
struct PLUGIN_Profiler_Start_Args {
  size_t struct_size;
  PLUGIN_Profiler* profiler;
};
PROFILER_DEFINE_STRUCT_TRAITS(PLUGIN_Profiler_Start_Args, profiler);

// Starts recording.
typedef PLUGIN_Profiler_Error* PLUGIN_Profiler_Start(
    PLUGIN_Profiler_Start_Args* args);

// The arguments of PLUGIN_Profiler_Stop.
struct PLUGIN_Profiler_Stop_Args {
  size_t struct_size;
  PLUGIN_Profiler* profiler;
};
PROFILER_DEFINE_STRUCT_TRAITS(PLUGIN_Profiler_Stop_Args, profiler);

// Stops recording. Stopping a profiler that was not started is an error.
typedef PLUGIN_Profiler_Error* PLUGIN_Profiler_Stop(
    PLUGIN_Profiler_Stop_Args* args);

// The arguments of PLUGIN_Profiler_CollectData.
struct PLUGIN_Profiler_CollectData_Args {
  size_t struct_size;
  PLUGIN_Profiler* profiler;
  // Where the bytes go, owned by the caller; null asks for the length only.
  uint8_t* buffer;  // in/out
  // The length in bytes.
  size_t buffer_size_in_bytes;  // out
};
PROFILER_DEFINE_STRUCT_TRAITS(PLUGIN_Profiler_CollectData_Args,
                              buffer_size_in_bytes);

// Writes what was recorded, a serialized XSpace message, into memory of the
// caller. Call it twice: first with a null buffer for the length, then with a
// buffer of that length.
typedef PLUGIN_Profiler_Error* PLUGIN_Profiler_CollectData(
    PLUGIN_Profiler_CollectData_Args* args);

// What a profiler has recorded, taken out of it but not yet written as bytes.
// Free it with PLUGIN_Profiler_ConsumeResult_Destroy.
typedef struct PLUGIN_Profiler_ConsumeResult PLUGIN_Profiler_ConsumeResult;

// The arguments of PLUGIN_Profiler_Consume.
struct PLUGIN_Profiler_Consume_Args {
  size_t struct_size;
  PLUGIN_Profiler* profiler;
  // Owned by the caller, who frees it with
  // PLUGIN_Profiler_ConsumeResult_Destroy.
  PLUGIN_Profiler_ConsumeResult* result;  // out
};
PROFILER_DEFINE_STRUCT_TRAITS(PLUGIN_Profiler_Consume_Args, result);

// Takes what was recorded out of a profiler, without writing it as bytes.
typedef PLUGIN_Profiler_Error* PLUGIN_Profiler_Consume(
    PLUGIN_Profiler_Consume_Args* args);

// The arguments of PLUGIN_Profiler_ConsumeResult_Destroy.
struct PLUGIN_Profiler_ConsumeResult_Destroy_Args {
  size_t struct_size;
  PLUGIN_Profiler_ConsumeResult* consume_result;
};
PROFILER_DEFINE_STRUCT_TRAITS(PLUGIN_Profiler_ConsumeResult_Destroy_Args,
                              consume_result);

// Frees what was taken out of a profiler. It returns nothing and cannot fail.
typedef void PLUGIN_Profiler_ConsumeResult_Destroy(
    PLUGIN_Profiler_ConsumeResult_Destroy_Args* args);

// The arguments of PLUGIN_Profiler_Serialize.
struct PLUGIN_Profiler_Serialize_Args {
  size_t struct_size;
  PLUGIN_Profiler* profiler;
  PLUGIN_Profiler_ConsumeResult* consume_result;
  // The bytes, owned by consume_result and valid as long as it is.
  const uint8_t* serialized_bytes;  // out
  // Their number.
  size_t serialized_size;  // out
};
PROFILER_DEFINE_STRUCT_TRAITS(PLUGIN_Profiler_Serialize_Args, serialized_size);

// Writes what was taken out of a profiler as a serialized XSpace message.
typedef PLUGIN_Profiler_Error* PLUGIN_Profiler_Serialize(
    PLUGIN_Profiler_Serialize_Args* args);

// The table of the profiler. It belongs to the plugin and lives as long as the
// process. Functions past the struct_size that the plugin reports do not exist.
struct PLUGIN_Profiler_Api {
  size_t struct_size;
  // Not used. Must be null.
  void* priv;
  PLUGIN_Profiler_Error_Destroy* error_destroy;
  PLUGIN_Profiler_Error_Message* error_message;
  PLUGIN_Profiler_Error_GetCode* error_get_code;
  PLUGIN_Profiler_Create* create;
  PLUGIN_Profiler_Destroy* destroy;
  PLUGIN_Profiler_Start* start;
  PLUGIN_Profiler_Stop* stop;
  PLUGIN_Profiler_CollectData* collect_data;
  PLUGIN_Profiler_Consume* consume;
  PLUGIN_Profiler_ConsumeResult_Destroy* consume_result_destroy;
  PLUGIN_Profiler_Serialize* serialize;
};
PROFILER_DEFINE_STRUCT_TRAITS(PLUGIN_Profiler_Api, serialize);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // XLA_BACKENDS_PROFILER_PLUGIN_PROFILER_C_API_H_
