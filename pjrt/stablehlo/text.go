// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package stablehlo

import (
	"context"

	"github.com/purepjrt/purepjrt/pjrt/array"
	"github.com/purepjrt/purepjrt/pjrt/internal/mlir"
)

// Main returns the shapes of the parameters of the main function of program. Extents that are known
// only at run time are array.Dynamic. A parameter that is not a ranked tensor of a type that PJRT
// has, but, for example, a token, a type alias or a quantized type, has the zero shape. Main
// reports false if program is not text or if it finds no main function that it understands.
func Main(program []byte) ([]array.Shape, bool) {
	main, ok := mlir.FindMain(context.Background(), program)
	return main.Params, ok
}

// Results returns the shapes of the results of the main function of program, as Main does for the
// parameters.
func Results(program []byte) ([]array.Shape, bool) {
	main, ok := mlir.FindMain(context.Background(), program)
	return main.Results, ok
}

// NumResults returns the number of results of the main function of program. It reports false if
// program is not text or if it finds no main function that it understands.
func NumResults(program []byte) (int, bool) {
	results, ok := Results(program)
	return len(results), ok
}
