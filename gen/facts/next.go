// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package facts

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
)

// unwritten are keys of printed facts that are not written, because they follow from others or only
// repeat how the header spells a type.
var unwritten = []string{"decl", "canon", "has_struct_size", "has_extension_start", "holes"}

// Next returns the facts to write for a header: the printed ones, but with everything that has not
// changed since base as base has it. Without a base they are the printed ones.
func Next(base, printed map[string]any) map[string]any {
	now := written(printed).(map[string]any)
	if base == nil {
		return now
	}
	sameTables(base, now)
	for key, was := range base {
		switch is, ok := now[key]; {
		case slices.Contains(notPrinted, key):
			now[key] = was
		case !ok && was == nil:
		case !ok:
			if list, empty := was.([]any); empty && len(list) == 0 {
				now[key] = was
			}
		case unchanged(key, was, is):
			now[key] = was
		default:
			now[key] = keepItems(key, was, is)
		}
	}
	return now
}

// written returns a printed value without the keys that are not written.
func written(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, x := range v {
			if !slices.Contains(unwritten, k) {
				out[k] = written(x)
			}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = written(x)
		}
		return out
	}
	return v
}

// sameTables removes from the printed facts what base does not say about a struct that it has: the
// first facts of the FFI call its table a struct, and do not list its slots.
func sameTables(base, now map[string]any) {
	roles := make(map[string]any)
	for _, s := range list(base["structs"]) {
		roles[name(s)] = s.(map[string]any)["role"]
	}
	listed := make(map[string]bool)
	for _, t := range list(base["tables"]) {
		listed[name(t)] = true
	}
	for _, s := range list(now["structs"]) {
		if role, ok := roles[name(s)]; ok && role != nil {
			s.(map[string]any)["role"] = role
		}
	}
	if tables, ok := now["tables"].([]any); ok {
		now["tables"] = slices.DeleteFunc(tables, func(t any) bool { return roles[name(t)] == "struct" && !listed[name(t)] })
	}
}

func list(v any) []any {
	l, _ := v.([]any)
	return l
}

// unchanged reports whether a printed value says the same as a written one.
func unchanged(key string, was, is any) bool {
	if key == "opaque" {
		a, b := sorted(list(was)), sorted(list(is))
		return reflect.DeepEqual(a, b)
	}
	return len(missing("."+key, is, was)) == 0 && sameMarks(was, is)
}

// marks are keys whose absence means something too, so that adding one is a change.
var marks = []string{"deprecated", "deprecated_slot", "dir", "dir_scope"}

func sameMarks(was, is any) bool {
	switch was := was.(type) {
	case map[string]any:
		is, ok := is.(map[string]any)
		if !ok {
			return false
		}
		for _, k := range marks {
			if fmt.Sprint(was[k]) != fmt.Sprint(is[k]) {
				return false
			}
		}
		for k, v := range was {
			if x, ok := is[k]; ok && !sameMarks(v, x) {
				return false
			}
		}
	case []any:
		is := list(is)
		for i := range was {
			if i < len(is) && !sameMarks(was[i], is[i]) {
				return false
			}
		}
	}
	return true
}

// keepItems returns the list is, with the items that have not changed as was has them.
func keepItems(key string, was, is any) any {
	before := make(map[string]any)
	for _, v := range list(was) {
		if n := name(v); n != "" {
			before[n] = v
		}
	}
	items, ok := is.([]any)
	if !ok {
		return is
	}
	out := slices.Clone(items)
	for i, v := range out {
		if old, ok := before[name(v)]; ok && unchanged(key, old, v) {
			out[i] = old
		}
	}
	return out
}

// Difference is an item about which two facts of a header differ. Item is empty if it is the header
// itself, and Key is the list that holds the item.
type Difference struct{ Key, Item string }

// String names the item and the list that holds it.
func (d Difference) String() string {
	if d.Item == "" {
		return d.Key
	}
	return d.Item + " (" + d.Key + ")"
}

// Differences returns what now says differently from base, in the order of the keys.
func Differences(base, now map[string]any) []Difference {
	keys := maps.Clone(base)
	maps.Copy(keys, now)
	var out []Difference
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		was, is := base[key], now[key]
		if reflect.DeepEqual(was, is) || slices.Contains(notPrinted, key) {
			continue
		}
		before := len(out)
		old, new := named(was), named(is)
		for _, n := range slices.Sorted(maps.Keys(old)) {
			if !reflect.DeepEqual(old[n], new[n]) {
				out = append(out, Difference{key, n})
			}
		}
		for _, n := range slices.Sorted(maps.Keys(new)) {
			if _, ok := old[n]; !ok {
				out = append(out, Difference{key, n})
			}
		}
		if len(out) == before {
			out = append(out, Difference{Key: key})
		}
	}
	return out
}

// named returns the items of a list by name; a text is its own name.
func named(v any) map[string]any {
	out := make(map[string]any)
	for _, x := range list(v) {
		if s, ok := x.(string); ok {
			out[s] = s
		} else if n := name(x); n != "" {
			out[n] = x
		}
	}
	return out
}
