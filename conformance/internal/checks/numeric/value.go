// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package numeric

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// value is one element, in a form that holds the values of every type exactly. Only the
// part for the type's kind is set.
type value struct {
	i int64      // integers and bools; U64 as the same 64 bits
	f float64    // floats
	c complex128 // complex numbers
}

// array is an array in row-major order.
type array struct {
	t    dtype.Type
	dims []int64
	v    []value
}

// count returns the product of the dimensions.
func count(dims []int64) int {
	n := int64(1)
	for _, d := range dims {
		n *= d
	}
	return int(n)
}

// scalar makes an array of no dimensions.
func scalar(t dtype.Type, v value) array { return array{t, []int64{}, []value{v}} }

// ints makes an array of numbers, which must be values of the type.
func ints(t dtype.Type, dims []int64, numbers ...int64) array {
	a := array{t, dims, make([]value, len(numbers))}
	for i, n := range numbers {
		a.v[i] = number(t, n)
	}
	if len(numbers) != count(dims) {
		panic(fmt.Sprintf("numeric: %d numbers for the dimensions %v", len(numbers), dims))
	}
	return a
}

// number returns the value of a small integer.
func number(t dtype.Type, n int64) value {
	switch {
	case t.IsComplex():
		return value{c: complex(float64(n), 0)}
	case t.IsFloat():
		return value{f: float64(n)}
	case t == dtype.Pred:
		if n != 0 {
			return value{i: 1}
		}
		return value{}
	}
	return wrap(t, uint64(n))
}

// wrap reduces an integer to the bits of its type.
func wrap(t dtype.Type, x uint64) value {
	bits := t.Bits()
	if bits == 64 {
		return value{i: int64(x)}
	}
	x &= 1<<bits - 1
	if t.IsSigned() && x>>(bits-1) != 0 {
		x |= ^uint64(0) << bits
	}
	return value{i: int64(x)}
}

// round rounds f to a value of the float type t.
func round(t dtype.Type, f float64) value {
	var b [16]byte
	encodeFloat(t, f, b[:])
	return decode(t, b[:])
}

func encodeFloat(t dtype.Type, f float64, b []byte) {
	switch t {
	case dtype.F64:
		binary.LittleEndian.PutUint64(b, math.Float64bits(f))
	case dtype.F32:
		binary.LittleEndian.PutUint32(b, math.Float32bits(float32(f)))
	case dtype.F16:
		binary.LittleEndian.PutUint16(b, uint16(dtype.Round[dtype.Float16](f)))
	case dtype.BF16:
		binary.LittleEndian.PutUint16(b, uint16(dtype.Round[dtype.BFloat16](f)))
	case dtype.F8E5M2:
		b[0] = byte(dtype.Round[dtype.Float8E5M2](f))
	case dtype.F8E4M3FN:
		b[0] = byte(dtype.Round[dtype.Float8E4M3FN](f))
	case dtype.F8E4M3B11FNUZ:
		b[0] = byte(dtype.Round[dtype.Float8E4M3B11FNUZ](f))
	case dtype.F8E5M2FNUZ:
		b[0] = byte(dtype.Round[dtype.Float8E5M2FNUZ](f))
	case dtype.F8E4M3FNUZ:
		b[0] = byte(dtype.Round[dtype.Float8E4M3FNUZ](f))
	case dtype.F8E4M3:
		b[0] = byte(dtype.Round[dtype.Float8E4M3](f))
	case dtype.F8E3M4:
		b[0] = byte(dtype.Round[dtype.Float8E3M4](f))
	case dtype.F8E8M0FNU:
		b[0] = byte(dtype.Round[dtype.Float8E8M0FNU](f))
	case dtype.F4E2M1FN:
		b[0] = byte(dtype.Round[dtype.Float4E2M1FN](f))
	case dtype.F6E2M3FN:
		b[0] = byte(dtype.Round[dtype.Float6E2M3FN](f))
	case dtype.F6E3M2FN:
		b[0] = byte(dtype.Round[dtype.Float6E3M2FN](f))
	default:
		panic(fmt.Sprintf("numeric: %v is no float type", t))
	}
}

