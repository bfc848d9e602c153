/* SPDX-License-Identifier: Apache-2.0
   Restates the public ABI of openxla/xla's header of this path. */

// The macro that exports the entry point of a plugin.

#ifndef XLA_PJRT_C_PJRT_C_API_MACROS_H_
#define XLA_PJRT_C_PJRT_C_API_MACROS_H_

// Makes a function visible to the program that loads the library.
#if defined(_WIN32)
#define PJRT_CAPI_EXPORT __declspec(dllexport)
#else
#define PJRT_CAPI_EXPORT __attribute__((visibility("default")))
#endif

#endif  // XLA_PJRT_C_PJRT_C_API_MACROS_H_
