// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package conformance

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/session"
	"github.com/purepjrt/purepjrt/conformance/lists"
	"github.com/purepjrt/purepjrt/conformance/report"
	"github.com/purepjrt/purepjrt/pjrt/platform"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

// run runs the suite on the CPU plugin.
func run(t *testing.T, o Options) *Report {
	t.Helper()
	o.Plugin = plugintest.Path(t, "cpu")
	o.NoKnownWaivers = true
	r, err := Run(t.Context(), o)
	require.NoError(t, err)
	return r
}

func verdicts(r *Report) map[string]report.Verdict {
	v := make(map[string]report.Verdict)
	for _, x := range r.Results {
		v[x.Check] = x.Verdict
	}
	return v
}

func TestEveryWayToFailIsTheVerdictOfOneCheck(t *testing.T) {
	t.Parallel()
	r := run(t, Options{suite: "fake", Jobs: 1})
	assert.Equal(t, map[string]report.Verdict{
		"LOAD-01": report.Pass, "ERR-01": report.Pass, "ATTR-01": report.Pass, "CLI-14": report.Pass, "H2D-01": report.Pass,
		"RUN-01": report.Pass, "MULTI-01": report.Pass, "EVT-01": report.Fail, "EVT-02/crash": report.Crash, "EVT-02/shared": report.Crash,
		"EVT-03": report.Abort, "EVT-04": report.Timeout, "EVT-05": report.BrokenCheck, "LOAD-07": report.Warn, "BUF-01": report.SkipAbsent,
		"BUF-02": report.SkipUnimpl, "BUF-03": report.Flaky, "BUF-04": report.Pass, "SKEW-01": report.Pass,
	}, verdicts(r))
	assert.Equal(t, report.NotConformant, r.Verdict)
	assert.Equal(t, []report.Verdict{report.Crash, report.Crash, report.Crash}, r.Result("EVT-02/crash").Attempts)
	assert.Equal(t, []report.Verdict{report.Fail, report.Pass}, r.Result("BUF-03").Attempts)
	// A check that only fails after others is not blamed.
	flaky := r.Result("BUF-03")
	require.Len(t, flaky.Notes, 2)
	assert.Regexp(t, "^alone, in a new process, its verdict was PASS; in the process where it was FAIL, [0-9]+ others had run before, the last of them .*BUF-02$", flaky.Notes[0])
	assert.Equal(t, "its verdict was FAIL again when it ran after BUF-02 in one process: these may have caused it, and the check may not be at fault", flaky.Notes[1])
	assert.Equal(t, fmt.Sprintf("pjrt-conformance run %s --run '^(BUF-02|BUF-03)$' --jobs 1", r.Plugin.Path), flaky.Reproduce)
	crash := r.Result("EVT-02/shared")
	assert.Equal(t, "SIGSEGV", crash.Death.Signal)
	assert.Equal(t, []string{"expected an answer; the process died of SIGSEGV"}, crash.Failures)
	assert.Equal(t, fmt.Sprintf("pjrt-conformance run %s --run '^EVT-02/shared$'", r.Plugin.Path), crash.Reproduce)
	abort := r.Result("EVT-03")
	assert.Equal(t, []string{"I give up"}, abort.Death.Output)
	assert.Equal(t, 7, abort.Death.ExitCode)
	assert.Contains(t, r.Result("EVT-05").Failures[0], "a mistake")
	assert.Equal(t, []string{"things: expected 1, got 2"}, r.Result("EVT-01").Failures)
	require.Len(t, r.Skew, 2)
	assert.Equal(t, "SKEW-01", r.Skew[1].Check)

	assert.Equal(t, "cpu", r.Plugin.Platform)
	minor := r.Plugin.Minor
	want, ok := map[int]struct {
		table, functions, extensions, types int
		missing, unimplemented              []string
	}{
		81:  {984, 118, 4, 28, []string{"PJRT_Buffer_Bitcast"}, []string{"PJRT_Executable_OutputMemoryKinds"}},
		115: {1144, 138, 6, 32, nil, []string{"PJRT_Device_MemoryStats", "PJRT_Executable_GetCostAnalysis"}},
	}[minor]
	require.True(t, ok, "what the plugin of API 0.%d has is not known", minor)
	assert.Equal(t, fmt.Sprintf("0.%d", minor), r.Plugin.API())
	assert.Len(t, r.Plugin.SHA256, 64)
	k := r.Capabilities
	assert.Equal(t, want.table, k.TableSize)
	assert.Equal(t, want.functions, k.Functions)
	assert.Empty(t, k.NullSlots)
	assert.Subset(t, k.Missing, want.missing)
	assert.Subset(t, k.Unimplemented, want.unimplemented)
	assert.Contains(t, k.Memories, "device")
	assert.NotEmpty(t, k.Devices)
	assert.Len(t, k.Extensions, want.extensions)
	assert.Len(t, k.Types, want.types, "all that a plugin of its API knows")
	for _, x := range k.Types {
		assert.True(t, x.Uploads, x.Name)
	}
}

