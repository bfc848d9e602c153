// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package facts

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWhatDidNotChangeIsWrittenAsBefore(t *testing.T) {
	t.Parallel()
	const base = `{"path":"a.h","c11":true,"guard":"G","opaque":["Y","X"],"prototypes":[],` +
		`"structs":[{"name":"T","role":"struct","sizeof":8,"fields":[]},{"name":"A","role":"args","sizeof":8,"fields":[{"name":"f","offset":0}]}]}`
	for name, test := range map[string]struct{ printed, want string }{
		"nothing": {
			`{"path":"a.h","guard":"G","opaque":["X","Y"],"structs":[{"name":"T","kind":"struct","role":"api-table","sizeof":8,"fields":[]},` +
				`{"name":"A","kind":"struct","role":"args","sizeof":8,"has_struct_size":true,"fields":[{"name":"f","decl":"int f","offset":0}]}],"tables":[{"struct":"T"}]}`,
			base,
		},
		"a handle more, and a struct of another size": {
			`{"path":"a.h","guard":"G","opaque":["X","Y","Z"],"structs":[{"name":"T","role":"struct","sizeof":8},{"name":"A","role":"args","sizeof":4}]}`,
			`{"path":"a.h","c11":true,"guard":"G","opaque":["X","Y","Z"],"prototypes":[],"structs":[{"name":"T","role":"struct","sizeof":8,"fields":[]},` +
				`{"name":"A","role":"args","sizeof":4}]}`,
		},
		"a field that is marked": {
			`{"path":"a.h","guard":"G","opaque":["X","Y"],"structs":[{"name":"T","role":"struct","sizeof":8,"fields":[]},{"name":"A","kind":"struct","role":"args","sizeof":8,` +
				`"fields":[{"name":"f","offset":0,"deprecated":true,"canon":"int"}]}]}`,
			`{"path":"a.h","c11":true,"guard":"G","opaque":["Y","X"],"prototypes":[],"structs":[{"name":"T","role":"struct","sizeof":8,"fields":[]},` +
				`{"name":"A","kind":"struct","role":"args","sizeof":8,"fields":[{"name":"f","offset":0,"deprecated":true}]}]}`,
		},
		"a struct more": {
			`{"path":"a.h","guard":"G","opaque":["X","Y"],"structs":[{"name":"T","kind":"struct","role":"struct","sizeof":8,"fields":[]},` +
				`{"name":"A","kind":"struct","role":"args","sizeof":8,"fields":[{"name":"f","offset":0}]},{"name":"B","kind":"struct","sizeof":4}],` +
				`"tables":[{"struct":"B"}]}`,
			`{"path":"a.h","c11":true,"guard":"G","opaque":["Y","X"],"prototypes":[],"structs":[{"name":"T","role":"struct","sizeof":8,"fields":[]},` +
				`{"name":"A","role":"args","sizeof":8,"fields":[{"name":"f","offset":0}]},{"name":"B","kind":"struct","sizeof":4}],"tables":[{"struct":"B"}]}`,
		},
	} {
		got := Next(parse(t, base), parse(t, test.printed))
		if name == "nothing" {
			assert.Empty(t, got["tables"], name)
			delete(got, "tables")
			assert.Empty(t, Differences(parse(t, base), got), name)
		}
		if name == "a handle more, and a struct of another size" {
			assert.Equal(t, []Difference{{"opaque", "Z"}, {"structs", "A"}}, Differences(parse(t, base), got))
			assert.Equal(t, "A (structs)", Difference{"structs", "A"}.String())
		}
		assert.Equal(t, parse(t, test.want), got, name)
	}
	assert.Equal(t, parse(t, `{"path":"b.h","macros":[]}`), Next(nil, parse(t, `{"path":"b.h","macros":[]}`)), "a header without facts")
}

func TestADocumentHasALineForEachItem(t *testing.T) {
	t.Parallel()
	doc := parse(t, `{"structs":[{"fields":[{"size":8,"base":"int","name":"f"}],"name":"A"},{"name":"B"}],"opaque":["X"],"path":"a.h",`+
		`"base":"0.1","guard":null,"changed":{"macros":[{"value":1,"name":"<M>"}]},"functions":[]}`)
	text, err := Format(WithWitness(doc, "gcc 1"))
	require.NoError(t, err)
	assert.Equal(t, `{
"path":"a.h",
"base":"0.1",
"witness":"gcc 1",
"guard":null,
"changed":{
"macros":[
{"name":"<M>","value":1}
]
},
"opaque":["X"],
"structs":[
{"name":"A","fields":[{"name":"f","base":"int","size":8}]},
{"name":"B"}
],
"functions":[]
}
`, string(text))
}

func TestFactsWithoutAWitnessAreFound(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{
		"0.1/pjrt_c_api.json": `{"path":"a.h","macros":[{"name":"M"}]}`,
		"0.2/pjrt_c_api.json": `{"path":"a.h","base":"0.1","witness":"none","guard":"G"}`,
		"0.2/b.json":          `{"path":"b.h","witness":"gcc 1"}`,
	})
	files, err := Unwitnessed(dir)
	require.NoError(t, err)
	assert.Equal(t, []string{"0.2/pjrt_c_api.json"}, files)

	state, err := At(dir, 9)
	require.NoError(t, err)
	assert.Equal(t, 2, state.Minor)
	assert.Equal(t, map[string]string{"a.h": "0.2", "b.h": "0.2"}, state.Versions)
	assert.Equal(t, map[string]string{"a.h": "pjrt_c_api.json", "b.h": "b.json"}, state.Files)
	assert.Equal(t, map[string]map[string]any{
		"a.h": parse(t, `{"path":"a.h","guard":"G","macros":[{"name":"M"}]}`), "b.h": parse(t, `{"path":"b.h"}`),
	}, state.Docs, "the witness is not a fact of the header")

	require.NoError(t, os.WriteFile(filepath.Join(dir, "0.2", "b.json"), []byte("["), 0o644))
	_, err = Unwitnessed(dir)
	assert.ErrorContains(t, err, "b.json: not the facts of a header")
}
