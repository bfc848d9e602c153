// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package capi

// Sections returns the sections with functions that this package knows, the core first.
func Sections() []Section {
	var known [numSections]bool
	for i := range functions {
		known[functions[i].Section] = true
	}
	var list []Section
	for s := range numSections {
		if known[s] {
			list = append(list, s)
		}
	}
	return list
}

// Functions returns the functions of a section in the order of their slots.
func Functions(s Section) []*Function {
	var list []*Function
	for i := range functions {
		if f := &functions[i]; f.Section == s {
			list = append(list, f)
		}
	}
	return list
}

// HasSection reports whether the plugin offers the section. A nil Table offers none.
func (t *Table) HasSection(s Section) bool {
	return t != nil && s < numSections && t.sections[s].base != nil
}
