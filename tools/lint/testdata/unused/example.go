// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package example has functions that are used here and there.
package example

// Exported is for others.
func Exported() int { return used() }

func used() int { return 1 }

func dead() int { return deader() }

func deader() int { return 2 }

func forTests() int { return 3 }

func forWindows() int { return 4 }

func withTag() int { return 5 } // by tests only, and not without the tag

//lint:ignore U1000 the assembler uses it
func forAssembler() {}

type thing struct{ seen, unseen int }

// Thing uses one of two fields.
func Thing() int {
	var t thing
	return t.seen
}

func (thing) method() {}
