// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package hlo reads the parts of serialized HLO modules that package pjrt needs, and HLO's notation
// of layouts. It finds the parameters and results of a program, and arrays so large that compilers
// end the process.
package hlo

// MaxElements is more elements than fit in the memory of any machine. XLA's compilers end the
// process on larger arrays: some from 2^54 elements on, others if the number of elements overflows.
const MaxElements = 1 << 50
