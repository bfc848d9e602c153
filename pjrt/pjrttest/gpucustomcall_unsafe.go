// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrttest

import (
	"runtime"
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/ffi"
)

// customCall is a function that programs could call by name. Programs of this plugin are
// Go functions, so none does.
type customCall struct {
	version                                   int32
	instantiate, prepare, initialize, execute uintptr
}

// The values of api_version.
const (
	customCallUntyped = 0
	customCallFFI     = 1
)

func (p *Plugin) registerCustomCall(a *capi.GPURegisterCustomCallArgs) error {
	name := capi.String(a.FunctionName, a.FunctionNameSize)
	x := customCall{a.APIVersion, a.HandlerInstantiate, a.HandlerPrepare, a.HandlerInitialize, a.HandlerExecute}
	switch {
	case name == "":
		return invalid("the name of the custom call is empty")
	case x.version != customCallUntyped && x.version != customCallFFI:
		return invalid("the custom call %q has the api_version %d; use %d or %d", name, x.version, customCallUntyped, customCallFFI)
	case x.execute == 0:
		return invalid("the custom call %q has no function to execute", name)
	}
	if x.version == customCallFFI && !describes(x.execute) {
		return invalid("the handler of the custom call %q does not describe itself", name)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if old, ok := p.customCalls[name]; ok && old != x {
		return capi.ErrorCodeAlreadyExists.Errorf("there already is another custom call %q", name)
	}
	p.customCalls[name] = x
	return nil
}

// describes asks a handler for its metadata, as XLA does before it takes one, and reports
// whether the handler answers.
func describes(handler uintptr) bool {
	question := &ffi.MetadataExtension{Metadata: &ffi.Metadata{StructSize: ffi.MetadataSize}}
	question.ExtensionBase.StructSize = ffi.MetadataExtensionSize
	question.ExtensionBase.Type = ffi.InternalExtensionTypeMetadata
	frame := &ffi.CallFrame{StructSize: ffi.CallFrameSize, ExtensionStart: &question.ExtensionBase}
	// The frame and what it points to are on the heap, where they stay until KeepAlive.
	failure, _, _ := purego.SyscallN(handler, uintptr(unsafe.Pointer(frame)))
	runtime.KeepAlive(frame)
	return failure == 0
}
