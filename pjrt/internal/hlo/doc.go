// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package hlo reads the parts of serialized HLO modules that package pjrt needs, and HLO's notation
// of layouts. It finds the parameters and results of a program, and arrays so large that compilers
// end the process.
package hlo
