// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package report_test

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/conformance/report"
)

// stopped returns a result that stopped at functions.
func stopped(check string, v report.Verdict, functions ...string) report.Result {
	x := result(check, v, "PJRT_Client_Compile: UNIMPLEMENTED")
	x.Stopped = functions
	return x
}

func waiverOf(t *testing.T, check string) *report.WaiverFile {
	t.Helper()
	f, err := report.ReadWaivers("w.json", strings.NewReader(`{"waivers": [{"check": "`+check+`", "verdicts": ["FAIL"], "reason": "not yet"}]}`))
	require.NoError(t, err)
	return f
}

func TestWhatNeedsAFunctionThatNeverWorksIsBlocked(t *testing.T) {
	t.Parallel()
	const compile, remove, upload = "PJRT_Client_Compile", "PJRT_Buffer_Delete", "PJRT_Client_BufferFromHostBuffer"
	for name, test := range map[string]struct {
		results []report.Result
		null    []string
		waived  string            // a check whose failure is waived
		blocked map[string]string // by which check
		level   map[string]int    // how many checks are blocked
		says    report.Outcome
	}{
		"the first check about the function fails, the others are blocked": {
			results: []report.Result{
				stopped("LOAD-10", report.Fail, compile), stopped("CMP-01", report.Fail, compile), stopped("CMP-02", report.Fail, compile),
				stopped("CLI-10", report.Warn, compile), stopped("DON-04", report.SkipUnimpl, compile),
			},
			blocked: map[string]string{"LOAD-10": "CMP-01", "CMP-02": "CMP-01", "CLI-10": "CMP-01", "DON-04": "CMP-01"},
			level:   map[string]int{"L3": 4}, says: report.NotConformant,
		},
		"a function that worked once blocks nothing": {
			results: []report.Result{stopped("H2D-01", report.Fail, upload), stopped("H2D-02", report.Fail, upload)},
			says:    report.NotConformant,
		},
		"a function that plugins need not have blocks nothing": {
			results: []report.Result{stopped("COPY-01", report.SkipUnimpl, "PJRT_Buffer_CopyToDevice"), result("CLI-14", report.Pass)},
			says:    report.Conformant,
		},
		"what stops at two functions is blocked if neither works": {
			results: []report.Result{
				stopped("BUF-15", report.Fail, remove), stopped("RUN-01", report.Fail, remove, upload), stopped("RUN-03", report.Fail, remove, compile),
				stopped("RUN-05", report.Fail, compile, remove),
			},
			blocked: map[string]string{"RUN-05": "RUN-03"}, says: report.NotConformant,
		},
		"a null slot breaks the rule about slots": {
			results: []report.Result{
				result("LOAD-08", report.Fail, "the slot is null"), stopped("CMP-01", report.Fail, compile), stopped("RUN-01", report.SkipAbsent, compile),
			},
			null: []string{compile}, blocked: map[string]string{"CMP-01": "LOAD-08", "RUN-01": "LOAD-08"}, says: report.NotConformant,
		},
		"a plugin that is older than a function is not blocked": {
			results: []report.Result{stopped("COPY-13", report.SkipAbsent, "PJRT_Buffer_Bitcast"), stopped("COPY-15", report.Fail, "PJRT_Buffer_Bitcast")},
			says:    report.NotConformant,
		},
		"a recommendation blocks others where no rule binds": {
			results: []report.Result{stopped("CLI-10", report.Warn, remove), stopped("CLI-12", report.Warn, remove)},
			blocked: map[string]string{"CLI-12": "CLI-10"}, says: report.Conformant,
		},
		"a waived failure blocks others, but not what the plugin need not have": {
			results: []report.Result{
				stopped("CMP-01", report.Fail, compile), stopped("CMP-02", report.Fail, compile), stopped("DON-04", report.SkipUnimpl, compile),
			},
			waived: "CMP-01", blocked: map[string]string{"CMP-02": "CMP-01"}, says: report.WithWaivers,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := &report.Report{Results: test.results, Capabilities: report.Capabilities{NullSlots: test.null, Worked: []string{upload}}}
			if test.waived != "" {
				r.Waive([]*report.WaiverFile{waiverOf(t, test.waived)}, r.Started, nil, nil)
			}
			r.Block()
			r.Summarize()
			blocked, level := map[string]string{}, map[string]int{}
			for i := range r.Results {
				x := &r.Results[i]
				assert.Equal(t, x.Verdict == report.Blocked, x.BlockedBy != "", x.Check)
				if x.Verdict == report.Blocked {
					blocked[x.Check] = x.BlockedBy
				}
			}
			if test.blocked == nil {
				test.blocked = map[string]string{}
			}
			assert.Equal(t, test.blocked, blocked)
			for _, l := range r.Levels {
				if l.Counts.Blocked > 0 {
					level[l.Name] = l.Counts.Blocked
				}
			}
			if test.level != nil {
				assert.Equal(t, test.level, level, "what is blocked counts for the level of what blocks it")
			}
			assert.Equal(t, test.says, r.Verdict)
			assert.Equal(t, len(blocked), r.Summary.Checks.Blocked)
		})
	}
}

