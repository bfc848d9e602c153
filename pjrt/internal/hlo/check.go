// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package hlo

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/purepjrt/purepjrt/internal/excerpt"
	"github.com/purepjrt/purepjrt/internal/wire"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/internal/dataflow"
	"github.com/purepjrt/purepjrt/pjrt/internal/xlaproto"
)

// Check returns an error if a module has an array of more than dataflow.MaxElements, tuples that
// are nested too deeply, or instructions on which compilers end the process, or if the compiler c
// is known to end the process over its operations. It accepts bytes that are not a module, because
// the plugin reports the mistake. If ctx ends, it fails with its error.
func Check(ctx context.Context, module []byte, c dataflow.Compiler) error {
	checked := false // by package dataflow
	sharded := false // an instruction has a sharding
	within := func(number wire.Number, next func([]byte) error) func(wire.Field) error {
		return func(f wire.Field) error {
			if f.Is(number, wire.Bytes) {
				return next(f.Bytes)
			}
			return nil
		}
	}
	var opcode []byte // of the current instruction
	part := wire.Until(ctx, func(f wire.Field) error {
		switch {
		case f.Is(instructionShape, wire.Bytes):
			looked, err := checkShape(f.Bytes, 0, c)
			checked = checked || looked
			return err
		case f.Is(instructionOpcode, wire.Bytes):
			opcode = f.Bytes
		case f.Is(instructionSharding, wire.Bytes):
			sharded = true
		}
		return nil
	})
	var parameters []int64
	instruction := wire.Until(ctx, within(computationInstructions, func(b []byte) error {
		opcode = nil
		if err := wire.Visit(b, part); err != nil {
			return err
		}
		checked = checked || c.Checks(operationName(string(opcode))) || operated[string(opcode)]
		return checkInstruction(b, opcode, &parameters)
	}))
	err := wire.Visit(module, wire.Until(ctx, within(moduleComputations, func(b []byte) error {
		parameters = parameters[:0]
		if err := wire.Visit(b, instruction); err != nil {
			return err
		}
		return checkParameters(parameters)
	})))
	switch {
	case errors.Is(err, wire.ErrMalformed):
		return nil
	case err != nil:
		return err
	case c == dataflow.Compiler{}:
		return nil
	}
	if sharded {
		if err := checkShardings(ctx, module, c); err != nil {
			return err
		}
	}
	if err := checkResult(ctx, module); err != nil || !checked {
		return err
	}
	program, err := operations(ctx, module)
	if err != nil || program == nil {
		return err
	}
	return program.Check(c)
}

// checkShape checks a ShapeProto, without making anything of it. It reports whether checks of
// package dataflow look at all operations on it: it has an array of dataflow.Large elements, or one
// of a type that they know.
func checkShape(b []byte, depth int, c dataflow.Compiler) (looked bool, err error) {
	if depth > xlaproto.MaxTupleDepth {
		return false, fmt.Errorf("tuples in the program are nested more than %d deep", xlaproto.MaxTupleDepth)
	}
	var dims []int64
	err = wire.Visit(b, func(f wire.Field) error {
		switch {
		case f.Is(xlaproto.ShapeTuple, wire.Bytes):
			inner, err := checkShape(f.Bytes, depth+1, c)
			looked = looked || inner
			return err
		case f.Is(xlaproto.ShapeElementType, wire.Varint):
			if e, ok := dtype.FromPrimitiveType(int32(f.Int)); ok {
				looked = looked || c.ChecksType(e.String())
			}
		case f.IsList(xlaproto.ShapeDims):
			return wire.Ints(&dims, f)
		}
		return nil
	})
	if err != nil {
		return false, err
	}
	elements := int64(1)
	for _, d := range dims {
		if d == math.MinInt64 {
			continue // XLA's value for an unknown dimension
		}
		if d < 0 || d > dataflow.MaxElements/elements {
			return false, fmt.Errorf("an array in the program has the dimensions %v, which are negative or too large for any memory",
				excerpt.OfList(dims))
		}
		elements *= max(d, 1)
	}
	return looked || elements >= dataflow.Large, nil
}
