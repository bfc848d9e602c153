// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package memories

import (
	"unsafe"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// LayoutOf returns the layout of a buffer (PJRT_Layouts_PJRT_Buffer_MemoryLayout). Unlike
// [pjrt.Buffer.Layout], it includes the layout's text in XLA's notation, and what that
// text says about the memory and the size of elements.
func LayoutOf(b *pjrt.Buffer) (pjrt.DeviceLayout, error) {
	h, release, err := raw.AcquireBuffer(b)
	if err != nil {
		return pjrt.DeviceLayout{}, err
	}
	defer release()
	if _, err := b.Shape().HostSize(); err != nil { // plugins end the process when asked for the layout of a token
		return pjrt.DeviceLayout{}, pjrt.ErrInvalidArgument.Errorf("%v", err)
	}
	c, err := capi.Do(raw.TableOf(b), capi.LayoutsBufferMemoryLayoutArgs{Buffer: h})
	if err != nil {
		return pjrt.DeviceLayout{}, err
	}
	return takeLayout(raw.TableOf(b), c.Layout)
}

// DefaultLayout returns the layout that the client gives to arrays of a shape when the program
// asks for none (PJRT_Layouts_PJRT_Client_GetDefaultLayout).
func DefaultLayout(client *pjrt.Client, shape pjrt.Shape) (pjrt.DeviceLayout, error) {
	h, release, err := raw.AcquireClient(client)
	if err != nil {
		return pjrt.DeviceLayout{}, err
	}
	defer release()
	if err := raw.CheckShape(client, shape); err != nil {
		return pjrt.DeviceLayout{}, err
	}
	var c capi.Call[capi.LayoutsClientGetDefaultLayoutArgs]
	c.Args.Client, c.Args.Type = h, capi.BufferType(shape.Type)
	c.Args.Dims, c.Args.NumDims = unsafe.SliceData(shape.Dims), uintptr(len(shape.Dims))
	if err := c.Do(raw.TableOf(client)); err != nil {
		return pjrt.DeviceLayout{}, err
	}
	return takeLayout(raw.TableOf(client), c.Args.Layout)
}

// DefaultLayoutFor is [DefaultLayout] for the devices of a topology, and needs no client
// (PJRT_Layouts_PJRT_Topology_GetDefaultLayout, API 0.75). [pjrt.Topology.CanonicalShape] returns
// what a memory of the topology requires in addition.
func DefaultLayoutFor(t *pjrt.Topology, shape pjrt.Shape) (pjrt.DeviceLayout, error) {
	h, release, err := raw.AcquireTopology(t)
	if err != nil {
		return pjrt.DeviceLayout{}, err
	}
	defer release()
	table := raw.TableOf(t)
	if _, err := shape.HostSize(); err != nil {
		return pjrt.DeviceLayout{}, pjrt.ErrInvalidArgument.Errorf("%v", err)
	}
	if _, minor := table.Version(); shape.Type.Since() > minor {
		return pjrt.DeviceLayout{}, pjrt.ErrUnimplemented.Errorf("the type %v came with API %d.%d, but the plugin has %d.%d",
			shape.Type, capi.APIMajor, shape.Type.Since(), capi.APIMajor, minor)
	}
	var c capi.Call[capi.LayoutsTopologyGetDefaultLayoutArgs]
	c.Args.TopologyDescription, c.Args.Type = h, capi.BufferType(shape.Type)
	c.Args.Dims, c.Args.NumDims = unsafe.SliceData(shape.Dims), uintptr(len(shape.Dims))
	if err := c.Do(table); err != nil {
		return pjrt.DeviceLayout{}, err
	}
	return takeLayout(table, c.Args.Layout)
}

// takeLayout reads a layout that the caller owns, and destroys it.
func takeLayout(table *capi.Table, h *capi.LayoutsMemoryLayout) (pjrt.DeviceLayout, error) {
	defer func() {
		_, _ = capi.Do(table, capi.LayoutsMemoryLayoutDestroyArgs{Layout: h})
	}()
	c, err := capi.Do(table, capi.LayoutsMemoryLayoutSerializeArgs{Layout: h})
	if err != nil {
		return pjrt.DeviceLayout{}, err
	}
	text := capi.String(c.SerializedBytes, c.SerializedBytesSize)
	c.SerializedLayoutDeleter.Call(c.SerializedLayout)
	return raw.ParseDeviceLayout(text), nil
}
