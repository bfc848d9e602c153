// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package ffi

import (
	"context"
	"sync/atomic"

	"github.com/purepjrt/purepjrt/capi"
	cffi "github.com/purepjrt/purepjrt/capi/ffi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// Call is one call of a handler. Its methods are for the time until the handler returns;
// after that those that ask the plugin are pjrt.ErrFailedPrecondition.
type Call struct {
	target    string
	frame     *cffi.CallFrame
	stage     cffi.ExecutionStage
	runID     int64
	known     bool // there is an execution
	execution raw.Execution
	over      atomic.Bool
}

// newCall describes a call that belongs to an execution.
func newCall(target string, frame *cffi.CallFrame) *Call {
	c := &Call{target: target, frame: frame, stage: frame.Stage}
	table, err := frame.Table()
	if err != nil {
		return c
	}
	var run capi.Call[cffi.RunIDGetArgs]
	run.Args.Ctx = frame.Ctx
	if err := run.Do(table); err != nil {
		return c // a host that does not number its executions
	}
	c.runID = run.Args.RunID
	c.execution, c.known = raw.ExecutionOf(c.runID)
	return c
}

func (c *Call) end() { c.over.Store(true) }

// Target returns the name of the custom call.
func (c *Call) Target() string {
	if c == nil {
		return ""
	}
	return c.target
}

// Stage returns why the handler is called: to execute, or for another stage of [Handler].
func (c *Call) Stage() cffi.ExecutionStage {
	if c == nil {
		return 0
	}
	return c.stage
}

// RunID returns the number of the execution, ExecuteOptions.LaunchID if that was given, and
// 0 for a call without one (XLA_FFI_RunId_Get).
func (c *Call) RunID() int64 {
	if c == nil {
		return 0
	}
	return c.runID
}

// Context returns the context of whoever executes the program, such as the argument of
// LoadedExecutable.Execute: a handler that takes long returns when it ends, and passes it to
// functions that wait. It never ends when a program is compiled, and if several executions
// have the same LaunchID.
func (c *Call) Context() context.Context {
	if c != nil && c.known {
		return c.execution.Context()
	}
	return context.Background()
}

// Program returns the name of the program, or "" if it is not known.
func (c *Call) Program() string {
	if c != nil && c.known {
		return c.execution.Program()
	}
	return ""
}

// Device returns the number of the device in this process (XLA_FFI_DeviceOrdinal_Get).
func (c *Call) Device() (int, error) {
	var call capi.Call[cffi.DeviceOrdinalGetArgs]
	table, err := c.table()
	if err != nil {
		return 0, err
	}
	call.Args.Ctx = c.frame.Ctx
	err = call.Do(table)
	return int(call.Args.DeviceOrdinal), err
}

// Stream returns the address of the platform's stream, on which the device works in order,
// such as a CUstream (XLA_FFI_Stream_Get). The platform Host has none, which is an error.
func (c *Call) Stream() (uintptr, error) {
	var call capi.Call[cffi.StreamGetArgs]
	table, err := c.table()
	if err != nil {
		return 0, err
	}
	call.Args.Ctx = c.frame.Ctx
	err = call.Do(table)
	return call.Args.Stream, err
}

// Options returns the [Options] of the execution. On a plugin older than API 0.116 it is
// pjrt.ErrUnimplemented (XLA_FFI_CustomOptions_Get).
func (c *Call) Options() (map[string]any, error) {
	if _, err := c.table(); err != nil {
		return nil, err
	}
	attrs, err := c.frame.CustomOptions()
	if err != nil {
		return nil, err
	}
	return attrs.Map()
}

// UserData returns what [Context.AddUserData] added for a type to the execute context of
// this execution, pjrt.ErrNotFound if there is no such context (XLA_FFI_InvokeContext_Get).
func (c *Call) UserData(typeID int64) (uintptr, error) {
	if _, err := c.table(); err != nil {
		return 0, err
	}
	// Plugins of older versions crash when they look for a context that is not there.
	if !c.known || !c.execution.HasContext() {
		return 0, raw.Errorf(pjrt.ErrNotFound, "the execution has no execute context: put one into ExecuteOptions.Extensions")
	}
	return c.frame.UserData(cffi.TypeID{TypeID: typeID})
}

// Frame returns the call as XLA passes it, for what this package does not do.
func (c *Call) Frame() (*cffi.CallFrame, error) {
	if _, err := c.table(); err != nil {
		return nil, err
	}
	return c.frame, nil
}

// table returns XLA's table as long as the call is under way.
func (c *Call) table() (*capi.Table, error) {
	if c == nil || c.frame == nil {
		return nil, invalid("there is no call: only a handler gets one")
	}
	if c.over.Load() {
		return nil, raw.Errorf(pjrt.ErrFailedPrecondition, "the call of %s is over: its handler has returned", c.target)
	}
	return c.frame.Table()
}
