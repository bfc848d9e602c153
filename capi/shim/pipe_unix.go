// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build unix

package shim

import "syscall"

// withoutWaiting opens a pipe that has a reader, and fails if it has none. Writing to it waits for
// the reader as usual, but takes no thread.
const withoutWaiting = syscall.O_NONBLOCK
