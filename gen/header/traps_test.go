// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package header

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/purepjrt/purepjrt/gen/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const sizeMacro = "#include <stddef.h>\n#define SIZE(t, f) offsetof(t, f) + sizeof(((t*)0)->f)\n"

func TestStructSizeConstants(t *testing.T) {
	t.Parallel()
	const body = "struct A { size_t struct_size; int last; };\n"
	for name, test := range map[string]struct {
		text string
		want model.StructSize
	}{
		"an enum":          {body + "enum { A_STRUCT_SIZE = SIZE(struct A, last) };", model.StructSize{Form: "enum", LastField: "last", Value: 12}},
		"a global":         {body + "const size_t A_STRUCT_SIZE = SIZE(struct A, last);", model.StructSize{Form: "const_global", LastField: "last", Value: 12}},
		"a static global":  {body + "static const size_t A_STRUCT_SIZE =\n    SIZE(struct A,\n         last);", model.StructSize{Form: "const_global", LastField: "last", Value: 12}},
		"a bare tag":       {body + "const size_t A_STRUCT_SIZE = SIZE(A, last);", model.StructSize{Form: "const_global", LastField: "last", Value: 12}},
		"constexpr":        {body + "inline constexpr size_t A_STRUCT_SIZE = SIZE(A, last);", model.StructSize{Form: "const_global", LastField: "last", Value: 12}},
		"made by a macro":  {body + "#define TRAITS(s, f) typedef struct s s; const size_t s##_STRUCT_SIZE = SIZE(s, f);\nTRAITS(A, last)\nint after;", model.StructSize{Form: "const_global", LastField: "last", Value: 12}},
		"with semicolons":  {body + "#define TRAITS(s, f) typedef struct s s; enum { s##_STRUCT_SIZE = SIZE(s, f) };\nTRAITS(A,\n    last);;\n;", model.StructSize{Form: "enum", LastField: "last", Value: 12}},
		"stale":            {body + "enum { A_STRUCT_SIZE = SIZE(struct A, struct_size) };", model.StructSize{Form: "enum", LastField: "struct_size", Value: 8, LastFieldIsNotLast: true, TrueLastField: "last"}},
		"a number":         {body + "const size_t A_STRUCT_SIZE = 12;", model.StructSize{Form: "const_global", Value: 12}},
		"hidden by macro":  {body + "enum { A_STRUCT_SIZE = SIZE(struct A, last) };\n#define A_STRUCT_SIZE SIZE(struct A, last)", model.StructSize{Form: "enum", LastField: "last", Value: 12, ShadowedByMacro: true}},
		"a union at last":  {"struct A { int n; union { int x; char y; }; };\nenum { A_STRUCT_SIZE = SIZE(struct A, x) };", model.StructSize{Form: "enum", LastField: "x", Value: 8}},
		"before the body":  {"struct A;\ntypedef struct A A;\n" + body + "enum { A_STRUCT_SIZE = SIZE(A, last) };", model.StructSize{Form: "enum", LastField: "last", Value: 12}},
		"Windows newlines": {strings.ReplaceAll(body+"enum { A_STRUCT_SIZE = \\\n SIZE(struct A, last) };", "\n", "\r\n"), model.StructSize{Form: "enum", LastField: "last", Value: 12}},
		"a BOM, no EOL":    {"\xef\xbb\xbf" + body + "enum { A_STRUCT_SIZE = SIZE(struct A, last) };", model.StructSize{Form: "enum", LastField: "last", Value: 12}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := sizeMacro + test.text
			if bom, ok := strings.CutPrefix(test.text, "\xef\xbb\xbf"); ok {
				text = "\xef\xbb\xbf" + sizeMacro + bom
			}
			h := read(t, text)
			s := structOf(t, h, "A")
			test.want.Const = "A_STRUCT_SIZE"
			require.NotNil(t, s.StructSize)
			assert.Equal(t, test.want, *s.StructSize)
			assert.Empty(t, h.Enums, "the constant is not an enum")
			for _, v := range h.Variables {
				assert.NotEqual(t, "A_STRUCT_SIZE", v.Name, "the constant is not a variable")
			}
		})
	}
}

