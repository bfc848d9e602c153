// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package waivers has the known failures of public plugins, in one file for each plugin.
// Runs of the suite excuse them, and the suite's tests expect them.
package waivers

import (
	"bytes"
	"embed"
	"fmt"
	"sync"

	"github.com/purepjrt/purepjrt/conformance/report"
)

//go:embed *.json
var files embed.FS

// Known returns the waivers of all plugins. Callers must not change them.
func Known() []*report.WaiverFile { return known() }

var known = sync.OnceValue(func() []*report.WaiverFile {
	entries, err := files.ReadDir(".")
	if err != nil {
		panic(err)
	}
	var list []*report.WaiverFile
	for _, e := range entries {
		text, err := files.ReadFile(e.Name())
		if err != nil {
			panic(err)
		}
		f, err := report.ReadWaivers("waivers/"+e.Name(), bytes.NewReader(text))
		if err != nil {
			panic(fmt.Sprintf("an embedded file is damaged: %v", err))
		}
		f.Ships = true
		list = append(list, f)
	}
	return list
})

// For returns the waivers for the plugin.
func For(p *report.Plugin) []*report.WaiverFile {
	var list []*report.WaiverFile
	for _, f := range Known() {
		if f.Plugin.Matches(p) {
			list = append(list, f)
		}
	}
	return list
}
