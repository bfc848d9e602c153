// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package hlo

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/purepjrt/purepjrt/internal/excerpt"
	"github.com/purepjrt/purepjrt/pjrt/internal/wire"
	"github.com/purepjrt/purepjrt/pjrt/internal/xlaproto"
)

// Check returns an error if a module has an array of more than MaxElements, or tuples that are
// nested too deeply. It accepts bytes that are not a module, because the plugin reports the
// mistake. If ctx ends, it fails with its error.
func Check(ctx context.Context, module []byte) error {
	within := func(number wire.Number, next func([]byte) error) func(wire.Field) error {
		return func(f wire.Field) error {
			if f.Is(number, wire.Bytes) {
				return next(f.Bytes)
			}
			return nil
		}
	}
	shape := wire.Until(ctx, within(instructionShape, func(b []byte) error { return checkShape(b, 0) }))
	instruction := wire.Until(ctx, within(computationInstructions, func(b []byte) error { return wire.Visit(b, shape) }))
	err := wire.Visit(module, wire.Until(ctx, within(moduleComputations, func(b []byte) error {
		return wire.Visit(b, instruction)
	})))
	if errors.Is(err, wire.ErrMalformed) {
		return nil
	}
	return err
}

// checkShape checks a ShapeProto, without making anything of it.
func checkShape(b []byte, depth int) error {
	if depth > xlaproto.MaxTupleDepth {
		return fmt.Errorf("tuples in the program are nested more than %d deep", xlaproto.MaxTupleDepth)
	}
	var dims []int64
	err := wire.Visit(b, func(f wire.Field) error {
		switch {
		case f.Is(xlaproto.ShapeTuple, wire.Bytes):
			return checkShape(f.Bytes, depth+1)
		case f.IsList(xlaproto.ShapeDims):
			return wire.Ints(&dims, f)
		}
		return nil
	})
	if err != nil {
		return err
	}
	elements := int64(1)
	for _, d := range dims {
		if d == math.MinInt64 {
			continue // XLA's value for an unknown dimension
		}
		if d < 0 || d > MaxElements/elements {
			return fmt.Errorf("an array in the program has the dimensions %v, which are negative or too large for any memory",
				excerpt.OfList(dims))
		}
		elements *= max(d, 1)
	}
	return nil
}
