// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/gen/facts"
)

// site has our headers with all that belongs to them, an output folder, and originals.
type site struct {
	t               *testing.T
	ours, out, from string
}

// pinned is third_party/xla as it was at the minor that these tests begin with, by path.
var pinned = struct {
	sync.Mutex
	files map[string]string
}{}

const pinnedMinor = 117

func atPinned(t *testing.T) map[string]string {
	t.Helper()
	pinned.Lock()
	defer pinned.Unlock()
	if pinned.files == nil {
		dir := t.TempDir()
		past(t, dir, pinnedMinor)
		pinned.files = make(map[string]string)
		for path, text := range contents(t, dir) {
			if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
				rel, err := filepath.Rel(dir, path)
				require.NoError(t, err)
				pinned.files[filepath.ToSlash(rel)] = text
			}
		}
	}
	return pinned.files
}

// newSite makes a site with some of our headers, which are its originals too.
func newSite(t *testing.T, headers ...string) *site {
	t.Helper()
	dir := t.TempDir()
	s := &site{t, filepath.Join(dir, "ours"), filepath.Join(dir, "out"), filepath.Join(dir, "originals")}
	for path, text := range atPinned(t) {
		header := strings.HasPrefix(path, "xla/")
		if !header || slices.Contains(headers, path) {
			writeFile(t, filepath.Join(s.ours, path), text)
		}
		if slices.Contains(headers, path) {
			writeFile(t, filepath.Join(s.from, path), text)
		}
	}
	return s
}

func (s *site) update(args ...string) (string, error) {
	return pjrtgen(append([]string{"update", "--headers", s.ours, "--out", s.out, "--build=false", "--unmeasured", s.from}, args...)...)
}

// edit replaces text in an original.
func (s *site) edit(path string, pairs ...string) {
	s.t.Helper()
	file := filepath.Join(s.from, path)
	text := read(s.t, file)
	for i := 0; i < len(pairs); i += 2 {
		require.Contains(s.t, text, pairs[i])
		text = strings.Replace(text, pairs[i], pairs[i+1], 1)
	}
	writeFile(s.t, file, text)
}

const (
	minorNow  = "#define PJRT_API_MINOR 117"
	minorNext = "#define PJRT_API_MINOR 118"
)

// next makes the originals those of the next minor, with one more function, field, value and
// extension.
func (s *site) next() {
	s.edit(coreName,
		minorNow, minorNext,
		"PJRT_Extension_Type_XlaTransform,\n", "PJRT_Extension_Type_XlaTransform,\n  PJRT_Extension_Type_Door,  // theirs\n",
		unmapEnd, "  // Theirs.\n  void* state;  // theirs\n};\nPJRT_DEFINE_STRUCT_TRAITS(PJRT_Client_DmaUnmap_Args, state);",
		"typedef struct PJRT_Api {", "// Theirs.\nstruct PJRT_Client_NumDoors_Args {\n  size_t struct_size;\n  PJRT_Extension_Base* extension_start;\n"+
			"  PJRT_Client* client;\n  size_t num_doors;  // out\n  int64_t** widths;  // out, theirs\n};\n"+
			"PJRT_DEFINE_STRUCT_TRAITS(PJRT_Client_NumDoors_Args, widths);\n\n"+
			"// Theirs.\ntypedef PJRT_Error* PJRT_Client_NumDoors(PJRT_Client_NumDoors_Args* args);\n\ntypedef struct PJRT_Api {",
		"\n} PJRT_Api;", "\n  _PJRT_API_STRUCT_FIELD(PJRT_Client_NumDoors);\n} PJRT_Api;",
		"PJRT_Api, PJRT_TopologyDescription_GetMemorySpaceKindIds)", "PJRT_Api, PJRT_Client_NumDoors)",
	)
	s.edit(crossHost, "EXTENSION_VERSION 8", "EXTENSION_VERSION 9")
	writeFile(s.t, filepath.Join(s.from, newHeader),
		"// Theirs.\n#ifndef DOOR_H_\n#define DOOR_H_\n\n#include \"xla/pjrt/c/pjrt_c_api.h\"\n\n#define PJRT_API_DOOR_EXTENSION_VERSION 1\n\n"+
			"struct PJRT_Door_Label_Args {\n  size_t struct_size;\n  struct {\n    int32_t width;\n    float height;\n  };\n"+
			"  const char** labels;  // out, theirs\n  size_t* label_sizes;  // out\n  size_t num_labels;  // out\n};\n"+
			"PJRT_DEFINE_STRUCT_TRAITS(PJRT_Door_Label_Args, num_labels);\n"+
			"typedef PJRT_Error* PJRT_Door_Label(PJRT_Door_Label_Args* args);\n\n"+
			"typedef struct PJRT_Door_Extension {\n  PJRT_Extension_Base base;  // theirs\n  PJRT_Door_Label* label;\n} PJRT_Door_Extension;\n"+
			"PJRT_DEFINE_STRUCT_TRAITS(PJRT_Door_Extension, label);\n#endif\n")
}

