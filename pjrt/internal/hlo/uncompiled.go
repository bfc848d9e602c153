// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package hlo

import (
	"bytes"

	"github.com/purepjrt/purepjrt/internal/wire"
	"github.com/purepjrt/purepjrt/pjrt/internal/preempt"
)

const (
	instructionFusionKind    = 11 // HloInstructionProto
	instructionBackendConfig = 43
)

// Uncompiled returns a copy of a module without what compilers put into programs, so that one that
// a compiler gave back compiles again: without the order in which its instructions run and notes
// about its loops and concatenations, which compilers of other ages and devices cannot read and end
// the process over, with calls in place of fusions, and
// without bitcasts where other operations do the same. It copies bytes that are not a module as
// they are: the plugin reports the mistake.
func Uncompiled(module []byte) []byte {
	b := make([]byte, 0, len(module))
	u := uncompiler{module: module}
	err := wire.Visit(module, func(f wire.Field) error {
		switch {
		case f.Is(moduleSchedule, wire.Bytes):
			return nil
		case f.Is(moduleComputations, wire.Bytes):
			if !mayBeCompiled(f.Bytes) {
				break
			}
			c, err := u.uncompiled(f.Bytes)
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

// mayBeCompiled reports whether a computation may have an instruction that Uncompiled changes.
func mayBeCompiled(computation []byte) bool {
	for _, opcode := range []string{"fusion", "bitcast", "while", "concatenate"} {
		if preempt.Contains(computation, []byte(opcode)) {
			return true
		}
	}
	return false
}

// uncompiler makes the instructions that take the place of others.
type uncompiler struct {
	module []byte
	last   int64 // the number of the last instruction that was made, or 0
}

// rawInstruction has what Uncompiled reads of an instruction.
type rawInstruction struct {
	raw, name, opcode, shape []byte
	id                       int64
	operands                 []int64
}

func readRaw(raw []byte) (rawInstruction, error) {
	x := rawInstruction{raw: raw}
	return x, wire.Visit(raw, func(f wire.Field) error {
		switch {
		case f.Is(instructionName, wire.Bytes):
			x.name = f.Bytes
		case f.Is(instructionOpcode, wire.Bytes):
			x.opcode = f.Bytes
		case f.Is(instructionShape, wire.Bytes):
			x.shape = f.Bytes
		case f.Is(instructionID, wire.Varint):
			x.id = int64(f.Int)
		case f.IsList(instructionOperands):
			return wire.Ints(&x.operands, f)
		}
		return nil
	})
}

// uncompiled is Uncompiled for a computation.
func (u *uncompiler) uncompiled(computation []byte) ([]byte, error) {
	b := make([]byte, 0, len(computation))
	shapes := make(map[int64][]byte) // of the instructions so far, by their numbers
	err := wire.Visit(computation, func(f wire.Field) error {
		if !f.Is(computationInstructions, wire.Bytes) {
			b = append(b, f.Raw...)
			return nil
		}
		x, err := readRaw(f.Bytes)
		if err != nil {
			return err
		}
		shapes[x.id] = x.shape
		last := x.raw
		switch string(x.opcode) {
		case "fusion":
			last = x.rewritten("call", nil, nil)
		case "while", "concatenate":
			last = x.rewritten(string(x.opcode), nil, nil)
		case "bitcast":
			if len(x.operands) == 1 {
				b, last, err = u.bitcast(b, &x, shapes[x.operands[0]])
			}
		}
		b = wire.AppendBytes(b, computationInstructions, last)
		return err
	})
	return b, err
}

// rewritten returns the instruction with another opcode and without notes of a compiler. operands
// and dimensions are those of the result unless they are nil.
func (x *rawInstruction) rewritten(opcode string, operands, dimensions []int64) []byte {
	b := make([]byte, 0, len(x.raw))
	_ = wire.Visit(x.raw, func(f wire.Field) error {
		switch {
		case f.Number == instructionOpcode:
			b = wire.AppendBytes(b, instructionOpcode, opcode)
		case f.Number == instructionFusionKind, f.Number == instructionBackendConfig:
		case f.Number == instructionOperands && operands != nil:
		default:
			b = append(b, f.Raw...)
		}
		return nil
	})
	b = wire.AppendInts(b, instructionDimensions, dimensions)
	return wire.AppendInts(b, instructionOperands, operands)
}
