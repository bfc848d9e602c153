// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"

	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/npy"
	"github.com/purepjrt/purepjrt/pjrt/stablehlo"
)

// fillings are the values of --fill.
var fillings = []string{"zeros", "ones", "iota", "random"}

// maxFilled is the maximum number of elements of an array that --fill makes.
const maxFilled = 1 << 30

// filled makes an array for a parameter. Random numbers depend only on seed.
func filled(kind string, param stablehlo.Param, seed int) (*npy.Array, error) {
	if !param.Known() {
		return nil, fmt.Errorf("the program does not say what the argument is: give a file")
	}
	n := int64(1)
	for _, d := range param.Dims {
		if d < 0 {
			return nil, fmt.Errorf("%s has no fixed shape: give a file", param)
		}
		if d > 0 && n > maxFilled/d {
			return nil, fmt.Errorf("%s has more than %d elements: give a file", param, maxFilled)
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
	a, err := npy.FromSlice(values, param.Dims...)
	if err != nil || param.Type == dtype.F64 {
		return a, err
	}
	// Reading a file casts to every type.
	var file bytes.Buffer
	if err := npy.Write(&file, a); err != nil {
		return nil, err
	}
	return npy.ReadAs(&file, param.Type)
}

// largest returns the largest value of an integer type, or 127 if it is larger.
func largest(t dtype.Type) int {
	bits := min(t.Bits(), 8)
	if t.IsSigned() {
		bits--
	}
	return 1<<bits - 1
}
