/* SPDX-License-Identifier: Apache-2.0
   SPDX-FileCopyrightText: 2026 The purepjrt Authors */

#include "xla/pjrt/c/pjrt_c_api.h"

struct Acme_Run_Args {
  size_t struct_size;
  bool fast;
  PJRT_Client* client;
  union {
    int32_t number;
    int8_t flag;
  };
  int64_t limit;
  bool last;
};
PJRT_DEFINE_STRUCT_TRAITS(Acme_Run_Args, last);
