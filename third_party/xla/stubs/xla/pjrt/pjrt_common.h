/* SPDX-License-Identifier: Apache-2.0
   A stand-in, so that a C++ compiler accepts the headers that include it. */

#ifndef XLA_PJRT_PJRT_COMMON_H_
#define XLA_PJRT_PJRT_COMMON_H_

#include <cstdint>

namespace xla {

// Wrapped integers in the original, of the same size.
using GlobalDeviceId = int32_t;
using CrossHostTransferKey = int64_t;

}  // namespace xla

#endif  // XLA_PJRT_PJRT_COMMON_H_
