// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package golang

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/gen/model"
)

func TestSinceFileSurvivesReadingAndWriting(t *testing.T) {
	t.Parallel()
	want, err := os.ReadFile("../../third_party/xla/since.json")
	require.NoError(t, err)
	s, err := ReadSince(bytes.NewReader(want))
	require.NoError(t, err)
	assert.Equal(t, string(want), string(s.Bytes()))
}

func TestReadSinceRefusesWhatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, want string }{
		"empty":          {"", "ends too early"},
		"a list":         {"[]", "cannot unmarshal array"},
		"another format": {`{"format":2}`, "format 2 is unknown"},
		"unknown key":    {`{"format":1,"extra":3}`, `unknown field "extra"`},
		"no minor":       {`{"format":1,"headers":{"a.h":{"f":[1]}}}`, "a.h: f: want [extension version or null, API minor], have [1]"},
		"cut short":      {`{"format":1,"core":{"f":1`, "ends too early"},
		"a word":         {`{"format":1,"core":{"f":"new"}}`, "cannot unmarshal"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := ReadSince(strings.NewReader(c.text))
			assert.ErrorContains(t, err, c.want)
		})
	}
}

func TestUpdateAddsOnlyWhatIsNew(t *testing.T) {
	t.Parallel()
	five := int64(5)
	core := &model.Header{
		Path:       "xla/pjrt/c/pjrt_c_api.h",
		APIVersion: &model.Version{Minor: 12},
		Functions:  []model.Func{{Name: "PJRT_Old"}, {Name: "PJRT_New"}},
		Structs: []model.Struct{{Name: "PJRT_S", Fields: []model.Field{
			{Name: "a"}, {Anonymous: "union", Fields: []model.Field{{Name: "b"}}},
		}}},
		Enums: []model.Enum{{Name: "PJRT_E", Values: []model.EnumValue{{Name: "PJRT_E_X"}}}},
	}
	ext := &model.Header{
		Path:             "xla/pjrt/c/pjrt_c_api_x_extension.h",
		ExtensionVersion: &model.ExtensionVersion{Value: five},
		Callbacks:        []model.Func{{Name: "PJRT_X_Callback"}},
	}
	set, err := model.NewSet(core, ext)
	require.NoError(t, err)
	s, err := ReadSince(strings.NewReader(`{"format":1,"minor":11,"core":{"PJRT_Old":3},"headers":{}}`))
	require.NoError(t, err)

	added, err := s.Update(set)
	require.NoError(t, err)
	assert.Equal(t, []string{"PJRT_New", "struct PJRT_S", "PJRT_S.a", "PJRT_S.b", "PJRT_E.PJRT_E_X", "PJRT_X_Callback"}, added)
	assert.Equal(t, 12, s.Minor)
	assert.Equal(t, 3, s.Lookup(core, "PJRT_Old"))
	assert.Equal(t, 12, s.Lookup(core, "PJRT_S.b"))
	assert.Equal(t, 12, s.Lookup(ext, "PJRT_X_Callback"))
	assert.Contains(t, string(s.Bytes()), `"PJRT_X_Callback":[5,12]`)

	again, err := s.Update(set)
	require.NoError(t, err)
	assert.Empty(t, again)
}

func TestARenamedItemKeepsItsVersion(t *testing.T) {
	t.Parallel()
	core := &model.Header{Path: "xla/pjrt/c/pjrt_c_api.h", APIVersion: &model.Version{Minor: 12}}
	ext := &model.Header{Path: "xla/pjrt/c/pjrt_c_api_x_extension.h"}
	s, err := ReadSince(strings.NewReader(`{"format":1,"minor":11,"core":{"S.a":3},"headers":{"` + ext.Path + `":{"X.a":[2,5]}}}`))
	require.NoError(t, err)
	s.Rename(core, map[string]string{"S.a": "S.b", "S.none": "S.c"})
	s.Rename(ext, map[string]string{"X.a": "X.b"})
	s.Rename(&model.Header{Path: "other.h"}, map[string]string{"X.a": "X.b"})
	assert.Equal(t, 3, s.Lookup(core, "S.b"))
	assert.Equal(t, 5, s.Lookup(ext, "X.b"))
	assert.NotContains(t, string(s.Bytes()), "S.c")
	assert.NotContains(t, string(s.Bytes()), "other.h")
}
