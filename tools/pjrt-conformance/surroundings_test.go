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

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/tools/internal/clitest"
)

var uses = &clitest.Uses{
	Program: &tested, Root: rootCommand, Folder: everything,
	Lines: []string{
		"--help", "version", "help run", "completion bash", "completion fish", "completion powershell", "completion zsh",
		"run cpu --run ^LOAD-01$", "plan cpu --run ^LOAD-01$", "debug cpu LOAD-01", "programs cpu programs", "predict cpu jax@0.10.2",
		"compare cpu cpu --fuzz 1 --run DIFF-01/add/i32$", "list", "lists", "diff report.json report.json", "merge part.json",
		"page report.json", "draft-waivers report.json",
	},
}

// everything returns a folder with the files that uses need.
func everything(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	_, env := tested.Home(t)
	for _, args := range []string{"--json report.json", "--json part.json --shard 1/1"} {
		run := exec.CommandContext(t.Context(), tested.Path, append([]string{"run", "cpu", "--run", "^LOAD-01$"}, strings.Fields(args)...)...)
		run.Env = env
		o := clitest.Run(t, dir, run, nil)
		require.Zero(t, o.Status, o.Stderr)
	}
	require.NoError(t, os.Mkdir(filepath.Join(dir, "programs"), 0o755))
	clitest.Write(t, dir, "programs/one.mlir", one("1"))
	return dir
}

func TestEveryCommandIsAmongTheUses(t *testing.T) {
	t.Parallel()
	uses.Cover(t)
}

func TestEveryCommandSaysThatItsOutputWasLost(t *testing.T) {
	t.Parallel()
	uses.SayThatOutputWasLost(t)
}

func TestEveryCommandEndsSilentlyWhenItsReaderGoesAway(t *testing.T) {
	t.Parallel()
	uses.EndSilentlyWithoutAReader(t)
}

func TestNoCommandNeedsPythonForInstalledPlugins(t *testing.T) {
	t.Parallel()
	uses.NeedNoPython(t)
}

func TestEveryCommandFailsInOneLineWithoutAHome(t *testing.T) {
	t.Parallel()
	uses.FailInOneLineWithoutAHome(t, "")
	for _, line := range []string{"version", "list", "lists"} {
		tested.Within(t, t.TempDir(), nil, `exec "$@"`, line).RequireSuccess(t)
	}
}

func TestEveryCommandThatTakesAPluginSuggestsSimilarNames(t *testing.T) {
	t.Parallel()
	uses.SuggestSimilarNames(t, "run cup", "plan cup", "debug cup LOAD-01", "programs cup programs", "compare cup cpu", "compare cpu cup",
		"predict cup")
}

func TestListIntoHead(t *testing.T) {
	t.Parallel()
	o := tested.Within(t, t.TempDir(), nil, `"$@" | /usr/bin/env head -n 1`, "list")
	o.RequireSuccess(t)
	assert.Equal(t, 1, strings.Count(o.Stdout, "\n"))
}

func TestHelpWithoutATerminalHasTheWidthOfItsVariable(t *testing.T) {
	t.Parallel()
	widest := func(columns string) (n int) {
		o := tested.Within(t, t.TempDir(), []string{"COLUMNS=" + columns}, `exec "$@"`, "run --help")
		o.RequireSuccess(t)
		for line := range strings.Lines(o.Stdout) {
			n = max(n, len(strings.TrimRight(line, "\n")))
		}
		return n
	}
	usual := widest("")
	assert.Less(t, widest("60"), usual)
	assert.Greater(t, widest("160"), usual)
	for _, nonsense := range []string{"wide", "-3", "1", "99999999"} {
		assert.Equal(t, usual, widest(nonsense), nonsense)
	}
}

func TestCompletionOfPlugins(t *testing.T) {
	t.Parallel()
	_, env := tested.Home(t)
	for _, line := range []string{"run", "plan", "debug", "programs", "predict", "compare", "compare cpu"} {
		c := exec.CommandContext(t.Context(), tested.Path, append(append([]string{"__complete"}, strings.Fields(line)...), "")...)
		c.Env = env
		o := clitest.Run(t, t.TempDir(), c, nil)
		require.Zero(t, o.Status)
		assert.Contains(t, o.Stdout, "cpu\t", line)
	}
	c := exec.CommandContext(t.Context(), tested.Path, "__complete", "predict", "cpu", "jax@0.8.1", "")
	c.Env = env
	o := clitest.Run(t, t.TempDir(), c, nil)
	require.Zero(t, o.Status)
	assert.Contains(t, o.Stdout, "gomlx@")
	assert.NotContains(t, o.Stdout, "jax@0.8.1\n", "it is there already")
	for _, line := range []string{"run cpu", "plan cpu", "programs cpu"} {
		c := exec.CommandContext(t.Context(), tested.Path, append(append([]string{"__complete"}, strings.Fields(line)...), "--profile", "")...)
		c.Env = env
		o := clitest.Run(t, t.TempDir(), c, nil)
		assert.True(t, strings.HasPrefix(o.Stdout, "smoke\nquick\ncore\nfull\n"), "%s: %q", line, o.Stdout)
	}
}
