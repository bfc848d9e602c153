/* SPDX-License-Identifier: Apache-2.0
   SPDX-FileCopyrightText: 2026 The purepjrt Authors */

// An extension with structs and unions inside each other, and names that Go code has a use for.

#ifndef SHAPES_EXTENSION_H_
#define SHAPES_EXTENSION_H_

#include <stdbool.h>

#include "xla/ffi/api/c_api.h"
#include "xla/pjrt/c/pjrt_c_api.h"

#define SHAPES_EXTENSION_TYPE 0x7002

// Flags whose last one needs the sign bit.
typedef enum Shapes_Flags { SHAPES_FLAG_A = 1, SHAPES_FLAG_Z = 1u << 31 } Shapes_Flags;
#define SHAPES_FLAG_A SHAPES_FLAG_A

typedef bool Shapes_Bool;
typedef struct Shapes_Pair { void* first; size_t second; } Shapes_Pair;
typedef Shapes_Pair Shapes_Couple;

typedef bool (*Shapes_Filter)(void* user_arg, const Shapes_Pair* pair, int8_t sign);
typedef void (*Shapes_Log)(const char* format, ...);

// What the plugin makes may be aligned as it likes.
typedef struct Shapes_Aligned {
  char c;
  _Alignas(32) float lanes[8];
  char d;
} Shapes_Aligned;

// A union that C aligns at 4 bytes, at an offset that is a multiple of 8.
typedef struct Shapes_Narrow { int x[2]; union { char c[8]; float f[2]; }; int z; } Shapes_Narrow;

struct Shapes_Run_Args {
  size_t struct_size;
  struct { int q; float r; };
  union {
    double whole;
    struct {
      int32_t low;
      union { float high; int16_t halves[2]; };
    };
    union { int64_t number; void (*visit)(Shapes_Bool yes); };
  };
  struct {
    char lead;
    struct { int64_t deep; union { int16_t small; char letter; }; };
  };
  Shapes_Flags flags;
  Shapes_Narrow narrow;
  Shapes_Aligned* aligned;  // out
  int (*names)(int f, int r1, int* capi, bool bool_word, int ffi, void* int32, Shapes_Couple s, int s_words, int _1,
               XLA_FFI_ByteSpan* runtime, Shapes_Bool unsafe);
  void (*lanes)(Shapes_Aligned* lanes);
  Shapes_Filter filter;
  Shapes_Log log;
};
PJRT_DEFINE_STRUCT_TRAITS(Shapes_Run_Args, log);
typedef PJRT_Error* Shapes_Run(Shapes_Run_Args* args);

// In front of its functions there is room, as only a plugin makes such structs.
typedef struct Shapes_Extension {
  PJRT_Extension_Base base;
  _Alignas(64) Shapes_Run* run;
} Shapes_Extension;

#endif  // SHAPES_EXTENSION_H_