func TestAGoodPluginConforms(t *testing.T) {
	t.Parallel()
	var phases []string
	last := Progress{}
	r := run(t, Options{suite: "good", CreateOptions: []capi.Attribute{{Name: "cpu_device_count", Value: int64(3)}}, Progress: func(p Progress) {
		if p.Phase != last.Phase {
			phases = append(phases, p.Phase)
		}
		last = p
	}})
	assert.Equal(t, report.Conformant, r.Verdict, "%v", verdicts(r))
	assert.Equal(t, []string{"probe", "plan", "check"}, phases)
	assert.Equal(t, 7, last.Done)
	assert.Equal(t, 7, last.Total)
	assert.Len(t, r.Capabilities.Devices, 3)
	assert.Equal(t, []string{"cpu_device_count=3"}, r.Run.Options)
	assert.Empty(t, r.Problems)
	for _, l := range r.Levels {
		want := report.Reached
		if l.Name == "X" || l.Name == "Q" {
			want = report.NotRun
		}
		assert.Equal(t, want, l.State, "%s: %s", l.Name, l.Reason)
	}
}

func TestARunEndsAtItsBound(t *testing.T) {
	t.Parallel()
	var bound time.Duration
	usual := run(t, Options{suite: "good", Progress: func(p Progress) {
		if p.Plan != nil {
			bound = p.Plan.Bound
		}
	}})
	assert.GreaterOrEqual(t, bound, 15*time.Minute, "it is told at the start")
	assert.Equal(t, bound, usual.Run.Bound)
	r := run(t, Options{suite: "good", Bound: time.Nanosecond})
	assert.Equal(t, report.Incomplete, r.Verdict)
	assert.Equal(t, 7, r.Run.Left)
	assert.Equal(t, []string{"the run ended after its bound of 1ns, so 7 checks did not run"}, r.Problems)
}

func TestAReportCanBeMadeWhileChecksRun(t *testing.T) {
	t.Parallel()
	var ran []int
	r := run(t, Options{suite: "fake", Filter: regexp.MustCompile(`^(LOAD|EVT-01|BUF)`), Jobs: 1, Progress: func(p Progress) {
		if p.Result == nil {
			return
		}
		r := p.Report()
		assert.Equal(t, 7, r.Run.Left+len(r.Results))
		assert.True(t, r.Run.Interrupted)
		assert.NotNil(t, r.Result(p.Result.Check))
		ran = append(ran, len(r.Results))
	}})
	assert.Equal(t, []int{1, 2, 3, 4, 5, 6, 7}, ran[:7])
	assert.Greater(t, len(ran), 7, "failed checks run again")
	assert.False(t, r.Run.Interrupted)
}

func TestChecksAreChosen(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		options Options
		want    string
	}{
		"smoke":  {Options{Profile: Smoke}, "LOAD-01"},
		"level":  {Options{Levels: []string{"L1", "L3"}}, "CLI-14 RUN-01"},
		"filter": {Options{Filter: regexp.MustCompile(`^(H2D|FUZZ)-01$`)}, "H2D-01"},
		"full":   {Options{Filter: regexp.MustCompile(`^(H2D|FUZZ)-01$`), Profile: Full}, "H2D-01 FUZZ-01"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.options.suite = "good"
			var got []string
			for _, x := range run(t, test.options).Results {
				got = append(got, x.Check)
			}
			assert.Equal(t, test.want, strings.Join(got, " "))
		})
	}
}

