// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package scale is the Go interface of a vendor's own extension, Example_Scale, which
// multiplies the elements of a buffer by a number. It shows that such a package needs
// nothing but the packages pjrt, pjrt/raw and capi.
package scale

import (
	"context"
	"unsafe"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// Type is the number of the extension in the chain. It is far from the numbers of XLA's
// extensions.
const Type capi.ExtensionType = 42_000

// Args are the arguments of Example_Scale, as the vendor's header declares them.
type Args struct {
	StructSize uintptr      // struct_size
	Buffer     *capi.Buffer // buffer
	Factor     float32      // factor
	Scaled     *capi.Buffer // scaled (out): owned by the caller
	Done       *capi.Event  // done (out): owned by the caller
}

// Function describes Example_Scale: its slot is the first in the node, and its out
// fields are cleared before each call.
func (*Args) Function() *capi.Function { return &function }

var function = capi.Function{
	Name:    "Example_Scale",
	Section: capi.SectionNode,
	Offset:  capi.ExtensionBaseSize,
	Size:    unsafe.Sizeof(Args{}),
	Zero: []capi.Span{
		{Offset: unsafe.Offsetof(Args{}.Scaled), Size: unsafe.Sizeof(uintptr(0))},
		{Offset: unsafe.Offsetof(Args{}.Done), Size: unsafe.Sizeof(uintptr(0))},
	},
}

// Supported reports whether the plugin offers the extension.
func Supported(p *pjrt.Plugin) bool {
	_, err := raw.Table(p).ExtensionTable(Type)
	return err == nil
}

// Buffer returns a buffer with the elements of b multiplied by factor, and an event
// that is ready when the plugin has read b. It waits until b has its contents. The
// caller closes both.
func Buffer(ctx context.Context, b *pjrt.Buffer, factor float32) (*pjrt.Buffer, *pjrt.Event, error) {
	h, release, err := raw.AcquireContents(ctx, b)
	if err != nil {
		return nil, nil, err
	}
	defer release()
	table, err := raw.TableOf(b).ExtensionTable(Type)
	if err != nil {
		return nil, nil, err
	}
	c := capi.Call[Args]{Args: Args{Buffer: h, Factor: factor}}
	if err := c.Do(table); err != nil {
		return nil, nil, err
	}
	scaled, err := raw.AdoptBufferOf(b.Client(), c.Args.Scaled, b.Shape())
	if err != nil {
		return nil, nil, err
	}
	return scaled, raw.AdoptEvent(b.Client(), c.Args.Done, nil), nil
}
