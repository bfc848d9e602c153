// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package diff_test

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/gen/diff"
	"github.com/purepjrt/purepjrt/gen/model"
)

// pastCore is the past of the core header, as third_party/xla/README.md explains
// it: a value in a run holds from its minor on.
type pastCore struct {
	API       [][5]int64 // minor, size, constant, functions, offset of the first
	Functions []struct {
		Minor     int
		Functions []string
		Append    []string
	}
	StructSizes map[string]runs `json:"struct_sizes"`
	Enums       map[string]map[string]runs
}

type runs [][2]*int64

func (r runs) at(minor int) (value int64, ok bool) {
	for _, run := range r {
		if *run[0] <= int64(minor) {
			ok = run[1] != nil
			if ok {
				value = *run[1]
			}
		}
	}
	return value, ok
}

// set returns what the past knows of the core header of a minor: the table, the
// sizes of the structs and the enums.
func (p pastCore) set(t *testing.T, minor int) *model.Set {
	t.Helper()
	h := &model.Header{Path: "xla/pjrt/c/pjrt_c_api.h", APIVersion: &model.Version{Minor: minor}}
	for _, name := range slices.Sorted(maps.Keys(p.StructSizes)) {
		if size, ok := p.StructSizes[name].at(minor); ok && name != "PJRT_Api" {
			h.Structs = append(h.Structs, model.Struct{Name: name, HasStructSize: true, StructSize: &model.StructSize{Value: size}})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.Enums)) {
		e := model.Enum{Name: name, Size: 4}
		for _, value := range slices.Sorted(maps.Keys(p.Enums[name])) {
			if number, ok := p.Enums[name][value].at(minor); ok {
				e.Values = append(e.Values, model.EnumValue{Name: value, Value: number})
			}
		}
		if len(e.Values) > 0 {
			h.Enums = append(h.Enums, e)
		}
	}
	var api [5]int64
	for _, step := range p.API {
		if step[0] <= int64(minor) {
			api = step
		}
	}
	h.Structs = append(h.Structs, model.Struct{Name: "PJRT_Api", HasStructSize: true, StructSize: &model.StructSize{Value: api[2]}})
	table := model.Table{Struct: "PJRT_Api", Role: model.RoleAPITable}
	for i, name := range p.order(minor) {
		table.Slots = append(table.Slots, model.Slot{Slot: i, Name: name, Offset: api[4] + 8*int64(i)})
	}
	h.Tables = []model.Table{table}
	set, err := model.NewSet(h)
	require.NoError(t, err)
	return set
}

func (p pastCore) order(minor int) []string {
	var out []string
	for _, step := range p.Functions {
		switch {
		case step.Minor > minor:
			return out
		case step.Append != nil:
			out = append(slices.Clone(out), step.Append...)
		default:
			out = step.Functions
		}
	}
	return out
}

func readPast(t *testing.T) pastCore {
	t.Helper()
	text, err := os.ReadFile("../../third_party/xla/facts/history.json")
	require.NoError(t, err)
	var past pastCore
	require.NoError(t, json.Unmarshal(text, &past))
	return past
}

// The minors of PJRT that broke the ABI of their predecessor, as far as the
// table, struct sizes and enums show.
func TestCompareFindsTheMinorsThatBrokeTheABI(t *testing.T) {
	t.Parallel()
	past := readPast(t)
	var broke []int
	for minor := 1; minor <= 114; minor++ {
		if diff.Compare(past.set(t, minor-1), past.set(t, minor), diff.Options{}).Breaking > 0 {
			broke = append(broke, minor)
		}
	}
	assert.Equal(t, []int{1, 2, 4, 5, 6, 7, 9, 10, 11, 13, 14, 15, 16, 17, 18, 19, 20, 22, 25, 26, 27, 28, 41, 56, 57}, broke)
}

func TestCompareOfMinors(t *testing.T) {
	t.Parallel()
	past := readPast(t)
	for _, test := range []struct {
		name            string
		from, to        int
		added, moved    int // slots
		values, resized int
		breaking        int
		first           string // the first added slot
		corrected       bool   // PJRT_Api's constant
	}{
		// Put into the middle of the table ...
		{name: "0.56", from: 55, to: 56, added: 1, moved: 31, resized: 1, breaking: 33, first: "PJRT_Buffer_CopyRawToHost"},
		// ... and back to its end, where the constant was put right too.
		{name: "0.57", from: 56, to: 57, moved: 32, breaking: 32, corrected: true},
		{name: "0.55 to 0.57", from: 55, to: 57, added: 1, resized: 1, first: "PJRT_Buffer_CopyRawToHost"},
		{name: "0.45", from: 44, to: 45, resized: 1},
		{name: "0.114", from: 113, to: 114, values: 2},
		{name: "0.60 to 0.114", from: 60, to: 114, added: 34, values: 30, resized: 8, first: "PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := diff.Compare(past.set(t, test.from), past.set(t, test.to), diff.Options{})
			count := func(item diff.Item, kind diff.Kind) int {
				n := 0
				for _, c := range r.Changes {
					if c.Item == item && c.Kind == kind {
						n++
					}
				}
				return n
			}
			assert.Equal(t, test.added, count(diff.ItemSlot, diff.Added), "slots added")
			assert.Equal(t, test.moved, count(diff.ItemSlot, diff.Moved), "slots moved")
			assert.Equal(t, test.values, count(diff.ItemValue, diff.Added), "values added")
			assert.Equal(t, test.resized, count(diff.ItemStruct, diff.Resized), "structs resized")
			assert.Equal(t, test.breaking, r.Breaking, "breaking")
			assert.Equal(t, test.corrected, count(diff.ItemStruct, diff.Corrected) == 1, "constant put right")
			if test.first != "" {
				i := slices.IndexFunc(r.Changes, func(c diff.Change) bool { return c.Item == diff.ItemSlot && c.Kind == diff.Added })
				require.GreaterOrEqual(t, i, 0)
				assert.Equal(t, test.first, r.Changes[i].Name)
			}
		})
	}
}
