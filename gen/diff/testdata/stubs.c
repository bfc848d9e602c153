// Stubs for the functions of PJRT 0.9 that are new since 0.7.
// Replace the body of each with the function itself, or leave it.

#include <stddef.h>
#include "xla/pjrt/c/pjrt_c_api.h"
#include "xla/pjrt/c/pjrt_c_api_bell_extension.h"

// Yours to write: a new error with code UNIMPLEMENTED that names the function.
PJRT_Error* Unimplemented(const char* function);

PJRT_Door_Shut Stub_PJRT_Door_Shut;
PJRT_Error* Stub_PJRT_Door_Shut(PJRT_Door_Shut_Args* args) {
  (void)args;
  return Unimplemented("PJRT_Door_Shut");
}

PJRT_Door_Forget Stub_PJRT_Door_Forget;
void Stub_PJRT_Door_Forget(PJRT_Door_Shut_Args* args) {
  (void)args;
  // Returns nothing, so it cannot report an error: it must do its work.
}

int64_t Stub_PJRT_Bell_Extension_count(const PJRT_Door* door, void (*each)(PJRT_Door *, void *), void* arg);
int64_t Stub_PJRT_Bell_Extension_count(const PJRT_Door* door, void (*each)(PJRT_Door *, void *), void* arg) {
  (void)door;
  (void)each;
  (void)arg;
  static int64_t zero;
  return zero;  // no error can be returned here
}

// Lines for the initialiser of PJRT_Api, whose struct_size must be PJRT_Api_STRUCT_SIZE (40):
//
//   .PJRT_Door_Shut = Stub_PJRT_Door_Shut,
//   .PJRT_Door_Forget = Stub_PJRT_Door_Forget,

// Lines for the initialiser of PJRT_Bell_Extension, whose struct_size must be PJRT_Bell_Extension_STRUCT_SIZE (40):
//
//   .count = Stub_PJRT_Bell_Extension_count,