func TestUpdateFromTheSameOriginalsChangesNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("reads all headers twice: make test-all")
	}
	t.Parallel()
	s := newSite(t, coreName, crossHost)
	_, err := s.update()
	require.NoError(t, err)
	before := contents(t, s.ours)
	for path, text := range before {
		if rel, err := filepath.Rel(s.ours, path); err == nil && text != "" {
			assert.Equal(t, atPinned(t)[filepath.ToSlash(rel)], text, rel)
		}
	}
	out, err := s.update()
	require.NoError(t, err)
	assert.Contains(t, out, "# PJRT API 0.117 to 0.117\n")
	assert.Contains(t, out, "\nNothing is new, and there is nothing to decide.\n")
	assert.Equal(t, before, contents(t, s.ours))
}

func TestUpdateTakesTheNextMinor(t *testing.T) {
	if testing.Short() {
		t.Skip("reads all headers twice: make test-all")
	}
	t.Parallel()
	s := newSite(t, coreName, crossHost)
	s.next()
	out, err := s.update("--source", "tf-nightly 3.0")
	require.NoError(t, err)

	for _, want := range []string{
		"# PJRT API 0.117 to 0.118\n\n- 0.118: tf-nightly 3.0\n",
		"| function `PJRT_Client_NumDoors` | 0.118 | " + coreName + ":",
		"| `struct PJRT_Client_NumDoors_Args` (struct_size, extension_start, client, num_doors, widths) | 0.118 |",
		"| field `PJRT_Client_DmaUnmap_Args.state` | 0.118 |",
		"| value `PJRT_Extension_Type.PJRT_Extension_Type_Door` | 0.118 |",
		"## New extensions and other headers: 1\n\n- " + newHeader + "\n",
		"- PJRT_API_CROSS_HOST_TRANSFERS_EXTENSION_VERSION: 8 to 9\n",
		"| `pure` | `PJRT_Client_NumDoors` |",
		"| `wordNames` | `PJRT_Client_DmaUnmap_Args.state` |",
		"| `callerMemory` | `PJRT_Client_NumDoors_Args.widths` |",
		"| `countedBy` | `PJRT_Client_NumDoors_Args.widths` |",
		"**No compiler confirmed the facts**: 0.118/door_extension.json, 0.118/pjrt_c_api.json, 0.118/pjrt_c_api_cross_host_transfers_extension.json.",
		"Describe what is new at the places above",
	} {
		assert.Contains(t, out, want)
	}
	for path, text := range contents(t, s.ours) {
		for line := range strings.Lines(text) {
			assert.False(t, strings.Contains(strings.ToLower(line), "theirs"), "%s: %s", path, line)
		}
	}
	since := read(t, filepath.Join(s.ours, "since.json"))
	assert.Contains(t, since, `"PJRT_Client_NumDoors":118`)
	assert.Contains(t, since, `"struct PJRT_Door_Extension":[1,118]`)
	past := read(t, filepath.Join(s.ours, "facts", "history.json"))
	assert.Contains(t, past, `{"minor":118,"append":["PJRT_Client_NumDoors"]}`)
	assert.Contains(t, past, `"PJRT_Extension_Type_Door":[[118,25]]`)
	version := read(t, filepath.Join(s.ours, "VERSION"))
	assert.Contains(t, version, "api_minor: 118\n")
	assert.Contains(t, version, newHeader+": 0.118 tf-nightly 3.0\n")
	assert.Contains(t, version, "profiler_c_api.h: 0.117 unknown\n", "not among the originals")
	assert.Contains(t, read(t, filepath.Join(s.out, "zz_functions.go")), "PJRT_Client_NumDoors")
	assert.Regexp(t, `(?m)^\tWidth +int32 +// width$`, read(t, filepath.Join(s.out, "zz_ext_door.go")), "of a struct without a name")
	assert.Contains(t, read(t, filepath.Join(s.out, "describe", "zz_describe.go")), `Counts: []string{"num_labels"}, Sizes: "label_sizes", Dir: Out, Since: 118}`)

	// The facts of earlier minors are unchanged, and those of the new one are marked.
	assert.Equal(t, atPinned(t)["facts/0.117/pjrt_c_api.json"], read(t, filepath.Join(s.ours, "facts/0.117/pjrt_c_api.json")))
	marked, err := facts.Unwitnessed(filepath.Join(s.ours, "facts"))
	require.NoError(t, err)
	assert.Len(t, marked, 3)
	docs, err := facts.Read(filepath.Join(s.ours, "facts"), 118)
	require.NoError(t, err)
	assert.NotContains(t, docs[coreName], "witness")
	assert.Equal(t, float64(118), docs[coreName]["api_version"].(map[string]any)["minor"])

	// A second run has nothing to do.
	before := contents(t, s.ours)
	_, err = s.update()
	require.NoError(t, err)
	assert.Equal(t, before, contents(t, s.ours))
}

