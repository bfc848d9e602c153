// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package numeric

import (
	"fmt"
	"strings"

	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// typ returns the type of the array in StableHLO.
func (a array) typ() string { return check.Tensor(a.t, a.dims) }

// literal returns the array as an attribute, dense<[[1, 2], [3, 4]]>, without its type.
// Floats are written as bits, so that nothing is rounded on the way.
func (a array) literal() string {
	if len(a.v) == 0 {
		return "dense<>"
	}
	data := a.encode()
	var b strings.Builder
	b.WriteString("dense<")
	a.print(&b, data, 0, 0)
	b.WriteString(">")
	return b.String()
}

// print writes the elements of dimension d that begin at flat position at.
func (a array) print(b *strings.Builder, data []byte, d, at int) {
	if d == len(a.dims) {
		size := a.t.Size()
		a.element(b, data[at*size:(at+1)*size], a.v[at])
		return
	}
	stride := count(a.dims[d+1:])
	b.WriteByte('[')
	for i := range int(a.dims[d]) {
		if i > 0 {
			b.WriteString(", ")
		}
		a.print(b, data, d+1, at+i*stride)
	}
	b.WriteByte(']')
}

func (a array) element(b *strings.Builder, data []byte, v value) {
	switch {
	case a.t == dtype.Pred && v.i != 0:
		b.WriteString("true")
	case a.t == dtype.Pred:
		b.WriteString("false")
	case a.t.IsComplex():
		half := len(data) / 2
		fmt.Fprintf(b, "(%s, %s)", hex(data[:half]), hex(data[half:]))
	case a.t.IsFloat():
		b.WriteString(hex(data))
	default:
		b.WriteString(show(a.t, v))
	}
}

// hex prints little-endian bytes as one number.
func hex(data []byte) string {
	var b strings.Builder
	b.WriteString("0x")
	for i := len(data) - 1; i >= 0; i-- {
		fmt.Fprintf(&b, "%02X", data[i])
	}
	return b.String()
}

// list prints numbers as the text of an attribute: 1, 2, 3.
func list(numbers []int64) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(numbers), " ", ", "), "[]")
}

// i64s prints numbers as an array attribute.
func i64s(numbers ...int64) string {
	if len(numbers) == 0 {
		return "array<i64>"
	}
	return "array<i64: " + list(numbers) + ">"
}
