// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package array_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt/array"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

func TestArraysOfAnyTypeComeBack(t *testing.T) {
	t.Parallel()
	for _, typ := range dtype.All() {
		if typ.GoType() == nil {
			continue
		}
		a := array.Array{Type: typ, Dims: []int64{2, 1}, Data: make([]byte, 2*typ.Size())}
		a.Data[0], a.Data[typ.Size()] = 1, 1
		data, err := array.ToAny(a)
		require.NoError(t, err, typ)
		back, err := array.OfAny(data, 2, 1)
		require.NoError(t, err, typ)
		assert.Equal(t, a, back)
	}
	data, err := array.ToAny(array.Of([]float32{1, 2}))
	require.NoError(t, err)
	assert.Equal(t, []float32{1, 2}, data)
}

func TestOfAnyTakesElementsAndNestedSlices(t *testing.T) {
	t.Parallel()
	shared := []int32{1, 2, 3, 4}
	for _, c := range []struct {
		data any
		dims []int64
		want array.Array
	}{
		{float64(2), nil, array.ScalarOf(2.0)},
		{dtype.BFloat16(7), nil, array.ScalarOf(dtype.BFloat16(7))},
		{shared, nil, array.Of(shared, 4)},
		{shared, []int64{2, 2}, array.Of(shared, 2, 2)},
		{[][]int32{{1, 2}, {3, 4}}, nil, array.Of(shared, 2, 2)},
		{[4]int32{1, 2, 3, 4}, nil, array.Of(shared, 4)},
		{[][2][]int32{{{1}, {2}}, {{3}, {4}}}, nil, array.Of(shared, 2, 2, 1)},
		{[][]bool{{true}, {false}}, nil, array.Of([]bool{true, false}, 2, 1)},
		{[]float32{}, nil, array.Of([]float32{}, 0)},
		{[][]float32{}, nil, array.Array{Type: dtype.F32, Dims: []int64{0, 0}}},
		{[][]float32{{}, {}}, nil, array.Array{Type: dtype.F32, Dims: []int64{2, 0}}},
	} {
		have, err := array.OfAny(c.data, c.dims...)
		require.NoError(t, err, c.data)
		assert.Equal(t, c.want.Shape().String(), have.Shape().String())
		assert.ElementsMatch(t, c.want.Data, have.Data)
		require.NoError(t, have.Check())
		assert.Equal(t, c.want.String(), have.String())
	}
	a, err := array.OfAny(shared)
	require.NoError(t, err)
	shared[0] = 9
	assert.Equal(t, byte(9), a.Data[0], "a slice of elements is shared")
}

func TestWhatIsNoArrayIsAnError(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		data any
		dims []int64
		want string
	}{
		{nil, nil, "cannot make an array of nil"},
		{1, nil, "int is not the type of an element"},
		{[]string{"x"}, nil, "cannot make an array of a []string: string is not the type of an element"},
		{[]any{float32(1)}, nil, "is not the type of an element"},
		{[][]float32{{1, 2}, {3}}, nil, "slices side by side have 2 and 1 elements"},
		{[][]float32{{}, {3}}, nil, "slices side by side have 0 and 1 elements"},
		{[][]float32{{1}}, []int64{1}, "it has its own"},
		{float32(1), []int64{1}, "it has its own"},
	} {
		_, err := array.OfAny(c.data, c.dims...)
		require.ErrorContains(t, err, c.want)
	}
	odd := array.Array{Type: dtype.Pred, Dims: []int64{1}, Data: []byte{2}}
	_, err := array.ToAny(odd)
	require.ErrorContains(t, err, "2")
	_, err = array.ToSlice[bool](odd)
	require.ErrorContains(t, err, "2")
	_, err = array.ToAny(array.Array{Type: dtype.F32, Dims: []int64{1}})
	require.ErrorContains(t, err, "takes 4 bytes")
	_, err = array.ToAny(array.Array{Type: dtype.Token})
	require.Error(t, err)
}