// A field with another name keeps our comment and its version, since older plugins have it too.
func TestUpdateTakesAnotherNameOfAField(t *testing.T) {
	if testing.Short() {
		t.Skip("reads all headers twice: make test-all")
	}
	t.Parallel()
	s := newSite(t, coreName, crossHost)
	s.edit(coreName, minorNow, minorNext, "  void* data;\n"+unmapEnd,
		"  void* memory;\n  bool twice;\n};\nPJRT_DEFINE_STRUCT_TRAITS(PJRT_Client_DmaUnmap_Args, twice);")
	out, err := s.update()
	require.NoError(t, err)
	assert.Contains(t, read(t, filepath.Join(s.ours, coreName)), "  void* memory;\n  bool twice;\n};\nPJRT_DEFINE_STRUCT_TRAITS(PJRT_Client_DmaUnmap_Args, twice);")
	since := read(t, filepath.Join(s.ours, "since.json"))
	assert.Contains(t, since, `"PJRT_Client_DmaUnmap_Args.memory":67`)
	assert.Contains(t, since, `"PJRT_Client_DmaUnmap_Args.twice":118`)
	assert.Contains(t, out, "## New, and to be described in the headers: 1\n")
	assert.Contains(t, out, "field PJRT_Client_DmaUnmap_Args.memory renamed")
	assert.Contains(t, out, "VERSION does not say where these originals come from")
	assert.Contains(t, out, "`PJRT_Client_DmaUnmap_Args.data` is called `PJRT_Client_DmaUnmap_Args.memory` in the originals")
	before := contents(t, s.ours)
	_, err = s.update()
	require.NoError(t, err)
	assert.Equal(t, before, contents(t, s.ours), "a second run has nothing to do")
}

// What the originals lack is removed by hand, as the error says, and then the update is made.
func TestUpdateGoesOnAfterARemovalByHand(t *testing.T) {
	if testing.Short() {
		t.Skip("reads all headers twice: make test-all")
	}
	t.Parallel()
	s := newSite(t, coreName)
	s.edit(coreName, minorNow, minorNext)
	remove := func(dir string) {
		file := filepath.Join(dir, coreName)
		text := read(t, file)
		from, to := strings.Index(text, "#ifdef __cplusplus\n#define PJRT_CHECK_STRUCT_SIZE"), strings.Index(text, "// Gives `struct sname`")
		text = text[:from] + text[to:]
		writeFile(t, file, strings.Replace(text, "; \\\n  PJRT_CHECK_STRUCT_SIZE(sname, last_field)\n", "\n", 1))
	}
	remove(s.from)
	_, err := s.update()
	require.ErrorContains(t, err, "the newer header has no PJRT_CHECK_STRUCT_SIZE: remove it from ours by hand")
	remove(s.ours)
	_, err = s.update()
	require.NoError(t, err)
	docs, err := facts.Read(filepath.Join(s.ours, "facts"), 118)
	require.NoError(t, err)
	assert.NotContains(t, fmt.Sprint(docs[coreName]["macros"]), "PJRT_CHECK_STRUCT_SIZE")
}

