// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package report_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/conformance/report"
)

func TestDamagedWaiversAreClearErrors(t *testing.T) {
	t.Parallel()
	waiver := func(fields string) string {
		return `{"plugin": {"name": "x"}, "waivers": [{"check": "EVT-01", "verdicts": ["FAIL"], "reason": "r"}, {` + fields + `}]}`
	}
	for text, says := range map[string]string{
		"":                    "waivers w.json: the file is empty",
		"\n\n{":               "waivers w.json: line 3: unexpected EOF",
		"{\n\"plugin\": 1\n}": "waivers w.json: line 2: json: cannot unmarshal number",
		`{"plugins": {}}`:     `line 1: json: unknown field "plugins"`,
		`{"plugin": {"name": "x"}, "waivers": []} []`:                                                                "there is text after the end",
		`{"plugin": {"api": "81"}}`:                                                                                  `plugin.api "81" is neither an API version such as 0.81 nor a range`,
		`{"plugin": {"api": "0.9-0.8"}}`:                                                                             "the range is empty",
		`{"plugin": {"file": "["}}`:                                                                                  `plugin.file "[": syntax error in pattern`,
		`{"plugin": {"version": "("}}`:                                                                               "plugin.version: error parsing regexp",
		waiver(``):                                                                                                   "waiver 2 (): it names no check",
		waiver(`"check": "EVT-99", "verdicts": ["FAIL"]`):                                                            `waiver 2 (EVT-99): there is no rule "EVT-99"`,
		waiver(`"check": "EVT-02", "verdicts": ["FAIL"]`):                                                            "it gives no reason",
		waiver(`"check": "EVT-02", "reason": "r"`):                                                                   "it names no verdicts",
		waiver(`"check": "EVT-02", "reason": "r", "verdicts": ["BAD"]`):                                              `the verdict "BAD" cannot be waived`,
		waiver(`"check": "EVT-02", "reason": "r", "verdicts": ["BROKEN-CHECK"]`):                                     "cannot be waived",
		waiver(`"check": "EVT-02", "reason": "r", "verdicts": ["PASS"]`):                                             "it excuses nothing",
		waiver(`"check": "EVT-02", "reason": "r", "verdicts": ["FAIL"], "expires": "soon"`):                          `expires: "soon" is not a day`,
		waiver(`"check": "EVT-02", "reason": "r", "verdicts": ["FAIL"], "link": "javascript:alert()"`):               "is not a web address",
		waiver(`"check": "EVT-02", "reason": "r", "verdicts": ["FAIL"], "digests": ["123456789ABC"]`):                `digests: "123456789ABC" is not a digest of 12`,
		waiver(`"check": "EVT-02", "reason": "r", "verdicts": ["FAIL"], "digests": ["123456789abc"], "varies": "v"`): "leave out one of them",
	} {
		_, err := report.ReadWaivers("w.json", strings.NewReader(text))
		assert.ErrorContains(t, err, says, text)
	}
	_, err := report.ReadWaivers("w.json", strings.NewReader(`{"x": "`+strings.Repeat("y", 17<<20)+`"}`))
	assert.ErrorContains(t, err, "larger than")
	_, err = report.ReadWaivers("w.json", strings.NewReader(`{"plugin": {"version": "`+strings.Repeat("y", 201)+`"}}`))
	assert.ErrorContains(t, err, "plugin.version has 201 bytes, and may have 200")
	_, err = report.ReadWaivers("w.json", strings.NewReader(`{"waivers": [`+strings.Repeat("{},", 100<<10)+`{}]}`))
	assert.ErrorContains(t, err, "waivers[0] has only 2 bytes, and lacks members that it must have")
}

func TestWaiversCoverChecks(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		pattern, check string
		want           bool
	}{
		{"EVT-01", "EVT-01", true}, {"EVT-01", "EVT-01/x", true}, {"EVT-01", "EVT-011", false}, {"EVT-01/x", "EVT-01/x", true}, {"EVT-01/x", "EVT-01", false},
		{"EVT-01/x", "EVT-01/x/y", false}, {"EVT-*", "EVT-01/x", true}, {"EVT-*", "XEVT-01", false}, {"H2D-25/*", "H2D-25/TOKEN", true}, {"H2D-25/*", "H2D-25", false},
		{"RUN-02/edge/*", "RUN-02/edge/a/f32", true}, {"RUN-02/a.b", "RUN-02/axb", false}, {"*", "EVT-01/x", true}, {"*-01", "EVT-01/x", true},
		{"*-01", "EVT-02", false}, {"RUN-02/*/f4*", "RUN-02/edge/abs/f4E2M1FN", true}, {"RUN-02/*/f4*", "RUN-02/f4E2M1FN", false},
		{"RUN-02/a*a", "RUN-02/a", false}, {"RUN-02/a*a", "RUN-02/aa", true}, {"RUN-02/**b*b", "RUN-02/ab", false}, {"RUN-02/*ab*b", "RUN-02/aabab", true},
	} {
		f, err := report.ReadWaivers("w", strings.NewReader(`{"plugin": {"name": "x"}, "waivers": [{"check": "`+test.pattern+`", "verdicts": ["FAIL"], "reason": "r", "expires": "2026-05-05"}]}`))
		require.NoError(t, err)
		assert.Equal(t, test.want, f.Waivers[0].Covers(test.check), "%v", test)
		assert.False(t, f.Waivers[0].Expired(time.Date(2026, 5, 5, 23, 0, 0, 0, time.UTC)))
		assert.True(t, f.Waivers[0].Expired(time.Date(2026, 5, 6, 0, 0, 0, 0, time.UTC)))
	}
}

