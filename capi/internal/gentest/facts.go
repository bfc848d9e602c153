// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package gentest

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/gen/facts"
)

// Header has the measured facts of a C header on which Go code depends.
type Header struct {
	Path   string
	C11    bool // a C compiler accepts it, not only a C++ compiler
	Macros []struct {
		Name         string
		FunctionLike bool `json:"function_like"`
		Value        *int64
	}
	Opaque []string
	Enums  []struct {
		Name   string
		Scoped bool
		Values []struct {
			Name  string
			Value int64
		}
	}
	Structs []struct {
		Name       string
		Role       string
		Typedefs   []string
		Sizeof     int64
		StructSize *struct {
			Const   string
			Value   int64
			Forgets string `json:"last_field_is_not_last"`
		} `json:"struct_size"`
		Fields []Field
	}
	Tables []struct {
		Struct    string
		Functions []struct {
			Name       string
			Offset     int64
			Deprecated bool `json:"deprecated_slot"`
		}
	}
	Callbacks []struct{ Name string }
	Functions []struct{ Name string }
}

// Field is a member of a struct.
type Field struct {
	Name         string
	Anonymous    string
	Kind         string
	Offset, Size int64
	Fields       []Field
}

// Facts reads the facts of all headers for which keep returns true at a minor of the API, from the folder
// third_party/xla below root.
func Facts(t *testing.T, root string, minor int, keep func(path string) bool) []Header {
	t.Helper()
	docs, err := facts.Read(filepath.Join(root, "third_party/xla/facts"), minor)
	require.NoError(t, err)
	var out []Header
	for _, path := range slices.Sorted(maps.Keys(docs)) {
		if !keep(path) {
			continue
		}
		text, err := json.Marshal(docs[path])
		require.NoError(t, err)
		var h Header
		require.NoError(t, json.Unmarshal(text, &h), path)
		out = append(out, h)
	}
	require.NotEmpty(t, out, "no facts of API 0.%d", minor)
	return out
}
