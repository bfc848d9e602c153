// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package deviceevent is about the events by which a device orders its work. They are
// part of the interface behind raw buffers, whose copies return and wait for such events.
// Device events came with API 0.104, and raw buffers use them since API 0.112; libtpu
// offers those.
//
// Device events have no node in the extension chain. A plugin passes them as
// capi.DeviceEvent, which has a table of functions, in the calls of the table to which a
// capi.RawBuffer points.
package deviceevent

import (
	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// since is the first API minor in which a raw buffer has a table of functions.
const since = 112

// Supported reports whether the plugin passes device events, which is when it has API
// 0.112 or later and offers the extension RawBuffer.
func Supported(p *pjrt.Plugin) bool {
	table := raw.Table(p)
	if !table.HasSection(capi.SectionExtension(capi.ExtensionTypeRawBuffer)) {
		return false
	}
	_, minor := table.Version()
	return minor >= since
}
