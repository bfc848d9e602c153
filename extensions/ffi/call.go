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

// Call is one call of a handler. Use its methods only until the handler returns; after that,
// those that ask the plugin return pjrt.ErrFailedPrecondition.
type Call struct {
	target    string
	frame     *cffi.CallFrame
	stage     cffi.ExecutionStage
	runID     int64
	known     bool // whether execution is valid
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
		return c // the host does not number its executions
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

// Stage returns the stage for which the handler is called: execution, or another stage of
// [Handler].
func (c *Call) Stage() cffi.ExecutionStage {
	if c == nil {
		return 0
	}
	return c.stage
}

// RunID returns the number of the execution: ExecuteOptions.LaunchID if that was given, and
// 0 for a call without an execution (XLA_FFI_RunId_Get).
func (c *Call) RunID() int64 {
	if c == nil {
		return 0
	}
	return c.runID
}

// Context returns the context of the execution, such as the argument of
// LoadedExecutable.Execute: a handler that takes long should return when it ends, and pass
// it to functions that wait, which then refuse to wait for the execution itself: see
// [Handler]. While a program is compiled, or if several executions have the same LaunchID, the
// context never ends, and nothing is refused.
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
// such as a CUstream (XLA_FFI_Stream_Get). On the platform Host, which has no streams, it
// returns an error.
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

// Options returns the [Options] of the execution (XLA_FFI_CustomOptions_Get). On a plugin
// older than API 0.116 the error is pjrt.ErrUnimplemented.
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
// this execution (XLA_FFI_InvokeContext_Get). Without such a context the error is
// pjrt.ErrNotFound.
func (c *Call) UserData(typeID int64) (uintptr, error) {
	if _, err := c.table(); err != nil {
		return 0, err
	}
	// Older plugins crash when they look for a context that does not exist.
	if !c.known || !c.execution.HasContext() {
		return 0, pjrt.ErrNotFound.Errorf("the execution has no execute context: put one into ExecuteOptions.Extensions")
	}
	return c.frame.UserData(cffi.TypeID{TypeID: typeID})
}

// Frame returns the call as XLA passes it, for purposes that this package does not cover.
func (c *Call) Frame() (*cffi.CallFrame, error) {
	if _, err := c.table(); err != nil {
		return nil, err
	}
	return c.frame, nil
}

// table returns XLA's table, which is valid as long as the call is under way.
func (c *Call) table() (*capi.Table, error) {
	if c == nil || c.frame == nil {
		return nil, pjrt.ErrInvalidArgument.Errorf("there is no call: only a handler gets one")
	}
	if c.over.Load() {
		return nil, pjrt.ErrFailedPrecondition.Errorf("the call of %s is over: its handler has returned", c.target)
	}
	return c.frame.Table()
}
