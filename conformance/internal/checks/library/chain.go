// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package library

import (
	"fmt"
	"sync/atomic"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

// maxNodes is how many extensions a chain can have.
const maxNodes = 100

var chainChecks = []check.Check{
	{Rule: "XCH-01", Library: true, Run: func(t *check.T) {
		if len(walkChain(t, t.Table().API().ExtensionStart, "extension_start")) == 0 && !t.Failed() {
			t.SkipUnimplf("the plugin has no extensions")
		}
	}},
	{Rule: "XCH-02", Library: true, Run: func(t *check.T) {
		seen := make(map[capi.ExtensionType]int)
		for i, x := range extensions(t) {
			if first, again := seen[x.Type]; again && x.Type != capi.ExtensionTypeUnknown {
				t.Errorf("nodes %d and %d both have the type %d, %v", first, i, x.Type, x.Type)
			}
			seen[x.Type] = i
		}
	}},
	{Rule: "XCH-03", Library: true, Run: func(t *check.T) {
		looked := 0
		for _, x := range extensions(t) {
			functions := knownFunctions(x.Type)
			if len(functions) == 0 {
				continue
			}
			looked++
			if want := firstSize(functions); x.Size < want {
				t.Errorf("extension %v: its first version has %d bytes, but struct_size is %d", x.Type, want, x.Size)
			}
			for _, f := range functions {
				if f.Offset+8 <= x.Size && word(x.Node, f.Offset) == 0 && !mayBeNull[f.Name] {
					t.Errorf("extension %v: %s is null", x.Type, f.Name)
				}
			}
		}
		if looked == 0 {
			t.SkipUnimplf("none of the plugin's extensions has functions that are known here")
		}
	}},
	{Rule: "XCH-04", Library: true, Run: func(t *check.T) {
		for _, x := range extensions(t) {
			if x.Type < 0 || x.Type > capi.ExtensionTypeXLATransform && t.Minor() <= capi.APIMinor {
				t.Errorf("there is no extension type %d in API 0.%d: an extension of a vendor has the type %d, Unknown", x.Type, t.Minor(),
					capi.ExtensionTypeUnknown)
			}
		}
	}},
	{Rule: "XCH-05", Library: true, Hostile: true, Run: func(t *check.T) {
		before := snapshot(t)
		if t.Failed() {
			return
		}
		if len(before) == 0 {
			t.SkipUnimplf("the plugin has no extensions")
		}
		c := t.NewClient()
		check.Equal(t, fmt.Sprint(before), fmt.Sprint(snapshot(t)), "the chain while there is a client")
		check.Destroy(t, c.Handle)
		check.Equal(t, fmt.Sprint(before), fmt.Sprint(snapshot(t)), "the chain after a client was destroyed")
	}},
	{Rule: "XCH-06", Run: func(t *check.T) {
		newer := func(t *check.T, s *session, c call, exact outcome) {
			if exact.spill != "" {
				t.Errorf("struct_size %d: %s", c.fn.Size, exact.spill)
			}
			for _, more := range tails {
				newerCaller(t, c, s, exact, more)
			}
		}
		looked := eachCall(t, extensionCalls, func(t *check.T, s *session, c call, exact outcome) {
			newer(t, s, c, exact)
			refusesShort(t, c, s)
		})
		looked += eachCall(t, moreExtensionCalls, newer)
		if looked == 0 {
			t.SkipUnimplf("the plugin has none of the extension functions that can be called without a special program")
		}
	}},
}

// extensionCalls are functions of extensions that can be called on any plugin
// that has them.
var extensionCalls = []call{
	of(func(t tt, s ss) capi.DeviceDescriptionMemoryDescriptionsArgs {
		return capi.DeviceDescriptionMemoryDescriptionsArgs{DeviceDescription: s.description(t)}
	}, nil),
	of(func(t tt, s ss) (a capi.LayoutsClientGetDefaultLayoutArgs) {
		a.Client, a.Type = s.c(), capi.BufferTypeF32
		a.Dims, a.NumDims = check.First([]int64{2, 3})
		return
	}, func(t tt, _ ss, out capi.LayoutsClientGetDefaultLayoutArgs) {
		check.Call(t, capi.LayoutsMemoryLayoutDestroyArgs{Layout: out.Layout})
	}),
	of(func(t tt, s ss) capi.LayoutsBufferMemoryLayoutArgs {
		return capi.LayoutsBufferMemoryLayoutArgs{Buffer: s.buf(t)}
	}, func(t tt, _ ss, out capi.LayoutsBufferMemoryLayoutArgs) {
		check.Call(t, capi.LayoutsMemoryLayoutDestroyArgs{Layout: out.Layout})
	}),
	of(func(tt, ss) (a capi.FFITypeRegisterArgs) {
		a.TypeName, a.TypeNameSize = capi.StringData(fmt.Sprintf("conformance_suite_type_%d", typeNumber.Add(1)))
		a.TypeInfo = &capi.FFITypeInfo{}
		return
	}, nil),
	of(func(t tt, s ss) capi.RawBufferCreateRawAliasOfBufferArgs {
		return capi.RawBufferCreateRawAliasOfBufferArgs{Buffer: s.buf(t)}
	}, func(t tt, _ ss, out capi.RawBufferCreateRawAliasOfBufferArgs) {
		check.Call(t, capi.RawBufferDestroyArgs{Buffer: out.RawBuffer})
	}),
}

// typeNumber makes names, since a type can be registered once.
var typeNumber atomic.Int64

// chainError says where a chain leads out of the process's memory, into a circle or to
// something that is not a node.
func chainError(start *capi.ExtensionBase) error {
	head := &capi.API{StructSize: headSize, ExtensionStart: start, PJRTAPIVersion: capi.APIVersion{
		StructSize: capi.APIVersionSize, MajorVersion: capi.APIMajor, MinorVersion: capi.APIMinor,
	}}
	table, err := capi.NewTable(head)
	if err != nil {
		return err
	}
	return table.ExtensionsErr()
}

// walkChain follows a chain and says what is wrong with it.
func walkChain(t *check.T, node *capi.ExtensionBase, what string) []*capi.ExtensionBase {
	var nodes []*capi.ExtensionBase
	if err := chainError(node); err != nil {
		// The nodes before the fault have been read; nothing after it is.
		t.Errorf("%s: %v", what, err)
		return nil
	}
	seen := make(map[*capi.ExtensionBase]int)
	for ; node != nil; node = node.Next {
		if at, again := seen[node]; again {
			t.Errorf("%s: node %d is node %d again: the chain is a circle", what, len(nodes), at)
			break
		}
		if len(nodes) == maxNodes {
			t.Errorf("%s: the chain does not end within %d nodes", what, maxNodes)
			break
		}
		if node.StructSize < capi.ExtensionBaseSize || node.StructSize > 1<<16 {
			t.Errorf("%s: node %d, of type %d: expected a struct_size of at least %d, got %d", what, len(nodes), node.Type,
				capi.ExtensionBaseSize, node.StructSize)
			break
		}
		seen[node] = len(nodes)
		nodes = append(nodes, node)
	}
	return nodes
}

// extensions returns the extensions that can be reached, or skips the check if there
// are none. XCH-01 reports faults of the chain.
func extensions(t *check.T) []capi.Extension {
	var list []capi.Extension
	if err := chainError(t.Table().API().ExtensionStart); err != nil {
		t.SkipEnvf("the chain cannot be followed; see XCH-01: %v", err)
	}
	for x := t.Table().API().ExtensionStart; x != nil && len(list) < maxNodes; x = x.Next {
		if x.StructSize < capi.ExtensionBaseSize {
			break
		}
		list = append(list, capi.Extension{Type: x.Type, Size: x.StructSize, Node: x})
	}
	if len(list) == 0 {
		t.SkipUnimplf("the plugin has no extensions")
	}
	return list
}

type node struct {
	at   *capi.ExtensionBase
	kind capi.ExtensionType
	size uintptr
}

func snapshot(t *check.T) []node {
	var list []node
	for _, x := range walkChain(t, t.Table().API().ExtensionStart, "extension_start") {
		list = append(list, node{x, x.Type, x.StructSize})
	}
	return list
}

// knownFunctions returns the functions of an extension.
func knownFunctions(x capi.ExtensionType) []*capi.Function {
	s := capi.SectionExtension(x)
	for _, known := range capi.Sections() {
		if known == s && x != capi.ExtensionTypeProfiler {
			return capi.Functions(s)
		}
	}
	return nil
}

// firstSize returns the size that an extension had at first: up to the last function
// that came with it.
func firstSize(functions []*capi.Function) uintptr {
	first := functions[0].Since
	for _, f := range functions {
		first = min(first, f.Since)
	}
	size := uintptr(capi.ExtensionBaseSize)
	for _, f := range functions {
		// Fields in the middle may be newer, where a vendor already had the rest.
		if f.Since == first {
			size = max(size, f.Offset+8)
		}
	}
	return size
}

// mayBeNull are function pointers that plugins may leave out, according to the
// extensions' headers or XLA's own plugins.
var mayBeNull = map[string]bool{
	// Compilers with phases are optional; the node's other functions work on what these
	// two make.
	"PJRT_PhaseCompile_Get_Compiler":     true,
	"PJRT_PhaseCompile_Destroy_Compiler": true,
}
