// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package facts

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// write makes a folder of facts.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	}
	return dir
}

func parse(t *testing.T, text string) (doc map[string]any) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(text), &doc))
	return doc
}

func TestHeadersAreAsTheyWereAtTheMinor(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{
		"0.9/pjrt_c_api.json":  `{"path":"core.h","guard":"G","structs":[{"name":"A","sizeof":8},{"name":"B","sizeof":4}]}`,
		"0.9/other.json":       `{"path":"other.h","opaque":["X"]}`,
		"0.10/pjrt_c_api.json": `{"path":"core.h","base":"0.9","changed":{"structs":[{"name":"B","sizeof":16}]}}`,
		"0.12/pjrt_c_api.json": `{"path":"core.h","base":"0.10","guard":null,"structs":[]}`,
		"0.12/other.json":      `{"path":"other.h","base":"0.9","opaque":["X","Y"]}`,
		"0.8/other.json":       `{"path":"other.h"}`,
		"0.x/pjrt_c_api.json":  `[]`,
		"history.json":         `[]`,
	})
	minors, err := Minors(dir)
	require.NoError(t, err)
	assert.Equal(t, []int{9, 10, 12}, minors, "0.8 lacks the core header")

	for minor, want := range map[int][2]string{
		9:  {`{"path":"core.h","guard":"G","structs":[{"name":"A","sizeof":8},{"name":"B","sizeof":4}]}`, `{"path":"other.h","opaque":["X"]}`},
		10: {`{"path":"core.h","guard":"G","structs":[{"name":"A","sizeof":8},{"name":"B","sizeof":16}]}`, `{"path":"other.h","opaque":["X"]}`},
		12: {`{"path":"core.h","structs":[]}`, `{"path":"other.h","opaque":["X","Y"]}`},
	} {
		got, err := Read(dir, minor)
		require.NoError(t, err)
		assert.Equal(t, map[string]map[string]any{"core.h": parse(t, want[0]), "other.h": parse(t, want[1])}, got, "0.%d", minor)
	}

	none, err := Minors(filepath.Join(dir, "none"))
	require.NoError(t, err)
	assert.Empty(t, none)
}

func TestFactsThatDoNotFitAreRefusedWithTheirFile(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ second, want string }{
		"no object":              {`[]`, "not the facts of a header"},
		"no path":                {`{}`, "no path"},
		"nothing before":         {`{"path":"b.h","base":"0.1"}`, `its base is 0.1, but the newest facts before it are of ""`},
		"another base":           {`{"path":"a.h","base":"0.0"}`, `its base is 0.0, but the newest facts before it are of "0.1"`},
		"no such item":           {`{"path":"a.h","base":"0.1","changed":{"structs":[{"name":"B"}]}}`, "B changed, and 0.1 has no B in structs"},
		"no lists":               {`{"path":"a.h","base":"0.1","changed":[]}`, `"changed" is not an object of lists`},
		"no list":                {`{"path":"a.h","base":"0.1","changed":{"structs":1}}`, `"structs" under "changed" is not a list`},
		"an item without a name": {`{"path":"a.h","base":"0.1","changed":{"structs":[1]}}`, `an item of "structs" under "changed" has no name`},
	} {
		dir := write(t, map[string]string{
			"0.1/pjrt_c_api.json": `{"path":"a.h","structs":[{"name":"A"}]}`,
			"0.2/pjrt_c_api.json": test.second,
		})
		_, err := Read(dir, 2)
		require.ErrorContains(t, err, test.want, name)
		assert.ErrorContains(t, err, filepath.Join("0.2", "pjrt_c_api.json"), name)
		_, err = Read(dir, 1)
		assert.NoError(t, err, name)
	}
	twice := write(t, map[string]string{"0.1/pjrt_c_api.json": `{"path":"a.h"}`, "0.1/b.json": `{"path":"a.h"}`})
	_, err := Read(twice, 1)
	assert.ErrorContains(t, err, "another file of the folder has the facts of a.h")
}

func TestAnOverlaySaysOnlyWhatDiffers(t *testing.T) {
	t.Parallel()
	const base = `{"path":"a.h","guard":"G","macros":[{"name":"M","value":1},{"name":"N"}],"opaque":["X"],"old":1,` +
		`"tables":[{"struct":"T","functions":[{"name":"f"}]}]}`
	for name, test := range map[string]struct{ now, want string }{
		"nothing":               {base, `{"path":"a.h","base":"0.1"}`},
		"an item":               {`{"path":"a.h","guard":"G","macros":[{"name":"M","value":2},{"name":"N"}],"opaque":["X"],"old":1,"tables":[{"struct":"T"}]}`, `{"path":"a.h","base":"0.1","changed":{"macros":[{"name":"M","value":2}],"tables":[{"struct":"T"}]}}`},
		"an item more":          {`{"path":"a.h","guard":"G","macros":[{"name":"M","value":1},{"name":"N"},{"name":"O"}],"opaque":["X"],"old":1,"tables":[{"struct":"T","functions":[{"name":"f"}]}]}`, `{"path":"a.h","base":"0.1","macros":[{"name":"M","value":1},{"name":"N"},{"name":"O"}]}`},
		"another order":         {`{"path":"a.h","guard":"G","macros":[{"name":"N"},{"name":"M","value":1}],"opaque":["X"],"old":1,"tables":[{"struct":"T","functions":[{"name":"f"}]}]}`, `{"path":"a.h","base":"0.1","macros":[{"name":"N"},{"name":"M","value":1}]}`},
		"no names":              {`{"path":"a.h","guard":"G","macros":[{"name":"M","value":1},{"name":"N"}],"opaque":["Y"],"old":1,"tables":[{"struct":"T","functions":[{"name":"f"}]}]}`, `{"path":"a.h","base":"0.1","opaque":["Y"]}`},
		"a value, and one gone": {`{"path":"a.h","guard":"H","macros":[{"name":"M","value":1},{"name":"N"}],"opaque":["X"],"tables":[{"struct":"T","functions":[{"name":"f"}]}]}`, `{"path":"a.h","base":"0.1","guard":"H","old":null}`},
	} {
		overlay := Overlay("0.1", parse(t, base), parse(t, test.now))
		assert.Equal(t, parse(t, test.want), overlay, name)
		resolved, err := Resolve(parse(t, base), overlay)
		require.NoError(t, err, name)
		assert.Equal(t, parse(t, test.now), resolved, name)
	}
}
