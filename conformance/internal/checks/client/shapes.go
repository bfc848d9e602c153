// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package client

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/internal/wire"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

var shapeChecks = []check.Check{
	{Rule: "TOPO-17", Library: true, Run: func(t *check.T) {
		s := canonical(t, capi.BufferTypeF32, []int64{2, 3}, nil)
		if len(s.minorToMajor) != 2 {
			t.Errorf("the canonical shape of f32[2,3]: expected a layout of 2 dimensions, got %v", s.minorToMajor)
		}
		layout := check.TiledLayout([]int64{0, 1})
		s = canonical(t, capi.BufferTypeF32, []int64{2, 3}, layout)
		if fmt.Sprint(s.minorToMajor) != "[0 1]" {
			t.Notef("the layout [0 1] of f32[2,3] became %v", s.minorToMajor)
		}
		if len(s.minorToMajor) != 2 {
			t.Errorf("the canonical shape of f32[2,3] with the layout [0 1]: expected a layout of 2 dimensions, got %v", s.minorToMajor)
		}
		if legal(t, layout) {
			check.Equal(t, "[0 1]", fmt.Sprint(s.minorToMajor),
				"layout of the canonical shape of f32[2,3] with the layout [0 1], which buffers have")
			for _, dims := range check.Each(t, check.Shapes) {
				for _, order := range check.Each(t, check.Orders(len(dims))) {
					s := canonical(t, capi.BufferTypeF32, dims, check.TiledLayout(order))
					check.Equal(t, fmt.Sprint(order), fmt.Sprint(append([]int64{}, s.minorToMajor...)),
						"layout of the canonical shape of f32%v with the layout %v", dims, order)
				}
			}
		}
	}},
	{Rule: "TOPO-18", Library: true, Run: func(t *check.T) {
		for _, want := range []struct {
			kind capi.BufferType
			xla  int // the type's number in a ShapeProto
			dims []int64
		}{
			{capi.BufferTypeF32, 11, []int64{2, 3}},
			{capi.BufferTypeS32, 4, []int64{7}},
			{capi.BufferTypeF32, 11, []int64{}},
			{capi.BufferTypeS4, 21, []int64{8}},
			{capi.BufferTypeU4, 22, []int64{8}},
			{capi.BufferTypeF32, 11, []int64{3, 1}},
			{capi.BufferTypeF32, 11, []int64{1, 1, 2}},
		} {
			s := canonical(t, want.kind, want.dims, nil)
			check.Equal(t, want.xla, s.elementType, "element_type of the canonical shape of %v%v", want.kind, want.dims)
			check.Equal(t, fmt.Sprint(want.dims), fmt.Sprint(append([]int64{}, s.dims...)), "dimensions of the canonical shape of %v%v",
				want.kind, want.dims)
		}
		for _, dims := range check.Each(t, slices.Concat(check.Shapes, check.Degenerate)) {
			s := canonical(t, capi.BufferTypeF32, dims, nil)
			check.Equal(t, fmt.Sprint(dims), fmt.Sprint(append([]int64{}, s.dims...)), "dimensions of the canonical shape of f32%v", dims)
			check.Equal(t, len(dims), len(s.minorToMajor), "dimensions of the layout of the canonical shape of f32%v", dims)
		}
		// A platform need not have the other types.
		for _, e := range dtype.All() {
			if e == dtype.Token || e.Since() > t.Minor() {
				continue
			}
			args := shapeArgs(t, capi.BufferType(e), []int64{4})
			out, err := check.Try(t, args)
			if err != nil {
				t.Notef("%v[4]: %v", e, err)
				continue
			}
			s, err := parseShape(capi.Bytes(out.SerializedShape, out.SerializedShapeSize))
			release(out, nil)
			if err != nil {
				t.Errorf("the canonical shape of %v[4] is not a ShapeProto: %v", e, err)
				continue
			}
			check.Equal(t, int(e.PrimitiveType()), s.elementType, "element_type of the canonical shape of %v[4]", e)
		}
	}},
	{Rule: "TOPO-19", Library: true, Hostile: true, Run: func(t *check.T) {
		canonical(t, capi.BufferTypeF32, []int64{2, 3}, nil)
		args := shapeArgs(t, capi.BufferTypeF32, []int64{2, 3})
		args.Layout = check.StridedLayout([]int64{12, 4})
		out, err := check.Try(t, args)
		t.ErrorCode(err, "PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace with a strided layout", capi.ErrorCodeInvalidArgument)
		release(out, err)
		args = shapeArgs(t, capi.BufferTypeF32, []int64{2, 3})
		args.MemorySpaceKindID = math.MaxInt32
		out, err = check.Try(t, args)
		t.ErrorCode(err, "PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace with an unknown kind of memory",
			capi.ErrorCodeInvalidArgument)
		release(out, err)
	}},
	{Rule: "TOPO-20", Library: true, Run: func(t *check.T) {
		first := check.Call(t, shapeArgs(t, capi.BufferTypeF32, []int64{2, 3}))
		if first.SerializedShapeDeleter == 0 {
			t.Errorf("serialized_shape_deleter is null")
		}
		before := capi.Bytes(first.SerializedShape, first.SerializedShapeSize)
		second := check.Call(t, shapeArgs(t, capi.BufferTypeS32, []int64{70, 80}))
		if !bytes.Equal(before, capi.Bytes(first.SerializedShape, first.SerializedShapeSize)) {
			t.Errorf("the bytes of one shape changed when another was asked for")
		}
		release(second, nil)
		release(first, nil)
	}},
}

