// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package restate_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/gen/header"
	"github.com/purepjrt/purepjrt/gen/restate"
)

// side is a header with a text.
func side(t *testing.T, text string) restate.Side {
	t.Helper()
	path := filepath.Join(t.TempDir(), "door.h")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	h, err := header.Parse(path, header.Options{})
	require.NoError(t, err)
	h.Path = "xla/door.h"
	return restate.Side{Text: []byte(text), Model: h}
}

// ours says everything in words of our own; the originals of the tests below spell it
// differently, and in another order.
const ours = `// Doors.
#define DOOR_VERSION 3

// A door.
typedef struct Door Door;

// What a door is made of.
typedef enum Door_Material {
  Door_WOOD = 0,  // the usual
  // Cold.
  Door_IRON
} Door_Material;

// The arguments of Door_Open.
struct Door_Open_Args {
  int size;
  // Which one.
  Door* door;  // in
  int how_far;  // out, in degrees
};
enum { Door_Open_Args_STRUCT_SIZE = offsetof(struct Door_Open_Args, how_far) + sizeof(((struct Door_Open_Args*)0)->how_far) };

// Opens a door.
typedef int Door_Open(struct Door_Open_Args* args);

// All functions.
struct Door_Api {
  Door_Open* open;
};
`

// original is the header that ours restates.
const original = `#define DOOR_VERSION 3  // theirs
typedef struct Door Door;  // theirs
typedef int (Door_Open)(struct Door_Open_Args*);
/* theirs */
typedef enum { Door_WOOD, Door_IRON } Door_Material;
typedef struct Door_Open_Args {
  int size;
  Door *door;  // in
  int how_far;  // out
} Door_Open_Args;
enum { Door_Open_Args_STRUCT_SIZE = offsetof(struct Door_Open_Args, how_far) + sizeof(((struct Door_Open_Args*)0)->how_far) };
struct Door_Api { Door_Open* open; };
`

func replace(t *testing.T, text string, pairs ...string) string {
	t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		require.Contains(t, text, pairs[i])
		text = strings.ReplaceAll(text, pairs[i], pairs[i+1])
	}
	return text
}

