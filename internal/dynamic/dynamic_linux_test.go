// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package dynamic

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	_ "github.com/ebitengine/purego" // names a linker, as programs that load plugins do
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestOnlyStaticGoProgramsAreRefused(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	require.NoError(t, err)
	tools, err := exec.CommandContext(t.Context(), "go", "env", "GOTOOLDIR").Output()
	require.NoError(t, err)
	linkers, err := filepath.Glob("/lib64/ld-linux-*")
	require.NoError(t, err)
	for _, path := range append(linkers, self, "/no/such/program", "/etc/passwd") {
		assert.NoError(t, checkExecutable(path), path)
	}
	require.ErrorIs(t, checkExecutable(filepath.Join(strings.TrimSpace(string(tools)), "compile")), ErrStatic)
}
