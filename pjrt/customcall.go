// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"maps"
	"slices"
	"strings"

	"github.com/purepjrt/purepjrt/capi"
)

// CustomCall is a handler of XLA's foreign function interface, to be called by
// programs with stablehlo.custom_call.
type CustomCall struct {
	// Target is the name by which programs call it.
	Target string
	// Platform is the platform that it is for, as XLA spells it: Host, CUDA, ROCM.
	Platform string
	// Handler is the address of a C function of the type XLA_FFI_Handler. Package
	// capi/ffi makes one of a Go function. The address is taken for what the caller
	// says it is, and must stay valid: nothing takes a registration back.
	Handler uintptr
	// Replayable promises that a recorded call may be replayed, as GPU command
	// buffers do.
	Replayable bool
}

// RegisterCustomCall makes a handler known to the plugin
// (PJRT_FFI_Register_Handler, extension FFI, API 0.73), for all of its clients and
// until the process ends. Programs that call it are compiled afterwards. Plugins
// call the handler at once to ask what version it is of.
func (p *Plugin) RegisterCustomCall(c CustomCall) error {
	switch {
	case p == nil || p.table == nil:
		return errNilPlugin
	case c.Target == "" || c.Platform == "":
		return invalid("a custom call needs a target and a platform, not %q and %q", c.Target, c.Platform)
	case strings.IndexByte(c.Target+c.Platform, 0) >= 0:
		return invalid("the custom call %q for %q has a zero byte in it", c.Target, c.Platform)
	case c.Handler == 0:
		return invalid("the handler of the custom call %s is null", c.Target)
	}
	var call capi.Call[capi.FFIRegisterHandlerArgs]
	call.Args.TargetName, call.Args.TargetNameSize = capi.StringData(c.Target)
	call.Args.PlatformName, call.Args.PlatformNameSize = capi.StringData(c.Platform)
	call.Args.Handler = c.Handler
	if c.Replayable {
		call.Args.Traits = capi.FFIHandlerTraitsBitsCommandBufferCompatible
	}
	return call.Do(p.table)
}

// LoadCustomCalls loads a shared library and registers handlers that it exports,
// by the names of their symbols, see [Plugin.RegisterCustomCall]. symbols has the
// symbol of each target. The library stays in the process. When a symbol is
// missing nothing is registered.
func (p *Plugin) LoadCustomCalls(path, platform string, symbols map[string]string) error {
	if p == nil || p.table == nil {
		return errNilPlugin
	}
	if len(symbols) == 0 {
		return invalid("there are no symbols to register from %s", path)
	}
	find, err := openLibrary(path)
	if err != nil {
		return &Error{Code: ErrNotFound, Message: "library of custom calls: " + err.Error()}
	}
	var calls []CustomCall
	for _, target := range slices.Sorted(maps.Keys(symbols)) {
		handler, err := find(symbols[target])
		if err != nil {
			return &Error{Code: ErrNotFound, Message: "library of custom calls " + path + ": " + err.Error()}
		}
		calls = append(calls, CustomCall{Target: target, Platform: platform, Handler: handler})
	}
	for _, c := range calls {
		if err := p.RegisterCustomCall(c); err != nil {
			return err
		}
	}
	return nil
}
