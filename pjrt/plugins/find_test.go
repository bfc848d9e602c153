// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package plugins

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// toyTable has one plugin, with a wheel for this platform.
var toyTable = []Package{{
	Name: "toy", Project: "toy-pjrt", Version: "1", Library: "toy_plugins/toy/toy.so", api: "0.99",
	wheels: map[string]wheel{runtime.GOOS + "/" + runtime.GOARCH: {sha256: strings.Repeat("0", 64)}},
}}

// toyInCache is where the plugin of toyTable is installed.
const toyInCache = "cache/toy-1-000000000000/toy.so"

// scene returns a finder that sees a directory with some files. DIR in a value of env stands for
// the directory, which is also the root of the system.
func scene(t *testing.T, env map[string]string, plugins ...string) (f *finder, dir string) {
	t.Helper()
	values := map[string]string{}
	f = testFinder(t, values)
	dir = f.root
	for k, v := range env {
		values[k] = replaceDir(v, dir)
	}
	for _, file := range plugins {
		plugin(t, dir, filepath.FromSlash(file))
	}
	f.table = toyTable
	f.python = func(context.Context) ([]string, error) { return []string{filepath.Join(dir, "site")}, nil }
	return f, dir
}

func TestLookupSearchesPlacesInOrder(t *testing.T) {
	t.Parallel()
	names := map[string]string{"PJRT_NAMES_AND_LIBRARY_PATHS": "other:/x.so, toy:DIR/named/any.so ,"}
	places := []struct {
		origin Origin
		env    map[string]string
		file   string
	}{
		{OriginNames, names, "named/any.so"},
		{OriginLibraryPath, map[string]string{"PJRT_PLUGIN_LIBRARY_PATH": list("DIR/none", "DIR/library")}, "library/pjrt_c_api_toy_plugin.so"},
		{OriginPluginPath, map[string]string{"PJRT_PLUGIN_PATH": "DIR/path"}, "path/pjrt_plugin_toy.so"},
		{OriginPluginPath, map[string]string{"PJRT_PLUGIN_PATH_TOY": "DIR/byname/any.so"}, "byname/any.so"},
		{OriginLoaderPath, map[string]string{"LD_LIBRARY_PATH": "DIR/none:DIR/ld"}, "ld/libpjrt_plugin_toy.so"},
		{OriginCache, nil, toyInCache},
		{OriginPython, nil, "site/jax_plugins/toy/any.so"},
		{OriginNeuron, nil, "opt/aws/neuron/lib/pjrt_plugin_toy.so"},
		{OriginSystem, nil, "usr/lib/pjrt_plugin_toy.so"},
	}
	for first := range places {
		env := map[string]string{}
		var files []string
		for _, p := range places[first:] {
			for k, v := range p.env {
				env[k] = v
			}
			files = append(files, p.file)
		}
		f, dir := scene(t, env, files...)
		got, err := f.lookupPlugin(t.Context(), "toy")
		require.NoError(t, err, places[first].file)
		assert.Equal(t, places[first].origin, got.Origin)
		assert.Equal(t, filepath.Join(dir, filepath.FromSlash(places[first].file)), got.Path)
		assert.Equal(t, "toy", got.Name)

		all, err := f.list(t.Context())
		require.NoError(t, err)
		var origins []Origin
		for _, c := range all {
			if c.Name == "toy" {
				origins = append(origins, c.Origin)
				require.NoError(t, c.Problem)
			}
		}
		var want []Origin
		for _, p := range places[first:] {
			want = append(want, p.origin)
		}
		assert.Equal(t, want, origins, "all of them are listed, in the same order")
	}
}

func TestEachSystemHasItsVariableForTheLoader(t *testing.T) {
	t.Parallel()
	for goos, variable := range map[string]string{"linux": "LD_LIBRARY_PATH", "darwin": "DYLD_LIBRARY_PATH", "windows": "PATH"} {
		env := map[string]string{}
		for _, v := range []string{"LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "PATH"} {
			env[v] = "DIR/" + v
		}
		f, dir := scene(t, env)
		f.goos = goos
		found, note := f.loaderPath(t.Context())
		assert.Empty(t, found)
		assert.Equal(t, variable+" ("+filepath.Join(dir, variable)+")", note)
		plugin(t, dir, filepath.Join(variable, "pjrt_plugin_toy."+map[string]string{"linux": "so", "darwin": "dylib", "windows": "dll"}[goos]))
		found, _ = f.loaderPath(t.Context())
		require.Len(t, found, 1, goos)
		assert.Equal(t, "toy", found[0].Name)
		assert.Equal(t, OriginLoaderPath, found[0].Origin)
	}
}