func TestEveryFormSaysWhatBlocks(t *testing.T) {
	t.Parallel()
	r := &report.Report{Plugin: report.Plugin{File: "p.so"}, Results: []report.Result{
		stopped("CMP-01", report.Fail, "PJRT_Client_Compile"), stopped("CMP-02", report.Fail, "PJRT_Client_Compile"),
		stopped("RUN-01", report.Fail, "PJRT_Client_Compile"),
	}}
	r.Block()
	r.Summarize()
	assert.Equal(t, []report.Block{{Check: "CMP-01", Functions: []string{"PJRT_Client_Compile"}, Blocked: []string{"CMP-02", "RUN-01"}}}, r.Blocks)
	assert.Equal(t, "not conformant: 1 check failed and blocked 2 others, 0 passed", r.Sentence())
	for form, want := range map[string][]string{
		"text":     {"  blocks     2 more checks\n", "1. PJRT_Client_Compile: mending it lets up to 3 checks pass\n"},
		"html":     {"blocked by the failure of CMP-01: it needs PJRT_Client_Compile"},
		"markdown": {`| 2 | CMP-01 | they need PJRT\_Client\_Compile |`},
		"junit":    {`<skipped message="blocked by the failure of CMP-01: it needs PJRT_Client_Compile" type="BLOCKED">`},
	} {
		var b bytes.Buffer
		require.NoError(t, map[string]func() error{
			"text": func() error { return r.WriteText(&b, false) }, "html": func() error { return r.WriteHTML(&b) },
			"markdown": func() error { return r.WriteMarkdown(&b) }, "junit": func() error { return r.WriteJUnit(&b) },
		}[form]())
		for _, w := range want {
			assert.Contains(t, b.String(), w, form)
		}
	}
}

func TestACheckThatFindsItselfBlockedNamesTheWorstCheckOfTheRule(t *testing.T) {
	t.Parallel()
	r := sample(t)
	blocked := result("SER-06", report.Blocked)
	blocked.BlockedBy, blocked.Skip = "SER-01", "PJRT_Executable_Serialize succeeds with 0 bytes"
	r.Results = append(r.Results, result("SER-01/a", report.Pass), result("SER-01/b", report.Fail, "no bytes"), blocked)
	r.Block()
	r.Summarize()
	assert.Equal(t, "SER-01/b", r.Result("SER-06").BlockedBy)
	assert.Contains(t, r.Result("SER-06").Details(), "blocked    blocked by SER-01/b: PJRT_Executable_Serialize succeeds with 0 bytes\n")
	require.Len(t, r.Blocks, 1)
	assert.Equal(t, []string{"SER-06"}, r.Blocks[0].Blocked)
	assert.Equal(t, "PJRT_Executable_Serialize succeeds with 0 bytes", r.Blocks[0].Reason)
	var page bytes.Buffer
	require.NoError(t, r.WriteHTML(&page))
	assert.Contains(t, page.String(), `<td class="mono">PJRT_Executable_Serialize succeeds with 0 bytes</td>`)
}

func TestABrokenCheckIsNotThePluginsFault(t *testing.T) {
	t.Parallel()
	r := sample(t)
	r.Results = []report.Result{result("LOAD-01", report.Pass), result("BUF-01", report.BrokenCheck, "panic: oops"), result("BUF-02", report.Pass)}
	r.Summarize()
	assert.Equal(t, report.Incomplete, r.Verdict, "it conforms as far as it was judged")
	assert.Equal(t, "broken checks: BUF-01", r.Levels[2].Reason)
	assert.Empty(t, r.Causes)
	assert.Equal(t, "incomplete: 1 check is broken, which is the suite's fault; 2 passed, and none failed", r.Sentence())
}

