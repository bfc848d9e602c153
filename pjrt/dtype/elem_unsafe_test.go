// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package dtype_test

import (
	"reflect"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

func checkElem[T dtype.Elem](t *testing.T, want dtype.Type) {
	t.Helper()
	var zero T
	assert.Equal(t, want, dtype.Of[T]())
	assert.Equal(t, reflect.TypeFor[T](), want.GoType())
	assert.EqualValues(t, want.Size(), unsafe.Sizeof(zero), "%v", want)
	b := dtype.Bytes(make([]T, 3))
	assert.Len(t, b, 3*want.Size())
	back, err := dtype.View[T](b)
	require.NoError(t, err)
	assert.Len(t, back, 3)
}

func TestEveryTypeHasAGoType(t *testing.T) {
	t.Parallel()
	checkElem[bool](t, dtype.Pred)
	checkElem[int8](t, dtype.S8)
	checkElem[int16](t, dtype.S16)
	checkElem[int32](t, dtype.S32)
	checkElem[int64](t, dtype.S64)
	checkElem[uint8](t, dtype.U8)
	checkElem[uint16](t, dtype.U16)
	checkElem[uint32](t, dtype.U32)
	checkElem[uint64](t, dtype.U64)
	checkElem[float32](t, dtype.F32)
	checkElem[float64](t, dtype.F64)
	checkElem[complex64](t, dtype.C64)
	checkElem[complex128](t, dtype.C128)
	checkElem[dtype.Float16](t, dtype.F16)
	checkElem[dtype.BFloat16](t, dtype.BF16)
	checkElem[dtype.Float8E5M2](t, dtype.F8E5M2)
	checkElem[dtype.Float8E4M3](t, dtype.F8E4M3)
	checkElem[dtype.Float8E3M4](t, dtype.F8E3M4)
	checkElem[dtype.Float8E4M3FN](t, dtype.F8E4M3FN)
	checkElem[dtype.Float8E4M3FNUZ](t, dtype.F8E4M3FNUZ)
	checkElem[dtype.Float8E5M2FNUZ](t, dtype.F8E5M2FNUZ)
	checkElem[dtype.Float8E4M3B11FNUZ](t, dtype.F8E4M3B11FNUZ)
	checkElem[dtype.Float8E8M0FNU](t, dtype.F8E8M0FNU)
	checkElem[dtype.Float6E2M3FN](t, dtype.F6E2M3FN)
	checkElem[dtype.Float6E3M2FN](t, dtype.F6E3M2FN)
	checkElem[dtype.Float4E2M1FN](t, dtype.F4E2M1FN)
	checkElem[dtype.Int1](t, dtype.S1)
	checkElem[dtype.Int2](t, dtype.S2)
	checkElem[dtype.Int4](t, dtype.S4)
	checkElem[dtype.Uint1](t, dtype.U1)
	checkElem[dtype.Uint2](t, dtype.U2)
	checkElem[dtype.Uint4](t, dtype.U4)
	for _, typ := range dtype.All() {
		assert.Equal(t, typ == dtype.Token, typ.GoType() == nil, "%v", typ)
	}
}

func TestBytesAndViewShareMemory(t *testing.T) {
	t.Parallel()
	s := []uint32{0x04030201, 8}
	b := dtype.Bytes(s)
	assert.Equal(t, []byte{1, 2, 3, 4, 8, 0, 0, 0}, b)
	v, err := dtype.View[uint16](b)
	require.NoError(t, err)
	assert.Equal(t, []uint16{0x0201, 0x0403, 8, 0}, v)
	v[2] = 9
	assert.Equal(t, uint32(9), s[1])
	assert.Empty(t, dtype.Bytes[float64](nil))
}

func TestViewRefusesBytesThatAreNotElements(t *testing.T) {
	t.Parallel()
	b := dtype.Bytes(make([]uint64, 2))
	_, err := dtype.View[uint32](b[:6])
	assert.ErrorContains(t, err, "6 bytes are not a whole number")
	_, err = dtype.View[uint32](b[1:9])
	assert.ErrorContains(t, err, "not aligned")
	_, err = dtype.View[bool]([]byte{0, 1, 2})
	assert.ErrorContains(t, err, "byte 2 of the bools is 2")
	v, err := dtype.View[float64](nil)
	require.NoError(t, err)
	assert.Empty(t, v)
}
