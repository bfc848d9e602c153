// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package safetensors_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/safetensors"
)

// indexed writes two files of arrays and an index, and returns the name of the index.
func indexed(t *testing.T, index string) string {
	folder := t.TempDir()
	a := map[string]pjrt.HostArray{"x": pjrt.ArrayOf([]float32{1, 2}, 2), "both": pjrt.ScalarOf(int8(1))}
	b := map[string]pjrt.HostArray{"both": pjrt.ScalarOf(int8(2)), "y": pjrt.ScalarOf(int16(3))}
	require.NoError(t, safetensors.WriteFile(filepath.Join(folder, "a.safetensors"), a, map[string]string{"format": "pt", "of": "a"}))
	require.NoError(t, safetensors.WriteFile(filepath.Join(folder, "b.safetensors"), b, map[string]string{"of": "b"}))
	name := filepath.Join(folder, "model.safetensors.index.json")
	require.NoError(t, os.WriteFile(name, []byte(index), 0o600))
	return name
}

func TestAnIndexMakesOneFileOfSeveral(t *testing.T) {
	t.Parallel()
	f, err := safetensors.Open(indexed(t, `{"metadata": {"total_size": 11},
		"weight_map": {"y": "b.safetensors", "x": "a.safetensors", "both": "b.safetensors"}}`))
	require.NoError(t, err)
	assert.Equal(t, []string{"x", "y", "both"}, f.Names())
	assert.Equal(t, map[string]string{"format": "pt", "of": "b"}, f.Metadata())
	for name, want := range map[string]pjrt.HostArray{
		"x": pjrt.ArrayOf([]float32{1, 2}, 2), "y": pjrt.ScalarOf(int16(3)), "both": pjrt.ScalarOf(int8(2)),
	} {
		have, err := f.Read(name)
		require.NoError(t, err)
		assert.Equal(t, want.String(), have.String(), name)
	}
	require.NoError(t, f.Close())
	_, err = f.Read("x")
	require.ErrorIs(t, err, os.ErrClosed)
	_, err = f.Read("y")
	require.ErrorIs(t, err, os.ErrClosed)
}

func TestWrongIndexesAreErrors(t *testing.T) {
	t.Parallel()
	for index, says := range map[string]string{
		`[]`:                                     "it is not an index",
		`{"weight_map": {"x": 1}}`:               "it is not an index",
		`{}`:                                     "it has no weight_map",
		`{"weight_map": {"x": "c.safetensors"}}`: "c.safetensors",
		`{"weight_map": {"x": "b.safetensors"}}`: `b.safetensors has no array "x" among its 2 arrays`,
		`{"weight_map": {"x": "../a.safetensors"}}`:             `"../a.safetensors", which is not the name of a file beside the index`,
		`{"weight_map": {"x": "/a.safetensors"}}`:               "which is not the name of a file",
		`{"weight_map": {"x": ".."}}`:                           "which is not the name of a file",
		`{"weight_map": {"x": ""}}`:                             "which is not the name of a file",
		`{"weight_map": {"x": "a/../../a.safetensors"}}`:        "which is not the name of a file",
		`{"weight_map": {"x": "model.safetensors.index.json"}}`: "which is not the name of a file",
	} {
		_, err := safetensors.Open(indexed(t, index))
		require.ErrorContains(t, err, says, index)
	}
	_, err := safetensors.Open(filepath.Join(t.TempDir(), "none.json"))
	require.ErrorIs(t, err, os.ErrNotExist)
}
