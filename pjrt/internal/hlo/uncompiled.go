// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package hlo

import (
	"bytes"
	"slices"

	"github.com/purepjrt/purepjrt/pjrt/internal/preempt"
	"github.com/purepjrt/purepjrt/pjrt/internal/wire"
	"github.com/purepjrt/purepjrt/pjrt/internal/xlaproto"
)

const instructionFusionKind = 11 // HloInstructionProto

// Uncompiled returns a copy of a module without what compilers put into programs, so that one that
// a compiler gave back compiles again: without the order in which its instructions run, with calls
// in place of fusions, and without bitcasts where other operations do the same. It copies bytes
// that are not a module as they are: the plugin reports the mistake.
func Uncompiled(module []byte) []byte {
	b := make([]byte, 0, len(module))
	err := wire.Visit(module, func(f wire.Field) error {
		switch {
		case f.Is(moduleSchedule, wire.Bytes):
			return nil
		case f.Is(moduleComputations, wire.Bytes):
			if !preempt.Contains(f.Bytes, []byte("fusion")) && !preempt.Contains(f.Bytes, []byte("bitcast")) {
				break
			}
			c, err := uncompiled(f.Bytes)
			b = wire.AppendBytes(b, moduleComputations, c)
			return err
		}
		b = append(b, f.Raw...)
		return nil
	})
	if err != nil {
		return bytes.Clone(module)
	}
	return b
}

// uncompiled is Uncompiled for a computation.
func uncompiled(computation []byte) ([]byte, error) {
	b := make([]byte, 0, len(computation))
	shapes := make(map[int64][]byte) // of the instructions so far, by their numbers
	err := wire.Visit(computation, func(f wire.Field) error {
		if !f.Is(computationInstructions, wire.Bytes) {
			b = append(b, f.Raw...)
			return nil
		}
		var opcode, shape []byte
		var id int64
		var operands []int64
		err := wire.Visit(f.Bytes, func(f wire.Field) error {
			switch {
			case f.Is(instructionOpcode, wire.Bytes):
				opcode = f.Bytes
			case f.Is(instructionShape, wire.Bytes):
				shape = f.Bytes
			case f.Is(instructionID, wire.Varint):
				id = int64(f.Int)
			case f.IsList(instructionOperands):
				return wire.Ints(&operands, f)
			}
			return nil
		})
		shapes[id] = shape
		switch {
		case err != nil:
			return err
		case string(opcode) == "fusion":
			b = wire.AppendBytes(b, computationInstructions, withOpcode(f.Bytes, "call"))
		case string(opcode) == "bitcast" && len(operands) == 1:
			b = wire.AppendBytes(b, computationInstructions, withOpcode(f.Bytes, bitcast(shapes[operands[0]], shape)))
		default:
			b = append(b, f.Raw...)
		}
		return nil
	})
	return b, err
}

// withOpcode returns an instruction, which has been read once, with another opcode.
func withOpcode(instruction []byte, opcode string) []byte {
	b := make([]byte, 0, len(instruction))
	_ = wire.Visit(instruction, func(f wire.Field) error {
		switch f.Number {
		case instructionOpcode:
			b = wire.AppendBytes(b, instructionOpcode, opcode)
		case instructionFusionKind:
		default:
			b = append(b, f.Raw...)
		}
		return nil
	})
	return b
}

// bitcast returns the opcode that makes an array of one shape out of one of another with the same
// memory. Compilers expect no bitcast, whose meaning depends on layouts.
func bitcast(from, to []byte) string {
	a, err := xlaproto.UnmarshalShape(from)
	if err != nil {
		return "bitcast"
	}
	b, err := xlaproto.UnmarshalShape(to)
	switch {
	case err != nil || !isRowMajor(&a) || !isRowMajor(&b):
	case a.ElementType == b.ElementType:
		return "reshape"
	case slices.Equal(a.Dims, b.Dims):
		return "bitcast-convert"
	}
	return "bitcast"
}

// isRowMajor reports whether the memory of an array has all of its elements in the order of their
// indices, and nothing else.
func isRowMajor(s *xlaproto.Shape) bool {
	l := s.Layout
	switch {
	case s.IsTuple(), slices.Contains(s.Dynamic, true), l == nil:
		return false
	case len(l.MinorToMajor) != len(s.Dims), len(l.Tiles) > 0, l.TailPadding > 1, len(l.Unknown) > 0:
		return false
	}
	for i, d := range l.MinorToMajor {
		if d != len(s.Dims)-1-i {
			return false
		}
	}
	return true
}
