// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build unix

package main

import (
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRunOnAFullDiskLeavesEarlierResults(t *testing.T) {
	t.Parallel()
	dir := workplace(t)
	write(t, dir, "small.mlir", "func.func @main() -> tensor<2xi32> {\n %0 = stablehlo.constant dense<7> : tensor<2xi32>\n return %0 : tensor<2xi32>\n}")
	launch(t, dir, "run", "--out", "results", "small.mlir").requireSuccess(t)
	before, err := os.ReadFile(filepath.Join(dir, "results", "out0.npy"))
	require.NoError(t, err)
	for _, out := range []string{"results", "new"} {
		c := exec.CommandContext(t.Context(), "sh", "-c", `ulimit -f 8; exec "$0" run --out "$1" wide.mlir`, command, out)
		finish(t, dir, c).requireFailure(t, 1, "--out: ")
	}
	after, err := os.ReadFile(filepath.Join(dir, "results", "out0.npy"))
	require.NoError(t, err)
	assert.Equal(t, before, after)
	files, err := os.ReadDir(filepath.Join(dir, "results"))
	require.NoError(t, err)
	assert.Len(t, files, 1)
	assert.NoDirExists(t, filepath.Join(dir, "new"))
}

func TestFilesAreCompleteOrAbsent(t *testing.T) {
	t.Parallel()
	dir := workplace(t)
	for _, args := range []string{
		"compile --out new.bin add.mlir", "compile --report new.html add.mlir", "run --profile new add.mlir f32.npy f32.npy",
	} {
		c := exec.CommandContext(t.Context(), "sh", append([]string{"-c", `ulimit -f 1; exec "$0" "$@"`, command}, strings.Fields(args)...)...)
		o := finish(t, dir, c)
		assert.Contains(t, []int{1, 2}, o.status, args)
		assert.Regexp(t, `(?m)^pjrt: .*new.*: file too large$`, o.stderr, args)
		require.NoError(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
			if err == nil && !d.IsDir() && (strings.Contains(path, "/new") || strings.HasPrefix(d.Name(), ".")) {
				t.Errorf("%s left %s", args, path)
			}
			return err
		}))
	}
}

func TestInstallFailuresAreOneLine(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ python, args, want string }{
		"no pip":      {"echo /usr/bin/python3: No module named pip >&2; exit 1", "cpu", "has no pip"},
		"no network":  {"echo \"WARNING: Retrying after connection broken by 'NewConnectionError'\" >&2; exit 1", "cpu", "the package index cannot be reached"},
		"wrong wheel": {`while [ "$1" != --dest ]; do shift; done; mkdir "$2"; echo not the wheel > "$2/x.whl"`, "cpu", "x.whl has the wrong hash: expected sha256 "},
		"unknown":     {"exit 1", "cup", `unknown plugin "cup": did you mean cpu? the known ones are cpu, `},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			python := filepath.Join(dir, "python3")
			writeScript(t, python, c.python)
			run := exec.CommandContext(t.Context(), command, "install", "--python", python, c.args)
			run.Env = append(os.Environ(), "XDG_CACHE_HOME="+filepath.Join(dir, "cache"), "HOME="+dir)
			o := finish(t, dir, run)
			assert.Equal(t, 1, o.status)
			assert.Empty(t, o.stdout)
			assert.Regexp(t, `^(cpu: downloading `+regexp.QuoteMeta(cpuPackage(t))+` \(\d+ MB, unpacked \d+ MB\)\n)?pjrt: [^\n]+\n$`, o.stderr)
			assert.Contains(t, o.stderr, c.want)
			left, err := filepath.Glob(filepath.Join(dir, "cache", "purepjrt", "plugins", "*"))
			require.NoError(t, err)
			for _, file := range left {
				assert.Equal(t, ".lock", filepath.Ext(file))
			}
		})
	}
}

