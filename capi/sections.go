// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package capi

import "slices"

// Sections returns the sections with functions that this package knows, the core first.
func Sections() []Section {
	var list []Section
	for s := range numSections {
		if len(sectionFunctions[s]) > 0 {
			list = append(list, s)
		}
	}
	return list
}

// Functions returns the functions of a section in the order of their slots.
func Functions(s Section) []*Function {
	return slices.Clone(sectionFunctions[s])
}

// HasSection reports whether the plugin offers the section. A nil Table offers none.
func (t *Table) HasSection(s Section) bool {
	return t != nil && s < numSections && t.sections[s].base != nil
}