func TestAVariableMayNameFiles(t *testing.T) {
	t.Parallel()
	f, dir := scene(t, map[string]string{"PJRT_PLUGIN_LIBRARY_PATH": "DIR/a/pjrt_plugin_toy.so"}, "a/pjrt_plugin_toy.so")
	got, err := f.lookupPlugin(t.Context(), "toy")
	require.NoError(t, err)
	assert.Equal(t, filepath.Join(dir, "a", "pjrt_plugin_toy.so"), got.Path)
}

func TestLookupTakesPaths(t *testing.T) {
	t.Parallel()
	f, dir := scene(t, nil, "x.so", "sub/x.so.1", "plain")
	for _, file := range []string{"x.so", "sub/x.so.1", "plain"} {
		path := filepath.Join(dir, filepath.FromSlash(file))
		got, err := f.lookupPlugin(t.Context(), path)
		require.NoError(t, err)
		assert.Equal(t, path, got.Path)
		assert.Equal(t, OriginPath, got.Origin)
		require.NoError(t, got.Problem)
	}
	put(t, []byte(`{"library_path": "sub/x.so.1", "create_options": {"a": 1}}`), dir, "x.json")
	got, err := f.lookupPlugin(t.Context(), filepath.Join(dir, "x.json"))
	require.NoError(t, err)
	assert.Equal(t, filepath.Join(dir, "sub", "x.so.1"), got.Path)
	assert.Len(t, got.Options, 1)

	got, err = f.lookupPlugin(t.Context(), put(t, nil, dir, "empty.so"))
	require.NoError(t, err, "a path names its file, usable or not")
	require.ErrorContains(t, got.Problem, "it is empty")

	put(t, []byte(`{"library_path": "gone.so"}`), dir, "gone.json")
	for path, want := range map[string]string{
		"missing.so":   "plugin not found: no such file: ",
		"missing.json": "no such file",
		"gone.json":    filepath.Join(dir, "gone.so"),
	} {
		_, err := f.lookupPlugin(t.Context(), filepath.Join(dir, path))
		require.ErrorIs(t, err, ErrNotFound, path)
		require.ErrorContains(t, err, want)
	}
	_, err = f.lookupPlugin(t.Context(), dir)
	require.ErrorContains(t, err, "is a directory, not a library")
	require.NotErrorIs(t, err, ErrNotFound)
	put(t, []byte("{"), dir, "bad.json")
	_, err = f.lookupPlugin(t.Context(), filepath.Join(dir, "bad.json"))
	require.ErrorContains(t, err, "it ends too early")
	require.NotErrorIs(t, err, ErrNotFound)
}

func TestFindReturnsPathsUnchanged(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := put(t, nil, dir, "empty.so")
	got, err := Find(t.Context(), path)
	require.NoError(t, err)
	assert.Equal(t, path, got.Path)
	_, err = Find(t.Context(), "missing.so")
	require.EqualError(t, err, "plugin not found: no such file: missing.so")
	t.Run("the name of a plugin's file", func(t *testing.T) {
		if runtime.GOOS != "linux" {
			t.Skip("the file has another name")
		}
		_, err := Find(t.Context(), "pjrt_c_api_cpu_plugin.so")
		require.EqualError(t, err, "plugin not found: no such file: pjrt_c_api_cpu_plugin.so in the working directory: "+
			"a name with .so is a path; to search for the plugin, say cpu")
		_, err = Find(t.Context(), filepath.Join(dir, "pjrt_c_api_cpu_plugin.so"))
		require.NotContains(t, err.Error(), "say cpu", "a folder was named")
	})
	_, err = Find(t.Context(), dir)
	require.ErrorContains(t, err, "is a directory, not a library")
	plugin(t, dir, "real.so")
	got, err = Find(t.Context(), put(t, []byte(`{"library_path": "real.so"}`), dir, "real.json"))
	require.NoError(t, err)
	assert.Equal(t, filepath.Join(dir, "real.so"), got.Path)
}