func TestInterruptedInstallLeavesNothing(t *testing.T) {
	t.Parallel()
	// What a parent ignores, as below nohup, its children ignore too.
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGHUP)
	t.Cleanup(func() { signal.Stop(signals) })
	for name, c := range map[string]struct {
		front   string // a program of the shell that runs the command
		signals []os.Signal
		status  int
	}{
		"interrupt": {`exec "$0" "$@"`, []os.Signal{syscall.SIGINT}, 130},
		"terminate": {`exec "$0" "$@"`, []os.Signal{syscall.SIGTERM}, 143},
		"hang up":   {`exec "$0" "$@"`, []os.Signal{syscall.SIGHUP}, 129},
		"nohup":     {`trap "" HUP; exec "$0" "$@"`, []os.Signal{syscall.SIGHUP, syscall.SIGINT}, 130},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			python, ready := filepath.Join(dir, "python3"), filepath.Join(dir, "ready")
			writeScript(t, python, "touch "+ready+"\nexec sleep 60")
			run := exec.CommandContext(t.Context(), "sh", "-c", c.front, command, "install", "--python", python, "cpu")
			run.Env = append(os.Environ(), "XDG_CACHE_HOME="+dir, "HOME="+dir)
			o := finishAfter(t, dir, run, func(p *os.Process) {
				for range 3000 {
					if _, err := os.Stat(ready); err == nil {
						break
					}
					time.Sleep(10 * time.Millisecond)
				}
				for _, s := range c.signals {
					_ = p.Signal(s)
				}
			})
			assert.Equal(t, c.status, o.status)
			assert.Regexp(t, `^cpu: downloading `+regexp.QuoteMeta(cpuPackage(t))+` \(.*\)\npjrt: interrupted\n$`, o.stderr)
			left, err := filepath.Glob(filepath.Join(dir, "purepjrt", "plugins", "*[^k]"))
			require.NoError(t, err)
			hidden, err := filepath.Glob(filepath.Join(dir, "purepjrt", "plugins", ".*"))
			require.NoError(t, err)
			assert.Empty(t, append(left, hidden...))
		})
	}
}

func TestInstallListsAndFindsInTheUsersCache(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	inCache := func(args ...string) outcome {
		run := exec.CommandContext(t.Context(), command, args...)
		run.Env = append(os.Environ(), "XDG_CACHE_HOME="+dir, "HOME="+dir)
		return finish(t, dir, run)
	}
	o := inCache("install")
	o.requireSuccess(t)
	assert.Regexp(t, `(?m)^cpu +`+regexp.QuoteMeta(cpuPackage(t))+` +[\d.]+ MB +2\d\d MB +no$`, o.stdout)
	assert.Regexp(t, `(?m)^tpu@0\.0\.2 +libtpu 0\.0\.2 +(129 MB +307 MB|- +-) +(no|only for linux/amd64)$`, o.stdout)
	inCache("info").requireFailure(t, 1, "run: pjrt install cpu")

	// With the plugin from the real cache copied here, install has nothing to do.
	installed := filepath.Dir(library)
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "purepjrt", "plugins"), 0o777))
	require.NoError(t, os.Symlink(installed, filepath.Join(dir, "purepjrt", "plugins", filepath.Base(installed))))
	o = inCache("install", "--python", "no-such-python", "cpu")
	o.requireSuccess(t)
	path := filepath.Join(dir, "purepjrt", "plugins", filepath.Base(installed), filepath.Base(library))
	assert.Equal(t, path+"\n", o.stdout)
	o = inCache("install")
	o.requireSuccess(t)
	assert.Regexp(t, `(?m)^cpu +.* yes$`, o.stdout)
}

func TestFullStandardOutputIsAnError(t *testing.T) {
	t.Parallel()
	dir := workplace(t)
	for _, args := range [][]string{{"run", "add.mlir", "f32.npy", "f32.npy"}, {"info"}, {"info", "--json"}, {"install"}, {"version"}} {
		c := exec.CommandContext(t.Context(), "sh", append([]string{"-c", `exec "$0" "$@" >/dev/full`, command}, args...)...)
		finish(t, dir, c).requireFailure(t, 1, "")
	}
}

// writeScript writes a program of the shell while no process starts: one that does would hold the
// file open, and Linux does not run what is open for writing.
func writeScript(t *testing.T, path, text string) {
	t.Helper()
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o777))
}