// encode returns the host form of the array.
func (a array) encode() []byte {
	size := a.t.Size()
	data := make([]byte, size*len(a.v))
	for i, v := range a.v {
		b := data[i*size : (i+1)*size]
		switch {
		case a.t == dtype.C64:
			encodeFloat(dtype.F32, real(v.c), b)
			encodeFloat(dtype.F32, imag(v.c), b[4:])
		case a.t == dtype.C128:
			encodeFloat(dtype.F64, real(v.c), b)
			encodeFloat(dtype.F64, imag(v.c), b[8:])
		case a.t.IsFloat():
			encodeFloat(a.t, v.f, b)
		default:
			x := uint64(v.i)
			if a.t.IsSubByte() {
				x &= 1<<a.t.Bits() - 1 // the high bits of the byte are zero
			}
			for j := range b {
				b[j] = byte(x >> (8 * j))
			}
		}
	}
	return data
}

// decode reads one element.
func decode(t dtype.Type, b []byte) value {
	switch {
	case t == dtype.C64:
		return value{c: complex(decode(dtype.F32, b).f, decode(dtype.F32, b[4:]).f)}
	case t == dtype.C128:
		return value{c: complex(decode(dtype.F64, b).f, decode(dtype.F64, b[8:]).f)}
	case t == dtype.F64:
		return value{f: math.Float64frombits(binary.LittleEndian.Uint64(b))}
	case t == dtype.F32:
		return value{f: float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))}
	case t.IsFloat():
		var d [8]byte
		if err := dtype.Convert(d[:], dtype.F64, b[:t.Size()], t); err != nil {
			panic(fmt.Sprintf("numeric: %v", err))
		}
		return decode(dtype.F64, d[:])
	}
	var x uint64
	for j := range t.Size() {
		x |= uint64(b[j]) << (8 * j)
	}
	if t == dtype.Pred {
		return value{i: int64(x)}
	}
	return wrap(t, x)
}

// decodeArray reads the host form of an array.
func decodeArray(t dtype.Type, dims []int64, data []byte) (array, error) {
	n := count(dims)
	if len(data) != n*t.Size() {
		return array{}, fmt.Errorf("expected %d bytes for %s, got %d", n*t.Size(), check.Tensor(t, dims), len(data))
	}
	a := array{t, slices.Clone(dims), make([]value, n)}
	for i := range a.v {
		a.v[i] = decode(t, data[i*t.Size():])
	}
	return a, nil
}

// show formats an element.
func show(t dtype.Type, v value) string {
	switch {
	case t.IsComplex():
		return fmt.Sprint(v.c)
	case t.IsFloat():
		return fmt.Sprint(v.f)
	case t == dtype.U64:
		return fmt.Sprint(uint64(v.i))
	}
	return fmt.Sprint(v.i)
}

// index turns a flat row-major position into one index per dimension.
func index(dims []int64, at int) []int64 {
	ix := make([]int64, len(dims))
	for d := len(dims) - 1; d >= 0; d-- {
		ix[d] = int64(at) % dims[d]
		at /= int(dims[d])
	}
	return ix
}

// flat is the reverse of index.
func flat(dims, ix []int64) int {
	at := int64(0)
	for d := range dims {
		at = at*dims[d] + ix[d]
	}
	return int(at)
}

// build makes an array by calling f with the indices of each element.
func build(t dtype.Type, dims []int64, f func(ix []int64) value) array {
	a := array{t, dims, make([]value, count(dims))}
	for i := range a.v {
		a.v[i] = f(index(dims, i))
	}
	return a
}

// at returns the element at the indices.
func (a array) at(ix ...int64) value { return a.v[flat(a.dims, ix)] }
