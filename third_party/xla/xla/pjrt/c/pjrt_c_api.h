// SPDX-License-Identifier: Apache-2.0
// Restates the public ABI of openxla/xla's header of the same name.

#ifndef XLA_PJRT_C_PJRT_C_API_H_
#define XLA_PJRT_C_PJRT_C_API_H_

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// PJRT is the interface between a machine-learning framework and a plugin that
// drives devices. A plugin is a shared library that exports one symbol,
// `GetPjrtApi`, a function without parameters that returns a table of
// functions, PJRT_Api.
//
// Calls. Each function takes a pointer to one struct with its inputs and
// outputs. The caller sets `struct_size` to the `_STRUCT_SIZE` constant of the
// header it was compiled with, `extension_start` to null or to extensions for
// this call, and clears the outputs. The two sides may come from different
// minors: the plugin leaves fields beyond the size that the caller gave alone,
// and ignores fields that it does not know.
//
// Errors. Almost every function returns null for success and otherwise an error
// for the caller to destroy. After an error the outputs mean nothing, unless a
// comment says more.
//
// Memory. Inputs need to live for the call, unless a comment says more. Strings
// come with a size and need not end with a zero byte. "For the caller to
// destroy" marks an object that belongs to the caller from then on. The caller
// must not free what belongs to a client, buffer or executable; it lives as
// long as that object.
//
// Threads. The interface does not say which functions may run at the same time.
// Frameworks call all of them from any thread, and plugins are built for that.
// Callbacks run on threads that the caller may never have seen.
//
// since.json lists the minor in which each function, field and value first
// appeared.

// The number of bytes from the start of a struct to the end of its last field.
// Padding after that field is left out, so the number can be smaller than
// `sizeof`. It is the value to put into `struct_size`.
#define PJRT_STRUCT_SIZE(struct_type, last_field) \
  offsetof(struct_type, last_field) + sizeof(((struct_type*)0)->last_field)

// In C++, fails to compile when `last_field` does not end the struct. In C it
// does nothing.
#ifdef __cplusplus
#define PJRT_CHECK_STRUCT_SIZE(sname, last_field)                          \
  static_assert((PJRT_STRUCT_SIZE(sname, last_field) + alignof(sname) - 1) \
                        / alignof(sname) * alignof(sname) ==               \
                    sizeof(struct sname),                                  \
                #last_field " does not end " #sname);
#else
#define PJRT_CHECK_STRUCT_SIZE(sname, last_field)
#endif

// Gives `struct sname` its typedef and its `sname_STRUCT_SIZE` constant.
// Whoever appends a field to a struct names that field here.
#define PJRT_DEFINE_STRUCT_TRAITS(sname, last_field)                  \
  typedef struct sname sname;                                         \
  enum { sname##_STRUCT_SIZE = PJRT_STRUCT_SIZE(sname, last_field) }; \
  PJRT_CHECK_STRUCT_SIZE(sname, last_field)

// Marks table slots whose result carries an error that has to be looked at and
// destroyed. Compilers without such an attribute see nothing. Since 0.113.
#if defined(__GNUC__) || defined(__clang__)
#define PJRT_NO_DISCARD __attribute__((warn_unused_result))
#else
#define PJRT_NO_DISCARD
#endif

#ifdef __cplusplus
extern "C" {
#endif

// -------------------------------- Extensions ---------------------------------

// Says which extension a node of an extension chain holds, and so to which
// struct the node may be cast. A caller skips types it does not know.
typedef enum {
  // Registration of custom calls on GPU, without the typed FFI.
  PJRT_Extension_Type_Gpu_Custom_Call = 0,
  // Profiler of the plugin, and trace context passed along with a call.
  PJRT_Extension_Type_Profiler,
  // Partitioning of custom calls by callbacks of the caller.
  PJRT_Extension_Type_Custom_Partitioner,
  // The device's native stream, for work outside this API.
  PJRT_Extension_Type_Stream,
  // On-device layouts of buffers, parameters and outputs.
  PJRT_Extension_Type_Layouts,
  // Typed FFI: handlers, types and user data of custom calls.
  PJRT_Extension_Type_FFI,
  // Memories of a device, read from its description.
  PJRT_Extension_Type_MemoryDescriptions,
  // Compilation of Triton kernels. Deprecated.
  PJRT_Extension_Type_Triton,
  // Device memory without type and shape. Experimental.
  PJRT_Extension_Type_RawBuffer,
  // Compilation in separate phases. Experimental.
  PJRT_Extension_Type_PhaseCompile,
  // A sample that shows how to write an extension.
  PJRT_Extension_Type_Example,
  // An extension without a registered type. It may occur several times in one
  // chain.
  PJRT_Extension_Type_Unknown,
  // Direct transfers between the devices of different hosts.
  PJRT_Extension_Type_CrossHostTransfers,
  // Metadata that belongs to an executable.
  PJRT_Extension_Type_ExecutableMetadata,
  // Callbacks from the plugin when something happens to its devices.
  PJRT_Extension_Type_Callback,
  // A deprecated form of PJRT_Extension_Type_HostMemoryAllocator.
  PJRT_Extension_Type_HostAllocator,
  // Details of a TPU topology.
  PJRT_Extension_Type_TpuTopology,
  // Details of an executable compiled for TPU.
  PJRT_Extension_Type_TpuExecutable,
  // Programs that span several TPU slices.
  PJRT_Extension_Type_Megascale,
  // Shardings of parameters and outputs.
  PJRT_Extension_Type_Shardings,
  // ABI versions of runtimes and executables, for compatibility checks.
  PJRT_Extension_Type_AbiVersion,
  // Communicators for collective operations.
  PJRT_Extension_Type_Collectives,
  // Configuration objects for several slices.
  PJRT_Extension_Type_MultiSlice,
  // Allocation of host memory that suits the plugin's transfers.
  PJRT_Extension_Type_HostMemoryAllocator,
  // Changes to a program by the caller during compilation.
  PJRT_Extension_Type_XlaTransform,
} PJRT_Extension_Type;

// Head of every extension. Extensions form a singly linked list. The list of
// PJRT_Api holds what the plugin offers; the list of an argument struct holds
// what the caller adds to that one call. Nodes of the plugin live until the
// process ends, nodes of a caller need to live for the call.
typedef struct PJRT_Extension_Base {
  // Size in bytes of the whole extension struct this head belongs to.
  size_t struct_size;
  // Decides to which struct a pointer to this head may be cast.
  PJRT_Extension_Type type;
  // The following node, or null at the end of the list.
  struct PJRT_Extension_Base* next;
} PJRT_Extension_Base;
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Extension_Base, next);

// ---------------------------------- Version ----------------------------------

// Version of the ABI as a whole. It rises when existing callers or plugins
// break, because something was removed, retyped or moved. It has been 0 so far.
#define PJRT_API_MAJOR 0

// Counts compatible growth: functions appended to the table, fields appended to
// argument structs, enum values added. A side that wants to know what the other
// one supports compares minors, or better the `struct_size` of the struct in
// question.
#define PJRT_API_MINOR 117

// The version of this header that a plugin was compiled with.
struct PJRT_Api_Version {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // Value of PJRT_API_MAJOR in the plugin.
  int major_version;  // out
  // Value of PJRT_API_MINOR in the plugin.
  int minor_version;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Api_Version, minor_version);

// ---------------------------------- Errors -----------------------------------

typedef struct PJRT_Error PJRT_Error;

struct PJRT_Error_Destroy_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The error to free; may be null.
  PJRT_Error* error;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Error_Destroy_Args, error);

// Frees an error and everything obtained from it. Null is allowed. The function
// returns nothing: it has no way to fail.
typedef void PJRT_Error_Destroy(PJRT_Error_Destroy_Args* args);

struct PJRT_Error_Message_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The error to read; must not be null.
  const PJRT_Error* error;
  // Text for people, owned by `error` and freed with it. Do not expect a
  // terminating zero byte.
  const char* message;  // out
  // Length of `message` in bytes.
  size_t message_size;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Error_Message_Args, message_size);

// Reads the text of an error. The function returns nothing: it has no way to
// fail, but the error must not be null.
typedef void PJRT_Error_Message(PJRT_Error_Message_Args* args);

// Classes of failure. Numbers and meanings are those of absl::StatusCode, which
// gRPC uses too.
typedef enum {
  // No failure. Used where a code is passed by value, such as PJRT_Event_Set;
  // an error object never has it.
  PJRT_Error_Code_OK = 0,
  // The operation was cancelled, usually by its caller.
  PJRT_Error_Code_CANCELLED = 1,
  // A failure that fits no other code, or that arrived without one.
  PJRT_Error_Code_UNKNOWN = 2,
  // An argument is wrong whatever the state of the system.
  PJRT_Error_Code_INVALID_ARGUMENT = 3,
  // Time ran out before the operation finished.
  PJRT_Error_Code_DEADLINE_EXCEEDED = 4,
  // Something that was asked for does not exist.
  PJRT_Error_Code_NOT_FOUND = 5,
  // Something that was to be created already exists.
  PJRT_Error_Code_ALREADY_EXISTS = 6,
  // The caller is known but not allowed to do this.
  PJRT_Error_Code_PERMISSION_DENIED = 7,
  // A resource ran out, most often device memory.
  PJRT_Error_Code_RESOURCE_EXHAUSTED = 8,
  // The system is not in the state that the operation needs; retrying alone
  // does not help.
  PJRT_Error_Code_FAILED_PRECONDITION = 9,
  // The operation was abandoned because of a conflict; retrying at a higher
  // level may help.
  PJRT_Error_Code_ABORTED = 10,
  // An index or position lies beyond the valid range.
  PJRT_Error_Code_OUT_OF_RANGE = 11,
  // The plugin does not support this function or this use of it.
  PJRT_Error_Code_UNIMPLEMENTED = 12,
  // An invariant broke inside the plugin or the layers below it.
  PJRT_Error_Code_INTERNAL = 13,
  // A service is out of reach for now; retrying may help.
  PJRT_Error_Code_UNAVAILABLE = 14,
  // Data is lost or damaged beyond repair.
  PJRT_Error_Code_DATA_LOSS = 15,
  // The caller did not prove who it is.
  PJRT_Error_Code_UNAUTHENTICATED = 16,
} PJRT_Error_Code;

// Receives one payload of an error. Key and value are given with their sizes in
// bytes; a value may contain zero bytes. Both should be copied if needed after
// the visitor returns.
typedef void (*PJRT_Error_PayloadVisitor)(
    const char* key, size_t key_size, const char* value, size_t value_size,
    void* user_arg);

// The functions of an error. They do the same as PJRT_Error_Destroy,
// PJRT_Error_Message, PJRT_Error_GetCode and PJRT_Error_ForEachPayload, but
// take plain parameters.
struct PJRT_Error_FunctionTable {
  size_t struct_size;
  // Size in bytes of PJRT_Error as the plugin knows it.
  size_t instance_size;
  PJRT_Extension_Base* extension_start;
  // Frees the error.
  void (*destroy)(PJRT_Error* error);
  // Stores a pointer to the text and its length in bytes. The text lives as
  // long as the error.
  void (*message)(
      const PJRT_Error* error, const char** message, size_t* message_size);
  // Returns the code of the error.
  PJRT_Error_Code (*get_code)(const PJRT_Error* error);
  // Calls `visitor` once per payload, with `user_arg` passed through.
  void (*for_each_payload)(
      const PJRT_Error* error, PJRT_Error_PayloadVisitor visitor,
      void* user_arg);
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Error_FunctionTable, for_each_payload);

// The failure of one call. A null pointer stands for success. Each error is a
// separate object, which its receiver destroys with PJRT_Error_Destroy, even
// when the same failure was already reported elsewhere. It outlives the object
// that it is about.
//
// Up to 0.106 the contents were private. Since 0.107 the first word points to a
// table of functions, so that an error can be read without the PJRT_Api of the
// plugin that made it.
struct PJRT_Error {
  // Functions that work on this error. Never null in a plugin of 0.107 or
  // later.
  const struct PJRT_Error_FunctionTable* vtable;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Error, vtable);

struct PJRT_Error_GetCode_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The error to read; must not be null.
  const PJRT_Error* error;
  // Never PJRT_Error_Code_OK.
  PJRT_Error_Code code;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Error_GetCode_Args, code);

// Reads the code of an error. It returns null unless the call itself went
// wrong.
typedef PJRT_Error* PJRT_Error_GetCode(PJRT_Error_GetCode_Args* args);

struct PJRT_Error_ForEachPayload_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  const PJRT_Error* error;
  // Must not be null.
  PJRT_Error_PayloadVisitor visitor;
  // Handed to `visitor` unchanged.
  void* user_arg;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Error_ForEachPayload_Args, user_arg);

// Calls a visitor once for each payload attached to an error, before it
// returns. An error without payloads causes no call. Payloads are keyed byte
// strings that carry details for programs.
typedef PJRT_Error* PJRT_Error_ForEachPayload(
    PJRT_Error_ForEachPayload_Args* args);

// Makes an error on behalf of a callback. A plugin hands this function to
// callbacks of its caller, so that they can return an error that the plugin is
// able to read and destroy. `message` is copied before the function returns.
typedef PJRT_Error* (*PJRT_CallbackError)(
    PJRT_Error_Code code, const char* message, size_t message_size);

// ------------------------------- Named values --------------------------------

// Says which member of the union in PJRT_NamedValue is set.
typedef enum {
  // `string_value`, a run of bytes.
  PJRT_NamedValue_kString = 0,
  // `int64_value`.
  PJRT_NamedValue_kInt64,
  // `int64_array_value`, an array.
  PJRT_NamedValue_kInt64List,
  // `float_value`.
  PJRT_NamedValue_kFloat,
  // `bool_value`.
  PJRT_NamedValue_kBool,
} PJRT_NamedValue_Type;

// A name with a typed value: an option of a call, or an attribute that a plugin
// reports.
struct PJRT_NamedValue {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // Name in UTF-8, `name_size` bytes long, with no promise of a terminating
  // zero byte.
  const char* name;
  // Length of `name` in bytes.
  size_t name_size;
  // Selects the member of the union.
  PJRT_NamedValue_Type type;
  union {
    // `value_size` bytes, with no promise of a terminating zero byte.
    const char* string_value;
    int64_t int64_value;
    // `value_size` numbers.
    const int64_t* int64_array_value;
    float float_value;
    bool bool_value;
  };
  // Length of the string in bytes or of the list in elements. It is 1 for the
  // other types.
  size_t value_size;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_NamedValue, value_size);

// ---------------------------------- Plugin -----------------------------------

struct PJRT_Plugin_Initialize_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Plugin_Initialize_Args, extension_start);

// Prepares the plugin for use, once per process and before any other function
// of the table. Some plugins crash when it is left out.
typedef PJRT_Error* PJRT_Plugin_Initialize(PJRT_Plugin_Initialize_Args* args);

struct PJRT_Plugin_Attributes_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // Array of `num_attributes` entries that stays in place until the process
  // ends. May be null when there are none.
  const PJRT_NamedValue* attributes;  // out
  size_t num_attributes;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Plugin_Attributes_Args, num_attributes);

// Lists facts about the plugin. Plugins built on XLA report `xla_version` as a
// number, and `stablehlo_current_version` and `stablehlo_minimum_version` as
// lists of three numbers.
typedef PJRT_Error* PJRT_Plugin_Attributes(PJRT_Plugin_Attributes_Args* args);

// ---------------------------------- Events -----------------------------------

// The completion of asynchronous work. An event becomes ready once, with
// success or with an error, and never goes back. Whoever gets an event destroys
// it with PJRT_Event_Destroy; that is allowed before it is ready, and neither
// cancels the work nor drops registered callbacks.
typedef struct PJRT_Event PJRT_Event;

struct PJRT_Event_Destroy_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The event to free; may be null.
  PJRT_Event* event;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Event_Destroy_Args, event);

// Frees an event. Null is allowed. The work behind the event continues.
typedef PJRT_Error* PJRT_Event_Destroy(PJRT_Event_Destroy_Args* args);

struct PJRT_Event_IsReady_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Event* event;
  bool is_ready;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Event_IsReady_Args, is_ready);

