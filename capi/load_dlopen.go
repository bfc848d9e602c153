// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build linux || darwin

package capi

import (
	"fmt"
	"regexp"
	"runtime"

	"github.com/ebitengine/purego"

	"github.com/purepjrt/purepjrt/internal/dynamic"
)

// linkerMissing finds the name of a missing library in the messages of glibc, musl and dyld,
// because the linker reports it in no other way.
var linkerMissing = []*regexp.Regexp{
	regexp.MustCompile(`^(\S+): cannot open shared object file: No such file`),
	regexp.MustCompile(`Error loading shared library (\S+): No such file`),
	regexp.MustCompile(`Library not loaded: (\S+)`),
}

// linkerPython finds a function or variable of Python's C API in the messages of the same linkers.
var linkerPython = regexp.MustCompile(`(undefined symbol: |Error relocating \S+: |symbol '_)_?Py[A-Z_]\w*`)

// load loads the library at path, the absolute path of an existing file.
func load(path string) (library, error) {
	if err := dynamic.CheckProgram(); err != nil {
		return 0, err
	}
	// dlerror is a second call, and its text belongs to the thread.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	h, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err == nil {
		return library(h), nil
	}
	for _, r := range linkerMissing {
		if m := r.FindStringSubmatch(err.Error()); m != nil && m[1] != path {
			return 0, &MissingDependencyError{Library: m[1], Detail: err.Error()}
		}
	}
	if linkerPython.MatchString(err.Error()) {
		return 0, fmt.Errorf("it needs Python, and does not say in which library: preload that of the Python it was built for, "+
			"for example with LD_PRELOAD=libpython3.11.so.1.0 (%w)", err)
	}
	if reason := dynamic.Unmapped(err.Error()); reason != "" {
		return 0, fmt.Errorf("%s (%w)", reason, err)
	}
	return 0, fmt.Errorf("the dynamic linker rejected it: %w", err)
}

// symbol returns the address of an exported symbol.
func (l library) symbol(name string) (uintptr, error) {
	return purego.Dlsym(uintptr(l), name)
}