func TestStructsUnderAllTheirNames(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		text     string
		typedefs []string
	}{
		"a tag only":            {"struct A { int x; };", []string{}},
		"typedef before":        {"typedef struct A A;\nstruct A { int x; };", []string{"A"}},
		"typedef after":         {"struct A { int x; };\ntypedef struct A A;", []string{"A"}},
		"typedef around":        {"typedef struct A { int x; } A;", []string{"A"}},
		"the same twice":        {"typedef struct A A;\ntypedef struct A { int x; } A;\ntypedef struct A A;", []string{"A"}},
		"without a tag":         {"typedef struct { int x; } A;", []string{"A"}},
		"two names":             {"typedef struct A { int x; } B;\ntypedef struct A A;", []string{"B", "A"}},
		"a name through a name": {"typedef struct A A;\ntypedef A B;\nstruct A { int x; };", []string{"A", "B"}},
		"pointer beside":        {"typedef struct A { int x; } A, *APtr;", []string{"A"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := read(t, test.text+"\ntypedef void F(struct Z* z);\n")
			require.Len(t, h.Structs, 1)
			assert.Equal(t, "A", h.Structs[0].Name)
			assert.Equal(t, test.typedefs, h.Structs[0].Typedefs)
			assert.Empty(t, h.Opaque)
		})
	}
}

func TestTagsStandAlone(t *testing.T) {
	t.Parallel()
	h := read(t, sizeMacro+`
struct Later;
enum Kind { kOne = 1, kTwo };
struct First { Kind kind; Later* later; First* self; };
struct Later { First first; union U* u; };
union U { int a; double b; };
const size_t Later_STRUCT_SIZE = SIZE(Later, u);
typedef Later* Make(First* first, Kind kind);
`)
	assert.EqualValues(t, 24, structOf(t, h, "First").Size)
	later := structOf(t, h, "Later")
	assert.EqualValues(t, 32, later.Size)
	assert.Equal(t, "struct", field(t, later, "first").Kind)
	assert.Equal(t, "enum", field(t, structOf(t, h, "First"), "kind").Kind)
	assert.Equal(t, "union", structOf(t, h, "U").Kind)
	require.Len(t, h.Functions, 1)
	assert.Equal(t, "Later *", h.Functions[0].Ret)
	require.Len(t, h.Enums, 1)
	assert.Empty(t, h.Enums[0].Typedef)
	assert.Empty(t, h.Aliases)
}

