// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package example is about the extension Example, XLA's sample of how to write one. It
// came with API 0.72; no plugin that this repository is tested with has it. According to
// the header its node has the type Unknown, so any other extension without a number can
// be mistaken for it.
//
// The calls are in package capi: those whose args are named
// capi.ExampleExtensionCreateExampleExtensionCPPArgs to
// capi.ExampleExtensionDestroyExampleExtensionCPPArgs.
package example

import (
	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// Supported reports whether the plugin offers the extension.
func Supported(p *pjrt.Plugin) bool {
	return raw.Table(p).HasSection(capi.SectionExtension(capi.ExtensionTypeUnknown))
}