// Asks whether an event is ready, without waiting. An event that failed counts
// as ready.
typedef PJRT_Error* PJRT_Event_IsReady(PJRT_Event_IsReady_Args* args);

struct PJRT_Event_Error_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Event* event;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Event_Error_Args, event);

// Returns the outcome of a ready event: null for success, otherwise an error.
// Every call makes a new error, which the caller destroys separately. The event
// must be ready; some plugins end the process when it is not.
typedef PJRT_Error* PJRT_Event_Error(PJRT_Event_Error_Args* args);

struct PJRT_Event_Await_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Event* event;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Event_Await_Args, event);

// Waits until an event is ready and returns its outcome: null for success,
// otherwise a new error for the caller to destroy. It blocks the thread that
// calls it. Several threads may wait for one event, and each may wait again.
typedef PJRT_Error* PJRT_Event_Await(PJRT_Event_Await_Args* args);

// Runs when an event becomes ready. `error` is null on success; otherwise it
// now belongs to the callback, which destroys it. `user_arg` stays the property
// of whoever registered the callback.
typedef void (*PJRT_Event_OnReadyCallback)(PJRT_Error* error, void* user_arg);

struct PJRT_Event_OnReady_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Event* event;
  // Must not be null.
  PJRT_Event_OnReadyCallback callback;
  // Handed to `callback` unchanged. The plugin neither reads nor frees what it
  // points to.
  void* user_arg;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Event_OnReady_Args, user_arg);

// Registers a callback for the moment an event becomes ready. It runs exactly
// once, as a rule on a thread of the plugin. If the event is ready already, it
// may run on the calling thread before this function returns. Several callbacks
// can wait on one event, and the event may be destroyed right after the
// registration.
typedef PJRT_Error* PJRT_Event_OnReady(PJRT_Event_OnReady_Args* args);

struct PJRT_Event_Create_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // For the caller to destroy with PJRT_Event_Destroy.
  PJRT_Event* event;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Event_Create_Args, event);

// Makes an event that is not ready until the caller completes it with
// PJRT_Event_Set.
typedef PJRT_Error* PJRT_Event_Create(PJRT_Event_Create_Args* args);

struct PJRT_Event_Set_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // Must come from PJRT_Event_Create.
  PJRT_Event* event;
  // PJRT_Error_Code_OK for success.
  PJRT_Error_Code error_code;
  // Text of the failure, `error_message_size` bytes. May be freed when the call
  // returns.
  const char* error_message;
  // Length of `error_message` in bytes.
  size_t error_message_size;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Event_Set_Args, error_message_size);

// Completes an event made by PJRT_Event_Create, with success or failure, and
// wakes everyone who waits for it. Call it once per event.
typedef PJRT_Error* PJRT_Event_Set(PJRT_Event_Set_Args* args);

// ---------------------------------- Client -----------------------------------

// A connection to the devices of one platform, made by PJRT_Client_Create. It
// owns its devices, memories and topology. Buffers and executables should be
// destroyed before their client is.
typedef struct PJRT_Client PJRT_Client;

// A device as seen by a client. It belongs to the client and has the same
// address wherever it is returned.
typedef struct PJRT_Device PJRT_Device;

typedef struct PJRT_Memory PJRT_Memory;
typedef struct PJRT_ShapeSpec PJRT_ShapeSpec;

// What a device is, without access to it: ids, kind, attributes. A description
// comes with a device or with a topology, and lives as long as that does.
typedef struct PJRT_DeviceDescription PJRT_DeviceDescription;

// The devices that a program can be compiled for, present or not. A topology
// that was created or deserialized belongs to the caller; the topology of a
// client belongs to the client.
typedef struct PJRT_TopologyDescription PJRT_TopologyDescription;

// A compiled program that is not loaded onto devices. It can be inspected and
// serialized. The caller frees it with PJRT_Executable_Destroy.
typedef struct PJRT_Executable PJRT_Executable;

// A compiled program that is loaded onto devices of a client and can be run.
// The caller frees it with PJRT_LoadedExecutable_Destroy.
typedef struct PJRT_LoadedExecutable PJRT_LoadedExecutable;

// An array in device memory. Its contents may still be on the way, or may turn
// out to be an error; PJRT_Buffer_ReadyEvent reports which. The caller frees it
// with PJRT_Buffer_Destroy.
typedef struct PJRT_Buffer PJRT_Buffer;

// The right to give an alias buffer its contents, made by
// PJRT_Client_CreateAliasBuffer and consumed by PJRT_Client_FulfillAliasBuffer.
typedef struct PJRT_FulfillAliasBufferCallback PJRT_FulfillAliasBufferCallback;

// Fills a fixed set of buffers from host memory, piece by piece. The caller
// frees it with PJRT_AsyncHostToDeviceTransferManager_Destroy.
typedef struct PJRT_AsyncHostToDeviceTransferManager
    PJRT_AsyncHostToDeviceTransferManager;

// A compiler that works in phases. Only the PhaseCompile extension uses it.
typedef struct PJRT_PhaseCompiler PJRT_PhaseCompiler;

// The functions of a memory. They attach data of the caller to it, each piece
// under its own key.
struct PJRT_Memory_FunctionTable {
  size_t struct_size;
  struct PJRT_Extension_Base* extension_start;
  // Size of PJRT_Memory in the header that the plugin was built with:
  // PJRT_Memory_STRUCT_SIZE.
  size_t instance_struct_size;
  // Returns the data stored under `key`, or null if there is none. Keys are
  // compared as addresses.
  void* (*get_user_data)(struct PJRT_Memory* memory, const void* key);
  // Stores `data` under `key`. `dtor`, if not null, is called with the data
  // when the plugin lets go of it: when it is replaced, and at the latest when
  // the memory is freed with its client.
  void (*set_user_data)(
      struct PJRT_Memory* memory, const void* key, void* data,
      void (*dtor)(void*));
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Memory_FunctionTable, set_user_data);

// A memory space that one or more devices can reach, such as HBM or pinned host
// memory. It belongs to the client and has the same address wherever it is
// returned.
//
// Up to 0.104 the contents were private. Since 0.105 the first word points to a
// table of functions.
struct PJRT_Memory {
  // Functions that work on this memory. Never null in a plugin of 0.105 or
  // later.
  const struct PJRT_Memory_FunctionTable* vtable;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Memory, vtable);

// Frees a value that a PJRT_KeyValueGetCallback returned.
typedef void (*PJRT_KeyValueGetCallback_ValueDeleter)(char* value);

struct PJRT_KeyValueGetCallback_Args {
  // Not every plugin sets this; do not rely on it.
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // `key_size` bytes, valid during the call.
  const char* key;
  // Length of `key` in bytes.
  size_t key_size;
  // How long to wait for the key, in milliseconds.
  int timeout_in_ms;
  // Points to the function that makes the error to return. Valid during the
  // call.
  PJRT_CallbackError* callback_error;
  // The `kv_get_user_arg` given to PJRT_Client_Create.
  void* user_arg;
  // Set by the callback: `value_size` bytes that may contain zero bytes. The
  // plugin copies them and then calls `value_deleter_callback`.
  char* value;  // out
  // Set by the callback: length of `value` in bytes.
  size_t value_size;  // out
  // Set by the callback: called once with `value` by the plugin. It is not
  // called when the callback returned an error.
  PJRT_KeyValueGetCallback_ValueDeleter value_deleter_callback;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_KeyValueGetCallback_Args,
                          value_deleter_callback);

// Looks up a key in the store that the processes of one program share, and
// waits for the key to appear if need be. The plugin calls it, possibly from
// several threads at once. It blocks until the value is there, or returns an
// error when the timeout has passed.
//
// The owner of the store keeps the keys of different plugins apart; the
// processes of one plugin share their keys.
typedef PJRT_Error* (*PJRT_KeyValueGetCallback)(
    PJRT_KeyValueGetCallback_Args* args);

// Frees a value that a PJRT_KeyValueTryGetCallback returned.
typedef void (*PJRT_KeyValueTryGetCallback_ValueDeleter)(char* value);

struct PJRT_KeyValueTryGetCallback_Args {
  // Not every plugin sets this; do not rely on it.
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // `key_size` bytes, valid during the call.
  const char* key;
  // Length of `key` in bytes.
  size_t key_size;
  // Points to the function that makes the error to return. Valid during the
  // call.
  PJRT_CallbackError* callback_error;
  // The `kv_try_get_user_arg` given to PJRT_Client_Create.
  void* user_arg;
  // Set by the callback: `value_size` bytes that may contain zero bytes. The
  // plugin copies them and then calls `value_deleter_callback`.
  char* value;  // out
  // Set by the callback: length of `value` in bytes.
  size_t value_size;  // out
  // Set by the callback: called once with `value` by the plugin. It is not
  // called when the callback returned an error.
  PJRT_KeyValueTryGetCallback_ValueDeleter value_deleter_callback;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_KeyValueTryGetCallback_Args,
                          value_deleter_callback);

// Looks up a key in the shared store without waiting. A missing key is
// PJRT_Error_Code_NOT_FOUND, at once. The plugin may call it from several
// threads.
typedef PJRT_Error* (*PJRT_KeyValueTryGetCallback)(
    PJRT_KeyValueTryGetCallback_Args* args);

struct PJRT_KeyValuePutCallback_Args {
  // Not every plugin sets this; do not rely on it.
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // `key_size` bytes, valid during the call.
  const char* key;
  // Length of `key` in bytes.
  size_t key_size;
  // `value_size` bytes that may contain zero bytes. The callback copies what it
  // wants to keep.
  const char* value;
  // Length of `value` in bytes.
  size_t value_size;
  // Points to the function that makes the error to return. Valid during the
  // call.
  PJRT_CallbackError* callback_error;
  // The `kv_put_user_arg` given to PJRT_Client_Create.
  void* user_arg;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_KeyValuePutCallback_Args, user_arg);

// Stores a value under a key in the shared store. The plugin may call it from
// several threads.
typedef PJRT_Error* (*PJRT_KeyValuePutCallback)(
    PJRT_KeyValuePutCallback_Args* args);

struct PJRT_Client_Create_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // `num_options` options, whose names depend on the platform. Null when there
  // are none.
  const PJRT_NamedValue* create_options;
  size_t num_options;
  // Reads from the store that processes use to find each other. Null in a
  // program of one process.
  PJRT_KeyValueGetCallback kv_get_callback;
  // Handed to `kv_get_callback`.
  void* kv_get_user_arg;
  // Writes to the same store. Null in a program of one process.
  PJRT_KeyValuePutCallback kv_put_callback;
  // Handed to `kv_put_callback`.
  void* kv_put_user_arg;
  // For the caller to destroy with PJRT_Client_Destroy.
  PJRT_Client* client;  // out
  // Reads from the same store without waiting. Some plugins ignore the whole
  // store when this one is null.
  PJRT_KeyValueTryGetCallback kv_try_get_callback;
  // Handed to `kv_try_get_callback`.
  void* kv_try_get_user_arg;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Client_Create_Args, kv_try_get_user_arg);

// Opens the devices of the platform. It may take seconds, and with several
// processes it waits until all of them take part. The key-value callbacks may
// be called until the client is destroyed.
typedef PJRT_Error* PJRT_Client_Create(PJRT_Client_Create_Args* args);

struct PJRT_Client_Destroy_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The client to free; may be null.
  PJRT_Client* client;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Client_Destroy_Args, client);

// Closes a client and frees it with its devices, memories and topology. Null is
// allowed. It may wait for work that is under way. Buffers and executables of
// the client must not be used afterwards.
typedef PJRT_Error* PJRT_Client_Destroy(PJRT_Client_Destroy_Args* args);

struct PJRT_Client_PlatformName_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Client* client;
  // Owned by the client and valid until it is destroyed.
  const char* platform_name;  // out
  // Length of `platform_name` in bytes.
  size_t platform_name_size;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Client_PlatformName_Args, platform_name_size);

// Names the platform in a short form for programs, for example `cpu`, `cuda` or
// `tpu`.
typedef PJRT_Error* PJRT_Client_PlatformName(
    PJRT_Client_PlatformName_Args* args);

struct PJRT_Client_ProcessIndex_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Client* client;
  int process_index;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Client_ProcessIndex_Args, process_index);

// Returns the number of this process among those that run the program together;
// 0 when there is only one.
typedef PJRT_Error* PJRT_Client_ProcessIndex(
    PJRT_Client_ProcessIndex_Args* args);

struct PJRT_Client_PlatformVersion_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Client* client;
  // Owned by the client and valid until it is destroyed.
  const char* platform_version;  // out
  // Length of `platform_version` in bytes.
  size_t platform_version_size;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Client_PlatformVersion_Args,
                          platform_version_size);

// Describes the version of the platform below the plugin, such as the driver or
// toolkit, as text for people.
typedef PJRT_Error* PJRT_Client_PlatformVersion(
    PJRT_Client_PlatformVersion_Args* args);

struct PJRT_Client_TopologyDescription_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Client* client;
  // Belongs to the client; do not destroy it.
  PJRT_TopologyDescription* topology;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Client_TopologyDescription_Args, topology);

// Returns the topology that the client runs on. Every call gives the same
// object.
typedef PJRT_Error* PJRT_Client_TopologyDescription(
    PJRT_Client_TopologyDescription_Args* args);

struct PJRT_Client_Devices_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Client* client;
  // `num_devices` devices. Array and devices belong to the client.
  PJRT_Device* const* devices;  // out
  size_t num_devices;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Client_Devices_Args, num_devices);

// Lists every device that takes part in the program, those of other processes
// included. Array and order are the same on every call.
typedef PJRT_Error* PJRT_Client_Devices(PJRT_Client_Devices_Args* args);

struct PJRT_Client_AddressableDevices_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Client* client;
  // `num_addressable_devices` devices. Array and devices belong to the client.
  PJRT_Device* const* addressable_devices;  // out
  size_t num_addressable_devices;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Client_AddressableDevices_Args,
                          num_addressable_devices);

// Lists the devices that this client can send work to: in a single process all
// of them, otherwise those attached to this one.
typedef PJRT_Error* PJRT_Client_AddressableDevices(
    PJRT_Client_AddressableDevices_Args* args);

struct PJRT_Client_LookupDevice_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Client* client;
  int id;
  // Belongs to the client.
  PJRT_Device* device;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Client_LookupDevice_Args, device);

// Finds a device by its id, the one that PJRT_DeviceDescription_Id reports. An
// id that does not exist is an error.
typedef PJRT_Error* PJRT_Client_LookupDevice(
    PJRT_Client_LookupDevice_Args* args);

struct PJRT_Client_LookupAddressableDevice_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Client* client;
  int local_hardware_id;
  // Belongs to the client.
  PJRT_Device* addressable_device;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Client_LookupAddressableDevice_Args,
                          addressable_device);

// Finds a device of this process by its hardware id, the one that
// PJRT_Device_LocalHardwareId reports. An id that does not exist is an error.
typedef PJRT_Error* PJRT_Client_LookupAddressableDevice(
    PJRT_Client_LookupAddressableDevice_Args* args);

// How a process of a distributed program is doing. Since 0.73.
typedef enum {
  // Nothing is known.
  PJRT_ProcessState_kUnspecified = 0,
  // Has not joined yet.
  PJRT_ProcessState_kUninitialized = 1,
  // Joined once and left.
  PJRT_ProcessState_kDisconnected = 2,
  // Takes part.
  PJRT_ProcessState_kConnected = 3,
  // Failed; see `error_code` and `error_message`.
  PJRT_ProcessState_kError = 4,
} PJRT_ProcessState;

// The state of one process of a distributed program.
struct PJRT_ProcessInfo {
  size_t struct_size;
  // Number of the process among all of them.
  int task_id;
  // Differs for each start of the process, so that a restarted process can be
  // told from the old one.
  uint64_t incarnation_id;
  PJRT_ProcessState state;
  // A PJRT_Error_Code, meaningful only if `state` is PJRT_ProcessState_kError.
  int error_code;
  // `error_message_size` bytes; may be null when the size is 0.
  const char* error_message;
  // Length of `error_message` in bytes.
  size_t error_message_size;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_ProcessInfo, error_message_size);

struct PJRT_Client_UpdateGlobalProcessInfo_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Client* client;
  // `num_process_infos` entries, one per process, read during the call.
  PJRT_ProcessInfo* process_infos;
  size_t num_process_infos;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Client_UpdateGlobalProcessInfo_Args,
                          num_process_infos);

