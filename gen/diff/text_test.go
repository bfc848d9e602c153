// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package diff_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/gen/diff"
	"github.com/purepjrt/purepjrt/gen/header"
	"github.com/purepjrt/purepjrt/gen/model"
)

// readRoot reads testdata/old or testdata/new.
func readRoot(t *testing.T, name string) *model.Set {
	t.Helper()
	root := "testdata/" + name
	files, err := header.Tree(root)
	require.NoError(t, err)
	var headers []*model.Header
	for _, f := range files {
		h, err := header.Parse(f, header.Options{IncludeDirs: []string{root}})
		require.NoError(t, err)
		headers = append(headers, h)
	}
	set, err := model.NewSet(headers...)
	require.NoError(t, err)
	return set
}

// since is the history of testdata/new.
func since(path, item string) (int, bool) {
	minor, ok := map[string]int{
		"PJRT_Door_Shut": 8, "PJRT_Door_Forget": 9, "PJRT_Door_Open_Args.wide": 8,
		"PJRT_Door_Color.PJRT_Door_Color_kGreen": 9,
	}[item]
	return minor, ok && path == "xla/pjrt/c/pjrt_c_api.h"
}

func compareRoots(t *testing.T, from, to string) *diff.Report {
	t.Helper()
	return diff.Compare(readRoot(t, from), readRoot(t, to), diff.Options{OldLabel: from, NewLabel: to, Since: since})
}

// golden compares text with a file of testdata; UPDATE=1 writes the file.
func golden(t *testing.T, file, got string) {
	t.Helper()
	name := "testdata/" + file
	if os.Getenv("UPDATE") != "" {
		require.NoError(t, os.WriteFile(name, []byte(got), 0o644))
	}
	want, err := os.ReadFile(name)
	require.NoError(t, err)
	assert.Equal(t, string(want), got)
}

func TestWriteText(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ file, from, to string }{
		{"forward.txt", "old", "new"},
		{"backward.txt", "new", "old"}, // everything that was added is removed
		{"same.txt", "new", "new"},
	} {
		t.Run(test.file, func(t *testing.T) {
			t.Parallel()
			var b strings.Builder
			require.NoError(t, compareRoots(t, test.from, test.to).WriteText(&b))
			golden(t, test.file, b.String())
			for line := range strings.Lines(b.String()) {
				assert.Equal(t, strings.TrimRight(line, " \n")+"\n", line, "no space at the end of a line")
			}
		})
	}
}

func TestWriteTextGathersWhatMovedTogether(t *testing.T) {
	t.Parallel()
	past := readPast(t)
	var b strings.Builder
	require.NoError(t, diff.Compare(past.set(t, 55), past.set(t, 56), diff.Options{}).WriteText(&b))
	assert.Contains(t, b.String(), "BREAKING CHANGES: 33\n")
	assert.Contains(t, b.String(), "  PJRT_Api: 31 slots moved, slots 69..99 to 70..100 (PJRT_Buffer_CopyToDevice .. PJRT_ExecuteContext_Destroy); the older side still looks in the older places.\n")
	assert.Contains(t, b.String(), "  PJRT_Api.PJRT_Buffer_CopyRawToHost: added (slot 69); it lies in the slot where the older side has PJRT_Buffer_CopyToDevice.\n")
}

func TestWriteTextGathersTheSameChangeOfManyStructs(t *testing.T) {
	t.Parallel()
	structs := func(field string) string {
		var b strings.Builder
		for _, name := range []string{"A", "B", "C", "D", "E"} {
			b.WriteString("typedef struct { size_t struct_size; void* " + field + "; int64_t " + name + "; } " + name + ";\n")
		}
		return b.String()
	}
	var b strings.Builder
	require.NoError(t, diff.Compare(parse(t, structs("priv")), parse(t, structs("next")), diff.Options{}).WriteText(&b))
	assert.Contains(t, b.String(), "  next in 5 structs: renamed from priv; the same bytes under another name.\n")
}

func TestWriteTextSaysWhatATypedefBecame(t *testing.T) {
	t.Parallel()
	header := func(n int) string {
		return fmt.Sprintf("typedef int T[%d];\ntypedef struct { size_t struct_size; T t; } S;\n", n)
	}
	var b strings.Builder
	require.NoError(t, diff.Compare(parse(t, header(2)), parse(t, header(3)), diff.Options{}).WriteText(&b))
	assert.Contains(t, b.String(), "  S.t: changed from int[2] to int[3]; the two sides take the same bytes for different things.\n")
}

func TestWriteTextNamesEachChange(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ old, new, says, never string }{
		"a macro": {
			old: "#define N 8", new: "#define N 16",
			says: "  N: changed from 8 to 16; code built on the older header keeps the older value.\n",
		},
		"a struct that only moved": {
			old: sized("int a; int b;", "b"), new: sized("int a; _Alignas(16) int b;", "b"),
			says: "  S: resized from 16 to 20 bytes; it grew other than at its end.\n", never: "new fields or slots",
		},
		"a slot that became a field": {
			old: table(open+shut, "PJRT_Shut"), new: table(open+"void* unused;", "unused"),
			says: "still call it, and would take the field unused for it.\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var b strings.Builder
			require.NoError(t, diff.Compare(parse(t, test.old+"\n"), parse(t, test.new+"\n"), diff.Options{}).WriteText(&b))
			assert.Contains(t, b.String(), test.says)
			if test.never != "" {
				assert.NotContains(t, b.String(), test.never)
			}
		})
	}
}