func TestLookupSaysWhatItTriedAndWhatToDo(t *testing.T) {
	t.Parallel()
	f, dir := scene(t, map[string]string{"PJRT_PLUGIN_LIBRARY_PATH": "DIR/some"})
	require.NoError(t, os.Mkdir(filepath.Join(dir, "some"), 0o755))
	put(t, []byte("text"), dir, "site", "jax_plugins", "toy", "pjrt_plugin_toy.so")
	f.python = func(context.Context) ([]string, error) {
		return []string{filepath.Join(dir, "site")}, errors.New("no python3")
	}
	_, err := f.lookupPlugin(t.Context(), "toy")
	var search *SearchError
	require.ErrorAs(t, err, &search)
	require.ErrorIs(t, err, ErrNotFound)
	assert.Equal(t, "toy", search.Name)
	require.Len(t, search.Rejected, 1)
	tried := strings.Join(search.Tried, ", ")
	assert.Contains(t, tried, "PJRT_NAMES_AND_LIBRARY_PATHS (not set), PJRT_PLUGIN_LIBRARY_PATH ("+filepath.Join(dir, "some")+
		"), PJRT_PLUGIN_PATH (not set), LD_LIBRARY_PATH (not set), "+filepath.Join(dir, "cache"))
	assert.Contains(t, tried, "Python packages in "+filepath.Join(dir, "site")+" (no python3)")
	assert.Regexp(t, `^plugin not found: toy; run: pjrt install toy; not usable: toy \(python: .*it is a text file.*\); searched \d places$`, err.Error())
	assert.NotContains(t, err.Error(), "PJRT_PLUGIN_PATH", "a log gets no list of places")

	many := &SearchError{Name: "toy", Tried: []string{"here", "there"}}
	for range 100 {
		many.Rejected = append(many.Rejected, Candidate{Name: "toy", Origin: OriginPython, Problem: errors.New(strings.Repeat("long\n", 1000))})
	}
	assert.Equal(t, "plugin not found: toy; not usable: toy (python: long ...), toy (python: long ...) and 98 more; searched 2 places", many.Error())
	_, err = f.lookupPlugin(t.Context(), "cup")
	require.ErrorIs(t, err, ErrNotFound)
	require.ErrorContains(t, err, "the known plugins are toy")
	_, err = f.lookupPlugin(t.Context(), "")
	require.ErrorIs(t, err, ErrNotFound)

	f.table = packages
	for name, want := range map[string]string{
		"cpu": "run: pjrt install cpu", "host": "run: pjrt install cpu", "cuda": "run: pjrt install cuda13", "gpu": "run: pjrt install cuda13",
		"cuda12@0.6.0": "run: pjrt install cuda12@0.6.0", "cpu@0.0.1": "run: pjrt install cpu@0.0.1", "rocm": "run: pjrt install rocm10",
		"neuron": "the known plugins are " + strings.Join(names(packages), ", "),
	} {
		_, err := f.lookupPlugin(t.Context(), name)
		require.ErrorContains(t, err, "; "+want, name)
	}
}

