// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package array_test

import (
	"bytes"
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt/array"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

func TestOfSharesTheMemory(t *testing.T) {
	t.Parallel()
	s := []int32{1, 2}
	a := array.Of(s)
	assert.Equal(t, array.Shape{Type: dtype.S32, Dims: []int64{2}}, a.Shape())
	s[0] = 7
	assert.Equal(t, "[7 2]", a.String())
	dims := []int64{2, 1}
	a = array.Of(s, dims...)
	dims[0] = 9
	assert.Equal(t, []int64{2, 1}, a.Dims, "the dimensions are a copy")
	one := array.ScalarOf(true)
	assert.Equal(t, array.Array{Type: dtype.Pred, Data: []byte{1}}, one)
	assert.NoError(t, one.Check())
}

func TestDimsConvertsBothWays(t *testing.T) {
	t.Parallel()
	type size int
	wide := []int64{2, 0, array.Dynamic}
	ints := array.Dims[size](wide)
	assert.Equal(t, []size{2, 0, array.Dynamic}, ints)
	assert.Equal(t, wide, array.Dims[int64](ints))
	same := array.Dims[int64](wide)
	same[0] = 9
	assert.Equal(t, int64(2), wide[0], "the dimensions are a copy")
	assert.Nil(t, array.Dims[int64]([]int(nil)))
}

func TestToSliceCopies(t *testing.T) {
	t.Parallel()
	s := []dtype.Int4{dtype.Wrap[dtype.Int4](-1), dtype.Wrap[dtype.Int4](5)}
	a := array.Of(s)
	back, err := array.ToSlice[dtype.Int4](a)
	require.NoError(t, err)
	assert.Equal(t, []dtype.Int4{15, 5}, back)
	back[1] = 0
	assert.Equal(t, []byte{15, 5}, a.Data)

	_, err = array.ToSlice[dtype.Uint4](a)
	require.ErrorContains(t, err, "array holds i4, not ui4")
	_, err = array.ToSlice[dtype.Int4](array.Of(s, 3))
	require.ErrorContains(t, err, "its data has 2")
	empty, err := array.ToSlice[bool](array.Of([]bool{}, 0, 5))
	require.NoError(t, err)
	assert.Empty(t, empty)
	assert.Zero(t, array.Array{}.Len())
}

func TestArraysThatDoNotFitTheirShapeAreRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		array    array.Array
		contains string
	}{
		{"zero", array.Array{}, "arrays of type invalid have no host form"},
		{"token", array.Array{Type: dtype.Token}, "arrays of type token have no host form"},
		{"short data", array.Array{Type: dtype.F32, Dims: []int64{2, 3}, Data: make([]byte, 20)},
			"shape f32[2,3] takes 24 bytes, but its data has 20"},
		{"long data", array.Array{Type: dtype.S4, Dims: []int64{3}, Data: make([]byte, 4)}, "shape i4[3] takes 3 bytes"},
		{"scalar without data", array.Array{Type: dtype.S8}, "shape i8[] takes 1 bytes"},
		{"negative", array.Array{Type: dtype.F32, Dims: []int64{-1}}, "negative"},
		{"overflow", array.Array{Type: dtype.F32, Dims: []int64{math.MaxInt64, 4}}, "too large"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			a := c.array
			require.ErrorContains(t, a.Check(), c.contains)
			_, err := a.Cast(dtype.F64)
			require.ErrorContains(t, err, c.contains)
			_, err = array.ToSlice[float32](a)
			require.ErrorContains(t, err, c.contains)
			require.ErrorContains(t, a.Format(&bytes.Buffer{}, array.FormatOptions{}), c.contains)
			assert.Contains(t, a.String(), c.contains)
		})
	}
}

func TestCastKeepsTheShape(t *testing.T) {
	t.Parallel()
	a := array.Of([]float64{0, -1.5, math.NaN(), 300}, 2, 2)
	c, err := a.Cast(dtype.Pred)
	require.NoError(t, err)
	assert.Equal(t, array.Array{Type: dtype.Pred, Dims: []int64{2, 2}, Data: []byte{0, 1, 1, 1}}, c)
	same, err := a.Cast(dtype.F64)
	require.NoError(t, err)
	same.Data[0], same.Dims[0] = 1, 4
	assert.Zero(t, a.Data[0], "a cast to the same type copies")
	assert.Equal(t, int64(2), a.Dims[0])

	z, err := a.Cast(dtype.C64)
	require.NoError(t, err)
	_, err = z.Cast(dtype.F32)
	require.ErrorContains(t, err, "imaginary parts would be lost")
	_, err = a.Cast(dtype.Token)
	require.ErrorContains(t, err, "have no host form")
}

func TestFormatOptionsBeyondNumPy(t *testing.T) {
	t.Parallel()
	show := func(a array.Array, o array.FormatOptions) string {
		var b bytes.Buffer
		require.NoError(t, a.Format(&b, o))
		return b.String()
	}
	assert.Equal(t, "[0. 2.]", show(array.Of([]float32{0.5, 2.25}), array.FormatOptions{Precision: -1}))
	many := array.Of(make([]int8, 1001))
	assert.NotContains(t, show(many, array.FormatOptions{Threshold: -1}), "...")
	assert.Equal(t, "[...]", show(many, array.FormatOptions{EdgeItems: -1}))
	assert.NotContains(t, show(many, array.FormatOptions{Threshold: 1, EdgeItems: math.MaxInt}), "...")
}

// broken is a writer that fails.
type broken struct{}

var errBroken = errors.New("no space left")

func (broken) Write([]byte) (int, error) { return 0, errBroken }

func TestFormatReturnsErrorsOfTheWriter(t *testing.T) {
	t.Parallel()
	a := array.ScalarOf[float32](1)
	require.ErrorIs(t, a.Format(broken{}, array.FormatOptions{}), errBroken)
	require.ErrorContains(t, a.Format(nil, array.FormatOptions{}), "there is no writer")
}
