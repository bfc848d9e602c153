// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"fmt"
	"runtime"
	"slices"

	"github.com/purepjrt/purepjrt/capi"
)

// CanonicalShape returns the shape and layout that an array gets in a kind of
// memory, one of MemoryKindIDs
// (PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace, API 0.109). A layout
// is kept if the memory allows it; nil asks for the usual one. Layouts with
// strides are not supported.
func (t *Topology) CanonicalShape(memoryKindID int, shape Shape, layout *Layout) (ShapeLayout, error) {
	if layout != nil && layout.Strides != nil {
		return ShapeLayout{}, invalid("layout %v has strides; a canonical shape has an order of dimensions", layout)
	}
	if _, err := shape.HostSize(); err != nil {
		return ShapeLayout{}, err
	}
	h, release, err := t.acquire()
	if err != nil {
		return ShapeLayout{}, err
	}
	defer release()
	var c capi.Call[capi.TopologyDescriptionMakeCanonicalShapeForMemorySpaceArgs]
	table := t.plugin.table
	if err := table.Lacks(c.Function()); err != nil {
		return ShapeLayout{}, err
	}
	if _, minor := table.Version(); shape.Type.Since() > minor {
		return ShapeLayout{}, &Error{Code: ErrUnimplemented, Missing: true, Message: fmt.Sprintf(
			"type %v came with API %d.%d, the plugin has %d.%d", shape.Type, capi.APIMajor, shape.Type.Since(), capi.APIMajor, minor)}
	}
	if err := t.checkMemoryKind(memoryKindID); err != nil {
		return ShapeLayout{}, err
	}
	encoded, err := layout.encode(shape)
	if err != nil {
		return ShapeLayout{}, err
	}
	dims := slices.Clone(shape.Dims)
	c.Args.Topology, c.Args.MemorySpaceKindID = h, int32(memoryKindID)
	if len(dims) > 0 {
		c.Args.Dims, c.Args.NumDims = &dims[0], uintptr(len(dims))
	}
	c.Args.ElementType, c.Args.Layout = capi.BufferType(shape.Type), encoded.layout
	err = c.Do(table)
	runtime.KeepAlive(encoded)
	if err != nil {
		return ShapeLayout{}, err
	}
	defer c.Args.SerializedShapeDeleter.Call(c.Args.SerializedShape)
	s, whole, err := unmarshalShapeLayout(capi.Bytes(c.Args.SerializedShape, c.Args.SerializedShapeSize))
	if err != nil || !whole {
		return ShapeLayout{}, &Error{Code: ErrInternal, Func: c.Function().Name, Message: fmt.Sprintf("the plugin's shape for %v cannot be read", shape)}
	}
	return s, nil
}

// checkMemoryKind refuses numbers of kinds of memory that the topology does not
// have, as far as the plugin tells.
func (t *Topology) checkMemoryKind(id int) error {
	ids, err := t.MemoryKindIDs()
	if optional(err) != nil {
		return err
	}
	if id != int(int32(id)) || (err == nil && !slices.Contains(ids, id)) {
		return invalid("the topology has no memory of the kind %d; it has the kinds %v", id, ids)
	}
	return nil
}
