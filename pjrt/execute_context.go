// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/lifetime"
)

// ExecuteContext carries data of the program to the handlers of custom calls.
// One may serve several executions, also at the same time. Its methods may be
// called from any goroutine.
type ExecuteContext struct {
	table *capi.Table
	ref   *lifetime.Ref[capi.ExecuteContext]
}

// NewExecuteContext makes an empty context (PJRT_ExecuteContext_Create, since
// API 0.52). Executions take it since API 0.64.
func (p *Plugin) NewExecuteContext() (*ExecuteContext, error) {
	table := p.table
	var c capi.Call[capi.ExecuteContextCreateArgs]
	if err := c.Do(table); err != nil {
		return nil, err
	}
	if c.Args.Context == nil {
		return nil, &Error{Code: ErrInternal, Func: c.Function().Name, Message: "the plugin made no context"}
	}
	return &ExecuteContext{table, lifetime.New("execute context", c.Args.Context, nil, func(h *capi.ExecuteContext) {
		var d capi.Call[capi.ExecuteContextDestroyArgs]
		d.Args.Context = h
		_ = d.Do(table) // there is nobody to tell
	})}, nil
}

// AddUserData adds a value for the handlers of custom calls, which find it by the
// number of its type (PJRT_FFI_UserData_Add, extension FFI). typeID is what
// PJRT_FFI_Type_Register gave, and data a word of the type's own: it is passed on
// as it is, and must be valid as long as the context if it is an address. A
// context holds one value of each type.
func (x *ExecuteContext) AddUserData(typeID int64, data uintptr) error {
	if x == nil {
		return errNilContext
	}
	h, err := x.ref.Acquire()
	if err != nil {
		return err
	}
	defer x.ref.Release()
	var c capi.Call[capi.FFIUserDataAddArgs]
	c.Args.Context = h
	c.Args.UserData = capi.FFIUserData{TypeID: typeID, Data: data}
	return c.Do(x.table)
}

// Close gives the context up (PJRT_ExecuteContext_Destroy). Executions under way
// keep it.
func (x *ExecuteContext) Close() error {
	if x == nil {
		return nil
	}
	return x.ref.Close()
}

var errNilContext = invalid("the execute context is nil")

// acquireFor returns the C object for an execution on client, which Release of
// the reference ends.
func (x *ExecuteContext) acquireFor(client *Client) (*capi.ExecuteContext, error) {
	if x.table != client.table {
		return nil, invalid("the execute context belongs to another plugin")
	}
	return x.ref.Acquire()
}

// MultiSliceConfig says how an execution is spread over several slices of TPUs.
// Extensions of plugins make it.
type MultiSliceConfig struct {
	table *capi.Table
	ref   *lifetime.Ref[capi.MultiSliceConfig]
}

// NewMultiSliceConfig takes over a configuration that an extension of the plugin
// made; destroy frees it. It is for packages that wrap extensions.
func (p *Plugin) NewMultiSliceConfig(h *capi.MultiSliceConfig, destroy func(*capi.MultiSliceConfig)) (*MultiSliceConfig, error) {
	if h == nil || destroy == nil {
		return nil, invalid("the configuration, or what frees it, is nil")
	}
	return &MultiSliceConfig{p.table, lifetime.New("multi-slice config", h, nil, destroy)}, nil
}

// acquireFor is that of ExecuteContext.
func (m *MultiSliceConfig) acquireFor(client *Client) (*capi.MultiSliceConfig, error) {
	if m.table != client.table {
		return nil, invalid("the multi-slice configuration belongs to another plugin")
	}
	return m.ref.Acquire()
}

// Close gives the configuration up. Executions under way keep it.
func (m *MultiSliceConfig) Close() error {
	if m == nil {
		return nil
	}
	return m.ref.Close()
}
