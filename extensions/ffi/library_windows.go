// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package ffi

import "syscall"

// openLibrary loads a library and returns a function that finds its symbols.
func openLibrary(path string) (find func(symbol string) (uintptr, error), err error) {
	h, err := syscall.LoadLibrary(path)
	if err != nil {
		return nil, err
	}
	return func(symbol string) (uintptr, error) { return syscall.GetProcAddress(h, symbol) }, nil
}
