// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package header

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/purepjrt/purepjrt/gen/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const core = root + "/xla/pjrt/c/pjrt_c_api.h"

// read parses text as a header that stands alone.
func read(t *testing.T, text string) *model.Header {
	t.Helper()
	h, err := ParseText(filepath.Join(t.TempDir(), "h.h"), []byte(text), Options{})
	require.NoError(t, err)
	return h
}

// write puts files under a new directory and returns it.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	return dir
}

func structOf(t *testing.T, h *model.Header, name string) model.Struct {
	t.Helper()
	for _, s := range h.Structs {
		if s.Name == name {
			return s
		}
	}
	require.FailNow(t, "no struct "+name)
	return model.Struct{}
}

func field(t *testing.T, s model.Struct, name string) model.Field {
	t.Helper()
	for _, f := range s.Fields {
		if f.Name == name {
			return f
		}
	}
	require.FailNow(t, "no field "+name+" in "+s.Name)
	return model.Field{}
}

func TestParseNeedsNoProgram(t *testing.T) {
	t.Setenv("PATH", "")
	t.Setenv("CC", filepath.Join(t.TempDir(), "cc"))
	h, err := Parse(core, Options{})
	require.NoError(t, err)
	assert.Greater(t, len(h.Functions), 100)
}

func TestPathIsTheHeadersIncludePath(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{"sub/xla/a/b.h": "", "c.h": ""})
	for _, test := range []struct{ file, include, want string }{
		{"sub/xla/a/b.h", "", "xla/a/b.h"},
		{"sub/xla/a/b.h", "sub", "xla/a/b.h"},
		{"sub/xla/a/b.h", "sub/xla", "a/b.h"},
		{"c.h", "", "c.h"},
	} {
		var opts Options
		if test.include != "" {
			opts.IncludeDirs = []string{filepath.Join(dir, test.include)}
		}
		h, err := Parse(filepath.Join(dir, test.file), opts)
		require.NoError(t, err)
		assert.Equal(t, test.want, h.Path)
	}
}

func TestTreeListsTheHeaders(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{"xla/b.h": "", "xla/a/c.h": "", "xla/a/c.cc": "", "other/d.h": ""})
	paths, err := Tree(dir)
	require.NoError(t, err)
	assert.Equal(t, []string{filepath.Join(dir, "xla/a/c.h"), filepath.Join(dir, "xla/b.h")}, paths)
	_, err = Tree(filepath.Join(dir, "other"))
	assert.ErrorContains(t, err, "cannot list the headers of")
}

func TestIncludesAreFound(t *testing.T) {
	t.Parallel()
	const (
		base = "#pragma once\ntypedef struct Base { long a; char b; } Base;\n"
		user = "#include \"xla/pjrt/c/base.h\"\n#include \"xla/pjrt/c/base.h\"\n#include <stdint.h>\nstruct User { Base base; int64_t n; };\n"
	)
	for name, test := range map[string]struct {
		files   map[string]string
		file    string
		include string
	}{
		"in the tree of the header":    {map[string]string{"xla/pjrt/c/base.h": base, "xla/pjrt/c/u.h": user}, "xla/pjrt/c/u.h", ""},
		"in another branch of it":      {map[string]string{"xla/pjrt/c/base.h": base, "xla/pjrt/x/y/u.h": user}, "xla/pjrt/x/y/u.h", ""},
		"in a directory given":         {map[string]string{"inc/xla/pjrt/c/base.h": base, "u.h": user}, "u.h", "inc"},
		"flat beside the header":       {map[string]string{"base.h": base, "u.h": user}, "u.h", ""},
		"under TensorFlow's old path":  {map[string]string{"xla/pjrt/c/base.h": base, "xla/pjrt/c/u.h": strings.ReplaceAll(user, `"xla/`, `"tensorflow/compiler/xla/`)}, "xla/pjrt/c/u.h", ""},
		"given ones before the tree's": {map[string]string{"xla/pjrt/c/base.h": "typedef char Base;", "inc/xla/pjrt/c/base.h": base, "u.h": user}, "u.h", "inc"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := write(t, test.files)
			var opts Options
			if test.include != "" {
				opts.IncludeDirs = []string{filepath.Join(dir, test.include)}
			}
			h, err := Parse(filepath.Join(dir, filepath.FromSlash(test.file)), opts)
			require.NoError(t, err)
			require.Len(t, h.Structs, 1, "what is included is not the header's own")
			s := h.Structs[0]
			assert.EqualValues(t, 24, s.Size)
			assert.EqualValues(t, 16, field(t, s, "n").Offset)
		})
	}
}

