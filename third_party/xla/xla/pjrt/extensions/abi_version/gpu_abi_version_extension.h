/* SPDX-License-Identifier: Apache-2.0
   Restates the public ABI of openxla/xla's header of this path. */

// Only of use inside a GPU plugin that is written in C++: it declares the
// function that makes the plugin's AbiVersion node. It defines nothing that
// crosses the C boundary.

#ifndef XLA_PJRT_EXTENSIONS_ABI_VERSION_GPU_ABI_VERSION_EXTENSION_H_
#define XLA_PJRT_EXTENSIONS_ABI_VERSION_GPU_ABI_VERSION_EXTENSION_H_

#include "xla/pjrt/c/pjrt_c_api.h"
#include "xla/pjrt/c/pjrt_c_api_abi_version_extension.h"

namespace pjrt {

// Makes the AbiVersion node of a GPU plugin, in front of next.
PJRT_AbiVersion_Extension CreateGpuAbiVersionExtension(
    PJRT_Extension_Base* next = nullptr);

}  // namespace pjrt

#endif  // XLA_PJRT_EXTENSIONS_ABI_VERSION_GPU_ABI_VERSION_EXTENSION_H_
