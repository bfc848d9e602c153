// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package collectives is about communicators, which run collective operations between
// devices, such as a sum over all of them, outside of programs. The extension Collectives
// came with API 0.94; libtpu has it.
//
// The calls are in package capi: those whose args are named
// capi.CollectivesCreateCommunicatorsArgs to capi.CollectivesCommunicatorToStringArgs.
package collectives

import (
	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// Supported reports whether the plugin offers the extension.
func Supported(p *pjrt.Plugin) bool {
	return raw.Table(p).HasSection(capi.SectionExtension(capi.ExtensionTypeCollectives))
}
