/* SPDX-License-Identifier: Apache-2.0
   A stand-in, so that a C++ compiler accepts the headers that include it. */

#ifndef XLA_PJRT_PJRT_CLIENT_H_
#define XLA_PJRT_PJRT_CLIENT_H_

#include "xla/pjrt/pjrt_common.h"

namespace xla {

// Only named in prototypes, so what they are does not matter.
class PjRtCrossHostRecvNotifier;

class PjRtBuffer {
 public:
  class RemoteSendCallback;
};

}  // namespace xla

#endif  // XLA_PJRT_PJRT_CLIENT_H_
