// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package mutant

import "github.com/ebitengine/purego"

// LibC calls a function of the C library of Linux from outside Go's reach, such as exit or
// fork, and returns its result. It does to a process what a faulty plugin can do to it. It
// panics if there is no function of that name.
func LibC(name string, args ...uintptr) uintptr {
	lib, err := purego.Dlopen("libc.so.6", purego.RTLD_NOW)
	if err != nil {
		panic(err)
	}
	f, err := purego.Dlsym(lib, name)
	if err != nil {
		panic(err)
	}
	r, _, _ := purego.SyscallN(f, args...)
	return r
}
