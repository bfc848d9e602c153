// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	coreHeader    = "xla/pjrt/c/pjrt_c_api.h"
	layoutsHeader = "xla/pjrt/c/pjrt_c_api_layouts_extension.h"
)

func TestMain(m *testing.M) {
	collectLess()
	os.Exit(m.Run())
}

// pjrtgen runs the command and returns what it printed.
func pjrtgen(args ...string) (string, error) {
	var out bytes.Buffer
	root := newRoot()
	root.SetOut(&out)
	root.SetErr(&out)
	root.SetArgs(args)
	err := root.Execute()
	return out.String(), err
}

// tree has a folder with two small headers, their facts and a since.json, and an
// output folder.
type tree struct {
	t        *testing.T
	dir, out string
}

func newTree(t *testing.T) *tree {
	t.Helper()
	x := &tree{t, t.TempDir(), filepath.Join(t.TempDir(), "capi")}
	for _, name := range []string{coreHeader, layoutsHeader} {
		x.write(name, read(t, filepath.Join("testdata", "small", filepath.Base(name))))
	}
	x.measure("0.90")
	x.write("since.json", `{"format":1,"minor":80,"core":{"PJRT_Client_Create":3},"headers":{}}`)
	return x
}

// measure writes the facts of a version.
func (x *tree) measure(version string) {
	x.t.Helper()
	for _, name := range []string{coreHeader, layoutsHeader} {
		facts, err := pjrtgen("facts", "-I", x.dir, filepath.Join(x.dir, filepath.FromSlash(name)))
		require.NoError(x.t, err)
		x.write("facts/"+version+"/"+strings.TrimSuffix(filepath.Base(name), ".h")+".json", facts)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(text)
}

func (x *tree) write(name, text string) {
	x.t.Helper()
	path := filepath.Join(x.dir, filepath.FromSlash(name))
	require.NoError(x.t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(x.t, os.WriteFile(path, []byte(text), 0o644))
}

// edit replaces text in a header.
func (x *tree) edit(name, old, new string) {
	x.t.Helper()
	text := read(x.t, filepath.Join(x.dir, name))
	require.True(x.t, strings.Contains(text, old), "%q in %s", old, name)
	x.write(name, strings.ReplaceAll(text, old, new))
}

func (x *tree) run(command string) (string, error) {
	return pjrtgen(command, "--headers", x.dir, "--out", x.out)
}

func (x *tree) generate() string {
	x.t.Helper()
	out, err := x.run("generate")
	require.NoError(x.t, err)
	return out
}

func TestCommittedFilesAreUpToDate(t *testing.T) {
	if testing.Short() {
		t.Skip("reads all headers: make check")
	}
	t.Parallel()
	out, err := pjrtgen("check", "--headers", "../../third_party/xla", "--out", "../../capi")
	require.NoError(t, err, out)
	assert.Empty(t, out)
}

// go generate runs whatever follows its comment at the beginning of a line, even
// within a string.
func TestGoGenerateRunsTheGeneratorAndNothingElse(t *testing.T) {
	t.Parallel()
	c := exec.Command("go", "generate", "-n", "./...")
	c.Dir = "../.."
	out, err := c.CombinedOutput()
	require.NoError(t, err, string(out))
	assert.Equal(t, "go run ../tools/pjrtgen generate --headers ../third_party/xla --out .\n", string(out))
}

func TestGenerateWritesOnceAndRemovesStaleFiles(t *testing.T) {
	t.Parallel()
	x := newTree(t)
	x.generate()
	assert.FileExists(t, filepath.Join(x.out, "zz_core_args.go"))
	assert.FileExists(t, filepath.Join(x.out, "zz_ext_layouts.go"))
	assert.FileExists(t, filepath.Join(x.out, "serve", "zz_extensions.go"))
	assert.Contains(t, x.generate(), " 0 of them changed, 0 removed")

	mine := filepath.Join(x.out, "zz_mine.go")
	require.NoError(t, os.WriteFile(mine, []byte("package capi\n"), 0o644))
	require.NoError(t, os.Remove(filepath.Join(x.dir, layoutsHeader)))
	assert.Contains(t, x.generate(), " 3 removed")
	assert.NoFileExists(t, filepath.Join(x.out, "zz_ext_layouts.go"))
	assert.NoFileExists(t, filepath.Join(x.out, "serve", "zz_extensions.go"))
	assert.FileExists(t, mine, "files that were not generated stay")
}

func TestCheckListsEachFileThatIsNotAsGenerated(t *testing.T) {
	t.Parallel()
	x := newTree(t)
	x.generate()
	out, err := x.run("check")
	require.NoError(t, err, out)

	args := filepath.Join(x.out, "zz_core_args.go")
	lines := strings.Split(read(t, args), "\n")
	lines[2] = "package other"
	require.NoError(t, os.WriteFile(args, []byte(strings.Join(lines, "\n")), 0o644))
	require.NoError(t, os.Remove(filepath.Join(x.out, "zz_core_enums.go")))
	stale := filepath.Join(x.out, "ffi", "zz_ffi_args.go")
	require.NoError(t, os.MkdirAll(filepath.Dir(stale), 0o755))
	require.NoError(t, os.WriteFile(stale, []byte(lines[0]), 0o644))

	out, err = x.run("check")
	require.ErrorContains(t, err, "not up to date")
	assert.Equal(t, []string{
		args + `:3: have "package other", want "package capi"`,
		filepath.Join(x.out, "zz_core_enums.go") + ": missing",
		stale + ": no header generates this file any more",
	}, strings.Split(strings.TrimSpace(out), "\n"))
	assert.Equal(t, "package other", strings.Split(read(t, args), "\n")[2], "check must not write")
}

func TestNewItemsAreRecordedUnderTheNewMinor(t *testing.T) {
	t.Parallel()
	x := newTree(t)
	x.generate()
	x.edit(coreHeader, "#define PJRT_API_MINOR 90", "#define PJRT_API_MINOR 91")
	x.edit(coreHeader, "(PJRT_Api, PJRT_Client_Size)", "(PJRT_Api, PJRT_Client_Count)")
	x.edit(coreHeader, "(PJRT_Client_Size);\n", "(PJRT_Client_Size);\n  _PJRT_API_STRUCT_FIELD(PJRT_Client_Count);\n")
	x.edit(coreHeader, "typedef struct PJRT_Api {", `struct PJRT_Client_Count_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Client* client;
  int64_t count;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Client_Count_Args, count);

// Counts.
typedef PJRT_Error* PJRT_Client_Count(PJRT_Client_Count_Args* args);

typedef struct PJRT_Api {`)
	x.edit(coreHeader, "PJRT_Client* client;  // out\n};", "PJRT_Client* client;  // out\n  int flags;\n};")
	x.edit(coreHeader, "(PJRT_Client_Create_Args, client)", "(PJRT_Client_Create_Args, flags)")
	x.edit(layoutsHeader, "VERSION 2", "VERSION 3")
	x.edit(layoutsHeader, "  PJRT_Client* client;\n};", "  PJRT_Client* client;\n  int flags;\n};")

	for _, command := range []string{"generate", "check"} {
		_, err := x.run(command)
		require.ErrorContains(t, err, "the headers are of API 0.91 and the newest facts of 0.90; nothing was written: make update")
	}
	x.measure("0.91")

	out, err := x.run("check")
	require.Error(t, err)
	assert.Contains(t, out, "since.json:")

	out = x.generate()
	assert.Contains(t, out, "since.json: 9 new items")
	since := read(t, filepath.Join(x.dir, "since.json"))
	assert.Contains(t, since, `"minor":91,`)
	assert.Contains(t, since, `"PJRT_Client_Create":3,`)
	assert.Contains(t, since, `"PJRT_Client_Size":90,`)
	assert.Contains(t, since, `"PJRT_Client_Count":91`)
	assert.Contains(t, since, `"PJRT_Client_Count_Args.count":91`)
	assert.Contains(t, since, `"PJRT_Layouts_Count_Args.client":[2,90]`)
	assert.Contains(t, since, `"PJRT_Layouts_Count_Args.flags":[3,91]`)
	functions := read(t, filepath.Join(x.out, "zz_functions.go"))
	assert.Contains(t, functions,
		"\t{Name: \"PJRT_Client_Count\", Offset: 32, Since: 91, Size: ClientCountArgsSize, Zero: []Span{{Offset: 24, Size: 8}}},\n")
	assert.Contains(t, functions, `{Name: "flags", Span: Span{Offset: 24, Size: 4}, Since: 91}`)
	out, err = x.run("check")
	require.NoError(t, err, out)
}

func TestItemsThatTheFactsOfTheVersionLackAreRefused(t *testing.T) {
	t.Parallel()
	x := newTree(t)
	x.generate()
	since := read(t, filepath.Join(x.dir, "since.json"))
	x.edit(layoutsHeader, "  PJRT_Client* client;\n};", "  PJRT_Client* client;\n  int flags;\n};")
	x.edit(layoutsHeader, "(PJRT_Layouts_Count_Args, client)", "(PJRT_Layouts_Count_Args, flags)")
	_, err := x.run("generate")
	require.ErrorContains(t, err, "the headers have items that the facts of API 0.90 lack; nothing was written")
	assert.Regexp(t, layoutsHeader+`:\d+:7: PJRT_Layouts_Count_Args.flags$`, err.Error())
	assert.Equal(t, since, read(t, filepath.Join(x.dir, "since.json")))
}

func TestOlderHeadersLeaveSinceAlone(t *testing.T) {
	t.Parallel()
	x := newTree(t)
	x.generate()
	since := read(t, filepath.Join(x.dir, "since.json"))
	x.edit(coreHeader, "#define PJRT_API_MINOR 90", "#define PJRT_API_MINOR 70")
	x.edit(coreHeader, "  _PJRT_API_STRUCT_FIELD(PJRT_Client_Size);\n", "")
	x.edit(coreHeader, "(PJRT_Api, PJRT_Client_Size)", "(PJRT_Api, PJRT_Client_Create)")
	assert.Contains(t, x.generate(), "API 0.70:")
	assert.Equal(t, since, read(t, filepath.Join(x.dir, "since.json")))
	assert.NotContains(t, read(t, filepath.Join(x.out, "zz_functions.go")), "PJRT_Client_Size")
}

func TestChangesThatBreakTheABIAreRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ header, old, new, want string }{
		"a field moved": {
			coreHeader, "PJRT_Client* client;\n  int64_t size;", "int64_t size;\n  PJRT_Client* client;", "PJRT_Client_Size_Args.size",
		},
		"a field retyped": {
			coreHeader, "  int64_t size;", "  int32_t size;", "PJRT_Client_Size_Args.size",
		},
		"a struct shrunk": {
			layoutsHeader, "  PJRT_Client* client;\n};", "};", "PJRT_Layouts_Count_Args",
		},
		"an enumerator renumbered": {
			coreHeader, "PJRT_Error_Code_INTERNAL = 13", "PJRT_Error_Code_INTERNAL = 14", "PJRT_Error_Code_INTERNAL",
		},
		"a slot moved": {
			coreHeader, "  _PJRT_API_STRUCT_FIELD(PJRT_Client_Create);\n", "", "PJRT_Client_Create",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := newTree(t)
			x.generate()
			args, since := read(t, filepath.Join(x.out, "zz_core_args.go")), read(t, filepath.Join(x.dir, "since.json"))
			x.edit(c.header, c.old, c.new)
			if c.header == layoutsHeader {
				x.edit(layoutsHeader, "(PJRT_Layouts_Count_Args, client)", "(PJRT_Layouts_Count_Args, extension_start)")
			}
			x.edit(coreHeader, "#define PJRT_API_MINOR 90", "#define PJRT_API_MINOR 91")
			for _, command := range []string{"generate", "check"} {
				_, err := x.run(command)
				require.ErrorContains(t, err, "the headers of API 0.91 break the ABI of 0.90; nothing was written")
				assert.Regexp(t, `(?m)^  `+c.header+`:\d+:\d+: `, err.Error())
				assert.ErrorContains(t, err, c.want)
			}
			assert.Equal(t, args, read(t, filepath.Join(x.out, "zz_core_args.go")))
			assert.Equal(t, since, read(t, filepath.Join(x.dir, "since.json")))
		})
	}
}

