// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package layouts reports how a plugin lays out arrays in the memory of its devices: the
// layout of a buffer, and the default layout of a shape. It uses the extension Layouts,
// which came with API 0.51; XLA's plugins for CPUs, GPUs and TPUs have it.
//
// The layouts of a program's arguments and results are in package pjrt:
// Executable.ParameterLayouts and Executable.OutputLayouts. [Default] is for a client and
// [DefaultFor] for a topology, which needs no device; pjrt.Topology.CanonicalShape returns
// what a memory of that topology requires in addition.
package layouts

import (
	"unsafe"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// OfBuffer returns the layout of a buffer (PJRT_Layouts_PJRT_Buffer_MemoryLayout). Unlike
// [pjrt.Buffer.Layout], it includes the layout's text in XLA's notation, and what that
// text says about the memory and the size of elements.
func OfBuffer(b *pjrt.Buffer) (pjrt.DeviceLayout, error) {
	h, release, err := raw.AcquireBuffer(b)
	if err != nil {
		return pjrt.DeviceLayout{}, err
	}
	defer release()
	if _, err := b.Shape().HostSize(); err != nil { // plugins end the process when asked for the layout of a token
		return pjrt.DeviceLayout{}, pjrt.ErrInvalidArgument.Errorf("%v", err)
	}
	var c capi.Call[capi.LayoutsBufferMemoryLayoutArgs]
	c.Args.Buffer = h
	if err := c.Do(raw.TableOf(b)); err != nil {
		return pjrt.DeviceLayout{}, err
	}
	return take(raw.TableOf(b), c.Args.Layout)
}

// Default returns the layout that the client gives to arrays of a shape when the program
// asks for none (PJRT_Layouts_PJRT_Client_GetDefaultLayout).
func Default(client *pjrt.Client, shape pjrt.Shape) (pjrt.DeviceLayout, error) {
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
	return take(raw.TableOf(client), c.Args.Layout)
}

// DefaultFor is [Default] for the devices of a topology, and needs no client
// (PJRT_Layouts_PJRT_Topology_GetDefaultLayout, API 0.75).
func DefaultFor(t *pjrt.Topology, shape pjrt.Shape) (pjrt.DeviceLayout, error) {
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
	return take(table, c.Args.Layout)
}

// take reads a layout that the caller owns, and destroys it.
func take(table *capi.Table, h *capi.LayoutsMemoryLayout) (pjrt.DeviceLayout, error) {
	defer func() {
		var d capi.Call[capi.LayoutsMemoryLayoutDestroyArgs]
		d.Args.Layout = h
		_ = d.Do(table)
	}()
	var c capi.Call[capi.LayoutsMemoryLayoutSerializeArgs]
	c.Args.Layout = h
	if err := c.Do(table); err != nil {
		return pjrt.DeviceLayout{}, err
	}
	text := capi.String(c.Args.SerializedBytes, c.Args.SerializedBytesSize)
	c.Args.SerializedLayoutDeleter.Call(c.Args.SerializedLayout)
	return raw.ParseDeviceLayout(text), nil
}
