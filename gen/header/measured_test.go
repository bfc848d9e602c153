// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package header

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"slices"
	"testing"

	"github.com/purepjrt/purepjrt/gen/facts"
	"github.com/stretchr/testify/require"
)

const root = "../../third_party/xla"

// TestFactsOfEveryHeaderEqualTheMeasuredOnes compares each header of the tree,
// key by key, with what compilers said about it.
func TestFactsOfEveryHeaderEqualTheMeasuredOnes(t *testing.T) {
	t.Parallel()
	minors, err := facts.Minors(filepath.Join(root, "facts"))
	require.NoError(t, err)
	require.NotEmpty(t, minors)
	measured, err := facts.Read(filepath.Join(root, "facts"), minors[len(minors)-1])
	require.NoError(t, err)
	for path, want := range measured {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			require.NoError(t, Facts(&out, filepath.Join(root, filepath.FromSlash(path)), Options{IncludeDirs: []string{root}}))
			var got map[string]any
			require.NoError(t, json.Unmarshal(out.Bytes(), &got))
			hideFFITable(got)
			for _, diff := range facts.Missing(got, want) {
				t.Error(diff)
			}
		})
	}
}

// hideFFITable makes XLA_FFI_Api a struct again, not a table of functions: the
// measurement of the FFI header did not look for tables and calls it a struct.
func hideFFITable(doc map[string]any) {
	const name = "XLA_FFI_Api"
	for _, s := range doc["structs"].([]any) {
		if nameOf(s) == name {
			s.(map[string]any)["role"] = "struct"
		}
	}
	doc["tables"] = slices.DeleteFunc(doc["tables"].([]any), func(v any) bool { return nameOf(v) == name })
}

func nameOf(v any) string {
	m, _ := v.(map[string]any)
	for _, k := range []string{"name", "struct"} {
		if s, ok := m[k].(string); ok {
			return s
		}
	}
	return ""
}
