// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build cgo

package main

// #include <stdlib.h>
// extern char **environ;
// extern void pjrtShimEnd(void);
// static const char *variable(size_t i) { return environ ? environ[i] : NULL; }
import "C"

func init() {
	environ = func() []string {
		var list []string
		for i := C.size_t(0); ; i++ {
			v := C.variable(i)
			if v == nil {
				return list
			}
			list = append(list, C.GoString(v))
		}
	}
}

// GetPjrtApi is the function that clients look up in the library. It always returns the same table,
// which start keeps until the process ends. The result is a number, because cgo's checks do not
// allow C to keep Go pointers.
//
//export GetPjrtApi
func GetPjrtApi() uintptr { return start().Address() }

// pjrtShimEnd is called when the process ends.
//
//export pjrtShimEnd
func pjrtShimEnd() { end() }

// main is never called, but Go requires it.
func main() {}
