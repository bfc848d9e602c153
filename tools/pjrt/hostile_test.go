// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// hostile runs the command with a hostile plugin. The first argument may be an environment
// variable.
func hostile(t *testing.T, does, dir string, args ...string) outcome {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	env := os.Environ()
	if strings.HasPrefix(args[0], "PJRT_") {
		env, args = append(env, args[0]), args[1:]
	}
	c := exec.CommandContext(t.Context(), self, args...)
	c.Env = append(env, hostileVariable+"="+does, "PJRT_TEST_HOSTILE_PLUGIN="+library, "PATH=")
	return finish(t, dir, c)
}

func TestWhatAPluginSaysDoesNotChangeTheTerminal(t *testing.T) {
	t.Parallel()
	dir := workplace(t)
	bin := filepath.Join(dir, "add.bin")
	require.Zero(t, hostile(t, talks, dir, "compile", "--out", bin, "add.mlir").status)
	for _, c := range []struct {
		does, line string
		status     int
		says       string // quoted by the plugin's escapes
	}{
		{talks, "info LIBRARY", 0, `\x1b]0;owned\x07`},
		{talks, "info LIBRARY --functions", 0, `\x1b]0;owned\x07`},
		{talks, "info LIBRARY --json", 0, `\u001b]0;owned\u0007`},
		{talks, "list LIBRARY", 0, "usable"},
		{talks, "list LIBRARY --json", 0, `"usable": true`},
		{talks, "doctor LIBRARY", 0, "makes a client"},
		{talks, "compile add.mlir", 0, `\x1b]0;owned\x07`},
		{talks, "compile --report page.html add.mlir", 0, ""},
		{talks, "run add.mlir f32.npy f32.npy", 0, "[2. 4. 6. 8.]"},
		{talks, "run add.bin f32.npy f32.npy", 1, `pjrt: load add.bin: `},
		{talks, "PJRT_TRACE=stderr run add.mlir f32.npy f32.npy", 0, "PJRT_Client_PlatformName"},
		{talks, "PJRT_TRACE=stderr info LIBRARY", 0, "PJRT_Client_PlatformName"},
		{talks, "PJRT_SUMMARY=stderr run add.mlir f32.npy f32.npy", 0, "PJRT_Client_PlatformName"},
		{talks, "run --profile p add.mlir f32.npy f32.npy", 0, "profile: "},
		{fails, "compile add.mlir", 1, `cannot compile\x1b]0;owned\x07`},
		{fails, "run add.mlir f32.npy f32.npy", 1, `cannot compile\x1b]0;owned\x07`},
		{refuses, "info LIBRARY", 0, `no chips\x1b]0;owned\x07`},
		{refuses, "info LIBRARY --json", 0, `no chips\\x1b]0;owned\\x07`},
		{refuses, "list LIBRARY", 0, `no chips\x1b]0;owned\x07`},
		{refuses, "list LIBRARY --json", 0, `no chips\\x1b]0;owned\\x07`},
		{refuses, "doctor LIBRARY", 1, `no chips\x1b]0;owned\x07`},
		{refuses, "doctor LIBRARY --json", 1, `no chips\u001b]0;owned\u0007`},
		{refuses, "run add.mlir f32.npy f32.npy", 1, `no chips\x1b]0;owned\x07`},
		{throws, "info LIBRARY", 0, `no chips\x1b]0;owned\x07`},
		{throws, "list LIBRARY", 0, `no chips\x1b]0;owned\x07`},
		{throws, "doctor LIBRARY", 1, `no chips\x1b]0;owned\x07`},
	} {
		t.Run(c.does+" "+c.line, func(t *testing.T) {
			t.Parallel()
			o := hostile(t, c.does, dir, strings.Fields(strings.ReplaceAll(c.line, "LIBRARY", library))...)
			assert.Equal(t, c.status, o.status, o.stderr)
			assert.True(t, clean(o.stdout), "%q", o.stdout)
			assert.True(t, clean(o.stderr), "%q", o.stderr)
			assert.Contains(t, o.stdout+o.stderr, c.says)
		})
	}
}

