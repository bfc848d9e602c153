// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	olderRoot = "../../gen/diff/testdata/old"
	newerRoot = "../../gen/diff/testdata/new"
	corePath  = "/xla/pjrt/c/pjrt_c_api.h"
	bellPath  = "/xla/pjrt/c/pjrt_c_api_bell_extension.h"
)

func runDiffCommand(args ...string) (string, error) {
	var out bytes.Buffer
	cmd := newDiffCommand()
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetOut(&out)
	cmd.SetErr(&out)
	cmd.SetArgs(args)
	err := cmd.Execute()
	return out.String(), err
}

func writeFile(t *testing.T, name, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
	require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
}

func TestDiffOfCompatibleHeadersSucceeds(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name     string
		from, to string
		want     string
	}{
		{"roots", olderRoot, newerRoot, "3 functions added, 3 structs grown, 2 enum values added, 1 new table, 1 header added.\nNothing breaks the ABI.\n"},
		{"headers", olderRoot + corePath, newerRoot + corePath, "  slot 1  0.8  PJRT_Door_Shut    PJRT_Error* (PJRT_Door_Shut_Args*)\n"},
		{"extension headers, which include another", olderRoot + bellPath, newerRoot + bellPath, "1 function added, 1 struct grown.\nNothing breaks the ABI.\n"},
		{"a root and itself", newerRoot, newerRoot, "No changes.\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			out, err := runDiffCommand(test.from, test.to)
			require.NoError(t, err)
			assert.Contains(t, out, test.want)
		})
	}
}

func TestDiffThatBreaksTheABIExitsWithThree(t *testing.T) {
	t.Parallel()
	for _, flags := range [][]string{nil, {"--json"}, {"--stubs"}} {
		out, err := runDiffCommand(append(flags, newerRoot, olderRoot)...)
		var status *exitError
		require.ErrorAs(t, err, &status, "%v", flags)
		assert.Equal(t, 3, status.code)
		assert.Equal(t, "13 changes break the ABI between "+newerRoot+" and "+olderRoot, err.Error())
		assert.NotEmpty(t, out, "the report is still printed")
	}
}

func TestDiffPrintsJSON(t *testing.T) {
	t.Parallel()
	out, err := runDiffCommand("--json", olderRoot, newerRoot)
	require.NoError(t, err)
	var report struct {
		New struct {
			Label   string
			Version struct{ Minor int }
		}
		Changes []struct {
			Name  string
			Since *int
		}
	}
	require.NoError(t, json.Unmarshal([]byte(out), &report))
	assert.Equal(t, newerRoot, report.New.Label)
	assert.Equal(t, 9, report.New.Version.Minor)
	since := map[string]int{}
	for _, c := range report.Changes {
		if c.Since != nil {
			since[c.Name] = *c.Since
		}
	}
	assert.Equal(t, map[string]int{
		"PJRT_Door_Shut": 8, "PJRT_Door_Forget": 9, "wide": 8, "PJRT_Door_Color_kGreen": 9, "count": 9,
	}, since)
	assert.NotContains(t, out, `\u003e`)
}

func TestDiffPrintsStubs(t *testing.T) {
	t.Parallel()
	out, err := runDiffCommand("--stubs", olderRoot, newerRoot)
	require.NoError(t, err)
	want, err := os.ReadFile("../../gen/diff/testdata/stubs.c")
	require.NoError(t, err)
	assert.Equal(t, string(want), out)
}

