// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

func TestArraysAreReadWithAnyStrides(t *testing.T) {
	ctx := context.Background()
	client := newClient(t)
	b, err := pjrt.FromSlice(ctx, client, []int16{1, 2, 3, 4, 5, 6}, 2, 3)
	require.NoError(t, err)
	defer b.Close()
	for name, c := range map[string]struct {
		strides []int64
		want    []int16
	}{
		"row-major": {nil, []int16{1, 2, 3, 4, 5, 6}},
		"the same":  {[]int64{6, 2}, []int16{1, 2, 3, 4, 5, 6}},
		"columns":   {[]int64{2, 4}, []int16{1, 4, 2, 5, 3, 6}},
		"backwards": {[]int64{-6, -2}, []int16{6, 5, 4, 3, 2, 1}},
		"upwards":   {[]int64{-6, 2}, []int16{4, 5, 6, 1, 2, 3}},
		"in larger": {[]int64{8, 2}, []int16{1, 2, 3, -1, 4, 5, 6}},
		"every 2nd": {[]int64{12, 4}, []int16{1, -1, 2, -1, 3, -1, 4, -1, 5, -1, 6}},
	} {
		dst := make([]int16, len(c.want))
		for i := range dst {
			dst[i] = -1
		}
		require.NoError(t, b.ToHostStrided(ctx, dtype.Bytes(dst), c.strides), name)
		assert.Equal(t, c.want, dst, name)
		if c.strides != nil && name != "in larger" && name != "every 2nd" {
			// An upload with the same strides brings the array back.
			again, err := client.BufferFromHost(ctx, pjrt.HostArray{Type: dtype.S16, Dims: []int64{2, 3}, Data: dtype.Bytes(dst)},
				&pjrt.BufferOptions{Strides: c.strides})
			require.NoError(t, err, name)
			got, err := pjrt.ToSlice[int16](ctx, again)
			require.NoError(t, err, name)
			assert.Equal(t, []int16{1, 2, 3, 4, 5, 6}, got, name)
			again.Close()
		}
	}
	scalar, err := pjrt.FromScalar(ctx, client, float32(7))
	require.NoError(t, err)
	defer scalar.Close()
	one := make([]float32, 1)
	require.NoError(t, scalar.ToHostStrided(ctx, dtype.Bytes(one), []int64{}))
	assert.Equal(t, []float32{7}, one)
	empty := upload(t, client, pjrt.ArrayOf([]float32{}, 2, 0))
	require.NoError(t, empty.ToHostStrided(ctx, nil, []int64{4, 4}))

	for name, c := range map[string]struct {
		size    int
		strides []int64
		want    string
	}{
		"too small":    {11, nil, "takes 12 bytes, and dst has 11"},
		"too large":    {16, []int64{6, 2}, "spans 12 bytes, and dst has 16"},
		"too few":      {12, []int64{2}, "there are 1 strides for the 2 dimensions"},
		"overlapping":  {6, []int64{0, 2}, "all elements of dimension 0 in the same place"},
		"far too much": {12, []int64{1 << 62, 2}, "too large for this machine"},
	} {
		err := b.ToHostStrided(ctx, make([]byte, c.size), c.strides)
		require.ErrorIs(t, err, pjrt.ErrInvalidArgument, name)
		assert.ErrorContains(t, err, c.want, name)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	require.ErrorIs(t, b.ToHostStrided(ended, make([]byte, 12), []int64{2, 4}), context.Canceled)
}