func TestTheDeathOfASharedProcessCountsForTheCheckThatDiesAlone(t *testing.T) {
	t.Parallel()
	r := run(t, Options{suite: "late", Jobs: 1})
	assert.Equal(t, map[string]report.Verdict{"CLI-14": report.Pass, "BUF-01": report.Abort, "BUF-02": report.Pass, "BUF-03": report.Pass}, verdicts(r))
	assert.Equal(t, []string{"too late"}, r.Result("BUF-01").Death.Output)
	assert.Contains(t, r.Result("BUF-01").Notes, "it passed in a shared process, which died later, in BUF-02; this is its verdict when it runs alone")
	innocent := r.Result("BUF-02")
	assert.Empty(t, innocent.Failures)
	assert.Contains(t, innocent.Notes, "the process was ended by exit(7) in this check, in a process shared with others; alone, a process dies of BUF-01")
}

func TestWaivers(t *testing.T) {
	t.Parallel()
	file := func(text string) *report.WaiverFile {
		f, err := report.ReadWaivers("w.json", strings.NewReader(text))
		require.NoError(t, err)
		return f
	}
	r := run(t, Options{suite: "fake", Filter: regexp.MustCompile(`^(EVT-0[123]|BUF-04|H2D-01)`), Waivers: []*report.WaiverFile{
		file(`{"plugin": {"name": "cpu", "platform": "CPU", "api": "0.80-0.117", "file": "*_cpu_*.so"}, "waivers": [
			{"check": "EVT-01", "verdicts": ["FAIL"], "reason": "known", "link": "https://example.com/1"},
			{"check": "EVT-02", "verdicts": ["CRASH"], "reason": "known"},
			{"check": "EVT-03", "verdicts": ["CRASH"], "reason": "it crashes, they say"},
			{"check": "BUF-04", "verdicts": ["FAIL"], "reason": "it was so"},
			{"check": "H2D-01", "verdicts": ["FAIL", "PASS"], "reason": "it depends"},
			{"check": "EVT-02/gone", "verdicts": ["FAIL"], "reason": "it was renamed"},
			{"check": "CLI-14", "verdicts": ["FAIL"], "reason": "another run's"}]}`),
		file(`{"plugin": {"name": "another", "platform": "gpu"}, "waivers": [{"check": "EVT-03", "verdicts": ["ABORT"], "reason": "x"}]}`),
		file(`{"plugin": {"name": "cpu"}, "waivers": [{"check": "EVT-03", "verdicts": ["ABORT"], "reason": "x", "expires": "2001-01-01"}]}`),
	}})
	assert.Equal(t, map[string]report.Verdict{
		"EVT-01": report.Waived, "EVT-02/crash": report.Waived, "EVT-02/shared": report.Waived, "EVT-03": report.Abort,
		"BUF-04": report.UnexpectedPass, "H2D-01": report.Pass,
	}, verdicts(r))
	x := r.Result("EVT-01")
	assert.Equal(t, report.Fail, x.Found)
	assert.Equal(t, "known", x.Waiver.Reason)
	assert.Empty(t, x.Attempts, "what is excused is not run again")
	assert.Equal(t, report.NotConformant, r.Verdict)
	require.Len(t, r.Waivers, 7, "the waiver of a check that was not chosen is left out")
	assert.Equal(t, []string{"EVT-02/crash", "EVT-02/shared"}, r.Waivers[1].Excused)
	assert.Equal(t, "expired on 2001-01-01", r.Waivers[6].Problem)
	assert.Equal(t, "it covers no check of the suite", r.Waivers[5].Problem)
	assert.Equal(t, "stale: what it covers passes", r.Waivers[3].Problem)
	assert.Equal(t, "a different failure is waived: it crashes, they say; the waiver in w.json expects CRASH, but this is ABORT with the digest "+
		r.Result("EVT-03").Digest, r.Result("EVT-03").Changed)
}