func TestAChosenPluginMustWork(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		env  map[string]string
		want string
	}{
		"a missing file":        {map[string]string{"PJRT_NAMES_AND_LIBRARY_PATHS": "toy:/no/such.so"}, "PJRT_NAMES_AND_LIBRARY_PATHS: plugin not found: no such file: /no/such.so"},
		"a directory":           {map[string]string{"PJRT_NAMES_AND_LIBRARY_PATHS": "toy:DIR"}, "is a directory"},
		"no pair":               {map[string]string{"PJRT_NAMES_AND_LIBRARY_PATHS": "toy"}, `PJRT_NAMES_AND_LIBRARY_PATHS: "toy" is not name:path`},
		"no path, other plugin": {map[string]string{"PJRT_NAMES_AND_LIBRARY_PATHS": "other:,toy:/x"}, `"other:" is not name:path`},
		"no name":               {map[string]string{"PJRT_NAMES_AND_LIBRARY_PATHS": ":/x.so"}, `":/x.so" is not name:path`},
		"a text file":           {map[string]string{"PJRT_NAMES_AND_LIBRARY_PATHS": "toy:DIR/text/pjrt_plugin_toy.so"}, "it is a text file"},
		"a bad configuration":   {map[string]string{"PJRT_NAMES_AND_LIBRARY_PATHS": "toy:DIR/bad.json"}, "library_path is a number, not a string"},
		"text in a directory":   {map[string]string{"PJRT_PLUGIN_LIBRARY_PATH": "DIR/text"}, "PJRT_PLUGIN_LIBRARY_PATH: "},
		"by platform":           {map[string]string{"PJRT_PLUGIN_PATH_TOY": "/no/such.so"}, "PJRT_PLUGIN_PATH_TOY: plugin not found: no such file: /no/such.so"},
	} {
		f, dir := scene(t, c.env, toyInCache) // the installed plugin, which must not be used instead
		put(t, []byte("text"), dir, "text", "pjrt_plugin_toy.so")
		put(t, []byte(`{"library_path": 3}`), dir, "bad.json")
		_, err := f.lookupPlugin(t.Context(), "toy")
		require.ErrorContains(t, err, c.want, name)
	}
	f, dir := scene(t, map[string]string{"TPU_LIBRARY_PATH": "/no/libtpu.so"})
	for _, name := range []string{"tpu", ""} {
		_, err := f.find(t.Context(), name)
		require.ErrorContains(t, err, "TPU_LIBRARY_PATH: ", name)
		require.ErrorContains(t, err, "/no/libtpu.so")
		require.NotContains(t, err.Error(), "PJRT_PLUGIN_PATH", "the user did not set that one")
	}
	// In other places, broken plugins are skipped.
	f, dir = scene(t, map[string]string{"LD_LIBRARY_PATH": "DIR/text"}, toyInCache)
	put(t, []byte("text"), dir, "text", "pjrt_plugin_toy.so")
	got, err := f.lookupPlugin(t.Context(), "toy")
	require.NoError(t, err)
	assert.Equal(t, OriginCache, got.Origin)
	// A damaged installed plugin is repaired by installing it again.
	put(t, nil, dir, filepath.FromSlash(toyInCache))
	f.images = nil
	_, err = f.lookupPlugin(t.Context(), "toy")
	require.ErrorContains(t, err, "it is empty; run: pjrt install --force toy")
	require.NoError(t, os.Remove(filepath.Join(dir, filepath.FromSlash(toyInCache))))
	require.NoError(t, os.Mkdir(filepath.Join(dir, filepath.FromSlash(toyInCache)), 0o755))
	_, err = f.lookupPlugin(t.Context(), "toy")
	require.ErrorContains(t, err, "is not a file; run: pjrt install --force toy")
}

func TestLookupByAliasPrefersDevices(t *testing.T) {
	t.Parallel()
	f, dir := scene(t, map[string]string{"LD_LIBRARY_PATH": "DIR/ld"}, "ld/pjrt_plugin_cuda12.so", "ld/pjrt_c_api_rocm_plugin.so", "ld/libpjrt_cpu.so")
	got, err := f.lookupPlugin(t.Context(), "host")
	require.NoError(t, err)
	assert.Equal(t, "cpu", got.Name)

	got, err = f.lookupPlugin(t.Context(), "gpu")
	require.NoError(t, err, "it can still compile")
	assert.Equal(t, "cuda12", got.Name)
	require.ErrorContains(t, got.Hardware, "no NVIDIA GPU")

	put(t, nil, dir, "dev", "kfd")
	got, err = f.lookupPlugin(t.Context(), "gpu")
	require.NoError(t, err)
	assert.Equal(t, "rocm", got.Name)
	assert.True(t, got.Usable())

	got, err = f.lookupPlugin(t.Context(), "cuda")
	require.NoError(t, err)
	assert.Equal(t, "cuda12", got.Name)
	_, err = f.lookupPlugin(t.Context(), "cuda13")
	require.ErrorIs(t, err, ErrNotFound, "another version was asked for")
}

func TestOldVersionsAnswerToTheirNamesOnly(t *testing.T) {
	t.Parallel()
	f, dir := scene(t, nil)
	f.table = []Package{
		{Name: "toy", Version: "2", Library: "toy.so", wheels: toyTable[0].wheels},
		{Name: "toy@1", Version: "1", Library: "toy.so", wheels: toyTable[0].wheels, old: true},
	}
	plugin(t, dir, filepath.FromSlash("cache/toy-1-000000000000/toy.so"))
	_, err := f.lookupPlugin(t.Context(), "toy")
	require.ErrorIs(t, err, ErrNotFound)
	got, err := f.lookupPlugin(t.Context(), "toy@1")
	require.NoError(t, err)
	assert.Equal(t, "1", got.Version)
	assert.True(t, got.Experimental)
	plugin(t, dir, filepath.FromSlash("cache/toy-2-000000000000/toy.so"))
	for _, name := range []string{"toy", "toy@2"} {
		got, err = f.lookupPlugin(t.Context(), name)
		require.NoError(t, err)
		assert.Equal(t, "2", got.Version)
	}
}