func TestWaiversAreForSomePlugins(t *testing.T) {
	t.Parallel()
	p := &report.Plugin{File: "libtpu.so", Minor: 81, Platform: "TPU", PlatformVersion: "libtpu 0.0.51, built", SHA256: "ab"}
	for _, test := range []struct {
		match report.PluginMatch
		want  bool
	}{
		{report.PluginMatch{}, true}, {report.PluginMatch{API: "0.81"}, true}, {report.PluginMatch{API: "0.80"}, false}, {report.PluginMatch{API: "0.75-0.90"}, true},
		{report.PluginMatch{API: "0.82-0.90"}, false}, {report.PluginMatch{File: "libtpu*.so"}, true}, {report.PluginMatch{File: "libtpu"}, false},
		{report.PluginMatch{Platform: "tpu"}, true}, {report.PluginMatch{Platform: "cpu"}, false}, {report.PluginMatch{Version: `0\.0\.51\b`}, true},
		{report.PluginMatch{Version: `^0\.0`}, false}, {report.PluginMatch{SHA256: "AB"}, true}, {report.PluginMatch{SHA256: "ac"}, false},
		{report.PluginMatch{API: "0.81", Platform: "cpu"}, false}, {report.PluginMatch{API: "nonsense"}, false},
	} {
		assert.Equal(t, test.want, test.match.Matches(p), "%+v", test.match)
	}
}

// waive applies one waiver, which has the fields, to results, and returns its use.
func waive(t *testing.T, r *report.Report, fields string) report.WaiverUse {
	t.Helper()
	text := `{"plugin": {"name": "x"}, "waivers": [{"reason": "it is so", ` + fields + `}]}`
	f, err := report.ReadWaivers("w.json", strings.NewReader(text))
	require.NoError(t, err)
	r.Waive([]*report.WaiverFile{f}, time.Now(), nil, nil)
	require.Len(t, r.Waivers, 1)
	return r.Waivers[0]
}

func failing(check string, v report.Verdict, finding string) report.Result {
	x := result(check, v, finding)
	x.Digest = report.Digest(finding)
	return x
}

func TestAFailureThatChangedIsNotWaived(t *testing.T) {
	t.Parallel()
	before, after := report.Digest("expected 4, got 5"), report.Digest("expected 4, got 6")
	for name, test := range map[string]struct {
		fields  string
		verdict report.Verdict
		want    report.Verdict
		changed string // the end of it
	}{
		"the same":                 {`"verdicts": ["FAIL"], "digests": ["` + after + `"]`, report.Fail, report.Waived, ""},
		"one of several":           {`"verdicts": ["FAIL"], "digests": ["` + before + `", "` + after + `"]`, report.Fail, report.Waived, ""},
		"whatever it is":           {`"verdicts": ["FAIL"], "varies": "by the hour"`, report.Fail, report.Waived, ""},
		"a flaky check":            {`"verdicts": ["FAIL", "FLAKY"], "digests": ["` + before + `"]`, report.Flaky, report.Waived, ""},
		"a pass that is allowed":   {`"verdicts": ["FAIL", "PASS"], "digests": ["` + before + `"]`, report.Pass, report.Pass, ""},
		"another finding":          {`"verdicts": ["FAIL"], "digests": ["` + before + `"]`, report.Fail, report.Fail, "FAIL with the digest " + before + ", but this is FAIL with the digest " + after},
		"another verdict":          {`"verdicts": ["CRASH"], "varies": "by the hour"`, report.Fail, report.Fail, "CRASH, but this is FAIL with the digest " + after},
		"another verdict and find": {`"verdicts": ["CRASH", "ABORT"], "digests": ["` + before + `"]`, report.Fail, report.Fail, "CRASH, ABORT with the digest " + before + ", but this is FAIL with the digest " + after},
	} {
		r := &report.Report{Results: []report.Result{failing("EVT-01", test.verdict, "expected 4, got 6")}}
		waive(t, r, `"check": "EVT-01", `+test.fields)
		x := r.Results[0]
		assert.Equal(t, test.want, x.Verdict, name)
		if test.changed == "" {
			assert.Empty(t, x.Changed, name)
			continue
		}
		assert.Equal(t, "a different failure is waived: it is so; the waiver in w.json expects "+test.changed, x.Changed, name)
		assert.Contains(t, x.Details(), x.Changed, name)
		assert.True(t, x.Broken(), name)
		assert.Nil(t, x.Waiver, name)
	}
}

func TestAWaiverThatWaivesNothingIsStale(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		verdicts string
		found    []report.Verdict
		want     string
	}{
		{`"FAIL"`, []report.Verdict{report.Fail}, ""},
		{`"FAIL"`, []report.Verdict{report.Pass}, "stale: what it covers passes"},
		{`"FAIL"`, []report.Verdict{report.Pass, report.Fail}, ""},
		{`"FAIL"`, []report.Verdict{report.Crash}, ""}, // changed, and still a failure
		{`"FAIL", "PASS"`, []report.Verdict{report.Pass, report.Pass}, "stale: what it covers passes"},
		{`"FAIL", "PASS"`, []report.Verdict{report.Pass}, ""},
		{`"FAIL"`, []report.Verdict{report.SkipAbsent, report.SkipUnimpl}, "stale: the plugin lacks what it is about"},
		{`"FAIL"`, []report.Verdict{report.SkipEnv}, ""},
		{`"FAIL"`, nil, ""},
	} {
		r := &report.Report{}
		for _, v := range test.found {
			r.Results = append(r.Results, failing("EVT-01", v, "x"))
		}
		assert.Equal(t, test.want, waive(t, r, `"check": "EVT-01", "verdicts": [`+test.verdicts+`]`).Problem, "%v", test)
	}
}
