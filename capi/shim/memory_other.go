// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build !linux

package shim

// memoryReadable reports whether readMemory works here. There is no way to look
// at memory that may be gone, so the contents of host memory are not checked.
func memoryReadable() bool { return false }

func readMemory([]byte, uintptr) bool { return true }
