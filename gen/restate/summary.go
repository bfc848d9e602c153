// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package restate

import (
	"fmt"
	"slices"

	"github.com/purepjrt/purepjrt/gen/model"
)

// Summary lists the items that a header has gained. A struct that is entirely new stands
// for its fields, and such an enum for its values.
func Summary(h *model.Header, added []string) []string {
	line := make(map[string]string) // the first item of what stands for others -> its line
	inside := make(map[string]bool)
	for _, s := range h.Structs {
		if slices.Contains(added, "struct "+s.Name) {
			leaves := model.Leaves(s.Fields)
			line["struct "+s.Name] = fmt.Sprintf("struct %s with %s", s.Name, count(len(leaves), "field"))
			for _, f := range leaves {
				inside[s.Name+"."+f.Name] = true
			}
		}
	}
	for _, e := range h.Enums {
		whole := !slices.ContainsFunc(e.Values, func(v model.EnumValue) bool { return !slices.Contains(added, e.Name+"."+v.Name) })
		if !whole || len(e.Values) == 0 {
			continue
		}
		line[e.Name+"."+e.Values[0].Name] = fmt.Sprintf("enum %s with %s", e.Name, count(len(e.Values), "value"))
		for _, v := range e.Values {
			inside[e.Name+"."+v.Name] = true
		}
	}
	var out []string
	for _, item := range added {
		switch text, first := line[item]; {
		case first:
			out = append(out, text)
		case !inside[item]:
			out = append(out, item)
		}
	}
	return out
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
