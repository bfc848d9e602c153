// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build cgo

#include "_cgo_export.h"

// Go has nothing that runs when a library's process ends.
__attribute__((destructor)) static void at_end(void) { pjrtShimEnd(); }