func TestEnums(t *testing.T) {
	t.Parallel()
	value := func(name string, explicit bool, n int64) model.EnumValue {
		return model.EnumValue{Name: name, Explicit: explicit, Value: n}
	}
	for name, test := range map[string]struct {
		text string
		want model.Enum
	}{
		"anonymous": {"typedef enum { A, B = 5, C, } E;", model.Enum{Typedef: "E", Size: 4, Underlying: "unsigned int",
			Values: []model.EnumValue{value("A", false, 0), value("B", true, 5), value("C", false, 6)}}},
		"negative": {"enum E { A = -1, B };", model.Enum{Size: 4, Signed: true, Underlying: "int",
			Values: []model.EnumValue{value("A", true, -1), value("B", false, 0)}}},
		"expressions": {"#define BIT(n) (1u << (n))\nenum E { A = BIT(0), B = BIT(1), C = A | B };", model.Enum{Size: 4, Underlying: "unsigned int",
			Values: []model.EnumValue{value("A", true, 1), value("B", true, 2), value("C", true, 3)}}},
		"fixed": {"enum E : int32_t { A = 3 };", model.Enum{Size: 4, Signed: true, Underlying: "int", FixedUnderlying: true,
			Values: []model.EnumValue{value("A", true, 3)}}},
		"fixed, qualified": {"#include <cstdint>\nenum E : std::uint8_t { A };", model.Enum{Size: 1, Underlying: "unsigned char", FixedUnderlying: true,
			Values: []model.EnumValue{value("A", false, 0)}}},
		"scoped": {"enum class E { A, B = A + 2 };\nenum { A = 9 };", model.Enum{Size: 4, Signed: true, Underlying: "int", FixedUnderlying: true, Scoped: true,
			Values: []model.EnumValue{value("A", false, 0), value("B", true, 2)}}},
		"scoped, fixed": {"enum class E : int64_t { A = 1 };", model.Enum{Size: 8, Signed: true, Underlying: "long", FixedUnderlying: true, Scoped: true,
			Values: []model.EnumValue{value("A", true, 1)}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := read(t, test.text+"\nstruct S { char c; E e; };\n")
			require.NotEmpty(t, h.Enums)
			test.want.Name, test.want.Tag = "E", "E"
			assert.Equal(t, test.want, h.Enums[0])
			e := field(t, structOf(t, h, "S"), "e")
			assert.Equal(t, "enum", e.Kind)
			assert.Equal(t, "E", e.Canon)
			assert.Equal(t, test.want.Size, e.Size)
			assert.Equal(t, test.want.Size, e.Offset, "aligned to its size")
		})
	}
}

// The C front end takes all of these, and some of them make it ask an enum for its size for ever.
func TestTheValuesOfAnEnumHaveAnIntegerType(t *testing.T) {
	t.Parallel()
	const body = " { A };\n"
	for text, at := range map[string]string{
		"enum E : enum E" + body:                                  "1:10",
		"enum E : enum E":                                         "1:10",
		"enum E : enum F":                                         "1:10",
		"enum E; enum E : const enum E" + body:                    "1:24",
		"enum F { B };\nenum E : enum F" + body:                   "2:10",
		"typedef enum E T;\nenum E : T" + body:                    "2:10",
		"typedef enum E (T);\nenum E : T" + body:                  "2:10",
		"typedef enum E T[2];\nenum E : T" + body:                 "2:10",
		"typedef enum E T; typedef const T U;\nenum E : U" + body: "2:10",
		"enum E : __typeof__(enum E)" + body:                      "1:10",
		"enum E : _Atomic(enum E)" + body:                         "1:10",
		"struct S { enum E : enum E e; };":                        "1:21",
		"int f(enum E : enum E e);":                               "1:16",
		"#define M enum E : enum\nM E" + body:                     "2:1",
		"enum E : struct S" + body:                                "1:10",
		"enum E : float" + body:                                   "1:10",
		"typedef double T;\nenum E : T" + body:                    "2:10",
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			_, err := ParseText("bad.h", []byte(text), Options{})
			require.ErrorContains(t, err, "bad.h:"+at+": the type of an enum's values must be an integer type, such as int32_t, and not ")
		})
	}
}

func TestTheIntegerTypeOfAnEnumMayHaveAnyName(t *testing.T) {
	t.Parallel()
	var values strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&values, "A%d, ", i)
	}
	for name, text := range map[string]string{
		"a typedef":         "typedef unsigned short T; typedef const T U; enum E : U { A };",
		"after other enums": "typedef enum F { B } F; typedef unsigned short T; struct S { F f; }; enum E : T { A };",
		"two words":         "enum E : unsigned short { A };",
		"many values":       "typedef unsigned short T;\nenum E : T { " + values.String() + "};",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := read(t, text)
			e := h.Enums[len(h.Enums)-1]
			assert.Equal(t, "E", e.Name)
			assert.EqualValues(t, 2, e.Size)
		})
	}
}

