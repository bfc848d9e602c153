// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build linux || darwin

package pjrt_test

import (
	"fmt"
	"runtime"
	"unsafe"

	"github.com/ebitengine/purego"
)

// callOnForeignThread calls the C function code with the argument arg, on a
// thread that the C library makes for it.
func callOnForeignThread(code uintptr, arg unsafe.Pointer) uintptr {
	var pins runtime.Pinner
	defer pins.Unpin()
	pins.Pin(arg)
	create, join := libc("pthread_create"), libc("pthread_join")
	thread, result := new(uintptr), new(uintptr)
	pins.Pin(thread)
	pins.Pin(result)
	if r, _, _ := purego.SyscallN(create, uintptr(unsafe.Pointer(thread)), 0, code, uintptr(arg)); r != 0 {
		panic(fmt.Sprintf("pthread_create returns %d", r))
	}
	if r, _, _ := purego.SyscallN(join, *thread, uintptr(unsafe.Pointer(result))); r != 0 {
		panic(fmt.Sprintf("pthread_join returns %d", r))
	}
	return *result
}

func libc(name string) uintptr {
	p, err := purego.Dlsym(purego.RTLD_DEFAULT, name)
	if err != nil {
		panic(err)
	}
	return p
}
