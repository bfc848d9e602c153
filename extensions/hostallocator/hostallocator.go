// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package hostallocator is about memory of the host to which the devices of a client have
// fast access. The extension HostMemoryAllocator came with API 0.106; libtpu has it. It
// replaces the extension HostAllocator, whose functions are not known.
//
// The call is in package capi: capi.HostMemoryAllocatorAllocateArgs, which also returns
// the function that frees the memory.
package hostallocator

import (
	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// Supported reports whether the plugin offers the extension.
func Supported(p *pjrt.Plugin) bool {
	return raw.Table(p).HasSection(capi.SectionExtension(capi.ExtensionTypeHostMemoryAllocator))
}
