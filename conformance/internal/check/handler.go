// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package check

import (
	"strings"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/ffi"
)

// FFIPlatform returns the name by which FFI knows the platform of the client that checks share.
func (t *T) FFIPlatform() string {
	name := t.Platform()
	if name == "cpu" {
		return "Host"
	}
	return strings.ToUpper(name)
}

// NewHandler makes a handler of custom calls from a Go function. It is released when the check
// ends.
func (t *T) NewHandler(fn ffi.HandlerFunc) ffi.Handler {
	h, err := ffi.NewHandler(fn, nil)
	if err != nil {
		t.Fatalf("%v", err)
	}
	t.Cleanup(func() { h.Release() })
	return h
}

// HandlerArgs returns the arguments that register a handler under a name.
func HandlerArgs(name, platform string, h ffi.Handler) capi.FFIRegisterHandlerArgs {
	args := capi.FFIRegisterHandlerArgs{Handler: uintptr(h)}
	args.TargetName, args.TargetNameSize = capi.StringData(name)
	args.PlatformName, args.PlatformNameSize = capi.StringData(platform)
	return args
}
