// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package shapes breaks the API of the release, and adds to it.
package shapes

// A Square has a side.
type Square struct {
	Side   int
	Filled bool
}

// Area returns the area of s.
func (s *Square) Area() float64 { return float64(s.Side * s.Side) }

// Sides is the number of sides.
const Sides = 4

// New returns a square.
func New(side int, filled bool) *Square { return &Square{side, filled} }

// Zero returns the smallest square.
func Zero() *Square { return New(0, false) }
