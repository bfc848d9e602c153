// SPDX-License-Identifier: Apache-2.0
// A small extension in the form of PJRT's, for the tests of pjrtgen generate.

#ifndef XLA_PJRT_C_PJRT_C_API_LAYOUTS_EXTENSION_H_
#define XLA_PJRT_C_PJRT_C_API_LAYOUTS_EXTENSION_H_

#include "xla/pjrt/c/pjrt_c_api.h"

#define PJRT_API_LAYOUTS_EXTENSION_VERSION 2

struct PJRT_Layouts_Count_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Client* client;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Layouts_Count_Args, client);

typedef PJRT_Error* PJRT_Layouts_Count(PJRT_Layouts_Count_Args* args);

typedef struct PJRT_Layouts_Extension {
  PJRT_Extension_Base base;
  PJRT_Layouts_Count* count;
} PJRT_Layouts_Extension;
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Layouts_Extension, count);

#endif  // XLA_PJRT_C_PJRT_C_API_LAYOUTS_EXTENSION_H_
