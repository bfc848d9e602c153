// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package callback is about functions that a plugin calls when something happens to the
// devices of a client: when a slice of TPUs could not be built, for instance, or an error
// is about to end the process. The extension Callback came with API 0.77; libtpu has it.
//
// The calls are in package capi. capi.NewCallbackFunction turns a Go function into the
// function that capi.CallbackRegisterCallbackArgs takes.
package callback

import (
	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// Supported reports whether the plugin offers the extension.
func Supported(p *pjrt.Plugin) bool {
	return raw.Table(p).HasSection(capi.SectionExtension(capi.ExtensionTypeCallback))
}
