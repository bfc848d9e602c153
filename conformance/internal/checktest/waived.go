// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package checktest

import (
	"bytes"
	_ "embed"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/report"
	"github.com/purepjrt/purepjrt/conformance/waivers"
)

// The in-memory plugin is the suite's own, so public runs need no waivers for it.
//
//go:embed memory.json
var memory []byte

// Waived returns the waivers for the plugin with that table and file; an empty path means the
// in-memory plugin.
func Waived(table *capi.Table, path string) []*report.WaiverFile {
	if path == "" {
		f, err := report.ReadWaivers("memory.json", bytes.NewReader(memory))
		if err != nil {
			panic(err)
		}
		return []*report.WaiverFile{f}
	}
	p := report.Plugin{File: filepath.Base(path)}
	p.Major, p.Minor = table.Version()
	if strings.Contains(p.File, "cpu") {
		p.Platform = "cpu"
	}
	return waivers.For(&p)
}

// Judge fails the test unless the check passed, was skipped with a reason, or failed as one of
// the waivers says.
func Judge(t testing.TB, waived []*report.WaiverFile, x *report.Result) {
	t.Helper()
	r := report.Report{Results: []report.Result{*x}}
	r.Waive(waived, time.Now(), nil, nil)
	x = &r.Results[0]
	switch {
	case x.Verdict.Skipped() && x.Skip == "":
		t.Errorf("skipped without a reason")
	case x.Verdict == report.Pass || x.Verdict == report.Waived || x.Verdict.Skipped():
		t.Log(x.Details())
	default:
		t.Error(x.Details())
	}
}
