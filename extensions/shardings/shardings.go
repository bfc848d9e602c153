// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package shardings is about the shardings of a program's arguments and results, which
// say how they are spread over devices. The extension Shardings came with API 0.91;
// libtpu and XLA's plugins for GPUs have it.
//
// Its functions are the methods Executable.ParameterShardings and
// Executable.OutputShardings of package pjrt.
package shardings

import (
	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// Supported reports whether the plugin offers the extension.
func Supported(p *pjrt.Plugin) bool {
	return raw.Table(p).HasSection(capi.SectionExtension(capi.ExtensionTypeShardings))
}
