// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

func TestRowMajorLayoutsAreRecognized(t *testing.T) {
	shape := Shape{Type: dtype.F32, Dims: []int64{2, 1, 3}}
	for _, c := range []struct {
		layout *Layout
		want   bool
	}{
		{RowMajor(3), true},
		{&Layout{MinorToMajor: []int{2, 0, 1}}, false},
		{&Layout{MinorToMajor: []int{2, 1, 0}, Tiles: [][]int64{{1}}}, false},
		{&Layout{Strides: []int64{12, 12, 4}}, true},
		{&Layout{Strides: []int64{12, 99, 4}}, true}, // the dimension has one element
		{&Layout{Strides: []int64{16, 12, 4}}, false},
		{&Layout{Strides: []int64{4, 4, 8}}, false},
		{&Layout{Strides: []int64{-12, 12, 4}}, false},
	} {
		assert.Equal(t, c.want, c.layout.rowMajor(shape), c.layout)
	}
}

func TestLayoutsSurviveTheConversionToCAndBack(t *testing.T) {
	for rank := range 12 {
		c := rowMajorLayout(rank)
		got, err := decodeLayout(c.layout)
		require.NoError(t, err)
		assert.Equal(t, RowMajor(rank).String(), got.String())
	}
	shape := Shape{Type: dtype.F32, Dims: []int64{2, 3}}
	for _, want := range []*Layout{
		{MinorToMajor: []int{0, 1}},
		{MinorToMajor: []int{1, 0}, Tiles: [][]int64{{8, 128}, {2, 1}, {4}}},
		{Strides: []int64{-12, 4}},
	} {
		c, err := want.encode(shape)
		require.NoError(t, err)
		got, err := decodeLayout(c.layout)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
	_, err := decodeLayout(&capi.BufferMemoryLayout{Type: 7})
	require.ErrorIs(t, err, ErrUnimplemented)
}
