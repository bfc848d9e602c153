// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package scale_test

import (
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"

	"example.com/outside/scaleraw"
)

// vendor is a plugin that has the extension.
type vendor struct {
	*pjrttest.Plugin
	client *capi.Client // the client of the latest call
}

func newVendor(t testing.TB) *vendor {
	t.Helper()
	v := new(vendor)
	n := &scaleraw.ExampleScaleExtension{
		Base: capi.ExtensionBase{StructSize: scaleraw.ExampleScaleExtensionSize, Type: scaleraw.ExtensionType},
	}
	n.Scale = purego.NewCallback(func(a *scaleraw.ExampleScaleArgs) uintptr {
		if err := v.scale(a); err != nil {
			return uintptr(unsafe.Pointer(serve.NewError(err)))
		}
		return 0
	})
	v.Plugin = pjrttest.New(t, pjrttest.Options{Nodes: []*capi.ExtensionBase{&n.Base}, NoLeaks: true})
	return v
}

// scale is the C function of the extension: it reads the buffer and makes a new one.
func (v *vendor) scale(a *scaleraw.ExampleScaleArgs) error {
	if a.Factor == 0 {
		return &capi.Error{Code: capi.ErrorCodeInvalidArgument, Message: "the factor is 0"}
	}
	table := v.Table()
	dims := capi.Call[capi.BufferDimensionsArgs]{Args: capi.BufferDimensionsArgs{Buffer: a.Buffer}}
	if err := dims.Do(table); err != nil {
		return err
	}
	n := int64(1)
	for _, d := range capi.Slice(dims.Args.Dims, dims.Args.NumDims) {
		n *= d
	}
	values := make([]float32, n)
	read := capi.Call[capi.BufferToHostBufferArgs]{Args: capi.BufferToHostBufferArgs{
		Src: a.Buffer, Dst: unsafe.Pointer(unsafe.SliceData(values)), DstSize: uintptr(4 * n),
	}}
	if err := read.Do(table); err != nil {
		return err
	}
	if err := v.await(read.Args.Event); err != nil {
		return err
	}
	for i := range values {
		values[i] *= a.Factor
	}
	in := capi.Call[capi.BufferMemoryArgs]{Args: capi.BufferMemoryArgs{Buffer: a.Buffer}}
	if err := in.Do(table); err != nil {
		return err
	}
	write := capi.Call[capi.ClientBufferFromHostBufferArgs]{Args: capi.ClientBufferFromHostBufferArgs{
		Client: v.client, Memory: in.Args.Memory, Type: capi.BufferTypeF32,
		Data: unsafe.Pointer(unsafe.SliceData(values)), Dims: dims.Args.Dims, NumDims: dims.Args.NumDims,
	}}
	if err := write.Do(table); err != nil {
		return err
	}
	a.Scaled, a.Done = write.Args.Buffer, write.Args.DoneWithHostBuffer
	return nil
}

// await waits for an event and destroys it.
func (v *vendor) await(e *capi.Event) error {
	c := capi.Call[capi.EventAwaitArgs]{Args: capi.EventAwaitArgs{Event: e}}
	err := c.Do(v.Table())
	d := capi.Call[capi.EventDestroyArgs]{Args: capi.EventDestroyArgs{Event: e}}
	_ = d.Do(v.Table())
	return err
}
