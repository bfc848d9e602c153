// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
)

func TestCompileShowsAndWritesTheExecutable(t *testing.T) {
	t.Parallel()
	dir := workplace(t)
	o := launch(t, dir, "compile", "--out", "add.bin", "add.mlir")
	o.requireSuccess(t)
	assert.Regexp(t, `^name        add
devices     1 of 4
arguments   f32\[4\], f32\[4\]
results     f32\[4\], f32\[4\]
memory      32 bytes of arguments, \d+ of results, \d+ temporary
serialized  \d+ bytes
$`, o.stdout)
	data, err := os.ReadFile(filepath.Join(dir, "add.bin"))
	require.NoError(t, err)
	assert.NotEmpty(t, data)
	entries, err := filepath.Glob(filepath.Join(dir, ".pjrt*"))
	require.NoError(t, err)
	assert.Empty(t, entries)
	require.NoError(t, os.Symlink("behind.bin", filepath.Join(dir, "link.bin")))
	launch(t, dir, "compile", "--out", "link.bin", "add.mlir").requireSuccess(t)
	assert.FileExists(t, filepath.Join(dir, "behind.bin"))
	o = launch(t, dir, "compile", "--replicas", "4", "add.mlir")
	o.requireSuccess(t)
	assert.Contains(t, o.stdout, "devices     4 of 4\n")
}

func TestCompileRefusesBadInput(t *testing.T) {
	t.Parallel()
	dir := workplace(t)
	write(t, dir, "empty.mlir", "")
	write(t, dir, "self.mlir", "func.func @main() { call @main() : () -> () return }")
	launch(t, dir, "compile", "--flag", "xla_cpu_use_xnnpack=false", "--out", "add.bin", "add.mlir").requireSuccess(t)
	for name, c := range map[string]struct {
		args   []string
		status int
		want   string
	}{
		"no program":        {nil, 2, "compile: accepts 1 arg(s), received 0"},
		"missing":           {[]string{"no.mlir"}, 1, "program: open no.mlir"},
		"empty":             {[]string{"empty.mlir"}, 1, "program: empty.mlir is empty"},
		"recursion":         {[]string{"self.mlir"}, 1, "the program calls itself"},
		"too many replicas": {[]string{"--replicas", "9", "add.mlir"}, 1, "the client has 4 devices"},
		"option alone":      {[]string{"--option", "a=1", "add.mlir"}, 2, "give --topology too"},
		"option form":       {[]string{"--topology", "x", "--option", "a", "add.mlir"}, 2, "write it as NAME=VALUE"},
		"option file":       {[]string{"--topology", "x", "--option", "a=@none", "add.mlir"}, 1, "--option a: open none"},
		"no topologies":     {[]string{"--plugin", "cpu", "--topology", "x", "add.mlir"}, 1, "topology x of plugin cpu: PJRT_TopologyDescription_Create: UNIMPLEMENTED"},
		"compiled already":  {[]string{"add.bin"}, 1, "add.bin is already compiled: pjrt run loads it"},
		"flag form":         {[]string{"--flag", "xla_cpu_use_xnnpack", "add.mlir"}, 2, "write it as NAME=VALUE"},
		"unknown flag":      {[]string{"--flag", "xla_cpu_use_xnnpak=true", "add.mlir"}, 1, "did you mean xla_cpu_use_xnnpack?"},
		"advice in flags":   {[]string{"--flag", "xla_nonsense=1", "add.mlir"}, 1, "XLA has a flag xla_nonsense (use --allow-unknown to pass it on anyway)"},
		"passed on":         {[]string{"--allow-unknown", "--flag", "xla_nonsense=1", "add.mlir"}, 1, "No such compile option: 'xla_nonsense'"},
		// The program is wrong too, which is found later.
		"no directory":  {[]string{"--out", "none/add.bin", "self.mlir"}, 1, "--out: open none/add.bin"},
		"report folder": {[]string{"--report", ".", "self.mlir"}, 1, "--report: . is a folder"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			launch(t, dir, append([]string{"compile"}, c.args...)...).requireFailure(t, c.status, c.want)
		})
	}
}

func TestTopologyOptionsAreNumbersListsOrText(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "config")
	require.NoError(t, os.WriteFile(file, []byte("a: 1\n"), 0o600))
	got, err := topologyOptions([]string{"n=2", "l=2,2,1", "s=1x1x8", "f=@" + file, "e="})
	require.NoError(t, err)
	assert.Equal(t, []pjrt.Attribute{
		{Name: "n", Value: int64(2)},
		{Name: "l", Value: []int64{2, 2, 1}},
		{Name: "s", Value: "1x1x8"},
		{Name: "f", Value: "a: 1\n"},
		{Name: "e", Value: ""},
	}, got)
}