func TestWhatTheOriginalGainedIsAddedInItsPlaceWithoutItsComments(t *testing.T) {
	for name, c := range map[string]struct {
		newer []string // replacements in the original
		want  []string // replacements in ours
		added []string
	}{
		"nothing": {nil, nil, nil},
		"a version": {
			[]string{"VERSION 3", "VERSION 4"},
			[]string{"VERSION 3", "VERSION 4"}, nil,
		},
		"a field at the end": {
			[]string{"how_far;  // out\n", "how_far;  // out\n  // Theirs.\n  const char*\n      sound;  // out: theirs\n", "Args, how_far)", "Args, sound)", "->how_far", "->sound"},
			[]string{"out, in degrees\n", "out, in degrees\n  const char* sound;  // out\n", "Args, how_far)", "Args, sound)", "->how_far", "->sound"},
			[]string{"Door_Open_Args.sound"},
		},
		"a value after one without a comma": {
			[]string{"Door_IRON }", "Door_IRON, Door_GLASS = 7 /* theirs */ }"},
			[]string{"  Door_IRON\n", "  Door_IRON,\n  Door_GLASS = 7,\n"},
			[]string{"Door_Material.Door_GLASS"},
		},
		"a function with its arguments": {
			[]string{"typedef int (Door_Open)(struct Door_Open_Args*);\n", "typedef int (Door_Open)(struct Door_Open_Args*);\n" +
				"// Theirs.\nstruct Door_Shut_Args {\n  int size;\n  /* theirs */ Door* door;  // in, theirs\n  bool* slammed;  // out\n};\n" +
				"typedef int Door_Shut(  // theirs\n    struct Door_Shut_Args* args);\n",
				"Door_Open* open; };", "Door_Open* open; Door_Shut* shut; };"},
			[]string{"struct Door_Open_Args* args);\n", "struct Door_Open_Args* args);\n\n" +
				"struct Door_Shut_Args {\n  int size;\n  Door* door;  // in\n  bool* slammed;  // out\n};\n\n" +
				"typedef int Door_Shut(\n    struct Door_Shut_Args* args);\n",
				"  Door_Open* open;\n", "  Door_Open* open;\n  Door_Shut* shut;\n"},
			[]string{"Door_Shut", "struct Door_Shut_Args", "Door_Shut_Args.size", "Door_Shut_Args.door", "Door_Shut_Args.slammed", "Door_Api.shut"},
		},
		"a handle, an enum and a macro": {
			[]string{"typedef struct Door Door;  // theirs\n", "typedef struct Door Door;\ntypedef struct Key Key;  // theirs\n#define KEY_SIZE 4\n" +
				"typedef enum Key_Kind {\n  Key_ROUND,  // theirs\n} Key_Kind;\n"},
			[]string{"typedef struct Door Door;\n", "typedef struct Door Door;\n\ntypedef struct Key Key;\n\n#define KEY_SIZE 4\n\n" +
				"typedef enum Key_Kind {\n  Key_ROUND,\n} Key_Kind;\n"},
			[]string{"Key", "KEY_SIZE", "Key_Kind.Key_ROUND"},
		},
		"a field that is deprecated now": {
			[]string{"  Door *door;", "  Door *door;  // DEPRECATED: theirs. Then"},
			[]string{"  Door* door;", "  // Deprecated.\n  Door* door;"}, nil,
		},
		"a function pointer that is too long for a line": {
			[]string{"  int how_far;  // out\n", "  int how_far;  // out\n  int (*push)(  // theirs\n      struct Door_Open_Args* args, const char* who,\n" +
				"      const char* why, int how_hard, int how_long);\n", "Args, how_far)", "Args, push)", "->how_far", "->push"},
			[]string{"out, in degrees\n", "out, in degrees\n  int (*push)(\n      struct Door_Open_Args* args, const char* who, const char* why,\n" +
				"      int how_hard, int how_long);\n", "Args, how_far)", "Args, push)", "->how_far", "->push"},
			[]string{"Door_Open_Args.push"},
		},
		"a name that is too long for a line": {
			[]string{"  int how_far;  // out\n", "  int how_far;  // out\n  const struct Door_Open_Args* const* all_the_others_that_are_opened_as_well_as_it;  // out\n",
				"Args, how_far)", "Args, all_the_others_that_are_opened_as_well_as_it)", "->how_far", "->all_the_others_that_are_opened_as_well_as_it"},
			[]string{"out, in degrees\n", "out, in degrees\n  const struct Door_Open_Args* const*\n      all_the_others_that_are_opened_as_well_as_it;  // out\n",
				"Args, how_far)", "Args, all_the_others_that_are_opened_as_well_as_it)", "->how_far", "->all_the_others_that_are_opened_as_well_as_it"},
			[]string{"Door_Open_Args.all_the_others_that_are_opened_as_well_as_it"},
		},
		"a type that is const now": {
			[]string{"  Door *door;", "  const Door *door;"},
			[]string{"  Door* door;", "  const Door *door;"}, nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			newer := side(t, replace(t, "#include <stddef.h>\n#include <stdbool.h>\n"+original, c.newer...))
			got, err := restate.Update(side(t, "#include <stddef.h>\n#include <stdbool.h>\n"+ours), newer)
			require.NoError(t, err)
			want := replace(t, "#include <stddef.h>\n#include <stdbool.h>\n"+ours, c.want...)
			assert.Equal(t, want, string(got.Text))
			assert.Equal(t, c.added, got.Added)
			assert.NotContains(t, strings.ToLower(string(got.Text)), "theirs")
			// Doing it again changes nothing.
			again, err := restate.Update(side(t, string(got.Text)), newer)
			require.NoError(t, err)
			assert.Equal(t, string(got.Text), string(again.Text))
		})
	}
}

// The slots of the core table are macros, after an attribute.
func TestAFunctionIsAddedAfterTheLastOfATableOfMacros(t *testing.T) {
	const head = "#include <stddef.h>\n#define MUST __attribute__((warn_unused_result))\n#define SLOT(f) f* f\n" +
		"typedef int Open(void);\ntypedef int Shut(void);\n"
	const table = "struct Api {\n  size_t struct_size;\n\n  MUST SLOT(Open);\n  // The last.\n  MUST SLOT(\n      Shut);\n};\n"
	newer := replace(t, head+table, "      Shut);\n", "      Shut);\n  MUST SLOT(Lock);  // theirs\n", "typedef int Shut(void);\n", "typedef int Shut(void);\ntypedef int Lock(void);\n")
	got, err := restate.Update(side(t, head+table), side(t, newer))
	require.NoError(t, err)
	assert.Equal(t, strings.ReplaceAll(replace(t, newer, "typedef int Lock", "\ntypedef int Lock"), "  // theirs", ""), string(got.Text))
	assert.Equal(t, []string{"Lock", "Api.Lock"}, got.Added)
}

