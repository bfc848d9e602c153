// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build !unix

package mlir

// threadStack returns how many bytes of stack the system gives a new thread: the default on
// Windows.
func threadStack() int { return 1 << 20 }
