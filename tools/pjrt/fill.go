// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"fmt"
	"math/rand/v2"

	"github.com/purepjrt/purepjrt/pjrt/array"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// fillings are the values of --fill.
var fillings = []string{"zeros", "ones", "iota", "random"}

// maxFilled is the maximum number of elements of an array that --fill makes.
const maxFilled = 1 << 30

// filled makes an array for a parameter. Random numbers depend only on seed.
func filled(kind string, param array.Shape, seed int) (array.Array, error) {
	if !param.Type.Valid() {
		return array.Array{}, fmt.Errorf("the program does not say what the argument is: give a file")
	}
	n := int64(1)
	for _, d := range param.Dims {
		if d < 0 {
			return array.Array{}, fmt.Errorf("%s has no fixed shape: give a file", param)
		}
		if d > 0 && n > maxFilled/d {
			return array.Array{}, fmt.Errorf("%s has more than %d elements: give a file", param, maxFilled)
		}
		n *= d
	}
	values := make([]float64, n)
	switch random := rand.New(rand.NewPCG(1, uint64(seed))); kind {
	case "ones":
		for i := range values {
			values[i] = 1
		}
	case "iota":
		for i := range values {
			values[i] = float64(i)
		}
	case "random":
		for i := range values {
			if param.Type.IsFloat() || param.Type.IsComplex() {
				values[i] = random.Float64()
			} else {
				values[i] = float64(random.IntN(min(10, largest(param.Type)+1)))
			}
		}
	}
	return array.Array{Type: dtype.F64, Dims: param.Dims, Data: dtype.Bytes(values)}.Cast(param.Type)
}

// largest returns the largest value of an integer type, or 127 if it is larger.
func largest(t dtype.Type) int {
	bits := min(t.Bits(), 8)
	if t.IsSigned() {
		bits--
	}
	return 1<<bits - 1
}