// Tells a client how all processes of the program are doing, so that it can
// give up on operations that wait for a process that is gone. Useful only in
// programs of several processes.
typedef PJRT_Error* PJRT_Client_UpdateGlobalProcessInfo(
    PJRT_Client_UpdateGlobalProcessInfo_Args* args);

struct PJRT_Client_AddressableMemories_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Client* client;
  // `num_addressable_memories` memories. Array and memories belong to the
  // client.
  PJRT_Memory* const* addressable_memories;  // out
  size_t num_addressable_memories;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Client_AddressableMemories_Args,
                          num_addressable_memories);

// Lists the memories that this client can transfer to and from.
typedef PJRT_Error* PJRT_Client_AddressableMemories(
    PJRT_Client_AddressableMemories_Args* args);

// A program in one of several serialized forms, given to a compiler or received
// from one.
struct PJRT_Program {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // `code_size` bytes, in memory of the caller. Input of PJRT_Client_Compile
  // and PJRT_Compile, output of PJRT_Executable_OptimizedProgram. A terminating
  // zero byte is not needed.
  char* code;  // in/out
  // Size of `code` in bytes.
  size_t code_size;
  // What `code` holds: `mlir` for an MLIR module as text or bytecode, StableHLO
  // portable artifacts included; `hlo` for a serialized HloModuleProto;
  // `hlo_with_config` for a serialized HloModuleProtoWithConfig. Not every
  // plugin reads every format. The function called decides who owns this
  // string.
  const char* format;
  // Length of `format` in bytes.
  size_t format_size;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Program, format_size);

struct PJRT_Client_Compile_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Client* client;
  // Read during the call. The caller owns everything in it.
  const PJRT_Program* program;
  // Serialized CompileOptionsProto. Some plugins end the process when the
  // numbers of replicas and partitions in it are not set.
  const char* compile_options;
  // Size of `compile_options` in bytes.
  size_t compile_options_size;
  // For the caller to destroy with PJRT_LoadedExecutable_Destroy.
  PJRT_LoadedExecutable* executable;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Client_Compile_Args, executable);

// Compiles a program and loads the result onto devices of the client. It blocks
// while the compiler works, from milliseconds to minutes.
typedef PJRT_Error* PJRT_Client_Compile(PJRT_Client_Compile_Args* args);

struct PJRT_Client_Load_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Client* client;
  // Stays the property of the caller, who may load it again.
  PJRT_Executable* executable;
  // Serialized CompileOptionsProto. Plugins may do no more than check it.
  const char* compile_options;
  // Size of `compile_options` in bytes.
  size_t compile_options_size;
  // For the caller to destroy with PJRT_LoadedExecutable_Destroy.
  PJRT_LoadedExecutable* loaded_executable;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Client_Load_Args, loaded_executable);

// Loads an executable that was compiled without a client, as PJRT_Compile does,
// onto devices of this one. The devices must be of the kind it was compiled
// for.
typedef PJRT_Error* PJRT_Client_Load(PJRT_Client_Load_Args* args);

struct PJRT_Client_DefaultDeviceAssignment_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Client* client;
  // At least 1. Some plugins end the process otherwise.
  int num_replicas;
  // At least 1. Some plugins end the process otherwise.
  int num_partitions;
  // Capacity of `default_assignment` in elements: `num_replicas *
  // num_partitions` or more.
  size_t default_assignment_size;
  // Memory of the caller. The function fills the first `num_replicas *
  // num_partitions` elements with device ids, all partitions of the first
  // replica first.
  int* default_assignment;  // in/out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Client_DefaultDeviceAssignment_Args,
                          default_assignment);

// Chooses a device for each replica and partition of a program that has no
// assignment of its own.
typedef PJRT_Error* PJRT_Client_DefaultDeviceAssignment(
    PJRT_Client_DefaultDeviceAssignment_Args* args);

struct PJRT_Client_DmaMap_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Client* client;
  // Start of the range.
  void* data;
  // Length of the range in bytes.
  size_t size;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Client_DmaMap_Args, size);

// Registers a range of host memory so that devices can transfer from and to it
// without a copy in between. The range must stay allocated until
// PJRT_Client_DmaUnmap. Many plugins do not implement it.
typedef PJRT_Error* PJRT_Client_DmaMap(PJRT_Client_DmaMap_Args* args);

struct PJRT_Client_DmaUnmap_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Client* client;
  // Start of a range given to PJRT_Client_DmaMap before.
  void* data;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Client_DmaUnmap_Args, data);

// Undoes PJRT_Client_DmaMap. No transfer may still be using the range.
typedef PJRT_Error* PJRT_Client_DmaUnmap(PJRT_Client_DmaUnmap_Args* args);

struct PJRT_AsyncHostToDeviceTransferManager_Destroy_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The manager to free; may be null.
  PJRT_AsyncHostToDeviceTransferManager* transfer_manager;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_AsyncHostToDeviceTransferManager_Destroy_Args,
                          transfer_manager);

// Frees a transfer manager. Null is allowed. Buffers that have not received all
// their data turn into error buffers; finished ones are not affected.
typedef PJRT_Error* PJRT_AsyncHostToDeviceTransferManager_Destroy(
    PJRT_AsyncHostToDeviceTransferManager_Destroy_Args* args);

struct PJRT_AsyncHostToDeviceTransferManager_TransferData_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_AsyncHostToDeviceTransferManager* transfer_manager;
  // Position of the buffer in the list the manager was created with.
  int buffer_index;
  // `transfer_size` bytes, to be kept unchanged until `done_with_h2d_transfer`
  // is ready. They are device bytes, in the layout and packing the buffer has
  // there.
  const void* data;
  // Where in the buffer the piece goes, in bytes.
  int64_t offset;
  // Size of the piece in bytes.
  int64_t transfer_size;
  // True for the piece that completes the buffer. No piece may follow it.
  bool is_last_transfer;
  // Ready when `data` is no longer needed. For the caller to destroy.
  PJRT_Event* done_with_h2d_transfer;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(
    PJRT_AsyncHostToDeviceTransferManager_TransferData_Args,
    done_with_h2d_transfer);

// Starts the transfer of one piece of one buffer. Pieces may be sent in any
// order; the buffer becomes ready when all of them have arrived and one was
// flagged as the last.
typedef PJRT_Error* PJRT_AsyncHostToDeviceTransferManager_TransferData(
    PJRT_AsyncHostToDeviceTransferManager_TransferData_Args* args);

struct PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_AsyncHostToDeviceTransferManager* transfer_manager;
  // Position of the buffer in the list the manager was created with. Not every
  // plugin checks the range.
  int buffer_index;
  // For the caller to destroy with PJRT_Buffer_Destroy.
  PJRT_Buffer* buffer_out;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(
    PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args, buffer_out);

// Hands out one of the buffers. It may be used at once, even before its data
// has arrived. Each buffer can be retrieved once.
typedef PJRT_Error* PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer(
    PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args* args);

struct PJRT_AsyncHostToDeviceTransferManager_Device_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_AsyncHostToDeviceTransferManager* transfer_manager;
  // Belongs to the client.
  PJRT_Device* device_out;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_AsyncHostToDeviceTransferManager_Device_Args,
                          device_out);

// Returns the device on which the buffers of the manager lie.
typedef PJRT_Error* PJRT_AsyncHostToDeviceTransferManager_Device(
    PJRT_AsyncHostToDeviceTransferManager_Device_Args* args);

struct PJRT_AsyncHostToDeviceTransferManager_BufferCount_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_AsyncHostToDeviceTransferManager* transfer_manager;
  size_t buffer_count;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(
    PJRT_AsyncHostToDeviceTransferManager_BufferCount_Args, buffer_count);

// Returns how many buffers the manager was created with. Retrieving buffers
// does not change the number.
typedef PJRT_Error* PJRT_AsyncHostToDeviceTransferManager_BufferCount(
    PJRT_AsyncHostToDeviceTransferManager_BufferCount_Args* args);

struct PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_AsyncHostToDeviceTransferManager* transfer_manager;
  // Position of the buffer in the list the manager was created with. Not every
  // plugin checks the range.
  int buffer_index;
  // Size in bytes.
  size_t buffer_size;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args,
                          buffer_size);

// Returns the size of one buffer on the device, in bytes.
typedef PJRT_Error* PJRT_AsyncHostToDeviceTransferManager_BufferSize(
    PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args* args);

struct PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_AsyncHostToDeviceTransferManager* transfer_manager;
  // Position of the buffer in the list the manager was created with.
  int buffer_index;
  PJRT_Error_Code error_code;
  // `error_message_size` bytes, read during the call.
  const char* error_message;
  // Length of `error_message` in bytes.
  size_t error_message_size;
};
PJRT_DEFINE_STRUCT_TRAITS(
    PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args,
    error_message_size);

// Turns one buffer into an error buffer in place of completing it. Other
// buffers of the manager are not affected.
typedef PJRT_Error* PJRT_AsyncHostToDeviceTransferManager_SetBufferError(
    PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args* args);

struct PJRT_AsyncHostToDeviceTransferManager_AddMetadata_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_AsyncHostToDeviceTransferManager* transfer_manager;
  // `num_metadata` entries of type PJRT_NamedValue_kString, read during the
  // call.
  const PJRT_NamedValue* transfer_metadata;
  size_t num_metadata;
};
PJRT_DEFINE_STRUCT_TRAITS(
    PJRT_AsyncHostToDeviceTransferManager_AddMetadata_Args, num_metadata);

// Attaches named strings to the transfer, for plugins that make use of them.
// Some plugins end the process when a value is not a string.
typedef PJRT_Error* PJRT_AsyncHostToDeviceTransferManager_AddMetadata(
    PJRT_AsyncHostToDeviceTransferManager_AddMetadata_Args* args);

// Element types. Host data of types narrower than 8 bits takes one byte per
// element; how they are packed on the device is up to the plugin. A value that
// the plugin is too old to know can crash it, so compare its minor first.
typedef enum {
  // No type. Never valid as input.
  PJRT_Buffer_Type_INVALID,
  // Boolean of one byte, 0 or 1.
  PJRT_Buffer_Type_PRED,
  // Signed integer, 8 bits.
  PJRT_Buffer_Type_S8,
  // Signed integer, 16 bits.
  PJRT_Buffer_Type_S16,
  // Signed integer, 32 bits.
  PJRT_Buffer_Type_S32,
  // Signed integer, 64 bits.
  PJRT_Buffer_Type_S64,
  // Unsigned integer, 8 bits.
  PJRT_Buffer_Type_U8,
  // Unsigned integer, 16 bits.
  PJRT_Buffer_Type_U16,
  // Unsigned integer, 32 bits.
  PJRT_Buffer_Type_U32,
  // Unsigned integer, 64 bits.
  PJRT_Buffer_Type_U64,
  // IEEE 754 binary16.
  PJRT_Buffer_Type_F16,
  // IEEE 754 binary32.
  PJRT_Buffer_Type_F32,
  // IEEE 754 binary64.
  PJRT_Buffer_Type_F64,
  // bfloat16: the upper half of a binary32, with 8 bits of exponent and 7 of
  // mantissa.
  PJRT_Buffer_Type_BF16,
  // Complex number of two F32, real part first.
  PJRT_Buffer_Type_C64,
  // Complex number of two F64, real part first.
  PJRT_Buffer_Type_C128,
  // 8-bit float, 5 bits of exponent and 2 of mantissa, with infinities.
  PJRT_Buffer_Type_F8E5M2,
  // 8-bit float, 4 bits of exponent and 3 of mantissa, finite: no infinities.
  PJRT_Buffer_Type_F8E4M3FN,
  // As F8E4M3FNUZ, with an exponent bias of 11.
  PJRT_Buffer_Type_F8E4M3B11FNUZ,
  // 8-bit float, 5 bits of exponent and 2 of mantissa, finite, without negative
  // zero.
  PJRT_Buffer_Type_F8E5M2FNUZ,
  // 8-bit float, 4 bits of exponent and 3 of mantissa, finite, without negative
  // zero.
  PJRT_Buffer_Type_F8E4M3FNUZ,
  // Signed integer, 4 bits.
  PJRT_Buffer_Type_S4,
  // Unsigned integer, 4 bits.
  PJRT_Buffer_Type_U4,
  // No data: orders side effects. Many functions refuse it.
  PJRT_Buffer_Type_TOKEN,
  // Signed integer, 2 bits.
  PJRT_Buffer_Type_S2,
  // Unsigned integer, 2 bits.
  PJRT_Buffer_Type_U2,
  // 8-bit float, 4 bits of exponent and 3 of mantissa, with infinities.
  PJRT_Buffer_Type_F8E4M3,
  // 8-bit float, 3 bits of exponent and 4 of mantissa, with infinities.
  PJRT_Buffer_Type_F8E3M4,
  // 8 bits of exponent and nothing else: powers of two, unsigned, without zero.
  // The scale of microscaling (MX) formats.
  PJRT_Buffer_Type_F8E8M0FNU,
  // 4-bit float, 2 bits of exponent and 1 of mantissa, finite, without NaN.
  PJRT_Buffer_Type_F4E2M1FN,
  // Signed integer, 1 bit.
  PJRT_Buffer_Type_S1,
  // Unsigned integer, 1 bit.
  PJRT_Buffer_Type_U1,
  // 6-bit float, 2 bits of exponent and 3 of mantissa, finite, without NaN.
  PJRT_Buffer_Type_F6E2M3FN,
  // 6-bit float, 3 bits of exponent and 2 of mantissa, finite, without NaN.
  PJRT_Buffer_Type_F6E3M2FN,
} PJRT_Buffer_Type;

// What a plugin may do with the host memory given to
// PJRT_Client_BufferFromHostBuffer, and for how long.
typedef enum {
  // The plugin copies the data before the call returns. After that the caller
  // may change or free it.
  PJRT_HostBufferSemantics_kImmutableOnlyDuringCall,
  // The plugin may read the data until the transfer is over. The caller leaves
  // it alone until `done_with_host_buffer` is ready.
  PJRT_HostBufferSemantics_kImmutableUntilTransferCompletes,
  // The buffer may use the host memory as its own for as long as it lives, but
  // never writes to it. The caller keeps it unchanged until
  // `done_with_host_buffer` is ready, which then happens only after the buffer
  // is freed. A plugin may still copy the data, for example when the memory is
  // not aligned as it needs.
  PJRT_HostBufferSemantics_kImmutableZeroCopy,
  // Like PJRT_HostBufferSemantics_kImmutableZeroCopy, except that the plugin
  // may also write to the memory, for example when the buffer is donated. On
  // devices other than CPUs this is no different from
  // PJRT_HostBufferSemantics_kImmutableUntilTransferCompletes.
  PJRT_HostBufferSemantics_kMutableZeroCopy,
} PJRT_HostBufferSemantics;

// Says which member of the union in PJRT_Buffer_MemoryLayout is set.
typedef enum {
  // `tiled`: an order of dimensions, with or without tiles.
  PJRT_Buffer_MemoryLayout_Type_Tiled = 0,
  // `strides`: a distance per dimension. Many functions take only the other
  // form.
  PJRT_Buffer_MemoryLayout_Type_Strides,
} PJRT_Buffer_MemoryLayout_Type;

// A dense layout as an order of dimensions, divided into tiles if there are
// any.
struct PJRT_Buffer_MemoryLayout_Tiled {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // A permutation of the dimension numbers, starting with the dimension whose
  // neighbouring elements are adjacent in memory. The row-major order of three
  // dimensions is 2, 1, 0.
  const int64_t* minor_to_major;
  // Number of dimensions of the array.
  size_t minor_to_major_size;
  // The dimensions of all tiles, one tile after the other.
  const int64_t* tile_dims;
  // How many entries of `tile_dims` belong to each tile; `num_tiles` numbers.
  const size_t* tile_dim_sizes;
  // Number of tiles; 0 for none.
  size_t num_tiles;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Buffer_MemoryLayout_Tiled, num_tiles);

