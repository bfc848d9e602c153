// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package header

import (
	"testing"

	"github.com/purepjrt/purepjrt/gen/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestDirectionMarks(t *testing.T) {
	t.Parallel()
	for comment, want := range map[string]model.Dir{
		"// out":                                  model.DirOut,
		"// OUT":                                  model.DirOut,
		"// out.":                                 model.DirOut,
		"/* out */":                               model.DirOut,
		"// out, read again below":                model.DirOut,
		"// out: the length":                      model.DirOut,
		"// in":                                   model.DirIn,
		"// in: the length":                       model.DirIn,
		"// in/out":                               model.DirInOut,
		"// in/out, by what it is used for":       model.DirInOut,
		"// in/out but for the first":             model.DirInOut,
		"// in / out":                             model.DirInOut,
		"// In / Out: the config":                 model.DirInOut,
		"// in, out":                              model.DirInOut,
		"// in,out":                               model.DirInOut,
		"// in-out":                               model.DirInOut,
		"// [in,out] the config":                  model.DirInOut,
		"// Input: the programs":                  model.DirIn,
		"// Output: the programs":                 model.DirOut,
		"// Output; the programs":                 model.DirOut,
		"// out, the programs":                    model.DirOut,
		"// out array of programs":                model.DirOut,
		"// [out]":                                model.DirOut,
		"// the programs (in)":                    model.DirIn,
		"// the programs (out)":                   model.DirOut,
		"// Output programs":                      model.DirNone,
		"// Input of the programs":                model.DirNone,
		"// of the programs, the output":          model.DirNone,
		"// see below\n          // output of it": model.DirNone,
		"// see below\n          // out":          model.DirOut,
		"// inout":                                model.DirInOut,
		"// the array in; written on as out":      model.DirInOut,
		"":                                        model.DirNone,
		"// in bytes":                             model.DirNone,
		"// what comes out of it":                 model.DirNone,
		"// given in the call":                    model.DirNone,
		"// optional":                             model.DirNone,
		"// NOLINT":                               model.DirNone,
	} {
		h := read(t, "struct S {\n  // Not out of the mark.\n  int x;  "+comment+"\n  int y;\n};\n")
		s := structOf(t, h, "S")
		assert.Equal(t, want, field(t, s, "x").Dir, comment)
		assert.Equal(t, model.DirNone, field(t, s, "y").Dir, comment)
	}
}

func TestDirectionOfAGroup(t *testing.T) {
	t.Parallel()
	h := read(t, `
struct S {
  int a;

  // out
  int b;
  int c;  // in/out
  int d;
  // The length of d.
  int e;

  // out
  int f;

  int g;
};
`)
	s := structOf(t, h, "S")
	type mark struct {
		dir   model.Dir
		scope string
	}
	got := map[string]mark{}
	for _, f := range s.Fields {
		got[f.Name] = mark{f.Dir, f.DirScope}
	}
	group := mark{model.DirOut, "group-comment"}
	assert.Equal(t, map[string]mark{
		"a": {}, "b": group, "c": {dir: model.DirInOut}, "d": group, "e": {}, "f": group, "g": {},
	}, got)
}

func TestMarksAfterADeclarationOfSeveralLines(t *testing.T) {
	t.Parallel()
	h := read(t, `
typedef struct long_name long_name;
struct S {
  long_name*
      first;  // backs second.
  // Frees first.
  void (*second)(
      int* p /* where */,
      int n);  // out
  int third;
};
`)
	s := structOf(t, h, "S")
	assert.Equal(t, model.DirNone, field(t, s, "first").Dir)
	assert.Equal(t, "backs second.", field(t, s, "first").Doc)
	second := field(t, s, "second")
	assert.Equal(t, model.DirOut, second.Dir)
	assert.Equal(t, "void (*second)(int* p, int n)", second.Decl)
	assert.Contains(t, second.Doc, "Frees first.")
	assert.Equal(t, model.DirNone, field(t, s, "third").Dir)
}

func TestDocumentationBelongsToWhatFollowsIt(t *testing.T) {
	t.Parallel()
	h := read(t, `// A licence.

#include <stdint.h>

// ------------------------------- Section ----------------------------------

// A struct.
//
// Of two paragraphs.
struct S {
  // Above x.
  // Again.
  int x;  // behind x
          // and below
  int y;    // out

  /* Above z. */
  int z;
};

// Above the handle.
typedef struct H H;

// Not above anything.

// ---- A headline ----
// An enum.
typedef enum {
  kA = 1,  // behind kA
  // Above kB.
  kB,
  kC
} E;

#define M 1
// Above f. NOLINT is gone:
// NOLINTNEXTLINE
typedef void F(int n);
typedef void (*G)(void);  // behind G

/**
 * Above S2.
 * DEPRECATED.
 */
struct S2 {
  // DEPRECATED: use b.
  int a;
  int b;  // not deprecatedly
};
`)
	s := structOf(t, h, "S")
	assert.Equal(t, "A struct.\n\nOf two paragraphs.", s.Doc)
	assert.Equal(t, "Above x.\nAgain.\nbehind x\nand below", field(t, s, "x").Doc)
	assert.Equal(t, "", field(t, s, "y").Doc, "a mark is not text")
	assert.Equal(t, "Above z.", field(t, s, "z").Doc)
	require.Len(t, h.Opaque, 1)
	assert.Equal(t, "Above the handle.", h.Opaque[0].Doc)
	require.Len(t, h.Enums, 1)
	assert.Equal(t, "An enum.", h.Enums[0].Doc)
	var values []string
	for _, v := range h.Enums[0].Values {
		values = append(values, v.Doc)
	}
	assert.Equal(t, []string{"behind kA", "Above kB.", ""}, values)
	require.Len(t, h.Functions, 1)
	assert.Equal(t, "Above f. NOLINT is gone:", h.Functions[0].Doc)
	require.Len(t, h.Callbacks, 1)
	assert.Equal(t, "behind G", h.Callbacks[0].Doc)
	s2 := structOf(t, h, "S2")
	assert.Equal(t, "Above S2.\nDEPRECATED.", s2.Doc)
	assert.True(t, field(t, s2, "a").Deprecated)
	assert.False(t, field(t, s2, "b").Deprecated)
}