func TestAPluginThatEndsTheProcessIsReported(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const thrown = `creating a client ends the process (SIGABRT): no chips\x1b]0;owned\x07\x1b[31m\x9b32m\x7f\x08\x0d\u202e\u2066; in the cluster`
	for does, want := range map[string]struct{ state, reason string }{
		throws:      {"no client", thrown},
		exits:       {"no client", "creating a client ends the process (exit status 3), and the plugin says nothing"},
		hangs:       {"no client", "takes longer than 2s, after which the process was ended"},
		diesLoading: {"broken", "loading it ends the process (SIGABRT): no chips"},
	} {
		t.Run(does, func(t *testing.T) {
			t.Parallel()
			timeout := "10m" // a busy machine takes its time
			if does == hangs {
				timeout = "2s"
			}
			o := hostile(t, does, dir, "list", "--timeout", timeout, library)
			require.Zero(t, o.status)
			assert.Empty(t, o.stderr)
			if does != hangs { // where loading may take so long
				assert.Regexp(t, `(?m)^cpu +cpu +`+want.state+` `, o.stdout)
			}
			assert.Regexp(t, `(?m)^cpu: .*`+regexp.QuoteMeta(want.reason), o.stdout)

			o = hostile(t, does, dir, "list", "--json", "--timeout", timeout, library)
			var list []candidateReport
			require.NoError(t, json.Unmarshal([]byte(o.stdout), &list))
			assert.Contains(t, list[0].ClientError, want.reason)
			assert.False(t, list[0].Usable)

			o = hostile(t, does, dir, "doctor", "--timeout", timeout, library)
			assert.Equal(t, 1, o.status)
			assert.Empty(t, o.stderr)
			assert.Regexp(t, `(?m)^ERROR plugin cpu  .*`+regexp.QuoteMeta(want.reason), o.stdout)
			assert.Contains(t, o.stdout, "-> see what else it says: pjrt info "+library)

			o = hostile(t, does, dir, "info", "--timeout", timeout, library)
			if does == hangs {
				assert.Contains(t, o.stdout+o.stderr, want.reason)
				return
			}
			if does == diesLoading {
				assert.Equal(t, 1, o.status)
				assert.Contains(t, o.stderr, "pjrt: plugin "+library+": "+want.reason)
				return
			}
			require.Zero(t, o.status, o.stderr)
			assert.Contains(t, o.stdout, "client    none: "+want.reason)
			assert.Regexp(t, fmt.Sprintf(`(?m)^  core +%d of \d+$`, known(t).functions), o.stdout, "what is known without a client")
			if does == throws {
				assert.Contains(t, o.stderr, "Opening chips\n", "all that it said")
			}
			assert.NotContains(t, o.stderr, "goroutine")
		})
	}
}

// The user did not ask for the installed plugin, and it is still an error.
func TestDoctorDoesNotTakeABrokenPluginForADefault(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	require.NoError(t, err)
	_, env := home(t)
	for does, want := range map[string]map[string]finding{
		diesLoading: {
			"plugin cpu": {State: wrong, Finding: "loading it ends the process (SIGABRT): no chips", Remedy: "pjrt install --force cpu"},
			"default":    {State: wrong, Finding: "cpu is used when no plugin is named, and loading it ends", Remedy: "pjrt install --force cpu"},
		},
		throws: {
			"plugin cpu": {State: warning, Finding: "creating a client ends the process", Remedy: "pjrt info "},
			"default":    {State: wrong, Finding: "cpu is used when no plugin is named, and creating a client ends", Remedy: "pjrt info "},
		},
		refuses: {
			"plugin cpu": {State: warning, Finding: "no chips"},
			"default":    {State: wrong, Finding: "cpu is used when no plugin is named, and does not work: "},
		},
	} {
		c := exec.CommandContext(t.Context(), self, "doctor", "--json")
		c.Env = append(env, hostileVariable+"="+does, "PJRT_TEST_HOSTILE_PLUGIN="+library, "PATH=")
		o := finish(t, t.TempDir(), c)
		assert.Equal(t, 1, o.status)
		found := diagnosis(t, o)
		for subject, f := range want {
			assert.Equal(t, f.State, found[subject].State, subject)
			assert.Contains(t, found[subject].Finding, f.Finding)
			assert.Contains(t, found[subject].Remedy, f.Remedy)
		}
	}
}

func TestOnlyPluginsThatShareTheirDevicesAreTriedUnasked(t *testing.T) {
	t.Parallel()
	o := hostile(t, throws, t.TempDir(), "list", "--no-python", "--try=none", library)
	require.Zero(t, o.status)
	assert.Regexp(t, `(?m)^cpu +cpu +usable `, o.stdout)
	o = hostile(t, throws, t.TempDir(), "list", "--no-python", "--usable")
	require.Zero(t, o.status)
	assert.NotContains(t, o.stdout, "\ncpu ")
	launch(t, t.TempDir(), "list", "--try=some").requireFailure(t, 2, "want none, shared, all")
}

func TestLastWordsAreThoseThatSayWhy(t *testing.T) {
	t.Parallel()
	for output, want := range map[string]string{
		"":             "",
		"a\nb\nc\nd\n": "b; c; d",
		"I1 starting\nF0102 12:00:00.000 1 x.cc:3] Check failed: a > 0 (0 vs. 0)\n*** Check failure stack trace: ***\n    @ 0x7f00 x\n": "F0102 12:00:00.000 1 x.cc:3] Check failed: a > 0 (0 vs. 0)",
		"terminate called after throwing an instance of 'E'\n  what():  a: 1 > 0\ninfo:\nNo chips\nbacktrace:\n --- x\n":                "a: 1 > 0; info: No chips",
		"free(): invalid pointer\nSIGABRT: abort\nPC=0x7f m=0\n":                                                                        "free(): invalid pointer",
		"SIGSEGV: segmentation violation\nPC=0x7f m=0\n":                                                                                "",
		strings.Repeat("x", 1000): strings.Repeat("x", 400) + "...",
	} {
		assert.Equal(t, want, lastWords(output))
	}
}
