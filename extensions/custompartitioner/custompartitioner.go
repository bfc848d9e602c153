// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package custompartitioner is about custom calls that are split over several devices:
// the compiler asks a function of the program how to split them. The extension
// Custom_Partitioner came with API 0.47; XLA's plugins for GPUs have it.
//
// The calls are in package capi. capi.NewCustomCallPartitioner turns Go functions into
// the partitioner that capi.RegisterCustomPartitionerArgs takes;
// capi.RegisterBatchPartitionableArgs only needs a name.
package custompartitioner

import (
	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// Supported reports whether the plugin offers the extension.
func Supported(p *pjrt.Plugin) bool {
	return raw.Table(p).HasSection(capi.SectionExtension(capi.ExtensionTypeCustomPartitioner))
}