func TestAHeaderUsesWhatItForgotToInclude(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{
		"xla/pjrt/c/pjrt_c_api.h":      "typedef struct PJRT_Extension_Base { size_t struct_size; int type; void* next; } PJRT_Extension_Base;\n",
		"xla/pjrt/c/pjrt_c_api_more.h": "struct PJRT_More { int a, b, c; };\n#define PJRT_MARK\n",
		"xla/pjrt/c/pjrt_c_api_bad.h":  "/* never ends",
		"xla/pjrt/c/x_extension.h":     "struct X_Extension { PJRT_Extension_Base base; PJRT_More more; PJRT_MARK PJRT_Extension_Base* p; };\n",
	})
	h, err := Parse(filepath.Join(dir, "xla/pjrt/c/x_extension.h"), Options{})
	require.NoError(t, err)
	s := structOf(t, h, "X_Extension")
	assert.EqualValues(t, 48, s.Size)
	assert.EqualValues(t, 40, field(t, s, "p").Offset)
	assert.Equal(t, model.RoleExtension, s.Role)
}

func TestHeadersThatAreCXXThroughoutAreNotRead(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{
		"xla/pjrt/pjrt_client.h":            "#include <vector>\nnamespace xla { template <class T> class PjRtClient : T { std::vector<T> v = {1, 2}; ",
		"xla/pjrt/c/pjrt_c_api_wrapper.h":   "class Client;\nstruct PJRT_Client { std::vector<Client> c; };\n",
		"xla/pjrt/c/pjrt_c_api.h":           "typedef struct PJRT_Client PJRT_Client;\n",
		"xla/pjrt/c/pjrt_c_api_extension.h": "#include \"xla/pjrt/pjrt_client.h\"\nstruct A { PJRT_Client* client; xla::PjRtClient* u; };\n",
	})
	h, err := Parse(filepath.Join(dir, "xla/pjrt/c/pjrt_c_api_extension.h"), Options{})
	require.NoError(t, err)
	assert.EqualValues(t, 16, structOf(t, h, "A").Size)
}

func TestWhatIsNotDeclaredIsNamedWithWhatToDo(t *testing.T) {
	t.Parallel()
	const core = "#include \"xla/pjrt/c/pjrt_c_api.h\"\n"
	for name, test := range map[string]struct{ text, want string }{
		"a field's type, and an include that is not there": {
			core + "struct A {\n  PJRT_Client* client;\n};",
			`3:3: unexpected "*" after PJRT_Client: the type PJRT_Client is not declared: "xla/pjrt/c/pjrt_c_api.h", which it includes, ` +
				"cannot be found: give the directory that holds xla/ with -I",
		},
		"a field's type, and nothing to look into": {
			"struct A { int a; Foo b; };", `1:19: unexpected "b" after Foo: the type Foo is not declared: write it here, or include`,
		},
		"the type of a parameter":         {"typedef int F(int a, const Foo* b);", `1:28: unexpected "*" after Foo: the type Foo is not declared`},
		"of a parameter without a name":   {"typedef int F(Foo);", "1:15: the type Foo is not declared"},
		"of a parameter in parentheses":   {"typedef int (F)(Foo* f);", `1:17: unexpected "*" after Foo: the type Foo is not declared`},
		"the result of a function":        {"typedef Foo* F(int a);", `1:9: unexpected "*" after Foo: the type Foo is not declared`},
		"the type of a variable":          {"Foo x;", `1:1: unexpected "x" after Foo: the type Foo is not declared`},
		"a mark":                          {"struct A { MARK int x; };", `1:12: unexpected "int" after MARK: the type MARK is not declared`},
		"a macro that makes a field":      {"struct A {\n  FIELD(x);\n};", "2:3: the macro FIELD is not defined: write it here, or include"},
		"a macro that makes declarations": {"struct A { int a; };\nTRAITS(A, a);", "2:1: the macro TRAITS is not defined"},
		"the second name, not the first":  {"typedef int Foo;\nstruct A { Foo a; Bar b; };", `2:19: unexpected "b" after Bar`},
		"a name after a macro":            {"#define MARK\nMARK Foo* f(void);", `2:6: unexpected "*" after Foo`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "h.h")
			_, err := ParseText(path, []byte(test.text), Options{})
			require.Error(t, err)
			assert.True(t, strings.HasPrefix(err.Error(), path+":"+test.want), err.Error())
		})
	}
}

