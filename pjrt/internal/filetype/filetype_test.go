// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package filetype_test

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/internal/filetype"
	"github.com/purepjrt/purepjrt/pjrt/npy"
	"github.com/purepjrt/purepjrt/pjrt/safetensors"
)

func TestFilesAreCalledByName(t *testing.T) {
	t.Parallel()
	array := pjrt.ArrayOf([]float32{1, 2}, 2)
	var npyFile, weights, archive, empty, compressed bytes.Buffer
	require.NoError(t, npy.Write(&npyFile, array))
	require.NoError(t, safetensors.Write(&weights, map[string]pjrt.HostArray{"w": array}, nil))
	z := zip.NewWriter(&archive)
	_, err := z.Create("x.npy")
	require.NoError(t, err)
	require.NoError(t, z.Close())
	require.NoError(t, zip.NewWriter(&empty).Close())
	g := gzip.NewWriter(&compressed)
	require.NoError(t, g.Close())
	program, err := os.Executable()
	require.NoError(t, err)
	binary, err := os.ReadFile(program)
	require.NoError(t, err)

	for name, c := range map[string]struct{ data, want string }{
		".npy":                     {npyFile.String(), "NumPy"},
		"safetensors":              {weights.String(), "safetensors"},
		".npz":                     {archive.String(), "zip archive"},
		"an empty .npz":            {empty.String(), "empty zip archive"},
		"gzip":                     {compressed.String(), "gzip"},
		"this program":             {string(binary), "an executable file"},
		"a pointer of Git LFS":     {"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n", "git lfs pull"},
		"HTML":                     {"\ufeff\n<!DOCTYPE HTML>\n<html>", "HTML"},
		"HTML without a type":      {"<html lang=en>", "HTML"},
		"a pickle":                 {"\x80\x04\x95\x0a\x00", "pickle"},
		"ONNX":                     {"\x08\x08\x12\x07pytorch\x1a\x032.1", "ONNX"},
		"ONNX without a producer":  {"\x08\x0a:\x95\x01\x0a", "ONNX"},
		"GGUF":                     {"GGUF\x03\x00\x00\x00", "GGUF"},
		"TensorFlow Lite":          {"\x1c\x00\x00\x00TFL3", "TensorFlow Lite"},
		"JSON":                     {"{\n  \"weight_map\": {}}", "JSON"},
		"JSON of nothing":          {"{}", "JSON"},
		"resources of MLIR":        {"{-#\n  dialect_resources: {}\n#-}", ""},
		"nothing":                  {"", ""},
		"text":                     {"module { }", ""},
		"bytecode":                 {"ML\xefR\x0dMLIR20\x00", ""},
		"a serialized HLO module":  {"\x0a\x01m\x12\x04main\x1a\x02\x0a\x00", ""},
		"a number and other bytes": {"\x08\x01\x12\x03\x0a\x00\x01", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := filetype.Of([]byte(c.data))
			if c.want == "" {
				assert.Empty(t, got)
			}
			assert.Contains(t, got, c.want)
			for n := range min(len(c.data), 64) {
				filetype.Of([]byte(c.data[:n]))
			}
		})
	}
}
