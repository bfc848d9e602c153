// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package report_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/conformance/report"
	"github.com/purepjrt/purepjrt/conformance/rules"
)

// result makes a result of a check.
func result(check string, v report.Verdict, failures ...string) report.Result {
	id, _, _ := strings.Cut(check, "/")
	rule := rules.ByID(id)
	return report.Result{
		Check: check, Rule: id, Group: rule.Group(), Level: report.LevelOf(rule, false), Severity: rule.Severity, Basis: rule.Basis,
		Text: rule.Text, Subject: rule.Subject, Verdict: v, Failures: failures, Duration: 1500 * time.Microsecond,
	}
}

// nasty is what a plugin could say to break a page.
const nasty = "</script><script>alert(1)</script> | `x` <b> ]]> &amp; @someone \x00\x1b[31m \xff \"'"

// sample returns a report with something of everything.
func sample(t testing.TB) *report.Report {
	t.Helper()
	r := &report.Report{
		Schema: report.SchemaVersion, Started: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Duration: 61 * time.Second,
		Suite:   report.Suite{Version: "v1.2.3", Revision: "abcdef", API: "0.117", Rules: 752, Checks: 9, Covered: 8, Go: "go1.26"},
		Machine: report.Machine{OS: "linux", Arch: "amd64", CPUs: 2, Processor: "some processor", Memory: 1 << 30, System: "some system"},
		Plugin: report.Plugin{
			Path: "/opt/plugin.so", File: "plugin.so", Size: 123, SHA256: strings.Repeat("ab", 32), Minor: 81, Platform: "cpu",
			PlatformVersion: nasty, Attributes: []report.Attribute{{Name: "xla_version", Value: "2"}},
		},
		Run: report.Run{Profile: "quick", TimeoutFactor: 1, Jobs: 2, Options: []string{"a=1"}},
		Capabilities: report.Capabilities{
			TableSize: 984, Functions: 118, NullSlots: []string{"PJRT_Buffer_Bitcast"}, Missing: []string{}, Unimplemented: []string{"PJRT_Device_MemoryStats"},
			Extensions: []report.Extension{{Type: 4, Name: "Layouts", Size: 72}}, Devices: []report.Device{{Kind: "cpu", Description: "CpuDevice(id=0)", Addressable: true}},
			Memories: []string{"device"}, Types: []report.Type{{Name: "F32", Uploads: true}, {Name: "S1", Problem: "no"}}, ClientTime: time.Millisecond,
		},
		Results: []report.Result{
			result("LOAD-01", report.Pass), result("LOAD-07", report.Warn, "not null"), result("CLI-14", report.Pass), result("EVT-01", report.Fail, nasty),
			result("EVT-02/crash", report.Crash, "expected an answer; the process died of SIGSEGV"), result("H2D-01", report.Pass), result("D2H-06", report.Fail, "rows"),
			result("RAW-01", report.SkipUnimpl), result("RUN-01", report.Flaky, "sometimes"), result("XLAY-01", report.Pass), result("THR-01", report.Pass),
			result("BUF-01", report.BrokenCheck, "panic: oops"), result("BUF-02", report.SkipAbsent),
		},
		Skew:     []report.Skew{{Struct: "PJRT_Client_Create_Args", Size: 72, Callers: "0.45-0.60", Outcome: "works", OK: true, Check: "SKEW-05"}},
		Problems: []string{"destroying the client: " + nasty},
	}
	r.Results[4].Death = &report.Death{How: "the process died of SIGSEGV", Signal: "SIGSEGV", ExitCode: -1, Frames: []string{"buffers.crash (x.go:1)"}, Output: []string{"last words", nasty}}
	r.Results[4].Reproduce = "pjrt-conformance run /opt/plugin.so --run '^EVT-02/crash$'"
	r.Results[7].Skip = "it answers UNIMPLEMENTED"
	r.Results[8].Attempts = []report.Verdict{report.Fail, report.Pass}
	r.Results[12].Skip = "too old"
	file, err := report.ReadWaivers("w.json", strings.NewReader(`{"plugin": {"name": "sample", "platform": "cpu"}, "waivers": [
		{"check": "D2H-06", "verdicts": ["FAIL"], "reason": "the layout is ignored", "link": "https://example.com/issue/1", "expires": "2030-01-01"}]}`))
	require.NoError(t, err)
	r.Waive([]*report.WaiverFile{file}, r.Started, nil, nil)
	r.Summarize()
	return r
}
