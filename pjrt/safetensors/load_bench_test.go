// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package safetensors_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
	"github.com/purepjrt/purepjrt/pjrt/safetensors"
)

// BenchmarkLoad compares the ways to load 256 MiB in 32 arrays with reading the file alone, into
// memory that is used again.
func BenchmarkLoad(b *testing.B) {
	const count, size = 32, 8 << 20
	arrays := make(map[string]pjrt.HostArray, count)
	for i := range count {
		data := make([]byte, size)
		for j := range data {
			data[j] = byte(i + j)
		}
		arrays[fmt.Sprintf("layer.%d", i)] = pjrt.HostArray{Type: dtype.F32, Dims: []int64{size / 4}, Data: data}
	}
	name := filepath.Join(b.TempDir(), "model.safetensors")
	require.NoError(b, safetensors.WriteFile(name, arrays, nil))
	client := plugintest.Client(b)
	f, err := safetensors.Open(name)
	require.NoError(b, err)
	defer f.Close()
	load := func(opts *safetensors.LoadOptions) func(b *testing.B) {
		return func(b *testing.B) {
			b.SetBytes(count * size)
			for b.Loop() {
				buffers, err := f.Load(b.Context(), client, opts)
				require.NoError(b, err)
				closeBuffers(buffers)
			}
		}
	}
	b.Run("read", load(nil))
	b.Run("map", load(&safetensors.LoadOptions{Map: true}))
	b.Run("reader", func(b *testing.B) {
		b.SetBytes(count * size)
		for b.Loop() {
			for _, name := range f.Names() {
				r, shape, err := f.Reader(name)
				require.NoError(b, err)
				buffer, err := client.BufferFromReader(b.Context(), r, shape, nil)
				require.NoError(b, err)
				buffer.Close()
			}
		}
	})
	b.Run("file", func(b *testing.B) {
		b.SetBytes(count * size)
		file, err := os.Open(name)
		require.NoError(b, err)
		defer file.Close()
		piece := make([]byte, 4<<20)
		for b.Loop() {
			for at := int64(0); at < count*size; at += int64(len(piece)) {
				_, err := file.ReadAt(piece, at)
				require.NoError(b, err)
			}
		}
	})
}
