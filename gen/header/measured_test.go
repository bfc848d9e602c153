// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package header

import (
	"bytes"
	"encoding/json"
	"os"
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
	files, err := filepath.Glob(filepath.Join(root, "facts", "0.114", "*.json"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			var want map[string]any
			require.NoError(t, json.Unmarshal(text, &want))
			path, ok := want["path"].(string)
			require.True(t, ok)

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

// hideFFITable takes back that XLA_FFI_Api is a table of functions: the
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
