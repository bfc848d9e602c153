// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build unix

package main

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/tools/internal/clitest"
)

var uses = &clitest.Uses{
	Program: &tested, Root: rootCommand, Folder: everything, Foreign: "trace ",
	Lines: []string{
		"--help", "version", "help run", "completion bash", "completion fish", "completion powershell", "completion zsh",
		"install", "install cpu", "uninstall cpu", "list", "list --json", "info", "info --json", "doctor", "doctor --json",
		"compile add.mlir", "run add.mlir f32.npy f32.npy", "run --isolate add.mlir f32.npy f32.npy", "replay session.jsonl",
		"trace --shim LIBRARY echo", "cache list", "cache size", "cache verify", "cache prune",
	},
}

// everything returns a folder with the files that uses need.
func everything(t *testing.T) string {
	t.Helper()
	dir := workplace(t)
	_, env := home(t)
	record := exec.CommandContext(t.Context(), command, "run", "add.mlir", "f32.npy", "f32.npy")
	record.Env = append(env, "PJRT_RECORD="+filepath.Join(dir, "session.jsonl"))
	require.Zero(t, finish(t, dir, record).status)
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
	uses.FailInOneLineWithoutAHome(t, "doctor")
	dir := everything(t)
	for _, line := range []string{"version", "list", "run --plugin LIBRARY add.mlir f32.npy f32.npy"} {
		tested.Within(t, dir, nil, `exec "$@"`, line).RequireSuccess(t)
	}
}

func TestEveryCommandThatTakesAPluginSuggestsSimilarNames(t *testing.T) {
	t.Parallel()
	uses.SuggestSimilarNames(t, "install cup", "uninstall cup", "info cup", "list cup", "compile --plugin cup add.mlir",
		"run --plugin cup add.mlir f32.npy f32.npy", "run --isolate --plugin cup add.mlir f32.npy f32.npy",
		"replay --plugin cup session.jsonl", "trace --shim LIBRARY --plugin cup echo")
}
