// An extension that the older root lacks. Half of it is C++.
#ifndef LOCK_H_
#define LOCK_H_

#include "xla/pjrt/c/pjrt_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PJRT_API_LOCK_EXTENSION_VERSION 1

typedef struct PJRT_Lock_Extension {
  PJRT_Extension_Base base;
  PJRT_Door_Shut* shut;
} PJRT_Lock_Extension;
enum { PJRT_Lock_Extension_STRUCT_SIZE = PJRT_STRUCT_SIZE(PJRT_Lock_Extension, shut) };

#ifdef __cplusplus
}
#endif

namespace pjrt {
PJRT_Lock_Extension CreateLockExtension(PJRT_Extension_Base* next = nullptr);
}  // namespace pjrt

#endif