func TestLookupEndsWithItsContext(t *testing.T) {
	t.Parallel()
	f, _ := scene(t, nil, toyInCache)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := f.lookupPlugin(ctx, "toy")
	require.ErrorIs(t, err, context.Canceled)
	_, err = f.list(ctx)
	require.ErrorIs(t, err, context.Canceled)
	_, err = f.selectPlugins(ctx)
	require.ErrorIs(t, err, context.Canceled)
}

func TestWindowsPairs(t *testing.T) {
	t.Parallel()
	f := testFinder(t, nil)
	f.goos = "windows"
	for entry, want := range map[string]string{`a;C:\x.dll`: `C:\x.dll`, `a:C:\x.dll`: `C:\x.dll`} {
		name, path, ok := f.pair(entry)
		assert.True(t, ok)
		assert.Equal(t, "a", name)
		assert.Equal(t, want, path)
	}
}

// cpuVersion puts the library of a version of the plugin for CPUs where Install would.
func cpuVersion(t *testing.T, dir, name string) string {
	t.Helper()
	p, err := known(packagesFor(linuxAMD64), name)
	require.NoError(t, err)
	id, size := p.id(p.wheels[linuxAMD64]), len(aPlugin.bytes())
	put(t, fmt.Appendf(nil, "%s,%s,%d\n", p.fileName(), recordHash, size), dir, "cache", id, recordName)
	return put(t, aPlugin.bytes(), dir, "cache", id, p.fileName())
}

func TestEveryVersionOfTheCPUPluginIsFoundByItsName(t *testing.T) {
	t.Parallel()
	if runtime.GOOS+"/"+runtime.GOARCH != linuxAMD64 {
		t.Skip("the table is that of another platform")
	}
	for _, installed := range [][]string{{"cpu@0.81"}, {"cpu@0.115"}, {"cpu@0.115", "cpu@0.81"}} {
		f, dir := scene(t, nil)
		f.table = packagesFor(linuxAMD64)
		paths := map[string]string{}
		for _, name := range installed {
			paths[name] = cpuVersion(t, dir, name)
		}
		best := paths["cpu@"+cpuVersions[0]]
		if len(installed) == 1 {
			best = paths[installed[0]]
		}
		for name, want := range map[string]string{
			"cpu": best, "host": best, "cpu@0.81": paths["cpu@0.81"], "cpu@0.0.1": paths["cpu@0.81"],
			"cpu@0.115": paths["cpu@0.115"], "cpu@0.11.2": paths["cpu@0.115"], "": best,
		} {
			got, err := f.find(t.Context(), name)
			if want == "" {
				require.ErrorIs(t, err, ErrNotFound, name)
				require.ErrorContains(t, err, "run: pjrt install "+name)
				continue
			}
			require.NoError(t, err, name)
			assert.Equal(t, want, got.Path, name)
			assert.False(t, got.Experimental)
		}
		all, err := f.list(t.Context())
		require.NoError(t, err)
		require.Len(t, all, len(installed))
		assert.Equal(t, best, all[0].Path)
		for _, c := range all {
			assert.True(t, c.AnswersTo("cpu") && c.AnswersTo("host"), c.Name)
		}
	}
}

func TestTheNameOfAKindMeansTheFirstVersionForThePlatform(t *testing.T) {
	t.Parallel()
	for _, platform := range []string{linuxAMD64, linuxARM64} {
		var want string
		for _, version := range cpuVersions {
			p, err := known(packagesFor(platform), "cpu@"+version)
			require.NoError(t, err)
			if _, err := p.pick(platform); err == nil {
				want = p.Version
				break
			}
		}
		p, err := known(packagesFor(platform), "cpu")
		require.NoError(t, err)
		assert.Equal(t, want, p.Version, platform)
		var names []string
		for _, p := range packagesFor(platform) {
			if p.kind() == "cpu" {
				names = append(names, p.Name)
				assert.Contains(t, cpuVersions, p.api)
			}
		}
		assert.Len(t, names, len(cpuVersions))
		assert.Contains(t, names, "cpu")
	}
	for name, want := range map[string]string{"cuda": "cuda13", "rocm": "rocm10", "oneapi": "oneapi", "tt": "tt"} {
		p, err := known(packages, name)
		require.NoError(t, err)
		assert.Equal(t, want, p.Name)
	}
	_, err := known(packages, "gpu")
	require.ErrorContains(t, err, "unknown plugin")
}
