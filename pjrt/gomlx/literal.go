// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package gomlx

import (
	"bytes"
	"encoding/hex"
	"strings"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
)

// literal is a constant in StableHLO's text, as the builder writes it.
type literal string

// ToStableHLO returns the text.
func (l literal) ToStableHLO() string { return string(l) }

// shortLiteral is the number of elements up to which constants are written as numbers,
// which people can read.
const shortLiteral = 16

// literalOf returns the constant with the bytes data, in the host's order, as
// hexadecimal digits: that is exact, also for NaNs, and quick to write and read. For short
// constants, and for booleans, which MLIR packs, it returns nothing: these stay as the
// builder writes them. It writes short complex numbers too, since the builder writes infinities
// and NaNs of Complex64 with the digits of Complex128.
func literalOf(data []byte, shape shapes.Shape) literal {
	if shape.Size() == 0 {
		return literal("dense<> : " + xlaShape(shape).ToStableHLO())
	}
	if shape.Size() <= shortLiteral && !shape.DType.IsComplex() || shape.DType == dtypes.Bool {
		return ""
	}
	size := len(data) / shape.Size()
	elements := data
	if bytes.Equal(data[:len(data)-size], data[size:]) {
		elements = data[:size] // MLIR repeats a single element
	}
	var b strings.Builder
	b.Grow(2*len(elements) + 64)
	b.WriteString(`dense<"0x`)
	encoder := hex.NewEncoder(&b)
	_, _ = encoder.Write(elements) // a strings.Builder takes everything
	b.WriteString(`"> : `)
	b.WriteString(xlaShape(shape).ToStableHLO())
	return literal(b.String())
}
