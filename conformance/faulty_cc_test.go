// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build cc && linux

package conformance

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/conformance/report"
)

// faulty compiles testdata/faulty.c with a fault.
func faulty(t *testing.T, fault string) string {
	t.Helper()
	return build(t, "faulty", "-DFAULT="+fault)
}

// build compiles a plugin in testdata.
func build(t *testing.T, name, define string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), name+".so")
	cc := exec.Command(cmp.Or(os.Getenv("CC"), "gcc"), "-std=gnu11", "-Wall", "-Werror", "-Wno-incompatible-pointer-types", "-O1", "-shared", "-fPIC",
		define, "-I../third_party/xla", "-o", out, "testdata/"+name+".c", "-lpthread")
	text, err := cc.CombinedOutput()
	require.NoError(t, err, "%s", text)
	return out
}

func TestFaultyPlugins(t *testing.T) {
	t.Parallel()
	for fault, test := range map[string]struct {
		broken string // checks that break conformance, with their verdicts
		found  string // what the first of them says
		output string // what it printed before it died
		says   report.Outcome
		kept   string // checks that pass
	}{
		"NONE":           {says: report.Conformant, kept: "LOAD-01 ERR-01 ATTR-01"},
		"SEGFAULT_ENTRY": {broken: "LOAD-01 CRASH", found: "GetPjrtApi: expected an answer; the process died of SIGSEGV", says: report.NotConformant},
		"SEGFAULT_LOAD":  {broken: "LOAD-01 CRASH", found: "dlopen: expected an answer; the process died of SIGSEGV", says: report.NotConformant},
		"SEGFAULT_FIRST": {broken: "ERR-01 CRASH, ATTR-01 CRASH, CLI-01 CRASH", found: "expected an answer; the process died of SIGSEGV", says: report.NotConformant, kept: "LOAD-01"},
		"HANG":           {broken: "ERR-01 TIMEOUT, ATTR-01 TIMEOUT, CLI-03 TIMEOUT", found: "it did not end within 600ms", says: report.NotConformant, kept: "LOAD-01"},
		"PRINT":          {says: report.Conformant, kept: "LOAD-01 ERR-01 ATTR-01"},
		"EXIT":           {broken: "ATTR-01 ABORT, CLI-01 ABORT", found: "expected an answer; the process was ended by exit(0)", says: report.NotConformant, kept: "LOAD-01 ERR-01"},
		"MANGLED":        {broken: "LOAD-01 FAIL", found: "does not export GetPjrtApi", says: report.NotConformant},
		"NULL_TABLE":     {broken: "LOAD-01 FAIL", found: "GetPjrtApi returned null", says: report.NotConformant},
		"THREAD":         {broken: "CLI-01 CRASH", found: "PJRT_Client_Create: expected an answer; the process died of SIGSEGV", says: report.NotConformant, kept: "LOAD-01 ERR-01 ATTR-01"},
		"OWN_HANDLER":    {broken: "CLI-01 CRASH", found: "PJRT_Client_Create: expected an answer; the process died of SIGSEGV", output: "*** the plugin's own words on a crash ***", says: report.NotConformant, kept: "LOAD-01 ERR-01 ATTR-01"},
		"NULL_SLOTS":     {says: report.Conformant, kept: "LOAD-01 ERR-01 ATTR-01"},
		"TRUNCATED":      {says: report.Conformant, kept: "LOAD-01 ERR-01 ATTR-01"},
	} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			o := Options{Plugin: faulty(t, fault), suite: "good"}
			if fault == "HANG" {
				o.TimeoutFactor = 0.02
			}
			r, err := Run(t.Context(), o)
			require.NoError(t, err)
			var broken, kept []string
			var first *report.Result
			for i := range r.Results {
				x := &r.Results[i]
				if x.Broken() {
					broken = append(broken, x.Check+" "+string(x.Verdict))
					if first == nil {
						first = x
					}
				}
				if x.Verdict == report.Pass {
					kept = append(kept, x.Check)
				}
			}
			assert.Equal(t, test.broken, strings.Join(broken, ", "))
			assert.Equal(t, test.kept, strings.Join(kept, " "))
			assert.Equal(t, test.says, r.Verdict)
			if test.found != "" {
				require.NotNil(t, first)
				assert.Contains(t, first.Failures[0], test.found)
			}
			if test.output != "" {
				assert.Contains(t, first.Death.Output, test.output)
			}
			var text strings.Builder
			require.NoError(t, r.WriteText(&text, true))
			assert.Contains(t, text.String(), r.Sentence())
			assert.Less(t, text.Len(), 64<<10)
		})
	}
}

func TestFaultyTablesAreReportedWithTheirMissingSlots(t *testing.T) {
	t.Parallel()
	for fault, want := range map[string]int{"NONE": 0, "NULL_SLOTS": 128, "TRUNCATED": 69} {
		r, err := Run(t.Context(), Options{Plugin: faulty(t, fault), suite: "good", Profile: Smoke})
		require.NoError(t, err)
		assert.InDelta(t, want, len(r.Capabilities.NullSlots), 3, fault)
		assert.Contains(t, r.Run.NoDevice, "PJRT_Client_Create", fault)
	}
}

// Most of what a plugin of 31 functions cannot do, it cannot do because another function is
// missing. The report names each of these once.
func TestFaultyForLackOfFunctions(t *testing.T) {
	t.Parallel()
	for others, test := range map[string]struct {
		first string // what to begin with
		most  int    // failures
		level report.LevelState
	}{
		"STUBS": {"CMP-01", 15, report.Reached},
		"NULLS": {"LOAD-08", 1, report.NotReached},
	} {
		t.Run(others, func(t *testing.T) {
			t.Parallel()
			r, err := Run(t.Context(), Options{Plugin: build(t, "early", "-DOTHERS="+others)})
			require.NoError(t, err)
			defer func() {
				for i := range r.Results {
					x := &r.Results[i]
					bad := x.Verdict.Failed() || x.Verdict == report.Flaky || x.Verdict == report.BrokenCheck
					if bad && t.Failed() {
						t.Log(x.Details())
					}
				}
			}()
			c := r.Summary.Checks
			assert.LessOrEqual(t, c.Fail, test.most)
			assert.Greater(t, c.Blocked, 400)
			assert.Greater(t, c.Pass, 150)
			assert.Zero(t, r.Summary.Verdicts[report.BrokenCheck]+r.Summary.Verdicts[report.Flaky])
			assert.Equal(t, test.level, r.Levels[0].State, "L0 needs no upload and no compiler: %s", r.Levels[0].Reason)
			require.NotEmpty(t, r.Leads)
			assert.Equal(t, test.first, r.Leads[0].Check)
			for i := range r.Results {
				x := &r.Results[i]
				if by := r.Result(x.BlockedBy); x.Verdict == report.Blocked && assert.NotNil(t, by, x.Check) {
					assert.True(t, by.Broken(), "%s is blocked by %s", x.Check, x.BlockedBy)
				}
				if x.Verdict == report.Blocked {
					assert.Empty(t, x.Attempts, "%s is blocked, and was run again", x.Check)
				}
			}
			var text strings.Builder
			require.NoError(t, r.WriteText(&text, false))
			assert.Less(t, text.Len(), 32<<10, "a report that the plugin's author reads to the end")
		})
	}
}
