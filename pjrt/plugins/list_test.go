// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package plugins

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
)

// brief has the fields of a Candidate that most tests check.
type brief struct{ Name, File, Problem string }

func briefs(dir string, candidates []Candidate) (all []brief) {
	for _, c := range candidates {
		b := brief{Name: c.Name}
		if rel, err := filepath.Rel(dir, c.Path); err == nil {
			b.File = filepath.ToSlash(rel)
		}
		if c.Problem != nil {
			b.Problem = c.Problem.Error()
		}
		all = append(all, b)
	}
	return all
}

func TestListIsInOrderOfPlatforms(t *testing.T) {
	t.Parallel()
	f, dir := scene(t, map[string]string{"PJRT_PLUGIN_PATH": "DIR/p"},
		"p/libtpu.so", "p/pjrt_c_api_cpu_plugin.so", "p/pjrt_plugin_mine.so", "p/pjrt_plugin_rocm.so", "p/pjrt_plugin_xpu.so",
		"p/xla_cuda_plugin.so", "p/libneuronpjrt.so", "p/pjrt_plugin_metal_14.so", "p/other.so")
	got, err := f.list(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []brief{
		{"cuda", "p/xla_cuda_plugin.so", ""}, {"rocm", "p/pjrt_plugin_rocm.so", ""}, {"xpu", "p/pjrt_plugin_xpu.so", ""},
		{"tpu", "p/libtpu.so", ""}, {"neuron", "p/libneuronpjrt.so", ""}, {"mine", "p/pjrt_plugin_mine.so", ""},
		{"metal_14", "p/pjrt_plugin_metal_14.so", ""}, {"cpu", "p/pjrt_c_api_cpu_plugin.so", ""},
	}, briefs(dir, got))
}

func TestListReportsBrokenPlugins(t *testing.T) {
	t.Parallel()
	f, dir := scene(t, map[string]string{
		"PJRT_NAMES_AND_LIBRARY_PATHS": "a:/no/such.so,nonsense,b:DIR/bad.json",
		"PJRT_PLUGIN_LIBRARY_PATH":     list("DIR/p", "DIR/none", "DIR/p/readme.txt"),
		"LD_LIBRARY_PATH":              "DIR/nothing:DIR/p/readme.txt",
	}, "p/pjrt_plugin_good.so")
	whole := aPlugin.bytes()
	put(t, whole[:len(whole)/2], dir, "p", "pjrt_plugin_cut.so")
	put(t, []byte("hello"), dir, "p", "pjrt_plugin_text.so")
	put(t, []byte("hello"), dir, "p", "readme.txt")
	put(t, []byte("[]"), dir, "bad.json")
	require.NoError(t, os.Symlink("nowhere", filepath.Join(dir, "p", "pjrt_plugin_link.so")))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "p", "pjrt_plugin_folder.so"), 0o755))
	got, err := f.list(t.Context())
	require.NoError(t, err)
	problems := map[string]string{}
	for _, b := range briefs(dir, got) {
		problems[b.Name+" "+b.File] = b.Problem
	}
	assert.Empty(t, problems["good p/pjrt_plugin_good.so"])
	for key, want := range map[string]string{
		"cut p/pjrt_plugin_cut.so":       "damaged or truncated ELF file",
		"text p/pjrt_plugin_text.so":     "it is a text file",
		"link p/pjrt_plugin_link.so":     "is a link to nowhere, which does not exist",
		"folder p/pjrt_plugin_folder.so": "it is a directory",
		" none":                          "cannot be read: no such file",
		" p/readme.txt":                  "does not have the name of a plugin",
		"b bad.json":                     "the file is a list, not an object",
	} {
		assert.Contains(t, problems[key], want, key)
	}
	assert.NotContains(t, problems, " nothing", "a directory of the linker need not exist")
	var names []Candidate
	for _, c := range got {
		if c.Origin == OriginNames {
			names = append(names, c)
		}
		if c.Name != "good" {
			assert.ErrorIs(t, c.Problem, ErrUnusable)
		}
	}
	require.Len(t, names, 3)
}