// A layout as one distance per dimension, which can also describe gaps and
// reversed order.
struct PJRT_Buffer_MemoryLayout_Strides {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // Distance in bytes between neighbours along each dimension. A negative
  // distance walks backwards, so the data pointer has to refer to the element
  // at index 0, which is then not the lowest address.
  const int64_t* byte_strides;
  // Number of dimensions of the array.
  size_t num_byte_strides;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Buffer_MemoryLayout_Strides, num_byte_strides);

// How the elements of an array are arranged in memory.
struct PJRT_Buffer_MemoryLayout {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  union {
    PJRT_Buffer_MemoryLayout_Tiled tiled;
    PJRT_Buffer_MemoryLayout_Strides strides;
  };
  // Selects the member of the union.
  PJRT_Buffer_MemoryLayout_Type type;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Buffer_MemoryLayout, type);

struct PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_AsyncHostToDeviceTransferManager* transfer_manager;
  // Position of the buffer in the list the manager was created with.
  int buffer_index;
  // The whole array on the host, to be kept unchanged until
  // `done_with_h2d_transfer` is ready.
  const void* data;
  // `shape_num_dims` sizes, read during the call.
  const int64_t* shape_dims;
  size_t shape_num_dims;
  PJRT_Buffer_Type shape_element_type;
  // Layout of `data`. Null means row-major.
  PJRT_Buffer_MemoryLayout* shape_layout;
  // Ready when `data` is no longer needed. For the caller to destroy.
  PJRT_Event* done_with_h2d_transfer;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(
    PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args,
    done_with_h2d_transfer);

// Starts the transfer of a whole buffer. In contrast to
// PJRT_AsyncHostToDeviceTransferManager_TransferData, the data is an array in
// host form, which the plugin converts to the layout of the device.
typedef PJRT_Error* PJRT_AsyncHostToDeviceTransferManager_TransferLiteral(
    PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args* args);

struct PJRT_Client_CreateUninitializedBuffer_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Client* client;
  // `shape_num_dims` sizes, read during the call.
  const int64_t* shape_dims;
  size_t shape_num_dims;
  PJRT_Buffer_Type shape_element_type;
  // Layout on the device. Null leaves the choice to the plugin.
  PJRT_Buffer_MemoryLayout* shape_layout;
  // Where to allocate when `memory` is null: the default memory of this device.
  PJRT_Device* device;
  // Where to allocate. Null means the default memory of `device`. Plugins
  // disagree on which one wins when both are given, so give one.
  PJRT_Memory* memory;
  // For the caller to destroy with PJRT_Buffer_Destroy.
  PJRT_Buffer* buffer;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Client_CreateUninitializedBuffer_Args, buffer);

// Allocates a buffer and leaves its contents undefined.
typedef PJRT_Error* PJRT_Client_CreateUninitializedBuffer(
    PJRT_Client_CreateUninitializedBuffer_Args* args);

struct PJRT_Client_CreateErrorBuffer_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Client* client;
  // Anything but PJRT_Error_Code_OK.
  PJRT_Error_Code error_code;
  // `error_message_size` bytes, read during the call.
  const char* error_message;
  // Length of `error_message` in bytes.
  size_t error_message_size;
  // `shape_num_dims` sizes, read during the call.
  const int64_t* shape_dims;
  size_t shape_num_dims;
  PJRT_Buffer_Type shape_element_type;
  // Layout on the device. Null leaves the choice to the plugin. Deprecated in
  // favour of `device_layout`.
  PJRT_Buffer_MemoryLayout* shape_layout;
  // The memory that the buffer claims to be in.
  PJRT_Memory* memory;
  // For the caller to destroy with PJRT_Buffer_Destroy.
  PJRT_Buffer* buffer;  // out
  // `num_payload` payloads of the error, of type PJRT_NamedValue_kString. They
  // come back through PJRT_Error_ForEachPayload.
  const PJRT_NamedValue* payload;
  size_t num_payload;
  // Layout on the device. Null leaves the choice to the plugin.
  PJRT_Buffer_MemoryLayout* device_layout;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Client_CreateErrorBuffer_Args, device_layout);

// Makes a buffer that holds an error in place of data. Waiting for it or
// reading it gives that error, and programs run on it pass the error on to
// their outputs. No device memory is allocated.
typedef PJRT_Error* PJRT_Client_CreateErrorBuffer(
    PJRT_Client_CreateErrorBuffer_Args* args);

struct PJRT_Client_CreateAliasBuffer_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Client* client;
  // Where the contents will be.
  PJRT_Memory* memory;
  // `shape_num_dims` sizes, read during the call.
  const int64_t* shape_dims;
  size_t shape_num_dims;
  PJRT_Buffer_Type shape_element_type;
  // Layout on the device. Null leaves the choice to the plugin.
  PJRT_Buffer_MemoryLayout* shape_layout;
  // For the caller to destroy with PJRT_Buffer_Destroy.
  PJRT_Buffer* alias_buffer;  // out
  // Pass it to PJRT_Client_FulfillAliasBuffer, once.
  PJRT_FulfillAliasBufferCallback* fulfill_alias_buffer_cb;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Client_CreateAliasBuffer_Args,
                          fulfill_alias_buffer_cb);

// Makes a buffer whose contents come later, from another buffer. It has its
// shape at once and can be passed to executions, which wait until
// PJRT_Client_FulfillAliasBuffer is called.
typedef PJRT_Error* PJRT_Client_CreateAliasBuffer(
    PJRT_Client_CreateAliasBuffer_Args* args);

struct PJRT_Client_FulfillAliasBuffer_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Client* client;
  // The buffer that the alias now stands for. Its shape and memory must match.
  // May be null when `status_code` reports a failure.
  PJRT_Buffer* buffer;  // in
  // PJRT_Error_Code_OK to use `buffer`; any other code turns the alias into an
  // error buffer.
  PJRT_Error_Code status_code;  // in
  // Text of the failure.
  const char* error_message;  // in
  // Length of `error_message` in bytes.
  size_t error_message_size;  // in
  // From PJRT_Client_CreateAliasBuffer. The call consumes it.
  PJRT_FulfillAliasBufferCallback* fulfill_alias_buffer_cb;  // in
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Client_FulfillAliasBuffer_Args,
                          fulfill_alias_buffer_cb);

// Gives an alias buffer its contents, or its error, and releases everyone who
// waits for it.
typedef PJRT_Error* PJRT_Client_FulfillAliasBuffer(
    PJRT_Client_FulfillAliasBuffer_Args* args);

struct PJRT_Client_BufferFromHostBuffer_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Client* client;
  // The element at index 0 of every dimension. `host_buffer_semantics` says how
  // long the memory has to stay.
  const void* data;
  // Element type of `data` and of `buffer`. Types narrower than 8 bits take one
  // byte per element in `data`.
  PJRT_Buffer_Type type;
  // `num_dims` sizes, read during the call. A scalar has no dimensions.
  const int64_t* dims;
  size_t num_dims;
  // Distances in bytes between neighbours in `data`, one per dimension; zero
  // and negative ones are allowed. Without them the data is dense and
  // row-major.
  const int64_t* byte_strides;
  // Equal to `num_dims`, or 0 when `byte_strides` is null. Some plugins end the
  // process otherwise.
  size_t num_byte_strides;
  PJRT_HostBufferSemantics host_buffer_semantics;
  // Where the data goes when `memory` is null: the default memory of this
  // device.
  PJRT_Device* device;
  // Where the data goes. Null means the default memory of `device`; otherwise
  // `device` is ignored.
  PJRT_Memory* memory;
  // Layout on the device, read during the call. Null means dense and row-major.
  PJRT_Buffer_MemoryLayout* device_layout;
  // Ready when `data` may be changed or freed. For the caller to destroy.
  PJRT_Event* done_with_host_buffer;  // out
  // For the caller to destroy with PJRT_Buffer_Destroy.
  PJRT_Buffer* buffer;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Client_BufferFromHostBuffer_Args, buffer);

// Makes a buffer from host memory. The transfer may go on after the call has
// returned; the buffer can be used right away, as later work waits for the
// data.
typedef PJRT_Error* PJRT_Client_BufferFromHostBuffer(
    PJRT_Client_BufferFromHostBuffer_Args* args);

struct PJRT_Client_CreateViewOfDeviceBuffer_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Client* client;
  // Device memory, which stays the property of the caller and has to live until
  // `on_delete_callback` runs. Plugins may demand an alignment.
  void* device_buffer_ptr;
  // `num_dims` sizes, read during the call.
  const int64_t* dims;
  size_t num_dims;
  PJRT_Buffer_Type element_type;
  // Layout of the data. Null means the default of the plugin.
  PJRT_Buffer_MemoryLayout* layout;
  // Device that the memory belongs to. Deprecated in favour of `memory`, and
  // ignored when that is set.
  PJRT_Device* device;
  // Called once when the plugin has stopped using the memory, which can be
  // after the view was destroyed and on another thread. Null if the caller does
  // not need to know.
  void (*on_delete_callback)(void* device_buffer_ptr, void* user_arg);
  // Handed to `on_delete_callback` as `user_arg`.
  void* on_delete_callback_arg;
  // The platform's native stream on which the contents are being produced. The
  // plugin adds an event to it that makes the view ready. 0 means that the
  // contents are already there.
  intptr_t stream;
  // For the caller to destroy with PJRT_Buffer_Destroy.
  PJRT_Buffer* buffer;  // out
  // Memory space that `device_buffer_ptr` lies in.
  PJRT_Memory* memory;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Client_CreateViewOfDeviceBuffer_Args, memory);

// Makes a buffer out of device memory that something else allocated, without
// copying. Donating the view to an execution lets the program overwrite the
// memory. Platforms need not support it.
typedef PJRT_Error* PJRT_Client_CreateViewOfDeviceBuffer(
    PJRT_Client_CreateViewOfDeviceBuffer_Args* args);

// Dimensions and element type of an array.
struct PJRT_ShapeSpec {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // `num_dims` sizes.
  const int64_t* dims;
  size_t num_dims;
  PJRT_Buffer_Type element_type;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_ShapeSpec, element_type);

struct PJRT_Client_CreateBuffersForAsyncHostToDevice_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Client* client;
  // `num_shape_specs` shapes, one per buffer, read during the call.
  PJRT_ShapeSpec* shape_specs;
  size_t num_shape_specs;
  // One layout per shape, each of which may be null for the default of the
  // plugin. Null as a whole when `num_device_layouts` is 0.
  PJRT_Buffer_MemoryLayout** device_layouts;
  // 0, or equal to `num_shape_specs`.
  size_t num_device_layouts;
  // Where the buffers are allocated.
  PJRT_Memory* memory;
  // For the caller to destroy with
  // PJRT_AsyncHostToDeviceTransferManager_Destroy.
  PJRT_AsyncHostToDeviceTransferManager* transfer_manager;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Client_CreateBuffersForAsyncHostToDevice_Args,
                          transfer_manager);

// Allocates buffers whose contents are to arrive later, and a manager that
// fills them.
typedef PJRT_Error* PJRT_Client_CreateBuffersForAsyncHostToDevice(
    PJRT_Client_CreateBuffersForAsyncHostToDevice_Args* args);

// ---------------------------- Device descriptions ----------------------------

struct PJRT_DeviceDescription_Id_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_DeviceDescription* device_description;
  int id;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_DeviceDescription_Id_Args, id);

// Returns the id of a device. No two devices of the platform share one, even
// across the hosts of a program. It need not be an index.
typedef PJRT_Error* PJRT_DeviceDescription_Id(
    PJRT_DeviceDescription_Id_Args* args);

struct PJRT_DeviceDescription_ProcessIndex_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_DeviceDescription* device_description;
  int process_index;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_DeviceDescription_ProcessIndex_Args,
                          process_index);

// Returns the number of the process that the device is attached to. In a
// program of several processes a client sees devices of all of them, and can
// use those whose number equals its own PJRT_Client_ProcessIndex.
typedef PJRT_Error* PJRT_DeviceDescription_ProcessIndex(
    PJRT_DeviceDescription_ProcessIndex_Args* args);

struct PJRT_DeviceDescription_Attributes_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_DeviceDescription* device_description;
  size_t num_attributes;  // out
  // `num_attributes` entries that live as long as the description. May be null
  // when there are none.
  const PJRT_NamedValue* attributes;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_DeviceDescription_Attributes_Args, attributes);

// Lists facts about the device, whose names depend on the platform, such as
// coordinates.
typedef PJRT_Error* PJRT_DeviceDescription_Attributes(
    PJRT_DeviceDescription_Attributes_Args* args);

struct PJRT_DeviceDescription_Kind_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_DeviceDescription* device_description;
  // Lives as long as the device or topology that the description comes from.
  const char* device_kind;  // out
  // Length of `device_kind` in bytes.
  size_t device_kind_size;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_DeviceDescription_Kind_Args, device_kind_size);

// Names the model of the device in the words of its vendor. Equal hardware has
// equal kinds.
typedef PJRT_Error* PJRT_DeviceDescription_Kind(
    PJRT_DeviceDescription_Kind_Args* args);

struct PJRT_DeviceDescription_DebugString_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_DeviceDescription* device_description;
  // Lives as long as the description.
  const char* debug_string;  // out
  // Length of `debug_string` in bytes.
  size_t debug_string_size;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_DeviceDescription_DebugString_Args,
                          debug_string_size);

// Describes the device in full, for logs. The text tells the devices of a
// client apart.
typedef PJRT_Error* PJRT_DeviceDescription_DebugString(
    PJRT_DeviceDescription_DebugString_Args* args);

struct PJRT_DeviceDescription_ToString_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_DeviceDescription* device_description;
  // Lives as long as the description.
  const char* to_string;  // out
  // Length of `to_string` in bytes.
  size_t to_string_size;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_DeviceDescription_ToString_Args, to_string_size);

// Describes the device in a few words, for users.
typedef PJRT_Error* PJRT_DeviceDescription_ToString(
    PJRT_DeviceDescription_ToString_Args* args);

// ---------------------------------- Devices ----------------------------------

struct PJRT_Device_GetDescription_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Device* device;
  // Lives as long as the device; not to be freed.
  PJRT_DeviceDescription* device_description;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Device_GetDescription_Args, device_description);

// Returns the description of a device. Every call gives the same object.
typedef PJRT_Error* PJRT_Device_GetDescription(
    PJRT_Device_GetDescription_Args* args);

struct PJRT_Device_IsAddressable_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Device* device;
  bool is_addressable;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Device_IsAddressable_Args, is_addressable);

// Tells whether this client can send work to the device. It is true for exactly
// the devices of PJRT_Client_AddressableDevices.
typedef PJRT_Error* PJRT_Device_IsAddressable(
    PJRT_Device_IsAddressable_Args* args);

struct PJRT_Device_LocalHardwareId_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Device* device;
  // -1 if the device has no such number.
  int local_hardware_id;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Device_LocalHardwareId_Args, local_hardware_id);

// Returns the number that the system knows the hardware by, such as a CUDA
// ordinal. The numbers may have gaps.
typedef PJRT_Error* PJRT_Device_LocalHardwareId(
    PJRT_Device_LocalHardwareId_Args* args);

struct PJRT_Device_AddressableMemories_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Device* device;
  // `num_memories` memories. The array lives as long as the device.
  PJRT_Memory* const* memories;  // out
  size_t num_memories;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Device_AddressableMemories_Args, num_memories);

// Lists the memories within reach of a device.
typedef PJRT_Error* PJRT_Device_AddressableMemories(
    PJRT_Device_AddressableMemories_Args* args);

struct PJRT_Device_DefaultMemory_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Device* device;
  // Lives as long as the device.
  PJRT_Memory* memory;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Device_DefaultMemory_Args, memory);

// Returns the memory that a device uses for data when no other is asked for.
typedef PJRT_Error* PJRT_Device_DefaultMemory(
    PJRT_Device_DefaultMemory_Args* args);

