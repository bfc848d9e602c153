// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package extensions

import (
	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// Extension is one node of a plugin's extension chain.
type Extension struct {
	// Type is the number of the extension, and Name is its name in the header, such as
	// Layouts. The name of an unknown type contains the number.
	Type capi.ExtensionType
	Name string
	// Size is the size of the node in bytes, as the node itself gives it. Newer versions
	// of an extension have longer nodes, with more functions.
	Size int
	// Known is the size of the node in the version that this module knows, 0 for an
	// unknown extension. If Size is larger, the plugin has functions that this module
	// cannot call.
	Known int
	// Since is the API minor that introduced the extension, 0 for an unknown extension.
	Since int
	// Package is the import path of the package for it, or "" without one.
	Package string
	// Functions are the functions of the extension in the order of their slots. The list
	// is empty for an unknown extension, and for a node whose type occurs earlier in the
	// chain: only the first node of a type is used.
	Functions []Function
	// Node is the node in the memory of the plugin. Programs can use an unknown extension
	// through it; see capi.Table.Extension.
	Node *capi.ExtensionBase
}

// Function is a function of the API and whether a plugin has it.
type Function struct {
	Name    string // C name
	Section string // core, profiler, or the name of an extension
	Since   int    // minor of the API that introduced it
	Present bool
}

// All returns the extensions of the plugin in the order of its chain. If the chain is
// broken, All returns the extensions before the break together with an error that
// describes it. All does not block, and may be called from any goroutine.
func All(p *pjrt.Plugin) ([]Extension, error) {
	table := raw.Table(p)
	if table == nil {
		return nil, pjrt.ErrInvalidArgument.Errorf("the plugin is nil")
	}
	var list []Extension
	seen := make(map[capi.ExtensionType]bool)
	for _, x := range table.Extensions() {
		e := Extension{Type: x.Type, Name: x.Type.String(), Size: int(x.Size), Known: known(x.Type), Node: x.Node}
		if name := packages[x.Type]; name != "" {
			e.Package = path + name
		}
		if s := sectionOf(x.Type); table.HasSection(s) && !seen[x.Type] {
			e.Functions = functionsOf(table, s)
		}
		for _, f := range e.Functions {
			if e.Since == 0 || f.Since < e.Since {
				e.Since = f.Since
			}
		}
		seen[x.Type] = true
		list = append(list, e)
	}
	return list, table.ExtensionsErr()
}

// Supported reports whether the plugin offers the extension of type t. It is false for a nil
// plugin.
func Supported(p *pjrt.Plugin, t capi.ExtensionType) bool {
	table := raw.Table(p)
	return table != nil && table.Extension(t) != nil
}

// Find returns the extension of type t, or false if the plugin does not offer it.
func Find(p *pjrt.Plugin, t capi.ExtensionType) (Extension, bool) {
	list, _ := All(p) // after an error, the extensions before the break count
	for _, e := range list {
		if e.Type == t {
			return e, true
		}
	}
	return Extension{}, false
}

// Functions returns all functions of the core table and of the known extensions that the
// plugin offers, in the order of the tables. It returns nil for a nil plugin.
func Functions(p *pjrt.Plugin) []Function {
	table := raw.Table(p)
	var list []Function
	for _, s := range capi.Sections() {
		if table.HasSection(s) {
			list = append(list, functionsOf(table, s)...)
		}
	}
	return list
}

func functionsOf(table *capi.Table, s capi.Section) []Function {
	var list []Function
	for _, f := range capi.Functions(s) {
		list = append(list, Function{f.Name, s.String(), f.Since, table.Has(f)})
	}
	return list
}

// known returns the size of a node that this module knows, or 0.
func known(t capi.ExtensionType) int {
	if s := capi.SectionExtension(t); t >= 0 && s < capi.SectionNode {
		return int(capi.KnownSize(s))
	}
	return 0
}

// sectionOf returns the section of the table that has the functions of an extension.
func sectionOf(t capi.ExtensionType) capi.Section {
	if t == capi.ExtensionTypeProfiler {
		return capi.SectionProfiler // the node only points to them
	}
	return capi.SectionExtension(t)
}

const path = "github.com/purepjrt/purepjrt/extensions/"

// packages names the package for each extension that has one.
var packages = map[capi.ExtensionType]string{
	capi.ExtensionTypeABIVersion:          "executables",
	capi.ExtensionTypeCallback:            "tpu",
	capi.ExtensionTypeCollectives:         "megascale",
	capi.ExtensionTypeCrossHostTransfers:  "crosshost",
	capi.ExtensionTypeCustomPartitioner:   "custompartitioner",
	capi.ExtensionTypeExecutableMetadata:  "executables",
	capi.ExtensionTypeFFI:                 "ffi",
	capi.ExtensionTypeGPUCustomCall:       "gpu",
	capi.ExtensionTypeHostMemoryAllocator: "memories",
	capi.ExtensionTypeLayouts:             "memories",
	capi.ExtensionTypeMegascale:           "megascale",
	capi.ExtensionTypeMemoryDescriptions:  "memories",
	capi.ExtensionTypeMultiSlice:          "megascale",
	capi.ExtensionTypePhaseCompile:        "phasecompile",
	capi.ExtensionTypeProfiler:            "profiler",
	capi.ExtensionTypeRawBuffer:           "rawbuffer",
	capi.ExtensionTypeShardings:           "executables",
	capi.ExtensionTypeStream:              "gpu",
	capi.ExtensionTypeTPUExecutable:       "tpu",
	capi.ExtensionTypeTPUTopology:         "tpu",
	capi.ExtensionTypeXLATransform:        "xlatransform",
}
