// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrttest

import "github.com/purepjrt/purepjrt/capi"

// callback is a function of the caller, for one type of event.
type callback struct {
	function capi.CallbackFunction
	arg      uintptr
}

func knownCallback(of capi.CallbackType) error {
	if of != capi.CallbackTypeTPUSliceBuilder && of != capi.CallbackTypePrefatal {
		return invalid("there are no callbacks of the type %v; the types are %v and %v", of,
			capi.CallbackTypeTPUSliceBuilder, capi.CallbackTypePrefatal)
	}
	return nil
}

// registerCallback keeps one callback of each type: the latest.
func (p *Plugin) registerCallback(a *capi.CallbackRegisterCallbackArgs) error {
	c, err := find[*client](p, a.Client)
	if err != nil {
		return err
	}
	if err := knownCallback(a.Type); err != nil {
		return err
	}
	if a.Callback == 0 {
		return invalid("the callback of the type %v is null", a.Type)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.callbacks[a.Type] = callback{a.Callback, a.UserArg}
	return nil
}

func (p *Plugin) invokeCallback(a *capi.CallbackInvokeCallbackArgs) error {
	c, err := find[*client](p, a.Client)
	if err != nil {
		return err
	}
	if err := knownCallback(a.Type); err != nil {
		return err
	}
	c.mu.Lock()
	x, ok := c.callbacks[a.Type]
	c.mu.Unlock()
	if ok {
		x.function.Call(a.Args, x.arg)
	}
	return nil
}