func TestUpdateRefusesWhatBreaksAnEarlierMinor(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("reads the headers once for each fault: make test-all")
	}
	const unmap = "struct PJRT_Client_DmaUnmap_Args {\n  size_t struct_size;\n  PJRT_Extension_Base* extension_start;\n  PJRT_Client* client;\n"
	traits := "PJRT_DEFINE_STRUCT_TRAITS(PJRT_Client_DmaUnmap_Args, "
	for name, c := range map[string]struct {
		path  string
		edits []string
		place string // after the path, as a regular expression
	}{
		"a field that moved": {coreName, []string{unmap,
			strings.Replace(unmap, "  PJRT_Client* client;\n", "  int64_t more;\n  PJRT_Client* client;\n", 1)}, `:\d+:16: field PJRT_Client_DmaUnmap_Args.client moved`},
		"a field of another type": {coreName, []string{unmap, strings.Replace(unmap, "PJRT_Client* client", "int64_t client", 1)},
			`:\d+:11: field PJRT_Client_DmaUnmap_Args.client retyped`},
		"a field that is gone": {coreName, []string{"  void* data;\n" + unmapEnd, "};\n" + traits + "client);"},
			`:\d+:\d+: field PJRT_Client_DmaUnmap_Args.data removed`},
		"a value with another number": {coreName, []string{"  PJRT_Extension_Type_XlaTransform,\n", "  PJRT_Extension_Type_XlaTransform = 99,\n"},
			`:\d+:3: value PJRT_Extension_Type.PJRT_Extension_Type_XlaTransform renumbered`},
		"a value that is gone": {coreName, []string{"  PJRT_Extension_Type_XlaTransform,\n", ""},
			`:\d+:3: value PJRT_Extension_Type.PJRT_Extension_Type_XlaTransform removed`},
		"functions in another order": {coreName, []string{
			"  _PJRT_API_STRUCT_FIELD(PJRT_Error_Destroy);\n  _PJRT_API_STRUCT_FIELD(PJRT_Error_Message);\n",
			"  _PJRT_API_STRUCT_FIELD(PJRT_Error_Message);\n  _PJRT_API_STRUCT_FIELD(PJRT_Error_Destroy);\n"},
			`:\d+:\d+: slot PJRT_Api.PJRT_Error_Message moved`},
		"a function that is gone": {coreName, []string{"  _PJRT_API_STRUCT_FIELD(PJRT_Error_Destroy);\n", ""}, `:\d+:\d+: slot PJRT_Api.PJRT_Error_Destroy removed`},
		"a function of another type": {coreName, []string{"typedef PJRT_Error* PJRT_Client_DmaUnmap(", "typedef PJRT_Error* PJRT_Client_DmaUnmap(int flags, "},
			`:\d+:\d+: slot PJRT_Api.PJRT_Client_DmaUnmap signature`},
		"a struct of another size without struct_size": {crossHost, []string{
			"struct PJRT_Transfers_CrossHostRecvNotifierInfo {\n", "struct PJRT_Transfers_CrossHostRecvNotifierInfo {\n  int64_t more;\n"},
			`:\d+:\d+: \w+ PJRT_Transfers_CrossHostRecvNotifierInfo`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, coreName, crossHost)
			s.edit(coreName, minorNow, minorNext)
			s.edit(c.path, c.edits...)
			before := contents(t, s.ours)
			_, err := s.update()
			require.ErrorContains(t, err, "the originals of API 0.118 break the ABI of 0.117; nothing was changed:")
			assert.Regexp(t, `(?m)^  `+c.path+c.place, err.Error())
			assert.Equal(t, before, contents(t, s.ours))
			assert.NoDirExists(t, s.out)
		})
	}
}

