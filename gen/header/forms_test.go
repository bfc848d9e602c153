// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package header

import (
	"path/filepath"
	"testing"

	"github.com/purepjrt/purepjrt/gen/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The forms of declarations that upstream's headers have, each by itself.

const formTypes = `
typedef struct Err Err;
typedef struct Run_Args { int n; } Run_Args;
`

func TestTheNameOfAFunctionTypeMayBeAnywhere(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"plain":                     "typedef Err* Run(Run_Args* args);",
		"in parentheses":            "typedef Err*(Run)(Run_Args*);",
		"in parentheses, parameter": "typedef Err* (Run)(Run_Args* args);",
		"in two pairs of them":      "typedef Err* ((Run))(Run_Args* args);",
		"on the next line":          "typedef Err*\n    Run(\n    Run_Args*\n    args);",
		"with a tag":                "typedef struct Err* Run(struct Run_Args* args);",
		"typedef in the middle":     "Err typedef* Run(Run_Args* args);",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := read(t, formTypes+text+"\nstruct Table { Run* Run; };\n")
			require.Len(t, h.Functions, 1)
			assert.Empty(t, h.Callbacks)
			f := h.Functions[0]
			assert.Equal(t, "Run", f.Name)
			assert.Equal(t, "Err *", f.Ret)
			assert.Equal(t, "Run_Args", f.ArgsStruct)
			slot := field(t, structOf(t, h, "Table"), "Run")
			assert.Equal(t, "fnptr", slot.Kind)
			assert.Equal(t, "Run", slot.Fn)
		})
	}
}

func TestAFunctionTypeOfTwoParameters(t *testing.T) {
	t.Parallel()
	h := read(t, formTypes+`
typedef struct Self Self;
typedef Err* Run(
    const Self* self, Run_Args* args);
typedef Err* Again(const Self* self,
                   Run_Args* args);
struct Self { Run* run; Again* again; };
`)
	require.Len(t, h.Functions, 2)
	for _, f := range h.Functions {
		require.Len(t, f.Params, 2)
		assert.Equal(t, "const Self *", f.Params[0].Type)
		assert.Equal(t, "Run_Args *", f.Params[1].Type)
		assert.False(t, f.SingleArgsPointer)
	}
	assert.Equal(t, "Again", field(t, structOf(t, h, "Self"), "again").Fn)
}

func TestAFieldHasTheNameOfItsType(t *testing.T) {
	t.Parallel()
	h := read(t, formTypes+"typedef Err* Run(Run_Args* args);\ntypedef int Kind;\n"+
		"struct Table {\n  Run* Run;\n  Run_Args*\n      Run_Args;  // out\n  Kind Kind;\n};\n")
	s := structOf(t, h, "Table")
	assert.Equal(t, "Run *", field(t, s, "Run").Type)
	assert.Equal(t, "Run_Args *", field(t, s, "Run_Args").Type)
	assert.Equal(t, model.DirOut, field(t, s, "Run_Args").Dir)
	assert.EqualValues(t, 16, field(t, s, "Kind").Offset)
}

func TestFieldsThatMacrosMake(t *testing.T) {
	t.Parallel()
	h := read(t, formTypes+`
typedef Err* Run(Run_Args* args);
typedef Err* RunTwice(Run_Args* args);
#define _FIELD(fn_type) fn_type* fn_type
#define _MEMBER(fn) decltype(fn)* fn##Fn;
void Stop(Run_Args* args, int how);
struct Table {
  _FIELD(Run);
  _FIELD(
      RunTwice);
  _MEMBER(Stop);
  const decltype(Stop)* other;
};
#undef _FIELD
`)
	s := structOf(t, h, "Table")
	assert.EqualValues(t, 32, s.Size)
	assert.Equal(t, "RunTwice", field(t, s, "RunTwice").Fn)
	stop := field(t, s, "StopFn")
	assert.Equal(t, "void (*)(Run_Args *, int)", stop.Canon)
	require.NotNil(t, stop.Sig)
	assert.Len(t, stop.Sig.Params, 2)
	assert.Equal(t, "fnptr", field(t, s, "other").Kind)
}

func TestDecltypeThatAHeaderDefinesForC(t *testing.T) {
	t.Parallel()
	h := read(t, "#ifndef __cplusplus\n#define decltype(expr) __typeof__(expr)\n#endif\n"+
		"int Count(void);\nstruct S { decltype(Count)* count; decltype(int) n; };\n")
	s := structOf(t, h, "S")
	assert.Equal(t, "int (*)(void)", field(t, s, "count").Canon)
	assert.Equal(t, "int", field(t, s, "n").Canon)
}

func TestStraySemicolonsDeclareNothing(t *testing.T) {
	t.Parallel()
	h := read(t, ";\n;struct S { int a;; ; int b; };;\n;")
	assert.Len(t, structOf(t, h, "S").Fields, 2)
}

