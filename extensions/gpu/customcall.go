// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package gpu

import (
	"strings"
	"sync"

	"github.com/purepjrt/purepjrt/capi"
	cffi "github.com/purepjrt/purepjrt/capi/ffi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// CustomCall has the C functions of a custom call. They must stay callable until the process ends.
// Nothing can check the addresses.
type CustomCall struct {
	// Target is the name in the program's stablehlo.custom_call.
	Target string
	// Untyped is a function in the form that precedes XLA's foreign function interface. It gets a
	// stream, an array of pointers and the backend_config of the call. If it is set, leave the
	// handlers null.
	Untyped uintptr
	// Execute is the handler that runs the call. The others run before it and may be null:
	// Instantiate once for each program that is loaded, Prepare and Initialize once for each
	// execution.
	Execute, Instantiate, Prepare, Initialize cffi.Handler
	// Replayable promises that a call may be recorded once and replayed, as command buffers do (API
	// 0.114).
	Replayable bool
}

// The kinds of functions, as the C API numbers them.
const (
	untyped = 0
	typed   = 1
)

// Register makes a custom call known to all clients of the plugin until the process ends
// (PJRT_Gpu_Register_Custom_Call). Register it before compiling programs that call it. If this
// process has already registered the target, the error is pjrt.ErrAlreadyExists. Register may be
// called from any goroutine.
func Register(p *pjrt.Plugin, c CustomCall) error {
	handlers := c.Execute != 0 || c.Instantiate != 0 || c.Prepare != 0 || c.Initialize != 0
	switch {
	case p == nil:
		return pjrt.ErrInvalidArgument.Errorf("the plugin is nil")
	case c.Target == "" || strings.IndexByte(c.Target, 0) >= 0:
		return pjrt.ErrInvalidArgument.Errorf("the target %q of the custom call is empty or contains a zero byte", c.Target)
	case c.Untyped != 0 && handlers:
		return pjrt.ErrInvalidArgument.Errorf("the custom call %s has an untyped function and handlers: give one or the other", c.Target)
	case c.Untyped == 0 && c.Execute == 0:
		return pjrt.ErrInvalidArgument.Errorf("the custom call %s has no function: set Execute, or Untyped", c.Target)
	}
	registering.Lock()
	defer registering.Unlock()
	var call capi.Call[capi.GPURegisterCustomCallArgs]
	for _, r := range raw.Table(p).Registrations() {
		if r.Function == call.Function() && r.Name == c.Target {
			return pjrt.ErrAlreadyExists.Errorf("the custom call %s is already registered, and stays until the process ends: choose "+
				"another name", c.Target)
		}
	}
	call.Args.FunctionName, call.Args.FunctionNameSize = capi.StringData(c.Target)
	call.Args.APIVersion, call.Args.HandlerExecute = untyped, c.Untyped
	if c.Untyped == 0 {
		call.Args.APIVersion, call.Args.HandlerExecute = typed, uintptr(c.Execute)
		call.Args.HandlerInstantiate = uintptr(c.Instantiate)
		call.Args.HandlerPrepare = uintptr(c.Prepare)
		call.Args.HandlerInitialize = uintptr(c.Initialize)
	}
	if c.Replayable {
		call.Args.Traits = uint32(capi.FFIHandlerTraitsBitsCommandBufferCompatible)
	}
	return call.Do(raw.Table(p))
}

// registering is held while a custom call is registered, so that the second of two with the same
// name finds the first.
var registering sync.Mutex
