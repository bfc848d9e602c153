// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// Field numbers of xla/xla.proto, xla/service/hlo.proto and xla/xla_data.proto.
const (
	fieldHLOModule        = 1 // HloModuleProtoWithConfig
	fieldHLOConfig        = 2
	fieldModuleName       = 1 // HloModuleProto
	fieldComputations     = 3
	fieldHostProgramShape = 4
	fieldParameters       = 1 // ProgramShapeProto
	fieldResult           = 2
	fieldElementType      = 2 // ShapeProto
	fieldDimensions       = 3
	fieldTupleShapes      = 4
	fieldLayout           = 5
	fieldDynamic          = 6
)

// primitiveTuple is XLA's PrimitiveType of a tuple.
const primitiveTuple = 13

// parameterShapes reads the parameters of a program from the HLO module that a
// plugin made of it. Parameters that the compiler put into one tuple come as
// the elements of the tuple.
func parameterShapes(module []byte) ([]Shape, error) {
	program, err := wireMessage(module, fieldHostProgramShape)
	if err != nil {
		return nil, err
	}
	var shapes []Shape
	err = wireFields(program, func(r wireField) error {
		if !r.is(fieldParameters, protowire.BytesType) {
			return nil
		}
		s, err := flatten(r.bytes, 0)
		shapes = append(shapes, s...)
		return err
	})
	return shapes, err
}

// flatten reads a ShapeProto into the arrays that it holds.
func flatten(b []byte, depth int) ([]Shape, error) {
	if depth > maxTupleDepth {
		return nil, fmt.Errorf("tuples are nested more than %d deep", maxTupleDepth)
	}
	var primitive uint64
	var dims []int64
	var elements []Shape
	err := wireFields(b, func(r wireField) error {
		switch {
		case r.is(fieldElementType, protowire.VarintType):
			primitive = r.varint
		case r.number == fieldDimensions && r.packable():
			return appendUnpacked(&dims, r)
		case r.is(fieldTupleShapes, protowire.BytesType):
			s, err := flatten(r.bytes, depth+1)
			elements = append(elements, s...)
			return err
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if primitive == primitiveTuple {
		return elements, nil
	}
	t, ok := dtype.FromPrimitiveType(int32(primitive))
	if !ok {
		return nil, fmt.Errorf("XLA's primitive type %d is no element type of a buffer", primitive)
	}
	return []Shape{{t, dims}}, nil
}

// moduleCounts returns the numbers of parameters and results of an HLO module. A
// result that is a tuple counts as its elements.
func moduleCounts(module []byte) (parameters, results int, ok bool) {
	program, err := wireMessage(module, fieldHostProgramShape)
	if err != nil {
		return 0, 0, false
	}
	var result []byte
	err = wireFields(program, func(r wireField) error {
		switch {
		case r.is(fieldParameters, protowire.BytesType):
			parameters++
		case r.is(fieldResult, protowire.BytesType):
			result, ok = append(result, r.bytes...), true
		}
		return nil
	})
	tuple := false
	results = 1
	if err == nil {
		elements := 0
		err = wireFields(result, func(r wireField) error {
			switch {
			case r.is(fieldElementType, protowire.VarintType):
				tuple = r.varint == primitiveTuple
			case r.is(fieldTupleShapes, protowire.BytesType):
				elements++
			}
			return nil
		})
		if tuple {
			results = elements
		}
	}
	return parameters, results, ok && err == nil
}
