// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package ffi_test

import (
	"math"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/ffi"
)

func buffer(d ffi.DataType, data unsafe.Pointer, dims ...int64) *ffi.Buffer {
	return &ffi.Buffer{StructSize: ffi.BufferSize, Dtype: d, Data: data, Rank: int64(len(dims)), Dims: unsafe.SliceData(dims)}
}

func TestBuffersHaveTheBytesOfTheirShape(t *testing.T) {
	t.Parallel()
	memory := make([]uint64, 8)
	p := unsafe.Pointer(&memory[0])
	cases := map[string]struct {
		buffer *ffi.Buffer
		len    int
		bytes  int
		err    string
	}{
		"scalar":           {buffer(ffi.DataTypeF64, p), 1, 8, ""},
		"matrix":           {buffer(ffi.DataTypeF32, p, 2, 3), 6, 24, ""},
		"empty":            {buffer(ffi.DataTypeF32, nil, 2, 0), 0, 0, ""},
		"pred":             {buffer(ffi.DataTypePred, p, 3), 3, 3, ""},
		"packed":           {buffer(ffi.DataTypeS4, p, 5), 5, 3, ""},
		"two bits":         {buffer(ffi.DataTypeU2, p, 9), 9, 3, ""},
		"complex":          {buffer(ffi.DataTypeC128, p, 2), 2, 32, ""},
		"no address":       {buffer(ffi.DataTypeF32, nil, 2), 2, 0, "the buffer has 8 bytes, but no address"},
		"token":            {buffer(ffi.DataTypeToken, p), 1, 0, "the buffer has the type TOKEN, whose size is unknown"},
		"unknown type":     {buffer(77, p, 2), 2, 0, "the buffer has the type DataType(77), whose size is unknown"},
		"negative":         {buffer(ffi.DataTypeF32, p, 2, -3), 0, 0, "the buffer has the negative dimensions [2 -3]"},
		"overflow":         {buffer(ffi.DataTypeF32, p, 1<<33, 1<<33), 0, 0, "too large for any memory"},
		"too many":         {buffer(ffi.DataTypeC128, p, 1<<51), 0, 0, "too large for any memory"},
		"empty and huge":   {buffer(ffi.DataTypeF32, nil, 1<<40, 0, 1<<40), 0, 0, ""},
		"negative rank":    {&ffi.Buffer{StructSize: ffi.BufferSize, Dtype: ffi.DataTypeF32, Data: p, Rank: -1}, 0, 0, "the buffer has rank -1, but not that many dimensions"},
		"huge rank":        {&ffi.Buffer{StructSize: ffi.BufferSize, Dtype: ffi.DataTypeF32, Data: p, Rank: 1 << 60, Dims: new(int64)}, 0, 0, "but not that many dimensions"},
		"rank without end": {&ffi.Buffer{StructSize: ffi.BufferSize, Dtype: ffi.DataTypeF32, Data: p, Rank: 2}, 0, 0, "the buffer has rank 2, but not that many dimensions"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, err := c.buffer.Bytes()
			if c.err != "" {
				require.ErrorIs(t, err, capi.ErrorCodeInvalidArgument)
				require.ErrorContains(t, err, c.err)
			} else {
				require.NoError(t, err)
			}
			assert.Len(t, b, c.bytes)
			if n, err := c.buffer.Len(); err == nil {
				assert.Equal(t, c.len, n)
			}
		})
	}
}

func TestEveryTypeExceptTokensHasASize(t *testing.T) {
	t.Parallel()
	for _, d := range ffi.DataTypeValues() {
		if d == ffi.DataTypeInvalid || d == ffi.DataTypeToken {
			assert.Zero(t, d.Bits(), d)
			continue
		}
		assert.NotZero(t, d.Bits(), d)
	}
}

