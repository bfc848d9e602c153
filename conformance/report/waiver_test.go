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
		`{"plugin": {"name": "x"}, "waivers": []} []`:                                                  "there is text after the end",
		`{"plugin": {"api": "81"}}`:                                                                    `plugin.api "81" is neither an API version such as 0.81 nor a range`,
		`{"plugin": {"api": "0.9-0.8"}}`:                                                               "the range is empty",
		`{"plugin": {"file": "["}}`:                                                                    `plugin.file "[": syntax error in pattern`,
		`{"plugin": {"version": "("}}`:                                                                 "plugin.version: error parsing regexp",
		waiver(``):                                                                                     "waiver 2 (): it names no check",
		waiver(`"check": "EVT-99", "verdicts": ["FAIL"]`):                                              `waiver 2 (EVT-99): there is no rule "EVT-99"`,
		waiver(`"check": "EVT-02", "verdicts": ["FAIL"]`):                                              "it gives no reason",
		waiver(`"check": "EVT-02", "reason": "r"`):                                                     "it names no verdicts",
		waiver(`"check": "EVT-02", "reason": "r", "verdicts": ["BAD"]`):                                `the verdict "BAD" cannot be waived`,
		waiver(`"check": "EVT-02", "reason": "r", "verdicts": ["SUITE-ERROR"]`):                        "cannot be waived",
		waiver(`"check": "EVT-02", "reason": "r", "verdicts": ["PASS"]`):                               "it excuses nothing",
		waiver(`"check": "EVT-02", "reason": "r", "verdicts": ["FAIL"], "expires": "soon"`):            `expires: "soon" is not a day`,
		waiver(`"check": "EVT-02", "reason": "r", "verdicts": ["FAIL"], "link": "javascript:alert()"`): "is not a web address",
	} {
		_, err := report.ReadWaivers("w.json", strings.NewReader(text))
		assert.ErrorContains(t, err, says, text)
	}
	_, err := report.ReadWaivers("w.json", strings.NewReader(`{"x": "`+strings.Repeat("y", 17<<20)+`"}`))
	assert.ErrorContains(t, err, "larger than")
}

func TestWaiversCoverChecks(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		pattern, check string
		want           bool
	}{
		{"EVT-01", "EVT-01", true}, {"EVT-01", "EVT-01/x", true}, {"EVT-01", "EVT-011", false}, {"EVT-01/x", "EVT-01/x", true}, {"EVT-01/x", "EVT-01", false},
		{"EVT-01/x", "EVT-01/x/y", false}, {"EVT-*", "EVT-01/x", true}, {"EVT-*", "XEVT-01", false}, {"H2D-25/*", "H2D-25/TOKEN", true}, {"H2D-25/*", "H2D-25", false},
		{"RUN-02/edge/*", "RUN-02/edge/a/f32", true}, {"RUN-02/a.b", "RUN-02/axb", false},
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