func TestFieldsOfEveryShape(t *testing.T) {
	t.Parallel()
	h := read(t, `
#define COUNT (2 + 1)
#define FIELD(fn) fn* fn
typedef struct Handle Handle;
typedef Handle* Function(int n);
typedef void (*Callback)(void* arg);
typedef struct Hidden* Hider;
typedef const int Grid[2][3];
typedef Grid Grids[4];
struct S {
  bool flag;                         // a byte
  int32_t dims[COUNT];
  char name[2][8];
  const Handle* const* handles;
  Handle *const fixed;
  struct Handle* tagged;
  Function* function;
  Callback callback;
  Callback* callbacks;
  void (*inl)(Handle* h, void (*done)(void*, int), Callback c);
  FIELD(
      Function);
  int (*matrix)[4];
  unsigned long long big;
  float func; double type;
  intptr_t range; uintptr_t map;
  volatile int chan;
  int new, delete, this, private, final;
  Hider hider; const Hider* hiders;
  Grids grids; Grid* grid;
};
`)
	assert.Equal(t, []model.Opaque{{Name: "Handle"}, {Name: "Hidden"}}, h.Opaque)
	s := structOf(t, h, "S")
	for _, want := range []model.Field{
		{Name: "flag", Decl: "bool flag", Type: "bool", Canon: "bool", Kind: "bool", Base: "bool", Offset: 0, Size: 1, Doc: "a byte"},
		{Name: "dims", Decl: "int32_t dims[COUNT]", Type: "int32_t[3]", Canon: "int[3]", Kind: "array", Base: "int32_t", Array: []int64{3}, Offset: 4, Size: 12},
		{Name: "name", Decl: "char name[2][8]", Type: "char[2][8]", Canon: "char[2][8]", Kind: "array", Base: "char", Array: []int64{2, 8}, Offset: 16, Size: 16},
		{Name: "handles", Decl: "const Handle* const* handles", Type: "const Handle *const *", Canon: "const Handle *const *", Kind: "pointer", Base: "Handle", Ptr: 2, Const: true, Offset: 32, Size: 8},
		{Name: "fixed", Decl: "Handle* const fixed", Type: "Handle *const", Canon: "Handle *const", Kind: "pointer", Base: "Handle", Ptr: 1, Offset: 40, Size: 8},
		{Name: "tagged", Decl: "struct Handle* tagged", Type: "Handle *", Canon: "Handle *", Kind: "pointer", Base: "Handle", Ptr: 1, Offset: 48, Size: 8},
		{Name: "function", Decl: "Function* function", Type: "Function *", Canon: "Handle *(*)(int)", Kind: "fnptr", Base: "Function", Fn: "Function", Offset: 56, Size: 8},
		{Name: "callback", Decl: "Callback callback", Type: "Callback", Canon: "void (*)(void *)", Kind: "fnptr", Base: "Callback", Fn: "Callback", Offset: 64, Size: 8},
		{Name: "callbacks", Decl: "Callback* callbacks", Type: "Callback *", Canon: "void (**)(void *)", Kind: "pointer", Base: "Callback", Ptr: 1, Offset: 72, Size: 8},
		{Name: "Function", Decl: "FIELD(Function)", Type: "Function *", Canon: "Handle *(*)(int)", Kind: "fnptr", Base: "Function", Fn: "Function", Offset: 88, Size: 8},
		{Name: "matrix", Decl: "int (*matrix)[4]", Type: "int (*)[4]", Canon: "int (*)[4]", Kind: "pointer", Base: "int", Ptr: 1, Offset: 96, Size: 8},
		{Name: "big", Decl: "unsigned long long big", Type: "unsigned long long", Canon: "unsigned long long", Kind: "int", Base: "unsigned long long", Offset: 104, Size: 8},
		{Name: "func", Decl: "float func", Type: "float", Canon: "float", Kind: "float", Base: "float", Offset: 112, Size: 4},
		{Name: "type", Decl: "double type", Type: "double", Canon: "double", Kind: "float", Base: "double", Offset: 120, Size: 8},
		{Name: "range", Decl: "intptr_t range", Type: "intptr_t", Canon: "long", Kind: "int", Base: "intptr_t", Offset: 128, Size: 8},
		{Name: "map", Decl: "uintptr_t map", Type: "uintptr_t", Canon: "unsigned long", Kind: "int", Base: "uintptr_t", Offset: 136, Size: 8},
		{Name: "chan", Decl: "volatile int chan", Type: "volatile int", Canon: "volatile int", Kind: "int", Base: "int", Offset: 144, Size: 4},
		{Name: "hider", Decl: "Hider hider", Type: "Hider", Canon: "Hidden *", Kind: "pointer", Base: "Hidden", Ptr: 1, Offset: 168, Size: 8},
		{Name: "hiders", Decl: "const Hider* hiders", Type: "const Hider *", Canon: "Hidden *const *", Kind: "pointer", Base: "Hidden", Ptr: 2, Offset: 176, Size: 8},
		{Name: "grids", Decl: "Grids grids", Type: "Grids", Canon: "const int[4][2][3]", Kind: "array", Base: "int", Array: []int64{4, 2, 3}, Const: true, Offset: 184, Size: 96},
		{Name: "grid", Decl: "Grid* grid", Type: "Grid *", Canon: "const int (*)[2][3]", Kind: "pointer", Base: "int", Ptr: 1, Const: true, Offset: 280, Size: 8},
	} {
		assert.Equal(t, want, field(t, s, want.Name))
	}
	inl := field(t, s, "inl")
	assert.Equal(t, "void (*inl)(Handle* h, void (*done)(void*, int), Callback c)", inl.Decl)
	assert.Equal(t, "void (*)(Handle *, void (*)(void *, int), Callback)", inl.Type)
	assert.Equal(t, "void (*)(Handle *, void (*)(void *, int), void (*)(void *))", inl.Canon)
	require.NotNil(t, inl.Sig)
	require.Len(t, inl.Sig.Params, 3)
	assert.Equal(t, "fnptr", inl.Sig.Params[1].Kind)
	require.NotNil(t, inl.Sig.Params[1].Sig)
	assert.Len(t, inl.Sig.Params[1].Sig.Params, 2)
	assert.Equal(t, [][2]int64{{1, 3}, {116, 4}}, s.Holes)
	assert.EqualValues(t, 164, field(t, s, "final").Offset)
	assert.EqualValues(t, 288, s.Size)
}