func TestWaivedFailuresConformWithoutABadge(t *testing.T) {
	t.Parallel()
	w, err := report.ReadWaivers("w.json", strings.NewReader(`{"plugin": {"name": "any"}, "waivers": [{"check": "EVT-0*", "verdicts": ["FAIL"], "reason": "known"}]}`))
	require.NoError(t, err)
	r := run(t, Options{suite: "three", Waivers: []*report.WaiverFile{w}})
	assert.Equal(t, report.WithWaivers, r.Verdict)
	var states []string
	for _, l := range r.Levels {
		states = append(states, l.Name+" "+string(l.State))
	}
	assert.Equal(t, []string{"L0 reached", "L1 reached", "L2 with waivers", "L3 not run", "L4 not run", "X not run", "Q not run"}, states)
}

// What the last line of progress counts is what the report counts, warnings and blocked checks,
// too.
func TestProgressEndsWithTheCountsOfTheReport(t *testing.T) {
	t.Parallel()
	w, err := report.ReadWaivers("w.json", strings.NewReader(`{"plugin": {"name": "any"}, "waivers": [
		{"check": "*", "verdicts": ["FAIL", "WARN", "CRASH"], "reason": "known"}]}`))
	require.NoError(t, err)
	for _, o := range []Options{{suite: "fake"}, {suite: "fake", Waivers: []*report.WaiverFile{w}}, {suite: "three"}} {
		var last Progress
		o.NoReruns = true
		o.Progress = func(p Progress) {
			if p.Phase == "check" {
				last = p
			}
		}
		r := run(t, o)
		broken := 0
		for i := range r.Results {
			if r.Results[i].Broken() {
				broken++
			}
		}
		assert.Equal(t, []int{len(r.Results), broken, r.Summary.Checks.Waived, r.Summary.Checks.Blocked},
			[]int{last.Done, last.Failed, last.Waived, last.Blocked}, o.suite)
	}
}

func TestALevelThatRanOnlyInPartIsNotReached(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]Options{"a filter": {Filter: regexp.MustCompile("^LOAD-01$")}, "smoke": {Profile: Smoke}} {
		o.suite = "good"
		r := run(t, o)
		assert.Equal(t, report.Conformant, r.Verdict, name)
		assert.Equal(t, report.InPart, r.Levels[0].State, name)
	}
}

func TestWithoutADeviceTheRestIsChecked(t *testing.T) {
	t.Parallel()
	r := run(t, Options{suite: "good", NoDevice: true})
	assert.Equal(t, report.Pass, r.Result("ERR-01").Verdict)
	x := r.Result("H2D-01")
	assert.Equal(t, report.SkipEnv, x.Verdict)
	assert.Equal(t, "the run was asked to make no client", x.Skip)
	assert.Equal(t, report.Conformant, r.Verdict)
	assert.Equal(t, "the run was asked to make no client", r.Levels[2].Reason)
}

func TestChecksThatTheListLacksAreNotBinding(t *testing.T) {
	t.Parallel()
	list, err := lists.Parse("2027.01", "[L0]\nCLI-14\n[L3]\nEVT-01\n")
	require.NoError(t, err)
	r := run(t, Options{suite: "fake", judge: list, Filter: regexp.MustCompile(`^(CLI-14|EVT-0[13]|LOAD-07)$`), NoReruns: true})
	assert.Equal(t, "2027.01", r.Run.List)
	assert.Equal(t, map[string]report.Verdict{"LOAD-07": report.Warn, "EVT-01": report.Fail, "EVT-03": report.Abort, "CLI-14": report.Pass}, verdicts(r))
	assert.True(t, r.Result("EVT-01").Broken())
	assert.Equal(t, "L3", r.Result("EVT-01").Level, "a check counts for the level under which the list has it")
	assert.False(t, r.Result("EVT-03").Broken())
	assert.True(t, r.Result("EVT-03").Unlisted)
	assert.False(t, r.Result("LOAD-07").Unlisted, "what is recommended is on no list")
	assert.Equal(t, "not conformant to 2027.01: 1 check failed, 1 passed", r.Sentence())

	// Without the failure that the list has, the plugin conforms to it.
	r = run(t, Options{suite: "fake", judge: list, Filter: regexp.MustCompile(`^(CLI-14|EVT-03)$`), NoReruns: true})
	assert.Equal(t, report.Conformant, r.Verdict)
	assert.Contains(t, r.Advice(), "look at EVT-03, which the list 2027.01 does not have: a later one may")

	// The suite's own checks are judged by the newest list.
	r = run(t, Options{Filter: regexp.MustCompile(`^LOAD-01$`)})
	assert.Equal(t, lists.Newest().Name, r.Run.List)
	assert.Equal(t, "conformant to "+lists.Newest().Name+": 1 check passed, no binding check failed", r.Sentence())
}