// legal reports whether a buffer of f32[2,3] really gets the requested layout.
func legal(t *check.T, layout *capi.BufferMemoryLayout) bool {
	if t.Env().NoDevice != "" {
		return false
	}
	args := check.HostArgs(t.Client(), []float32{1, 2, 3, 4, 5, 6}, 2, 3)
	args.DeviceLayout = layout
	b, err := t.TryUpload(args)
	if err != nil {
		return false
	}
	got, err := check.Try(t, capi.BufferGetMemoryLayoutArgs{Buffer: b})
	if err != nil || got.Layout.Type != capi.BufferMemoryLayoutTypeTiled {
		return false
	}
	want := layout.Tiled()
	is := got.Layout.Tiled()
	return slices.Equal(capi.Slice(is.MinorToMajor, is.MinorToMajorSize), capi.Slice(want.MinorToMajor, want.MinorToMajorSize))
}

// shapeArgs asks for the canonical shape in the first kind of memory.
func shapeArgs(t *check.T, kind capi.BufferType, dims []int64) capi.TopologyDescriptionMakeCanonicalShapeForMemorySpaceArgs {
	topology := t.Topology()
	t.Require(check.FunctionOf[capi.TopologyDescriptionMakeCanonicalShapeForMemorySpaceArgs]())
	args := capi.TopologyDescriptionMakeCanonicalShapeForMemorySpaceArgs{Topology: topology, ElementType: kind}
	args.Dims, args.NumDims = check.First(dims)
	if ids, err := check.Try(t, capi.TopologyDescriptionGetMemorySpaceKindIDsArgs{Topology: topology}); err == nil &&
		ids.NumMemorySpaceKindIDs > 0 {
		args.MemorySpaceKindID = *ids.MemorySpaceKindIDs
	} else if t.Env().NoDevice == "" && len(t.Client().Memories) > 0 {
		args.MemorySpaceKindID = check.Call(t, capi.MemoryKindIDArgs{Memory: t.Client().Memories[0]}).KindID
	}
	return args
}

func release(out capi.TopologyDescriptionMakeCanonicalShapeForMemorySpaceArgs, err error) {
	if err == nil && out.SerializedShapeDeleter != 0 {
		out.SerializedShapeDeleter.Call(out.SerializedShape)
	}
}

// shape is what a ShapeProto says.
type shape struct {
	elementType  int
	dims         []int64
	minorToMajor []int64
}

// canonical asks for a canonical shape and reads it.
func canonical(t *check.T, kind capi.BufferType, dims []int64, layout *capi.BufferMemoryLayout) shape {
	args := shapeArgs(t, kind, dims)
	args.Layout = layout
	out := check.Call(t, args)
	s, err := parseShape(capi.Bytes(out.SerializedShape, out.SerializedShapeSize))
	if err != nil {
		t.Fatalf("the canonical shape of %v%v is not a ShapeProto: %v", kind, dims, err)
	}
	release(out, nil)
	return s
}

// shapeTable has the fields of a ShapeProto that matter here: element_type, dimensions, and
// minor_to_major in layout.
var shapeTable = wire.NewTable(nil,
	wire.Int(2, func(s *shape) *int { return &s.elementType }),
	wire.IntList(3, func(s *shape) *[]int64 { return &s.dims }),
	wire.Embedded(5, func(s *shape) *shape { return s }, wire.NewTable(nil,
		wire.IntList(1, func(s *shape) *[]int64 { return &s.minorToMajor }))),
)

func parseShape(b []byte) (s shape, err error) {
	if len(b) == 0 {
		return s, errors.New("there are no bytes")
	}
	err = shapeTable.Read(b, &s)
	return s, err
}
