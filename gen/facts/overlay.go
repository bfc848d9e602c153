// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package facts

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
)

// Overlay returns the document with only those facts of a header that differ from base,
// the facts of an older minor, whose version is given. Items that differ are in the lists
// under "changed" and replace those of the same name; any other value that differs is
// given as a whole.
func Overlay(version string, base, now map[string]any) map[string]any {
	out := map[string]any{"path": now["path"], "base": version}
	changed := make(map[string]any)
	for _, key := range slices.Sorted(maps.Keys(now)) {
		if reflect.DeepEqual(base[key], now[key]) {
			continue
		}
		if items := changedItems(base[key], now[key]); items != nil {
			changed[key] = items
		} else {
			out[key] = now[key]
		}
	}
	for key := range base {
		if _, ok := now[key]; !ok {
			out[key] = nil
		}
	}
	if len(changed) > 0 {
		out["changed"] = changed
	}
	return out
}

// changedItems returns the items of now that base has differently, or nil if the two do
// not have the same names in the same order.
func changedItems(base, now any) []any {
	was, ok := base.([]any)
	is, ok2 := now.([]any)
	if !ok || !ok2 || len(was) != len(is) {
		return nil
	}
	var out []any
	for i := range is {
		if name(is[i]) == "" || name(is[i]) != name(was[i]) {
			return nil
		}
		if !reflect.DeepEqual(is[i], was[i]) {
			out = append(out, is[i])
		}
	}
	return out
}

// Resolve returns the facts that a document holds, without its witness. A document that
// Overlay made is applied to base, which stays as it is.
func Resolve(base, doc map[string]any) (map[string]any, error) {
	if _, ok := doc["base"]; !ok {
		out := maps.Clone(doc)
		delete(out, witnessKey)
		return out, nil
	}
	if base == nil {
		return nil, fmt.Errorf("it says what changed since %v, but there are no facts of that version", doc["base"])
	}
	out := maps.Clone(base)
	for key, value := range doc {
		switch key {
		case "base", "changed", witnessKey:
		default:
			if value == nil {
				delete(out, key)
			} else {
				out[key] = value
			}
		}
	}
	lists, ok := doc["changed"].(map[string]any)
	if !ok && doc["changed"] != nil {
		return nil, errors.New(`"changed" is not an object of lists`)
	}
	for key, items := range lists {
		list, _ := base[key].([]any)
		list = slices.Clone(list)
		more, ok := items.([]any)
		if !ok {
			return nil, fmt.Errorf(`%q under "changed" is not a list`, key)
		}
		for _, item := range more {
			if name(item) == "" {
				return nil, fmt.Errorf(`an item of %q under "changed" has no name`, key)
			}
			i := slices.IndexFunc(list, func(v any) bool { return name(v) == name(item) })
			if i < 0 {
				return nil, fmt.Errorf("%s changed, and %v has no %s in %s", name(item), doc["base"], name(item), key)
			}
			list[i] = item
		}
		out[key] = list
	}
	return out, nil
}
