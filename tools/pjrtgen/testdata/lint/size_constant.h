/* SPDX-License-Identifier: Apache-2.0
   SPDX-FileCopyrightText: 2026 The purepjrt Authors */

#include "xla/pjrt/c/pjrt_c_api.h"

struct Acme_Stale_Args {
  size_t struct_size;
  PJRT_Client* client;
  int64_t added_later;
};
PJRT_DEFINE_STRUCT_TRAITS(Acme_Stale_Args, client);

struct Acme_Number_Args {
  size_t struct_size;
  PJRT_Client* client;
};
enum { Acme_Number_Args_STRUCT_SIZE = 24 };

struct Acme_Missing_Args {
  size_t struct_size;
  PJRT_Client* client;
};
PJRT_DEFINE_STRUCT_TRAITS(Acme_Missing_Args,
                          clients);

struct Acme_Hidden_Args {
  size_t struct_size;
};
PJRT_DEFINE_STRUCT_TRAITS(Acme_Hidden_Args, struct_size);
#define Acme_Hidden_Args_STRUCT_SIZE 8
