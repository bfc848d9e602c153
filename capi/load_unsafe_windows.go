// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package capi

import (
	"errors"
	"fmt"
	"syscall"
	"unsafe"
)

// errorModNotFound is ERROR_MOD_NOT_FOUND. The file itself exists, so a library that it needs is
// missing. Windows does not say which.
const errorModNotFound = syscall.Errno(126)

// withAlteredSearchPath is LOAD_WITH_ALTERED_SEARCH_PATH: libraries that the library needs may lie
// beside it.
const withAlteredSearchPath = 8

var loadLibraryEx = syscall.NewLazyDLL("kernel32.dll").NewProc("LoadLibraryExW")

// load loads the library at path, the absolute path of an existing file.
func load(path string) (library, error) {
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return 0, err
	}
	h, _, err := loadLibraryEx.Call(uintptr(unsafe.Pointer(name)), 0, withAlteredSearchPath)
	switch {
	case h != 0:
		return library(h), nil
	case errors.Is(err, errorModNotFound):
		return 0, &MissingDependencyError{Library: "(the system does not say which)", Detail: err.Error()}
	}
	return 0, fmt.Errorf("Windows cannot load it: %w", err)
}

// symbol returns the address of an exported symbol.
func (l library) symbol(name string) (uintptr, error) {
	return syscall.GetProcAddress(syscall.Handle(l), name)
}
