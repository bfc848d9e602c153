// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package header

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

const root = "../../third_party/xla"

// notPrinted are keys of the measured facts that no reader of a header can
// know.
var notPrinted = []string{"target", "c11"}

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
			for _, diff := range missing("", got, want) {
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

// missing lists what want has and got has not, or has otherwise.
func missing(at string, got, want any) (diffs []string) {
	switch want := want.(type) {
	case map[string]any:
		have, ok := got.(map[string]any)
		if !ok {
			return []string{fmt.Sprintf("%s: got %v, want an object", at, got)}
		}
		for _, k := range sortedKeys(want) {
			if at == "" && slices.Contains(notPrinted, k) {
				continue
			}
			diffs = append(diffs, missing(at+"."+k, have[k], want[k])...)
		}
	case []any:
		have, _ := got.([]any)
		if len(have) != len(want) {
			return []string{fmt.Sprintf("%s: got %d entries %s, want %d %s", at, len(have), namesOf(have), len(want), namesOf(want))}
		}
		if len(want) > 0 && filepath.Ext(at) == ".typedefs" {
			byText := func(a, b any) int { return bytes.Compare([]byte(fmt.Sprint(a)), []byte(fmt.Sprint(b))) }
			slices.SortFunc(have, byText)
			slices.SortFunc(want, byText)
		}
		for i := range want {
			diffs = append(diffs, missing(fmt.Sprintf("%s[%d %s]", at, i, nameOf(want[i])), have[i], want[i])...)
		}
	default:
		if got == nil && (want == nil || want == false || want == "") {
			return nil
		}
		if got != want {
			return []string{fmt.Sprintf("%s: got %v, want %v", at, got, want)}
		}
	}
	return diffs
}

func nameOf(v any) string {
	if m, ok := v.(map[string]any); ok {
		for _, k := range []string{"name", "struct", "anonymous"} {
			if s, ok := m[k].(string); ok {
				return s
			}
		}
	}
	return ""
}

func namesOf(list []any) (names []string) {
	for _, v := range list {
		names = append(names, nameOf(v))
	}
	return names
}