func TestAnEnumOfBothLanguages(t *testing.T) {
	t.Parallel()
	h := read(t, `
#ifdef __cplusplus
enum class Kind : int32_t {
#else
enum Kind : int32_t {
#endif
  kOne,
  kTwo,
};
struct S { Kind kind; };
`)
	require.Len(t, h.Enums, 1)
	assert.False(t, h.Enums[0].Scoped, "C compilers read the other branch")
	assert.True(t, h.Enums[0].FixedUnderlying)
	assert.EqualValues(t, 4, structOf(t, h, "S").Size)
}

func TestAnEnumOfANamespace(t *testing.T) {
	t.Parallel()
	h := read(t, "namespace pjrt {\nenum Kind { kOne = 1 };\nKind Of(Kind k);\n}\nstruct S { char c; enum Kind k; };\n")
	require.Len(t, h.Enums, 1)
	assert.Equal(t, []string{"pjrt"}, h.Namespaces)
	require.Len(t, h.Prototypes, 1)
	assert.Equal(t, "pjrt", h.Prototypes[0].Namespace)
	assert.EqualValues(t, 4, field(t, structOf(t, h, "S"), "k").Offset)
}

func TestAtomicFieldsHaveTheirTypes(t *testing.T) {
	t.Parallel()
	s := structOf(t, read(t, "struct S { char c; _Atomic(long) a; _Atomic int b; _Atomic(int*) p; __signed__ char d; };"), "S")
	assert.Equal(t, "long", field(t, s, "a").Canon)
	assert.EqualValues(t, 8, field(t, s, "a").Offset)
	assert.Equal(t, "int", field(t, s, "b").Canon)
	assert.Equal(t, "pointer", field(t, s, "p").Kind)
	assert.Equal(t, "signed char", field(t, s, "d").Canon)
}

// Generated files have the comments in them, and Go files are UTF-8 without zero bytes.
func TestCommentsAreUTF8(t *testing.T) {
	t.Parallel()
	h := read(t, "// A caf\xe9 with a \x00 byte.\nstruct A {\n  int x;  // \xff\xfe and \u00e9\xef\xbb\xbf\n};")
	s := structOf(t, h, "A")
	assert.Equal(t, "A caf\ufffd with a \ufffd byte.", s.Doc)
	assert.Equal(t, "\ufffd and \u00e9", field(t, s, "x").Doc)
}

func TestNamesInTemplatesAreNoDigraphs(t *testing.T) {
	t.Parallel()
	h := read(t, "typedef struct B B;\nstruct A { std::vector<::B>* list; int x; };")
	assert.EqualValues(t, 8, field(t, structOf(t, h, "A"), "x").Offset)
}

// Older headers take types by value from a header of another part of XLA, under
// the path that it had then.
func TestTypesEmbeddedByValueFromAnotherHeader(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{
		"xla/stream_executor/tpu/libtftpu.h": "#ifndef L_\n#define L_\n#ifdef __cplusplus\n#include <cstdint>\n#else\n" +
			"#define decltype(x) __typeof__(x)\n#endif\n#define ADD(Fn) decltype(Fn)* Fn##Fn;\n#endif\n",
		"xla/stream_executor/tpu/c_api_decl.h": "#include \"xla/stream_executor/tpu/libtftpu.h\"\n" +
			"extern \"C\" {\nstruct Int64List { union { int64_t* heap; int64_t inlined[6]; }; int64_t size; };\n}\n",
		"xla/pjrt/c/pjrt_c_api.h": "#include \"tensorflow/compiler/xla/stream_executor/tpu/c_api_decl.h\"\n" +
			"typedef struct { char first; Int64List dims; } Shape;\n",
	})
	h, err := Parse(filepath.Join(dir, "xla/pjrt/c/pjrt_c_api.h"), Options{})
	require.NoError(t, err)
	s := structOf(t, h, "Shape")
	assert.EqualValues(t, 8, field(t, s, "dims").Offset)
	assert.EqualValues(t, 64, s.Size)
}

func TestFieldsInParenthesesAreNotMemberFunctions(t *testing.T) {
	t.Parallel()
	h := read(t, "typedef int Len;\nstruct S { Len (first); const Len (*second)(Len); int (third)[2]; };\n")
	assert.Len(t, structOf(t, h, "S").Fields, 3)
}

func TestAMarkOnTheSecondLineOfADeclaration(t *testing.T) {
	t.Parallel()
	h := read(t, formTypes+`
struct A_Args {
  const Run_Args**
      inputs;  // Input: what to run, and
               // output of it is none.
  Run_Args** results;  // Output: what came of it; the
                       // caller owns it.
  // Input shape of the first.
  int dims;
  // Output device buffer.
  void* device;
  // In: the text.
  const char* text;
  // Out: its length.
  size_t size;
};
`)
	s := structOf(t, h, "A_Args")
	got := map[string]model.Dir{}
	for _, f := range s.Fields {
		got[f.Name] = f.Dir
	}
	assert.Equal(t, map[string]model.Dir{
		"inputs": model.DirIn, "results": model.DirOut, "dims": "", "device": "", "text": model.DirIn, "size": model.DirOut,
	}, got)
}
