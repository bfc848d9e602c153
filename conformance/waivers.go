// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package conformance

import (
	"bytes"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"sync"

	"github.com/purepjrt/purepjrt/conformance/report"
)

//go:embed waivers/*.json
var waiverFiles embed.FS

// KnownWaivers returns the suite's own waivers, which are for the plugins that it was
// tried on. Each has its evidence.
func KnownWaivers() []*report.WaiverFile { return knownWaivers() }

var knownWaivers = sync.OnceValue(func() []*report.WaiverFile {
	names, err := fs.Glob(waiverFiles, "waivers/*.json")
	if err != nil {
		panic(err)
	}
	var files []*report.WaiverFile
	for _, name := range names {
		text, err := waiverFiles.ReadFile(name)
		if err != nil {
			panic(err)
		}
		f, err := report.ReadWaivers(name, bytes.NewReader(text))
		if err != nil {
			panic(fmt.Sprintf("conformance: an embedded file is damaged: %v", err))
		}
		files = append(files, f)
	}
	return files
})

// ReadWaivers reads a file of waivers.
func ReadWaivers(path string) (*report.WaiverFile, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("waivers: %w", err)
	}
	defer f.Close()
	return report.ReadWaivers(path, f)
}

// waivers returns the waivers for a plugin, beginning with those of the options.
func (o *Options) waivers(p *report.Plugin) []*report.WaiverFile {
	all := o.Waivers
	if !o.NoKnownWaivers {
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