struct PJRT_Device_MemoryStats_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Device* device;
  // Bytes allocated now. Always set.
  int64_t bytes_in_use;  // out
  // Highest value of `bytes_in_use` so far.
  int64_t peak_bytes_in_use;  // out
  bool peak_bytes_in_use_is_set;  // out
  // Allocations made so far.
  int64_t num_allocs;  // out
  bool num_allocs_is_set;  // out
  // Size of the largest allocation so far, in bytes.
  int64_t largest_alloc_size;  // out
  bool largest_alloc_size_is_set;  // out
  // Bytes that can be allocated at most.
  int64_t bytes_limit;  // out
  bool bytes_limit_is_set;  // out
  // Bytes set aside.
  int64_t bytes_reserved;  // out
  bool bytes_reserved_is_set;  // out
  // Highest value of `bytes_reserved` so far.
  int64_t peak_bytes_reserved;  // out
  bool peak_bytes_reserved_is_set;  // out
  // Bytes that can be set aside at most.
  int64_t bytes_reservable_limit;  // out
  bool bytes_reservable_limit_is_set;  // out
  // Size of the largest piece of free memory, in bytes.
  int64_t largest_free_block_bytes;  // out
  bool largest_free_block_bytes_is_set;  // out
  // Bytes that the allocator holds, handed out or not.
  int64_t pool_bytes;  // out
  bool pool_bytes_is_set;  // out
  // Highest value of `pool_bytes` so far.
  int64_t peak_pool_bytes;  // out
  bool peak_pool_bytes_is_set;  // out
  // Highest number of bytes allocated so far, as the allocator counts them.
  int64_t peak_allocated_bytes;  // out
  bool peak_allocated_bytes_is_set;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Device_MemoryStats_Args,
                          peak_allocated_bytes_is_set);

// Reports how the memory of a device is used, for diagnosis. Except for
// `bytes_in_use`, a number is valid only if its flag is true. A platform may
// leave out any of them, or answer PJRT_Error_Code_UNIMPLEMENTED.
typedef PJRT_Error* PJRT_Device_MemoryStats(PJRT_Device_MemoryStats_Args* args);

struct PJRT_Device_ClearMemoryStats_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Device* device;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Device_ClearMemoryStats_Args, device);

// Restarts the peak numbers of PJRT_Device_MemoryStats from the current use.
typedef PJRT_Error* PJRT_Device_ClearMemoryStats(
    PJRT_Device_ClearMemoryStats_Args* args);

struct PJRT_Device_PoisonExecution_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Device* device;
  // The `launch_id` in the options of the launch.
  int32_t launch_id;
  PJRT_Error_Code error_code;
  // `error_message_size` bytes, read during the call.
  const char* error_message;
  // Length of `error_message` in bytes.
  size_t error_message_size;
  // Whether the launch was found and marked.
  bool poisoned;  // out
  // `num_payload` payloads of the error, of type PJRT_NamedValue_kString.
  const PJRT_NamedValue* payload;
  size_t num_payload;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Device_PoisonExecution_Args, num_payload);

// Makes a launch that has not finished fail: its outputs become error buffers
// with the given error. Later launches are not affected. An unknown or finished
// launch is not an error; `poisoned` is then false.
typedef PJRT_Error* PJRT_Device_PoisonExecution(
    PJRT_Device_PoisonExecution_Args* args);

// Owns the attributes that PJRT_Device_GetAttributes returned.
typedef struct PJRT_Device_Attributes PJRT_Device_Attributes;

struct PJRT_Device_GetAttributes_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Device* device;
  // `num_attributes` entries, valid until `attributes_deleter` is called.
  const PJRT_NamedValue* attributes;  // out
  size_t num_attributes;  // out
  // Owner of `attributes`.
  PJRT_Device_Attributes* device_attributes;  // out
  // The caller calls it with `device_attributes`, once.
  void (*attributes_deleter)(PJRT_Device_Attributes* device_attributes);  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Device_GetAttributes_Args, attributes_deleter);

// Lists facts that the client knows about a device, which may go beyond those
// of PJRT_DeviceDescription_Attributes. Each call returns a new list.
typedef PJRT_Error* PJRT_Device_GetAttributes(
    PJRT_Device_GetAttributes_Args* args);

// Tells a plugin, for as long as it exists, that some asynchronous work of the
// caller depends on a device. It helps diagnosis and changes no results. The
// caller frees it with PJRT_AsyncTrackingEvent_Destroy.
typedef struct PJRT_AsyncTrackingEvent PJRT_AsyncTrackingEvent;

struct PJRT_Device_CreateAsyncTrackingEvent_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Device* device;
  // What the work is, `description_size` bytes, copied during the call.
  const char* description;
  // Length of `description` in bytes.
  size_t description_size;
  // For the caller to destroy with PJRT_AsyncTrackingEvent_Destroy. Null if the
  // plugin does not track.
  PJRT_AsyncTrackingEvent* event;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Device_CreateAsyncTrackingEvent_Args, event);

// Starts to track a piece of asynchronous work on a device. Tracking ends when
// the event is destroyed.
typedef PJRT_Error* PJRT_Device_CreateAsyncTrackingEvent(
    PJRT_Device_CreateAsyncTrackingEvent_Args* args);

struct PJRT_AsyncTrackingEvent_Destroy_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_AsyncTrackingEvent* event;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_AsyncTrackingEvent_Destroy_Args, event);

// Ends the tracking of a piece of work and frees its event.
typedef PJRT_Error* PJRT_AsyncTrackingEvent_Destroy(
    PJRT_AsyncTrackingEvent_Destroy_Args* args);

// --------------------------------- Memories ----------------------------------

struct PJRT_Memory_Id_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Memory* memory;
  int id;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Memory_Id_Args, id);

// Returns the id of a memory. No two memories of a client share one.
typedef PJRT_Error* PJRT_Memory_Id(PJRT_Memory_Id_Args* args);

struct PJRT_Memory_Kind_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Memory* memory;
  // Lives as long as the memory.
  const char* kind;  // out
  // Length of `kind` in bytes.
  size_t kind_size;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Memory_Kind_Args, kind_size);

// Names the kind of a memory. Common names are `device`, `pinned_host` and
// `unpinned_host`.
typedef PJRT_Error* PJRT_Memory_Kind(PJRT_Memory_Kind_Args* args);

struct PJRT_Memory_Kind_Id_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Memory* memory;
  int kind_id;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Memory_Kind_Id_Args, kind_id);

// Returns the kind of a memory as a number. Memories of the same kind have the
// same number; those of different kinds do not.
typedef PJRT_Error* PJRT_Memory_Kind_Id(PJRT_Memory_Kind_Id_Args* args);

struct PJRT_Memory_DebugString_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Memory* memory;
  // Lives as long as the memory.
  const char* debug_string;  // out
  // Length of `debug_string` in bytes.
  size_t debug_string_size;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Memory_DebugString_Args, debug_string_size);

// Describes the memory in full, for logs. The text tells the memories of a
// client apart.
typedef PJRT_Error* PJRT_Memory_DebugString(PJRT_Memory_DebugString_Args* args);

struct PJRT_Memory_ToString_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Memory* memory;
  // Lives as long as the memory.
  const char* to_string;  // out
  // Length of `to_string` in bytes.
  size_t to_string_size;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Memory_ToString_Args, to_string_size);

// Describes the memory in a few words, for users.
typedef PJRT_Error* PJRT_Memory_ToString(PJRT_Memory_ToString_Args* args);

struct PJRT_Memory_AddressableByDevices_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Memory* memory;
  // `num_devices` devices. The array lives as long as the memory.
  PJRT_Device* const* devices;  // out
  size_t num_devices;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Memory_AddressableByDevices_Args, num_devices);

// Lists the devices that can use a memory, the reverse of
// PJRT_Device_AddressableMemories.
typedef PJRT_Error* PJRT_Memory_AddressableByDevices(
    PJRT_Memory_AddressableByDevices_Args* args);

// ------------------------------ Execute context ------------------------------

// Extra data for the executions it is given to, such as user data of FFI
// handlers, which the FFI extension adds. The caller keeps it until those
// executions are complete, and frees it with PJRT_ExecuteContext_Destroy.
typedef struct PJRT_ExecuteContext PJRT_ExecuteContext;

struct PJRT_ExecuteContext_Create_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // For the caller to destroy with PJRT_ExecuteContext_Destroy.
  PJRT_ExecuteContext* context;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_ExecuteContext_Create_Args, context);

// Makes an empty execute context.
typedef PJRT_Error* PJRT_ExecuteContext_Create(
    PJRT_ExecuteContext_Create_Args* args);

struct PJRT_ExecuteContext_Destroy_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The context to free; may be null.
  PJRT_ExecuteContext* context;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_ExecuteContext_Destroy_Args, context);

// Frees an execute context. Null is allowed.
typedef PJRT_Error* PJRT_ExecuteContext_Destroy(
    PJRT_ExecuteContext_Destroy_Args* args);

// -------------------------------- Executables --------------------------------

struct PJRT_Executable_Destroy_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The executable to free; may be null.
  PJRT_Executable* executable;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Executable_Destroy_Args, executable);

// Frees an executable. Null is allowed. Loaded executables made from it are not
// affected.
typedef PJRT_Error* PJRT_Executable_Destroy(PJRT_Executable_Destroy_Args* args);

struct PJRT_LoadedExecutable_Destroy_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The executable to free; may be null.
  PJRT_LoadedExecutable* executable;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_LoadedExecutable_Destroy_Args, executable);

// Unloads a loaded executable, as PJRT_LoadedExecutable_Delete does, and frees
// it. Null is allowed. Executions under way finish, and their outputs stay
// valid.
typedef PJRT_Error* PJRT_LoadedExecutable_Destroy(
    PJRT_LoadedExecutable_Destroy_Args* args);

struct PJRT_LoadedExecutable_GetExecutable_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_LoadedExecutable* loaded_executable;
  // For the caller to destroy with PJRT_Executable_Destroy.
  PJRT_Executable* executable;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_LoadedExecutable_GetExecutable_Args, executable);

// Returns the unloaded counterpart of a loaded executable, which answers
// questions about the program. Each call gives a new object.
typedef PJRT_Error* PJRT_LoadedExecutable_GetExecutable(
    PJRT_LoadedExecutable_GetExecutable_Args* args);

// Owns the bytes that PJRT_LoadedExecutable_GetDeviceAssignment returned.
typedef struct PJRT_DeviceAssignmentSerialized PJRT_DeviceAssignmentSerialized;

struct PJRT_LoadedExecutable_GetDeviceAssignment_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_LoadedExecutable* executable;
  // Serialized DeviceAssignmentProto, valid until
  // `serialized_device_assignment_deleter` is called. Not to be read when the
  // size is 0.
  const char* serialized_bytes;  // out
  // Size of `serialized_bytes` in bytes.
  size_t serialized_bytes_size;  // out
  // Owner of `serialized_bytes`.
  PJRT_DeviceAssignmentSerialized* serialized_device_assignment;
  // The caller calls it with `serialized_device_assignment`, once.
  void (*serialized_device_assignment_deleter)(
      PJRT_DeviceAssignmentSerialized* da);  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_LoadedExecutable_GetDeviceAssignment_Args,
                          serialized_device_assignment_deleter);

// Returns which device runs which replica and partition. An executable that is
// not bound to devices has none, and returns no bytes.
typedef PJRT_Error* PJRT_LoadedExecutable_GetDeviceAssignment(
    PJRT_LoadedExecutable_GetDeviceAssignment_Args* args);

struct PJRT_Executable_Name_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Executable* executable;
  // Owned by the executable and valid until it is destroyed.
  const char* executable_name;  // out
  // Length of `executable_name` in bytes.
  size_t executable_name_size;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Executable_Name_Args, executable_name_size);

// Returns the name of a program, usually the name of its module.
typedef PJRT_Error* PJRT_Executable_Name(PJRT_Executable_Name_Args* args);

struct PJRT_Executable_NumReplicas_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Executable* executable;
  size_t num_replicas;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Executable_NumReplicas_Args, num_replicas);

// Returns how many replicas of the program run together.
typedef PJRT_Error* PJRT_Executable_NumReplicas(
    PJRT_Executable_NumReplicas_Args* args);

struct PJRT_Executable_NumPartitions_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Executable* executable;
  size_t num_partitions;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Executable_NumPartitions_Args, num_partitions);

// Returns how many devices each replica is divided over.
typedef PJRT_Error* PJRT_Executable_NumPartitions(
    PJRT_Executable_NumPartitions_Args* args);

// The place of a device in a program.
typedef struct PJRT_LogicalDeviceIds {
  // Number of the replica, from 0.
  int replica;
  // Number of the partition within the replica, from 0.
  int partition;
} PJRT_LogicalDeviceIds;

struct PJRT_LoadedExecutable_AddressableDevices_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_LoadedExecutable* executable;
  // `num_addressable_devices` devices. The array lives as long as the
  // executable.
  PJRT_Device* const* addressable_devices;  // out
  size_t num_addressable_devices;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_LoadedExecutable_AddressableDevices_Args,
                          num_addressable_devices);

// Lists the devices of this process that the program runs on. They are in the
// order of the lists given to PJRT_LoadedExecutable_Execute.
typedef PJRT_Error* PJRT_LoadedExecutable_AddressableDevices(
    PJRT_LoadedExecutable_AddressableDevices_Args* args);

struct PJRT_LoadedExecutable_AddressableDeviceLogicalIds_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_LoadedExecutable* executable;
  // `num_addressable_device_logical_ids` places. The array lives as long as the
  // executable.
  PJRT_LogicalDeviceIds* addressable_device_logical_ids;  // out
  size_t num_addressable_device_logical_ids;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(
    PJRT_LoadedExecutable_AddressableDeviceLogicalIds_Args,
    num_addressable_device_logical_ids);

// Returns the places in the program of the devices that
// PJRT_LoadedExecutable_AddressableDevices lists, in the same order.
typedef PJRT_Error* PJRT_LoadedExecutable_AddressableDeviceLogicalIds(
    PJRT_LoadedExecutable_AddressableDeviceLogicalIds_Args* args);

struct PJRT_Executable_OptimizedProgram_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Executable* executable;
  // Struct of the caller with `struct_size` set. The plugin fills it in.
  PJRT_Program* program;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Executable_OptimizedProgram_Args, program);

// Returns the program as the compiler left it. It takes two calls. The first
// one, with `program->code` null, stores the size in `program->code_size`. For
// the second one the caller sets `program->code` to memory of that size, and it
// is filled.
//
// Both calls set `program->format`, which belongs to the plugin. The format
// need not be one that the plugin compiles.
typedef PJRT_Error* PJRT_Executable_OptimizedProgram(
    PJRT_Executable_OptimizedProgram_Args* args);

struct PJRT_LoadedExecutable_Delete_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_LoadedExecutable* executable;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_LoadedExecutable_Delete_Args, executable);

// Unloads an executable and keeps only its shell, which works with
// PJRT_LoadedExecutable_IsDeleted and PJRT_LoadedExecutable_Destroy but nothing
// else. Executions under way finish first.
typedef PJRT_Error* PJRT_LoadedExecutable_Delete(
    PJRT_LoadedExecutable_Delete_Args* args);

struct PJRT_LoadedExecutable_IsDeleted_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_LoadedExecutable* executable;
  bool is_deleted;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_LoadedExecutable_IsDeleted_Args, is_deleted);

// Tells whether PJRT_LoadedExecutable_Delete was called.
typedef PJRT_Error* PJRT_LoadedExecutable_IsDeleted(
    PJRT_LoadedExecutable_IsDeleted_Args* args);

// A piece of data and the function that frees it.
typedef struct PJRT_Chunk {
  void* data;
  // Size of `data` in bytes.
  size_t size;
  // Frees `data`. Whoever owns the chunk calls it, once.
  void (*deleter)(void* data, void* deleter_arg);
  // Handed to `deleter` unchanged.
  void* deleter_arg;
} PJRT_Chunk;

// Takes the data that a program receives from the host in one receive
// operation. A PJRT_RecvCallback gets it and frees it with
// PJRT_CopyToDeviceStream_Destroy.
typedef struct PJRT_CopyToDeviceStream PJRT_CopyToDeviceStream;

// Receives data that a running program sends to the host. It owns `chunk`, and
// calls its deleter when done with the data, during the call or later. `done`
// is true for the last chunk of a transfer of `total_size_in_bytes`. It returns
// null, or an error made with the function that `callback_error` points to; the
// execution then fails.
typedef PJRT_Error* (*PJRT_SendCallback)(
    PJRT_Chunk* chunk, PJRT_CallbackError* callback_error,
    size_t total_size_in_bytes, bool done, void* user_arg);

