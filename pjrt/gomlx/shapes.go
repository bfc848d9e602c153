// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package gomlx

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	xlashapes "github.com/gomlx/go-xla/types/shapes"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/array"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// GoMLX, go-xla and package dtype all number their types as PJRT_Buffer_Type does.

// known are the types that have a Go type in GoMLX.
var known = []dtypes.DType{
	dtypes.Bool,
	dtypes.Int8, dtypes.Int16, dtypes.Int32, dtypes.Int64,
	dtypes.Uint8, dtypes.Uint16, dtypes.Uint32, dtypes.Uint64,
	dtypes.Float16, dtypes.Float32, dtypes.Float64, dtypes.BFloat16,
	dtypes.Complex64, dtypes.Complex128,
}

func isKnown(t dtypes.DType) bool {
	return t >= dtypes.Bool && t <= dtypes.Complex128
}

// xlaShape returns shape in the form of the StableHLO builder.
func xlaShape(shape shapes.Shape) xlashapes.Shape {
	return xlashapes.Make(shape.DType, shape.Dimensions...)
}

func fromXLA(shape xlashapes.Shape) shapes.Shape {
	return shapes.Make(shape.DType, shape.Dimensions...)
}

// pjrtShape returns shape in the form of package pjrt.
func pjrtShape(shape shapes.Shape) pjrt.Shape {
	return pjrt.Shape{Type: dtype.Type(shape.DType), Dims: array.Dims[int64](shape.Dimensions)}
}

func fromPJRT(shape pjrt.Shape) shapes.Shape {
	return shapes.Make(dtypes.DType(shape.Type), array.Dims[int](shape.Dims)...)
}

// checkShape returns an error for shapes that no array can have.
func checkShape(shape shapes.Shape) error {
	switch {
	case shape.IsTuple():
		return errorf("%s is a tuple, and buffers are arrays", shape)
	case !isKnown(shape.DType) && !isPacked(shape.DType):
		return errorf("the dtype %s of %s has no Go type", shape.DType, shape)
	}
	for _, d := range shape.Dimensions {
		if d < 0 {
			return errorf("%s has a negative dimension", shape)
		}
	}
	return nil
}

// checkSymbolic is checkShape for shapes whose axes may be dynamic.
func checkSymbolic(shape shapes.Shape) error {
	if !shape.IsDynamic() {
		return checkShape(shape)
	}
	fixed := shape.Clone()
	for axis, d := range fixed.Dimensions {
		if d != shapes.DynamicDim {
			continue
		}
		if shape.AxisName(axis) == "" {
			return errorf("the dynamic axis %d of %s has no name", axis, shape)
		}
		fixed.Dimensions[axis] = 1
	}
	return checkShape(fixed)
}
