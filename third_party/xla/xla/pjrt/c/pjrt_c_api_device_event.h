/* SPDX-License-Identifier: Apache-2.0
   Restates the public ABI of openxla/xla's header of this path. */

// Events of the device itself, finer than PJRT_Event: reference-counted, and
// reached through a table of functions instead of the API table. Raw buffers
// use them.

#ifndef XLA_PJRT_C_PJRT_C_API_DEVICE_EVENT_H_
#define XLA_PJRT_C_PJRT_C_API_DEVICE_EVENT_H_

#include <stddef.h>

#include "xla/pjrt/c/pjrt_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

// The state of a device event.
typedef enum PJRT_DeviceEvent_State {
  // It has not happened yet.
  PJRT_DeviceEvent_State_Unavailable = 0,
  // It has happened.
  PJRT_DeviceEvent_State_Ready = 1,
  // It has failed.
  PJRT_DeviceEvent_State_Error = 2,
} PJRT_DeviceEvent_State;

// Called when a device event is ready or has failed, on a thread of the
// plugin's choice, or at once on the caller's.
typedef void (*PJRT_DeviceEvent_AndThen)(void* user_arg);

// The functions of a device event. The table belongs to the plugin and lives as
// long as the process. The functions may be called from any thread.
struct PJRT_DeviceEvent_FunctionTable {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // Adds a reference.
  void (*inc_ref)(void* device_event);
  // Drops a reference. The event is freed with the last one.
  void (*dec_ref)(void* device_event);
  // Calls back exactly once when the event is ready or has failed; at once when
  // it already is.
  void (*and_then)(
      void* device_event, PJRT_DeviceEvent_AndThen callback, void* user_arg);
  // Returns zero when the event has not failed. Otherwise it stores the kind
  // and the text of the error; the text is valid as long as the event.
  int (*get_error_if_present)(
      void* device_event, PJRT_Error_Code* code, const char** message,
      size_t* message_size);
  // The table of the kind of event that this one specialises; null when it
  // specialises none.
  const struct PJRT_DeviceEvent_FunctionTable* parent;
  // Returns the state of the event, without waiting.
  PJRT_DeviceEvent_State (*get_state)(void* device_event);
  // Returns the stream on which the event was recorded, and stores its place
  // there. Zero means that there is no stream, or that it is not known.
  intptr_t (*get_definition_stream)(
      void* device_event, uint64_t* sequence_number);
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_DeviceEvent_FunctionTable,
                          get_definition_stream);

// A device event by value: its table, and the pointer that the table's
// functions take. Copying the struct adds no reference.
typedef struct PJRT_DeviceEvent {
  // The functions of the event.
  const struct PJRT_DeviceEvent_FunctionTable* vtable;
  // What to pass to them.
  void* device_event;
} PJRT_DeviceEvent;

// A list of device events that one side hands to the other.
typedef struct PJRT_DeviceEventVector {
  // The events.
  PJRT_DeviceEvent* data;
  // How many there are.
  size_t size;
  // How many there is room for.
  size_t capacity;
  // Frees the array.
  void (*destroy)(PJRT_DeviceEvent* data);
} PJRT_DeviceEventVector;

typedef struct PJRT_DeviceEventPromise PJRT_DeviceEventPromise;

// The functions of the promise of a device event. The table belongs to the
// plugin and lives as long as the process.
struct PJRT_DeviceEventPromise_FunctionTable {
  // The size of this table.
  size_t struct_size;
  // The size of a PJRT_DeviceEventPromise.
  size_t instance_size;
  PJRT_Extension_Base* extension_start;
  // Adds a reference.
  void (*inc_ref)(PJRT_DeviceEventPromise* promise);
  // Drops a reference. The promise is freed with the last one.
  void (*dec_ref)(PJRT_DeviceEventPromise* promise);
  // Returns the event that the promise stands for, borrowed: add a reference to
  // keep it.
  PJRT_DeviceEvent (*event)(PJRT_DeviceEventPromise* promise);
  // Ties the promise to another event, to which it adds a reference.
  void (*set)(PJRT_DeviceEventPromise* promise, PJRT_DeviceEvent event);
  // Makes the event fail. The error belongs to the plugin from here on.
  void (*set_error)(PJRT_DeviceEventPromise* promise, PJRT_Error* error);
  // Makes the event ready.
  void (*set_ready)(PJRT_DeviceEventPromise* promise);
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_DeviceEventPromise_FunctionTable, set_ready);

// A device event that is still to be fulfilled. It is reference-counted, and
// larger than this struct says: only its first word is public.
struct PJRT_DeviceEventPromise {
  // The functions of the promise.
  const struct PJRT_DeviceEventPromise_FunctionTable* vtable;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_DeviceEventPromise, vtable);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // XLA_PJRT_C_PJRT_C_API_DEVICE_EVENT_H_
