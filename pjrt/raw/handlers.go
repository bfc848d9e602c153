// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package raw

import (
	"context"
	"errors"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/internal/bridge"
	"github.com/purepjrt/purepjrt/pjrt/internal/inside"
)

// Execution is an execution under way, as the handler of a custom call sees it.
type Execution struct{ x *inside.Execution }

// FollowExecutions makes later executions by the plugin known to [ExecutionOf], except those
// of programs that have neither custom calls nor loops. Each of these executions has a
// number, as if ExecuteOptions.LaunchID had been set.
func FollowExecutions(p *pjrt.Plugin) { bridge.Root.FollowExecutions(p) }

// ExecutionOf returns the execution with the given number (XLA_FFI_RunId_Get) until it is
// over. It returns false for an execution that is not followed, and if several have the same
// number.
func ExecutionOf(runID int64) (Execution, bool) {
	x := inside.Find(runID)
	return Execution{x}, x != nil
}

// Context returns the context of the call that executes the program. Waits that a handler
// makes with it are known to be the handler's, in other goroutines too: see
// [Execution.Handle].
func (x Execution) Context() context.Context {
	if x.x == nil {
		return context.Background()
	}
	return x.x.ContextOf()
}

// Program returns the name of the program.
func (x Execution) Program() string {
	if x.x == nil {
		return ""
	}
	return x.x.Program
}

// HasContext reports whether the execution has a PJRT_ExecuteContext.
func (x Execution) HasContext() bool { return x.x != nil && x.x.HasContext }

// Extension returns the first of ExecuteOptions.Extensions that has the type T.
func Extension[T pjrt.ExecuteExtension](x Execution) (extension T, ok bool) {
	if x.x == nil {
		return extension, false
	}
	for _, e := range x.x.Extensions {
		if extension, ok = e.(T); ok {
			break
		}
	}
	return extension, ok
}

// Handle calls fn, a handler of a custom call of the execution. While it runs, functions of
// package pjrt that fn calls return pjrt.ErrFailedPrecondition instead of waiting for what
// needs the end of the execution, such as its results.
func (x Execution) Handle(fn func() error) error {
	if x.x == nil {
		return fn()
	}
	err := inside.Run(x.x, fn)
	if errors.Is(err, inside.ErrTooMany) {
		return Errorf(pjrt.ErrResourceExhausted, "%v", err)
	}
	return err
}

// OnOpen calls fn for each plugin of the process: at once for those that are open, and for
// others when they are opened, before Open returns them. If fn fails for a plugin that is
// already open, the error is logged; for others it makes Open fail.
func OnOpen(fn func(*pjrt.Plugin) error) {
	bridge.Root.OnOpen(func(p any) error { return fn(p.(*pjrt.Plugin)) })
}
