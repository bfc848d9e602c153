// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build unix

package outside

import "syscall"

// withoutWaiting opens a pipe before anything writes to it.
const withoutWaiting = syscall.O_NONBLOCK
