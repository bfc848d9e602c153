// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package ffi

import (
	"log/slog"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/ebitengine/purego"

	"github.com/purepjrt/purepjrt/capi"
)

// task is a function that XLA's threads run once.
type task struct {
	run  func()
	done atomic.Bool
}

var taskEntry = sync.OnceValue(func() uintptr {
	return purego.NewCallback(func(data uintptr) uintptr {
		defer func() {
			if v := recover(); v != nil {
				slog.Error("panic in a callback from XLA", "callback", "XLA_FFI_Task", "panic", v, "stack", string(debug.Stack()))
			}
		}()
		h := capi.Handle(data)
		if v, ok := h.Value(); ok {
			if t := v.(*task); t.done.CompareAndSwap(false, true) {
				h.Delete()
				t.run()
			}
		}
		return 0
	})
})

// NewTask makes the task and the data of ThreadPoolScheduleArgs from fn, which runs once. A panic
// in it is logged. The handle ends with that call. Delete it if scheduling fails.
func NewTask(fn func()) (Task, capi.Handle) {
	return Task(taskEntry()), capi.NewHandle(&task{run: fn})
}

// Deleter returns the deleter for values that are a capi.Handle, which deletes the handle; see
// capi.HandleDeleter.
func Deleter() TypeInfoDeleter { return TypeInfoDeleter(capi.HandleDeleter()) }
