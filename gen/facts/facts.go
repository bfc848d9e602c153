// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package facts reads, compares and extends what is known of the headers of each minor, which is
// committed in third_party/xla/facts: documents in the form that `pjrtgen facts` prints, each
// measured or confirmed by compilers, and the history of the core header.
package facts

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
)

// notPrinted are keys of measured facts that no reader of a header can know.
var notPrinted = []string{"target", "c11", witnessKey}

// Compare reads two documents and returns a line for each thing that the measured one has
// and the printed one lacks or has differently. What only the printed one has is not a
// difference, because not everything was measured.
func Compare(printed, measured []byte) ([]string, error) {
	var got, want map[string]any
	if err := json.Unmarshal(printed, &got); err != nil {
		return nil, fmt.Errorf("what was printed is not the facts of a header: %w", err)
	}
	if err := json.Unmarshal(measured, &want); err != nil {
		return nil, fmt.Errorf("not the facts of a header: %w", err)
	}
	return Missing(got, want), nil
}

// Missing is Compare for documents that have been read.
func Missing(got, want map[string]any) []string { return missing("", got, want) }

func missing(at string, got, want any) (diffs []string) {
	switch want := want.(type) {
	case map[string]any:
		have, ok := got.(map[string]any)
		if !ok {
			return []string{fmt.Sprintf("%s: got %v, want an object", at, got)}
		}
		for _, k := range slices.Sorted(maps.Keys(want)) {
			if at == "" && slices.Contains(notPrinted, k) {
				continue
			}
			diffs = append(diffs, missing(at+"."+k, have[k], want[k])...)
		}
	case []any:
		have, _ := got.([]any)
		if len(have) != len(want) {
			return []string{fmt.Sprintf("%s: got %d entries %s, want %d %s", at, len(have), names(have), len(want), names(want))}
		}
		if path.Ext(at) == ".typedefs" {
			have, want = sorted(have), sorted(want)
		}
		for i := range want {
			diffs = append(diffs, missing(fmt.Sprintf("%s[%d %s]", at, i, name(want[i])), have[i], want[i])...)
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

// sorted returns a sorted copy of a list whose order means nothing.
func sorted(list []any) []any {
	return slices.SortedFunc(slices.Values(list), func(a, b any) int {
		return bytes.Compare([]byte(fmt.Sprint(a)), []byte(fmt.Sprint(b)))
	})
}

func name(v any) string {
	if m, ok := v.(map[string]any); ok {
		for _, k := range []string{"name", "struct", "anonymous"} {
			if s, ok := m[k].(string); ok {
				return s
			}
		}
	}
	return ""
}

func names(list []any) (all []string) {
	for _, v := range list {
		all = append(all, name(v))
	}
	return all
}