func elementsAre[T ffi.Element](t *testing.T, want ...T) {
	t.Helper()
	memory := append([]T(nil), want...)
	b := buffer(ffi.DataTypeOf[T](), unsafe.Pointer(&memory[0]), int64(len(want)))
	got, err := ffi.Elements[T](b)
	require.NoError(t, err)
	require.Equal(t, want, got)
	assert.Same(t, &memory[0], &got[0], "not a copy")
	assert.EqualValues(t, b.Dtype.Bits()/8, unsafe.Sizeof(want[0]))
}

func TestElementsOfEachGoType(t *testing.T) {
	t.Parallel()
	elementsAre(t, true, false)
	elementsAre[int8](t, -1, 2)
	elementsAre[int16](t, -1, 2)
	elementsAre[int32](t, -1, 2)
	elementsAre[int64](t, -1, 2)
	elementsAre[uint8](t, 1, 2)
	elementsAre[uint16](t, 1, 2)
	elementsAre[uint32](t, 1, 2)
	elementsAre[uint64](t, 1, 2)
	elementsAre[float32](t, 1.5, float32(math.Inf(1)))
	elementsAre(t, 1.5, 2.5)
	elementsAre[complex64](t, 1+2i, 3)
	elementsAre(t, 1+2i, 3)

	memory := make([]uint64, 2)
	_, err := ffi.Elements[float32](buffer(ffi.DataTypeF32, unsafe.Add(unsafe.Pointer(&memory[0]), 2), 1))
	require.ErrorContains(t, err, "misaligned")
}

// attributes makes an XLA_FFI_Attrs of kinds and the structs that belong to them.
func attributes(names []string, kinds []ffi.AttrType, structs []unsafe.Pointer) *ffi.Attrs {
	spans := make([]*ffi.ByteSpan, len(names))
	for i, n := range names {
		spans[i] = span(n)
	}
	return &ffi.Attrs{
		StructSize: ffi.AttrsSize, Size: int64(len(names)),
		Types: unsafe.SliceData(kinds), Names: unsafe.SliceData(spans), Attrs: unsafe.SliceData(structs),
	}
}

func span(s string) *ffi.ByteSpan {
	p, n := capi.StringData(s)
	return &ffi.ByteSpan{Ptr: p, Len: n}
}

func TestAttributesOfEveryNumber(t *testing.T) {
	t.Parallel()
	memory := [2][16]byte{{1, 2, 3, 4, 5, 6, 7, 8}, {9}}
	p := unsafe.Pointer(&memory)
	for _, d := range ffi.DataTypeValues() {
		scalar := ffi.Attr{Kind: ffi.AttrTypeScalar, Data: unsafe.Pointer(&ffi.Scalar{Dtype: d, Value: p})}
		array := ffi.Attr{Kind: ffi.AttrTypeArray, Data: unsafe.Pointer(&ffi.Array{Dtype: d, Size: 2, Data: p})}
		s, serr := scalar.Value()
		a, aerr := array.Value()
		if d.Bits() < 8 {
			require.ErrorContains(t, serr, "which cannot be read", d)
			require.ErrorContains(t, aerr, "which cannot be read", d)
			continue
		}
		require.NoError(t, serr, d)
		require.NoError(t, aerr, d)
		if n, ok := s.(ffi.Numbers); ok {
			assert.Equal(t, d, n.Type)
			assert.Len(t, n.Data, d.Bits()/8)
			assert.Len(t, a.(ffi.Numbers).Data, d.Bits()/4)
		}
	}
	// The number need not be aligned.
	v, err := ffi.Attr{Kind: ffi.AttrTypeScalar, Data: unsafe.Pointer(&ffi.Scalar{Dtype: ffi.DataTypeU32, Value: unsafe.Add(p, 1)})}.Value()
	require.NoError(t, err)
	assert.Equal(t, uint32(0x05040302), v)
	v, err = ffi.Attr{Kind: ffi.AttrTypeScalar, Data: unsafe.Pointer(&ffi.Scalar{Dtype: ffi.DataTypeBF16, Value: p})}.Value()
	require.NoError(t, err)
	assert.Equal(t, ffi.Numbers{Type: ffi.DataTypeBF16, Data: []byte{1, 2}}, v)
	v, err = ffi.Attr{Kind: ffi.AttrTypeArray, Data: unsafe.Pointer(&ffi.Array{Dtype: ffi.DataTypeF32})}.Value()
	require.NoError(t, err)
	assert.Equal(t, []float32{}, v)
}

