/* SPDX-License-Identifier: Apache-2.0
   SPDX-FileCopyrightText: 2026 The purepjrt Authors */

// The made-up extension of a made-up vendor, which multiplies the elements of a
// buffer by a number.

#ifndef EXAMPLE_SCALE_EXTENSION_H_
#define EXAMPLE_SCALE_EXTENSION_H_

#include <stddef.h>
#include <stdint.h>

#include "xla/pjrt/c/pjrt_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

#define EXAMPLE_SCALE_EXTENSION_VERSION 1

// The number of the extension in the chain. It is far from the numbers of XLA's
// extensions.
#define EXAMPLE_SCALE_EXTENSION_TYPE 42000

// What becomes of elements that are too large for their type.
typedef enum {
  Example_Scale_Overflow_Infinity = 0,
  Example_Scale_Overflow_Saturate = 1,
} Example_Scale_Overflow;

// The arguments of Example_Scale.
struct Example_Scale_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Buffer* buffer;
  float factor;
  Example_Scale_Overflow overflow;
  PJRT_Buffer* scaled;  // out; owned by the caller
  // Ready when the plugin has read buffer. Owned by the caller.
  PJRT_Event* done;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(Example_Scale_Args, done);

// Makes a buffer with the elements of another multiplied by factor. A factor of 0
// is an error. Does not block.
typedef PJRT_Error* Example_Scale(Example_Scale_Args* args);

// The node of the extension.
typedef struct Example_Scale_Extension {
  PJRT_Extension_Base base;
  Example_Scale* scale;
} Example_Scale_Extension;
PJRT_DEFINE_STRUCT_TRAITS(Example_Scale_Extension, scale);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // EXAMPLE_SCALE_EXTENSION_H_
