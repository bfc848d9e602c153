// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package dtype

import "reflect"

// Elem is any Go type that can be an element of an array. It lists exact types only, so that each
// belongs to one [Type]; int and uint are absent because their width depends on the machine.
type Elem interface {
	bool |
		int8 | int16 | int32 | int64 |
		uint8 | uint16 | uint32 | uint64 |
		float32 | float64 | complex64 | complex128 |
		Float16 | BFloat16 |
		Float8E5M2 | Float8E4M3 | Float8E3M4 | Float8E4M3FN |
		Float8E4M3FNUZ | Float8E5M2FNUZ | Float8E4M3B11FNUZ | Float8E8M0FNU |
		Float6E2M3FN | Float6E3M2FN | Float4E2M1FN |
		Int1 | Int2 | Int4 | Uint1 | Uint2 | Uint4
}

// Of returns the element type that T represents: Of[float32]() is [F32], Of[bool]() is [Pred].
func Of[T Elem]() Type {
	var zero T
	switch any(zero).(type) {
	case bool:
		return Pred
	case int8:
		return S8
	case int16:
		return S16
	case int32:
		return S32
	case int64:
		return S64
	case uint8:
		return U8
	case uint16:
		return U16
	case uint32:
		return U32
	case uint64:
		return U64
	case float32:
		return F32
	case float64:
		return F64
	case complex64:
		return C64
	case complex128:
		return C128
	case Float16:
		return F16
	case BFloat16:
		return BF16
	case Float8E5M2:
		return F8E5M2
	case Float8E4M3:
		return F8E4M3
	case Float8E3M4:
		return F8E3M4
	case Float8E4M3FN:
		return F8E4M3FN
	case Float8E4M3FNUZ:
		return F8E4M3FNUZ
	case Float8E5M2FNUZ:
		return F8E5M2FNUZ
	case Float8E4M3B11FNUZ:
		return F8E4M3B11FNUZ
	case Float8E8M0FNU:
		return F8E8M0FNU
	case Float6E2M3FN:
		return F6E2M3FN
	case Float6E3M2FN:
		return F6E3M2FN
	case Float4E2M1FN:
		return F4E2M1FN
	case Int1:
		return S1
	case Int2:
		return S2
	case Int4:
		return S4
	case Uint1:
		return U1
	case Uint2:
		return U2
	case Uint4:
		return U4
	}
	return Invalid
}

var goTypes = [numTypes]reflect.Type{
	Pred:          reflect.TypeFor[bool](),
	S8:            reflect.TypeFor[int8](),
	S16:           reflect.TypeFor[int16](),
	S32:           reflect.TypeFor[int32](),
	S64:           reflect.TypeFor[int64](),
	U8:            reflect.TypeFor[uint8](),
	U16:           reflect.TypeFor[uint16](),
	U32:           reflect.TypeFor[uint32](),
	U64:           reflect.TypeFor[uint64](),
	F32:           reflect.TypeFor[float32](),
	F64:           reflect.TypeFor[float64](),
	C64:           reflect.TypeFor[complex64](),
	C128:          reflect.TypeFor[complex128](),
	F16:           reflect.TypeFor[Float16](),
	BF16:          reflect.TypeFor[BFloat16](),
	F8E5M2:        reflect.TypeFor[Float8E5M2](),
	F8E4M3:        reflect.TypeFor[Float8E4M3](),
	F8E3M4:        reflect.TypeFor[Float8E3M4](),
	F8E4M3FN:      reflect.TypeFor[Float8E4M3FN](),
	F8E4M3FNUZ:    reflect.TypeFor[Float8E4M3FNUZ](),
	F8E5M2FNUZ:    reflect.TypeFor[Float8E5M2FNUZ](),
	F8E4M3B11FNUZ: reflect.TypeFor[Float8E4M3B11FNUZ](),
	F8E8M0FNU:     reflect.TypeFor[Float8E8M0FNU](),
	F6E2M3FN:      reflect.TypeFor[Float6E2M3FN](),
	F6E3M2FN:      reflect.TypeFor[Float6E3M2FN](),
	F4E2M1FN:      reflect.TypeFor[Float4E2M1FN](),
	S1:            reflect.TypeFor[Int1](),
	S2:            reflect.TypeFor[Int2](),
	S4:            reflect.TypeFor[Int4](),
	U1:            reflect.TypeFor[Uint1](),
	U2:            reflect.TypeFor[Uint2](),
	U4:            reflect.TypeFor[Uint4](),
}

// GoType returns the Go type of one element, the T for which [Of] returns t. It is nil for [Token]
// and invalid types.
func (t Type) GoType() reflect.Type {
	if !t.Valid() {
		return nil
	}
	return goTypes[t]
}
