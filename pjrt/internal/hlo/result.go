// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package hlo

import (
	"context"
	"errors"

	"github.com/purepjrt/purepjrt/internal/wire"
	"github.com/purepjrt/purepjrt/pjrt/internal/xlaproto"
)

// checkResult refuses a module that states another number of results than its entry has. Compilers
// look for each of those that it states. It accepts bytes that are not a module.
func checkResult(ctx context.Context, module []byte) error {
	program, err := wire.Message(module, moduleProgramShape)
	if err != nil {
		return nil
	}
	stated, err := wire.Message(program, programResult)
	if err != nil || stated == nil {
		return nil
	}
	entry, err := lastNumber(ctx, module, moduleEntry)
	if err != nil {
		return ctx.Err()
	}
	var made []byte // the shape of the root of the entry
	err = wire.Visit(module, wire.Until(ctx, func(f wire.Field) error {
		if !f.Is(moduleComputations, wire.Bytes) {
			return nil
		}
		if id, err := lastNumber(ctx, f.Bytes, computationID); err != nil || id != entry {
			return err
		}
		made, err = rootShape(ctx, f.Bytes)
		return err
	}))
	if err != nil || made == nil || agree(stated, made, 0) {
		return ctx.Err()
	}
	return errors.New("the program states other results than the root of its entry computation has, and the compiler would end the process: " +
		"correct host_program_shape, root_id or entry_computation_id")
}

// rootShape returns the ShapeProto of the root of a computation, or nil if it is not there.
func rootShape(ctx context.Context, computation []byte) (shape []byte, err error) {
	root, err := lastNumber(ctx, computation, computationRoot)
	if err != nil {
		return nil, err
	}
	err = wire.Visit(computation, wire.Until(ctx, func(f wire.Field) error {
		if !f.Is(computationInstructions, wire.Bytes) {
			return nil
		}
		id, err := lastNumber(ctx, f.Bytes, instructionID)
		if err == nil && local(id) == local(root) {
			shape, err = wire.Message(f.Bytes, instructionShape)
		}
		return err
	}))
	return shape, err
}

// lastNumber returns the number in a field of a message, or 0.
func lastNumber(ctx context.Context, message []byte, number wire.Number) (n int64, err error) {
	err = wire.Visit(message, wire.Until(ctx, func(f wire.Field) error {
		if f.Is(number, wire.Varint) {
			n = int64(f.Int)
		}
		return nil
	}))
	return n, err
}

// agree reports whether two ShapeProtos are tuples of as many shapes, which agree too, or neither
// is one.
func agree(a, b []byte, depth int) bool {
	if depth > xlaproto.MaxTupleDepth {
		return true // no compiler gets this far
	}
	tupleA, partsA, err := partsOf(a)
	if err != nil {
		return true
	}
	tupleB, partsB, err := partsOf(b)
	switch {
	case err != nil || !tupleA && !tupleB:
		return true
	case tupleA != tupleB || len(partsA) != len(partsB):
		return false
	}
	for i := range partsA {
		if !agree(partsA[i], partsB[i], depth+1) {
			return false
		}
	}
	return true
}

// partsOf reports whether a ShapeProto is a tuple's, and returns the ShapeProtos in it.
func partsOf(shape []byte) (tuple bool, parts [][]byte, err error) {
	err = wire.Visit(shape, func(f wire.Field) error {
		switch {
		case f.Is(xlaproto.ShapeElementType, wire.Varint):
			tuple = int32(f.Int) == xlaproto.PrimitiveTuple
		case f.Is(xlaproto.ShapeTuple, wire.Bytes):
			parts = append(parts, f.Bytes)
		}
		return nil
	})
	return tuple, parts, err
}
