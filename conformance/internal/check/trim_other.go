// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build !linux

package check

import "runtime/debug"

// giveBack returns to the system what Go's allocator keeps for later.
func giveBack() { debug.FreeOSMemory() }
