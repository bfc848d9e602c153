// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build !linux

package shim

// memoryReadable reports whether readMemory works here. It does not: there is no safe way to read
// memory that may have been freed, so the contents of host memory are not checked.
func memoryReadable() bool { return false }

func readMemory([]byte, uintptr) bool { return true }
