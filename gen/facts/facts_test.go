// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package facts

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestEachDifferenceIsALine(t *testing.T) {
	t.Parallel()
	const printed = `{"path":"a.h","more":1,"structs":[{"name":"A","sizeof":8,"typedefs":["B","A"],"fields":[{"name":"x","offset":4}]}]}`
	for name, test := range map[string]struct {
		measured string
		want     []string
	}{
		"the same":               {printed, nil},
		"less was measured":      {`{"structs":[{"name":"A"}]}`, nil},
		"what cannot be printed": {`{"target":"x86_64-linux-gnu","c11":true}`, nil},
		"false is not printed":   {`{"structs":[{"name":"A","holes":false,"doc":"","more":null}]}`, nil},
		"typedefs in any order":  {`{"structs":[{"typedefs":["A","B"]}]}`, nil},
		"another number":         {`{"structs":[{"name":"A","sizeof":16}]}`, []string{".structs[0 A].sizeof: got 8, want 16"}},
		"two":                    {`{"path":"b.h","structs":[{"name":"A","sizeof":16}]}`, []string{".path: got a.h, want b.h", ".structs[0 A].sizeof: got 8, want 16"}},
		"a field that is absent": {`{"structs":[{"name":"A","fields":[{"name":"x"},{"name":"y"}]}]}`, []string{".structs[0 A].fields: got 1 entries [x], want 2 [x y]"}},
		"no list":                {`{"enums":[{"name":"E"}]}`, []string{".enums: got 0 entries [], want 1 [E]"}},
		"no object":              {`{"path":{"a":1}}`, []string{".path: got a.h, want an object"}},
		"something not printed":  {`{"guard":"G"}`, []string{".guard: got <nil>, want G"}},
	} {
		got, err := Compare([]byte(printed), []byte(test.measured))
		require.NoError(t, err, name)
		assert.Equal(t, test.want, got, name)
	}
	_, err := Compare([]byte(printed), []byte("[]"))
	require.ErrorContains(t, err, "not the facts of a header")
	_, err = Compare([]byte("{"), []byte(printed))
	assert.ErrorContains(t, err, "what was printed is not the facts of a header")
}
