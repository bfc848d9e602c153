// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
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
	o := tested.Launch(t, odd, "run", "./plug in.so", "--option", "cpu_device_count=3", "--timeout-factor", "1.5", "--run", "^D2H-06", "--no-known-waivers", "--no-reruns")
	require.Equal(t, 1, o.Status, o.Stderr)
	_, line, ok := strings.Cut(o.Stdout, "  reproduce  ")
	require.True(t, ok, o.Stdout)
	line, _, _ = strings.Cut(line, "\n")
	shell := exec.CommandContext(t.Context(), "sh", "-c", line+" --no-known-waivers --no-reruns --json "+filepath.Join(dir, "again.json"))
	shell.Dir = "/"
	out, _ := shell.CombinedOutput()
	r, err := readReport(filepath.Join(dir, "again.json"))
	require.NoError(t, err, "%s\n%s", line, out)
	require.Len(t, r.Results, 1, line)
	assert.Equal(t, "D2H-06", r.Results[0].Check)
	assert.Equal(t, report.Fail, r.Results[0].Verdict)
	assert.Equal(t, []string{"cpu_device_count=3"}, r.Run.Options)
	assert.InDelta(t, 1.5, r.Run.TimeoutFactor, 0)
}

func TestAnInterruptWritesTheReportOfWhatRan(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("waits for a run to be under way: make test-all")
	}
	dir := t.TempDir()
	var o clitest.Outcome
	var r *report.Report
	// How soon the first check has run depends on the machine.
	for wait := 3 * time.Second; r == nil || len(r.Results) == 0 && wait < time.Minute; wait *= 2 {
		c := exec.CommandContext(t.Context(), tested.Path, "run", "cpu", "--jobs", "1", "--profile", "full", "--json", "r.json")
		o = clitest.Run(t, dir, c, func(p *os.Process) {
			time.Sleep(wait)
			assert.NoError(t, p.Signal(os.Interrupt))
		})
		var err error
		if r, err = readReport(filepath.Join(dir, "r.json")); err != nil {
			require.Contains(t, o.Stderr, "interrupted before anything was checked")
			r = new(report.Report)
		}
	}
	assert.Equal(t, 130, o.Status, "%s%s", o.Stdout, o.Stderr)
	assert.True(t, r.Run.Interrupted)
	assert.Positive(t, r.Run.Left)
	assert.NotEmpty(t, r.Results)
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
