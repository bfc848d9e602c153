// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package shim

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
)

// maxExtension bounds the types of extensions that have names.
const maxExtension capi.ExtensionType = 60

const wordSize = unsafe.Sizeof(uintptr(0))

// checkAbsent returns an error for a name that is neither an extension's name nor a pattern of
// functions.
func checkAbsent(names []string) error {
	for _, name := range names {
		if isExtension(name) {
			continue
		}
		if err := checkPattern(name); err != nil {
			return fmt.Errorf("%w, or use the name of an extension, such as %s", err, capi.ExtensionTypeLayouts)
		}
	}
	return nil
}

func isExtension(name string) bool {
	return slices.ContainsFunc(capi.Sections(), func(s capi.Section) bool { return s != capi.SectionCore && s.String() == name })
}

// lessen removes from the table what the Config says is absent, and what is newer than its Minor,
// and makes it odd. Nothing else uses the table yet, and it shares no memory.
func (c *Config) lessen(t *serve.Table) error {
	api := t.API()
	if c.Minor > int(api.PJRTAPIVersion.MinorVersion) {
		return fmt.Errorf("the plugin has API 0.%d: it cannot be made to look like 0.%d", api.PJRTAPIVersion.MinorVersion, c.Minor)
	}
	if c.Minor != 0 {
		api.PJRTAPIVersion.MinorVersion = int32(c.Minor)
		shorten(api, tableSize(c.Minor))
	}
	for _, o := range c.Odd {
		o.alter(t)
	}
	if len(c.Absent) > 0 {
		c.takeAway(t)
	}
	return t.Reread()
}

// takeAway removes functions and extensions from the table.
func (c *Config) takeAway(t *serve.Table) {
	api := t.API()
	for _, f := range capi.Functions(capi.SectionCore) {
		c.hide(f, unsafe.Pointer(api), api.StructSize)
	}
	for at := &api.ExtensionStart; *at != nil; {
		node := *at
		if node.Type > maxExtension {
			at = &node.Next
			continue
		}
		section := capi.SectionExtension(node.Type)
		if slices.Contains(c.Absent, section.String()) {
			*at = node.Next
			continue
		}
		for _, f := range capi.Functions(section) {
			c.hide(f, unsafe.Pointer(node), node.StructSize)
		}
		profiler := (*capi.ProfilerExtension)(unsafe.Pointer(node))
		if node.Type == capi.ExtensionTypeProfiler && profiler.ProfilerAPI != nil {
			for _, f := range capi.Functions(capi.SectionProfiler) {
				c.hide(f, unsafe.Pointer(profiler.ProfilerAPI), profiler.ProfilerAPI.StructSize)
			}
		}
		at = &node.Next
	}
}

// shorten ends a table after so many bytes, if it is longer. Clients that do not look at the size
// find nothing after it either. The extensions follow the table.
func shorten(api *capi.API, size uintptr) {
	whole := api.StructSize
	api.StructSize = min(whole, size)
	clear(unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(api), api.StructSize)), whole-api.StructSize))
}

// hide makes a function's slot null if the Config says that it is absent.
func (c *Config) hide(f *capi.Function, table unsafe.Pointer, size uintptr) {
	if f.Offset+wordSize > size || !slices.ContainsFunc(c.Absent, func(p string) bool { return match(p, f.Name) }) {
		return
	}
	*(*uintptr)(unsafe.Add(table, f.Offset)) = 0
}

// tableSize returns the size of the table in an API minor.
func tableSize(minor int) uintptr {
	size := uintptr(0)
	for _, f := range capi.Functions(capi.SectionCore) {
		if f.Since <= minor {
			size = max(size, f.Offset+wordSize)
		}
	}
	return size
}
