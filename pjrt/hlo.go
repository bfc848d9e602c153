// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"errors"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// Field numbers of xla/service/hlo.proto and xla/xla_data.proto.
const (
	fieldHLOModule        = 1 // HloModuleProtoWithConfig
	fieldHostProgramShape = 4 // HloModuleProto
	fieldParameters       = 1 // ProgramShapeProto
	fieldElementType      = 2 // ShapeProto
	fieldDimensions       = 3
	fieldTupleShapes      = 4
)

// primitiveTuple is XLA's PrimitiveType of a tuple.
const primitiveTuple = 13

// errWire is for bytes that are no protobuf message.
var errWire = errors.New("malformed protobuf message")

// fields calls visit for each field of a message. For a varint, bytes is nil.
func fields(b []byte, visit func(field protowire.Number, bytes []byte, varint uint64) error) error {
	for len(b) > 0 {
		field, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			return errWire
		}
		b = b[n:]
		var bytes []byte
		var varint uint64
		switch kind {
		case protowire.BytesType:
			bytes, n = protowire.ConsumeBytes(b)
		case protowire.VarintType:
			varint, n = protowire.ConsumeVarint(b)
		default:
			n = protowire.ConsumeFieldValue(field, kind, b)
		}
		if n < 0 {
			return errWire
		}
		b = b[n:]
		if err := visit(field, bytes, varint); err != nil {
			return err
		}
	}
	return nil
}

// field returns the last value of a message field.
func field(b []byte, want protowire.Number) ([]byte, error) {
	var value []byte
	err := fields(b, func(f protowire.Number, bytes []byte, _ uint64) error {
		if f == want {
			value = bytes
		}
		return nil
	})
	return value, err
}

// parameterShapes reads the parameters of a program from the HLO module that a
// plugin made of it. Parameters that the compiler put into one tuple come as
// the elements of the tuple.
func parameterShapes(module []byte) ([]Shape, error) {
	program, err := field(module, fieldHostProgramShape)
	if err != nil {
		return nil, err
	}
	var shapes []Shape
	err = fields(program, func(f protowire.Number, bytes []byte, _ uint64) error {
		if f != fieldParameters {
			return nil
		}
		s, err := flatten(bytes)
		shapes = append(shapes, s...)
		return err
	})
	return shapes, err
}

// flatten reads a ShapeProto into the arrays that it holds.
func flatten(b []byte) ([]Shape, error) {
	var primitive uint64
	var dims []int64
	var elements []Shape
	err := fields(b, func(f protowire.Number, bytes []byte, varint uint64) error {
		switch f {
		case fieldElementType:
			primitive = varint
		case fieldDimensions:
			if bytes == nil {
				dims = append(dims, int64(varint))
				return nil
			}
			for len(bytes) > 0 { // packed
				v, n := protowire.ConsumeVarint(bytes)
				if n < 0 {
					return errWire
				}
				dims = append(dims, int64(v))
				bytes = bytes[n:]
			}
		case fieldTupleShapes:
			s, err := flatten(bytes)
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
