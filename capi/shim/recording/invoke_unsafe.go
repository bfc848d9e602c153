// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package recording

import (
	"unsafe"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/internal/ccall"
)

// invoke calls a function that the plugin has, with unchanged arguments.
//
// Precondition: t.Has(f).
func invoke(t *capi.Table, f *capi.Function, args unsafe.Pointer) *capi.ErrorHandle {
	var base unsafe.Pointer
	switch f.Section {
	case capi.SectionCore:
		base = unsafe.Pointer(t.API())
	case capi.SectionProfiler:
		base = unsafe.Pointer((*capi.ProfilerExtension)(unsafe.Pointer(t.Extension(capi.ExtensionTypeProfiler).Node)).ProfilerAPI)
	default:
		for _, x := range t.Extensions() {
			if capi.SectionExtension(x.Type) == f.Section {
				base = unsafe.Pointer(x.Node)
				break
			}
		}
	}
	code := *(*uintptr)(unsafe.Add(base, f.Offset))
	result, _ := ccall.CallN(code, uintptr(args))
	if f.Void {
		return nil
	}
	return *(**capi.ErrorHandle)(unsafe.Pointer(&result))
}

// fillInto makes data, without its last byte, the destination of a transfer.
func fillInto(a *capi.BufferToHostBufferArgs, data []byte) {
	a.Dst, a.DstSize = unsafe.Pointer(&data[0]), uintptr(len(data)-1)
}
