// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package plugins

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// mappings returns the files mapped into the process.
func mappings(t testing.TB) []string {
	t.Helper()
	text, err := os.ReadFile("/proc/self/maps")
	require.NoError(t, err)
	var files []string
	for line := range strings.Lines(string(text)) {
		if i := strings.IndexByte(line, '/'); i >= 0 {
			files = append(files, strings.TrimSuffix(line[i:], "\n"))
		}
	}
	return files
}

// A copy of a small system library stands in for those of CUDA.
func TestPrepareLoadsCUDAWhereThereIsAGPU(t *testing.T) {
	dl := ""
	for _, f := range mappings(t) {
		if strings.HasPrefix(filepath.Base(f), "libc.so") {
			dl = filepath.Join(filepath.Dir(f), "libdl.so.2")
		}
	}
	require.NotEmpty(t, dl, "the test needs a dynamically linked process")
	code, err := os.ReadFile(dl)
	require.NoError(t, err)
	dir := t.TempDir()
	library := plugin(t, dir, "jax_plugins", "xla_cuda13", "xla_cuda_plugin.so")
	put(t, code, dir, "nvidia", "cu13", "lib", "libcudart.so.13")
	put(t, []byte("no library"), dir, "nvidia", "cu13", "lib", "libcufft.so.12")
	t.Setenv("VIRTUAL_ENV", "")
	runtime := filepath.Join(realPath(dir), "nvidia", "cu13", "lib", "libcudart.so.13")

	t.Setenv("CUDA_VISIBLE_DEVICES", "-1") // hides the GPUs, if there are any
	require.NoError(t, Prepare(library))
	assert.NotContains(t, mappings(t), runtime)

	f := newFinder(ListOptions{})
	loaded, err := f.preload(f.libraries(library))
	assert.Equal(t, []string{runtime}, loaded)
	require.ErrorContains(t, err, "libcufft.so.12: it is a text file")
	assert.Contains(t, mappings(t), runtime)
}
