// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package plugins

import (
	"context"
	"debug/macho"
	"debug/pe"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// pythonScene returns a finder that sees only package directories.
func pythonScene(t *testing.T, libraries ...string) (f *finder, site string) {
	t.Helper()
	f, dir := scene(t, nil, libraries...)
	f.table = packages
	return f, filepath.Join(dir, "site")
}

func TestPluginsInPythonPackages(t *testing.T) {
	t.Parallel()
	f, site := pythonScene(t,
		"site/jax_plugins/xla_cuda13/xla_cuda_plugin.so",
		"site/jax_plugins/xla_rocm60/xla_rocm_plugin.so",
		"site/jax_plugins/intel_extension/pjrt_plugin_xpu.so",
		"site/jax_plugins/mine/lib/deep/_core.cpython-311.so",
		"site/xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so",
		"site/libtpu/libtpu.so",
		"site/libneuronxla/libneuronpjrt.so",
		"site/jax_plugins/libtt/libtt.so",
		"site/lammps_jax_pjrt_cpu/pjrt_c_api_cpu_plugin.so",
		"site/jax_plugins/__pycache__/pjrt_plugin_no.so",
		"site/jax_plugins/far/1/2/3/4/5/pjrt_plugin_far.so",
		"site/elsewhere/pjrt_plugin_no.so",
	)
	put(t, elfLibrary{}.bytes(), site, "jax_plugins", "mine", "_helper.so") // exports nothing
	put(t, []byte("x = 1"), site, "jax_plugins", "single.py")
	put(t, []byte("Name: libtpu"), site, "libtpu-0.0.52.dist-info", "METADATA")
	put(t, []byte("Name: jax-cuda13-pjrt"), site, "jax_cuda13_pjrt-9.9.dist-info", "METADATA")
	got, err := f.list(t.Context())
	require.NoError(t, err)
	dir := f.root
	assert.Equal(t, []brief{
		{"cuda13", "site/jax_plugins/xla_cuda13/xla_cuda_plugin.so", ""},
		{"rocm60", "site/jax_plugins/xla_rocm60/xla_rocm_plugin.so", ""},
		{"xpu", "site/jax_plugins/intel_extension/pjrt_plugin_xpu.so", ""},
		{"tpu", "site/libtpu/libtpu.so", ""},
		{"neuron", "site/libneuronxla/libneuronpjrt.so", ""},
		{"tt", "site/jax_plugins/libtt/libtt.so", ""},
		{"mine", "site/jax_plugins/mine/lib/deep/_core.cpython-311.so", ""},
		{"cpu", "site/lammps_jax_pjrt_cpu/pjrt_c_api_cpu_plugin.so", ""},
		{"cpu", "site/xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so", ""},
	}, briefs(dir, got))
	assert.Equal(t, "9.9", got[0].Version)
	assert.Empty(t, got[0].API, "the API of an unknown version")
	assert.Equal(t, "jax_cuda13_pjrt-9.9.dist-info", got[0].Detail)
	assert.Equal(t, "0.0.52", got[3].Version)
	assert.Equal(t, "0.117", got[3].API)
}

// The packages of the Python index with plugins for macOS and Windows, with their files: metaljax
// registers a module outside of its package, jax-graft the library of another package, and
// jax-mlx-plugin a name that JAX does not know its plugin by.
func TestPluginsForOtherSystemsAreFoundByName(t *testing.T) {
	t.Parallel()
	mac := func(needs ...string) []byte {
		return machoLibrary(macho.CpuArm64, macho.TypeDylib, []string{"_GetPjrtApi"}, needs, "@loader_path/../mlx/lib")
	}
	find := func(goos, goarch, name string, files map[string][]byte) brief {
		f := testFinder(t, nil)
		f.goos, f.goarch = goos, goarch
		f.python = func(context.Context) ([]string, error) { return []string{f.root}, nil }
		for file, content := range files {
			put(t, content, f.root, filepath.FromSlash(file))
		}
		c, err := f.find(t.Context(), name)
		require.NoError(t, err, name)
		all, err := f.list(t.Context())
		require.NoError(t, err, name)
		assert.Len(t, all, 1, name)
		return brief{c.Version, briefs(f.root, []Candidate{c})[0].File, ""}
	}
	assert.Equal(t, brief{"0.11.9", "metaljax/lib/libmetal_pjrt_native.dylib", ""}, find("darwin", "arm64", "metal", map[string][]byte{
		"metaljax/lib/libmetal_pjrt_native.dylib":      mac(),
		"jax_plugins/metal/__init__.py":                nil,
		"metaljax-0.11.9.dist-info/entry_points.txt":   []byte("[jax_plugins]\nmetal = jax_plugins.metal\n"),
		"metaljax/lib/mlx/lib/libmlx_metaljax.dylib":   machoLibrary(macho.CpuArm64, macho.TypeDylib, nil, nil, ""),
		"metaljax/lib/mlx/lib/libjaccl_metaljax.dylib": machoLibrary(macho.CpuArm64, macho.TypeDylib, nil, nil, ""),
	}))
	assert.Equal(t, brief{"0.0.5", "metal_pjrt_core/pjrt_c_api_mtl_plugin.dylib", ""}, find("darwin", "arm64", "mtl", map[string][]byte{
		"metal_pjrt_core/pjrt_c_api_mtl_plugin.dylib": mac(),
		"metal_pjrt_core-0.0.5.dist-info/METADATA":    nil,
		"jax_graft/__init__.py":                       nil,
		"jax_graft-0.0.5.dist-info/entry_points.txt":  []byte("[jax_plugins]\nmtl = jax_graft\n"),
	}))
	assert.Equal(t, brief{"0.0.1", "jax_mlx/libmlx_pjrt_plugin.dylib", ""}, find("darwin", "arm64", "mlx", map[string][]byte{
		"jax_mlx/libmlx_pjrt_plugin.dylib":                mac("@rpath/libmlx.dylib"),
		"jax_mlx/plugin.py":                               nil,
		"mlx/lib/libmlx.dylib":                            machoLibrary(macho.CpuArm64, macho.TypeDylib, nil, nil, ""),
		"jax_mlx_plugin-0.0.1.dist-info/entry_points.txt": []byte("[jax_plugins]\nmlx_plugin = jax_mlx.plugin\n"),
	}))
	assert.Equal(t, brief{"0.11.2", "winjax_cuda13_pjrt/pjrt_c_api_gpu_plugin.dll", ""}, find("windows", "amd64", "cuda13", map[string][]byte{
		"winjax_cuda13_pjrt/pjrt_c_api_gpu_plugin.dll": peLibrary(pe.IMAGE_FILE_MACHINE_AMD64, pe.IMAGE_FILE_DLL, aPlugin.exports, nil),
		"winjax_cuda13_pjrt-0.11.2.dist-info/METADATA": nil,
	}))
}

func TestEntryPoints(t *testing.T) {
	t.Parallel()
	f, site := pythonScene(t, "site/their/backend/libtheirs.so", "site/jax_plugins/xla_toy/pjrt_plugin_toy.so", "other/second/x.so")
	other := filepath.Join(f.root, "other")
	f.python = func(context.Context) ([]string, error) { return []string{site, other}, nil }
	info := func(distribution, text string) {
		put(t, []byte(text), site, distribution, "entry_points.txt")
	}
	info("theirs-1.2.dist-info", "[console_scripts]\nx = theirs:main\n\n# a comment\n[ jax_plugins ]\ntheirs = their.backend:initialize\n")
	info("toy-1.dist-info", "[jax_plugins]\nxla_toy = jax_plugins.xla_toy [extra]\n")
	info("second-3.egg-info", "[xla_plugins]\nsecond=second\n")
	info("gone-1.dist-info", "[jax_plugins]\ngone = gone.module\n")
	info("hollow-1.dist-info", "[jax_plugins]\nhollow = hollow\n")
	info("odd-1.dist-info", "[jax_plugins]\nno equals sign\n= x\ny =\nevil = ../../etc\n[\n]\n[broken\n")
	info("script-1.dist-info", "[console_scripts]\nlibtpu = libtpu:main\n")
	put(t, nil, site, "hollow", "__init__.py")
	put(t, make([]byte, maxEntryPoints+1), site, "big-1.dist-info", "entry_points.txt")
	require.NoError(t, os.MkdirAll(filepath.Join(site, "dir-1.dist-info", "entry_points.txt"), 0o755))
	got, err := f.list(t.Context())
	require.NoError(t, err)
	found := map[string]Candidate{}
	for _, c := range got {
		found[c.Name] = c
	}
	assert.Len(t, got, 7)
	assert.Equal(t, filepath.Join(site, "their", "backend", "libtheirs.so"), found["theirs"].Path)
	assert.Equal(t, "1.2", found["theirs"].Version)
	require.NoError(t, found["theirs"].Problem)
	assert.Equal(t, filepath.Join(other, "second", "x.so"), found["second"].Path)
	assert.Equal(t, filepath.Join(site, "jax_plugins", "xla_toy", "pjrt_plugin_toy.so"), found["toy"].Path)
	assert.ErrorContains(t, found["gone"].Problem, "the Python package gone registers a plugin in the module gone.module, which is in none of the package directories")
	assert.ErrorContains(t, found["hollow"].Problem, "no library in "+filepath.Join(site, "hollow")+" exports GetPjrtApi")
	assert.ErrorContains(t, found["evil"].Problem, "which is in none of the package directories")
	assert.ErrorContains(t, found[""].Problem, "has more than 1048576 bytes")
}

func TestVirtualEnvironmentsExcludeOtherPackages(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	site := filepath.Join(dir, "v[1]", "lib", "python3.11", "site-packages")
	require.NoError(t, os.MkdirAll(site, 0o755))
	conda := filepath.Join(dir, "conda", "lib", "python3.12", "site-packages")
	require.NoError(t, os.MkdirAll(conda, 0o755))
	for _, c := range []struct {
		env  map[string]string
		want []string
	}{
		{map[string]string{"VIRTUAL_ENV": filepath.Join(dir, "v[1]")}, []string{site}},
		{map[string]string{"VIRTUAL_ENV": filepath.Join(dir, "v[1]"), "CONDA_PREFIX": filepath.Join(dir, "conda")}, []string{site}},
		{map[string]string{"CONDA_PREFIX": filepath.Join(dir, "conda"), "PYTHONPATH": list("/a", "/b")}, []string{"/a", "/b", conda}},
	} {
		f := testFinder(t, c.env)
		got, err := f.sitePackages(t.Context(), "/no/such/python")
		require.NoError(t, err, "no interpreter is run")
		assert.Equal(t, c.want, got)
	}
	put(t, []byte("home = /usr\ninclude-system-site-packages = True\n"), dir, "v[1]", "pyvenv.cfg")
	f := testFinder(t, map[string]string{"VIRTUAL_ENV": filepath.Join(dir, "v[1]")})
	got, err := f.sitePackages(t.Context(), "/no/such/python2")
	require.Error(t, err)
	assert.Equal(t, []string{site}, got)
	f = testFinder(t, map[string]string{"VIRTUAL_ENV": filepath.Join(dir, "gone")})
	_, err = f.sitePackages(t.Context(), "/no/such/python3")
	require.Error(t, err, "the interpreter is asked if the environment does not exist")
}

// interpreter writes a program that stands in for Python.
func interpreter(t *testing.T, script string) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Fatal("there are no shell scripts on Windows")
	}
	path := filepath.Join(t.TempDir(), "python")
	syscall.ForkLock.RLock() // a process that starts meanwhile would hold the file open, and it could not run
	defer syscall.ForkLock.RUnlock()
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o755))
	return path
}

