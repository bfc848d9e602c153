/* SPDX-License-Identifier: Apache-2.0
   SPDX-FileCopyrightText: 2026 The purepjrt Authors */

#include "xla/pjrt/c/pjrt_c_api.h"

typedef struct {
  int64_t limit;
} Acme_Options;

struct Acme_Run_Args {
  Acme_Options* options;
};
PJRT_DEFINE_STRUCT_TRAITS(Acme_Run_Args, options);

struct Acme_Late_Args {
  PJRT_Client* client;
  size_t struct_size;
};
PJRT_DEFINE_STRUCT_TRAITS(Acme_Late_Args, struct_size);

struct Acme_Narrow_Args {
  int struct_size;
};
PJRT_DEFINE_STRUCT_TRAITS(Acme_Narrow_Args, struct_size);

struct Acme_Unsaid_Args {
  size_t struct_size;
  PJRT_Client* client;
};

typedef struct {
  int32_t type;
  void* run;
} Acme_Extension;
