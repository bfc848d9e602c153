// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package recording

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/purepjrt/purepjrt/capi"
)

func pack(values ...any) (b []byte) {
	for _, v := range values {
		var err error
		if b, err = binary.Append(b, binary.NativeEndian, v); err != nil {
			panic(err)
		}
	}
	return b
}

func TestArraysAreComparedByTheirType(t *testing.T) {
	t.Parallel()
	nan, inf := math.NaN(), math.Inf(1)
	o := Options{Relative: 1e-3, Absolute: 1e-3}
	for name, c := range map[string]struct {
		typ           capi.BufferType
		recorded, now []byte
		want          string
	}{
		"equal":               {capi.BufferTypeF32, pack(float32(1)), pack(float32(1)), ""},
		"empty":               {capi.BufferTypeF32, nil, []byte{}, ""},
		"close":               {capi.BufferTypeF32, pack(float32(1000), float32(0)), pack(float32(1000.9), float32(0.0009)), ""},
		"far":                 {capi.BufferTypeF32, pack(float32(1000), float32(0)), pack(float32(1002), float32(0)), "1 of 2 numbers of the F32 array differ, most of all number 0: it was 1000, and is 1002"},
		"reports the worst":   {capi.BufferTypeF64, pack(1.0, 2.0, 3.0), pack(1.1, 4.0, 3.5), "3 of 3 numbers of the F64 array differ, most of all number 1: it was 2, and is 4"},
		"NaN is NaN":          {capi.BufferTypeF64, pack(nan), pack(math.Float64frombits(math.Float64bits(nan) ^ 1<<63)), ""},
		"NaN is not a number": {capi.BufferTypeF64, pack(nan), pack(1.0), "it was NaN, and is 1"},
		"no number is NaN":    {capi.BufferTypeF64, pack(1.0), pack(nan), "it was 1, and is NaN"},
		"infinity":            {capi.BufferTypeF64, pack(inf), pack(-inf), "it was +Inf, and is -Inf"},
		"complex":             {capi.BufferTypeC64, pack(complex64(1 + 2i)), pack(complex64(1 + 3i)), "1 of 2 numbers of the C64 array differ, most of all number 1: it was 2, and is 3"},
		"half close":          {capi.BufferTypeF16, pack(uint16(0x3c00)), pack(uint16(0x3c01)), ""},
		"half far":            {capi.BufferTypeF16, pack(uint16(0x3c00)), pack(uint16(0x3c10)), "it was 1, and is 1.015625"},
		"brain close":         {capi.BufferTypeBF16, pack(uint16(0x3a00)), pack(uint16(0x3a01)), ""},
		"brain far":           {capi.BufferTypeBF16, pack(uint16(0x3f80)), pack(uint16(0x4000)), "it was 1, and is 2"},
		"integers":            {capi.BufferTypeS32, pack(int32(1), int32(1000)), pack(int32(1), int32(1001)), "element 1 of the S32 array differs: its bytes were e8030000, and are e9030000"},
		"truth":               {capi.BufferTypePred, []byte{1, 0}, []byte{1, 1}, "element 1 of the PRED array differs: its bytes were 00, and are 01"},
		"sizes":               {capi.BufferTypeF32, pack(float32(1)), pack(float32(1), float32(2)), "the array had 4 bytes, and has 8"},
		"unknown type":        {0, []byte{1}, []byte{2}, "element 0 of the INVALID array differs"},
	} {
		got := difference(c.typ, c.recorded, c.now, o)
		if c.want == "" {
			assert.Empty(t, got, name)
		} else {
			assert.Contains(t, got, c.want, name)
		}
	}
}

func TestNumbersOf16BitsHaveTheirValue(t *testing.T) {
	t.Parallel()
	for bits, want := range map[uint16]float64{
		0: 0, 0x3c00: 1, 0xc000: -2, 0x7bff: 65504, 0x0001: math.Ldexp(1, -24), 0x0400: math.Ldexp(1, -14), 0x7c00: math.Inf(1), 0xfc00: math.Inf(-1), 0x3555: 0.333251953125,
	} {
		assert.Equal(t, want, half(bits), "%#x", bits)
	}
	assert.True(t, math.IsNaN(half(0x7e00)))
}