func TestUpdateRefusesWhatItCannotRecordCorrectly(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("reads the headers once for each fault: make test-all")
	}
	for name, c := range map[string]struct {
		change func(*site)
		args   []string
		want   string // a regular expression
	}{
		"a minor between": {func(s *site) { s.edit(coreName, minorNow, "#define PJRT_API_MINOR 119") }, nil,
			`the items of 0\.118 would be recorded under a later one.*--jump`},
		"an older version": {func(s *site) { s.edit(coreName, minorNow, "#define PJRT_API_MINOR 116") }, nil, `update only goes forward`},
		"another major":    {func(s *site) { s.edit(coreName, "PJRT_API_MAJOR 0", "PJRT_API_MAJOR 1") }, nil, `another major version has another ABI`},
		"a minor that is written and now has more": {func(s *site) {
			s.edit(coreName, unmapEnd, "  bool more;\n};\nPJRT_DEFINE_STRUCT_TRAITS(PJRT_Client_DmaUnmap_Args, more);")
		}, nil, `the facts of API 0\.117 are written and never change(?s:.*)  ` + coreName + `:\d+:\d+: PJRT_Client_DmaUnmap_Args \(structs\)`},
		"an extension that has more in the same minor": {func(s *site) { s.edit(crossHost, "EXTENSION_VERSION 8", "EXTENSION_VERSION 9") }, nil,
			crossHost + `:\d+:9: PJRT_API_CROSS_HOST_TRANSFERS_EXTENSION_VERSION \(macros\)`},
		"headers that were not measured": {func(s *site) {
			file := filepath.Join(s.ours, crossHost)
			writeFile(s.t, file, strings.Replace(read(s.t, file), "EXTENSION_VERSION 8", "EXTENSION_VERSION 9", 1))
		}, nil, `our headers do not match their facts(?s:.*)` + crossHost + `:\d+:9: PJRT_API_CROSS_HOST`},
		"facts of another version": {func(s *site) { require.NoError(s.t, os.RemoveAll(filepath.Join(s.ours, "facts/0.117"))) }, nil,
			`our headers are of API 0\.117, and the newest facts are of another version \(0\.116\)`},
		"a since.json that lacks something": {func(s *site) {
			file := filepath.Join(s.ours, "since.json")
			writeFile(s.t, file, strings.Replace(read(s.t, file), "\"PJRT_Client_DmaMap\":67,\n", "", 1))
		}, nil, `since.json does not have PJRT_Client_DmaMap:`},
		"a macro that is gone": {func(s *site) {
			s.edit(coreName, minorNow, minorNext)
			file := filepath.Join(s.from, coreName)
			writeFile(s.t, file, strings.ReplaceAll(read(s.t, file), "PJRT_NO_DISCARD", "PJRT_USE_ME"))
		}, nil, `nothing was changed: ` + coreName + `.*has no PJRT_NO_DISCARD: remove it from ours by hand`},
		"texts of unknown lengths": {func(s *site) {
			s.next()
			s.edit(newHeader, "label_sizes", "extents")
		}, nil, `^nothing was changed: ` + newHeader + `:15:16: struct PJRT_Door_Label_Args: field labels: a list of texts, and nothing says where`},
		"a malformed source": {func(*site) {}, []string{"--source", "somewhere over there"}, `--source "somewhere over there": give a name and a version`},
		"no history.json":    {func(s *site) { require.NoError(s.t, os.Remove(filepath.Join(s.ours, "facts/history.json"))) }, nil, `history of the core header`},
		"no VERSION":         {func(s *site) { require.NoError(s.t, os.Remove(filepath.Join(s.ours, "VERSION"))) }, nil, `where the headers come from`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, coreName, crossHost)
			c.change(s)
			before := contents(t, s.ours)
			_, err := s.update(c.args...)
			require.Error(t, err)
			assert.Regexp(t, c.want, err.Error())
			assert.Equal(t, before, contents(t, s.ours))
			assert.NoDirExists(t, s.out)
		})
	}
}

func TestAJumpIsMadeOnlyIfAskedForAndTheReportSaysSo(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("reads all headers several times: make test-all")
	}
	s := newSite(t, coreName)
	_, err := pjrtgen("generate", "--headers", s.ours, "--out", s.out)
	require.NoError(t, err)
	before := contents(t, s.out)
	s.edit(coreName, minorNow, "#define PJRT_API_MINOR 120")
	out, err := s.update("--jump")
	require.NoError(t, err)
	for path, text := range contents(t, s.out) {
		assert.Equal(t, filepath.Base(path) == "zz_core_constants.go", text != before[path], "%s has the number and nothing else does", path)
	}
	assert.Contains(t, out, "- **No originals of 0.118, 0.119**: their items are recorded under the next step")
}

func TestANewHeaderCanBeLeftOut(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("reads all headers several times: make test-all")
	}
	s := newSite(t, coreName)
	s.edit(coreName, minorNow, minorNext)
	writeFile(t, filepath.Join(s.from, newHeader), "#ifndef D\n#define D\ntypedef this is no header\n#endif\n")
	_, err := s.update()
	require.ErrorContains(t, err, "door_extension.h:3:")
	_, err = s.update("--leave", newHeader)
	require.NoError(t, err)
	assert.NoFileExists(t, filepath.Join(s.ours, newHeader))
}

