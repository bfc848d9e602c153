// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package client

import (
	"unsafe"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

// poke writes element i of an array, even beyond its end.
func poke(p *int32, i uintptr, v int32) {
	*(*int32)(unsafe.Add(unsafe.Pointer(p), i*unsafe.Sizeof(v))) = v
}

// topologyStranger returns a topology that does not exist.
func topologyStranger() *capi.TopologyDescription {
	return (*capi.TopologyDescription)(unsafe.Pointer(new(uintptr)))
}

// nameEnds reports whether a zero byte follows the name of an option.
func nameEnds(v *capi.NamedValue) bool {
	return *(*byte)(unsafe.Add(unsafe.Pointer(v.Name), v.NameSize)) == 0
}

// setFlag writes a byte that is not a bool where a bool belongs.
func setFlag(p *bool) { *(*byte)(unsafe.Pointer(p)) = check.Filler }

// byteEnds reports whether a zero byte follows a text.
func byteEnds(p *byte, n uintptr) bool { return *(*byte)(unsafe.Add(unsafe.Pointer(p), n)) == 0 }

// addr returns the address of a topology.
func addr(p *capi.TopologyDescription) uintptr { return uintptr(unsafe.Pointer(p)) }
