/* SPDX-License-Identifier: Apache-2.0
   SPDX-FileCopyrightText: 2026 The purepjrt Authors */

// An extension with one of each thing that a header may declare.

#ifndef ACME_EXTENSION_H_
#define ACME_EXTENSION_H_

#include <stdbool.h>

#include "acme_types.h"
#include "vendor/openxla/xla/ffi/api/c_api.h"

enum { ACME_EXTENSION_TYPE = 0x7001, ACME_LIMIT = 16 };

typedef enum { ACME_MODE_FAST = 1, ACME_MODE_EXACT = 2 } Acme_Mode;

typedef bool (*Acme_Visitor)(bool capi, int32_t panic, Acme_Place place, void* user_arg);

struct Acme_Run_Args {
  size_t struct_size;
  Acme_Queue* queue;
  Acme_Mode mode;
  PJRT_NamedValue option;
  XLA_FFI_ExecutionContext* context;
  union {
    int64_t number;
    const char* text;
  };
  void (*progress)(float part, void* user_arg);
  Acme_Visitor visitor;
  void* bytes;  // out
  size_t bytes_size;  // out
  Acme_Id* ids;  // out
  size_t num_ids;  // out
  PJRT_Event* done;  // out
  PJRT_Event* more;  // out; null if there is no more
};
PJRT_DEFINE_STRUCT_TRAITS(Acme_Run_Args, more);
typedef PJRT_Error* Acme_Run(Acme_Run_Args* args);

struct Acme_Close_Args {
  size_t struct_size;
  Acme_Queue* queue;
};
PJRT_DEFINE_STRUCT_TRAITS(Acme_Close_Args, queue);
typedef void Acme_Close(Acme_Close_Args* args);

typedef struct Acme_Stream* Acme_StreamHandle;
typedef int32_t Acme_Extent[3];
typedef void (*Acme_Opened)(const Acme_StreamHandle stream, const Acme_Extent extent, int32_t codes[4]);

struct Acme_Open_Args {
  size_t struct_size;
  Acme_Extent extent;
  Acme_StreamHandle stream;  // out
  Acme_StreamHandle* others;  // out
  size_t num_others;  // out
  Acme_Opened opened;
};
PJRT_DEFINE_STRUCT_TRAITS(Acme_Open_Args, opened);
typedef PJRT_Error* Acme_Open(Acme_Open_Args* args);

typedef int Acme_Count(Acme_Queue* queue, int mode);

typedef struct Acme_Extension {
  PJRT_Extension_Base base;
  Acme_Run* run;
  Acme_Count* count;
  PJRT_Error* (*describe)(PJRT_Device_GetDescription_Args* args);
  Acme_Close* close;
  Acme_Open* open;
} Acme_Extension;
PJRT_DEFINE_STRUCT_TRAITS(Acme_Extension, open);

#endif  // ACME_EXTENSION_H_
