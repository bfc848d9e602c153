// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package diff_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/gen/diff"
	"github.com/purepjrt/purepjrt/gen/header"
	"github.com/purepjrt/purepjrt/gen/model"
)

// prelude is what the headers of these tests have in common.
const prelude = `
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
typedef struct { size_t struct_size; int type; void* next; } PJRT_Base;
#define SIZE(type, last) (offsetof(type, last) + sizeof(((type*)0)->last))
typedef struct PJRT_Error PJRT_Error;
typedef struct PJRT_Door PJRT_Door;
typedef struct PJRT_Key PJRT_Key;
`

// table is a header with a table of the given slots.
func table(slots, last string) string {
	return `
typedef struct { size_t struct_size; PJRT_Door* door; } PJRT_Open_Args;
typedef struct { size_t struct_size; PJRT_Door* door; } PJRT_Shut_Args;
typedef PJRT_Error* PJRT_Open(PJRT_Open_Args* args);
typedef PJRT_Error* PJRT_Shut(PJRT_Shut_Args* args);
typedef struct { size_t struct_size; void* priv; ` + slots + ` } PJRT_Api;
enum { PJRT_Api_STRUCT_SIZE = SIZE(PJRT_Api, ` + last + `) };
`
}

const (
	open = "PJRT_Open* PJRT_Open;"
	shut = "PJRT_Shut* PJRT_Shut;"
)

// sized is a struct S with struct_size, the given fields and a constant that
// ends at last.
func sized(fields, last string) string {
	return "typedef struct S { size_t struct_size; " + fields + " } S;\nenum { S_STRUCT_SIZE = SIZE(S, " + last + ") };\n"
}

