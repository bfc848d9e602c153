// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build unix

package plugins

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/internal/python"
	"github.com/purepjrt/purepjrt/internal/python/planted"
)

// inPlanted makes a folder of planted code the working directory, and leads everything there that
// can be led.
func inPlanted(t *testing.T) (dir string) {
	t.Helper()
	dir = planted.Folder(t)
	t.Chdir(dir)
	t.Setenv("PATH", strings.Join([]string{".", "", "bin", os.Getenv("PATH")}, ":"))
	t.Setenv("PYTHONPATH", ".:")
	t.Setenv("PYTHONHOME", ".")
	t.Setenv("VIRTUAL_ENV", ".venv")
	t.Setenv("CONDA_PREFIX", ".venv")
	t.Setenv("LD_LIBRARY_PATH", ".:")
	t.Setenv("CUDA_HOME", ".")
	t.Setenv("CUDA_PATH", ".")
	return dir
}

func TestInstallRunsNothingOfTheWorkingDirectory(t *testing.T) {
	dir := inPlanted(t)
	x := newIndex(t)
	x.installer.Python = python.Default()
	library, err := x.installer.install(t.Context(), "toy")
	require.NoError(t, err)
	x.requireInstalled(library)
	assert.Empty(t, planted.Taken(t, dir))
}

func TestSearchesRunAndFindNothingOfTheWorkingDirectory(t *testing.T) {
	dir := inPlanted(t)
	f := testFinder(t, nil)
	f.getenv, f.environ = os.Getenv, os.Environ
	dirs, err := f.sitePackages(t.Context(), "")
	require.NoError(t, err)
	require.NotEmpty(t, dirs)
	for _, d := range dirs {
		assert.True(t, filepath.IsAbs(d), d)
		assert.NotContains(t, d, dir)
	}
	all, err := List(t.Context(), ListOptions{})
	require.NoError(t, err)
	for _, c := range all {
		assert.True(t, filepath.IsAbs(c.Path), c.Path)
		assert.NotContains(t, c.Path, dir)
	}
	for _, name := range []string{"cpu", "cuda13", "tpu"} {
		_, _ = Find(t.Context(), name) // may be installed, or not
		assert.NotContains(t, f.cudaDataDir(name), ".")
	}
	assert.Empty(t, planted.Taken(t, dir))
}

// Only directories of Python packages above a library count, not whatever else is above it.
func TestWhatIsAboveALibraryIsNotUsed(t *testing.T) {
	t.Parallel()
	f, dir := scene(t, nil)
	f.python = func(context.Context) ([]string, error) { return nil, nil }
	for library, sites := range map[string][]string{
		"tmp/user/project/plugin.so":                         {"tmp/user/project"},
		"a/site-packages/jax_plugins/xla_cuda13/plugin.so":   {"a/site-packages/jax_plugins/xla_cuda13", "a/site-packages"},
		"flat/jax_plugins/xla_cuda13/plugin.so":              {"flat/jax_plugins/xla_cuda13", "flat"},
		"b/dist-packages/vendor/deep/lib/xla_cuda_plugin.so": {"b/dist-packages/vendor/deep/lib", "b/dist-packages"},
	} {
		path := plugin(t, dir, filepath.FromSlash(library))
		var got []string
		for _, site := range f.sites(path) {
			rel, err := filepath.Rel(realPath(dir), site)
			require.NoError(t, err)
			got = append(got, filepath.ToSlash(rel))
		}
		assert.Equal(t, sites, got, library)
	}
}

func TestPipReadsRelativePathsOfItsVariables(t *testing.T) {
	x := newIndex(t)
	folder := t.TempDir()
	t.Chdir(folder)
	require.NoError(t, os.Mkdir("wheels", 0o755))
	require.NoError(t, os.WriteFile(filepath.Join("wheels", filepath.Base(x.bench.pip.Wheel)), x.wheel, 0o644))
	x.installer.env = append(x.installer.env, "PIP_NO_INDEX=1", "PIP_FIND_LINKS=nowhere wheels")
	library, err := x.installer.install(t.Context(), "toy")
	require.NoError(t, err)
	x.requireInstalled(library)
	assert.Zero(t, x.begun, "the index is not asked")

	here, err := os.Getwd()
	require.NoError(t, err)
	assert.Equal(t, []string{
		"PIP_FIND_LINKS=" + here + "/a https://host/b /c ~/d", "PIP_CERT=" + here + "/my ca.pem", "PIP_CONFIG_FILE=/dev/null",
		"PIP_INDEX_URL=", "PIP_TIMEOUT=15", "X",
	}, absolute([]string{
		"PIP_FIND_LINKS=a https://host/b /c ~/d", "PIP_CERT=my ca.pem", "PIP_CONFIG_FILE=/dev/null", "PIP_INDEX_URL=", "PIP_TIMEOUT=15", "X",
	}))
}

func TestADownloadWithoutEndIsStopped(t *testing.T) {
	t.Parallel()
	x := newIndex(t)
	w := x.pkg.wheels[x.installer.platform]
	w.size = int64(len(x.wheel))
	x.pkg.wheels[x.installer.platform] = w
	x.endless = true
	_, err := x.installer.install(t.Context(), "toy")
	require.ErrorContains(t, err, "the package index sends more than the ")
	assertOneLine(t, err)
	x.requireNothingLeft()
	assert.Equal(t, 1, x.begun, "it is not asked again")
	x.endless = false
	library, err := x.installer.install(t.Context(), "toy")
	require.NoError(t, err)
	x.requireInstalled(library)
}

func TestAnyNameOfACacheFolderWorks(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a[b", "[a-z]", "a*b?", `back\slash`} {
		b := newBench(t, toyWheel(t))
		b.dir = filepath.Join(t.TempDir(), name, "plugins")
		b.installer.Dir = b.dir
		library, err := b.install(t.Context())
		require.NoError(t, err, name)
		b.requireInstalled(library)

		// What a killed process left goes with the next installation.
		left := filepath.Join(b.dir, stagingPrefix(b.pkg.id(b.pkg.wheels[b.installer.platform]))+"1")
		require.NoError(t, os.Mkdir(left, 0o755))
		b.installer.Force = true
		_, err = b.install(t.Context())
		require.NoError(t, err)
		assert.NoDirExists(t, left)
	}
}
