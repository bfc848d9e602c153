// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package dtype_test

import (
	"math"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

func checkInt[I interface {
	dtype.Int
	String() string
}](t *testing.T, lo, hi int) {
	t.Helper()
	span := hi - lo + 1
	for x := -300; x <= 300; x++ {
		want := ((x-lo)%span+span)%span + lo
		i := dtype.Wrap[I](int64(x))
		require.Equal(t, want, i.Int(), "%T of %d", i, x)
		require.Less(t, int(i), span, "high bits of the byte are zero")
		require.Equal(t, strconv.Itoa(want), i.String())
	}
	for b := range 256 {
		require.Equal(t, dtype.Wrap[I](int64(b)).Int(), I(b).Int(), "high bits of the byte are ignored")
	}
}

func TestNarrowIntegersWrap(t *testing.T) {
	t.Parallel()
	checkInt[dtype.Int1](t, -1, 0)
	checkInt[dtype.Int2](t, -2, 1)
	checkInt[dtype.Int4](t, -8, 7)
	checkInt[dtype.Uint1](t, 0, 1)
	checkInt[dtype.Uint2](t, 0, 3)
	checkInt[dtype.Uint4](t, 0, 15)
}

func TestFloatsIgnoreBitsAboveTheirWidth(t *testing.T) {
	t.Parallel()
	for c := range 256 {
		require.Equal(t, dtype.Float4E2M1FN(c&0xf).Float64(), dtype.Float4E2M1FN(c).Float64())
		require.Equal(t, dtype.Float6E2M3FN(c&0x3f).Float64(), dtype.Float6E2M3FN(c).Float64())
		require.Equal(t, dtype.Float6E3M2FN(c&0x3f).Float64(), dtype.Float6E3M2FN(c).Float64())
	}
}

func TestConvertRefusesWhatHasNoMeaning(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		dst      int
		to       dtype.Type
		src      int
		from     dtype.Type
		contains string
	}{
		{"to token", 0, dtype.Token, 4, dtype.F32, "have no elements"},
		{"from token", 4, dtype.F32, 0, dtype.Token, "have no elements"},
		{"from nothing", 4, dtype.F32, 4, dtype.Invalid, "have no elements"},
		{"from unknown", 4, dtype.F32, 4, dtype.Type(77), "dtype.Type(77)"},
		{"complex to real", 4, dtype.F32, 8, dtype.C64, "imaginary parts would be lost"},
		{"complex to integer", 4, dtype.S32, 16, dtype.C128, "imaginary parts would be lost"},
		{"too few bytes", 4, dtype.F32, 7, dtype.F64, "7 bytes of f64"},
		{"other length", 8, dtype.F32, 8, dtype.F64, "numbers of elements differ"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			err := dtype.Convert(make([]byte, c.dst), c.to, make([]byte, c.src), c.from)
			assert.ErrorContains(t, err, c.contains)
		})
	}
}

func TestConvertOfManyElements(t *testing.T) {
	t.Parallel()
	const n = 1000 // more than are converted at a time
	src := make([]int32, n)
	for i := range src {
		src[i] = int32(i - n/2)
	}
	dst := make([]float64, n)
	require.NoError(t, dtype.Convert(dtype.Bytes(dst), dtype.F64, dtype.Bytes(src), dtype.S32))
	for i := range dst {
		require.Equal(t, float64(i-n/2), dst[i])
	}
	back := make([]int32, n)
	require.NoError(t, dtype.Convert(dtype.Bytes(back), dtype.S32, dtype.Bytes(dst), dtype.F64))
	assert.Equal(t, src, back)
}

func TestConvertOfEqualTypesKeepsBits(t *testing.T) {
	t.Parallel()
	src := []uint32{0x7f800001, 0xffc12345}
	dst := make([]uint32, 2)
	require.NoError(t, dtype.Convert(dtype.Bytes(dst), dtype.F32, dtype.Bytes(src), dtype.F32))
	assert.Equal(t, src, dst)
}

func TestConvertDoesNotAllocate(t *testing.T) {
	src, dst := dtype.Bytes(make([]float32, 512)), dtype.Bytes(make([]dtype.BFloat16, 512))
	assert.Zero(t, testing.AllocsPerRun(10, func() {
		if err := dtype.Convert(dst, dtype.BF16, src, dtype.F32); err != nil {
			t.Error(err)
		}
	}))
}

func TestRoundKeepsThePayloadOfNaN(t *testing.T) {
	t.Parallel()
	x := math.Float64frombits(0xfff0<<48 | 0x123<<42)
	assert.Equal(t, dtype.Float16(0xff23), dtype.Round[dtype.Float16](x))
	assert.Equal(t, dtype.BFloat16(0xffc0), dtype.Round[dtype.BFloat16](x))
}

func BenchmarkConvert(b *testing.B) {
	for _, c := range []struct{ from, to dtype.Type }{
		{dtype.F32, dtype.BF16}, {dtype.BF16, dtype.F32}, {dtype.F32, dtype.F8E4M3FN}, {dtype.F64, dtype.S32}, {dtype.S4, dtype.F32},
	} {
		b.Run(c.from.String()+" to "+c.to.String(), func(b *testing.B) {
			const n = 1 << 16
			src, dst := make([]byte, n*c.from.Size()), make([]byte, n*c.to.Size())
			for i := range src {
				src[i] = byte(i * 37)
			}
			b.SetBytes(int64(len(src)))
			for b.Loop() {
				if err := dtype.Convert(dst, c.to, src, c.from); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
