// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package xlatransform is about functions that change programs while the plugin compiles
// them. The extension XlaTransform came with API 0.110; libtpu and XLA's plugins for GPUs
// have it.
//
// The calls are in package capi. capi.NewXLATransform turns a Go function into the
// function that capi.RegisterXLATransformArgs takes, and capi.ClearXLATransformArgs
// removes it again.
package xlatransform

import (
	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// Supported reports whether the plugin offers the extension.
func Supported(p *pjrt.Plugin) bool {
	return raw.Table(p).HasSection(capi.SectionExtension(capi.ExtensionTypeXLATransform))
}
