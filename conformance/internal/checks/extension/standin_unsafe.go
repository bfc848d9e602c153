// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package extension

import (
	"unsafe"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
)

// graft returns a plugin with the extensions of the stand-in in front of its own. Both
// plugins must outlive it.
func graft(real *capi.Table) (*capi.Table, error) {
	stand, err := standIn()
	if err != nil {
		return nil, err
	}
	var nodes []*capi.ExtensionBase
	taken := make(map[capi.ExtensionType]bool)
	for _, list := range [][]capi.Extension{stand.Capi().Extensions(), real.Extensions()} {
		for _, x := range list {
			if !taken[x.Type] {
				taken[x.Type] = true
				nodes = append(nodes, (*capi.ExtensionBase)(clone(unsafe.Pointer(x.Node), x.Size)))
			}
		}
	}
	own := (*capi.ExtensionBase)(clone(nil, 0)) // an extension of the plugin's own
	own.StructSize, own.Type = ownExtensionSize, ownExtension
	nodes = append(nodes, own)
	for i, n := range nodes {
		if n.Next = nil; i+1 < len(nodes) {
			n.Next = nodes[i+1]
		}
	}
	api := (*capi.API)(clone(unsafe.Pointer(real.API()), real.API().StructSize))
	api.ExtensionStart = nodes[0]
	check.Retain(nodes)
	return capi.NewTable(api, capi.Reentrant())
}

// clone returns a copy of C memory in words that the garbage collector follows.
func clone(p unsafe.Pointer, n uintptr) unsafe.Pointer {
	words := make([]unsafe.Pointer, max((n+7)/8, 256))
	if n > 0 {
		copy(unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), n), unsafe.Slice((*byte)(p), n))
	}
	return unsafe.Pointer(&words[0])
}

// sound returns a plugin with the extensions of the stand-in and further hooks.
func sound(real *capi.Table, hooks ...serve.Hook) (*serve.Table, error) {
	return flawed(real, flaws{}, hooks...)
}

// flawed is sound with flaws.
func flawed(real *capi.Table, f flaws, hooks ...serve.Hook) (*serve.Table, error) {
	table, err := graft(real)
	if err != nil {
		return nil, err
	}
	return serve.Wrap(table, append(hooks, behaviour(f)...)...)
}

// The stand-in's own extension, with a number far above those of the interface.
const (
	ownExtension     = capi.ExtensionType(1 << 20)
	ownExtensionSize = 32
)

// pointerOf returns the address of the first element.
func pointerOf[E any](s []E) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(s)) }

// elsewhere returns memory that holds nothing.
func elsewhere() unsafe.Pointer {
	p, _ := mutant.LastingArray(make([]byte, 64))
	return unsafe.Pointer(p)
}

// lengthen makes the size of a prefatal callback's message too large.
func lengthen(a *capi.CallbackInvokeCallbackArgs) {
	if a.Type == capi.CallbackTypePrefatal {
		(*capi.CallbackPrefatalArgs)(a.Args).ErrorMessageSize++
	}
}