func TestAnonymousUnionsAreNested(t *testing.T) {
	t.Parallel()
	h := read(t, "struct S { char c; union { int64_t n; struct { int a; bool b; }; }; union { float f; } named; int last; };")
	s := structOf(t, h, "S")
	require.Len(t, s.Fields, 4)
	u := s.Fields[1]
	assert.Equal(t, "union", u.Anonymous)
	assert.EqualValues(t, 8, u.Offset)
	require.Len(t, u.Fields, 2)
	assert.EqualValues(t, 8, u.Fields[0].Offset)
	require.Len(t, u.Fields[1].Fields, 2)
	assert.EqualValues(t, 12, u.Fields[1].Fields[1].Offset, "offsets count from the outermost struct")
	assert.Equal(t, "named", s.Fields[2].Name)
	require.Len(t, s.Fields[2].Fields, 1)
	assert.EqualValues(t, 16, s.Fields[2].Fields[0].Offset)
	assert.EqualValues(t, 20, s.Fields[3].Offset)
}

func TestHalfCXX(t *testing.T) {
	t.Parallel()
	h := read(t, `
#pragma once
#include <cstdint>
#include <memory>
#include "xla/pjrt/pjrt_client.h"

extern "C" {
typedef struct PJRT_Error PJRT_Error;
typedef struct PJRT_Api PJRT_Api;
typedef struct PJRT_Extension_Base PJRT_Extension_Base;
struct PJRT_T_Args {
  size_t struct_size;
  const xla::GlobalDeviceId* ids;
  xla::GlobalDeviceId id;
  xla::CrossHostTransferKey key = 0;
  std::size_t n{};
  [[nodiscard]] PJRT_Error* (*run)(PJRT_T_Args* args);
};
typedef PJRT_Error* PJRT_T(PJRT_T_Args* args);
}  // extern "C"

static_assert(sizeof(PJRT_T_Args) > 0, "never empty");

namespace pjrt {
namespace inner::deep {
inline constexpr char kName[] = "name";
constexpr int kCount = 3;
constexpr absl::string_view kView = "view";
using Id = int64_t;
using namespace std;
template <typename T, int N = 3>
struct Box { T t[N]; };
class Impl final : public Box<int> {
 public:
  Impl() : Box<int>() {}
  int Size() const { return 3; }
};
int Impl::Other() { return 4; }
bool operator==(const Impl& a, const Impl& b);
PJRT_T_Args Make(PJRT_Extension_Base* next = nullptr, Id id = Id(1, 2),
                 const std::vector<std::pair<int, int>>& list = {}) noexcept;
absl::StatusOr<std::unique_ptr<Impl>> Get(std::function<void(int)> f, Impl&& impl);
inline int Two() { if (true) { return 2; } return 0; }
}  // namespace inner::deep
const PJRT_Api* GetApi();
}  // namespace pjrt
`)
	assert.Equal(t, []string{"pjrt", "inner", "deep"}, h.Namespaces)
	s := structOf(t, h, "PJRT_T_Args")
	assert.EqualValues(t, 48, s.Size)
	assert.Equal(t, "const xla::GlobalDeviceId *", field(t, s, "ids").Type)
	assert.EqualValues(t, 4, field(t, s, "id").Size)
	assert.EqualValues(t, 24, field(t, s, "key").Offset)
	assert.Equal(t, "xla::CrossHostTransferKey", field(t, s, "key").Base)
	assert.True(t, field(t, s, "run").NoDiscard)
	require.Len(t, h.Functions, 1)

	assert.Equal(t, []model.Variable{
		{Name: "kName", Type: "const char[5]", Namespace: "deep", String: "name"},
		{Name: "kCount", Type: "const int", Namespace: "deep"},
	}, h.Variables)

	type proto struct{ name, space, ret, params string }
	var got []proto
	for _, p := range h.Prototypes {
		assert.True(t, p.CXX)
		assert.False(t, p.NoPrototype, "in C++ empty parentheses are a prototype")
		var params []string
		for _, q := range p.Params {
			params = append(params, fmt.Sprintf("%s %s %t", q.Type, q.Name, q.ByValue))
		}
		got = append(got, proto{p.Name, p.Namespace, p.Ret, strings.Join(params, "; ")})
	}
	assert.Equal(t, []proto{
		{"Make", "deep", "PJRT_T_Args", "PJRT_Extension_Base * next false; Id id false; const std::vector<std::pair<int, int>> & list false"},
		{"Get", "deep", "absl::StatusOr<std::unique_ptr<Impl>>", "std::function<void(int)> f true; Impl && impl false"},
		{"Two", "deep", "int", ""},
		{"GetApi", "pjrt", "const PJRT_Api *", ""},
	}, got)
}

