/* SPDX-License-Identifier: Apache-2.0
   Restates the public ABI of openxla/xla's header of this path. */

// The entry point of the TPU plugin.

#ifndef XLA_PJRT_C_PJRT_C_API_TPU_H_
#define XLA_PJRT_C_PJRT_C_API_TPU_H_

#include "xla/pjrt/c/pjrt_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

// The ways in which the TPU library can be linked into a program.
enum PjRtCApiTpuInitType {
  // Linked in by a program built together with it.
  kPjRtCApiTpuInitTypeInternalStaticLinking,
  // Linked in by a program built elsewhere.
  kPjRtCApiTpuInitTypeExternalStaticLinking,
  // Loaded when the program runs.
  kPjRtCApiTpuInitTypeDynamicLinking,
};

// How this library was linked.
extern enum PjRtCApiTpuInitType kPjRtCApiTpuInitType;

// Returns the table of the TPU plugin. It belongs to the plugin, is the same at
// each call, and lives as long as the process. May be called from any thread.
const PJRT_Api* GetPjrtApi();

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // XLA_PJRT_C_PJRT_C_API_TPU_H_
