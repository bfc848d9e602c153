// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build !linux && !darwin

package check

// guardedMemory returns size bytes. Nothing guards their end here.
func guardedMemory(size int) ([]byte, func()) {
	return make([]byte, size), func() {}
}

func guardedFront(size int) ([]byte, func()) { return make([]byte, size), func() {} }