func TestInvalidAttributes(t *testing.T) {
	t.Parallel()
	for name, a := range map[string]*ffi.Attrs{
		"none":          {},
		"short":         {StructSize: ffi.AttrsSize - 1, Size: 3},
		"null arrays":   {StructSize: ffi.AttrsSize, Size: 3},
		"negative size": {StructSize: ffi.AttrsSize, Size: -1},
	} {
		assert.Zero(t, a.Len(), name)
		m, err := a.Map()
		require.NoError(t, err)
		assert.Empty(t, m, name)
	}
	inner := attributes([]string{"bad"}, []ffi.AttrType{9}, []unsafe.Pointer{unsafe.Pointer(span("x"))})
	a := attributes([]string{"null", "kind", "scalar", "inner", "good"},
		[]ffi.AttrType{ffi.AttrTypeString, 9, ffi.AttrTypeScalar, ffi.AttrTypeDictionary, ffi.AttrTypeString},
		[]unsafe.Pointer{nil, unsafe.Pointer(span("x")), unsafe.Pointer(&ffi.Scalar{Dtype: ffi.DataTypeF32}), unsafe.Pointer(inner),
			unsafe.Pointer(span("fine"))})
	for name, want := range map[string]string{
		"null":   `attribute "null": INVALID_ARGUMENT: an attribute of kind STRING without a value`,
		"kind":   `attribute "kind": INVALID_ARGUMENT: an attribute of the unknown kind AttrType(9)`,
		"scalar": `attribute "scalar": INVALID_ARGUMENT: 1 numbers of type F32 without an address`,
		"inner":  `attribute "inner" is a *ffi.Attrs, not a string`,
		"absent": `the call has no attribute absent`,
	} {
		_, err := ffi.Attribute[string](a, name)
		require.ErrorContains(t, err, want)
	}
	good, err := ffi.Attribute[string](a, "good")
	require.NoError(t, err)
	assert.Equal(t, "fine", good)
	_, err = a.Map()
	require.Error(t, err)
	a = attributes([]string{"inner"}, []ffi.AttrType{ffi.AttrTypeDictionary}, []unsafe.Pointer{unsafe.Pointer(inner)})
	_, err = a.Map()
	require.ErrorContains(t, err, `attribute "inner": INVALID_ARGUMENT: attribute "bad"`)
	for name := range a.All() {
		assert.Equal(t, "inner", name)
		break
	}
}

func TestArgumentsThatAreNotBuffers(t *testing.T) {
	t.Parallel()
	kinds := []ffi.ArgType{ffi.ArgTypeBuffer, 5, ffi.ArgTypeBuffer}
	structs := []unsafe.Pointer{nil, unsafe.Pointer(&ffi.Buffer{}), unsafe.Pointer(&ffi.Buffer{StructSize: ffi.BufferSize - 1})}
	a := &ffi.Args{StructSize: ffi.ArgsSize, Size: 3, Types: &kinds[0], Args: &structs[0]}
	for i, want := range []string{"the buffer of argument 0 is null or too short", "argument 1 is of kind ArgType(5), not a buffer", "the buffer of argument 2 is null or too short"} {
		_, err := a.Buffer(i)
		require.ErrorContains(t, err, want)
	}
	_, err := a.Buffers()
	require.Error(t, err)
	rets := []ffi.RetType{5}
	r := &ffi.Rets{StructSize: ffi.RetsSize, Size: 1, Types: &rets[0], Rets: &structs[1]}
	_, err = r.Buffer(0)
	require.ErrorContains(t, err, "result 0 is of kind RetType(5), not a buffer")
	r.StructSize--
	assert.Zero(t, r.Len())
}
