/* SPDX-License-Identifier: Apache-2.0
   Restates the public ABI of openxla/xla's header of this path. */

// Compiles Triton kernels to code of the plugin's platform.

#ifndef XLA_PJRT_C_PJRT_C_API_TRITON_EXTENSION_H_
#define XLA_PJRT_C_PJRT_C_API_TRITON_EXTENSION_H_

#include <stddef.h>
#include <stdint.h>

#include "xla/pjrt/c/pjrt_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

// The version of this extension. The plugin does not report it.
#define PJRT_API_TRITON_EXTENSION_VERSION 2

// The arguments of PJRT_Triton_Compile.
struct PJRT_Triton_Compile_Args {
  size_t struct_size;
  // The kernel as MLIR. Read during the call only.
  const char* module;
  // Its length in bytes.
  size_t module_size;
  // The architecture to compile for.
  const char* arch_name;
  // Its length in bytes.
  size_t arch_name_size;
  // How many warps a block has.
  int num_warps;
  // How many blocks a cluster has.
  int num_ctas;
  // How many stages loops are pipelined into.
  int num_stages;
  // The code, stored by the plugin. Owned by the caller; the header does not
  // say how to free it.
  const char* out_asm;
  // Its length in bytes.
  size_t out_asm_size;
  // How much shared memory the kernel needs, in bytes. Stored by the plugin.
  int64_t out_smem_bytes;
  // The path of a file with the code, stored by the plugin. Owned by the
  // caller; the header does not say how to free it.
  const char* out_path;
  // Its length in bytes.
  size_t out_path_size;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Triton_Compile_Args, out_path_size);

// Compiles a kernel. Blocks until it is done. Either the code or the path of a
// file that holds it is set.
typedef PJRT_Error* PJRT_Triton_Compile(PJRT_Triton_Compile_Args* args);

// The node of the Triton extension. Its args have no extension_start.
typedef struct PJRT_Triton_Extension {
  PJRT_Extension_Base base;
  PJRT_NO_DISCARD PJRT_Triton_Compile* compile;
} PJRT_Triton;
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Triton_Extension, compile);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // XLA_PJRT_C_PJRT_C_API_TRITON_EXTENSION_H_
