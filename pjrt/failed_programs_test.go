// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
)

func TestProgramsThatFailToCompileAreSaved(t *testing.T) {
	ctx := context.Background()
	client := newClient(t)
	const wrong = "func.func @main(%a: tensor<f32>) -> tensor<f32> { return %b : tensor<f32> }"
	fail := func() error {
		_, err := client.Compile(ctx, pjrt.Program{Code: []byte(wrong)}, &pjrt.CompileOptions{Replicas: 2})
		require.Error(t, err)
		return err
	}
	dir := filepath.Join(t.TempDir(), "failed")
	t.Setenv("PJRT_SAVE_FAILED_PROGRAMS", dir)
	err := fail()
	files, rerr := filepath.Glob(filepath.Join(dir, "*"))
	require.NoError(t, rerr)
	require.Len(t, files, 3)
	content := make(map[string]string)
	for _, f := range files {
		text, err := os.ReadFile(f)
		require.NoError(t, err)
		content[f[len(f)-4:]] = string(text)
	}
	assert.Equal(t, wrong, content["mlir"])
	assert.Equal(t, err.Error()+"\n", content[".txt"])
	opts, rerr := pjrt.DecodeCompileOptions([]byte(content["s.pb"]))
	require.NoError(t, rerr)
	assert.Equal(t, 2, opts.Replicas)

	compile(t, client, add)
	_, err = client.Compile(ctx, pjrt.Program{}, nil)
	require.Error(t, err)
	files, rerr = filepath.Glob(filepath.Join(dir, "*"))
	require.NoError(t, rerr)
	assert.Len(t, files, 3, "only what the plugin refuses")

	other := t.TempDir()
	pjrt.SaveFailedPrograms(other)
	defer pjrt.ForgetFailedPrograms()
	fail()
	files, rerr = filepath.Glob(filepath.Join(other, "*"))
	require.NoError(t, rerr)
	assert.Len(t, files, 3)
	pjrt.SaveFailedPrograms(filepath.Join(files[0], "under a file"))
	fail()
}
