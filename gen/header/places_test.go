// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package header

import (
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/gen/model"
)

func TestPlaces(t *testing.T) {
	t.Parallel()
	h, err := ParseText("a.h", []byte(`#define A_VERSION 3
#define SIZED(s, last) enum { s##_STRUCT_SIZE = __builtin_offsetof(struct s, last) + sizeof(((struct s*)0)->last) }
enum A_Mode { A_FAST, A_SLOW = 4 };
typedef void A_Done(void* user_arg);
typedef struct A {
  long struct_size; A_Done* done;
  union {
    int number;
    char* text;
  };
} A;
SIZED(A, number);
typedef struct { int x, y; } Pair;
int f(A* a);
`), Options{})
	require.NoError(t, err)
	assert.Equal(t, map[string]model.Pos{
		"A_VERSION": {Line: 1, Col: 9}, "SIZED": {Line: 2, Col: 9},
		"enum A_Mode": {Line: 3, Col: 1}, "A_Mode.A_FAST": {Line: 3, Col: 15}, "A_FAST": {Line: 3, Col: 15},
		"A_Mode.A_SLOW": {Line: 3, Col: 23}, "A_SLOW": {Line: 3, Col: 23},
		"A_Done": {Line: 4, Col: 14}, "struct A": {Line: 5, Col: 16}, "A": {Line: 11, Col: 3},
		"A.struct_size": {Line: 6, Col: 8}, "A.done": {Line: 6, Col: 29}, "A.number": {Line: 8, Col: 9}, "A.text": {Line: 9, Col: 11},
		"A_STRUCT_SIZE": {Line: 12, Col: 1},
		"struct Pair":   {Line: 13, Col: 9}, "Pair": {Line: 13, Col: 30}, "Pair.x": {Line: 13, Col: 22}, "Pair.y": {Line: 13, Col: 25},
		"f": {Line: 14, Col: 5},
	}, h.Places)
}

func TestTheFallbackIsSearchedLast(t *testing.T) {
	t.Parallel()
	tree := fstest.MapFS{
		"xla/pjrt/c/pjrt_c_api.h": {Data: []byte("#include \"xla/pjrt/c/more.h\"\ntypedef struct PJRT_A { char a[3]; More more; } PJRT_A;\n")},
		"xla/pjrt/c/more.h":       {Data: []byte("typedef int More;\n")},
	}
	for name, text := range map[string]string{
		"by its path":            "#include \"xla/pjrt/c/pjrt_c_api.h\"\n",
		"flat":                   "#include \"pjrt_c_api.h\"\n",
		"below another root":     "#include \"third_party/xla/xla/pjrt/c/pjrt_c_api.h\"\n",
		"without being included": "",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := write(t, map[string]string{"u.h": text + "struct User { PJRT_A a; };\n"})
			path := filepath.Join(dir, "u.h")
			_, err := Parse(path, Options{})
			require.Error(t, err, "it is nowhere else")
			h, err := Parse(path, Options{Fallback: tree})
			require.NoError(t, err)
			assert.EqualValues(t, 8, structOf(t, h, "User").Size)
		})
	}
	dir := write(t, map[string]string{
		"u.h":          "#include \"pjrt_c_api.h\"\nstruct User { PJRT_A a; };\n",
		"pjrt_c_api.h": "typedef struct PJRT_A { char a[5]; } PJRT_A;\n",
	})
	h, err := Parse(filepath.Join(dir, "u.h"), Options{Fallback: tree})
	require.NoError(t, err)
	assert.EqualValues(t, 5, structOf(t, h, "User").Size, "the file beside the header comes first")
}

func TestParseFSReadsOnlyTheTree(t *testing.T) {
	t.Parallel()
	tree := fstest.MapFS{
		"xla/a.h": {Data: []byte("#include \"xla/b.h\"\nstruct A { B b; };\n")},
		"xla/b.h": {Data: []byte("typedef long B;\n")},
	}
	h, err := ParseFS(tree, "xla/a.h")
	require.NoError(t, err)
	assert.Equal(t, "xla/a.h", h.Path)
	assert.EqualValues(t, 8, structOf(t, h, "A").Size)
	_, err = ParseFS(tree, "xla/c.h")
	assert.ErrorContains(t, err, "cannot read header xla/c.h")
}

func TestIncludedListsWhatAHeaderIncludes(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{
		"u.h":     "#include \"sub/a.h\"\n#include \"cxx.h\"\n#include \"nowhere.h\"\n",
		"sub/a.h": "#include \"xla/b.h\"\n",
		"cxx.h":   "template <typename T> class X {};\n",
	})
	names, files, err := Included(filepath.Join(dir, "u.h"), Options{Fallback: fstest.MapFS{"xla/b.h": {Data: []byte("int b;")}}})
	require.NoError(t, err)
	assert.Equal(t, []string{"sub/a.h", "xla/b.h"}, names)
	assert.Equal(t, []string{filepath.Join(dir, "sub", "a.h"), "xla/b.h"}, files)
}
