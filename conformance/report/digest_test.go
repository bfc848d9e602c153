// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package report_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/purepjrt/purepjrt/conformance/report"
)

func TestADigestIsTheSameForTheSameFailureElsewhere(t *testing.T) {
	t.Parallel()
	for a, b := range map[string]string{
		"last words: F0000 00:00:1795454242.781429   30079 a.cc:580] Check failed: n > 0": "last words: F1123 17:02:03.781429 9 a.cc:580] Check failed: n > 0",
		"last words: F0000 00:00:17.5 3 xla/pjrt/a.cc:580] Check failed: n > 0":           "last words: F1123 17:02:03.781429 9 b_impl.cc:12] Check failed: n > 0",
		"freed 0x7ffe0010 twice":               "freed 0xdeadbeef twice",
		"no answer within 1m30s":               "no answer within 2.5s",
		"open /tmp/a1/plugin.so: no such file": "open /home/me/x/other.so: no such file",
		`open "C:\Temp\a\plugin.so": refused`:  `open "/tmp/a1/plugin.so": refused`,
		"==123==ERROR: leak":                   "==77==ERROR: leak",
		"expected 4, got 140323456789012":      "expected 4, got 94012345678901",
		"the process 17 hangs":                 "the process 4 hangs",
		"it failed on 2026-01-02 03:04:05.5":   "it failed on 2027-11-12T13:14:15Z",
		"not equal\nof the program 1":          "not equal\nof the program 2",
		"two  words":                           "two words ",
	} {
		assert.Equal(t, report.Digest(a), report.Digest(b), "%q and %q", a, b)
	}
}

func TestADigestTellsFailuresApart(t *testing.T) {
	t.Parallel()
	seen := map[string][]string{}
	for _, findings := range [][]string{
		{"expected 4, got 5"}, {"expected 4, got 6"}, {"expected 4, got 5", "expected 4, got 5"}, {"the process died of SIGSEGV"},
		{"the process died of SIGABRT"}, {"a.cc:580] Check failed: n > 0"}, {"a.cc:580] Check failed: m > 0"}, {"divide a/b by c"}, {"divide a/c by c"},
		{"ab", "c"}, {"a", "bc"}, {""},
	} {
		d := report.Digest(findings...)
		assert.Len(t, d, 12)
		assert.Nil(t, seen[d], "%q", findings)
		seen[d] = findings
	}
	assert.Empty(t, report.Digest())
}