func TestTheFirstOfSeveralErrorsIsReportedEachTime(t *testing.T) {
	t.Parallel()
	var clashes, text strings.Builder
	for i := range 40 {
		fmt.Fprintf(&clashes, "int f%d(void);\nlong f%d(void);\n", i, i)
	}
	fmt.Fprintf(&text, "extern \"C\" {\n%s}\n", clashes.String())
	dir := write(t, map[string]string{
		"xla/a.h": clashes.String(), "xla/b.h": text.String(), "xla/c.h": "#include \"xla/a.h\"\n" + text.String(),
	})
	for file, want := range map[string]string{"xla/a.h": "xla/a.h:2:6", "xla/b.h": "xla/b.h:3:6", "xla/c.h": "xla/a.h:2:6"} {
		for range 5 {
			_, err := Parse(filepath.Join(dir, file), Options{})
			require.ErrorContains(t, err, filepath.Join(dir, want)+": conflicting types for 'f0'")
		}
	}
}

func TestErrorsSayWhere(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("(", 300) + strings.Repeat(")", 300)
	expanding := "#define M0(x) x x\n"
	for i := range 30 {
		expanding += fmt.Sprintf("#define M%d(x) M%d(M%d(x))\n", i+1, i, i)
	}
	expanding += "int x = M30(1);"
	for name, test := range map[string]struct {
		text string
		at   string
		what string
	}{
		"unknown size":          {"struct A {\n  int x;\n  Foo y;\n};\n", "3:3", "the type Foo is not declared"},
		"incomplete type":       {"struct B;\nstruct A {\n  struct B y;\n};\n", "3:3", "the size of B, the type of field y, is not known"},
		"an endless array":      {"struct A { int n; int x[]; };", "1:19", "the type of field x, is not known: give its length, or declare a pointer"},
		"a struct in itself":    {"struct A { struct A a; };", "1:12", "is not known"},
		"unknown macro":         {"struct A { int a; };\n\nPJRT_DEFINE_STRUCT_TRAITS(A, a);\n", "3:1", "the macro PJRT_DEFINE_STRUCT_TRAITS is not defined"},
		"unknown macro inside":  {"struct A {\n  _PJRT_FIELD(x);\n};", "2:3", "the macro _PJRT_FIELD is not defined"},
		"open brace":            {"int x;\nstruct A {\n int y;\n", "2:10", `nothing closes this "{"`},
		"open parenthesis":      {"namespace a {\n int f(int x;\n}\n", "2:7", `nothing closes this "("`},
		"open comment":          {"int x;\n  /* and so on\n", "2:3", "a comment that begins here has no end"},
		"open condition":        {"#if FOO\nint x;\n", "2:", ""},
		"an #error":             {"int x;\n#error not today\n", "2:", "not today"},
		"empty #include":        {"int x;\n#include\n", "2:1", "#include names no file"},
		"packed":                {"struct __attribute__((packed)) A { char a; int b; };", "1:23", "packed structs are not supported"},
		"packed after":          {"struct A { char a; int b; } __attribute__((__packed__));", "1:44", "packed structs are not supported"},
		"packed by a pragma":    {"int x;\n#pragma pack(push, 1)\n", "2:1", "packed structs are not supported"},
		"no field":              {"struct A {\n  size_t;\n};", "2:3", "this declares no field"},
		"bit-field":             {"struct A {\n  int x : 3;\n};", "2:3", "x is a bit-field"},
		"nameless bit-field":    {"struct A {\n  int x;\n  int : 3;\n};", "3:3", "a bit-field"},
		"no declaration":        {"this is no header at all\n", "1:", ""},
		"unfinished":            {"int y;\nint x", "2:5", "the header ends in the middle of a declaration"},
		"division by zero":      {"enum E {\n  A = 1 / 0,\n};", "2:", "1 / 0"},
		"negative array":        {"struct A { int x[-1]; };", "1:", "-1"},
		"two bodies":            {"struct A { int x; };\nstruct A { int y; };\n", "2:", "redeclaration"},
		"two typedefs":          {"typedef struct A { int x; } A;\ntypedef struct A { int y; } A;\n", "2:", "conflicting types for 'A'"},
		"deep brackets":         {"int x = " + deep + ";", "1:", "nested more than 200 deep"},
		"macros within macros":  {expanding, "32:", "macros expand in more than 1000000 steps"},
		"a long type":           {"int f(int" + strings.Repeat(", int", 99) + ");\nint f(void);\n", "2:5", " ..."},
		"many tokens":           {strings.Repeat("int x;\n", maxTokens/3+1), fmt.Sprintf("%d:", maxTokens/3+1), "more than the 50000 that are read"},
		"many macros":           {strings.Repeat("#define A 1\n", maxTokens/2+1), "25001:9", "more than the 50000 that are read"},
		"many operators":        {"int x = " + strings.Repeat("-", 1500) + "1;", "1:", "more than 1000 operators"},
		"deep conditions":       {strings.Repeat("#if 1\n", 300), "201:1", "conditions are nested more than 200 deep"},
		"after a replaced name": {"xla::Foo* a; int b c;\n", "1:20", ""},
		"a constant variable":   {"static const int kMax = 4;\nstruct A {\n  int x[2][kMax];\n};", "3:3", "the length kMax of field x is no constant expression in C"},
		"one of C++":            {"constexpr int kMax = 4;\ntypedef int T[kMax];\nstruct A { T x; };", "3:12", "write a number, a macro or a value of an enum"},
		"two fields":            {"struct A {\n  int x;\n  long y, x;\n};", "3:11", "there are two fields x: rename one"},
		"two in a union":        {"struct A { int x; union { int y; long x; }; };", "1:19", "there are two fields x: rename one"},
		"two enumerators":       {"enum E { A, B };\nenum F { A, C };", "2:10", "there are two enumerators A: rename one"},
		"a digraph":             {"struct A {\n  int x<:3:>;\n};", "2:8", "the digraph <: is not supported: write ["},
		"a digraph's directive": {"%:define A 1\n", "1:1", "the digraph %: is not supported: write #"},
		"UTF-16":                {"\xff\xfei\x00n\x00t\x00", "1:1", "the file is UTF-16 or UTF-32: save it as UTF-8"},
		"UTF-16 without a mark": {"i\x00n\x00t\x00", "1:2", "is the file UTF-16?"},
		"Latin-1":               {"int caf\xe9;", "1:5", `"caf\xe9" is no UTF-8: save the file as UTF-8`},
		"128 bits":              {"struct A { int a; unsigned __int128 x; };", "1:19", "the type unsigned __int128 has no counterpart in other languages: write an array"},
		"half precision":        {"typedef int F(_Float16 x);", "1:15", "the type _Float16 has no counterpart in other languages: write uint16_t"},
		"a complex number":      {"struct A { double _Complex x; };", "1:12", "the type double _Complex has no counterpart"},
		"an atomic struct":      {"struct B { long a, b; };\nstruct A { _Atomic struct B b; };", "2:12", "an atomic struct is not supported"},
		"one in parentheses":    {"typedef struct B { long a, b; } B;\nstruct A { _Atomic(B) b; };", "2:12", "an atomic struct is not supported"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "bad.h")
			h, err := ParseText(path, []byte(test.text), Options{})
			require.Error(t, err)
			assert.Nil(t, h)
			var e *Error
			require.ErrorAs(t, err, &e)
			assert.Equal(t, path, e.Path)
			assert.True(t, strings.HasPrefix(err.Error(), path+":"+test.at), err.Error())
			assert.Contains(t, err.Error(), test.what)
			assert.NotContains(t, err.Error(), "\n")
			assert.NotContains(t, err.Error(), ".go:")
			assert.NotContains(t, err.Error(), "<names>")
		})
	}
}

