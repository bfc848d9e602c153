// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build cgo

package executebench

/*
#include <stdlib.h>

typedef void* (*function)(void*);

static inline void* call(void* f, void* args) { return ((function)f)(args); }

// The functions and their arguments, in the order of the calls. The third word
// of the last three is the handle that they are about.
struct execution {
  void* f[4];
  void* args[4];
  void** event;   // where the first call puts them
  void** output;
};

// The floor: n executions without leaving C. Each waits for its end and frees
// its result.
static void* loop(struct execution* e, long n) {
  for (long i = 0; i < n; ++i) {
    void* err = ((function)e->f[0])(e->args[0]);
    if (err) return err;
    ((void**)e->args[1])[2] = *e->event;
    ((void**)e->args[2])[2] = *e->event;
    ((void**)e->args[3])[2] = *e->output;
    for (int k = 1; k < 4; ++k) {
      if ((err = ((function)e->f[k])(e->args[k]))) return err;
    }
  }
  return 0;
}
*/
import "C"

import (
	"unsafe"

	"github.com/purepjrt/purepjrt/capi"
)

// execution is one execution and what belongs to it: the functions and their
// args structs, and where the first call puts the event and the output.
type execution struct {
	functions, args [4]unsafe.Pointer
	event, output   *unsafe.Pointer

	calls *calls // of viaCapi
}

// calls are those of viaCapi.
type calls struct {
	execute       capi.Call[capi.LoadedExecutableExecuteArgs]
	await         capi.Call[capi.EventAwaitArgs]
	destroyEvent  capi.Call[capi.EventDestroyArgs]
	destroyBuffer capi.Call[capi.BufferDestroyArgs]
}

// inC executes n times within C.
func (e *execution) inC(n int) unsafe.Pointer {
	c := (*C.struct_execution)(C.malloc(C.size_t(unsafe.Sizeof(C.struct_execution{}))))
	defer C.free(unsafe.Pointer(c))
	for i := range e.functions {
		c.f[i], c.args[i] = e.functions[i], e.args[i]
	}
	c.event, c.output = e.event, e.output
	return C.loop(c, C.long(n))
}

// viaCgo executes once, and crosses into C for each call, like a binding based on cgo.
func (e *execution) viaCgo() unsafe.Pointer {
	if err := C.call(e.functions[0], e.args[0]); err != nil {
		return err
	}
	*handleOf(e.args[1]) = *e.event
	*handleOf(e.args[2]) = *e.event
	*handleOf(e.args[3]) = *e.output
	for i := 1; i < 4; i++ {
		if err := C.call(e.functions[i], e.args[i]); err != nil {
			return err
		}
	}
	return nil
}

// handleOf returns the third word of an args struct.
func handleOf(args unsafe.Pointer) *unsafe.Pointer {
	return (*unsafe.Pointer)(unsafe.Add(args, 2*unsafe.Sizeof(uintptr(0))))
}

// cMemory returns n zero bytes of C memory.
func cMemory(n uintptr) unsafe.Pointer { return C.calloc(1, C.size_t(n)) }
