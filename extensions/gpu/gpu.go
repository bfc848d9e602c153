// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package gpu is about custom calls of GPU programs that are untyped, or that are
// registered with a handler for each stage. The extension Gpu_Custom_Call came with API
// 0.31; XLA's plugins for GPUs have it. New programs use package extensions/ffi, which
// registers typed handlers on all platforms.
//
// The call is in package capi: capi.GPURegisterCustomCallArgs.
package gpu

import (
	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// Supported reports whether the plugin offers the extension.
func Supported(p *pjrt.Plugin) bool {
	return raw.Table(p).HasSection(capi.SectionExtension(capi.ExtensionTypeGPUCustomCall))
}
