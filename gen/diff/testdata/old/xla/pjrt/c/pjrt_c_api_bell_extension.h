// A table that spells its functions' types itself.
#ifndef BELL_H_
#define BELL_H_

#include "xla/pjrt/c/pjrt_c_api.h"

#define PJRT_API_BELL_EXTENSION_VERSION 1

typedef struct PJRT_Bell_Extension {
  PJRT_Extension_Base base;
  void (*ring)(PJRT_Door* door);
} PJRT_Bell_Extension;
enum { PJRT_Bell_Extension_STRUCT_SIZE = PJRT_STRUCT_SIZE(PJRT_Bell_Extension, ring) };

#endif
