// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package hlo reads, changes and writes HLO modules: programs in the form that XLA's
// compilers work on. A [Module] has computations, which call each other; a [Computation] is
// a graph of instructions, whose edges are pointers.
//
//	program, err := exe.OptimizedProgram()
//	m, err := hlo.Decode(program.Code)
//	for c, i := range m.All() {
//		fmt.Println(c.Name, i)
//	}
//
// Passes of package extensions/xlatransform get such modules in the middle of a compilation.
//
// Whatever this package has no fields for survives Decode and Encode unchanged. Only one
// goroutine at a time may use a module and what is in it.
package hlo