func TestAFieldGetsItsNewerName(t *testing.T) {
	t.Parallel()
	older := side(t, "#include <stddef.h>\n"+ours)
	newer := side(t, replace(t, "#include <stddef.h>\n"+original, "  int how_far;  // out\n", "  int width;  // out\n  char more;\n", "how_far", "more"))
	assert.Equal(t, map[string]string{"Door_Open_Args.how_far": "Door_Open_Args.width"}, restate.Renames(older.Model, newer.Model))
	got, err := restate.Update(older, newer)
	require.NoError(t, err)
	assert.Contains(t, string(got.Text), "  Door* door;  // in\n  int width;  // out, in degrees\n  char more;\n};\n")
	assert.Contains(t, string(got.Text), "offsetof(struct Door_Open_Args, more)")
	assert.Contains(t, got.Changed, "Door_Open_Args.width")
	assert.Contains(t, got.Added, "Door_Open_Args.more")
	assert.NotContains(t, got.Added, "Door_Open_Args.width")
}

func TestRenamesAreFieldsOfTheSamePlaceAndType(t *testing.T) {
	t.Parallel()
	const before = "struct A { int a; int b; void* c; };\n"
	for after, want := range map[string]map[string]string{
		before:                                                              {},
		"struct A { int a; int x; void* c; };\n":                            {"A.b": "A.x"},
		"struct A { int y; int x; void* c; };\n":                            {"A.a": "A.y", "A.b": "A.x"},
		"struct A { int a; unsigned x; void* c; };\n":                       {},
		"struct A { int b; int a; void* c; };\n":                            {},
		"struct A { int a; int b; void* c; int d; };\nstruct B { int x; };": {},
	} {
		assert.Equal(t, want, restate.Renames(side(t, before).Model, side(t, after).Model), after)
	}
}

func TestWhatIsGoneOrHasAnotherTypeIsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		newer []string
		want  string
	}{
		"a field": {[]string{"  int how_far;  // out\n", "", "how_far", "door"}, "xla/door.h:20:7: the newer header has no Door_Open_Args.how_far"},
		"a value": {[]string{"Door_WOOD, ", ""}, "has no Door_Material.Door_WOOD"},
		"a function's type": {
			[]string{"(Door_Open)(struct Door_Open_Args*)", "(Door_Open)(struct Door_Open_Args*, int)"},
			"Door_Open has another type",
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := restate.Update(side(t, "#include <stddef.h>\n"+ours), side(t, replace(t, "#include <stddef.h>\n"+original, c.newer...)))
			assert.ErrorContains(t, err, c.want)
		})
	}
}

func TestAHeaderThatWeLackIsTakenWithoutItsComments(t *testing.T) {
	newer := side(t, "// Theirs.\n#ifndef DOOR_H\n#define DOOR_H\n#include <stddef.h>  // theirs\n"+original+"#endif  // theirs\n")
	got, err := restate.New(newer)
	require.NoError(t, err)
	text := string(got.Text)
	assert.True(t, strings.HasPrefix(text, "/* SPDX-License-Identifier: Apache-2.0\n"), text)
	assert.NotContains(t, strings.ToLower(text), "theirs")
	assert.Contains(t, text, "  Door *door;  // in\n  int how_far;  // out\n}")
	made := side(t, text)
	assert.Equal(t, newer.Model.Structs[0].Fields, made.Model.Structs[0].Fields)
	assert.Equal(t, newer.Model.Guard, made.Model.Guard)
	assert.Contains(t, text, "\n\n#ifndef DOOR_H\n#define DOOR_H\n\n#include <stddef.h>\n\n#define DOOR_VERSION 3\n")
	assert.Contains(t, got.Added, "Door_Open_Args.how_far")
	assert.Equal(t, []string{
		"Door_Open", "Door", "DOOR_VERSION", "struct Door_Open_Args with 3 fields", "struct Door_Api with 1 field", "enum Door_Material with 2 values",
	}, restate.Summary(newer.Model, got.Added))
}