func TestBranchesForOtherCompilersAreNotRead(t *testing.T) {
	t.Parallel()
	h := read(t, `
#ifndef GUARD_H_
#define GUARD_H_
#if defined(__cplusplus) && __cplusplus >= 201703L
#define PJRT_NO_DISCARD [[nodiscard]]
#else
#define PJRT_NO_DISCARD
#endif
#ifdef __cplusplus
#define CHECK(t) static_assert(sizeof(t) > 0, "")
extern "C" {
#else
#define CHECK(t)
#endif
#ifdef _WIN32
struct S { short x; };
#else
struct S { PJRT_NO_DISCARD void (*f)(void); long x; };
#endif
CHECK(struct S);
#if 0
struct T { not C at all };
#endif
#ifdef __cplusplus
}
#endif
#endif
`)
	assert.Equal(t, "GUARD_H_", h.Guard)
	s := structOf(t, h, "S")
	assert.EqualValues(t, 16, s.Size)
	f := field(t, s, "f")
	assert.True(t, f.NoDiscard, "the macro is empty here, but says so to other compilers")
	assert.Equal(t, "void (*f)(void)", f.Decl)
	assert.False(t, field(t, s, "x").NoDiscard)
	var names []string
	for _, m := range h.Macros {
		names = append(names, m.Name)
	}
	assert.Equal(t, []string{"PJRT_NO_DISCARD", "CHECK"}, names)
}

