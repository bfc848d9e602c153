// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package raw

import (
	"context"

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

// Context returns the context for the handlers of the execution's custom calls: that of the
// call that executes the program, by which package pjrt knows the execution. Until the
// execution is over, a wait with this context or one derived from it, in any goroutine, for
// what needs the end of the execution, such as its results, fails with
// pjrt.ErrFailedPrecondition. With another context such a wait lasts until that context ends.
func (x Execution) Context() context.Context {
	if x.x == nil {
		return context.Background()
	}
	return x.x.HandlerContext()
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

// OnCompileError has package pjrt call hint with the error of each program that does not
// compile or load. What hint returns, unless it is empty, is added to the error. hint must not
// change the error, and may be called from any goroutine.
func OnCompileError(hint func(*pjrt.Error) string) { bridge.Root.OnCompileError(hint) }

// OnOpen calls fn for each plugin of the process: at once for those that are open, and for
// others when they are opened, before Open returns them. If fn fails for a plugin that is
// already open, the error is logged; for others it makes Open fail.
func OnOpen(fn func(*pjrt.Plugin) error) {
	bridge.Root.OnOpen(func(p any) error { return fn(p.(*pjrt.Plugin)) })
}