// Supplies data that a running program waits for. It owns `stream`, adds chunks
// until all bytes are there, during the call or later from any thread, and then
// destroys it.
typedef void (*PJRT_RecvCallback)(
    PJRT_CopyToDeviceStream* stream, void* user_arg);

// Receives one value that a running program outputs before it ends. It is
// called once for each operand, replica and partition. `data` and `shape_dims`
// are valid only during the call; `shape_dims` has `shape_num_dims` elements.
// An operand without a value comes with null data and PJRT_Buffer_Type_INVALID.
typedef void (*PJRT_HloOutputCallback)(
    int64_t replica_id, int64_t partition_id, const void* data,
    const int64_t* shape_dims, size_t shape_num_dims,
    PJRT_Buffer_Type shape_element_type, int64_t operand_index, void* user_arg);

// Connects a send operation of a program with a callback.
struct PJRT_SendCallbackInfo {
  // Channel of the send operation in the program.
  int64_t channel_id;
  // Handed to `send_callback` unchanged.
  void* user_arg;
  // Has to stay callable until the execution is complete.
  PJRT_SendCallback send_callback;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_SendCallbackInfo, send_callback);

// Connects a receive operation of a program with a callback.
struct PJRT_RecvCallbackInfo {
  // Channel of the receive operation in the program.
  int64_t channel_id;
  // Handed to `recv_callback` unchanged.
  void* user_arg;
  // Has to stay callable until the execution is complete.
  PJRT_RecvCallback recv_callback;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_RecvCallbackInfo, recv_callback);

// Connects an output operation inside a program with a callback.
struct PJRT_HloOutputCallbackInfo {
  // Handed to `callback` unchanged.
  void* user_arg;
  // Has to stay callable until the execution is complete.
  PJRT_HloOutputCallback callback;
  // The number that the operation carries in the program.
  int64_t callback_id;
  // How many values the operation outputs.
  size_t num_operands;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_HloOutputCallbackInfo, num_operands);

// Describes how a program is spread over several slices. The MultiSlice and
// Megascale extensions make and read it.
typedef struct PJRT_MultiSlice_Config PJRT_MultiSlice_Config;

// Options of one launch. All zero except for `struct_size` is a valid choice.
struct PJRT_ExecuteOptions {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // One list per device, in the order of
  // PJRT_LoadedExecutable_AddressableDevices, each with `num_send_ops` entries
  // in any order; channel ids match them to operations. Lists and entries may
  // be freed after the call; the callbacks have to stay callable until the
  // execution is complete.
  PJRT_SendCallbackInfo** send_callbacks;
  // Like `send_callbacks`, for receive operations, with `num_recv_ops` entries
  // per list.
  PJRT_RecvCallbackInfo** recv_callbacks;
  // Length of each list of send callbacks; 0 when there are none.
  size_t num_send_ops;
  // Length of each list of receive callbacks; 0 when there are none.
  size_t num_recv_ops;
  // A number that all processes give to the same launch, so that a plugin can
  // notice when they launch in different orders. 0 means none.
  int launch_id;
  // Positions of `num_non_donatable_input_indices` arguments that this launch
  // must not consume, although the program was compiled to reuse their memory.
  // For arguments the caller still needs, or passes twice. Read during the
  // call.
  const int64_t* non_donatable_input_indices;
  size_t num_non_donatable_input_indices;
  // Extra data for this execution, or null. It has to live until the execution
  // is complete.
  PJRT_ExecuteContext* context;
  // Where in the user's source code this launch comes from, for messages and
  // profiles, or null. It ends with a zero byte and is read during the call.
  const char* call_location;
  // Length of `task_ids` and `incarnation_ids`; 0 when there are none.
  size_t num_tasks;
  // Processes of a distributed program that the caller knows to take part.
  int* task_ids;
  // For each entry of `task_ids`, which start of that process is meant.
  int64_t* incarnation_ids;
  // How the launch is spread over slices, or null.
  PJRT_MultiSlice_Config* multi_slice_config;
  // When true, send and receive callbacks see row-major data; otherwise data is
  // in the layout of the device. Plugins act as if it were true for callers too
  // old to have the field.
  bool use_major_to_minor_data_layout_for_callbacks;
  // `num_hlo_output_callbacks` callbacks for values that the program outputs
  // before it ends. Array and callbacks have to live until the execution is
  // complete.
  PJRT_HloOutputCallbackInfo* hlo_output_callbacks;
  size_t num_hlo_output_callbacks;
  // Options that the runtime hands to the custom calls of the program. A handler
  // reads them with XLA_FFI_CustomOptions_Get.
  const PJRT_NamedValue* custom_options;
  size_t num_custom_options;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_ExecuteOptions, num_custom_options);

struct PJRT_LoadedExecutable_Execute_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_LoadedExecutable* executable;
  // Read during the call. Must not be null.
  PJRT_ExecuteOptions* options;
  // The arguments: `num_devices` lists of `num_args` buffers each, in the order
  // of PJRT_LoadedExecutable_AddressableDevices. The lists are read during the
  // call. Not every plugin compares shapes and types with the program.
  PJRT_Buffer* const* const* argument_lists;
  // Length of the outer lists: the number of addressable devices of the
  // executable, or 1 with `execute_device`.
  size_t num_devices;
  // Number of parameters of the program.
  size_t num_args;
  // Memory of the caller for the results: `num_devices` lists with one element
  // for each output that PJRT_Executable_NumOutputs counts. Success fills them
  // with new buffers, for the caller to destroy.
  PJRT_Buffer** const* output_lists;  // in/out
  // Memory of the caller for `num_devices` events, each ready when the program
  // has finished on that device, or null if not wanted. Success fills it with
  // events for the caller to destroy; after an error it holds nothing.
  PJRT_Event** device_complete_events;  // in/out
  // Runs the program on this device only. Null means the devices it was
  // compiled for. With a program for several devices, the caller has to launch
  // it on each of the others too, or it may wait for ever. Not supported
  // everywhere.
  PJRT_Device* execute_device;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_LoadedExecutable_Execute_Args, execute_device);

// Launches a program on its devices and returns without waiting for the end,
// unless the plugin runs it at once. Outputs can be used right away, as later
// work waits for them. Arguments that the program was compiled to reuse are
// consumed: they are deleted afterwards.
//
// A failure found in time is returned, and then there are no outputs. A later
// one shows in the events and in the outputs.
typedef PJRT_Error* PJRT_LoadedExecutable_Execute(
    PJRT_LoadedExecutable_Execute_Args* args);

struct PJRT_Executable_NumOutputs_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Executable* executable;
  size_t num_outputs;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Executable_NumOutputs_Args, num_outputs);

// Returns how many buffers the program outputs on each device.
typedef PJRT_Error* PJRT_Executable_NumOutputs(
    PJRT_Executable_NumOutputs_Args* args);

struct PJRT_Executable_SizeOfGeneratedCodeInBytes_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Executable* executable;
  // Size in bytes, or a negative number if unknown.
  int64_t size_in_bytes;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Executable_SizeOfGeneratedCodeInBytes_Args,
                          size_in_bytes);

// Returns the size of the machine code of the program.
typedef PJRT_Error* PJRT_Executable_SizeOfGeneratedCodeInBytes(
    PJRT_Executable_SizeOfGeneratedCodeInBytes_Args* args);

struct PJRT_Executable_Fingerprint_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Executable* executable;
  // Bytes, not necessarily text, that live as long as the executable.
  const char* executable_fingerprint;  // out
  // Length of `executable_fingerprint` in bytes.
  size_t executable_fingerprint_size;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Executable_Fingerprint_Args,
                          executable_fingerprint_size);

// Identifies what was compiled: equal programs, options and compilers give
// equal fingerprints, in any process. Platforms need not support it.
typedef PJRT_Error* PJRT_Executable_Fingerprint(
    PJRT_Executable_Fingerprint_Args* args);

struct PJRT_Executable_GetCostAnalysis_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Executable* executable;
  size_t num_properties;  // out
  // `num_properties` entries, owned by the executable and valid until it is
  // destroyed.
  const PJRT_NamedValue* properties;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Executable_GetCostAnalysis_Args, properties);

// Returns estimates of what a run costs, such as floating-point operations and
// bytes accessed. The names depend on the platform.
typedef PJRT_Error* PJRT_Executable_GetCostAnalysis(
    PJRT_Executable_GetCostAnalysis_Args* args);

struct PJRT_Executable_GetCompiledMemoryStats_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Executable* executable;
  // Machine code.
  int64_t generated_code_size_in_bytes;  // out
  // Arguments.
  int64_t argument_size_in_bytes;  // out
  // Outputs, with those that share memory with arguments.
  int64_t output_size_in_bytes;  // out
  // The part of the outputs that takes over memory of arguments.
  int64_t alias_size_in_bytes;  // out
  // Memory used only while the program runs.
  int64_t temp_size_in_bytes;  // out
  // Machine code in host memory.
  int64_t host_generated_code_size_in_bytes;  // out
  // Arguments in host memory.
  int64_t host_argument_size_in_bytes;  // out
  // Outputs in host memory.
  int64_t host_output_size_in_bytes;  // out
  // The part of the host outputs that takes over memory of arguments.
  int64_t host_alias_size_in_bytes;  // out
  // Host memory used only while the program runs.
  int64_t host_temp_size_in_bytes;  // out
  // Highest use of device memory at any time of the run.
  int64_t peak_memory_in_bytes;  // out
  // Device memory in total.
  int64_t total_size_in_bytes;  // out
  // All allocations together, as the compiler counts them.
  int64_t total_allocation_bytes;  // out
  // Allocations that are not limited to a part of the run, as the compiler
  // counts them.
  int64_t indefinite_allocations;  // out
  // Highest use of the heap, not counting padding.
  int64_t peak_unpadded_heap_bytes;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Executable_GetCompiledMemoryStats_Args,
                          peak_unpadded_heap_bytes);

// Returns how much memory a run needs according to the compiler, in the default
// memory of the device and in host memory. All numbers are bytes per device.
// Pass no less than the size of this struct at the minor of the plugin: plugins
// of some minors up to 0.81 write all of it without checking the size.
typedef PJRT_Error* PJRT_Executable_GetCompiledMemoryStats(
    PJRT_Executable_GetCompiledMemoryStats_Args* args);

struct PJRT_Executable_OutputElementTypes_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Executable* executable;
  // `num_output_types` types, one per output. The array lives as long as the
  // executable.
  PJRT_Buffer_Type* output_types;  // out
  size_t num_output_types;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Executable_OutputElementTypes_Args,
                          num_output_types);

// Returns the element types of the outputs of a program, in order.
typedef PJRT_Error* PJRT_Executable_OutputElementTypes(
    PJRT_Executable_OutputElementTypes_Args* args);

struct PJRT_Executable_OutputDimensions_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Executable* executable;
  // Set by the function.
  size_t num_outputs;
  // The sizes of all dimensions of the first output, then of the second, and so
  // on. The array lives as long as the executable.
  const int64_t* dims;  // out
  // For each output, how many entries of `dims` belong to it; 0 for a scalar.
  // `num_outputs` entries.
  const size_t* dim_sizes;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Executable_OutputDimensions_Args, dim_sizes);

// Returns the dimensions of the outputs of a program, in order, all in one
// list.
typedef PJRT_Error* PJRT_Executable_OutputDimensions(
    PJRT_Executable_OutputDimensions_Args* args);

struct PJRT_Executable_ParameterMemoryKinds_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Executable* executable;
  // Set by the function.
  size_t num_parameters;
  // `num_parameters` names, as PJRT_Memory_Kind returns them. They live as long
  // as the executable.
  const char* const* memory_kinds;  // out
  // Lengths of the names in bytes; `num_parameters` entries.
  const size_t* memory_kind_sizes;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Executable_ParameterMemoryKinds_Args,
                          memory_kind_sizes);

// Returns the kind of memory in which a program expects each of its parameters.
typedef PJRT_Error* PJRT_Executable_ParameterMemoryKinds(
    PJRT_Executable_ParameterMemoryKinds_Args* args);

struct PJRT_Executable_OutputMemoryKinds_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Executable* executable;
  // Set by the function.
  size_t num_outputs;
  // `num_outputs` names, as PJRT_Memory_Kind returns them. They live as long as
  // the executable.
  const char* const* memory_kinds;  // out
  // Lengths of the names in bytes; `num_outputs` entries.
  const size_t* memory_kind_sizes;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Executable_OutputMemoryKinds_Args,
                          memory_kind_sizes);

// Returns the kind of memory into which a program puts each of its outputs.
typedef PJRT_Error* PJRT_Executable_OutputMemoryKinds(
    PJRT_Executable_OutputMemoryKinds_Args* args);

// Owns the bytes that PJRT_Executable_Serialize returned.
typedef struct PJRT_SerializedExecutable PJRT_SerializedExecutable;

struct PJRT_Executable_Serialize_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  const PJRT_Executable* executable;
  // The executable, valid until `serialized_executable_deleter` is called.
  const char* serialized_bytes;  // out
  // Size of `serialized_bytes` in bytes.
  size_t serialized_bytes_size;  // out
  // Owner of `serialized_bytes`.
  PJRT_SerializedExecutable* serialized_executable;
  // The caller calls it with `serialized_executable`, once.
  void (*serialized_executable_deleter)(
      PJRT_SerializedExecutable* exec);  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Executable_Serialize_Args,
                          serialized_executable_deleter);

// Turns an executable into bytes that PJRT_Executable_DeserializeAndLoad reads.
// They fit only the platform and version of the plugin that wrote them, and
// need not be the same each time.
typedef PJRT_Error* PJRT_Executable_Serialize(
    PJRT_Executable_Serialize_Args* args);

// Owns the bytes that PJRT_Executable_GetCompileOptions returned.
typedef struct PJRT_SerializedCompileOptions PJRT_SerializedCompileOptions;

struct PJRT_Executable_GetCompileOptions_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Executable* executable;
  // Serialized CompileOptionsProto, valid until
  // `serialized_compile_options_deleter` is called.
  const char* serialized_bytes;  // out
  // Size of `serialized_bytes` in bytes.
  size_t serialized_bytes_size;  // out
  // Owner of `serialized_bytes`.
  PJRT_SerializedCompileOptions* serialized_compile_options;
  // The caller calls it with `serialized_compile_options`, once.
  void (*serialized_compile_options_deleter)(
      PJRT_SerializedCompileOptions* options);  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Executable_GetCompileOptions_Args,
                          serialized_compile_options_deleter);

// Returns the options that an executable was compiled with.
typedef PJRT_Error* PJRT_Executable_GetCompileOptions(
    PJRT_Executable_GetCompileOptions_Args* args);

// Says where on the hardware an executable is to be loaded.
struct PJRT_LoadOptions {
  size_t struct_size;
  // Coordinates of the first device, `computation_origin_size` numbers, on
  // platforms whose devices have coordinates. Null when the size is 0.
  const int32_t* computation_origin;
  size_t computation_origin_size;
  // How the program is spread over slices, or null.
  PJRT_MultiSlice_Config* multi_slice_config;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_LoadOptions, multi_slice_config);

struct PJRT_Executable_DeserializeAndLoad_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Client* client;
  // Bytes from PJRT_Executable_Serialize, read during the call.
  const char* serialized_executable;
  // Size of `serialized_executable` in bytes.
  size_t serialized_executable_size;
  // For the caller to destroy with PJRT_LoadedExecutable_Destroy.
  PJRT_LoadedExecutable* loaded_executable;  // out
  // Serialized CompileOptionsProto to use in place of the options stored with
  // the executable, or null to keep those.
  const char* overridden_serialized_compile_options;
  // Size of `overridden_serialized_compile_options` in bytes.
  size_t overridden_serialized_compile_options_size;
  // Null for the defaults.
  PJRT_LoadOptions* load_options;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Executable_DeserializeAndLoad_Args,
                          load_options);

// Loads an executable from bytes that the same version of the same plugin
// wrote. Plugins usually refuse foreign bytes, but do not always notice damage.
typedef PJRT_Error* PJRT_Executable_DeserializeAndLoad(
    PJRT_Executable_DeserializeAndLoad_Args* args);

