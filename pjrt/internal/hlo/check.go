// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package hlo

import (
	"errors"
	"fmt"
	"math"

	"github.com/purepjrt/purepjrt/pjrt/internal/wire"
	"github.com/purepjrt/purepjrt/pjrt/internal/xlaproto"
)

// Check returns an error if a module has an array of more than MaxElements, or tuples that are
// nested too deeply. It accepts bytes that are not a module, because the plugin reports the
// mistake.
func Check(module []byte) error {
	err := wire.VisitMessages(module, moduleComputations, func(computation []byte) error {
		return wire.VisitMessages(computation, computationInstructions, func(instruction []byte) error {
			return wire.VisitMessages(instruction, instructionShape, func(b []byte) error {
				s, err := xlaproto.UnmarshalShape(b)
				if err != nil {
					return err
				}
				return checkShape(&s, 0)
			})
		})
	})
	if errors.Is(err, wire.ErrMalformed) {
		return nil
	}
	return err
}

func checkShape(s *xlaproto.Shape, depth int) error {
	if depth > xlaproto.MaxTupleDepth {
		return fmt.Errorf("tuples in the program are nested more than %d deep", xlaproto.MaxTupleDepth)
	}
	for i := range s.Tuple {
		if err := checkShape(&s.Tuple[i], depth+1); err != nil {
			return err
		}
	}
	elements := int64(1)
	for _, d := range s.Dims {
		if d == math.MinInt64 {
			continue // XLA's value for an unknown dimension
		}
		if d < 0 || d > MaxElements/elements {
			return fmt.Errorf("an array in the program has the dimensions %v, which are negative or too large for any memory", s.Dims)
		}
		elements *= max(d, 1)
	}
	return nil
}