func TestUnimplementedFailsOnlyRulesAboutTheFunction(t *testing.T) {
	t.Parallel()
	const compile = "PJRT_Client_Compile"
	mixed := stopped("RUN-05", report.Fail, compile)
	mixed.Stopped = nil // there was another failure, too
	other := stopped("RUN-05", report.Fail, compile)
	other.Failures = []string{"PJRT_Client_Compile: expected success, got PJRT_Client_Compile: INTERNAL: no while"}
	for name, test := range map[string]struct {
		results []report.Result
		worked  []string
		waived  string
		want    []report.Verdict
	}{
		"of another function: it need not offer it": {results: []report.Result{stopped("RUN-05", report.Fail, compile), stopped("CLI-10", report.Warn, compile)},
			worked: []string{compile}, want: []report.Verdict{report.SkipUnimpl, report.SkipUnimpl}},
		"of another function that never works: its own rule fails": {
			results: []report.Result{stopped("CMP-01", report.Fail, compile), stopped("RUN-05", report.Fail, compile)},
			want:    []report.Verdict{report.Fail, report.Blocked}},
		"of the function that the rule is about": {results: []report.Result{stopped("CMP-01", report.Fail, compile)}, worked: []string{compile},
			want: []report.Verdict{report.Fail}},
		"of a function that a rule about UNIMPLEMENTED covers": {results: []report.Result{stopped("MEM-12", report.Warn, compile)},
			worked: []string{compile}, want: []report.Verdict{report.Warn}},
		"not the only failure": {results: []report.Result{mixed}, worked: []string{compile}, want: []report.Verdict{report.Fail}},
		"another code":         {results: []report.Result{other}, worked: []string{compile}, want: []report.Verdict{report.Fail}},
		"waived":               {results: []report.Result{stopped("RUN-05", report.Fail, compile)}, worked: []string{compile}, waived: "RUN-05", want: []report.Verdict{report.Waived}},
	} {
		r := &report.Report{Results: test.results, Capabilities: report.Capabilities{Worked: test.worked}}
		if test.waived != "" {
			r.Waive([]*report.WaiverFile{waiverOf(t, test.waived)}, r.Started, nil, nil)
		}
		r.Block()
		var got []report.Verdict
		for i := range r.Results {
			x := &r.Results[i]
			got = append(got, x.Verdict)
			if x.Verdict == report.SkipUnimpl {
				assert.Equal(t, "PJRT_Client_Compile: UNIMPLEMENTED", x.Skip, "it names the function")
			}
		}
		assert.Equal(t, test.want, got, name)
	}
}

func TestOneBlockedCheckIsSaidInTheSingular(t *testing.T) {
	t.Parallel()
	r := &report.Report{Plugin: report.Plugin{File: "p.so"}, Results: []report.Result{
		stopped("CMP-01", report.Fail, "PJRT_Client_Compile"), stopped("CMP-02", report.Fail, "PJRT_Client_Compile"),
	}}
	r.Block()
	r.Summarize()
	assert.Equal(t, "not conformant: 1 check failed and blocked 1 other, 0 passed", r.Sentence())
	r.Results[0].Verdict, r.Results[0].Found = report.Waived, report.Fail // no lead
	r.Summarize()
	assert.Equal(t, "begin with CMP-01, whose failure blocks 1 other check: it needs PJRT_Client_Compile", r.Advice()[0])
}

// The leads say what to mend first, and the advice says nothing else.
func TestAdviceContradictsNoLead(t *testing.T) {
	t.Parallel()
	r := &report.Report{Plugin: report.Plugin{File: "p.so"}}
	for _, rule := range []string{"CMP-01", "CMP-02", "RUN-01", "RUN-02", "EVT-01", "EVT-02", "BUF-01"} {
		f := "PJRT_" + rule[:3]
		r.Results = append(r.Results, stopped(rule, report.Fail, f))
	}
	r.Block()
	r.Summarize()
	require.NotEmpty(t, r.Blocks)
	require.NotEmpty(t, r.Leads)
	for _, a := range r.Advice() {
		assert.NotContains(t, a, "begin with")
	}
}

// What could not be judged for lack of an artifact is counted, with the reason.
func TestWhatHasNoArtifactIsCounted(t *testing.T) {
	t.Parallel()
	r := &report.Report{Run: report.Run{Artifacts: "PJRT_Client_Compile: INTERNAL: no artifact"}, Results: []report.Result{
		result("CMP-01", report.Fail, "PJRT_Client_Compile: INTERNAL: no artifact"), result("CMP-08/garbage", report.Blocked),
		result("CMP-09", report.Blocked), result("RUN-07", report.Blocked),
	}}
	for i := range r.Results[1:] {
		x := &r.Results[1+i]
		x.BlockedBy, x.Skip = "CMP-01", report.NoArtifact+": INTERNAL"
	}
	r.Results[3].Skip = "no program compiles"
	r.Summarize()
	for form, write := range map[string]func(io.Writer) error{
		"text": func(w io.Writer) error { return r.WriteText(w, false) }, "html": r.WriteHTML, "markdown": r.WriteMarkdown,
	} {
		var b strings.Builder
		require.NoError(t, write(&b))
		text := strings.Join(strings.Fields(b.String()), " ")
		assert.Contains(t, text, "2 checks came to no verdict, since the suite has no artifact of the programs", form)
		assert.Contains(t, text, "(CMP-08/garbage, CMP-09)", form)
	}
}
