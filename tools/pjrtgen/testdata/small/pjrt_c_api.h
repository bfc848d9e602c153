// SPDX-License-Identifier: Apache-2.0
// A small API in the form of PJRT's, for the tests of pjrtgen generate.

#ifndef XLA_PJRT_C_PJRT_C_API_H_
#define XLA_PJRT_C_PJRT_C_API_H_

#include <stddef.h>
#include <stdint.h>

#define PJRT_STRUCT_SIZE(struct_type, last_field) \
  offsetof(struct_type, last_field) + sizeof(((struct_type*)0)->last_field)
#define PJRT_DEFINE_STRUCT_TRAITS(sname, last_field) \
  typedef struct sname sname;                        \
  enum { sname##_STRUCT_SIZE = PJRT_STRUCT_SIZE(sname, last_field) }

typedef enum {
  PJRT_Extension_Type_Layouts = 4,
} PJRT_Extension_Type;

typedef struct PJRT_Extension_Base {
  size_t struct_size;
  PJRT_Extension_Type type;
  struct PJRT_Extension_Base* next;
} PJRT_Extension_Base;
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Extension_Base, next);

#define PJRT_API_MAJOR 0
#define PJRT_API_MINOR 90

typedef struct PJRT_Error PJRT_Error;
typedef struct PJRT_Client PJRT_Client;

typedef enum {
  PJRT_Error_Code_OK = 0,
  PJRT_Error_Code_INTERNAL = 13,
} PJRT_Error_Code;

struct PJRT_Client_Create_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Client* client;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Client_Create_Args, client);

// Makes a client.
typedef PJRT_Error* PJRT_Client_Create(PJRT_Client_Create_Args* args);

struct PJRT_Client_Size_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Client* client;
  int64_t size;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Client_Size_Args, size);

// Tells how big a client is.
typedef PJRT_Error* PJRT_Client_Size(PJRT_Client_Size_Args* args);

#define _PJRT_API_STRUCT_FIELD(fn_type) fn_type* fn_type

typedef struct PJRT_Api {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  _PJRT_API_STRUCT_FIELD(PJRT_Client_Create);
  _PJRT_API_STRUCT_FIELD(PJRT_Client_Size);
} PJRT_Api;

enum { PJRT_Api_STRUCT_SIZE = PJRT_STRUCT_SIZE(PJRT_Api, PJRT_Client_Size) };

#undef _PJRT_API_STRUCT_FIELD

#endif  // XLA_PJRT_C_PJRT_C_API_H_
