// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build aot

package examples_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt/compile"
	"github.com/purepjrt/purepjrt/pjrt/plugins"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

func TestAheadOfTimeExampleWritesAnExecutableForATPU(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "tanh")
	cmd := command(t, "aot", file)
	cmd.Env = append(cmd.Env, plugins.NamesAndLibraryPaths+"=tpu:"+plugintest.Path(t, "tpu"))
	assert.Equal(t, "compiled for TPU v5 lite, on a host with 4 of them\n", output(t, cmd))
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	exe, err := compile.Decode(data)
	require.NoError(t, err)
	assert.Equal(t, []string{"TPU v5 lite"}, exe.System.Kinds)
	assert.NotEmpty(t, exe.Code)
}
