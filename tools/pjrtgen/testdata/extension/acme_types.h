/* SPDX-License-Identifier: Apache-2.0
   SPDX-FileCopyrightText: 2026 The purepjrt Authors */

// What the extensions of a vendor share.

#ifndef ACME_TYPES_H_
#define ACME_TYPES_H_

#include <stdint.h>

#include "pjrt_c_api.h"

typedef int64_t Acme_Id;

typedef struct Acme_Queue Acme_Queue;

typedef struct {
  Acme_Id id;
  PJRT_Device* device;
} Acme_Place;

#endif  // ACME_TYPES_H_