func TestMacros(t *testing.T) {
	t.Parallel()
	h := read(t, `
#define PJRT_API_MAJOR 0
#define PJRT_API_MINOR \
  77
#define X_EXTENSION_VERSION 3
#define FLAGS (0x10 | 1)
#define NEGATIVE -2
#define TEXT "1"
#define EMPTY
#define SIZE sizeof(struct S)
#define F(a, b) a + b
#define G() 1
#define TEMP(x) x* x
struct S { int a[5]; };
#undef TEMP
`)
	num := func(n int64) *int64 { return &n }
	assert.Equal(t, []model.Macro{
		{Name: "PJRT_API_MAJOR", Value: num(0), Text: "0"}, {Name: "PJRT_API_MINOR", Value: num(77), Text: "77"},
		{Name: "X_EXTENSION_VERSION", Value: num(3), Text: "3"}, {Name: "FLAGS", Value: num(17), Text: "(0x10 | 1)"},
		{Name: "NEGATIVE", Value: num(-2), Text: "-2"}, {Name: "TEXT", Text: `"1"`}, {Name: "EMPTY"},
		{Name: "SIZE", Value: num(20), Text: "sizeof(struct S)"},
		{Name: "F", FunctionLike: true, Params: []string{"a", "b"}, Text: "a + b"},
		{Name: "G", FunctionLike: true, Params: []string{}, Text: "1"},
		{Name: "TEMP", FunctionLike: true, Params: []string{"x"}, Text: "x* x", UndefInHeader: true},
	}, h.Macros)
	assert.Equal(t, &model.Version{Major: 0, Minor: 77}, h.APIVersion)
	assert.Equal(t, &model.ExtensionVersion{Macro: "X_EXTENSION_VERSION", Value: 3}, h.ExtensionVersion)
}

