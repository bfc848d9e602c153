// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build cgo

package callbench

/*
#include <stdlib.h>

typedef void* (*function)(void*);

static inline void* call(void* f, void* args) { return ((function)f)(args); }

// The floor: n calls without leaving C.
static void* loop(void* f, void* args, long n) {
  void* r = 0;
  for (long i = 0; i < n; ++i) r = ((function)f)(args);
  return r;
}
*/
import "C"

import "unsafe"

// viaCgo calls f like a binding based on cgo.
func viaCgo(f, args unsafe.Pointer) unsafe.Pointer { return C.call(f, args) }

// inC calls f n times within C.
func inC(f, args unsafe.Pointer, n int) unsafe.Pointer { return C.loop(f, args, C.long(n)) }

// cMemory returns n bytes of C memory. A binding based on cgo uses such memory for arguments, so that cgo does not
// check it on each call.
func cMemory(n uintptr) unsafe.Pointer { return C.malloc(C.size_t(n)) }
