// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build unix

package xla

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// newRoom makes a copy of what headers.sh works on, with two headers.
func newRoom(t *testing.T) string {
	t.Helper()
	room := t.TempDir()
	script, err := os.ReadFile("headers.sh")
	require.NoError(t, err)
	write(t, room, "headers.sh", string(script))
	write(t, room, coreHeader, "old core")
	write(t, room, "xla/ffi/api/c_api.h", "old ffi")
	write(t, room, "VERSION", "old version")
	return room
}

func newCheckout(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, coreHeader, "#define PJRT_API_MAJOR 0\n#define PJRT_API_MINOR 77\n")
	write(t, dir, "xla/ffi/api/c_api.h", "new ffi")
	return dir
}

func write(t *testing.T, dir, path, text string) {
	t.Helper()
	path = filepath.Join(dir, path)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
}

func read(t *testing.T, dir, path string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, path))
	require.NoError(t, err)
	return string(text)
}

func runHeaders(room string, args ...string) (string, error) {
	out, err := exec.Command("sh", append([]string{filepath.Join(room, "headers.sh")}, args...)...).CombinedOutput()
	return string(out), err
}

// names lists a folder, hidden files included, to show that nothing is left.
func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

func TestHeadersTakesTheOriginals(t *testing.T) {
	t.Parallel()
	room, checkout := newRoom(t), newCheckout(t)
	write(t, checkout, "xla/pjrt/c/pjrt_c_api_later_extension.h", "")
	out, err := runHeaders(room, checkout)
	require.NoError(t, err, out)
	assert.Equal(t, "new ffi", read(t, room, "xla/ffi/api/c_api.h"))
	assert.Contains(t, read(t, room, coreHeader), "PJRT_API_MINOR 77")
	assert.Equal(t, "api_major: 0\napi_minor: 77\nxla/ffi/api/c_api.h: 0.77 unknown\nxla/pjrt/c/pjrt_c_api.h: 0.77 unknown\n", read(t, room, "VERSION"))
	assert.Contains(t, out, "not taken, since it is new: xla/pjrt/c/pjrt_c_api_later_extension.h")
	assert.Equal(t, []string{"VERSION", "headers.sh", "xla"}, names(t, room))
}

func TestHeadersRecordsTheCommit(t *testing.T) {
	t.Parallel()
	room, checkout := newRoom(t), newCheckout(t)
	git := func(args ...string) string {
		cmd := exec.Command("git", append([]string{"-C", checkout, "-c", "user.name=t", "-c", "user.email=t@example.com"}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_COMMITTER_DATE=2026-01-02T03:04:05+00:00")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
		return string(out)
	}
	git("init", "--quiet")
	git("add", ".")
	git("commit", "--quiet", "--message", "one")
	out, err := runHeaders(room, checkout)
	require.NoError(t, err, out)
	commit := strings.TrimSpace(git("rev-parse", "HEAD"))
	assert.Regexp(t, `(?m)^xla/ffi/api/c_api.h: 0.77 commit `+commit+` 2026-01-02T03:04:05(Z|\+00:00)$`, read(t, room, "VERSION"))
}

func TestHeadersRefusesAndChangesNothing(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		args func(t *testing.T, room string) []string
		want string
	}{
		"no argument":    {func(*testing.T, string) []string { return nil }, "name one checkout"},
		"empty argument": {func(*testing.T, string) []string { return []string{""} }, "name one checkout"},
		"two arguments":  {func(*testing.T, string) []string { return []string{"a", "b"} }, "name one checkout"},
		"no such folder": {func(t *testing.T, _ string) []string { return []string{t.TempDir() + "/none"} }, "is not a folder"},
		"not XLA":        {func(t *testing.T, _ string) []string { return []string{t.TempDir()} }, "has no " + coreHeader},
		"itself":         {func(_ *testing.T, room string) []string { return []string{room} }, "is the folder to be replaced"},
		"lacks a header": {func(t *testing.T, _ string) []string {
			dir := newCheckout(t)
			require.NoError(t, os.Remove(dir+"/xla/ffi/api/c_api.h"))
			return []string{dir}
		}, "lacks xla/ffi/api/c_api.h"},
		"no version": {func(t *testing.T, _ string) []string {
			dir := newCheckout(t)
			write(t, dir, coreHeader, "#define PJRT_API_MAJOR 0\n")
			return []string{dir}
		}, "does not define PJRT_API_MAJOR and PJRT_API_MINOR"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			room := newRoom(t)
			out, err := runHeaders(room, test.args(t, room)...)
			var exit *exec.ExitError
			require.ErrorAs(t, err, &exit)
			assert.Equal(t, 1, exit.ExitCode())
			assert.Contains(t, out, test.want)
			assert.Equal(t, 1, countLines(out), "one clear line: %s", out)
			assert.Equal(t, "old core", read(t, room, coreHeader))
			assert.Equal(t, "old ffi", read(t, room, "xla/ffi/api/c_api.h"))
			assert.Equal(t, "old version", read(t, room, "VERSION"))
			assert.Equal(t, []string{"VERSION", "headers.sh", "xla"}, names(t, room))
		})
	}
}

func countLines(s string) int {
	n := 0
	for _, c := range s {
		if c == '\n' {
			n++
		}
	}
	return n
}
