/* SPDX-License-Identifier: Apache-2.0
   Restates the public ABI of openxla/xla's header of this path. */

// The entry point of the GPU plugin.

#ifndef XLA_PJRT_C_PJRT_C_API_GPU_H_
#define XLA_PJRT_C_PJRT_C_API_GPU_H_

#include "xla/pjrt/c/pjrt_c_api.h"
#include "xla/pjrt/c/pjrt_c_api_macros.h"

#ifdef __cplusplus
extern "C" {
#endif

// Returns the table of the GPU plugin. It belongs to the plugin, is the same at
// each call, and lives as long as the process. May be called from any thread.
PJRT_CAPI_EXPORT const PJRT_Api* GetPjrtApi();

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // XLA_PJRT_C_PJRT_C_API_GPU_H_
