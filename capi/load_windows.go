// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package capi

import (
	"errors"
	"fmt"
	"syscall"
)

// errorModNotFound is ERROR_MOD_NOT_FOUND: the file exists, so it is a library
// that it needs which does not. Windows does not say which.
const errorModNotFound = syscall.Errno(126)

// load maps the library at path, an absolute path of a file that exists.
func load(path string) (library, error) {
	h, err := syscall.LoadLibrary(path)
	if err == nil {
		return library(h), nil
	}
	if errors.Is(err, errorModNotFound) {
		return 0, &MissingDependencyError{Library: "(the system does not say which)", Detail: err.Error()}
	}
	return 0, fmt.Errorf("the system refused to load it: %w", err)
}

// symbol returns the address of an exported symbol.
func (l library) symbol(name string) (uintptr, error) {
	return syscall.GetProcAddress(syscall.Handle(l), name)
}
