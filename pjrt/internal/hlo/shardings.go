// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package hlo

import (
	"context"
	"errors"
	"fmt"

	"github.com/purepjrt/purepjrt/internal/excerpt"
	"github.com/purepjrt/purepjrt/internal/wire"
	"github.com/purepjrt/purepjrt/pjrt/internal/dataflow"
	"github.com/purepjrt/purepjrt/pjrt/internal/xlaproto"
)

const instructionSharding = 40 // HloInstructionProto

// checkShardings refuses shardings of tuples over which compilers for CPUs end the process: that of
// a parameter or the result of the program, if it does not have one for each array, which the
// compiler looks for; and one with a tuple in it, which that of API 0.106 alone takes. It accepts
// bytes that are not a module.
func checkShardings(ctx context.Context, module []byte, c dataflow.Compiler) error {
	const flattens = 106
	entry, err := lastNumber(ctx, module, moduleEntry)
	if err != nil {
		return ctx.Err()
	}
	err = wire.VisitMessages(module, moduleComputations, func(computation []byte) error {
		id, err := lastNumber(ctx, computation, computationID)
		if err != nil {
			return err
		}
		root, err := lastNumber(ctx, computation, computationRoot)
		if err != nil {
			return err
		}
		return wire.Visit(computation, wire.Until(ctx, func(f wire.Field) error {
			if !f.Is(computationInstructions, wire.Bytes) {
				return nil
			}
			i, err := readSharded(f.Bytes)
			if err != nil || i.sharding == nil || i.arrays == 0 {
				return err
			}
			elements, nested, err := elementsOf(i.sharding)
			switch {
			case err != nil:
				return err
			case nested && c.Minor != flattens:
				return i.wrong("that has tuples in a tuple", "list the shardings of all its arrays in one")
			case id == entry && (i.opcode == "parameter" || local(i.id) == local(root)) && elements < i.arrays:
				return i.wrong(fmt.Sprintf("of %d elements for its %d arrays", elements, i.arrays), "give each array of the tuple one")
			}
			return nil
		}))
	})
	if errors.Is(err, wire.ErrMalformed) {
		return nil
	}
	return err
}

// sharded is what checkShardings looks at of an instruction.
type sharded struct {
	name, opcode string
	id           int64
	arrays       int    // in the tuple that it is; 0 if it is none
	sharding     []byte // nil if it has none
}

// wrong returns an error for the sharding of an instruction.
func (s *sharded) wrong(what, advice string) error {
	return fmt.Errorf("the %s %s of the program has a sharding %s, and compilers would end the process: %s",
		excerpt.OfName(s.opcode), excerpt.OfName(s.name), what, advice)
}

// readSharded reads an instruction, all of it only if that is a tuple with a sharding.
func readSharded(code []byte) (s sharded, err error) {
	if s.sharding, err = wire.Message(code, instructionSharding); err != nil || s.sharding == nil {
		return s, err
	}
	shape, err := wire.Message(code, instructionShape)
	if err != nil {
		return s, err
	}
	if tuple, _, err := partsOf(shape); err != nil || !tuple {
		return s, err
	}
	if s.arrays, err = arraysOf(shape, 0); err != nil {
		return s, err
	}
	return s, wire.Visit(code, func(f wire.Field) error {
		switch {
		case f.Is(instructionName, wire.Bytes):
			s.name = string(f.Bytes)
		case f.Is(instructionOpcode, wire.Bytes):
			s.opcode = string(f.Bytes)
		case f.Is(instructionID, wire.Varint):
			s.id = int64(f.Int)
		}
		return nil
	})
}

// arraysOf returns how many arrays there are in a ShapeProto.
func arraysOf(shape []byte, depth int) (n int, err error) {
	tuple, parts, err := partsOf(shape)
	if err != nil || !tuple {
		return 1, err
	}
	if depth > xlaproto.MaxTupleDepth {
		return 0, wire.ErrMalformed // checkShape has refused it
	}
	for _, p := range parts {
		inside, err := arraysOf(p, depth+1)
		if err != nil {
			return 0, err
		}
		n += inside
	}
	return n, nil
}

// elementsOf returns how many elements an OpSharding has, 0 unless it is a tuple's, and whether one
// of them is a tuple's.
func elementsOf(sharding []byte) (n int, nested bool, err error) {
	tuple, err := isTuples(sharding)
	if err != nil || !tuple {
		return 0, false, err
	}
	err = wire.VisitMessages(sharding, shardingTuples, func(element []byte) error {
		n++
		inner, err := isTuples(element)
		nested = nested || inner
		return err
	})
	return n, nested, err
}

// isTuples reports whether an OpSharding is a tuple's.
func isTuples(sharding []byte) (is bool, err error) {
	err = wire.Visit(sharding, func(f wire.Field) error {
		if f.Is(shardingType, wire.Varint) {
			is = xlaproto.ShardingType(f.Int) == xlaproto.Tuple
		}
		return nil
	})
	return is, err
}
