// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package restate

import (
	"slices"

	"github.com/purepjrt/purepjrt/gen/model"
)

// Renames returns the fields that newer calls otherwise, as STRUCT.FIELD, by the names that they
// had: a field is gone, and a new one of the same type is in its place.
func Renames(old, newer *model.Header) map[string]string {
	out := make(map[string]string)
	for i := range newer.Structs {
		now := &newer.Structs[i]
		j := slices.IndexFunc(old.Structs, func(s model.Struct) bool { return s.Name == now.Name })
		if j < 0 {
			continue
		}
		was := &old.Structs[j]
		for _, f := range was.Fields {
			if f.Name == "" || hasField(now, f.Name) {
				continue
			}
			for _, g := range now.Fields {
				if g.Name != "" && g.Offset == f.Offset && g.Size == f.Size && g.Type == f.Type && !hasField(was, g.Name) {
					out[was.Name+"."+f.Name] = now.Name + "." + g.Name
				}
			}
		}
	}
	return out
}

// hasField reports whether a struct has a field of this name, or a union in it a member.
func hasField(s *model.Struct, name string) bool {
	return slices.Contains(memberNames(s.Fields), name)
}
