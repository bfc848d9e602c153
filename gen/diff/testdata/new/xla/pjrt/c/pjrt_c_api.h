// A core header in miniature: the newer of two. Nothing in it breaks the ABI.
#ifndef NEW_H_
#define NEW_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PJRT_STRUCT_SIZE(type, last) \
  (offsetof(struct type, last) + sizeof(((struct type*)0)->last))
#define PJRT_DEFINE_STRUCT_TRAITS(name, last) \
  typedef struct name name;                   \
  enum { name##_STRUCT_SIZE = PJRT_STRUCT_SIZE(name, last) }

#define PJRT_API_MAJOR 0
#define PJRT_API_MINOR 9

typedef enum {
  PJRT_Extension_Type_Bell = 0,
  PJRT_Extension_Type_Lock,
} PJRT_Extension_Type;

typedef struct PJRT_Extension_Base {
  size_t struct_size;
  PJRT_Extension_Type type;
  struct PJRT_Extension_Base* next;
} PJRT_Extension_Base;

typedef struct PJRT_Error PJRT_Error;
typedef struct PJRT_Door PJRT_Door;

typedef enum {
  PJRT_Door_Color_kRed = 1,
  PJRT_Door_Color_kBlue,
  PJRT_Door_Color_kGreen,
} PJRT_Door_Color;

struct PJRT_Door_Open_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Door* door;
  PJRT_Door_Color color;
  bool wide;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Door_Open_Args, wide);
typedef PJRT_Error* PJRT_Door_Open(PJRT_Door_Open_Args* args);

struct PJRT_Door_Shut_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Door* door;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Door_Shut_Args, door);
typedef PJRT_Error* PJRT_Door_Shut(PJRT_Door_Shut_Args* args);
typedef void PJRT_Door_Forget(PJRT_Door_Shut_Args* args);

typedef struct PJRT_Api {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Door_Open* PJRT_Door_Open;
  PJRT_Door_Shut* PJRT_Door_Shut;
  PJRT_Door_Forget* PJRT_Door_Forget;
} PJRT_Api;
enum { PJRT_Api_STRUCT_SIZE = PJRT_STRUCT_SIZE(PJRT_Api, PJRT_Door_Forget) };

#endif
