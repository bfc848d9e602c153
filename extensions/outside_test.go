// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package extensions_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A vendor can write a package for their own extension in a separate module.
func TestAModuleOutsideHasItsOwnExtension(t *testing.T) {
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS("testdata/outside")))
	// The module requires the same versions as this one, since the test must not use
	// the network, and the version of this one that make test-proxy does, so that the go
	// command compiles it once for both.
	mod, err := os.ReadFile("../go.mod")
	require.NoError(t, err)
	_, requirements, ok := strings.Cut(string(mod), "module github.com/purepjrt/purepjrt\n")
	require.True(t, ok, "the first line of go.mod")
	requirements += "\nrequire github.com/purepjrt/purepjrt v0.1.0\n\n" +
		"replace github.com/purepjrt/purepjrt => " + filepath.ToSlash(root) + "\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/outside\n"+requirements), 0o600))
	sum, err := os.ReadFile("../go.sum")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.sum"), sum, 0o600))
	for _, args := range [][]string{{"vet", "./..."}, {"test", "./..."}} {
		cmd := exec.Command("go", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod "+os.Getenv("GOFLAGS"), "GOPROXY=off", "GOWORK=off", "PWD="+dir)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "go %s\n%s", strings.Join(args, " "), out)
	}
}