func TestAnErrorOfAnIncludedHeaderNamesThatHeader(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{
		"xla/a.h": "int x;\nenum class E { kA };\nint y z;\n",
		"xla/b.h": "#include \"xla/a.h\"\n",
		"xla/c.h": "/* open",
		"xla/d.h": "\n#include \"xla/c.h\"\n",
	})
	_, err := Parse(filepath.Join(dir, "xla/b.h"), Options{})
	assert.ErrorContains(t, err, filepath.Join(dir, "xla/a.h")+":3:7: ")
	_, err = Parse(filepath.Join(dir, "xla/d.h"), Options{})
	assert.ErrorContains(t, err, filepath.Join(dir, "xla/c.h")+":1:1: ")
}

// includes writes headers and one that includes them, and returns its path.
func includes(t *testing.T, texts ...string) string {
	t.Helper()
	files := map[string]string{}
	for i, text := range texts {
		name := fmt.Sprintf("f%d_c_api.h", i+1)
		files[name] = text
		files["all.h"] += fmt.Sprintf("#include %q\n", name)
	}
	return filepath.Join(write(t, files), "all.h")
}

func TestFilesThatCannotBeRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	big := filepath.Join(dir, "big.h")
	require.NoError(t, os.WriteFile(big, make([]byte, maxSize+1), 0o644))
	for name, test := range map[string]struct {
		path string
		opts Options
		want string
	}{
		"absent":      {filepath.Join(dir, "absent.h"), Options{}, "absent.h: no such file or directory"},
		"a directory": {dir, Options{}, "it is a directory"},
		"too big":     {big, Options{}, "more than the"},
		"an include that is too big": {
			includes(t, strings.Repeat(" ", maxSize/2), strings.Repeat("/", maxSize), strings.Repeat(" ", maxSize/2+1)), Options{},
			"f3_c_api.h:1:1: with this file the header and what it includes have",
		},
		"an include with too many tokens": {
			includes(t, strings.Repeat("int x; ", maxTokens/5), strings.Repeat("int x; ", maxTokens/5)), Options{},
			"f2_c_api.h:1:1: with this file the header and what it includes have",
		},
		"too many includes": {
			includes(t, make([]string, maxFiles+1)...), Options{}, "all.h:201:1: this is include number 201, more than the 200 that are read",
		},
		"include directory absent":  {core, Options{IncludeDirs: []string{filepath.Join(dir, "inc")}}, "cannot use include directory"},
		"include directory no such": {core, Options{IncludeDirs: []string{big}}, "it is not a directory"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := Parse(test.path, test.opts)
			assert.ErrorContains(t, err, test.want)
		})
	}
}

