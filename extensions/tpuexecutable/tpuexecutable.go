// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package tpuexecutable is about properties that only executables for TPUs have. The calls
// read the arguments of the target, the optimized program, its memory and its cost from
// serialized executables, and the environment of the compiler. The extension TpuExecutable
// came with API 0.90; libtpu has it.
//
// The calls are in package capi: those whose args begin with TPUExecutable.
package tpuexecutable

import (
	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// Supported reports whether the plugin offers the extension.
func Supported(p *pjrt.Plugin) bool {
	return raw.Table(p).HasSection(capi.SectionExtension(capi.ExtensionTypeTPUExecutable))
}
