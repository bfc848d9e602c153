// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package ffi

import (
	"sync"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/lifetime"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// Context carries data from the caller that executes a program to the handlers of its
// custom calls. It goes into ExecuteOptions.Extensions. Several executions may use a
// Context at the same time, and its methods may be called from any goroutine.
type Context struct {
	table *capi.Table
	ref   *lifetime.Ref[capi.ExecuteContext]

	// Plugins read and change the data of a context without a lock.
	mu         sync.Mutex
	executions int // that use the context; guarded by mu
}

var _ pjrt.ExecuteExtension = (*Context)(nil)

// NewContext makes an empty context (PJRT_ExecuteContext_Create, API 0.52). Executions
// take contexts since API 0.64. The caller closes the context.
func NewContext(p *pjrt.Plugin) (*Context, error) {
	table := raw.Table(p)
	var c capi.Call[capi.ExecuteContextCreateArgs]
	if err := c.Do(table); err != nil {
		return nil, err
	}
	return &Context{table: table, ref: lifetime.New("execute context", c.Args.Context, nil, func(h *capi.ExecuteContext) {
		var d capi.Call[capi.ExecuteContextDestroyArgs]
		d.Args.Context = h
		_ = d.Do(table)
	})}, nil
}

// AddUserData adds a value, which handlers find by the number of its type
// (PJRT_FFI_UserData_Add). typeID is the number that [RegisterType] returned for the type.
// data is passed on as it is; if it is an address, the address must stay valid as long as
// the context. A context holds at most one value of each type; a second one is an error.
// So is adding data while an execution uses the context, because its handlers may be
// reading it.
func (x *Context) AddUserData(typeID int64, data uintptr) error {
	h, err := x.acquire()
	if err != nil {
		return err
	}
	defer x.ref.Release()
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.executions > 0 {
		return pjrt.ErrFailedPrecondition.Errorf("%d executions are using the execute context: add all data before they begin",
			x.executions)
	}
	var c capi.Call[capi.FFIUserDataAddArgs]
	c.Args.Context = h
	c.Args.UserData = capi.FFIUserData{TypeID: typeID, Data: data}
	return c.Do(x.table)
}

// Repeatable reports that a second attempt at an execution can use the same options: see
// [pjrt.ExecuteExtension].
func (x *Context) Repeatable() bool { return true }

// ExtendExecute implements [pjrt.ExecuteExtension]: the execution uses the context
// (PJRT_ExecuteOptions.context) and keeps it until it is over.
func (x *Context) ExtendExecute(client *pjrt.Client, _ []*pjrt.Device, options *capi.ExecuteOptions) (done func(), err error) {
	h, err := x.acquire()
	if err != nil {
		return nil, err
	}
	switch {
	case options == nil:
		err = pjrt.ErrInvalidArgument.Errorf("the options of the execution are nil")
	case x.table != raw.TableOf(client):
		err = pjrt.ErrInvalidArgument.Errorf("the execute context and the program belong to different plugins")
	case options.Context != nil:
		err = pjrt.ErrInvalidArgument.Errorf("the execution already has an execute context: add all data to one context")
	}
	if err != nil {
		x.ref.Release()
		return nil, err
	}
	options.Context = h
	x.mu.Lock()
	x.executions++
	x.mu.Unlock()
	return func() {
		x.mu.Lock()
		x.executions--
		x.mu.Unlock()
		x.ref.Release()
	}, nil
}

func (x *Context) acquire() (*capi.ExecuteContext, error) {
	if x == nil || x.ref == nil {
		return nil, pjrt.ErrInvalidArgument.Errorf("the execute context is nil: make one with ffi.NewContext")
	}
	return x.ref.Acquire()
}

// Close destroys the context (PJRT_ExecuteContext_Destroy) once the executions that use
// it are over. Closing again does nothing.
func (x *Context) Close() error {
	if x == nil {
		return nil
	}
	return x.ref.Close()
}
