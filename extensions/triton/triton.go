// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package triton is about compiling kernels in Triton's language outside of programs. The
// extension Triton came with API 0.65; no plugin that this repository is tested with has
// it.
//
// The call is in package capi: capi.TritonCompileArgs. The header does not say how to free
// the compiled kernel.
package triton

import (
	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// Supported reports whether the plugin offers the extension.
func Supported(p *pjrt.Plugin) bool {
	return raw.Table(p).HasSection(capi.SectionExtension(capi.ExtensionTypeTriton))
}
