// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package facts_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/gen/facts"
	"github.com/purepjrt/purepjrt/gen/header"
	"github.com/purepjrt/purepjrt/gen/model"
)

const root = "../../third_party/xla"

func committed(t *testing.T) (*facts.History, *model.Header, string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "facts", "history.json"))
	require.NoError(t, err)
	h, err := facts.ReadHistory(bytes.NewReader(text))
	require.NoError(t, err)
	core, err := header.Parse(filepath.Join(root, "xla/pjrt/c/pjrt_c_api.h"), header.Options{IncludeDirs: []string{root}})
	require.NoError(t, err)
	return h, core, string(text)
}

func TestTheHistoryIsWrittenAsItWasRead(t *testing.T) {
	t.Parallel()
	h, core, text := committed(t)
	assert.Equal(t, text, string(h.Bytes()))
	require.NoError(t, h.Extend(core))
	assert.Equal(t, text, string(h.Bytes()), "nothing is new")
}

func TestWhatAMinorChangesIsAdded(t *testing.T) {
	t.Parallel()
	h, core, before := committed(t)
	core.APIVersion = &model.Version{Minor: 999}
	table := &core.Tables[len(core.Tables)-1]
	require.Equal(t, "PJRT_Api", table.Struct)
	table.Slots = append(table.Slots, model.Slot{Name: "PJRT_New"})
	for i := range core.Structs {
		switch s := &core.Structs[i]; s.Name {
		case "PJRT_Api":
			s.Size += 8
			s.StructSize.Value += 8
		case "PJRT_ExecuteOptions":
			s.StructSize.Value = 168
		}
	}
	core.Structs = append(core.Structs, model.Struct{Name: "PJRT_Small", Size: 4})
	core.Enums[0].Values = append(core.Enums[0].Values, model.EnumValue{Name: "PJRT_More", Value: 77})
	gone := core.Enums[1].Values[0].Name
	core.Enums[1].Values = core.Enums[1].Values[1:]
	require.NoError(t, h.Extend(core))
	after := string(h.Bytes())
	assert.Contains(t, after, `"last_minor":999,`)
	assert.Contains(t, after, "{\"minor\":999,\"append\":[\"PJRT_New\"]}\n],")
	assert.Regexp(t, `\n\[999,\d+,\d+,\d+,40\]\n\],`, after)
	assert.Contains(t, after, ",[999,168]]")
	assert.Contains(t, after, ",\n\"PJRT_Small\":[[999,4]]\n}")
	assert.Contains(t, after, `"PJRT_More":[[999,77]]`)
	assert.Regexp(t, `"`+gone+`":\[\[\d+,\d+\],\[999,null\]\]`, after)
	assert.Equal(t, len(strings.Split(before, "\n"))+3, len(strings.Split(after, "\n")))
}

func TestAMinorThatTheHistoryKnowsDoesNotChange(t *testing.T) {
	t.Parallel()
	h, core, _ := committed(t)
	core.Enums[0].Values = append(core.Enums[0].Values, model.EnumValue{Name: "PJRT_More", Value: 77})
	require.ErrorContains(t, h.Extend(core), "differs from what the history says of API 0.")
	h, core, _ = committed(t)
	core.APIVersion = &model.Version{Minor: 3}
	assert.ErrorContains(t, h.Extend(core), "the history is only extended forward")
}