func TestTheReportIsWrittenToAFile(t *testing.T) {
	if testing.Short() {
		t.Skip("reads all headers twice: make test-all")
	}
	t.Parallel()
	s := newSite(t, coreName)
	file := filepath.Join(t.TempDir(), "report.md")
	out, err := s.update("--report", file)
	require.NoError(t, err)
	assert.Regexp(t, `^pjrtgen: copying and reading our headers, and the originals in .*
pjrtgen: bringing headers and facts to API 0\.117
pjrtgen: generating the Go code
pjrtgen: changed \d+ files
API 0\.117 to 0\.117; what is new and what to decide: `+regexp.QuoteMeta(file)+`
$`, out)
	assert.Contains(t, read(t, file), "# PJRT API 0.117 to 0.117\n")
}

// A checkout with its history has each minor, as of the minor's last commit.
func TestUpdateStepsThroughTheHistoryOfACheckout(t *testing.T) {
	if testing.Short() {
		t.Skip("reads the headers of four minors several times")
	}
	t.Parallel()
	s := &site{t: t, ours: filepath.Join(t.TempDir(), "ours"), out: filepath.Join(t.TempDir(), "out"), from: t.TempDir()}
	changed := []string{coreName, crossHost, "xla/ffi/api/c_api.h", "xla/ffi/api/record_c_api.h", "xla/ffi/api/collectives_c_api.h"}
	past(t, s.ours, 114, changed...)
	run := func(args ...string) {
		cmd := exec.Command("git", append([]string{"-C", s.from, "-c", "user.name=t", "-c", "user.email=t@example.com"}, args...)...)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
	}
	commit := func(message string) {
		run("add", ".")
		run("commit", "--quiet", "--message", message)
	}
	run("init", "--quiet")
	for _, minor := range []int{114, 115, 116, 117} {
		if minor == 116 { // raised first, and used later
			s.edit(coreName, "#define PJRT_API_MINOR 115", "#define PJRT_API_MINOR 116")
			commit("raised")
		}
		pastHeaders(t, s.from, minor, changed...)
		commit("minor")
	}
	out, err := s.update()
	require.NoError(t, err)
	assert.Regexp(t, `\n- 0\.115: commit [0-9a-f]{40} \S+\n- 0\.116: commit [0-9a-f]{40} \S+\n- 0\.117: commit [0-9a-f]{40} \S+\n`, out)
	assert.Contains(t, out, "| field `PJRT_ExecuteOptions.custom_options` | 0.116 |")
	assert.Contains(t, out, "| field `PJRT_Client_CreateErrorBuffer_Args.device_layout` | 0.117 |")
	isAsCommitted(t, s, changed)

	// Without the history only a jump is possible.
	shallow := t.TempDir()
	run("clone", "--quiet", "--depth=1", "file://"+filepath.ToSlash(s.from), shallow)
	s.from = shallow
	require.NoError(t, os.RemoveAll(s.ours))
	past(t, s.ours, 114, changed...)
	_, err = s.update()
	assert.ErrorContains(t, err, "the items of 0.115, 0.116 would be recorded under a later one")
}

// isAsCommitted compares facts, since.json, history.json and the generated code of a site
// with what this repository had at the pinned minor.
func isAsCommitted(t *testing.T, s *site, headers []string) {
	t.Helper()
	sameFacts(t, s.ours, 114, 117)
	assert.Equal(t, pastSince(read(t, filepath.Join(thirdParty, "since.json")), pinnedMinor), read(t, filepath.Join(s.ours, "since.json")))
	assert.Equal(t, atPinned(t)["facts/history.json"], read(t, filepath.Join(s.ours, "facts", "history.json")))
	want := newSite(t, headers...)
	_, err := pjrtgen("generate", "--headers", want.ours, "--out", want.out)
	require.NoError(t, err)
	files := contents(t, want.out)
	require.Greater(t, len(files), 15)
	for path, text := range files {
		rel, err := filepath.Rel(want.out, path)
		require.NoError(t, err)
		if text != "" {
			wanted, got := code(t, text), code(t, read(t, filepath.Join(s.out, rel)))
			assert.True(t, wanted == got, "%s%s", rel, firstDifference([]byte(got), []byte(wanted)))
		}
	}
}