func TestGenerateSaysWhatIsWrongWithItsInput(t *testing.T) {
	t.Parallel()
	garbage := func(x *tree) { x.write(coreHeader, "int x;\nthis is no header\n") }
	for name, c := range map[string]struct {
		change func(*tree)
		want   string
	}{
		"garbage":    {garbage, "pjrt_c_api.h:2:"},
		"no headers": {func(x *tree) { require.NoError(x.t, os.RemoveAll(filepath.Join(x.dir, "xla"))) }, "cannot list the headers"},
		"no core": {func(x *tree) {
			require.NoError(x.t, os.RemoveAll(filepath.Join(x.dir, "xla")))
			x.write("xla/pjrt/c/pjrt_c_api_x_extension.h", "typedef int PJRT_X;\n")
		}, "defines PJRT_API_MINOR"},
		"no since":   {func(x *tree) { require.NoError(x.t, os.Remove(filepath.Join(x.dir, "since.json"))) }, "since.json"},
		"bad since":  {func(x *tree) { x.write("since.json", "{") }, "since.json: the text ends too early"},
		"bad facts":  {func(x *tree) { x.write("facts/0.90/pjrt_c_api.json", "[]") }, "not the facts of a header"},
		"bad format": {func(x *tree) { x.write("since.json", `{"format":9}`) }, "format 9 is unknown"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := newTree(t)
			c.change(x)
			_, err := x.run("generate")
			assert.ErrorContains(t, err, c.want)
			assert.NoDirExists(t, x.out)
		})
	}
}

func TestGenerateRunsNoProgram(t *testing.T) {
	t.Setenv("PATH", "")
	x := newTree(t)
	x.generate()
	assert.FileExists(t, filepath.Join(x.out, "zz_core_args.go"))
}
