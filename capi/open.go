// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package capi

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Errors of Open. Besides these, a file that does not exist gives fs.ErrNotExist, and an unreadable
// one fs.ErrPermission.
var (
	ErrNotLibrary        = errors.New("not a shared library for this platform")
	ErrMissingDependency = errors.New("a library that the plugin needs is missing")
	ErrNoEntryPoint      = errors.New("the library is not a PJRT plugin: it does not export GetPjrtApi")
	ErrNullTable         = errors.New("the plugin's GetPjrtApi returned null")
	ErrMajorVersion      = errors.New("the plugin's major API version differs")
	ErrTooOld            = errors.New("the plugin is too old")
	ErrTableSize         = errors.New("its struct_size is less than the head of any table")
)

// OpenError is the error of Open. Err is, or wraps, one of the errors above or an error of the
// operating system.
type OpenError struct {
	Path string
	Err  error
}

// Error returns the path and the reason.
func (e *OpenError) Error() string { return "plugin " + e.Path + ": " + e.Err.Error() }

// Unwrap returns Err.
func (e *OpenError) Unwrap() error { return e.Err }

// MissingDependencyError names the library that the dynamic linker did not find. It matches
// ErrMissingDependency.
type MissingDependencyError struct {
	Library string // as the plugin names it, such as libcupti.so.13; on Windows all, with ", " between
	Detail  string // the linker's message
}

// Error names the library and says where the linker looks.
func (e *MissingDependencyError) Error() string {
	return fmt.Sprintf("%v: %s: install it, or add its directory to the library path (%s)", ErrMissingDependency, e.Library, e.Detail)
}

// Is reports whether target is ErrMissingDependency.
func (e *MissingDependencyError) Is(target error) bool { return target == ErrMissingDependency }

// Open loads the plugin in the shared library at path and returns its table. The symbols of the
// library stay local to it, so that plugins do not interfere with each other. The library stays
// loaded until the process ends, even if Open fails after loading it.
//
// Open checks the file first, because the dynamic linker crashes on some damaged libraries. It does
// not call PJRT_Plugin_Initialize. The error is an *OpenError.
//
// Loading runs the library's own initializers. If the library is hostile, or its initializers
// crash, the process ends.
func Open(path string) (*Table, error) {
	t, err := open(path)
	if err != nil {
		return nil, &OpenError{path, err}
	}
	return t, nil
}

func open(path string) (*Table, error) {
	if path == "" {
		return nil, fmt.Errorf("%w: the path is empty", fs.ErrInvalid)
	}
	// For a name without a slash, the dynamic linker would search its own directories, and might
	// load a file other than the one checked here.
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(path)
	if err != nil {
		var pe *fs.PathError
		if errors.As(err, &pe) {
			err = pe.Err // the OpenError has the path
		}
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%w: it is not a regular file (%s)", ErrNotLibrary, info.Mode().Type())
	}
	if err := checkImage(path, info.Size()); err != nil {
		return nil, err
	}
	lib, err := load(path)
	if err != nil {
		return nil, err
	}
	t, err := lib.table()
	if err != nil {
		return nil, err
	}
	first, _ := opened.LoadOrStore(t.api, path)
	t.library = first.(string)
	return t, nil
}
