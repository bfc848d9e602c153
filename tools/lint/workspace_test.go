// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/mod/modfile"
)

// The workspace chooses the newest version that any of its modules requires. Users of the module in
// the root get what the root requires, so tests would run with other versions than theirs.
func TestTestsRunWithTheVersionsThatUsersGet(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	text, err := os.ReadFile(filepath.Join(root, "go.mod"))
	require.NoError(t, err)
	file, err := modfile.ParseLax("go.mod", text, nil)
	require.NoError(t, err)
	arguments := []string{"list", "-m", "-f", "{{.Path}} {{.Version}}"}
	want := map[string]string{}
	for _, r := range file.Require {
		arguments = append(arguments, r.Mod.Path)
		want[r.Mod.Path] = r.Mod.Version
	}
	list := exec.Command("go", arguments...)
	list.Dir = root
	out, err := list.Output()
	require.NoError(t, err)
	for line := range strings.Lines(string(out)) {
		path, version, _ := strings.Cut(strings.TrimSpace(line), " ")
		assert.Equal(t, want[path], version, "%s: the workspace has another version than go.mod of the root: run go get there", path)
	}
}