struct PJRT_LoadedExecutable_Fingerprint_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_LoadedExecutable* executable;
  // Bytes, not necessarily text, that live as long as the executable.
  const char* executable_fingerprint;  // out
  // Length of `executable_fingerprint` in bytes.
  size_t executable_fingerprint_size;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_LoadedExecutable_Fingerprint_Args,
                          executable_fingerprint_size);

// Identifies what was compiled. It is deprecated; PJRT_Executable_Fingerprint
// has replaced it. Platforms need not support it.
typedef PJRT_Error* PJRT_LoadedExecutable_Fingerprint(
    PJRT_LoadedExecutable_Fingerprint_Args* args);

// ---------------------------------- Buffers ----------------------------------

struct PJRT_Buffer_Destroy_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The buffer to free; may be null.
  PJRT_Buffer* buffer;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Buffer_Destroy_Args, buffer);

// Gives up the device memory of a buffer, as PJRT_Buffer_Delete does, and frees
// the buffer. Null is allowed. Work that uses the memory finishes first, but
// the call does not wait for it.
typedef PJRT_Error* PJRT_Buffer_Destroy(PJRT_Buffer_Destroy_Args* args);

struct PJRT_Buffer_ElementType_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Buffer* buffer;
  PJRT_Buffer_Type type;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Buffer_ElementType_Args, type);

// Returns the element type of a buffer.
typedef PJRT_Error* PJRT_Buffer_ElementType(PJRT_Buffer_ElementType_Args* args);

struct PJRT_Buffer_Dimensions_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Buffer* buffer;
  // `num_dims` sizes that live as long as the buffer.
  const int64_t* dims;  // out
  size_t num_dims;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Buffer_Dimensions_Args, num_dims);

// Returns the dimensions of a buffer. A dimension that is known only at run
// time is given as its bound.
typedef PJRT_Error* PJRT_Buffer_Dimensions(PJRT_Buffer_Dimensions_Args* args);

struct PJRT_Buffer_UnpaddedDimensions_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Buffer* buffer;
  // `num_dims` sizes that live as long as the buffer.
  const int64_t* unpadded_dims;  // out
  size_t num_dims;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Buffer_UnpaddedDimensions_Args, num_dims);

// Returns the dimensions of a buffer without padding. They differ from
// PJRT_Buffer_Dimensions only where a size became known at run time; there they
// give the actual size.
typedef PJRT_Error* PJRT_Buffer_UnpaddedDimensions(
    PJRT_Buffer_UnpaddedDimensions_Args* args);

struct PJRT_Buffer_DynamicDimensionIndices_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Buffer* buffer;
  // `num_dynamic_dims` positions that live as long as the buffer. Usually there
  // are none.
  const size_t* dynamic_dim_indices;  // out
  size_t num_dynamic_dims;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Buffer_DynamicDimensionIndices_Args,
                          num_dynamic_dims);

// Returns the positions of those dimensions whose size is decided at run time.
typedef PJRT_Error* PJRT_Buffer_DynamicDimensionIndices(
    PJRT_Buffer_DynamicDimensionIndices_Args* args);

struct PJRT_Buffer_GetMemoryLayout_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Buffer* buffer;
  // The struct is filled in; the arrays it points to belong to the buffer and
  // live as long as it does.
  PJRT_Buffer_MemoryLayout layout;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Buffer_GetMemoryLayout_Args, layout);

// Returns how a buffer is laid out on the device. It is deprecated; the Layouts
// extension has replaced it.
typedef PJRT_Error* PJRT_Buffer_GetMemoryLayout(
    PJRT_Buffer_GetMemoryLayout_Args* args);

struct PJRT_Buffer_ToHostBuffer_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Buffer* src;
  // Layout that the data has to have in `dst`, read during the call. Null means
  // the layout on the device, which need not be row-major. Not every plugin
  // honours it.
  PJRT_Buffer_MemoryLayout* host_layout;
  // Memory of the caller, which has to stay until `event` is ready. Null asks
  // for the size.
  void* dst;  // in/out
  // Size of `dst` in bytes, at least what is needed. With `dst` null, the
  // function sets it to that. Types narrower than 8 bits need one byte per
  // element.
  size_t dst_size;  // in/out
  // Ready when the data is in `dst`. For the caller to destroy.
  PJRT_Event* event;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Buffer_ToHostBuffer_Args, event);

// Copies a buffer to host memory. The call may return before the copy is done,
// or even before the buffer has its contents. With `dst` null it copies nothing
// and only reports the size. The buffer may be destroyed after the call.
typedef PJRT_Error* PJRT_Buffer_ToHostBuffer(
    PJRT_Buffer_ToHostBuffer_Args* args);

struct PJRT_Buffer_OnDeviceSizeInBytes_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Buffer* buffer;
  size_t on_device_size_in_bytes;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Buffer_OnDeviceSizeInBytes_Args,
                          on_device_size_in_bytes);

// Returns how much device memory a buffer takes, with padding and packing.
typedef PJRT_Error* PJRT_Buffer_OnDeviceSizeInBytes(
    PJRT_Buffer_OnDeviceSizeInBytes_Args* args);

struct PJRT_Buffer_Delete_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Buffer* buffer;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Buffer_Delete_Args, buffer);

// Gives up the device memory of a buffer and keeps only its shell, which works
// with PJRT_Buffer_IsDeleted and PJRT_Buffer_Destroy only. The memory becomes
// free once all work that uses it has finished. Deleting twice does no harm.
typedef PJRT_Error* PJRT_Buffer_Delete(PJRT_Buffer_Delete_Args* args);

struct PJRT_Buffer_IsDeleted_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Buffer* buffer;
  bool is_deleted;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Buffer_IsDeleted_Args, is_deleted);

// Tells whether a buffer has given up its device memory, because
// PJRT_Buffer_Delete was called or because an execution consumed the buffer.
typedef PJRT_Error* PJRT_Buffer_IsDeleted(PJRT_Buffer_IsDeleted_Args* args);

struct PJRT_Buffer_CopyRawToHost_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Buffer* buffer;
  // At least `transfer_size` bytes, to be kept until `event` is ready.
  void* dst;
  // First byte to copy.
  int64_t offset;
  // Number of bytes to copy.
  int64_t transfer_size;
  // Ready when the bytes are in `dst`, or with an error, for example for a
  // range beyond the buffer. For the caller to destroy.
  PJRT_Event* event;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Buffer_CopyRawToHost_Args, event);

// Copies a range of bytes as they lie on the device, without regard to type and
// layout.
typedef PJRT_Error* PJRT_Buffer_CopyRawToHost(
    PJRT_Buffer_CopyRawToHost_Args* args);

// Tells a pending PJRT_Buffer_CopyRawToHostFuture where to put the bytes.
struct PJRT_Buffer_CopyRawToHostFuture_Callback_Args {
  size_t struct_size;
  // From PJRT_Buffer_CopyRawToHostFuture. The call consumes it.
  void* callback_data;
  // PJRT_Error_Code_OK to copy; any other code makes the event fail.
  PJRT_Error_Code error_code;
  // Text of the failure. Used only if there is one.
  const char* error_message;
  // Length of `error_message` in bytes.
  size_t error_message_size;
  // Memory for `transfer_size` bytes, to be kept until the event is ready. Used
  // only if there is no failure.
  void* dst;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Buffer_CopyRawToHostFuture_Callback_Args, dst);

struct PJRT_Buffer_CopyRawToHostFuture_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Buffer* buffer;
  // First byte to copy.
  int64_t offset;
  // Number of bytes to copy.
  int64_t transfer_size;
  // Ready when the bytes are in place, or with an error. For the caller to
  // destroy.
  PJRT_Event* event;  // out
  // To be passed to `future_ready_callback`.
  void* callback_data;  // out
  // Function of the plugin that the caller calls once, from any thread, when it
  // knows the destination or has to give up.
  void (*future_ready_callback)(
      PJRT_Buffer_CopyRawToHostFuture_Callback_Args* args);  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Buffer_CopyRawToHostFuture_Args,
                          future_ready_callback);

// Prepares a copy like PJRT_Buffer_CopyRawToHost before its destination exists.
// The copy begins when the caller supplies it through `future_ready_callback`.
typedef PJRT_Error* PJRT_Buffer_CopyRawToHostFuture(
    PJRT_Buffer_CopyRawToHostFuture_Args* args);

struct PJRT_Buffer_CopyToDevice_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Buffer* buffer;
  PJRT_Device* dst_device;
  // For the caller to destroy with PJRT_Buffer_Destroy.
  PJRT_Buffer* dst_buffer;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Buffer_CopyToDevice_Args, dst_buffer);

// Copies a buffer to another device of the same client, without waiting. Naming
// the device it already lies on is an error by contract, but known plugins make
// a copy even then.
typedef PJRT_Error* PJRT_Buffer_CopyToDevice(
    PJRT_Buffer_CopyToDevice_Args* args);

struct PJRT_Buffer_CopyToMemory_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Buffer* buffer;
  PJRT_Memory* dst_memory;
  // For the caller to destroy with PJRT_Buffer_Destroy.
  PJRT_Buffer* dst_buffer;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Buffer_CopyToMemory_Args, dst_buffer);

// Copies a buffer to another memory of the same client, without waiting. Naming
// the memory it already lies in is an error by contract, but known plugins make
// a copy even then.
typedef PJRT_Error* PJRT_Buffer_CopyToMemory(
    PJRT_Buffer_CopyToMemory_Args* args);

struct PJRT_Buffer_Bitcast_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // Deleted on success.
  PJRT_Buffer* buffer;
  PJRT_Buffer_Type element_type;
  // `num_dims` sizes, read during the call.
  const int64_t* dims;
  size_t num_dims;
  // Layout of the result. Null means the default one for the new shape. Strides
  // are not supported.
  PJRT_Buffer_MemoryLayout* device_layout;
  // For the caller to destroy with PJRT_Buffer_Destroy.
  PJRT_Buffer* out_buffer;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Buffer_Bitcast_Args, out_buffer);

// Turns a buffer into one of another type and shape over the same bytes. The
// old buffer is consumed. The sizes in bytes must be equal.
typedef PJRT_Error* PJRT_Buffer_Bitcast(PJRT_Buffer_Bitcast_Args* args);

struct PJRT_Buffer_IsOnCpu_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Buffer* buffer;
  bool is_on_cpu;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Buffer_IsOnCpu_Args, is_on_cpu);

// Tells whether a buffer lies in host memory, where its pointer can be read
// directly.
typedef PJRT_Error* PJRT_Buffer_IsOnCpu(PJRT_Buffer_IsOnCpu_Args* args);

struct PJRT_Buffer_Device_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Buffer* buffer;
  // Belongs to the client.
  PJRT_Device* device;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Buffer_Device_Args, device);

// Returns the device that a buffer belongs to.
typedef PJRT_Error* PJRT_Buffer_Device(PJRT_Buffer_Device_Args* args);

struct PJRT_Buffer_Memory_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Buffer* buffer;
  // Belongs to the client.
  PJRT_Memory* memory;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Buffer_Memory_Args, memory);

// Returns the memory that a buffer lies in.
typedef PJRT_Error* PJRT_Buffer_Memory(PJRT_Buffer_Memory_Args* args);

struct PJRT_Buffer_ReadyEvent_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Buffer* buffer;
  // For the caller to destroy with PJRT_Event_Destroy.
  PJRT_Event* event;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Buffer_ReadyEvent_Args, event);

// Returns an event for the moment a buffer has its contents, or has failed to
// get them. For a buffer that is deleted or donated by now, the event reports
// an error at once; one that was obtained earlier keeps its outcome. Each call
// returns a new event.
typedef PJRT_Error* PJRT_Buffer_ReadyEvent(PJRT_Buffer_ReadyEvent_Args* args);

struct PJRT_Buffer_UnsafePointer_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Buffer* buffer;
  uintptr_t buffer_pointer;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Buffer_UnsafePointer_Args, buffer_pointer);

// Returns the address of a buffer, in most cases the one the device uses.
// Nothing keeps the buffer at that address.
typedef PJRT_Error* PJRT_Buffer_UnsafePointer(
    PJRT_Buffer_UnsafePointer_Args* args);

struct PJRT_Buffer_IncreaseExternalReferenceCount_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Buffer* buffer;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Buffer_IncreaseExternalReferenceCount_Args,
                          buffer);

// Counts one more user of a buffer's memory outside the plugin. While the count
// is above zero, the plugin neither moves nor frees the memory, nor reuses it
// for a donation. Each call needs a PJRT_Buffer_DecreaseExternalReferenceCount.
typedef PJRT_Error* PJRT_Buffer_IncreaseExternalReferenceCount(
    PJRT_Buffer_IncreaseExternalReferenceCount_Args* args);

struct PJRT_Buffer_DecreaseExternalReferenceCount_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Buffer* buffer;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Buffer_DecreaseExternalReferenceCount_Args,
                          buffer);

// Undoes one PJRT_Buffer_IncreaseExternalReferenceCount. It is an error if the
// count is already zero.
typedef PJRT_Error* PJRT_Buffer_DecreaseExternalReferenceCount(
    PJRT_Buffer_DecreaseExternalReferenceCount_Args* args);

struct PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Buffer* buffer;
  // Reliable only while the external reference count is above zero.
  void* device_memory_ptr;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args,
                          device_memory_ptr);

// Returns the address of the memory of a buffer, for use by other libraries on
// the same device. Take an external reference first: without one the address
// can turn stale at any time.
typedef PJRT_Error* PJRT_Buffer_OpaqueDeviceMemoryDataPointer(
    PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args* args);

// Reports that the dependency of a PJRT_Buffer_DonateWithControlDependency is
// done.
struct PJRT_Buffer_DonateWithControlDependency_Callback_Args {
  size_t struct_size;
  // From PJRT_Buffer_DonateWithControlDependency. The call consumes it.
  void* callback_data;
  // PJRT_Error_Code_OK, or the failure that the new buffer takes on.
  PJRT_Error_Code error_code;
  // Text of the failure, `error_message_size` bytes.
  const char* error_message;
  // Length of `error_message` in bytes.
  size_t error_message_size;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Buffer_DonateWithControlDependency_Callback_Args,
                          error_message_size);

struct PJRT_Buffer_DonateWithControlDependency_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // Consumed on success.
  PJRT_Buffer* buffer;
  // To be passed to `dependency_ready_callback`.
  void* callback_data;  // out
  // Function of the plugin that the caller calls once, from any thread, when
  // the dependency is done or has failed.
  void (*dependency_ready_callback)(
      PJRT_Buffer_DonateWithControlDependency_Callback_Args* args);  // out
  // For the caller to destroy with PJRT_Buffer_Destroy.
  PJRT_Buffer* out_buffer;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Buffer_DonateWithControlDependency_Args,
                          out_buffer);

// Replaces a buffer by a new one with the same contents that becomes ready only
// after the caller has reported a dependency as done. Work on the new buffer
// waits for that.
typedef PJRT_Error* PJRT_Buffer_DonateWithControlDependency(
    PJRT_Buffer_DonateWithControlDependency_Args* args);

// -------------------------- Copy-to-device streams ---------------------------

struct PJRT_CopyToDeviceStream_Destroy_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The stream to free; may be null.
  PJRT_CopyToDeviceStream* stream;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_CopyToDeviceStream_Destroy_Args, stream);

// Frees a stream. Null is allowed. If bytes are still missing, the execution
// that waits for them fails.
typedef PJRT_Error* PJRT_CopyToDeviceStream_Destroy(
    PJRT_CopyToDeviceStream_Destroy_Args* args);

struct PJRT_CopyToDeviceStream_AddChunk_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_CopyToDeviceStream* stream;
  // Now belongs to the plugin, which calls its deleter once the bytes are used.
  PJRT_Chunk* chunk;
  // Ready when the chunk has arrived, or with an error. For the caller to
  // destroy.
  PJRT_Event* transfer_complete;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_CopyToDeviceStream_AddChunk_Args,
                          transfer_complete);

// Starts to transfer the next chunk. The event reports an error if the chunk
// would exceed the total, if the stream has all its bytes, or if the size is
// not a multiple of PJRT_CopyToDeviceStream_GranuleSize.
typedef PJRT_Error* PJRT_CopyToDeviceStream_AddChunk(
    PJRT_CopyToDeviceStream_AddChunk_Args* args);