func TestTables(t *testing.T) {
	t.Parallel()
	h := read(t, `
typedef enum { PJRT_Extension_Type_Old, PJRT_Extension_Type_XlaTransform, PJRT_Extension_Type_Unknown } PJRT_Extension_Type;
typedef struct PJRT_Extension_Base { size_t struct_size; PJRT_Extension_Type type; struct PJRT_Extension_Base* next; } PJRT_Extension_Base;
typedef struct PJRT_Error PJRT_Error;
typedef PJRT_Error* PJRT_Run(struct PJRT_Run_Args* args);
typedef struct PJRT_Old { PJRT_Extension_Type type; const void* next; PJRT_Run* run; } PJRT_Old;
typedef struct PJRT_Xla_Transform_Extension {
  PJRT_Extension_Base base;
  PJRT_Run* run;
  void* data;
  // Deprecated: nothing calls it.
  void* gone;
  void (*inl)(void);
} PJRT_Xla_Transform_Extension;
typedef struct PJRT_Api { size_t struct_size; PJRT_Run* PJRT_Run; } PJRT_Api;
typedef struct PJRT_Thing_FunctionTable { size_t struct_size; void (*destroy)(void*); } PJRT_Thing_FunctionTable;
typedef struct PJRT_Chunk { void* data; void (*deleter)(void*); } PJRT_Chunk;
struct PJRT_Run_Args { PJRT_Chunk* chunk; };
`)
	run := "PJRT_Run"
	assert.Equal(t, []model.Table{
		{Struct: "PJRT_Old", Role: model.RoleExtension, Count: 1, SlotCount: 1,
			Slots:         []model.Slot{{Slot: 0, Name: "run", Offset: 16, Fn: &run}},
			ExtensionType: &model.ExtensionType{Name: "PJRT_Extension_Type_Old", Value: 0}},
		{Struct: "PJRT_Xla_Transform_Extension", Role: model.RoleExtension, Count: 2, SlotCount: 3,
			Slots: []model.Slot{{Slot: 0, Name: "run", Offset: 24, Fn: &run}, {Slot: 1, Name: "gone", Offset: 40, Deprecated: true},
				{Slot: 2, Name: "inl", Offset: 48}},
			ExtensionType: &model.ExtensionType{Name: "PJRT_Extension_Type_XlaTransform", Value: 1}},
		{Struct: "PJRT_Api", Role: model.RoleAPITable, Count: 1, SlotCount: 1,
			Slots: []model.Slot{{Slot: 0, Name: "PJRT_Run", Offset: 8, Fn: &run}}},
		{Struct: "PJRT_Thing_FunctionTable", Role: model.RoleFunctionTable, Count: 1, SlotCount: 1,
			Slots: []model.Slot{{Slot: 0, Name: "destroy", Offset: 8}}},
	}, h.Tables)
	assert.Equal(t, model.RoleStruct, structOf(t, h, "PJRT_Chunk").Role)
	assert.Equal(t, model.RoleArgs, structOf(t, h, "PJRT_Run_Args").Role)
	require.Len(t, h.Functions, 1)
	assert.True(t, h.Functions[0].SingleArgsPointer)
	assert.True(t, h.Functions[0].ReturnsError)
}

// TestDamagedHeadersNeverPanic cuts a real header at many places and takes out
// tokens one at a time.
func TestDamagedHeadersNeverPanic(t *testing.T) {
	t.Parallel()
	path := filepath.Join(root, "xla/backends/profiler/plugin/profiler_c_api.h")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	step := max(len(text)/60, 1)
	for cut := step; cut < len(text); cut += step {
		h, err := ParseText("x.h", text[:cut], Options{})
		if err == nil {
			assert.NotNil(t, h, "cut at %d", cut)
		}
	}
	s, err := lex("x.h", text)
	require.NoError(t, err)
	for i := 0; i < len(s.toks); i += max(len(s.toks)/60, 1) {
		tok := s.toks[i]
		damaged := append(append([]byte{}, text[:tok.off]...), text[tok.end():]...)
		if h, err := ParseText("x.h", damaged, Options{}); err == nil {
			assert.NotNil(t, h)
		}
	}
}

func TestFunctionsWithFurtherArgumentsAreVariadic(t *testing.T) {
	t.Parallel()
	h := read(t, `
typedef void Log(const char* format, ...);
typedef void Say(const char* text);
typedef void (*Take)(void (*log)(const char* format, ...));
struct S { void (*log)(const char* format, ...); };
#if 0
#define TEXT "of a branch that is not taken"
#else
#define TEXT "taken"
#endif
`)
	variadic := map[string]bool{}
	for _, f := range append(h.Functions, h.Callbacks...) {
		variadic[f.Name] = f.Variadic
		if f.Name == "Take" {
			assert.True(t, f.Params[0].Sig.Variadic)
		}
	}
	assert.Equal(t, map[string]bool{"Log": true, "Say": false, "Take": false}, variadic)
	assert.True(t, field(t, structOf(t, h, "S"), "log").Sig.Variadic)
	require.Len(t, h.Macros, 1)
	assert.Equal(t, `"taken"`, h.Macros[0].Text)
}
