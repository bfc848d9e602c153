// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package capi

import "math/bits"

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

// KnownSize returns the struct_size of a section in the version of the API that this package was
// generated from, or 0 for a section that it does not know. A newer plugin may have a longer
// struct, with functions that this package cannot call.
func KnownSize(s Section) uintptr {
	switch s {
	case SectionCore:
		return APISize
	case SectionExtension(ExtensionTypeGPUCustomCall):
		return GPUCustomCallSize // ends with a flag
	}
	return sizeIn(s, APIMinor)
}

// sizeIn returns the size of a section of functions in a version of the API.
func sizeIn(s Section, minor int) uintptr {
	if s == SectionExtension(ExtensionTypeProfiler) {
		return ProfilerExtensionSize // its functions are in a table of their own
	}
	var size uintptr
	for _, f := range Functions(s) {
		if f.Since <= minor {
			size = max(size, f.Offset+bits.UintSize/8)
		}
	}
	return size
}

// SectionSize returns the struct_size of a section of the plugin, or 0 if it does not offer the
// section.
func (t *Table) SectionSize(s Section) uintptr {
	if !t.HasSection(s) {
		return 0
	}
	return t.sections[s].size
}
