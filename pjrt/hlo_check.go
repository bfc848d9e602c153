// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"errors"

	"google.golang.org/protobuf/encoding/protowire"
)

// Field numbers of HloComputationProto and HloInstructionProto.
const (
	fieldInstructions     = 2
	fieldInstructionShape = 3
)

// checkHLO refuses arrays beyond all memory in an HLO module. What is no module is
// left for the plugin to say.
func checkHLO(module []byte) error {
	err := eachMessage(module, fieldComputations, func(computation []byte) error {
		return eachMessage(computation, fieldInstructions, func(instruction []byte) error {
			return eachMessage(instruction, fieldInstructionShape, func(shape []byte) error { return checkHLOShape(shape, 0) })
		})
	})
	if errors.Is(err, ErrInvalidArgument) {
		return err
	}
	return nil
}

// eachMessage calls fn for each field of a number that is a message.
func eachMessage(b []byte, field protowire.Number, fn func([]byte) error) error {
	return wireFields(b, func(r wireField) error {
		if r.is(field, protowire.BytesType) {
			return fn(r.bytes)
		}
		return nil
	})
}

func checkHLOShape(shape []byte, depth int) error {
	if depth > maxTupleDepth {
		return invalid("tuples in the program are nested more than %d deep", maxTupleDepth)
	}
	var dims []int64
	err := wireFields(shape, func(r wireField) error {
		switch {
		case r.number == fieldDimensions && r.packable():
			return appendUnpacked(&dims, r)
		case r.is(fieldTupleShapes, protowire.BytesType):
			return checkHLOShape(r.bytes, depth+1)
		}
		return nil
	})
	if err != nil {
		return err
	}
	elements := int64(1)
	for _, d := range dims {
		// The least number is a dimension that is not known.
		if d < 0 || d > maxElements/elements {
			if d == -1<<63 {
				continue
			}
			return invalid("an array of the dimensions %v in the program has more elements than any memory, or fewer than none", dims)
		}
		elements *= max(d, 1)
	}
	return nil
}
