// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package dtype

import (
	"encoding/binary"
	"fmt"
	"math"
)

// Convert casts the elements of src, of type from, to type to, and writes them to dst. Both are in
// the host form and hold the same number of elements. They must not overlap unless the types are
// equal. The results are those of NumPy's astype on amd64, with the types of ml_dtypes:
//
//   - A float is rounded to nearest, ties to even. NumPy converts to the types of ml_dtypes through
//     float32, so F64, S64 and other wide numbers are rounded twice. It converts to F16 directly.
//   - A float becomes an integer by dropping its fraction. NumPy does not define the result for a
//     float outside the range of the integer type. Convert gives what amd64 instructions give, on
//     every machine: for most types the number wraps or becomes the lowest of the type. For floats
//     of at most 8 bits, NaN becomes 0 and an infinity becomes the highest or lowest integer (for
//     integers narrower than a byte, the low bits of the highest or lowest 32-bit integer).
//   - Integers wrap. A bool becomes 0 or 1. Everything except zero becomes true, NaN included.
//   - Real numbers become complex ones with imaginary part 0. Converting complex numbers to real
//     ones is an error, because half of each would be lost. As a bool, a complex number is true
//     unless both parts are zero.
//
// Equal types are copied bit for bit. Converting from or to [Token] is an error.
func Convert(dst []byte, to Type, src []byte, from Type) error {
	if from.Size() == 0 || to.Size() == 0 {
		return fmt.Errorf("cannot convert %v to %v: token and invalid types have no elements", from, to)
	}
	if from.IsComplex() && !to.IsComplex() && to != Pred {
		return fmt.Errorf("cannot convert %v to %v: the imaginary parts would be lost; take the real parts first", from, to)
	}
	n := len(src) / from.Size()
	if len(src)%from.Size() != 0 || len(dst) != n*to.Size() {
		return fmt.Errorf("cannot convert %d bytes of %v into %d bytes of %v: the numbers of elements differ",
			len(src), from, len(dst), to)
	}
	if from == to {
		copy(dst, src)
		return nil
	}
	var b block
	b.narrow = minifloats[from] != nil && from.Bits() <= 8
	b.wide = from == F64
	for i := 0; i < n; i += blockLen {
		m := min(blockLen, n-i)
		b.load(from, src[i*from.Size():(i+m)*from.Size()], m)
		b.store(to, dst[i*to.Size():(i+m)*to.Size()], m)
	}
	return nil
}

const blockLen = 256

// block holds some elements in the widest Go type of their kind. Only one of its arrays is in use
// at a time.
type block struct {
	kind   kind
	narrow bool // from a float of at most 8 bits; see Convert for its NaN and Inf as integers
	wide   bool // from F64, which NumPy narrows to F32 on the way to a type of ml_dtypes

	ints     [blockLen]int64
	uints    [blockLen]uint64
	floats   [blockLen]float64
	complexs [blockLen]complex128
}

var le = binary.LittleEndian

func (b *block) load(t Type, src []byte, n int) {
	b.kind = t.info().kind
	switch t {
	case Pred:
		b.kind = kindUint
		for i := range n {
			b.uints[i] = 0
			if src[i] != 0 {
				b.uints[i] = 1
			}
		}
	case S8:
		for i := range n {
			b.ints[i] = int64(int8(src[i]))
		}
	case S16:
		for i := range n {
			b.ints[i] = int64(int16(le.Uint16(src[2*i:])))
		}
	case S32:
		for i := range n {
			b.ints[i] = int64(int32(le.Uint32(src[4*i:])))
		}
	case S64:
		for i := range n {
			b.ints[i] = int64(le.Uint64(src[8*i:]))
		}
	case S1, S2, S4:
		for i := range n {
			b.ints[i] = int64(signExtend(src[i], uint(t.Bits())))
		}
	case U8:
		for i := range n {
			b.uints[i] = uint64(src[i])
		}
	case U16:
		for i := range n {
			b.uints[i] = uint64(le.Uint16(src[2*i:]))
		}
	case U32:
		for i := range n {
			b.uints[i] = uint64(le.Uint32(src[4*i:]))
		}
	case U64:
		for i := range n {
			b.uints[i] = le.Uint64(src[8*i:])
		}
	case U1, U2, U4:
		for i := range n {
			b.uints[i] = uint64(src[i] & (1<<t.Bits() - 1))
		}
	case F32:
		for i := range n {
			b.floats[i] = float64(math.Float32frombits(le.Uint32(src[4*i:])))
		}
	case F64:
		for i := range n {
			b.floats[i] = math.Float64frombits(le.Uint64(src[8*i:]))
		}
	case C64:
		for i := range n {
			re, im := math.Float32frombits(le.Uint32(src[8*i:])), math.Float32frombits(le.Uint32(src[8*i+4:]))
			b.complexs[i] = complex(float64(re), float64(im))
		}
	case C128:
		for i := range n {
			b.complexs[i] = complex(math.Float64frombits(le.Uint64(src[16*i:])), math.Float64frombits(le.Uint64(src[16*i+8:])))
		}
	case F16, BF16:
		m := minifloats[t]
		for i := range n {
			b.floats[i] = m.decode(le.Uint16(src[2*i:]))
		}
	default:
		m := minifloats[t]
		for i := range n {
			b.floats[i] = m.decode(uint16(src[i]))
		}
	}
}