func TestReportIsTheDocumentedJSON(t *testing.T) {
	t.Parallel()
	text, err := json.Marshal(compareRoots(t, "old", "new"))
	require.NoError(t, err)
	var doc struct {
		Old, New struct {
			Label   string
			Version struct{ Major, Minor int }
			Core    string
			Headers int
		}
		Breaking *int
		Changes  []map[string]any
	}
	require.NoError(t, json.Unmarshal(text, &doc))
	assert.Equal(t, "old", doc.Old.Label)
	assert.Equal(t, 9, doc.New.Version.Minor)
	assert.Equal(t, "xla/pjrt/c/pjrt_c_api.h", doc.New.Core)
	assert.Equal(t, 2, doc.Old.Headers)
	assert.Equal(t, 3, doc.New.Headers)
	require.NotNil(t, doc.Breaking)
	assert.Zero(t, *doc.Breaking)
	assert.Contains(t, doc.Changes, map[string]any{
		"header": "xla/pjrt/c/pjrt_c_api.h", "item": "slot", "kind": "added",
		"name": "PJRT_Door_Shut", "parent": "PJRT_Api",
		"new":   map[string]any{"type": "PJRT_Error * (PJRT_Door_Shut_Args *)", "slot": 1.0, "offset": 24.0},
		"since": 8.0, "breaks": false,
		"why": "it lies after the older end of the table, and struct_size shows whether a table has it",
	})
	assert.Contains(t, doc.Changes, map[string]any{
		"header": "xla/pjrt/c/pjrt_c_api.h", "item": "field", "kind": "renamed",
		"name": "extension_start", "parent": "PJRT_Door_Open_Args",
		"old":    map[string]any{"name": "priv", "type": "void *", "offset": 8.0, "size": 8.0},
		"new":    map[string]any{"name": "extension_start", "type": "PJRT_Extension_Base *", "offset": 8.0, "size": 8.0},
		"breaks": false, "why": "the same bytes under another name",
	})

	none, err := json.Marshal(compareRoots(t, "new", "new"))
	require.NoError(t, err)
	assert.Contains(t, string(none), `"breaking":0,"changes":[]`)
}

// failing is a writer that is full.
type failing struct{}

var errFull = errors.New("no space left on device")

func (failing) Write([]byte) (int, error) { return 0, errFull }

func TestWritersReportTheirError(t *testing.T) {
	t.Parallel()
	report := compareRoots(t, "old", "new")
	assert.ErrorIs(t, report.WriteText(failing{}), errFull)
	assert.ErrorIs(t, diff.WriteStubs(failing{}, report, readRoot(t, "new")), errFull)
}

// A header that moves takes what it declares along.
func TestCompareFollowsDeclarationsThroughHeaders(t *testing.T) {
	t.Parallel()
	set := func(path string, others ...string) *model.Set {
		h, err := header.ParseText(path, []byte(prelude+sized("int64_t a;", "a")), header.Options{})
		require.NoError(t, err)
		h.Path = path
		headers := []*model.Header{h}
		for _, other := range others {
			headers = append(headers, &model.Header{Path: other})
		}
		s, err := model.NewSet(headers...)
		require.NoError(t, err)
		return s
	}
	moved := diff.Compare(set("xla/a.h", "xla/c.h"), set("xla/b.h", "xla/c.h"), diff.Options{})
	require.Len(t, moved.Changes, 1)
	assert.Equal(t, diff.Moved, moved.Changes[0].Kind)
	assert.Equal(t, "xla/a.h", moved.Changes[0].Old.Name)
	assert.Zero(t, moved.Breaking)

	gone, _ := lines(diff.Compare(set("xla/a.h", "xla/c.h"), set("xla/a.h"), diff.Options{}))
	assert.Equal(t, []string{"header removed xla/c.h"}, gone)

	paired, _ := lines(diff.Compare(set("xla/a.h"), set("elsewhere.h"), diff.Options{}))
	assert.Empty(t, paired, "two single headers are compared whatever their paths")

	empty, err := model.NewSet(&model.Header{Path: "elsewhere.h"})
	require.NoError(t, err)
	for _, c := range diff.Compare(set("xla/a.h"), empty, diff.Options{}).Changes {
		assert.Equal(t, "elsewhere.h", c.Header, "of two single headers, all changes belong to the newer")
	}
}

func TestNewSetRefusesTwoHeadersWithOnePath(t *testing.T) {
	t.Parallel()
	_, err := model.NewSet(&model.Header{Path: "a.h"}, &model.Header{Path: "b.h"}, &model.Header{Path: "a.h"})
	assert.ErrorContains(t, err, "a.h is given twice")
}
