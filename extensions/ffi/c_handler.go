// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package ffi

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/purepjrt/purepjrt/capi"
	cffi "github.com/purepjrt/purepjrt/capi/ffi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// CustomCall is a handler and the name by which programs call it.
type CustomCall struct {
	// Target is the name in the program's stablehlo.custom_call.
	Target string
	// Platform is XLA's name for the platform whose programs call the handler, such as
	// Host, CUDA or ROCM.
	Platform string
	// Handler is the address of a C function of type XLA_FFI_Handler, such as one that
	// NewHandler of package capi/ffi returns. Nothing can check the address. It must stay
	// valid until the process ends, because handlers cannot be unregistered.
	Handler cffi.Handler
	// Replayable promises that a call may be recorded once and replayed, as command
	// buffers of GPUs do.
	Replayable bool
}

// RegisterC makes a handler in C known to all clients of the plugin until the process ends
// (PJRT_FFI_Register_Handler, API 0.73). Register a handler before compiling programs that
// call it. Before RegisterC returns, the plugin calls the handler once to ask for the
// version of the interface that the handler was built with. If this process has already
// registered the name for the platform, the error is pjrt.ErrAlreadyExists: plugins would
// silently replace the handler or keep the old one. RegisterC may be called from any
// goroutine.
func RegisterC(p *pjrt.Plugin, c CustomCall) error {
	switch {
	case p == nil:
		return errNilPlugin
	case c.Target == "" || c.Platform == "":
		return pjrt.ErrInvalidArgument.Errorf("a custom call needs a target and a platform, not %q and %q", c.Target, c.Platform)
	case strings.IndexByte(c.Target+c.Platform, 0) >= 0:
		return pjrt.ErrInvalidArgument.Errorf("the target %q or the platform %q of the custom call contains a zero byte",
			c.Target, c.Platform)
	case c.Handler == 0:
		return pjrt.ErrInvalidArgument.Errorf("the handler of the custom call %s is null", c.Target)
	}
	registering.Lock()
	defer registering.Unlock()
	if err := isFree(p, c.Target, c.Platform); err != nil {
		return err
	}
	var call capi.Call[capi.FFIRegisterHandlerArgs]
	call.Args.TargetName, call.Args.TargetNameSize = capi.StringData(c.Target)
	call.Args.PlatformName, call.Args.PlatformNameSize = capi.StringData(c.Platform)
	call.Args.Handler = uintptr(c.Handler)
	if c.Replayable {
		call.Args.Traits = capi.FFIHandlerTraitsBitsCommandBufferCompatible
	}
	return call.Do(raw.Table(p))
}

// registering is held while a handler is registered, so that the second of two with the
// same name finds the first.
var registering sync.Mutex

// canonical returns XLA's name for a platform, which it reads in any case.
func canonical(platform string) string {
	switch name := strings.ToLower(platform); name {
	case "cpu":
		return "host"
	case "gpu":
		return "cuda"
	default:
		return name
	}
}

// isFree returns an error if a handler with the same name was registered with the plugin.
func isFree(p *pjrt.Plugin, target, platform string) error {
	for _, r := range raw.Table(p).Registrations() {
		if r.Function == (*capi.FFIRegisterHandlerArgs)(nil).Function() && r.Name == target &&
			canonical(r.Platform) == canonical(platform) {
			return pjrt.ErrAlreadyExists.Errorf("a handler of the custom call %s for the platform %s is registered already, and stays "+
				"until the process ends: choose another name",
				target, platform)
		}
	}
	return nil
}

// Load loads a shared library and registers handlers that it exports for a platform (see
// [RegisterC]). symbols maps each target to the symbol of its handler. The library stays
// loaded until the process ends. If the library cannot be loaded or lacks a symbol, the
// error is pjrt.ErrNotFound and nothing is registered.
func Load(p *pjrt.Plugin, path, platform string, symbols map[string]string) error {
	if p == nil {
		return errNilPlugin
	}
	if len(symbols) == 0 {
		return pjrt.ErrInvalidArgument.Errorf("no symbols of the library %s were given: give one for each target", path)
	}
	raw.WarnOfOthers("a library of custom calls", path)
	find, err := openLibrary(path)
	if err != nil {
		return pjrt.ErrNotFound.Errorf("the library of custom calls cannot be loaded: %v", err)
	}
	var calls []CustomCall
	for _, target := range slices.Sorted(maps.Keys(symbols)) {
		handler, err := find(symbols[target])
		if err != nil {
			return pjrt.ErrNotFound.Errorf("the library of custom calls %s lacks a symbol: %v", path, err)
		}
		calls = append(calls, CustomCall{Target: target, Platform: platform, Handler: cffi.Handler(handler)})
	}
	for _, c := range calls {
		if err := RegisterC(p, c); err != nil {
			return err
		}
	}
	return nil
}

// RegisterType gives one of the program's types a number, with which [Context.AddUserData]
// and handlers refer to it (PJRT_FFI_Type_Register, API 0.80). The name must be unique in
// the process: the plugin returns an error for a name that is already registered.
func RegisterType(p *pjrt.Plugin, name string) (typeID int64, err error) {
	if name == "" {
		return 0, pjrt.ErrInvalidArgument.Errorf("the name of the type is empty")
	}
	var c capi.Call[capi.FFITypeRegisterArgs]
	c.Args.TypeName, c.Args.TypeNameSize = capi.StringData(name)
	c.Args.TypeInfo = new(capi.FFITypeInfo)
	err = c.Do(raw.Table(p))
	return c.Args.TypeID, err
}

var errNilPlugin = pjrt.ErrInvalidArgument.Errorf("the plugin is nil")
