// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package array_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/purepjrt/purepjrt/pjrt/array"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

func TestShapesBeyondTheAddressSpaceHaveNoHostSize(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		shape array.Shape
		want  int
		says  string
	}{
		{array.Shape{Type: dtype.F32, Dims: []int64{3, 5}}, 60, ""},
		{array.Shape{Type: dtype.S4, Dims: []int64{3}}, 3, ""},
		{array.Shape{Type: dtype.U8, Dims: []int64{1 << 40, 0}}, 0, ""},
		{array.Shape{Type: dtype.U8, Dims: []int64{1 << 48, 0}}, 0, "is empty, but the product of its other dimensions is too large"},
		{array.Shape{Type: dtype.U8, Dims: []int64{0, 1 << 32, 1 << 32}}, 0, "is empty, but"},
		{array.Shape{Type: dtype.U8, Dims: []int64{1 << 62, 4, -1}}, 0, "negative"},
		{array.Shape{Type: dtype.U8, Dims: []int64{1 << 30, 1 << 18}}, 0, "too large for this machine"},
		{array.Shape{Type: dtype.C128, Dims: []int64{1 << 44}}, 0, "too large for this machine"},
		{array.Shape{Type: dtype.U8, Dims: []int64{1 << 62, 4}}, 0, "too large for this machine"},
		{array.Shape{Type: dtype.U8, Dims: []int64{-1}}, 0, "negative"},
	} {
		n, err := test.shape.HostSize()
		if test.says != "" {
			assert.ErrorContains(t, err, test.says, test.shape)
			continue
		}
		assert.NoError(t, err, test.shape)
		assert.Equal(t, test.want, n, test.shape)
	}
}

func TestShapesPrintTheWordsOfStableHLO(t *testing.T) {
	t.Parallel()
	for want, s := range map[string]array.Shape{
		"f32[2,3]":              {Type: dtype.F32, Dims: []int64{2, 3}},
		"i32[]":                 {Type: dtype.S32},
		"i1[0]":                 {Type: dtype.Pred, Dims: []int64{0}},
		"ui8[?,4]":              {Type: dtype.U8, Dims: []int64{array.Dynamic, 4}},
		"complex<f32>[1]":       {Type: dtype.C64, Dims: []int64{1}},
		"f32[-1]":               {Type: dtype.F32, Dims: []int64{-1}},
		"invalid[]":             {},
		"dtype.Type(99)[2]":     {Type: 99, Dims: []int64{2}},
		"f8E4M3FN[10000000000]": {Type: dtype.F8E4M3FN, Dims: []int64{1e10}},
	} {
		assert.Equal(t, want, s.String())
	}
}

func TestLenFailsForDimensionsThatAreNotKnown(t *testing.T) {
	t.Parallel()
	s := array.Shape{Type: dtype.F32, Dims: []int64{array.Dynamic, 3}}
	_, err := s.Len()
	assert.ErrorContains(t, err, "f32[?,3] has a dimension whose size is not known")
	_, err = s.HostSize()
	assert.ErrorContains(t, err, "not known")
	n, err := array.Shape{Type: dtype.F32, Dims: []int64{4, 3}}.Len()
	assert.NoError(t, err)
	assert.Equal(t, 12, n)
}

func TestAcceptsComparesWhatTheProgramStates(t *testing.T) {
	t.Parallel()
	param := array.Shape{Type: dtype.F32, Dims: []int64{array.Dynamic, 3}}
	of := func(t dtype.Type, dims ...int64) array.Shape { return array.Shape{Type: t, Dims: dims} }
	assert.True(t, param.Accepts(of(dtype.F32, 5, 3)))
	assert.False(t, param.Accepts(of(dtype.F32, 5, 4)), "extent")
	assert.False(t, param.Accepts(of(dtype.F32, 3)), "rank")
	assert.False(t, param.Accepts(of(dtype.S32, 5, 3)), "type")
	assert.True(t, array.Shape{}.Accepts(of(dtype.S32)), "anything fits what is unknown")
	assert.False(t, param.Known())
	assert.False(t, array.Shape{}.Known())
	assert.True(t, of(dtype.F32, 5, 3).Known())
}

func TestEqualComparesTypeAndDimensions(t *testing.T) {
	t.Parallel()
	s := array.Shape{Type: dtype.F32, Dims: []int64{2, 3}}
	assert.True(t, s.Equal(array.Shape{Type: dtype.F32, Dims: []int64{2, 3}}))
	assert.True(t, array.Shape{Type: dtype.F32}.Equal(array.Shape{Type: dtype.F32, Dims: []int64{}}))
	for _, o := range []array.Shape{
		{Type: dtype.S32, Dims: s.Dims}, {Type: dtype.F32, Dims: []int64{2}}, {Type: dtype.F32, Dims: []int64{2, 4}},
	} {
		assert.False(t, s.Equal(o), o)
	}
}