func TestDiffRefusesBadInput(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "garbage.h"), "typedef struct { int 5; } X;\n")
	writeFile(t, filepath.Join(dir, "other", "xla", "service", "dump.h"), "int x;\n")
	writeFile(t, filepath.Join(dir, "history", corePath), "#define PJRT_API_MAJOR 0\n#define PJRT_API_MINOR 1\n")
	writeFile(t, filepath.Join(dir, "history", "since.json"), "[]")
	for _, test := range []struct {
		name string
		args []string
		want string
	}{
		{"one argument", []string{olderRoot}, "accepts 2 arg(s), received 1"},
		{"both formats", []string{"--json", "--stubs", olderRoot, newerRoot}, "[json stubs]"},
		{"missing file", []string{filepath.Join(dir, "none.h"), newerRoot}, "none.h: give two headers or two include roots"},
		{"header and root", []string{olderRoot + corePath, newerRoot}, "cannot compare a header with a directory"},
		{"no header at all", []string{olderRoot, dir}, "cannot list the headers of " + dir},
		{"no PJRT header", []string{olderRoot, filepath.Join(dir, "other")}, "other/xla holds no PJRT headers"},
		{"garbage", []string{olderRoot + corePath, filepath.Join(dir, "garbage.h")}, "garbage.h:1:"},
		{"include directory that is a file", []string{"-I", filepath.Join(dir, "garbage.h"), olderRoot + corePath, newerRoot + corePath}, "it is not a directory"},
		{"file that is not a history", []string{olderRoot, filepath.Join(dir, "history")}, "since.json is not a history of the headers"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			out, err := runDiffCommand(test.args...)
			require.ErrorContains(t, err, test.want)
			var status *exitError
			assert.NotErrorAs(t, err, &status, "the exit status is 1")
			assert.Empty(t, out)
		})
	}
}

// A checkout of XLA has C++ headers beside those of the C API.
func TestDiffReadsOnlyHeadersOfTheCAPI(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"xla/pjrt/c/pjrt_c_api.h":                                                     true,
		"xla/pjrt/c/pjrt_c_api_layouts_extension.h":                                   true,
		"xla/pjrt/c/pjrt_c_api_cpu.h":                                                 true,
		"xla/pjrt/c/pjrt_c_api_tpu_internal.h":                                        true,
		"xla/pjrt/c/pjrt_c_api_gpu_internal.h":                                        false,
		"xla/pjrt/c/pjrt_c_api_helpers.h":                                             false,
		"xla/pjrt/c/pjrt_c_api_test_base.h":                                           false,
		"xla/pjrt/pjrt_client.h":                                                      false,
		"xla/pjrt/extensions/example/example_extension.h":                             true,
		"xla/pjrt/extensions/example/example_extension_cpp.h":                         false,
		"xla/pjrt/extensions/abi_version/abi_version_extension.h":                     false,
		"xla/backends/profiler/plugin/profiler_c_api.h":                               true,
		"xla/backends/profiler/plugin/plugin_tracer.h":                                false,
		"xla/ffi/api/c_api.h":                                                         true,
		"xla/ffi/api/ffi.h":                                                           false,
		"xla/pjrt/extensions/cross_host_transfers/pjrt_c_api_x_transfers_extension.h": true,
	} {
		assert.Equal(t, want, isAPIHeader(name), name)
	}
}

// The names of C++ headers do not always show that they are C++.
func TestDiffLeavesOutHeadersThatIncludeTheCXXLibrary(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	require.NoError(t, os.CopyFS(root, os.DirFS(newerRoot)))
	const types = "/xla/pjrt/c/pjrt_c_api_bell_types.h"
	writeFile(t, root+types, "#include <memory>\n#include \"xla/pjrt/bell.h\"\nstruct Bell { std::unique_ptr<xla::Bell> bell; };\n")
	out, err := runDiffCommand(root, newerRoot)
	require.NoError(t, err)
	assert.Contains(t, out, "No changes.\n")

	writeFile(t, root+types, "#include <cstdint>\nstruct Bell { std::unique_ptr<xla::Bell> bell; };\n")
	_, err = runDiffCommand(root, newerRoot)
	assert.ErrorContains(t, err, types+":2:15: the size of std::unique_ptr<xla::Bell>, the type of field bell, is not known: it is a C++ type")
}

// Every header of this project belongs to the C API, and is equal to itself.
func TestDiffReadsThisProjectsHeaders(t *testing.T) {
	if testing.Short() {
		t.Skip("every header is read twice: make test-all")
	}
	t.Parallel()
	const root = "../../third_party/xla"
	files, err := apiHeaders(root)
	require.NoError(t, err)
	all, err := filepath.Glob(root + "/xla/pjrt/c/*.h")
	require.NoError(t, err)
	assert.Subset(t, files, all)
	out, err := runDiffCommand(root, root)
	require.NoError(t, err)
	assert.Contains(t, out, "No changes.\n")
}
