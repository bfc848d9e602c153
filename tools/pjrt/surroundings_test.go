// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build unix

package main

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

// uses are command lines that succeed in the folder that everything makes, at least one for each
// command. LIBRARY stands for the CPU plugin's library.
var uses = []string{
	"--help", "version", "help run", "completion bash", "completion fish", "completion powershell", "completion zsh",
	"install", "install cpu", "uninstall cpu", "list", "list --json", "info", "info --json", "doctor", "doctor --json",
	"compile add.mlir", "run add.mlir f32.npy f32.npy", "run --isolate add.mlir f32.npy f32.npy", "replay session.jsonl",
	"trace --shim LIBRARY echo", "cache list", "cache size", "cache verify", "cache prune",
	"conformance --plugin cpu --run ^LOAD-01$", "conformance --plugin cpu --plan", "conformance list", "conformance lists",
	"conformance diff report.json report.json", "conformance merge part.json", "conformance page report.json",
}

// everything returns a folder with the files that uses need.
func everything(t *testing.T) string {
	t.Helper()
	dir := workplace(t)
	_, env := home(t)
	record := exec.CommandContext(t.Context(), command, "run", "add.mlir", "f32.npy", "f32.npy")
	record.Env = append(env, "PJRT_RECORD="+filepath.Join(dir, "session.jsonl"))
	require.Zero(t, finish(t, dir, record).status)
	for file, shard := range map[string]string{"report.json": "", "part.json": "1/1"} {
		report := exec.CommandContext(t.Context(), command, "conformance", "--plugin", "cpu", "--run", "^LOAD-01$", "--json", file, "--shard", shard)
		report.Env = env
		o := finish(t, dir, report)
		require.Zero(t, o.status, o.stderr)
	}
	return dir
}

// useWithin runs one of uses in a shell script, in which "$@" is the command.
func useWithin(t *testing.T, dir string, env []string, script, use string) outcome {
	t.Helper()
	args := strings.Fields(strings.ReplaceAll(use, "LIBRARY", library))
	c := exec.CommandContext(t.Context(), "/bin/sh", append([]string{"-c", script, "sh", command}, args...)...)
	c.Env = env
	return finish(t, dir, c)
}

func TestEveryCommandIsAmongTheUses(t *testing.T) {
	t.Parallel()
	root := rootCommand()
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	every(root, func(cmd *cobra.Command) {
		if path, below := strings.CutPrefix(cmd.CommandPath(), "pjrt "); below && !cmd.HasSubCommands() && !cmd.Hidden {
			assert.True(t, slices.ContainsFunc(uses, func(use string) bool { return use == path || strings.HasPrefix(use, path+" ") }), path)
		}
	})
}

// message returns what a command wrote to standard error, without the progress of conformance.
func message(o outcome) string {
	var kept []string
	for line := range strings.Lines(o.stderr) {
		if strings.HasPrefix(line, "pjrt: ") || strings.HasPrefix(line, "      tried ") {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "")
}

func TestEveryCommandSaysThatItsOutputWasLost(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts every command: make test-all")
	}
	dir := everything(t)
	for _, use := range uses {
		_, env := home(t)
		o := useWithin(t, dir, env, `exec "$@" >/dev/full`, use)
		if strings.HasPrefix(use, "trace ") {
			continue // the output is the traced program's
		}
		assert.Contains(t, []int{1, 2}, o.status, use)
		assert.Equal(t, "pjrt: write /dev/stdout: no space left on device\n", message(o), use)
	}
}

// Other commands also end silently when nobody reads the rest.
func TestEveryCommandEndsSilentlyWhenItsReaderGoesAway(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts every command: make test-all")
	}
	dir := everything(t)
	for _, use := range uses {
		_, env := home(t)
		// The reader is gone before the command writes.
		o := useWithin(t, dir, env, `mkfifo fifo; exec 3<>fifo 4>fifo; exec 3>&-; rm fifo; exec "$@" >&4 4>&-`, use)
		if strings.HasPrefix(use, "trace ") {
			continue
		}
		assert.Equal(t, -1, o.status, "%s must end from a signal", use)
		assert.Empty(t, message(o), use)
	}
}

func TestNoCommandNeedsPythonForInstalledPlugins(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts every command: make test-all")
	}
	dir := everything(t)
	for _, use := range uses {
		cache, _ := home(t)
		env := []string{"XDG_CACHE_HOME=" + cache, "HOME=" + cache, "PATH=/nowhere"}
		if strings.HasPrefix(use, "trace ") {
			env[2] = "PATH=" + os.Getenv("PATH") // to find the traced program
		}
		o := useWithin(t, dir, env, `exec "$@"`, use)
		assert.Zero(t, o.status, "%s: %s", use, o.stderr)
	}
}

func TestEveryCommandFailsInOneLineWithoutAHome(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts every command: make test-all")
	}
	dir := everything(t)
	failed := 0
	for _, use := range uses {
		o := useWithin(t, dir, []string{"PATH=" + os.Getenv("PATH")}, `exec "$@"`, use)
		if o.status == 0 || strings.HasPrefix(use, "doctor") { // doctor reports it as a finding
			continue
		}
		failed++
		first, rest, _ := strings.Cut(o.stderr, "\n")
		assert.True(t, strings.HasPrefix(first, "pjrt: "), "%s: %q", use, o.stderr)
		assert.Contains(t, first, "HOME", use)
		assert.LessOrEqual(t, strings.Count(rest, "\n"), 1, "%s: a second line says where it looked", use)
		assert.Empty(t, o.stdout, use)
	}
	assert.GreaterOrEqual(t, failed, len(uses)/4, "without a home there is no plugin")
	for _, args := range [][]string{{"version"}, {"list"}, {"conformance", "list"}, {"run", "--plugin", library, "add.mlir", "f32.npy", "f32.npy"}} {
		c := exec.CommandContext(t.Context(), command, args...)
		c.Dir, c.Env = dir, []string{"PATH=" + os.Getenv("PATH")}
		out, err := c.CombinedOutput()
		assert.NoError(t, err, "%v: %s", args, out)
	}
}

func TestEveryCommandThatTakesAPluginSuggestsSimilarNames(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts every command: make test-all")
	}
	dir := everything(t)
	_, env := home(t)
	for _, use := range []string{
		"install cup", "uninstall cup", "info cup", "list cup", "compile --plugin cup add.mlir", "run --plugin cup add.mlir f32.npy f32.npy",
		"run --isolate --plugin cup add.mlir f32.npy f32.npy", "replay --plugin cup session.jsonl", "trace --shim LIBRARY --plugin cup echo",
		"conformance --plugin cup", "conformance --plugin cpu --against cup", "conformance --plugin cup --plan",
	} {
		o := useWithin(t, dir, env, `exec "$@"`, use)
		assert.Contains(t, []int{1, 2}, o.status, use)
		assert.Contains(t, o.stderr, "did you mean cpu?", use)
		assert.LessOrEqual(t, strings.Count(o.stderr, "\n"), 2, "%s: %s", use, o.stderr)
	}
}
