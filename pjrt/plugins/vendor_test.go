// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package plugins

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMissingLibrariesOfVendorsAreNamedWithTheirSource(t *testing.T) {
	t.Parallel()
	needy := elfLibrary{exports: []string{entryPointSymbol}, needs: []string{"liba.so.1", "libb.so.1", "libc1.so", "libd.so", "libe.so", "libf.so", "libg.so", "libh.so"}}
	for file, want := range map[string]string{
		"xla_rocm_plugin.so":   "they are part of AMD's ROCm",
		"xla_oneapi_plugin.so": `pip install "jax-oneapi-plugin[with-oneapi]"`,
		"pjrt_plugin_mine.so":  "libf.so and 2 more: install them, or add their directory to LD_LIBRARY_PATH before the program starts",
	} {
		f, dir := scene(t, nil)
		path := put(t, needy.bytes(), dir, filepath.FromSlash(file))
		got, err := f.lookupPlugin(t.Context(), path)
		require.NoError(t, err)
		require.ErrorContains(t, got.Problem, "it needs libraries that the dynamic linker does not find: liba.so.1, ")
		assert.Len(t, got.Needs, 8)
		assert.ErrorContains(t, got.Problem, want)
	}
	f, dir := scene(t, nil, toyInCache)
	put(t, needy.bytes(), dir, filepath.FromSlash(toyInCache))
	_, err := f.lookupPlugin(t.Context(), "toy")
	require.ErrorContains(t, err, "LD_LIBRARY_PATH before the program starts")
	assert.NotContains(t, err.Error(), "--force", "the plugin itself is whole")
	for name, want := range map[string]string{"rocm10": "ROCm 10.1", "rocm7": "ROCm 7.14", "rocm60": "ROCm 6:", "rocm5": "AMD's ROCm"} {
		f, _ := scene(t, nil)
		c := ranked(Candidate{Name: name})
		assert.Contains(t, f.installLibraries(&c), want)
	}
}