func TestTheInterpreterIsAskedOnce(t *testing.T) {
	t.Parallel()
	log := filepath.Join(t.TempDir(), "log")
	command := interpreter(t, `echo run >>"`+log+`"; printf '\0/a\0relative\0/b'`)
	for range 3 {
		got, err := testFinder(t, nil).sitePackages(t.Context(), command)
		require.NoError(t, err)
		assert.Equal(t, []string{"/a", "/b"}, got)
	}
	runs, err := os.ReadFile(log)
	require.NoError(t, err)
	assert.Equal(t, "run\n", string(runs))
}

func TestABrokenInterpreterIsNeverFatal(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]string{
		"echo Traceback >&2; echo ImportError: x >&2; exit 1": "failed: ImportError: x",
		"exit 3":     "failed: exit status 3",
		"kill -9 $$": "failed: signal: killed",
		"yes hello":  `prints more than 1048576 bytes, so it is not Python, or is broken; the output begins "hello\nhello`,
	} {
		command := interpreter(t, script)
		f, _ := scene(t, nil, "cache/toy-1-000000000000/toy.so")
		f.python = func(ctx context.Context) ([]string, error) { return f.sitePackages(ctx, command) }
		got, err := f.list(t.Context())
		require.NoError(t, err)
		assert.Len(t, got, 1)
		_, err = f.lookupPlugin(t.Context(), "absent")
		var search *SearchError
		require.ErrorAs(t, err, &search)
		require.Contains(t, strings.Join(search.Tried, ", "), "Python packages ("+command+" "+want)
	}
}

func TestTheInterpreterEndsWithTheContext(t *testing.T) {
	t.Parallel()
	command := interpreter(t, "sleep 60")
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	start := time.Now()
	_, err := testFinder(t, nil).sitePackages(ctx, command)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	assert.Less(t, time.Since(start), 50*time.Second, "the interpreter takes a minute")
	interpreters.mu <- struct{}{}
	_, remembered := interpreters.paths[command]
	_, err = askInterpreter(ctx, command)
	<-interpreters.mu
	require.ErrorIs(t, err, context.DeadlineExceeded, "a waiting call ends with its own context")
	assert.False(t, remembered, "the end of the context is not remembered")
}

func TestTheRealInterpreter(t *testing.T) {
	t.Parallel()
	dirs, err := askInterpreter(t.Context(), "python3")
	require.NoError(t, err)
	assert.True(t, slices.ContainsFunc(dirs, func(d string) bool { return strings.Contains(d, "python3") }), dirs)
	_, err = askInterpreter(t.Context(), "no-such-python")
	require.Error(t, err)
	require.False(t, errors.Is(err, context.DeadlineExceeded))
}
