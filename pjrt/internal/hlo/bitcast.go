// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package hlo

import (
	"math"
	"slices"
	"strconv"

	"github.com/purepjrt/purepjrt/internal/wire"
	"github.com/purepjrt/purepjrt/pjrt/internal/xlaproto"
)

// bitcast returns an instruction that makes the array of a bitcast out of one with the shape from,
// after it has appended those that this one needs. Compilers expect no bitcast, whose meaning
// depends on layouts. It has the same memory, so it is the array with its dimensions in the order
// of its memory, reshaped to those of the result in the order of theirs, and put in the order of
// their numbers. A bitcast stays one if either array is not dense.
func (u *uncompiler) bitcast(b []byte, x *rawInstruction, from []byte) (appended, last []byte, err error) {
	a, err := xlaproto.UnmarshalShape(from)
	if err != nil {
		return b, x.raw, err
	}
	to, err := xlaproto.UnmarshalShape(x.shape)
	if err != nil {
		return b, x.raw, err
	}
	before, dense := inMemory(&a)
	after, alsoDense := inMemory(&to)
	if !dense || !alsoDense {
		return b, x.raw, nil
	}
	if a.ElementType != to.ElementType {
		if slices.Equal(a.Dims, to.Dims) && slices.Equal(before, after) {
			return b, x.rewritten("bitcast-convert", nil, nil), nil
		}
		return b, x.raw, nil
	}
	operand := x.operands[0]
	if !slices.IsSorted(before) {
		a.Dims = permuted(a.Dims, before)
		b, operand = u.appendNew(b, x, "transpose", a.ElementType, a.Dims, before, operand)
	}
	if slices.IsSorted(after) {
		return b, x.rewritten("reshape", []int64{operand}, nil), nil
	}
	if dims := permuted(to.Dims, after); !slices.Equal(a.Dims, dims) {
		b, operand = u.appendNew(b, x, "reshape", a.ElementType, dims, nil, operand)
	}
	places := make([]int64, len(after)) // of the dimensions in memory
	for place, d := range after {
		places[d] = int64(place)
	}
	return b, x.rewritten("transpose", []int64{operand}, places), nil
}

// permuted returns the sizes of the dimensions in an order.
func permuted(dims, order []int64) []int64 {
	out := make([]int64, len(order))
	for i, d := range order {
		out[i] = dims[d]
	}
	return out
}

// appendNew appends an instruction that x needs, and returns its number.
func (u *uncompiler) appendNew(
	b []byte, x *rawInstruction, opcode string, element int32, dims, dimensions []int64, operand int64,
) ([]byte, int64) {
	shape := xlaproto.Shape{ElementType: element, Dims: dims, Layout: new(xlaproto.Layout)}
	for d := range slices.Backward(dims) {
		shape.Layout.MinorToMajor = append(shape.Layout.MinorToMajor, d)
	}
	id := u.number(x.id)
	raw := wire.AppendBytes(nil, instructionName, string(x.name)+"."+strconv.FormatInt(u.last, 10))
	raw = wire.AppendBytes(raw, instructionOpcode, opcode)
	raw = wire.AppendBytes(raw, instructionShape, shape.Marshal())
	raw = wire.AppendInts(raw, instructionDimensions, dimensions)
	raw = wire.AppendInt(raw, instructionID, id)
	raw = wire.AppendInts(raw, instructionOperands, []int64{operand})
	return wire.AppendBytes(b, computationInstructions, raw), id
}

// number returns a number that no instruction has, for one beside the instruction with the number
// beside. The upper half of a number may be that of its computation.
func (u *uncompiler) number(beside int64) int64 {
	if u.last == 0 {
		_ = wire.VisitMessages(u.module, moduleComputations, func(c []byte) error {
			return wire.VisitMessages(c, computationInstructions, func(raw []byte) error {
				x, err := readRaw(raw)
				u.last = max(u.last, x.id&math.MaxUint32)
				return err
			})
		})
	}
	u.last++
	return beside&^math.MaxUint32 | u.last
}

// inMemory returns the dimensions of an array in the order of its memory, from the one whose steps
// are longest. ok is false if the memory has anything else than all of its elements, one by one.
func inMemory(s *xlaproto.Shape) (dims []int64, ok bool) {
	l := s.Layout
	switch {
	case s.IsTuple(), slices.Contains(s.Dynamic, true), l == nil:
		return nil, false
	case len(l.MinorToMajor) != len(s.Dims), len(l.Tiles) > 0, l.TailPadding > 1, len(l.Unknown) > 0:
		return nil, false
	}
	known := make([]bool, len(s.Dims))
	for _, d := range slices.Backward(l.MinorToMajor) {
		if d < 0 || d >= len(known) || known[d] {
			return nil, false
		}
		known[d] = true
		dims = append(dims, int64(d))
	}
	return dims, true
}
