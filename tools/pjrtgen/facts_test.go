// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/gen/facts"
)

func TestFactsPrintsOneJSONDocument(t *testing.T) {
	t.Parallel()
	const tree = "../../third_party/xla"
	var out, errs strings.Builder
	status := run([]string{"facts", "-I", tree, tree + "/xla/pjrt/c/pjrt_c_api.h"}, &out, &errs)
	require.Zero(t, status, errs.String())
	assert.Empty(t, errs.String())
	var doc struct {
		Path    string
		Structs []struct {
			Name   string
			Sizeof int
		}
		Tables []struct {
			Struct    string
			Functions []struct{ Name string }
		}
	}
	dec := json.NewDecoder(strings.NewReader(out.String()))
	require.NoError(t, dec.Decode(&doc))
	assert.False(t, dec.More())
	assert.Equal(t, "xla/pjrt/c/pjrt_c_api.h", doc.Path)
	require.NotEmpty(t, doc.Structs)
	last := doc.Structs[len(doc.Structs)-1]
	assert.Equal(t, "PJRT_Api", last.Name)
	for _, table := range doc.Tables {
		if table.Struct == "PJRT_Api" {
			assert.Equal(t, 40+8*len(table.Functions), last.Sizeof)
		}
	}
}

func TestFactsOfAHeaderThatCannotBeReadExitsWithOne(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	bad := filepath.Join(dir, "bad.h")
	require.NoError(t, os.WriteFile(bad, []byte("struct A {\n  Missing m;\n};\n"), 0o644))
	for name, test := range map[string]struct {
		args []string
		want string
	}{
		"a fault of the header": {[]string{"facts", bad}, bad + ":2:3: unexpected \"m\" after Missing: the type Missing is not declared"},
		"no such header":        {[]string{"facts", filepath.Join(dir, "no.h")}, "pjrtgen: cannot read header"},
		"no header given":       {[]string{"facts"}, "pjrtgen: accepts 1 arg"},
		"a bad directory":       {[]string{"facts", "-I", filepath.Join(dir, "no"), bad}, "pjrtgen: cannot use include directory"},
		"an unknown command":    {[]string{"fact"}, "pjrtgen: unknown command"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out, errs strings.Builder
			assert.Equal(t, 1, run(test.args, &out, &errs))
			assert.Empty(t, out.String())
			assert.True(t, strings.HasPrefix(errs.String(), test.want), errs.String())
		})
	}
}

func TestFactsAgainstMeasuredFacts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "a.h")
	measured := filepath.Join(dir, "a.json")
	require.NoError(t, os.WriteFile(file, []byte("struct A { int x; };\n"), 0o644))
	compare := func(text string) (int, string, string) {
		require.NoError(t, os.WriteFile(measured, []byte(text), 0o644))
		var out, errs strings.Builder
		status := run([]string{"facts", "--against", measured, file}, &out, &errs)
		return status, out.String(), errs.String()
	}
	status, out, errs := compare(`{"structs":[{"name":"A","sizeof":4}]}`)
	assert.Zero(t, status, errs)
	assert.Empty(t, out)
	status, out, errs = compare(`{"structs":[{"name":"A","sizeof":8}]}`)
	assert.Equal(t, 1, status)
	assert.Equal(t, "structs[0 A].sizeof: got 4, want 8\n", out)
	assert.Contains(t, errs, "a.h differs from "+measured+" in 1 place")
	status, _, errs = compare("[]")
	assert.Equal(t, 1, status)
	assert.Contains(t, errs, "a.json: not the facts of a header")
}

// Some files of facts hold only what changed since an older version.
func TestFactsAgainstWhatChangedInAVersion(t *testing.T) {
	t.Parallel()
	const tree = "../../third_party/xla"
	dir := t.TempDir()
	file := filepath.Join(dir, "xla", "a.h")
	writeFile(t, file, "struct A { int x; };\nstruct B { int y; };\n")
	core := `{"path":"xla/pjrt/c/pjrt_c_api.h"}`
	for path, text := range map[string]string{
		"0.1/pjrt_c_api.json": core, "0.2/pjrt_c_api.json": core, "0.3/pjrt_c_api.json": core,
		"0.1/a.json":     `{"path":"xla/a.h","structs":[{"name":"A","sizeof":4},{"name":"B","sizeof":8}]}`,
		"0.2/a.json":     `{"path":"xla/a.h","base":"0.1","changed":{"structs":[{"name":"B","sizeof":4}]}}`,
		"0.3/a.json":     `{"path":"xla/a.h","base":"0.2","changed":{"structs":[{"name":"A","sizeof":8}]}}`,
		"elsewhere.json": `{"path":"xla/a.h","base":"0.1","changed":{}}`,
	} {
		writeFile(t, filepath.Join(dir, path), text)
	}
	compare := func(against string) (string, error) {
		return pjrtgen("facts", "--against", filepath.Join(dir, against), file)
	}
	for against, want := range map[string]string{
		"0.1/a.json": "structs[1 B].sizeof: got 4, want 8\n", "0.2/a.json": "", "0.3/a.json": "structs[0 A].sizeof: got 4, want 8\n",
	} {
		out, err := compare(against)
		assert.Equal(t, want, out, against)
		assert.Equal(t, want != "", err != nil, against)
	}
	_, err := compare("elsewhere.json")
	assert.ErrorContains(t, err, "elsewhere.json: it holds only what changed since API 0.1: it must lie in the folder of its version")
	minors, err := facts.Minors(tree + "/facts")
	require.NoError(t, err)
	newest := fmt.Sprintf("%s/facts/0.%d/pjrt_c_api.json", tree, slices.Max(minors))
	_, err = pjrtgen("facts", "-I", tree, "--against", newest, tree+"/"+coreName)
	assert.NoError(t, err)
}
