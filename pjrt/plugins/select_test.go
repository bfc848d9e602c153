// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package plugins

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func chosenNames(list []Candidate) (all []string) {
	for _, c := range list {
		all = append(all, c.Name)
	}
	return all
}

var everyPlatform = []string{
	"ld/pjrt_plugin_cuda12.so", "ld/pjrt_plugin_cuda13.so", "ld/pjrt_plugin_rocm.so", "ld/libtpu.so", "ld/pjrt_plugin_cpu.so",
	"ld/pjrt_plugin_mine.so", "ld/pjrt_plugin_metal_14.so",
}

func TestSelectWithoutAVariable(t *testing.T) {
	t.Parallel()
	env := map[string]string{"LD_LIBRARY_PATH": "DIR/ld", "PJRT_PLATFORMS": "", "JAX_PLATFORMS": ""}
	f, dir := scene(t, env, everyPlatform...)
	got, err := f.selectPlugins(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"mine", "cpu"}, chosenNames(got), "the others have no devices")

	put(t, nil, dir, "dev", "kfd")
	put(t, nil, dir, "dev", "accel0")
	put(t, nil, dir, "dev", "nvidia0")
	put(t, elfLibrary{}.bytes(), dir, "usr", "lib", "libcuda.so.1")
	f.images = nil
	got, err = f.selectPlugins(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"cuda12", "rocm", "tpu", "mine", "cpu"}, chosenNames(got), "one of each, in order")
}

func TestSelectSkipsBrokenPluginsUnlessConfigured(t *testing.T) {
	t.Parallel()
	f, dir := scene(t, map[string]string{"LD_LIBRARY_PATH": "DIR/ld"}, "ld/pjrt_plugin_cpu.so", "ld/pjrt_plugin_mine.so")
	put(t, []byte("text"), dir, "ld", "pjrt_plugin_mine.so")
	got, err := f.selectPlugins(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"cpu"}, chosenNames(got))

	f, dir = scene(t, map[string]string{"LD_LIBRARY_PATH": "DIR/ld", "PJRT_NAMES_AND_LIBRARY_PATHS": "mine:DIR/mine.json"}, "ld/pjrt_plugin_cpu.so")
	put(t, []byte(`{"library_path": "gone.so"}`), dir, "mine.json")
	_, err = f.selectPlugins(t.Context())
	require.ErrorContains(t, err, "PJRT_NAMES_AND_LIBRARY_PATHS: plugin mine is not usable")
	put(t, []byte(`{"library_path": "gone.so", "fail_quietly": true}`), dir, "mine.json")
	got, err = f.selectPlugins(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"cpu"}, chosenNames(got))
}

func TestSelectLeavesOutExperimentalPlugins(t *testing.T) {
	t.Parallel()
	f, dir := scene(t, map[string]string{"LD_LIBRARY_PATH": "DIR/ld", "PJRT_NAMES_AND_LIBRARY_PATHS": "mine:DIR/mine.json"}, "ld/pjrt_plugin_cpu.so", "mine.so")
	put(t, []byte(`{"library_path": "mine.so", "experimental": true}`), dir, "mine.json")
	got, err := f.selectPlugins(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"cpu"}, chosenNames(got))
	asked, err := f.lookupPlugin(t.Context(), "mine")
	require.NoError(t, err, "an experimental plugin is there for those who ask for it")
	assert.True(t, asked.Usable())
}

func TestSelectFailsLoudlyOnAVariable(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		env  map[string]string
		want []string
		err  string
	}{
		{env: map[string]string{"PJRT_PLATFORMS": "cpu"}, want: []string{"cpu"}},
		{env: map[string]string{"PJRT_PLATFORMS": "host, mine"}, want: []string{"cpu", "mine"}},
		{env: map[string]string{"JAX_PLATFORMS": "mine,cpu"}, want: []string{"mine", "cpu"}},
		{env: map[string]string{"PJRT_PLATFORMS": "cpu", "JAX_PLATFORMS": "cuda"}, want: []string{"cpu"}},
		{env: map[string]string{"JAX_PLATFORMS": "metal_14,cpu"}, err: "JAX_PLATFORMS=metal_14,cpu: metal_14 is not usable: Metal exists on macOS only"},
		{env: map[string]string{"JAX_PLATFORMS": "cuda,cpu"}, err: "JAX_PLATFORMS=cuda,cpu: cuda is not usable: no NVIDIA GPU"},
		{env: map[string]string{"PJRT_PLATFORMS": "cpu,gpu"}, err: "gpu is not usable: no NVIDIA GPU"},
		{env: map[string]string{"PJRT_PLATFORMS": "cpu,absent"}, err: "PJRT_PLATFORMS=cpu,absent: absent is not usable: plugin not found"},
		{env: map[string]string{"PJRT_PLATFORMS": "broken"}, err: "it is a text file"},
		{env: map[string]string{"PJRT_PLATFORMS": " , "}, err: "names no platform"},
	} {
		c.env["LD_LIBRARY_PATH"] = "DIR/ld"
		f, dir := scene(t, c.env, everyPlatform...)
		put(t, []byte("text"), dir, "ld", "pjrt_plugin_broken.so")
		got, err := f.selectPlugins(t.Context())
		if c.err != "" {
			require.ErrorContains(t, err, c.err)
			continue
		}
		require.NoError(t, err)
		assert.Equal(t, c.want, chosenNames(got))
	}
}

func TestSelectSaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	f, dir := scene(t, map[string]string{"LD_LIBRARY_PATH": "DIR/ld"}, "ld/pjrt_plugin_rocm.so")
	f.table = packages
	put(t, nil, dir, "dev", "nvidia0")
	put(t, elfLibrary{}.bytes(), dir, "usr", "lib", "libcuda.so.1")
	_, err := f.selectPlugins(t.Context())
	require.ErrorIs(t, err, ErrNotFound)
	require.EqualError(t, err, "plugin not found; there are devices for cuda, but no plugin that can be loaded; run: pjrt install cuda13; "+
		"run: pjrt install cpu; not usable: rocm (LD_LIBRARY_PATH: no AMD GPU: there is no /dev/kfd (the amdgpu driver creates it))")
	assert.Equal(t, []string{"there are devices for cuda, but no plugin that can be loaded; run: pjrt install cuda13"}, f.hints(nil))
	plugin(t, dir, filepath.FromSlash("ld/pjrt_plugin_cuda.so"))
	all, err := f.list(t.Context())
	require.NoError(t, err)
	assert.Empty(t, f.hints(all))
}
