/* SPDX-License-Identifier: Apache-2.0
   Restates the public ABI of openxla/xla's header of this path. */

// Leads to the profiler of a plugin, whose functions are in
// xla/backends/profiler/plugin/profiler_c_api.h. The same node, with a null
// table, can be attached to the args of a call to tie it to a trace of the
// caller.

#ifndef XLA_PJRT_C_PJRT_C_API_PROFILER_EXTENSION_H_
#define XLA_PJRT_C_PJRT_C_API_PROFILER_EXTENSION_H_

#include <stddef.h>
#include <stdint.h>

#include "xla/backends/profiler/plugin/profiler_c_api.h"
#include "xla/pjrt/c/pjrt_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

// The version of this extension. The plugin does not report it.
#define PJRT_API_PROFILER_EXTENSION_VERSION 1

// The node of the profiler extension.
struct PJRT_Profiler_Extension {
  PJRT_Extension_Base base;
  // The profiler's table, owned by the plugin; null where the node is attached
  // to the args of a call.
  PLUGIN_Profiler_Api* profiler_api;
  // The id of the caller's trace event. Meaningful only where the node is
  // attached to the args of a call.
  int64_t traceme_context_id;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Profiler_Extension, traceme_context_id);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // XLA_PJRT_C_PJRT_C_API_PROFILER_EXTENSION_H_
