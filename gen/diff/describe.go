// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package diff

import (
	"fmt"
	"slices"
	"strings"

	"github.com/purepjrt/purepjrt/gen/model"
)

// Undescribed returns the new items that package describe does not know: structs, by name, and
// fields of which it shows only an address. describe is the package's generated text. Tables of
// functions and the FFI are left out, because the package is not for them.
func Undescribed(items []Addition, describe string) (out []string) {
	q := &questions{describe: describe}
	for _, i := range items {
		if i.Item != ItemStruct && i.Item != ItemField || strings.HasPrefix(i.Header.Path, "xla/ffi/") {
			continue
		}
		name := i.Parent
		if i.Item == ItemStruct {
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
