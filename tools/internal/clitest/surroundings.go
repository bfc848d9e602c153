// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build unix

package clitest

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Uses are ways to use a command, for tests of what all its commands have in common.
type Uses struct {
	Program *Program
	Root    func() *cobra.Command
	// Lines are command lines that succeed in the folder that Folder makes, at least one for each
	// command. LIBRARY stands for the CPU plugin's library.
	Lines  []string
	Folder func(*testing.T) string
	// Foreign is the beginning of lines whose output is another program's; empty: none.
	Foreign string
}

func (u *Uses) foreign(line string) bool {
	return u.Foreign != "" && strings.HasPrefix(line, u.Foreign)
}

// Home returns variables for a user whose cache has the CPU plugin.
func (p *Program) Home(t *testing.T) (dir string, env []string) {
	t.Helper()
	dir = t.TempDir()
	installed := filepath.Dir(p.Library)
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "purepjrt", "plugins"), 0o755))
	require.NoError(t, os.Symlink(installed, filepath.Join(dir, "purepjrt", "plugins", filepath.Base(installed))))
	return dir, []string{"XDG_CACHE_HOME=" + dir, "HOME=" + dir, "PATH=" + os.Getenv("PATH")}
}

// Within runs a command line in a shell script, in which "$@" is the command.
func (p *Program) Within(t *testing.T, dir string, env []string, script, line string) Outcome {
	t.Helper()
	args := strings.Fields(strings.ReplaceAll(line, "LIBRARY", p.Library))
	c := exec.CommandContext(t.Context(), "/bin/sh", append([]string{"-c", script, "sh", p.Path}, args...)...)
	c.Env = env
	return Run(t, dir, c, nil)
}

// Cover proves that there is a line for every command, except for those that hand over to another.
func (u *Uses) Cover(t *testing.T) {
	root := u.Root()
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	Every(root, func(cmd *cobra.Command) {
		path, below := strings.CutPrefix(cmd.CommandPath(), root.Name()+" ")
		if !below || cmd.HasSubCommands() || cmd.Hidden || cmd.DisableFlagParsing {
			return
		}
		assert.True(t, slices.ContainsFunc(u.Lines, func(line string) bool {
			return line == path || strings.HasPrefix(line, path+" ")
		}), path)
	})
}

// message returns the error that a command wrote to standard error, without its progress.
func (u *Uses) message(o Outcome) string {
	name := u.Root().Name()
	var kept []string
	for line := range strings.Lines(o.Stderr) {
		if strings.HasPrefix(line, name+": ") || strings.HasPrefix(strings.TrimLeft(line, " "), "tried ") {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "")
}

// folder returns a folder for the test of every command, which takes too long for short tests.
func (u *Uses) folder(t *testing.T) string {
	if testing.Short() {
		t.Skip("starts every command: make test-all")
	}
	return u.Folder(t)
}

// SayThatOutputWasLost proves that every command fails if nobody gets its output.
func (u *Uses) SayThatOutputWasLost(t *testing.T) {
	dir := u.folder(t)
	for _, line := range u.Lines {
		if u.foreign(line) {
			continue
		}
		_, env := u.Program.Home(t)
		o := u.Program.Within(t, dir, env, `exec "$@" >/dev/full`, line)
		assert.Contains(t, []int{1, 2}, o.Status, line)
		assert.Equal(t, u.Root().Name()+": write /dev/stdout: no space left on device\n", u.message(o), line)
	}
}

// EndSilentlyWithoutAReader proves that commands end as others do when nobody reads the rest.
func (u *Uses) EndSilentlyWithoutAReader(t *testing.T) {
	dir := u.folder(t)
	for _, line := range u.Lines {
		if u.foreign(line) {
			continue
		}
		_, env := u.Program.Home(t)
		// The reader is gone before the command writes.
		o := u.Program.Within(t, dir, env, `mkfifo fifo; exec 3<>fifo 4>fifo; exec 3>&-; rm fifo; exec "$@" >&4 4>&-`, line)
		assert.Equal(t, -1, o.Status, "%s must end from a signal", line)
		assert.Empty(t, u.message(o), line)
	}
}

// NeedNoPython proves that no command needs Python if the plugin is installed.
func (u *Uses) NeedNoPython(t *testing.T) {
	dir := u.folder(t)
	for _, line := range u.Lines {
		cache, _ := u.Program.Home(t)
		env := []string{"XDG_CACHE_HOME=" + cache, "HOME=" + cache, "PATH=/nowhere"}
		if u.foreign(line) {
			env[2] = "PATH=" + os.Getenv("PATH") // to find the other program
		}
		o := u.Program.Within(t, dir, env, `exec "$@"`, line)
		assert.Zero(t, o.Status, "%s: %s", line, o.Stderr)
	}
}

// FailInOneLineWithoutAHome proves that commands that need a home say so in one line, apart from
// the command reports, which reports it as a finding.
func (u *Uses) FailInOneLineWithoutAHome(t *testing.T, reports string) {
	dir := u.folder(t)
	failed := 0
	for _, line := range u.Lines {
		o := u.Program.Within(t, dir, []string{"PATH=" + os.Getenv("PATH")}, `exec "$@"`, line)
		if o.Status == 0 || reports != "" && strings.HasPrefix(line, reports) {
			continue
		}
		failed++
		first, rest, _ := strings.Cut(o.Stderr, "\n")
		assert.True(t, strings.HasPrefix(first, u.Root().Name()+": "), "%s: %q", line, o.Stderr)
		assert.Contains(t, first, "HOME", line)
		assert.LessOrEqual(t, strings.Count(rest, "\n"), 1, "%s: a second line says where it looked", line)
		assert.Empty(t, o.Stdout, line)
	}
	assert.GreaterOrEqual(t, failed, len(u.Lines)/4, "without a home there is no plugin")
}

// SuggestSimilarNames proves that lines with the plugin cup, which nobody knows, are answered with
// the name cpu.
func (u *Uses) SuggestSimilarNames(t *testing.T, lines ...string) {
	dir := u.folder(t)
	_, env := u.Program.Home(t)
	for _, line := range lines {
		o := u.Program.Within(t, dir, env, `exec "$@"`, line)
		assert.Contains(t, []int{1, 2}, o.Status, line)
		assert.Contains(t, o.Stderr, "did you mean cpu?", line)
		assert.LessOrEqual(t, strings.Count(o.Stderr, "\n"), 2, "%s: %s", line, o.Stderr)
	}
}
