/* SPDX-License-Identifier: Apache-2.0
   Restates the public ABI of openxla/xla's header of this path. */

// Only of use to C++ programs that have a TPU plugin linked in.

#ifndef XLA_PJRT_C_PJRT_C_API_TPU_INTERNAL_H_
#define XLA_PJRT_C_PJRT_C_API_TPU_INTERNAL_H_

#include "xla/pjrt/c/pjrt_c_api.h"

namespace pjrt {
namespace tpu_plugin {

// Returns the table of a TPU plugin that is linked into the program. It lives
// as long as the process.
const PJRT_Api* GetTpuPjrtApi();

}  // namespace tpu_plugin
}  // namespace pjrt

#endif  // XLA_PJRT_C_PJRT_C_API_TPU_INTERNAL_H_
