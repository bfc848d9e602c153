// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package facts

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/purepjrt/purepjrt/gen/model"
)

// keyOrder is the order of the keys in a document and in its items. Other keys follow in
// alphabetical order.
var keyOrder = []string{
	"path", witnessKey, "target", "c11", "guard", "includes", "api_version", "extension_version", "changed", "macros", "enums", "opaque",
	"struct", "name", "macro", "tag", "typedef", "kind", "typedefs", "role", "sizeof", "alignof", "struct_size", "tail_padding",
	"form", "ret", "type", "base", "ptr", "offset", "size", "value", "fields", "structs", "params", "functions", "callbacks", "tables",
}

// Format returns the text of a document, with a line for each item of a list, so that a
// diff shows what changed.
func Format(doc map[string]any) ([]byte, error) {
	var b bytes.Buffer
	err := object(&b, doc, func(v any) error { return section(&b, v) })
	b.WriteByte('\n')
	return b.Bytes(), err
}

// section writes a value of the document, or of "changed" in it.
func section(b *bytes.Buffer, v any) error {
	switch v := v.(type) {
	case []any:
		if len(v) == 0 || name(v[0]) == "" {
			return value(b, v)
		}
		b.WriteByte('[')
		for i, item := range v {
			fmt.Fprintf(b, "%s\n", model.Comma(i))
			if err := value(b, item); err != nil {
				return err
			}
		}
		b.WriteString("\n]")
		return nil
	case map[string]any:
		for _, x := range v {
			if items, ok := x.([]any); ok && len(items) > 0 && name(items[0]) != "" {
				return object(b, v, func(x any) error { return section(b, x) })
			}
		}
	}
	return value(b, v)
}

// object writes an object with a line for each key.
func object(b *bytes.Buffer, m map[string]any, write func(any) error) error {
	b.WriteByte('{')
	for i, k := range sortedKeys(m) {
		fmt.Fprintf(b, "%s\n%q:", model.Comma(i), k)
		if err := write(m[k]); err != nil {
			return err
		}
	}
	b.WriteString("\n}")
	return nil
}

// value writes a value in one line.
func value(b *bytes.Buffer, v any) error {
	switch v := v.(type) {
	case map[string]any:
		b.WriteByte('{')
		for i, k := range sortedKeys(v) {
			fmt.Fprintf(b, "%s%q:", model.Comma(i), k)
			if err := value(b, v[k]); err != nil {
				return err
			}
		}
		b.WriteByte('}')
	case []any:
		b.WriteByte('[')
		for i, x := range v {
			b.WriteString(model.Comma(i))
			if err := value(b, x); err != nil {
				return err
			}
		}
		b.WriteByte(']')
	default:
		e := json.NewEncoder(b)
		e.SetEscapeHTML(false)
		if err := e.Encode(v); err != nil {
			return err
		}
		b.Truncate(b.Len() - 1) // the end of the line
	}
	return nil
}

func sortedKeys(m map[string]any) []string {
	rank := func(k string) int {
		if _, document := m["path"]; document && k == "base" {
			return 1 // after the path; in a field it is the type
		}
		if i := slices.Index(keyOrder, k); i >= 0 {
			return 2 * i
		}
		return 2 * len(keyOrder)
	}
	return slices.SortedFunc(maps.Keys(m), func(a, b string) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b))
	})
}