func TestAClientThatCannotBeMadeIsOneFailure(t *testing.T) {
	t.Parallel()
	// Of these the plugin of API 0.81 aborts, and the newer ones.
	value := any("many")
	if run(t, Options{Filter: regexp.MustCompile("^LOAD-01$")}).Plugin.Minor != 81 {
		value = int64(-1)
	}
	r := run(t, Options{suite: "good", CreateOptions: []capi.Attribute{{Name: "cpu_device_count", Value: value}}})
	assert.Equal(t, report.SkipEnv, r.Result("H2D-01").Verdict)
	assert.Equal(t, "PJRT_Client_Create: the process died of SIGABRT", r.Run.NoDevice)
	x := r.Result("CLI-01")
	require.NotNil(t, x)
	assert.Equal(t, report.Crash, x.Verdict)
	assert.Contains(t, x.Reproduce, fmt.Sprintf("--option cpu_device_count=%v --run '^CLI-01$'", value))
	assert.Equal(t, report.NotConformant, r.Verdict)
}

func TestAnInterruptedRunReportsWhatRan(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, err := Run(ctx, Options{Plugin: plugintest.Path(t, "cpu"), suite: "fake", Jobs: 1, Progress: func(p Progress) {
		if p.Phase == "check" && p.Done == 3 {
			cancel()
		}
	}})
	require.NoError(t, err)
	assert.True(t, r.Run.Interrupted)
	assert.Len(t, r.Results, 3)
	assert.Equal(t, len(fake())-4, r.Run.Left, "all except those done and the one of another profile")
	assert.Contains(t, []report.Outcome{report.Incomplete, report.NotConformant}, r.Verdict)

	_, err = Run(ctx, Options{Plugin: plugintest.Path(t, "cpu"), suite: "fake", Progress: func(p Progress) {
		assert.NotEqual(t, "check", p.Phase, "no check runs any more")
	}})
	assert.ErrorIs(t, err, context.Canceled)
}

func TestAnInterruptedRunGoesOn(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("runs several times: make test-all")
	}
	o := Options{Plugin: plugintest.Path(t, "cpu"), suite: "fake", Jobs: 1, NoReruns: true, NoKnownWaivers: true, Resume: filepath.Join(t.TempDir(), "state")}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	interrupted := o
	interrupted.Progress = func(p Progress) {
		if p.Phase == "check" && p.Done == 5 {
			cancel()
		}
	}
	r, err := Run(ctx, interrupted)
	require.NoError(t, err)
	assert.Len(t, r.Results, 5)
	text, err := os.ReadFile(o.Resume)
	require.NoError(t, err)
	// The process may have died while it wrote.
	require.NoError(t, os.WriteFile(o.Resume, append(text, `{"result": {"che`...), 0o644))

	other := o
	other.Profile = Smoke
	_, err = Run(t.Context(), other)
	assert.ErrorContains(t, err, "the file is from another run; remove it to begin anew: profile: quick -> smoke")

	ran := 0
	o.Progress = func(p Progress) {
		if p.Phase == "check" {
			ran = p.Done
		}
	}
	r, err = Run(t.Context(), o)
	require.NoError(t, err)
	assert.Equal(t, len(r.Results)-5, ran, "what is known does not run again")
	assert.False(t, r.Run.Interrupted)
	assert.NoFileExists(t, o.Resume)
	whole := run(t, Options{suite: "fake", Jobs: 1, NoReruns: true})
	for check, v := range verdicts(whole) {
		if check != "BUF-03" { // it fails in a process where others ran before
			assert.Equal(t, v, verdicts(r)[check], check)
		}
	}
	assert.Equal(t, whole.Capabilities.Worked, r.Capabilities.Worked)
}