func TestFactsWritesNothingOnAnError(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{"bad.h": "struct {"})
	var out strings.Builder
	err := Facts(&out, filepath.Join(dir, "bad.h"), Options{})
	require.Error(t, err)
	assert.Empty(t, out.String())
}

// FuzzParse looks for input that makes the reader panic or fail without saying
// where.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"", "int x;", "struct A { int x; };", "typedef enum { A, B = 2 } E;", "enum class C : int8_t { kA };",
		"namespace a::b { const P* f(int x = 3, Q& q); }", "extern \"C\" {\nint f();\n}", "#define F(x) x* x\nstruct S { F(T); };",
		"struct S { union { int a; float b; }; void (*f)(int, struct S*); };\n#define N 3\nint a[N];",
		"const size_t S_STRUCT_SIZE = offsetof(S, a);", "template <class T> T f(T);", "using X = int;", "/* c */ // d\n#if 0\n#endif",
		"struct A : B { A(); ~A(); int f() const { return 1; } int x = 3; };", "[[nodiscard]] int f();", "a<b<c>> d;",
		"typedef int (*F)(int, ...), G[3];", "#include \"x\"\n#include <y>\n#pragma once\n#undef X", "enum {", "struct S { int x : 3; };",
		"enum E : enum E", "typedef enum E T; enum E : T { A };",
		"#define P __attribute__((packed))\nstruct P A { int x P; };", "_Pragma(\"pack(1)\") struct A { _Alignas(8) int x __attribute__((aligned(16))); };",
		"#if defined(__GNUC__) && !(__GNUC__ >= 4 || A)\n#elif __has_include(<a.h>)\n#endif", "int __STDC_MB_MIGHT_NEQ_WC__;",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		start := time.Now()
		h, err := ParseText("fuzz.h", text, Options{})
		if took := time.Since(start); took > time.Minute {
			t.Fatalf("%d bytes took %v", len(text), took)
		}
		if err == nil {
			require.NotNil(t, h)
			return
		}
		var e *Error
		if !errors.As(err, &e) {
			t.Fatalf("an error without a place: %v", err)
		}
		if e.Line < 1 || e.Col < 1 {
			t.Fatalf("an error at an impossible place: %v", err)
		}
	})
}
