// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/conformance/report"
	"github.com/purepjrt/purepjrt/tools/internal/clitest"
)

// The command in a report must work in any shell and directory.
func TestTheCommandThatReproducesCanBePasted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	odd := filepath.Join(dir, "it's a folder")
	require.NoError(t, os.Mkdir(odd, 0o755))
	require.NoError(t, os.Symlink(tested.Library, filepath.Join(odd, "plug in.so")))
	o := tested.Launch(t, odd, "run", "./plug in.so", "--option", "cpu_device_count=3", "--timeout-factor", "1.5", "--run", "^LEX-03", "--no-known-waivers", "--no-reruns")
	require.Equal(t, 1, o.Status, o.Stderr)
	_, line, ok := strings.Cut(o.Stdout, "  reproduce  ")
	require.True(t, ok, o.Stdout)
	line, _, _ = strings.Cut(line, "\n")
	shell := exec.CommandContext(t.Context(), "sh", "-c", line+" --no-known-waivers --no-reruns --json "+filepath.Join(dir, "again.json"))
	shell.Dir = "/"
	out, _ := shell.CombinedOutput()
	r, err := report.ReadFile(filepath.Join(dir, "again.json"))
	require.NoError(t, err, "%s\n%s", line, out)
	require.Len(t, r.Results, 1, line)
	assert.Equal(t, "LEX-03", r.Results[0].Check)
	assert.Equal(t, report.Fail, r.Results[0].Verdict)
	assert.Equal(t, []string{"cpu_device_count=3"}, r.Run.Options)
	assert.InDelta(t, 1.5, r.Run.TimeoutFactor, 0)
}

func TestReportsAreWrittenWhateverEndsTheRun(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("waits for runs to be under way: make test-all")
	}
	for name, test := range map[string]struct {
		signals []syscall.Signal
		status  int
		prints  bool
	}{
		"an interrupt":        {[]syscall.Signal{syscall.SIGINT}, 128 + int(syscall.SIGINT), true},
		"timeout(1)":          {[]syscall.Signal{syscall.SIGTERM, syscall.SIGCONT, syscall.SIGTERM}, 128 + int(syscall.SIGTERM), true},
		"nothing can be done": {[]syscall.Signal{syscall.SIGKILL}, -1, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			names := map[string]string{"--json": "r.json", "--html": "r.html", "--junit": "r.xml", "--md": "r.md", "--badge": "r.svg"}
			args := []string{"run", "cpu", "--jobs", "1", "--profile", "full"}
			for flag, file := range names {
				args = append(args, flag, file)
			}
			c := exec.CommandContext(t.Context(), tested.Path, args...)
			o := clitest.Run(t, dir, c, func(p *os.Process) {
				assert.Eventually(t, func() bool {
					found, err := filepath.Glob(filepath.Join(dir, "r.*"))
					return err == nil && len(found) == len(names)
				}, time.Minute, 10*time.Millisecond)
				for _, s := range test.signals {
					assert.NoError(t, p.Signal(s))
					time.Sleep(time.Millisecond) // two at once may arrive as one
				}
			})
			assert.Equal(t, test.status, o.Status, "%s%s", o.Stdout, o.Stderr)
			r, err := report.ReadFile(filepath.Join(dir, "r.json"))
			require.NoError(t, err)
			assert.True(t, r.Run.Interrupted)
			assert.Positive(t, r.Run.Left)
			assert.NotEmpty(t, r.Results)
			assert.Equal(t, test.prints, strings.Contains(o.Stdout, "incomplete"), o.Stdout)
			for _, file := range names {
				info, err := os.Stat(filepath.Join(dir, file))
				if assert.NoError(t, err) {
					assert.NotZero(t, info.Size(), file)
				}
			}
		})
	}
}

func TestReportsAreCompleteOrAbsent(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts the suite several times: make test-all")
	}
	dir := t.TempDir()
	first := tested.Launch(t, dir, "run", "cpu", "--run", "^LOAD-01$", "--json", "old.json")
	require.Equal(t, 0, first.Status, first.Stderr)
	for _, args := range []string{
		"run cpu --run ^LOAD-01$ --json new.json", "run cpu --run ^LOAD-01$ --html new.html", "page old.json --html new.html",
	} {
		c := exec.CommandContext(t.Context(), "sh",
			append([]string{"-c", `ulimit -f 1; exec "$0" "$@"`, tested.Path}, strings.Fields(args)...)...)
		o := clitest.Run(t, dir, c, nil)
		assert.Contains(t, []int{1, 2}, o.Status, args)
		assert.Regexp(t, `(?m)^pjrt-conformance: .*new.*: file too large$`, o.Stderr, args)
		entries, err := os.ReadDir(dir)
		require.NoError(t, err)
		assert.Len(t, entries, 1, args)
	}
}