func (b *block) store(t Type, dst []byte, n int) {
	switch k := t.info().kind; {
	case k == kindBool:
		b.storeBool(dst, n)
	case k == kindComplex:
		b.toComplex(t, n)
		b.storeComplex(t, dst, n)
	case k == kindFloat:
		b.toFloat(t, n)
		b.storeFloat(t, dst, n)
	default:
		b.toBits(t, n)
		b.storeBits(t, dst, n)
	}
}

func (b *block) storeBool(dst []byte, n int) {
	for i := range n {
		var v bool
		switch b.kind {
		case kindInt:
			v = b.ints[i] != 0
		case kindUint:
			v = b.uints[i] != 0
		case kindFloat:
			v = b.floats[i] != 0
		default:
			v = b.complexs[i] != 0
		}
		dst[i] = 0
		if v {
			dst[i] = 1
		}
	}
}

// toComplex converts the real numbers in the block to complex ones, in complexs.
func (b *block) toComplex(t Type, n int) {
	if b.kind == kindComplex {
		return
	}
	part := F64
	if t == C64 {
		part = F32 // rounds an integer only once
	}
	b.toFloat(part, n)
	for i := range n {
		b.complexs[i] = complex(b.floats[i], 0)
	}
}

func (b *block) storeComplex(t Type, dst []byte, n int) {
	for i := range n {
		re, im := real(b.complexs[i]), imag(b.complexs[i])
		if t == C128 {
			le.PutUint64(dst[16*i:], math.Float64bits(re))
			le.PutUint64(dst[16*i+8:], math.Float64bits(im))
			continue
		}
		le.PutUint32(dst[8*i:], math.Float32bits(float32(re)))
		le.PutUint32(dst[8*i+4:], math.Float32bits(float32(im)))
	}
}

// toFloat converts the numbers in the block to floats that storeFloat only has to round to t. It
// narrows integers and float64 to float32 where NumPy does.
func (b *block) toFloat(t Type, n int) {
	narrow := t == F32 || minifloats[t] != nil && t != F16
	for i := range n {
		switch {
		case b.kind == kindInt && narrow:
			b.floats[i] = float64(float32(b.ints[i]))
		case b.kind == kindInt:
			b.floats[i] = float64(b.ints[i])
		case b.kind == kindUint && narrow:
			b.floats[i] = float64(float32(b.uints[i]))
		case b.kind == kindUint:
			b.floats[i] = float64(b.uints[i])
		case b.wide && narrow:
			b.floats[i] = float64(float32(b.floats[i]))
		}
	}
}

func (b *block) storeFloat(t Type, dst []byte, n int) {
	switch t {
	case F64:
		for i := range n {
			le.PutUint64(dst[8*i:], math.Float64bits(b.floats[i]))
		}
	case F32:
		for i := range n {
			le.PutUint32(dst[4*i:], math.Float32bits(float32(b.floats[i])))
		}
	case F16, BF16:
		m := minifloats[t]
		for i := range n {
			le.PutUint16(dst[2*i:], m.encode(b.floats[i]))
		}
	default:
		m := minifloats[t]
		for i := range n {
			dst[i] = byte(m.encode(b.floats[i]))
		}
	}
}

// toBits converts the numbers in the block to uints whose low bits are the integer of type t.
func (b *block) toBits(t Type, n int) {
	switch b.kind {
	case kindInt:
		for i := range n {
			b.uints[i] = uint64(b.ints[i])
		}
	case kindFloat:
		for i := range n {
			b.uints[i] = floatBits(b.floats[i], t, b.narrow)
		}
	}
}

func (b *block) storeBits(t Type, dst []byte, n int) {
	switch t.Bits() {
	case 64:
		for i := range n {
			le.PutUint64(dst[8*i:], b.uints[i])
		}
	case 32:
		for i := range n {
			le.PutUint32(dst[4*i:], uint32(b.uints[i]))
		}
	case 16:
		for i := range n {
			le.PutUint16(dst[2*i:], uint16(b.uints[i]))
		}
	default:
		mask := byte(1<<t.Bits() - 1)
		for i := range n {
			dst[i] = byte(b.uints[i]) & mask
		}
	}
}

// floatBits drops the fraction of x. It computes out-of-range results itself, because in Go they
// depend on the machine.
func floatBits(x float64, t Type, narrow bool) uint64 {
	if narrow {
		switch {
		case x != x:
			return 0
		case math.IsInf(x, 0):
			return limit(t, x > 0)
		}
	}
	switch {
	case t == U64 && x >= 1<<63:
		return truncate(x-1<<63, 64) ^ 1<<63
	case t == U64 && x != x:
		return 1 << 63
	case t == U64 || t == S64 || t == U32:
		return truncate(x, 64)
	default:
		return truncate(x, 32)
	}
}

// truncate converts x to a signed integer of 32 or 64 bits; NaN and numbers out of range become the
// lowest integer of that width.
func truncate(x float64, bits uint) uint64 {
	x = math.Trunc(x)
	end := float64(uint64(1) << (bits - 1))
	if x >= -end && x < end {
		return uint64(int64(x))
	}
	return -(uint64(1) << (bits - 1))
}

// limit returns the highest or lowest integer of type t. For types narrower than a byte it is the
// 32-bit one, as in ml_dtypes: its low bits are all ones or all zeros.
func limit(t Type, greatest bool) uint64 {
	if t.IsSubByte() {
		t = S32
	}
	signed := t.info().kind == kindInt
	switch {
	case greatest && signed:
		return 1<<(t.Bits()-1) - 1
	case greatest:
		return math.MaxUint64
	case signed:
		return -(uint64(1) << (t.Bits() - 1))
	default:
		return 0
	}
}