func TestListReportsUnreadableDirectories(t *testing.T) {
	t.Parallel()
	f, dir := scene(t, map[string]string{"PJRT_PLUGIN_PATH": "DIR/p", "LD_LIBRARY_PATH": "DIR/ld"}, "p/pjrt_plugin_a.so", "ld/pjrt_plugin_a.so")
	// Root may read any directory, so the test puts files in their place.
	for _, name := range []string{"p", "ld"} {
		require.NoError(t, os.RemoveAll(filepath.Join(dir, name)))
	}
	loop := filepath.Join(dir, "ld")
	require.NoError(t, os.Symlink(loop, loop))
	put(t, nil, dir, "p")
	got, err := f.list(t.Context())
	require.NoError(t, err)
	require.Len(t, got, 2)
	assert.Contains(t, got[0].Problem.Error(), "does not have the name of a plugin")
	assert.ErrorIs(t, got[1].Problem, syscall.ELOOP)
	assert.Equal(t, loop, got[1].Path)
}

func TestListHasEachFileOnce(t *testing.T) {
	t.Parallel()
	f, dir := scene(t, map[string]string{
		"PJRT_NAMES_AND_LIBRARY_PATHS": "a:DIR/p/pjrt_plugin_a.so,other:DIR/p/pjrt_plugin_a.so",
		"PJRT_PLUGIN_LIBRARY_PATH":     list("DIR/p", "DIR/p", "DIR/q"),
	}, "p/pjrt_plugin_a.so")
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "q"), 0o755))
	require.NoError(t, os.Symlink(filepath.Join(dir, "p", "pjrt_plugin_a.so"), filepath.Join(dir, "q", "libpjrt_plugin_a.so.1")))
	got, err := f.list(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []brief{{"a", "p/pjrt_plugin_a.so", ""}, {"other", "p/pjrt_plugin_a.so", ""}}, briefs(dir, got))
}

func TestACandidateCarriesItsConfiguration(t *testing.T) {
	t.Parallel()
	f, dir := scene(t, map[string]string{"PJRT_NAMES_AND_LIBRARY_PATHS": "toy:DIR/toy.json"}, "lib/x.so")
	put(t, []byte(`{"library_path": "lib/x.so", "create_options": {"n": 2}, "priority": 700, "experimental": true, "fail_quietly": true}`), dir, "toy.json")
	got, err := f.lookupPlugin(t.Context(), "toy")
	require.NoError(t, err)
	assert.Equal(t, Candidate{
		Name: "toy", Platform: "toy", Path: filepath.Join(dir, "lib", "x.so"), Origin: OriginNames, Detail: filepath.Join(dir, "toy.json"),
		Priority: 700, Experimental: true, FailQuietly: true, Options: []capi.Attribute{{Name: "n", Value: int64(2)}},
	}, got)
}

func TestAPIVersionHints(t *testing.T) {
	t.Parallel()
	f, dir := scene(t, map[string]string{"PJRT_PLUGIN_PATH": "DIR/p"}, "p/pjrt_plugin_a.so", toyInCache)
	put(t, []byte("/* x */\n#define PJRT_API_MAJOR 0\n#define PJRT_API_MINOR 81\n// see PJRT_API_MINOR 7\n"), dir, "p", "include", "pjrt_c_api.h")
	got, err := f.list(t.Context())
	require.NoError(t, err)
	require.Len(t, got, 2)
	assert.Equal(t, "0.81", got[0].API)
	assert.Equal(t, "0.99", got[1].API)
	assert.Equal(t, "1", got[1].Version)
	put(t, []byte("#define PJRT_API_MAJOR 0\n#define PJRT_API_MINOR 99999999\n"), dir, "p", "include", "pjrt_c_api.h")
	assert.Empty(t, headerVersion(filepath.Join(dir, "p", "pjrt_plugin_a.so")))
}

func TestFindSaysWhatIsAtAPath(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c, err := Find(t.Context(), put(t, []byte("text"), dir, "pjrt_plugin_toy.so"))
	require.NoError(t, err)
	assert.Equal(t, "toy", c.Name)
	require.ErrorContains(t, c.Problem, "it is a text file")
	c, err = Find(t.Context(), filepath.Join(dir, "none.so"))
	require.ErrorIs(t, err, ErrNotFound)
	require.ErrorContains(t, c.Problem, "no such file")
	c, err = Find(t.Context(), put(t, []byte(`{"library_path": "pjrt_plugin_toy.so"}`), dir, "x.json"))
	require.NoError(t, err)
	require.ErrorContains(t, c.Problem, "it is a text file")
}

func TestListOfThisMachine(t *testing.T) {
	t.Parallel()
	all, err := List(t.Context(), ListOptions{NoPython: true})
	require.NoError(t, err)
	for _, c := range all {
		assert.True(t, c.Name != "" || c.Problem != nil)
		assert.NotEmpty(t, c.Origin)
		assert.NotEmpty(t, c.Path)
	}
}
