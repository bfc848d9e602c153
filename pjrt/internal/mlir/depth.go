// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package mlir

import "fmt"

// depths are how deep the parts of a program may be nested. The compiler and MLIR's parser recurse
// into what is nested, until a thread's stack overflows.
type depths struct {
	stack     int // of a thread, in MiB
	brackets  int // except in locations
	locations int // brackets in locations
	regions   int // regions, and calls of functions
	signs     int // in a row
}

// depthsFor returns the depths for a size of the stack. With 8 MiB, the parser in plugins of API
// 0.81 overflows from 3,600 brackets in a type on, 4,200 in operations, 5,800 in an attribute,
// 21,900 in a location, and 7,500 signs. XLA's compiler for CPUs overflows from 750 conditional
// operations on, 812 calls, 390 calls that are each in a conditional operation, or 562 custom calls
// that name functions.
func depthsFor(stack int) depths {
	const usual, most = 8 << 20, 128 << 20
	scaled := func(n int) int { return max(1, n*min(stack, most)/usual) }
	return depths{stack >> 20, scaled(1000), scaled(5000), scaled(256), scaled(1000)}
}

// stack returns the size of the stack of the threads that compile.
func (l Limits) stack() int {
	if l.Stack != 0 {
		return l.Stack
	}
	return threadStack()
}

// tooDeep returns the error for something that is nested deeper than the limit.
func (d depths) tooDeep(what string, limit int) error {
	return fmt.Errorf("%s in the program are nested more than %d deep, and compilers would end the process: "+
		"nest them less, or give threads more stack than %d MiB (ulimit -s)", what, limit, d.stack)
}