func TestCompareReportsWhatBreaks(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name     string
		old, new string
		want     []string // "item kind name", with "!" in front when it breaks the ABI
	}{
		{"nothing changed", sized("int a;", "a"), sized("int a;", "a"), nil},

		// Structs.
		{
			"field at the end", sized("int64_t a;", "a"), sized("int64_t a; int64_t b;", "b"),
			[]string{"field added S.b", "struct resized S"},
		},
		{
			"field after the end, in the padding of the struct", sized("int64_t a; bool b;", "b"), sized("int64_t a; bool b; bool c;", "c"),
			[]string{"field added S.c", "struct resized S"},
		},
		{
			"field in the middle", sized("int64_t a; int64_t b;", "b"), sized("int64_t a; int64_t new; int64_t b;", "b"),
			[]string{"! field added S.new", "! field moved S.b", "! struct resized S"},
		},
		{
			"field in a hole", sized("int32_t a; int64_t b;", "b"), sized("int32_t a; int32_t new; int64_t b;", "b"),
			[]string{"! field added S.new"},
		},
		{
			"last field removed", sized("int64_t a; int64_t b;", "b"), sized("int64_t a;", "a"),
			[]string{"! field removed S.b", "! struct resized S"},
		},
		{
			"alignment of the first field", "typedef struct { int a; int b; } S;", "typedef struct { _Alignas(16) int a; int b; } S;",
			[]string{"! struct realigned S"},
		},
		{
			"alignment of a struct with struct_size", sized("int64_t a;", "a"),
			"typedef struct S { size_t struct_size; int64_t a; } __attribute__((aligned(64))) S;\nenum { S_STRUCT_SIZE = SIZE(S, a) };\n",
			[]string{"! struct realigned S"},
		},
		{
			"alignment alone", "typedef struct { int a; int b; } S;", "typedef struct { int a; int b; } __attribute__((aligned(8))) S;",
			[]string{"! struct realigned S"},
		},
		{
			"alignment of a later field", sized("int a; int b;", "b"), sized("int a; _Alignas(16) int b;", "b"),
			[]string{"! field moved S.b", "! struct resized S"},
		},
		{
			"fields exchanged", sized("int64_t a; int64_t b;", "b"), sized("int64_t b; int64_t a;", "a"),
			[]string{"! field moved S.a", "! field moved S.b"},
		},
		{
			"field renamed", sized("int64_t a;", "a"), sized("int64_t b;", "b"),
			[]string{"field renamed S.b"},
		},
		{
			"field replaced", sized("int64_t a;", "a"), sized("double b;", "b"),
			[]string{"! field added S.b", "! field removed S.a"},
		},
		{
			"integer to float", sized("int64_t a;", "a"), sized("double a;", "a"),
			[]string{"! field retyped S.a"},
		},
		{
			"signed to unsigned", sized("int64_t a;", "a"), sized("uint64_t a;", "a"),
			[]string{"! field retyped S.a"},
		},
		{
			"wider integer", sized("int32_t a;", "a"), sized("int64_t a;", "a"),
			[]string{"! field retyped S.a", "! struct resized S"},
		},
		{
			"another pointee", sized("PJRT_Door* a;", "a"), sized("PJRT_Key* a;", "a"),
			[]string{"! field retyped S.a"},
		},
		{
			"const added", sized("PJRT_Door** a;", "a"), sized("PJRT_Door* const* a;", "a"),
			[]string{"field retyped S.a"},
		},
		{
			"void pointer given a type", sized("void* a;", "a"), sized("PJRT_Door* a;", "a"),
			[]string{"field retyped S.a"},
		},
		{
			"pointer to void pointer given a type", sized("void** a;", "a"), sized("PJRT_Door** a;", "a"),
			[]string{"! field retyped S.a"},
		},
		{"other name of a standard type", sized("size_t a;", "a"), sized("uint64_t a;", "a"), nil},
		{
			"integer to enum of the same size", sized("int a;", "a"),
			"typedef enum { E_a } E;\n" + sized("E a;", "a"),
			[]string{"enum added E", "value added E_a", "field retyped S.a"},
		},
		{
			"union member that fits", sized("union { int64_t i; const char* s; }; size_t n;", "n"),
			sized("union { int64_t i; const char* s; bool b; }; size_t n;", "n"),
			[]string{"field added S.b"},
		},
		{
			"union that grew", sized("union { int64_t i; }; size_t n;", "n"), sized("union { int64_t i; int64_t two[2]; }; size_t n;", "n"),
			[]string{"! field added S.two", "! field moved S.n", "! struct resized S"},
		},
		{
			"fields gathered in a struct",
			"typedef struct { size_t struct_size; int64_t a; } B;\n" + sized("int64_t a; int64_t c;", "c"),
			"typedef struct { size_t struct_size; int64_t a; } B;\ntypedef struct S { B base; int64_t c; } S;\nenum { S_STRUCT_SIZE = SIZE(S, c) };",
			[]string{"field regrouped S.base"},
		},
		{
			"fields gathered in a struct in another order",
			"typedef struct { int64_t a; size_t struct_size; } B;\n" + sized("int64_t a; int64_t c;", "c"),
			"typedef struct { int64_t a; size_t struct_size; } B;\ntypedef struct S { B base; int64_t c; } S;\nenum { S_STRUCT_SIZE = SIZE(S, c) };",
			[]string{"! field added S.base", "! field removed S.struct_size", "! field removed S.a"},
		},
		{
			"struct without struct_size that grew", "typedef struct { int64_t a; } P;", "typedef struct { int64_t a; int64_t b; } P;",
			[]string{"! field added P.b", "! struct resized P"},
		},
		{
			"struct inside a struct that grew",
			"typedef struct { int64_t a; } P;" + sized("P p; int64_t b;", "b"), "typedef struct { int64_t a; int64_t b; } P;" + sized("P p; int64_t b;", "b"),
			[]string{"! field added P.b", "! struct resized P", "! field resized S.p", "! field moved S.b", "! struct resized S"},
		},
		{
			"constant forgotten", sized("int64_t a;", "a"), sized("int64_t a; int64_t b;", "a"),
			[]string{"field added S.b", "struct stale S"},
		},
		{
			"constant put right", sized("int64_t a; int64_t b;", "a"), sized("int64_t a; int64_t b;", "b"),
			[]string{"struct corrected S"},
		},
		{
			"constant lowered", sized("int64_t a; int64_t b;", "b"), sized("int64_t a; int64_t b;", "a"),
			[]string{"! struct resized S", "struct stale S"},
		},
		{"struct added", "", sized("int a;", "a"), []string{"struct added S"}},
		{"struct removed", sized("int a;", "a"), "", []string{"! struct removed S"}},
		{
			"struct renamed", "typedef struct A { int64_t n; struct A* next; } A;", "typedef struct B { int64_t n; struct B* next; } B;",
			[]string{"struct renamed B"},
		},
		{
			"struct to union", "typedef struct { int64_t a; int64_t b; } P;", "typedef union { int64_t a; int64_t b; } P;",
			[]string{"! struct retyped P"},
		},

		// Handles.
		{"handle added", "", "typedef struct PJRT_Bell PJRT_Bell;", []string{"handle added PJRT_Bell"}},
		{"handle removed", "typedef struct PJRT_Bell PJRT_Bell;", "", []string{"handle removed PJRT_Bell"}},
		{
			"handle that got a body", "typedef struct PJRT_Bell PJRT_Bell;", "typedef struct PJRT_Bell { void* table; } PJRT_Bell;",
			[]string{"handle defined PJRT_Bell"},
		},
		{
			"struct that lost its body", "typedef struct PJRT_Bell { void* table; } PJRT_Bell;", "typedef struct PJRT_Bell PJRT_Bell;",
			[]string{"! handle hidden PJRT_Bell"},
		},

		// Enums.
		{
			"value with an unused number", "typedef enum { E_a } E;", "typedef enum { E_a, E_b } E;",
			[]string{"value added E_b"},
		},
		{
			"value in the middle", "typedef enum { E_a, E_c } E;", "typedef enum { E_a, E_b, E_c } E;",
			[]string{"! value added E_b", "! value renumbered E_c"},
		},
		{"value renamed", "typedef enum { E_a } E;", "typedef enum { E_b } E;", []string{"value renamed E_b"}},
		{"value removed", "typedef enum { E_a, E_b } E;", "typedef enum { E_a } E;", []string{"! value removed E_b"}},
		{
			"second name of a number", "typedef enum { E_a } E;", "typedef enum { E_a, E_b = E_a } E;",
			[]string{"value added E_b"},
		},
		{
			"enum renamed", "typedef enum { E_a, E_b } E;", "typedef enum { F_a, F_b, F_c } F;",
			[]string{"enum renamed F", "value added F_c"},
		},
		{"enum removed", "typedef enum { E_a, E_b } E;", "", []string{"! enum removed E"}},

		// Tables.
		{
			"slot at the end", table(open, "PJRT_Open"), table(open+shut, "PJRT_Shut"),
			[]string{"slot added PJRT_Api.PJRT_Shut", "struct resized PJRT_Api"},
		},
		{
			"slot in the middle", table(shut, "PJRT_Shut"), table(open+shut, "PJRT_Shut"),
			[]string{"! slot added PJRT_Api.PJRT_Open", "! slot moved PJRT_Api.PJRT_Shut", "! struct resized PJRT_Api"},
		},
		{
			"slots exchanged", table(open+shut, "PJRT_Shut"), table(shut+open, "PJRT_Open"),
			[]string{"! slot moved PJRT_Api.PJRT_Open", "! slot moved PJRT_Api.PJRT_Shut"},
		},
		{
			"last slot removed", table(open+shut, "PJRT_Shut"), table(open, "PJRT_Open"),
			[]string{"! slot removed PJRT_Api.PJRT_Shut", "! struct resized PJRT_Api"},
		},
		{
			"slot renamed", table("PJRT_Open* enter;", "enter"), table("PJRT_Open* go_in;", "go_in"),
			[]string{"slot renamed PJRT_Api.go_in"},
		},
		{
			"slot replaced", table("PJRT_Open* enter;", "enter"), table("PJRT_Shut* leave;", "leave"),
			[]string{"! slot added PJRT_Api.leave", "! slot removed PJRT_Api.enter"},
		},
		{
			"function and its args struct renamed",
			"typedef struct { size_t struct_size; PJRT_Door* door; } A_Args; typedef void A(A_Args* args);" + table(open+"A* A;", "A"),
			"typedef struct { size_t struct_size; PJRT_Door* it; } B_Args; typedef void B(B_Args* args);" + table(open+"B* B;", "B"),
			[]string{"slot renamed PJRT_Api.B", "struct renamed B_Args", "field renamed B_Args.it"},
		},
		{
			"slot with other parameters", table("void (*f)(int64_t);"+open, "PJRT_Open"), table("void (*f)(int64_t, int64_t);"+open, "PJRT_Open"),
			[]string{"! slot signature PJRT_Api.f"},
		},
		{
			"slot with another result", table("void (*f)(int64_t);"+open, "PJRT_Open"), table("PJRT_Error* (*f)(int64_t);"+open, "PJRT_Open"),
			[]string{"! slot signature PJRT_Api.f"},
		},
		{
			"slot with one more const", table("void (*f)(void*);"+open, "PJRT_Open"), table("void (*f)(const void*);"+open, "PJRT_Open"),
			[]string{"slot signature PJRT_Api.f"},
		},
		{
			"field of the table before its slots moved",
			"typedef struct { size_t struct_size; void* priv; void (*f)(void); void (*g)(void); } PJRT_Api;",
			"typedef struct { size_t struct_size; void (*f)(void); void* priv; void (*g)(void); } PJRT_Api;",
			[]string{"! slot moved PJRT_Api.f", "! field moved PJRT_Api.priv"},
		},

		{
			"function gone, its slot kept", table("void (*f)(void);"+open, "PJRT_Open"), table("void* f;  // deprecated\n"+open, "PJRT_Open"),
			[]string{"! slot deprecated PJRT_Api.f"},
		},
		{
			"unused slot renamed", table("void* f;  // deprecated\n"+open, "PJRT_Open"), table("void* unused;  // deprecated\n"+open, "PJRT_Open"),
			[]string{"slot renamed PJRT_Api.unused"},
		},
		{
			"unused slot stays", table("void* f;  // deprecated\n"+open, "PJRT_Open"), table("void* f;  // deprecated\n"+open+shut, "PJRT_Shut"),
			[]string{"slot added PJRT_Api.PJRT_Shut", "struct resized PJRT_Api"},
		},
		{
			"unused slot taken again", table("void* f;  // deprecated\n"+open, "PJRT_Open"), table("void (*f)(void);"+open, "PJRT_Open"),
			[]string{"slot added PJRT_Api.f"},
		},
		{
			"table removed", table(open, "PJRT_Open"), "",
			[]string{
				"! slot removed PJRT_Api.PJRT_Open", "! struct removed PJRT_Api",
				"! struct removed PJRT_Open_Args", "! struct removed PJRT_Shut_Args", "function removed PJRT_Shut",
			},
		},
		{
			"slot marked", table("void (*f)(void);", "f"), table("[[nodiscard]] void (*f)(void);", "f"),
			[]string{"struct attribute PJRT_Api"},
		},

		{
			"extension that grew",
			"typedef struct { PJRT_Base base; void (*f)(void); } PJRT_Bell_Extension;",
			"typedef struct { PJRT_Base base; void (*f)(void); void (*g)(void); } PJRT_Bell_Extension;",
			[]string{"slot added PJRT_Bell_Extension.g", "struct resized PJRT_Bell_Extension"},
		},
		{
			"extension that grew, from when the base had no struct_size",
			"typedef struct { int type; void* next; void (*f)(void); } PJRT_Bell_Extension;",
			"typedef struct { int type; void* next; void (*f)(void); void (*g)(void); } PJRT_Bell_Extension;",
			[]string{"! slot added PJRT_Bell_Extension.g", "! struct resized PJRT_Bell_Extension"},
		},

		// The rest.
		{
			"callback with other parameters", "typedef void (*Done)(int64_t);", "typedef void (*Done)(void*);",
			[]string{"! callback signature Done"},
		},
		{"callback added", "", "typedef void (*Done)(int64_t);", []string{"callback added Done"}},
		{"callback removed", "typedef void (*Done)(int64_t);", "", []string{"callback removed Done"}},
		{"macro added", "", "#define N 1\n", []string{"macro added N"}},
		{"macro removed", "#define N 1\n", "", []string{"macro removed N"}},
		{"macro with another value", "#define N 1\n", "#define N 2\n", []string{"macro retyped N"}},
		{"macro with another text", "#define N \"a\"\n", "#define N \"b\"\n", []string{"! macro retyped N"}},
		{"macro with another number", "#define N 1.5\n", "#define N 2.5\n", []string{"macro retyped N"}},
		{"macro with another body", "#define N(x) ((x) + 1)\n", "#define N(x) ((x) + 2)\n", []string{"macro retyped N"}},
		{"macro with the same value", "#define N 3\n", "#define N (1 + 2)\n", nil},
		{"macro with other space", "#define N(x)  ((x)  + 1) // one\n", "#define N(x) ((x) + 1)\n", nil},

		// The bytes of a shared variable are in the plugin, those of a constant in each side.
		{"constant of another type", "static const int v = 1;", "static const long v = 1;", []string{"variable retyped v"}},
		{"shared variable of another type", "extern const int v;", "extern const long v;", []string{"! variable retyped v"}},
		{"shared variable with another qualifier", "extern const int v;", "extern int v;", []string{"variable retyped v"}},
		{"shared variable removed", "extern const int v;", "", []string{"! variable removed v"}},
		{
			"another major version", "#define PJRT_API_MAJOR 0\n#define PJRT_API_MINOR 1\n", "#define PJRT_API_MAJOR 1\n#define PJRT_API_MINOR 1\n",
			[]string{"! macro retyped PJRT_API_MAJOR"},
		},
		{"C function removed", "void Start(void);", "", []string{"! prototype removed Start"}},
		{"C function with other parameters", "void Start(void);", "void Start(int64_t);", []string{"! prototype signature Start"}},
		{
			"C++ function removed", "namespace pjrt { void Start(); }", "",
			[]string{"prototype removed pjrt::Start"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			report := diff.Compare(parse(t, test.old), parse(t, test.new), diff.Options{})
			got, breaking := lines(report)
			want := slices.Clone(test.want)
			slices.Sort(want)
			assert.Equal(t, want, got)
			assert.Equal(t, breaking, report.Breaking)
			for _, c := range report.Changes {
				assert.NotEmpty(t, c.Why, "%s %s", c.Kind, c.Name)
			}
		})
	}
}

