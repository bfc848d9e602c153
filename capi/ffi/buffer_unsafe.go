// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package ffi

import (
	"math/bits"
	"slices"
	"unsafe"

	"github.com/purepjrt/purepjrt/capi"
)

// Bits returns the number of bits of an element of type d in a buffer. It returns 0 for a token and
// for types that this package does not know. Elements of less than eight bits are packed.
func (d DataType) Bits() int {
	switch d {
	case DataTypeS1, DataTypeU1:
		return 1
	case DataTypeS2, DataTypeU2:
		return 2
	case DataTypeS4, DataTypeU4, DataTypeF4E2M1FN:
		return 4
	case DataTypePred, DataTypeS8, DataTypeU8,
		DataTypeF8E5M2, DataTypeF8E3M4, DataTypeF8E4M3, DataTypeF8E4M3FN, DataTypeF8E4M3B11FNUZ,
		DataTypeF8E5M2FNUZ, DataTypeF8E4M3FNUZ, DataTypeF8E8M0FNU:
		return 8
	case DataTypeS16, DataTypeU16, DataTypeF16, DataTypeBF16:
		return 16
	case DataTypeS32, DataTypeU32, DataTypeF32:
		return 32
	case DataTypeS64, DataTypeU64, DataTypeF64, DataTypeC64:
		return 64
	case DataTypeC128:
		return 128
	}
	return 0
}

// Element lists the Go types that have a DataType.
type Element interface {
	bool | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64 | complex64 | complex128
}

// DataTypeOf returns the DataType of T.
func DataTypeOf[T Element]() DataType {
	var zero T
	switch any(zero).(type) {
	case bool:
		return DataTypePred
	case int8:
		return DataTypeS8
	case int16:
		return DataTypeS16
	case int32:
		return DataTypeS32
	case int64:
		return DataTypeS64
	case uint8:
		return DataTypeU8
	case uint16:
		return DataTypeU16
	case uint32:
		return DataTypeU32
	case uint64:
		return DataTypeU64
	case float32:
		return DataTypeF32
	case float64:
		return DataTypeF64
	case complex64:
		return DataTypeC64
	}
	return DataTypeC128
}

// Dimensions returns a copy of the dimensions, the slowest-varying first. It returns nil if the
// rank is invalid.
func (b *Buffer) Dimensions() []int64 {
	if b.Rank <= 0 || b.Rank > maxRank {
		return nil
	}
	return capi.Slice(b.Dims, uintptr(b.Rank))
}

// maxRank is far more than XLA's maximum.
const maxRank = 1 << 10

// maxElements is far more than fits in any memory, and leaves room to count bits.
const maxElements = 1 << 50

// Len returns the number of elements. It fails if the dimensions are invalid.
func (b *Buffer) Len() (int, error) {
	dims := b.Dimensions()
	if b.Rank < 0 || int64(len(dims)) != b.Rank {
		return 0, capi.ErrorCodeInvalidArgument.Errorf("the buffer has rank %d, but not that many dimensions", b.Rank)
	}
	if len(dims) > 0 && slices.Min(dims) < 0 {
		return 0, capi.ErrorCodeInvalidArgument.Errorf("the buffer has the negative dimensions %v", dims)
	}
	if slices.Contains(dims, 0) {
		return 0, nil
	}
	n := uint64(1)
	for _, d := range dims {
		high, low := bits.Mul64(n, uint64(d))
		if high != 0 || low > maxElements {
			return 0, capi.ErrorCodeInvalidArgument.Errorf("the buffer has dimensions %v, which are too large for any memory", dims)
		}
		n = low
	}
	return int(n), nil
}

// Bytes returns the memory of the buffer, not a copy. Use it only on platforms with memory that the
// host can address, such as Host, and write to it only if the buffer is a result. It is valid until
// the call ends.
func (b *Buffer) Bytes() ([]byte, error) {
	n, err := b.Len()
	if err != nil {
		return nil, err
	}
	size := b.Dtype.Bits()
	if size == 0 {
		return nil, capi.ErrorCodeInvalidArgument.Errorf("the buffer has the type %v, whose size is unknown", b.Dtype)
	}
	if n == 0 {
		return nil, nil
	}
	total := (uint64(n)*uint64(size) + 7) / 8
	if b.Data == nil {
		return nil, capi.ErrorCodeInvalidArgument.Errorf("the buffer has %d bytes, but no address", total)
	}
	return unsafe.Slice((*byte)(b.Data), total), nil
}

// Elements returns the memory of a buffer as a slice of its elements, not a copy; see
// [Buffer.Bytes]. It fails if the buffer's type is not T.
func Elements[T Element](b *Buffer) ([]T, error) {
	if want := DataTypeOf[T](); b.Dtype != want {
		return nil, capi.ErrorCodeInvalidArgument.Errorf("the buffer has the type %v, not %v", b.Dtype, want)
	}
	raw, err := b.Bytes()
	if err != nil || len(raw) == 0 {
		return nil, err
	}
	var zero T
	if uintptr(b.Data)%unsafe.Alignof(zero) != 0 {
		return nil, capi.ErrorCodeInvalidArgument.Errorf("the buffer of type %v has the misaligned address %#x", b.Dtype, uintptr(b.Data))
	}
	return unsafe.Slice((*T)(b.Data), uintptr(len(raw))/unsafe.Sizeof(zero)), nil
}
