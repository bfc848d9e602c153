// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package plugins

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLibrariesOfCUDAAreFoundAmongPythonPackages(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	lib := func(elements ...string) string {
		put(t, nil, append([]string{dir}, elements...)...)
		return filepath.Join(append([]string{dir}, elements...)...)
	}
	runtime12 := lib("both", "nvidia", "cuda_runtime", "lib", "libcudart.so.12")
	blas12 := lib("both", "nvidia", "cublas", "lib", "libcublas.so.12")
	lt12 := lib("both", "nvidia", "cublas", "lib", "libcublasLt.so.12")
	lib("both", "nvidia", "cublas", "lib", "libnvblas.so.12") // not one of cudaLibraries
	runtime13 := lib("both", "nvidia", "cu13", "lib", "libcudart.so.13")
	lib("both", "nvidia", "cu13", "lib", "libcudart.so.13.0.96")
	blas13 := lib("both", "nvidia", "cu13", "lib", "libcublas.so.13")
	lib("both", "nvidia", "cu13", "lib", "libcublas.so") // without a version: a link for compilers
	cudnn := lib("both", "nvidia", "cudnn", "lib", "libcudnn.so.9")
	nccl := lib("beside", "nvidia", "nccl", "lib", "libnccl.so.2")
	beside := plugin(t, dir, "beside", "jax_plugins", "xla_cuda12", "xla_cuda_plugin.so")
	both := []string{filepath.Join(dir, "both")}
	for name, c := range map[string]struct {
		plugin string
		sites  []string
		want   []string
	}{
		"CUDA 12":            {"cuda12", both, []string{runtime12, lt12, blas12, cudnn}},
		"CUDA 13":            {"/x/cuda13-1/xla_cuda_plugin.so", both, []string{runtime13, blas13, cudnn}},
		"the newest":         {"cuda", both, []string{runtime13, blas13, cudnn}},
		"beside the library": {beside, both, []string{nccl}},
		"an alias":           {"gpu", both, []string{runtime13, blas13, cudnn}},
		"CUDA 14":            {"cuda14", both, []string{cudnn}},
		"no packages":        {"cuda13", nil, nil},
		"another plugin":     {"cpu", both, nil},
		"not for AMD":        {"rocm", both, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := testFinder(t, nil)
			f.python = func(context.Context) ([]string, error) { return c.sites, nil }
			assert.Equal(t, c.want, f.libraries(c.plugin))
			f.goos = "windows"
			assert.Empty(t, f.libraries(c.plugin))
		})
	}
}

// A library that the plugin finds by itself is not loaded before it is needed.
func TestLibrariesThatThePluginFindsAreLeftToIt(t *testing.T) {
	t.Parallel()
	const beside, others = "$ORIGIN/../../nvidia/cu13/lib", "OTHERS"
	blas := elfLibrary{needs: []string{"libcublasLt.so.13", "libc.so.6"}, rpath: "$ORIGIN"}
	all := []string{"libcudart.so.13", "libcublasLt.so.13", "libcublas.so.13"}
	for name, c := range map[string]struct {
		plugin elfLibrary
		blas   elfLibrary
		loader string // LD_LIBRARY_PATH
		want   []string
	}{
		"an RPATH":                    {elfLibrary{rpath: beside}, blas, "", nil},
		"before the loader's":         {elfLibrary{rpath: beside}, blas, others, nil},
		"a RUNPATH":                   {elfLibrary{runpath: beside}, blas, "", nil},
		"after the loader's":          {elfLibrary{runpath: beside}, blas, others, all},
		"no path":                     {elfLibrary{}, blas, "", all},
		"a path to others":            {elfLibrary{rpath: others + ":" + beside}, blas, "", all},
		"a library that finds others": {elfLibrary{rpath: beside}, elfLibrary{needs: blas.needs, runpath: "$ORIGIN"}, others, all[1:]},
		"a library that finds none":   {elfLibrary{runpath: beside}, elfLibrary{needs: blas.needs}, "", all[1:]},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := realPath(t.TempDir())
			at := func(path string) string { return strings.ReplaceAll(path, others, filepath.Join(dir, "others")) }
			c.plugin.exports, c.plugin.rpath = aPlugin.exports, at(c.plugin.rpath)
			library := filepath.Join(dir, "jax_plugins", "xla_cuda13", "xla_cuda_plugin.so")
			put(t, c.plugin.bytes(), library)
			var files, want []string
			for _, name := range all {
				code := elfLibrary{}
				if name == "libcublas.so.13" {
					code = c.blas
				}
				for _, place := range []string{filepath.Join("nvidia", "cu13", "lib"), "others"} {
					put(t, code.bytes(), dir, place, name)
				}
				files = append(files, filepath.Join(dir, "nvidia", "cu13", "lib", name))
				if slices.Contains(c.want, name) {
					want = append(want, files[len(files)-1])
				}
			}
			f := testFinder(t, map[string]string{"LD_LIBRARY_PATH": at(c.loader)})
			assert.Equal(t, files, f.libraries(library))
			assert.ElementsMatch(t, want, f.unfound(library, files))

			link := filepath.Join(dir, "elsewhere", "xla_cuda_plugin.so")
			put(t, nil, dir, "elsewhere", "other")
			require.NoError(t, os.Symlink(library, link))
			assert.Equal(t, files, f.unfound(link, files), "a link, beside which there are no libraries")
		})
	}
}

func TestTheVersionOfCUDAIsInTheNameOfAPlugin(t *testing.T) {
	t.Parallel()
	for plugin, want := range map[string]string{
		"cuda":                               "",
		"cuda12":                             "12",
		"gpu":                                "",
		"/opt/cuda/plugins/xla_cuda_lib.so":  "",
		"/cuda13-0.12/xla_cuda_plugin.so":    "13",
		"/opt/cuda/cuda13/xla_cuda_lib.so":   "13",
		"site-packages/xla_cuda12/plugin.so": "12",
	} {
		assert.Equal(t, want, cudaMajor(plugin), plugin)
	}
}

func TestLibrariesThatCannotBeLoadedAreNamed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, []byte("no library"), dir, "libcudart.so.13")
	put(t, aPlugin.bytes()[:600], dir, "libcublas.so.13") // cut off
	files := []string{filepath.Join(dir, "libcudart.so.13"), filepath.Join(dir, "libcublas.so.13"), filepath.Join(dir, "libcufft.so.12")}
	loaded, err := testFinder(t, nil).preload(files)
	assert.Empty(t, loaded)
	for _, f := range files {
		require.ErrorContains(t, err, f)
	}
	loaded, err = testFinder(t, nil).preload(nil)
	assert.Empty(t, loaded)
	require.NoError(t, err)
}
