// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package diff_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/gen/diff"
	"github.com/purepjrt/purepjrt/gen/header"
	"github.com/purepjrt/purepjrt/gen/model"
)

const before = `#include <stddef.h>
#include <stdbool.h>
typedef struct PJRT_Error PJRT_Error;
typedef struct PJRT_Door PJRT_Door;
typedef enum PJRT_Material { PJRT_Material_WOOD } PJRT_Material;
typedef struct PJRT_Door_Open_Args { size_t struct_size; PJRT_Door* door; } PJRT_Door_Open_Args;
typedef PJRT_Error* PJRT_Door_Open(PJRT_Door_Open_Args* args);
`

const after = `#include <stddef.h>
#include <stdbool.h>
#define PJRT_DOORS 1
typedef struct PJRT_Error PJRT_Error;
typedef struct PJRT_Door PJRT_Door;
typedef struct PJRT_Key PJRT_Key;
typedef enum PJRT_Material { PJRT_Material_WOOD, PJRT_Material_GLASS } PJRT_Material;
typedef enum PJRT_Colour { PJRT_RED } PJRT_Colour;
typedef struct PJRT_Door_Open_Args {
  size_t struct_size;
  PJRT_Door* door;
  void* state;
  char* note;
  size_t num_guests;
  PJRT_Key** keys;  // out
  const char* label;
} PJRT_Door_Open_Args;
typedef PJRT_Error* PJRT_Door_Open(PJRT_Door_Open_Args* args);
typedef struct PJRT_Door_Width_Args { size_t struct_size; PJRT_Door* door; size_t width;  // out
} PJRT_Door_Width_Args;
typedef PJRT_Error* PJRT_Door_Width(PJRT_Door_Width_Args* args);
typedef struct PJRT_Door_Destroy_Args { size_t struct_size; PJRT_Door* door; } PJRT_Door_Destroy_Args;
typedef PJRT_Error* PJRT_Door_Destroy(PJRT_Door_Destroy_Args* args);
typedef void (*PJRT_Key_Free)(PJRT_Key* key);
`

const describe = `var structDoorOpenArgs = Struct{Name: "PJRT_Door_Open_Args", Fields: []Field{
	{Name: "label", Offset: 0, Kind: Address},
	{Name: "keys", Offset: 8, Kind: Handle, Counts: []string{"num_keys"}},
}}
`

func set(t *testing.T, text string) *model.Set {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pjrt_c_api_door_extension.h")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	h, err := header.Parse(path, header.Options{})
	require.NoError(t, err)
	h.Path = "xla/door.h"
	s, err := model.NewSet(h)
	require.NoError(t, err)
	return s
}

func TestNewItemsStandForTheirMembers(t *testing.T) {
	t.Parallel()
	items := diff.Additions(set(t, before), set(t, after))
	var names []string
	for _, i := range items {
		names = append(names, string(i.Item)+" "+i.Name)
	}
	assert.ElementsMatch(t, []string{
		"function PJRT_Door_Width", "function PJRT_Door_Destroy", "callback PJRT_Key_Free",
		"struct struct PJRT_Door_Width_Args", "struct struct PJRT_Door_Destroy_Args",
		"field PJRT_Door_Open_Args.state", "field PJRT_Door_Open_Args.note", "field PJRT_Door_Open_Args.num_guests",
		"field PJRT_Door_Open_Args.keys", "field PJRT_Door_Open_Args.label",
		"enum PJRT_Colour", "value PJRT_Material.PJRT_Material_GLASS", "handle PJRT_Key", "macro PJRT_DOORS",
	}, names)
	assert.Empty(t, diff.Additions(set(t, after), set(t, after)))
}

func TestTablesOfExceptionsAreAskedAbout(t *testing.T) {
	t.Parallel()
	got := make(map[string]bool)
	lists := strings.Replace(after, "const char* label;", `const char* label;
		const char** hinges; const size_t* hinge_lengths; size_t num_hinges;
		const char** locks; size_t num_locks;`, 1)
	for _, q := range diff.Questions(diff.Additions(set(t, before), set(t, lists)), describe) {
		assert.NotEmpty(t, q.Why)
		got[q.Table+" "+q.Item] = true
	}
	assert.Equal(t, map[string]bool{
		"pure PJRT_Door_Width":                  true,
		"deleterWords PJRT_Key_Free":            true,
		"wordNames PJRT_Door_Open_Args.state":   true,
		"unmarkedOut PJRT_Door_Open_Args.note":  true,
		"callerMemory PJRT_Door_Open_Args.keys": true,
		"mayBeNull PJRT_Door_Open_Args.keys":    true,
		"countedBy PJRT_Door_Open_Args.label":   true,
		"countedBy PJRT_Door_Open_Args":         true, // num_guests
		"sizedBy PJRT_Door_Open_Args.locks":     true, // the lengths of hinges have a name that says so
		"valuePrefixes PJRT_Colour":             true,
	}, got)
}

func TestWhatDescribeDoesNotKnowIsFound(t *testing.T) {
	t.Parallel()
	assert.Equal(t, []string{
		"PJRT_Door_Open_Args.state", "PJRT_Door_Open_Args.note", "PJRT_Door_Open_Args.num_guests", "PJRT_Door_Open_Args.label",
		"PJRT_Door_Width_Args", "PJRT_Door_Destroy_Args",
	}, diff.Undescribed(diff.Additions(set(t, before), set(t, after)), describe))
}

func TestWhatNoSourceNamesIsFound(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"pjrt/door.go":             "package pjrt // PJRT_Material_GLASS\nvar a capi.DoorWidthArgs\nvar b capi.DoorOpenArgs\nfunc f() { b.State = 1 }\n",
		"pjrt/other.go":            "package pjrt\nvar note, Label int\n",
		"pjrt/door_test.go":        "package pjrt\nvar c capi.DoorDestroyArgs\n",
		"pjrt/zz_generated.go":     "package pjrt\nvar d capi.Key\n",
		"pjrt/testdata/example.go": "package example\nvar e capi.Colour\n",
	} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	}
	s, err := diff.ReadSources(dir, "pjrt")
	require.NoError(t, err)
	var names []string
	for _, i := range s.Unnamed(diff.Additions(set(t, before), set(t, after))) {
		names = append(names, i.Name)
	}
	assert.ElementsMatch(t, []string{
		"PJRT_Door_Destroy", "PJRT_Key_Free", "PJRT_Door_Open_Args.note", "PJRT_Door_Open_Args.num_guests", "PJRT_Door_Open_Args.keys",
		"PJRT_Door_Open_Args.label", "PJRT_Colour", "PJRT_Key",
	}, names)
	_, err = diff.ReadSources(dir, "none")
	assert.Error(t, err)
}
