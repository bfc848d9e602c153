/* SPDX-License-Identifier: Apache-2.0
   SPDX-FileCopyrightText: 2026 The purepjrt Authors */

#include "xla/pjrt/c/pjrt_c_api.h"

enum Acme_Mode { ACME_FAST = 0, ACME_EXACT = 1 };

struct Acme_Options {
  size_t struct_size;
  double limit;
};
PJRT_DEFINE_STRUCT_TRAITS(Acme_Options, limit);

struct Acme_Run_Args {
  size_t struct_size;
  Acme_Options* options;
  PJRT_Event* done;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(Acme_Run_Args, done);
typedef PJRT_Error* Acme_Run(Acme_Run_Args* args);

struct Acme_Stop_Args {
  size_t struct_size;
  enum Acme_Mode mode;
};
PJRT_DEFINE_STRUCT_TRAITS(Acme_Stop_Args, mode);
typedef PJRT_Error* Acme_Stop(Acme_Stop_Args* args);

typedef struct Acme_Extension {
  PJRT_Extension_Base base;
  Acme_Stop* stop;
} Acme_Extension;
PJRT_DEFINE_STRUCT_TRAITS(Acme_Extension, stop);
