// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package lint

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/gen/header"
	"github.com/purepjrt/purepjrt/gen/model"
)

// The headers of these tests declare for themselves what they need of the core's.
const start = "#include <stddef.h>\n" +
	"#define TRAITS(s, f) typedef struct s s; enum { s##_STRUCT_SIZE = offsetof(struct s, f) + sizeof(((struct s*)0)->f) }\n"

// lines returns the place of each finding, its rule and its item.
func lines(found []Finding) (out []string) {
	for _, f := range found {
		out = append(out, fmt.Sprintf("%d:%d %s %s", f.Pos.Line, f.Pos.Col, f.Rule, f.Item))
	}
	return out
}

func TestTextPassesOverConstantsThatNameNoField(t *testing.T) {
	t.Parallel()
	const two = "struct A_Args { size_t struct_size; };\nstruct B_Args { size_t struct_size; };\n"
	for name, test := range map[string]struct {
		text string
		want []string
	}{
		"one is wrong, one is missing": {two + "TRAITS(A_Args, x);\n", []string{"4:8 no-size-constant B_Args", "5:1 missing-field x"}},
		"two are wrong": {two + "TRAITS(A_Args,\n  x);\nTRAITS(B_Args, y);\n",
			[]string{"5:1 missing-field x", "7:1 missing-field y"}},
		"without a macro": {two + "enum { A_Args_STRUCT_SIZE = offsetof(struct A_Args, x) };\nTRAITS(B_Args, struct_size);\n",
			[]string{"5:29 missing-field x"}},
		"a name within a name": {"struct A { size_t struct_size; };\nstruct A_Args { size_t struct_size; };\nTRAITS(A_Args, x);\n",
			[]string{"3:8 no-size-constant A", "5:1 missing-field x"}},
		"more than are read": {two + strings.Repeat("TRAITS(A_Args, x);\n", maxMissing+5), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, found, err := Text("a.h", []byte(start+test.text), header.Options{})
			require.NoError(t, err)
			if test.want == nil {
				assert.Nil(t, h)
				assert.Len(t, found, maxMissing)
				return
			}
			assert.Equal(t, test.want, lines(found))
			assert.NotNil(t, h)
		})
	}
}

func TestTextReturnsTheFaultsOfOthersAsErrors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	other := filepath.Join(dir, "other.h")
	require.NoError(t, os.WriteFile(other, []byte(start+"struct A_Args { size_t struct_size; };\nTRAITS(A_Args, x);\n"), 0o644))
	file := filepath.Join(dir, "a.h")
	_, found, err := Text(file, []byte("#include \"other.h\"\n"), header.Options{})
	require.ErrorContains(t, err, other+":4:1: struct A_Args has no field x: name one that it has")
	assert.Empty(t, found)
	_, found, err = Text(file, []byte("struct A { Nobody x; };\n"), header.Options{})
	require.ErrorContains(t, err, file+":1:12: ")
	assert.Empty(t, found)
}

func TestStructsThatNeedNoSize(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		text string
		want []string
	}{
		"data": {"typedef struct { char* data; size_t size; } Text;\n", nil},
		"a list of data": {"typedef struct { char* data; size_t size; } Text;\n" +
			"struct A_Args { size_t struct_size; Text* texts; size_t num_texts; };\nTRAITS(A_Args, num_texts);\n", nil},
		"what the function fills": {"typedef struct { char* data; size_t size; } Text;\n" +
			"struct A_Args { size_t struct_size;\nText* text; // out\n};\nTRAITS(A_Args, text);\n", nil},
		"options": {"typedef struct { char* data; size_t size; } Text;\n" +
			"struct A_Args { size_t struct_size; Text* text; };\nTRAITS(A_Args, text);\n", []string{"3:9 no-struct-size Text"}},
		"an object": {"typedef struct { void* vtable; } Thing;\n" +
			"struct A_Args { size_t struct_size; Thing* thing; };\nTRAITS(A_Args, thing);\n", nil},
		"an extension of a base": {"typedef struct { size_t struct_size; long more; } A_Base;\nenum { A_Base_STRUCT_SIZE = 16 };\n" +
			"typedef struct { A_Base base; void (*f)(void); } A_Extension;\n", nil},
		"a union": {"typedef union { long a; char b; } Both;\n", nil},
	} {
		_, found, err := Text("a.h", []byte(start+test.text), header.Options{})
		require.NoError(t, err, name)
		assert.Equal(t, test.want, lines(found), name)
	}
}

func TestAgainst(t *testing.T) {
	t.Parallel()
	const old = "enum E { A, B };\n" +
		"struct S_Args { size_t struct_size; int a; int b; long c; };\n" +
		"typedef int (*Callback)(int);\n" +
		"typedef struct { int x; } Plain;\n"
	parse := func(text string) *model.Header {
		h, err := header.ParseText("a.h", []byte(start+text), header.Options{})
		require.NoError(t, err)
		return h
	}
	for name, test := range map[string]struct {
		from, to string
		want     []string
	}{
		"nothing":                    {"int b;", "int b;", nil},
		"a field that grew":          {"int a; int b;", "int a; long b;", []string{"4:49 broken S_Args.b"}},
		"a field that is gone":       {"int a; ", "", []string{"4:8 broken S_Args.a"}},
		"an enumerator that is gone": {"A, B", "A", []string{"3:1 broken B"}},
		"an enum that is gone":       {"enum E { A, B };", "", []string{"1:1 broken E"}},
		"a struct that is gone":      {"typedef struct { int x; } Plain;", "", []string{"1:1 broken Plain"}},
		"a struct that grew":         {"int x; } Plain", "int x; int y; } Plain", []string{"6:29 inserted Plain.y"}},
		"another callback":           {"(*Callback)(int)", "(*Callback)(long)", []string{"5:15 broken Callback"}},
		"two fields in the middle":   {"int a;", "int a; long n; long m;", []string{"4:49 inserted S_Args.n"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Contains(t, old, test.from)
			found, err := Against(parse(old), parse(strings.Replace(old, test.from, test.to, 1)))
			require.NoError(t, err)
			assert.Equal(t, test.want, lines(found), "%s", found)
			if name == "a field that grew" {
				assert.Contains(t, found[0].Problem, "field S_Args.b has another type, which moves 1 later member: ")
			}
		})
	}
}
