// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package conformance

import (
	"fmt"

	"github.com/purepjrt/purepjrt/conformance/report"
	"github.com/purepjrt/purepjrt/conformance/waivers"
	"github.com/purepjrt/purepjrt/internal/outside"
)

// KnownWaivers returns the suite's own waivers, which are for the plugins that it was
// tried on. Each has its witness.
func KnownWaivers() []*report.WaiverFile { return waivers.Known() }

// ReadWaivers reads a file of waivers.
func ReadWaivers(path string) (*report.WaiverFile, error) {
	f, err := outside.Open(path)
	if err != nil {
		return nil, fmt.Errorf("waivers: %w", err)
	}
	defer f.Close()
	return report.ReadWaivers(path, f)
}

// waivers returns the waivers for a plugin, beginning with those of the options.
func (o *Options) waivers(p *report.Plugin) []*report.WaiverFile {
	all := o.Waivers
	if !o.NoKnownWaivers && o.Suite == nil {
		all = append(append([]*report.WaiverFile(nil), all...), KnownWaivers()...)
	}
	var files []*report.WaiverFile
	for _, f := range all {
		if f.Plugin.Matches(p) {
			files = append(files, f)
		}
	}
	return files
}