struct PJRT_CopyToDeviceStream_TotalBytes_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_CopyToDeviceStream* stream;
  int64_t total_bytes;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_CopyToDeviceStream_TotalBytes_Args, total_bytes);

// Returns how many bytes a stream takes in all.
typedef PJRT_Error* PJRT_CopyToDeviceStream_TotalBytes(
    PJRT_CopyToDeviceStream_TotalBytes_Args* args);

struct PJRT_CopyToDeviceStream_GranuleSize_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_CopyToDeviceStream* stream;
  int64_t granule_size_in_bytes;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_CopyToDeviceStream_GranuleSize_Args,
                          granule_size_in_bytes);

// Returns the number of bytes that the size of every chunk has to be a multiple
// of.
typedef PJRT_Error* PJRT_CopyToDeviceStream_GranuleSize(
    PJRT_CopyToDeviceStream_GranuleSize_Args* args);

struct PJRT_CopyToDeviceStream_CurrentBytes_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_CopyToDeviceStream* stream;
  int64_t current_bytes;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_CopyToDeviceStream_CurrentBytes_Args,
                          current_bytes);

// Returns how many bytes a stream has taken so far, arrived or not.
typedef PJRT_Error* PJRT_CopyToDeviceStream_CurrentBytes(
    PJRT_CopyToDeviceStream_CurrentBytes_Args* args);

// -------------------------------- Topologies ---------------------------------

struct PJRT_TopologyDescription_Create_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // Name in the terms of the platform, `topology_name_size` bytes. Null or
  // empty for its default.
  const char* topology_name;
  // Length of `topology_name` in bytes.
  size_t topology_name_size;
  // `num_options` options, whose names depend on the platform. Null when there
  // are none.
  const PJRT_NamedValue* create_options;
  size_t num_options;
  // For the caller to destroy with PJRT_TopologyDescription_Destroy.
  PJRT_TopologyDescription* topology;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TopologyDescription_Create_Args, topology);

// Makes a topology from its name, so that programs can be compiled without the
// hardware at hand.
typedef PJRT_Error* PJRT_TopologyDescription_Create(
    PJRT_TopologyDescription_Create_Args* args);

struct PJRT_TopologyDescription_Destroy_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The topology to free; may be null.
  PJRT_TopologyDescription* topology;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TopologyDescription_Destroy_Args, topology);

// Frees a topology that was created or deserialized. Null is allowed. Not for
// the topology of a client.
typedef PJRT_Error* PJRT_TopologyDescription_Destroy(
    PJRT_TopologyDescription_Destroy_Args* args);

struct PJRT_TopologyDescription_PlatformVersion_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_TopologyDescription* topology;
  // Owned by the topology and valid until it is destroyed.
  const char* platform_version;  // out
  // Length of `platform_version` in bytes.
  size_t platform_version_size;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TopologyDescription_PlatformVersion_Args,
                          platform_version_size);

// Describes the version of the platform, like PJRT_Client_PlatformVersion.
typedef PJRT_Error* PJRT_TopologyDescription_PlatformVersion(
    PJRT_TopologyDescription_PlatformVersion_Args* args);

struct PJRT_TopologyDescription_PlatformName_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  const PJRT_TopologyDescription* topology;
  // Owned by the topology and valid until it is destroyed.
  const char* platform_name;  // out
  // Length of `platform_name` in bytes.
  size_t platform_name_size;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TopologyDescription_PlatformName_Args,
                          platform_name_size);

// Names the platform, like PJRT_Client_PlatformName.
typedef PJRT_Error* PJRT_TopologyDescription_PlatformName(
    PJRT_TopologyDescription_PlatformName_Args* args);

struct PJRT_TopologyDescription_GetDeviceDescriptions_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  const PJRT_TopologyDescription* topology;
  // `num_descriptions` descriptions. Array and descriptions live as long as the
  // topology.
  PJRT_DeviceDescription* const* descriptions;  // out
  size_t num_descriptions;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TopologyDescription_GetDeviceDescriptions_Args,
                          num_descriptions);

// Lists the devices of a topology. The order means nothing but stays the same
// within a process.
typedef PJRT_Error* PJRT_TopologyDescription_GetDeviceDescriptions(
    PJRT_TopologyDescription_GetDeviceDescriptions_Args* args);

// Owns the bytes that PJRT_TopologyDescription_Serialize returned.
typedef struct PJRT_SerializedTopology PJRT_SerializedTopology;

struct PJRT_TopologyDescription_Serialize_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_TopologyDescription* topology;
  // The topology, valid until `serialized_topology_deleter` is called.
  const char* serialized_bytes;  // out
  // Size of `serialized_bytes` in bytes.
  size_t serialized_bytes_size;  // out
  // Owner of `serialized_bytes`.
  PJRT_SerializedTopology* serialized_topology;  // out
  // The caller calls it with `serialized_topology`, once.
  void (*serialized_topology_deleter)(
      PJRT_SerializedTopology* serialized_topology);  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TopologyDescription_Serialize_Args,
                          serialized_topology_deleter);

// Turns a topology into bytes. Equal topologies should give equal bytes, so
// that caches can use them as a key.
typedef PJRT_Error* PJRT_TopologyDescription_Serialize(
    PJRT_TopologyDescription_Serialize_Args* args);

struct PJRT_TopologyDescription_Deserialize_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // Bytes from PJRT_TopologyDescription_Serialize, read during the call.
  const char* serialized_topology;
  // Size of `serialized_topology` in bytes.
  size_t serialized_topology_size;
  // For the caller to destroy with PJRT_TopologyDescription_Destroy.
  PJRT_TopologyDescription* topology;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TopologyDescription_Deserialize_Args, topology);

// Makes a topology from the bytes of PJRT_TopologyDescription_Serialize.
typedef PJRT_Error* PJRT_TopologyDescription_Deserialize(
    PJRT_TopologyDescription_Deserialize_Args* args);

struct PJRT_TopologyDescription_Attributes_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_TopologyDescription* topology;
  // `num_attributes` entries that live as long as the topology.
  const PJRT_NamedValue* attributes;  // out
  size_t num_attributes;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TopologyDescription_Attributes_Args,
                          num_attributes);

// Lists facts about a topology, whose names depend on the platform.
typedef PJRT_Error* PJRT_TopologyDescription_Attributes(
    PJRT_TopologyDescription_Attributes_Args* args);

struct PJRT_TopologyDescription_Fingerprint_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  const PJRT_TopologyDescription* topology;
  uint64_t fingerprint;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TopologyDescription_Fingerprint_Args,
                          fingerprint);

// Returns a number that is equal for equal topologies, in any process.
typedef PJRT_Error* PJRT_TopologyDescription_Fingerprint(
    PJRT_TopologyDescription_Fingerprint_Args* args);

struct PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  const PJRT_TopologyDescription* topology;
  // One of the numbers from PJRT_TopologyDescription_GetMemorySpaceKindIds.
  int memory_space_kind_id;
  // `num_dims` sizes, read during the call.
  const int64_t* dims;
  size_t num_dims;
  PJRT_Buffer_Type element_type;
  // Layout to keep if the memory allows it, or null. Strides are not supported.
  const PJRT_Buffer_MemoryLayout* layout;
  // Serialized ShapeProto, valid until `serialized_shape_deleter` is called.
  const char* serialized_shape;  // out
  // Size of `serialized_shape` in bytes.
  size_t serialized_shape_size;  // out
  // The caller calls it with `serialized_shape`, once.
  void (*serialized_shape_deleter)(const char*);  // out
};
PJRT_DEFINE_STRUCT_TRAITS(
    PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace_Args,
    serialized_shape_deleter);

// Returns the shape and layout that an array gets in a kind of memory.
typedef PJRT_Error* PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace(
    PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace_Args* args);

struct PJRT_TopologyDescription_GetMemorySpaceKindIds_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  const PJRT_TopologyDescription* topology;
  // `num_memory_space_kind_ids` numbers. The array lives as long as the
  // topology.
  const int* memory_space_kind_ids;  // out
  size_t num_memory_space_kind_ids;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TopologyDescription_GetMemorySpaceKindIds_Args,
                          num_memory_space_kind_ids);

// Lists the kinds of memory of a topology, as numbers like those of
// PJRT_Memory_Kind_Id.
typedef PJRT_Error* PJRT_TopologyDescription_GetMemorySpaceKindIds(
    PJRT_TopologyDescription_GetMemorySpaceKindIds_Args* args);

struct PJRT_Compile_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  const PJRT_TopologyDescription* topology;
  // Read during the call. The caller owns everything in it.
  const PJRT_Program* program;
  // Serialized CompileOptionsProto.
  const char* compile_options;
  // Size of `compile_options` in bytes.
  size_t compile_options_size;
  // Lets the compiler measure on real hardware. May be null.
  PJRT_Client* client;
  // For the caller to destroy with PJRT_Executable_Destroy.
  PJRT_Executable* executable;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Compile_Args, executable);

// Compiles a program for a topology, without needing the devices. To run it,
// load it onto a matching client with PJRT_Client_Load, or serialize it and use
// PJRT_Executable_DeserializeAndLoad. It blocks while the compiler works.
typedef PJRT_Error* PJRT_Compile(PJRT_Compile_Args* args);

// ------------------------------ Function table -------------------------------

#define _PJRT_API_STRUCT_FIELD(fn_type) fn_type* fn_type

// The table of functions that a plugin exports through its one symbol,
// `GetPjrtApi`. It is the same for the whole life of the process and never
// changes.
//
// The table grows at the end. A function exists in a plugin only if its slot
// lies within the `struct_size` that the plugin reports; what follows is not
// part of the table. A slot may also be null.
typedef struct PJRT_Api {
  // Size in bytes of the table in this plugin. Plugins of 0.35 and of 0.40 to
  // 0.56 may report less than they have.
  size_t struct_size;
  // First extension of the plugin, or null. The chain must not be walked in
  // plugins before 0.45, whose nodes have another form.
  PJRT_Extension_Base* extension_start;
  // Version of the header that the plugin was compiled with.
  PJRT_Api_Version pjrt_api_version;

  _PJRT_API_STRUCT_FIELD(PJRT_Error_Destroy);
  _PJRT_API_STRUCT_FIELD(PJRT_Error_Message);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_Error_GetCode);

  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_Plugin_Initialize);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_Plugin_Attributes);

  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_Event_Destroy);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_Event_IsReady);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_Event_Error);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_Event_Await);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_Event_OnReady);

  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_Client_Create);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_Client_Destroy);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_Client_PlatformName);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_Client_ProcessIndex);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_Client_PlatformVersion);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_Client_Devices);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_Client_AddressableDevices);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_Client_LookupDevice);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_Client_LookupAddressableDevice);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_Client_AddressableMemories);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_Client_Compile);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_Client_DefaultDeviceAssignment);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_Client_BufferFromHostBuffer);

  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_DeviceDescription_Id);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_DeviceDescription_ProcessIndex);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_DeviceDescription_Attributes);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_DeviceDescription_Kind);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_DeviceDescription_DebugString);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_DeviceDescription_ToString);

  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_Device_GetDescription);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_Device_IsAddressable);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_Device_LocalHardwareId);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_Device_AddressableMemories);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_Device_DefaultMemory);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_Device_MemoryStats);

  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_Memory_Id);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_Memory_Kind);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_Memory_DebugString);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_Memory_ToString);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_Memory_AddressableByDevices);

  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_Executable_Destroy);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_Executable_Name);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_Executable_NumReplicas);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_Executable_NumPartitions);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_Executable_NumOutputs);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(
      PJRT_Executable_SizeOfGeneratedCodeInBytes);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_Executable_GetCostAnalysis);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_Executable_OutputMemoryKinds);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_Executable_OptimizedProgram);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_Executable_Serialize);

  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_LoadedExecutable_Destroy);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_LoadedExecutable_GetExecutable);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(
      PJRT_LoadedExecutable_AddressableDevices);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_LoadedExecutable_Delete);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_LoadedExecutable_IsDeleted);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_LoadedExecutable_Execute);

  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_Executable_DeserializeAndLoad);

  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_LoadedExecutable_Fingerprint);

  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_Buffer_Destroy);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_Buffer_ElementType);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_Buffer_Dimensions);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_Buffer_UnpaddedDimensions);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_Buffer_DynamicDimensionIndices);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_Buffer_GetMemoryLayout);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_Buffer_OnDeviceSizeInBytes);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_Buffer_Device);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_Buffer_Memory);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_Buffer_Delete);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_Buffer_IsDeleted);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_Buffer_CopyToDevice);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_Buffer_ToHostBuffer);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_Buffer_IsOnCpu);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_Buffer_ReadyEvent);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_Buffer_UnsafePointer);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(
      PJRT_Buffer_IncreaseExternalReferenceCount);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(
      PJRT_Buffer_DecreaseExternalReferenceCount);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(
      PJRT_Buffer_OpaqueDeviceMemoryDataPointer);

  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_CopyToDeviceStream_Destroy);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_CopyToDeviceStream_AddChunk);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_CopyToDeviceStream_TotalBytes);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_CopyToDeviceStream_GranuleSize);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_CopyToDeviceStream_CurrentBytes);

  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_TopologyDescription_Create);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_TopologyDescription_Destroy);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_TopologyDescription_PlatformName);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(
      PJRT_TopologyDescription_PlatformVersion);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(
      PJRT_TopologyDescription_GetDeviceDescriptions);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_TopologyDescription_Serialize);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_TopologyDescription_Attributes);

  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_Compile);

  // From here on the table is in order of age: slots are only ever appended.

  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_Executable_OutputElementTypes);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_Executable_OutputDimensions);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_Buffer_CopyToMemory);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_Client_CreateViewOfDeviceBuffer);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_Executable_Fingerprint);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_Client_TopologyDescription);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(
      PJRT_Executable_GetCompiledMemoryStats);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_Memory_Kind_Id);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_ExecuteContext_Create);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_ExecuteContext_Destroy);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_Buffer_CopyRawToHost);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(
      PJRT_AsyncHostToDeviceTransferManager_Destroy);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(
      PJRT_AsyncHostToDeviceTransferManager_TransferData);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(
      PJRT_Client_CreateBuffersForAsyncHostToDevice);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(
      PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(
      PJRT_AsyncHostToDeviceTransferManager_Device);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(
      PJRT_AsyncHostToDeviceTransferManager_BufferCount);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(
      PJRT_AsyncHostToDeviceTransferManager_BufferSize);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(
      PJRT_AsyncHostToDeviceTransferManager_SetBufferError);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(
      PJRT_AsyncHostToDeviceTransferManager_AddMetadata);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_Client_DmaMap);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_Client_DmaUnmap);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_Client_CreateUninitializedBuffer);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_Client_UpdateGlobalProcessInfo);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_TopologyDescription_Deserialize);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_Client_CreateAliasBuffer);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_Client_FulfillAliasBuffer);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(
      PJRT_LoadedExecutable_GetDeviceAssignment);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_Client_CreateErrorBuffer);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(
      PJRT_AsyncHostToDeviceTransferManager_TransferLiteral);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_Buffer_CopyRawToHostFuture);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_Device_PoisonExecution);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_Device_CreateAsyncTrackingEvent);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_AsyncTrackingEvent_Destroy);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_Executable_GetCompileOptions);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(
      PJRT_Buffer_DonateWithControlDependency);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_Event_Create);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_Event_Set);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_Device_GetAttributes);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_Client_Load);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(
      PJRT_LoadedExecutable_AddressableDeviceLogicalIds);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_Buffer_Bitcast);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_Error_ForEachPayload);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_TopologyDescription_Fingerprint);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_Executable_ParameterMemoryKinds);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(PJRT_Device_ClearMemoryStats);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(
      PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace);
  PJRT_NO_DISCARD _PJRT_API_STRUCT_FIELD(
      PJRT_TopologyDescription_GetMemorySpaceKindIds);
} PJRT_Api;

enum {
  PJRT_Api_STRUCT_SIZE = PJRT_STRUCT_SIZE(
      PJRT_Api, PJRT_TopologyDescription_GetMemorySpaceKindIds)
};

#undef _PJRT_API_STRUCT_FIELD

#ifdef __cplusplus
}
#endif

#endif  // XLA_PJRT_C_PJRT_C_API_H_
