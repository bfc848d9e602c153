// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build linux || darwin

package capi

import (
	"fmt"
	"regexp"
	"runtime"

	"github.com/ebitengine/purego"
)

// linkerMissing finds the name of the library in what glibc, musl and dyld say
// of one that they did not find. The linker has no other way to tell.
var linkerMissing = []*regexp.Regexp{
	regexp.MustCompile(`^(\S+): cannot open shared object file: No such file`),
	regexp.MustCompile(`Error loading shared library (\S+): No such file`),
	regexp.MustCompile(`Library not loaded: (\S+)`),
}

// load maps the library at path, an absolute path of a file that exists.
func load(path string) (library, error) {
	// What went wrong is kept for each thread, and asked for in a second call.
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
	return 0, fmt.Errorf("the dynamic linker refused it: %w", err)
}

// symbol returns the address of an exported symbol.
func (l library) symbol(name string) (uintptr, error) {
	return purego.Dlsym(uintptr(l), name)
}
