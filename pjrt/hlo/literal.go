// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package hlo

import (
	"encoding/binary"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/purepjrt/purepjrt/internal/wire"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// How the elements of a LiteralProto are written.
type form uint8

const (
	asBytes form = iota
	asBools
	asVarints
	asSigned // varints of 64 bits
	asFixed
)

// literals says which field of LiteralProto has the elements of each type, and in which form.
var literals = map[dtype.Type]struct {
	field wire.Number
	form  form
}{
	dtype.Pred: {2, asBools},
	dtype.S8:   {15, asBytes}, dtype.S16: {17, asBytes}, dtype.S32: {4, asSigned}, dtype.S64: {5, asSigned},
	dtype.U8: {3, asBytes}, dtype.U16: {16, asBytes}, dtype.U32: {6, asVarints}, dtype.U64: {7, asVarints},
	dtype.F16: {11, asBytes}, dtype.BF16: {13, asBytes}, dtype.F32: {8, asFixed}, dtype.F64: {9, asFixed},
	dtype.C64: {12, asFixed}, dtype.C128: {18, asFixed},
	dtype.F8E5M2: {19, asBytes}, dtype.F8E4M3FN: {20, asBytes}, dtype.F8E4M3B11FNUZ: {23, asBytes},
	dtype.F8E5M2FNUZ: {24, asBytes}, dtype.F8E4M3FNUZ: {25, asBytes}, dtype.F8E4M3: {28, asBytes},
	dtype.F8E3M4: {29, asBytes}, dtype.F8E8M0FNU: {33, asBytes},
}

const literalShape = 1 // LiteralProto

// word returns the size in bytes of each number in a literal of type t. A complex element is
// two numbers.
func word(t dtype.Type) int {
	if t.IsComplex() {
		return t.Size() / 2
	}
	return t.Size()
}

// Constant returns a constant. data has its elements as the host stores them: little-endian,
// the last dimension varying fastest, one byte for a bool. Types narrower than a byte are an
// error.
func Constant(t dtype.Type, dims []int64, data []byte) (*Instruction, error) {
	l, ok := literals[t]
	if !ok {
		return nil, fmt.Errorf("hlo: constants of type %v are not supported", t)
	}
	i := &Instruction{Opcode: "constant", Shape: Array(t, dims...)}
	p, err := i.Shape.proto(0)
	if err != nil {
		return nil, fmt.Errorf("hlo: constant: %w", err)
	}
	elements := int64(1)
	for _, d := range dims {
		elements *= d
	}
	if want := elements * int64(t.Size()); int64(len(data)) != want {
		return nil, fmt.Errorf("hlo: a constant %v has %d bytes, not %d", i.Shape, want, len(data))
	}
	i.literal = wire.AppendBytes(nil, literalShape, p.Marshal())
	var packed []byte
	switch size := word(t); l.form {
	case asBytes, asFixed, asBools:
		packed = data // a bool is the varint 0 or 1
	default:
		for ; len(data) > 0; data = data[size:] {
			var v uint64
			if size == 4 {
				v = uint64(binary.LittleEndian.Uint32(data))
				if l.form == asSigned {
					v = uint64(int64(int32(v)))
				}
			} else {
				v = binary.LittleEndian.Uint64(data)
			}
			packed = protowire.AppendVarint(packed, v)
		}
	}
	i.literal = wire.AppendNonempty(i.literal, l.field, packed)
	return i, nil
}

// Data returns the elements of a constant as [Constant] takes them. It returns an error for
// other instructions, for types that [Constant] does not take, and for constants whose data
// the module leaves out or stores in a layout other than the default.
func (i *Instruction) Data() ([]byte, error) {
	if i == nil || i.Opcode != "constant" {
		return nil, fmt.Errorf("hlo: only constants have data")
	}
	l, ok := literals[i.Shape.Type]
	if !ok || i.Shape.IsTuple {
		return nil, fmt.Errorf("hlo: the data of constants of the shape %v cannot be read", i.Shape)
	}
	if i.Shape.Layout != nil {
		for n, d := range i.Shape.Layout.MinorToMajor {
			if d != len(i.Shape.Dims)-1-n {
				return nil, fmt.Errorf("hlo: the constant %s is not stored in the default layout: %v", i.Name, i.Shape)
			}
		}
	}
	var data []byte
	size := word(i.Shape.Type)
	put := func(v uint64) {
		switch size {
		case 1:
			data = append(data, byte(v))
		case 4:
			data = binary.LittleEndian.AppendUint32(data, uint32(v))
		default:
			data = binary.LittleEndian.AppendUint64(data, v)
		}
	}
	err := wire.Visit(i.literal, func(f wire.Field) error {
		switch {
		case f.Number != l.field:
		case f.Type != wire.Bytes:
			put(f.Int)
		case l.form == asBytes || l.form == asFixed:
			data = append(data, f.Bytes...)
		default:
			var list []int64
			if err := wire.Ints(&list, f); err != nil {
				return err
			}
			for _, v := range list {
				put(uint64(v))
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("hlo: the constant %s: %w", i.Name, err)
	}
	if want := times(i.Shape.Size(), int64(i.Shape.Type.Size())); int64(len(data)) != want {
		return nil, fmt.Errorf("hlo: the constant %s has %d bytes of data instead of %d", i.Name, len(data), want)
	}
	return data, nil
}