// parse reads a header that begins with the prelude.
func parse(t *testing.T, text string) *model.Set {
	t.Helper()
	h, err := header.ParseText("pjrt_c_api.h", []byte(prelude+text), header.Options{})
	require.NoError(t, err)
	set, err := model.NewSet(h)
	require.NoError(t, err)
	return set
}

// lines returns a report's changes in short form, sorted, and how many of them
// break.
func lines(r *diff.Report) (out []string, breaking int) {
	for _, c := range r.Changes {
		name := c.Name
		if c.Parent != "" && c.Item != diff.ItemValue {
			name = c.Parent + "." + name
		}
		line := fmt.Sprintf("%s %s %s", c.Item, c.Kind, name)
		if c.Breaks {
			line = "! " + line
			breaking++
		}
		out = append(out, line)
	}
	slices.Sort(out)
	return out, breaking
}

// The base of an extension is declared in the core header, which is not read
// when two single headers are compared.
func TestCompareOfExtensionsWithoutTheCoreHeader(t *testing.T) {
	t.Parallel()
	const path = "xla/pjrt/c/pjrt_c_api_bell_extension.h"
	var sets []*model.Set
	for _, root := range []string{"old", "new"} {
		set, err := model.NewSet(readRoot(t, root).Header(path))
		require.NoError(t, err)
		sets = append(sets, set)
	}
	got, breaking := lines(diff.Compare(sets[0], sets[1], diff.Options{}))
	assert.Equal(t, []string{
		"macro retyped PJRT_API_BELL_EXTENSION_VERSION",
		"slot added PJRT_Bell_Extension.count",
		"struct resized PJRT_Bell_Extension",
	}, got)
	assert.Zero(t, breaking)
}

// A slot may have a different name from its function type, by which the history
// knows it.
func TestCompareAsksForTheMinorOfASlotAndOfItsFunction(t *testing.T) {
	t.Parallel()
	since := func(_, item string) (int, bool) {
		minor, ok := map[string]int{"PJRT_Open": 3, "leave": 4}[item]
		return minor, ok
	}
	r := diff.Compare(parse(t, table("void (*f)(void);", "f")),
		parse(t, table("void (*f)(void); PJRT_Open* enter; PJRT_Shut* leave; PJRT_Shut* away;", "away")), diff.Options{Since: since})
	got := map[string]any{}
	for _, c := range r.Changes {
		if c.Item == diff.ItemSlot {
			got[c.Name] = nil
			if c.Since != nil {
				got[c.Name] = *c.Since
			}
		}
	}
	assert.Equal(t, map[string]any{"enter": 3, "leave": 4, "away": nil}, got)
}
