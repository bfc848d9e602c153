// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// echo makes a shell print its name and its arguments, one a line, and exit with 7.
var echo = []string{"-c", `printf '%s\n' "$@"; exit 7`, "sh", "run", "--what", "a b", "--", "-h"}

var echoed = outcome{"run\n--what\na b\n--\n-h\n", "", 7}

// fakeSuite makes a shell the suite's command in a new folder below another.
func fakeSuite(t *testing.T, folders ...string) (dir string) {
	t.Helper()
	dir = filepath.Join(append([]string{t.TempDir()}, folders...)...)
	require.NoError(t, os.MkdirAll(dir, 0o755))
	require.NoError(t, os.Symlink("/bin/sh", filepath.Join(dir, suiteCommand)))
	return dir
}

// linkIn makes pjrt a command in dir.
func linkIn(t *testing.T, dir string) string {
	t.Helper()
	require.NoError(t, os.Link(command, filepath.Join(dir, "pjrt")))
	return dir
}

// conformanceIn runs the command pjrt of a folder, in dir.
func conformanceIn(t *testing.T, folder, dir string, env []string, args ...string) outcome {
	t.Helper()
	c := exec.CommandContext(t.Context(), filepath.Join(folder, "pjrt"), append([]string{"conformance"}, args...)...)
	c.Env = env
	return finish(t, dir, c)
}

func TestConformanceHandsOverToTheSuitesCommand(t *testing.T) {
	t.Parallel()
	own, bin := linkIn(t, t.TempDir()), fakeSuite(t)
	for name, env := range map[string][]string{
		"GOBIN":    {"GOBIN=" + bin},
		"GOPATH":   {"GOPATH=/nowhere:" + filepath.Dir(fakeSuite(t, "bin"))},
		"the home": {"HOME=" + filepath.Dir(filepath.Dir(fakeSuite(t, "go", "bin")))},
		"PATH":     {"GOBIN=relative", "PATH=.::relative:/nowhere:" + bin},
	} {
		assert.Equal(t, echoed, conformanceIn(t, own, t.TempDir(), env, echo...), name)
	}
	both := linkIn(t, fakeSuite(t))
	assert.Equal(t, echoed, conformanceIn(t, both, t.TempDir(), []string{"GOBIN=/nowhere"}, echo...), "beside pjrt")
	linked := t.TempDir()
	require.NoError(t, os.Symlink(filepath.Join(both, "pjrt"), filepath.Join(linked, "pjrt")))
	assert.Equal(t, echoed, conformanceIn(t, linked, t.TempDir(), nil, echo...), "beside what a link to pjrt names")
}

func TestConformanceWithoutTheSuitesCommandSaysHowToInstallIt(t *testing.T) {
	t.Parallel()
	own, dir := linkIn(t, t.TempDir()), fakeSuite(t)
	require.NoError(t, os.Symlink(fakeSuite(t), filepath.Join(dir, "relative")))
	// What lies in a relative folder of PATH is not run.
	o := conformanceIn(t, own, dir, []string{"PATH=.:relative::", "GOBIN=/nowhere"}, echo...)
	assert.Equal(t, outcome{"", "pjrt: conformance: pjrt-conformance is not installed; " +
		"run: go install github.com/purepjrt/purepjrt/tools/pjrt-conformance@latest\n", 2}, o)
	launch(t, dir, "help", "conformance").requireSuccess(t)
}

func TestConformanceSaysThatTheSuitesCommandDoesNotStart(t *testing.T) {
	t.Parallel()
	own := linkIn(t, t.TempDir())
	suite := filepath.Join(own, suiteCommand)
	// Another process writes the file: one that this process has open cannot be run.
	out, err := exec.CommandContext(t.Context(), "sh", "-c", `echo text > "$0" && chmod +x "$0"`, suite).CombinedOutput()
	require.NoError(t, err, string(out))
	conformanceIn(t, own, t.TempDir(), nil, "run", "cpu").requireFailure(t, 2, "conformance: start "+suite+": exec format error")
}