func TestPartsOfARunMakeOneReport(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("runs several times: make test-all")
	}
	var parts []*report.Report
	for i := range 3 {
		r := run(t, Options{suite: "fake", Shard: i + 1, Shards: 3, NoReruns: true})
		assert.Equal(t, fmt.Sprintf("%d/3", i+1), r.Run.Shard)
		for _, l := range r.Levels {
			assert.NotEqual(t, report.Reached, l.State, "a part reaches no level")
		}
		parts = append(parts, r)
	}
	merged, err := report.Merge([]*report.Report{parts[2], parts[0], parts[1]})
	require.NoError(t, err)
	whole := run(t, Options{suite: "fake", NoReruns: true})
	var got, want []string
	for _, x := range merged.Results {
		got = append(got, x.Check)
	}
	for _, x := range whole.Results {
		want = append(want, x.Check)
	}
	assert.Equal(t, want, got)
	assert.Equal(t, whole.Verdict, merged.Verdict)
	assert.Empty(t, merged.Run.Shard)
	assert.Equal(t, whole.Capabilities.Unimplemented, merged.Capabilities.Unimplemented)
	assert.Len(t, merged.Skew, 2)

	again := run(t, Options{suite: "fake", Only: merged.Again(), NoReruns: true})
	assert.Equal(t, len(merged.Again()), len(again.Results))
	assert.Nil(t, again.Result("LOAD-01"))
	assert.NotNil(t, again.Result("EVT-01"))

	for says, list := range map[string][]*report.Report{
		"the part 3/3 of the checks is missing":                                 {parts[0], parts[1]},
		"the part 1/3 of the checks is missing":                                 {parts[1], parts[2]},
		"the part 2/3 of the checks is missing, or another part is there twice": {parts[0], parts[0], parts[1], parts[2]},
		"is not from a part of the checks":                                      {whole},
		"there are no reports":                                                  nil,
	} {
		_, err := report.Merge(list)
		assert.ErrorContains(t, err, says)
	}
	other := *parts[1]
	other.Run.Profile = "core"
	_, err = report.Merge([]*report.Report{parts[0], &other, parts[2]})
	assert.ErrorContains(t, err, "are not from the same run: profile: quick -> core")
}

func TestWhatCannotBeRunIsAnError(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		options Options
		says    string
	}{
		"no such file":    {Options{Plugin: "/nowhere/p.so"}, "the plugin cannot be checked: plugin /nowhere/p.so: no such file or directory"},
		"a text file":     {Options{Plugin: "run_test.go"}, "not a shared library for this platform"},
		"a directory":     {Options{Plugin: "."}, "it is not a regular file"},
		"a profile":       {Options{Plugin: "x", Profile: 7}, `there is no Profile(7)`},
		"a level":         {Options{Plugin: "x", Levels: []string{"L9"}}, `there is no level "L9"`},
		"a part":          {Options{Plugin: "x", Shard: 4, Shards: 3}, "there is no part 4 of 3 parts of the checks"},
		"a factor":        {Options{Plugin: "x", TimeoutFactor: -1}, "is negative"},
		"a missing suite": {Options{Plugin: "x", suite: "none"}, `there is no suite "none"`},
		"an option":       {Options{Plugin: plugintest.Path(t, "cpu"), CreateOptions: []capi.Attribute{{Name: "x", Value: []string{}}}}, "a []string has no C form"},
		"no plugin":       {Options{}, "no plugin was named"},
		"no worker":       {Options{Plugin: plugintest.Path(t, "cpu"), WorkerArgs: []string{"-test.run=^$"}, suite: "good", noWorker: true}, "did not start"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := Run(t.Context(), test.options)
			assert.ErrorContains(t, err, test.says)
		})
	}
}

// The text of an option in a report makes the same option again.
func TestOptionsKeepTheirTypes(t *testing.T) {
	t.Parallel()
	for _, want := range []capi.Attribute{
		{Name: "a", Value: int64(1)}, {Name: "a", Value: "1"}, {Name: "a", Value: ""}, {Name: "a", Value: "b=c"}, {Name: "a", Value: "1,2"},
		{Name: "a", Value: []int64{1, 2}}, {Name: "a", Value: []int64{4}}, {Name: "a", Value: []int64{}},
		{Name: "a", Value: float32(0.5)}, {Name: "a", Value: float32(1)}, {Name: "a", Value: true}, {Name: "a", Value: "true"},
	} {
		text := session.Options([]capi.Attribute{want})[0].String()
		got, err := platform.ParseOption(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, got, text)
	}
}
