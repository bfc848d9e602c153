// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package stablehlo

import (
	"bytes"
	"context"

	"github.com/purepjrt/purepjrt/pjrt/array"
	"github.com/purepjrt/purepjrt/pjrt/internal/bytecode"
	"github.com/purepjrt/purepjrt/pjrt/internal/dataflow"
	"github.com/purepjrt/purepjrt/pjrt/internal/mlir"
)

// signature returns the types of the main function of a program in text or bytecode.
func signature(program []byte) (mlir.Signature, bool) {
	if !bytes.HasPrefix(program, []byte(bytecode.Magic)) {
		return mlir.FindMain(context.Background(), program)
	}
	m, err := bytecode.Read(context.Background(), program, dataflow.Compiler{})
	if err != nil {
		return mlir.Signature{}, false
	}
	return mlir.MainOfBytecode(m)
}

// Main returns the shapes of the parameters of the main function of program, which is text or
// bytecode, such as a portable artifact. Extents that are known only at run time are array.Dynamic.
// A parameter that is not a ranked tensor of a type that PJRT has, but, for example, a token, a
// type alias or a quantized type, has the zero shape. Main reports false if it finds no main
// function that it understands.
func Main(program []byte) ([]array.Shape, bool) {
	main, ok := signature(program)
	return main.Params, ok
}

// Results returns the shapes of the results of the main function of program, as Main does for the
// parameters.
func Results(program []byte) ([]array.Shape, bool) {
	main, ok := signature(program)
	return main.Results, ok
}
