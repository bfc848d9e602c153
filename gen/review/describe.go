// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package review

import (
	"fmt"
	"slices"
	"strings"

	"github.com/purepjrt/purepjrt/gen/model"
)

// Undescribed returns what package describe does not know of the new items: structs, by
// name, and fields of which it shows no more than an address. describe is its generated text.
// It leaves out tables of functions and the FFI, which that package is not for.
func Undescribed(items []Item, describe string) (out []string) {
	q := &questions{describe: describe}
	for _, i := range items {
		if i.Kind != Struct && i.Kind != Field || strings.HasPrefix(i.Header.Path, "xla/ffi/") {
			continue
		}
		name := i.Parent
		if i.Kind == Struct {
			name = strings.TrimPrefix(i.Name, "struct ")
		}
		s := structOf(i.Header, name)
		if s == nil || slices.Contains([]model.Role{model.RoleAPITable, model.RoleExtension, model.RoleFunctionTable}, s.Role) {
			continue
		}
		block := q.block(name)
		if block == "" {
			out = append(out, name)
			continue
		}
		for _, f := range i.Fields() {
			if f == "struct_size" || f == "extension_start" {
				continue
			}
			if !strings.Contains(block, fmt.Sprintf("{Name: %q,", f)) || q.isAddress(name, f) {
				out = append(out, name+"."+f)
			}
		}
	}
	return out
}
