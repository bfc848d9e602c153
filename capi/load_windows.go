// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package capi

import (
	"errors"
	"fmt"
	"syscall"

	"golang.org/x/sys/windows"
)

// errorModNotFound is ERROR_MOD_NOT_FOUND. The file itself exists, so a library that it needs is
// missing. Windows does not say which.
const errorModNotFound = syscall.Errno(126)

// load loads the library at path, the absolute path of an existing file. Libraries that it needs may
// lie beside it.
func load(path string) (library, error) {
	h, err := windows.LoadLibraryEx(path, 0, windows.LOAD_WITH_ALTERED_SEARCH_PATH)
	if err == nil {
		return library(h), nil
	}
	if errors.Is(err, errorModNotFound) {
		return 0, &MissingDependencyError{Library: "(the system does not say which)", Detail: err.Error()}
	}
	return 0, fmt.Errorf("Windows cannot load it: %w", err)
}

// symbol returns the address of an exported symbol.
func (l library) symbol(name string) (uintptr, error) {
	return syscall.GetProcAddress(syscall.Handle(l), name)
}
