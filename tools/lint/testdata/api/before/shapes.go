// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package shapes is the API of a release.
package shapes

// A Square has a side.
type Square struct{ Side int }

// Area returns the area of s.
func (s *Square) Area() int { return s.Side * s.Side }

// Sides is the number of sides.
const Sides = 4

// New returns a square.
func New(side int) *Square { return &Square{side} }

// Unit returns a small square.
func Unit() *Square { return New(1) }
