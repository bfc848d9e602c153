// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package shim

import "golang.org/x/sys/windows"

// threadID returns the system's id of the calling thread.
func threadID() uint64 { return uint64(windows.GetCurrentThreadId()) }
