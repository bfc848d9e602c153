// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package sharding_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/sharding"
)

func TestScatterAndGather(t *testing.T) {
	ctx := context.Background()
	client := newClient(t, pjrt.Attribute{Name: "cpu_device_count", Value: int64(6)})
	mesh, err := sharding.NewMesh(client.Devices(), axis("x", 2), axis("y", 3))
	require.NoError(t, err)
	matrix := pjrt.ArrayOf(ints(24), 4, 6)
	cube := pjrt.ArrayOf(ints(2*6*3*2), 2, 6, 3, 2)
	cases := []struct {
		array     pjrt.HostArray
		partition sharding.Partition
		part      string
		parts     map[int][]int32 // of some devices
	}{
		{matrix, nil, "i32[4,6]", map[int][]int32{0: ints(24), 5: ints(24)}},
		{matrix, sharding.Partition{"x"}, "i32[2,6]", map[int][]int32{0: ints(12), 2: ints(12), 3: ints(24)[12:]}},
		{matrix, sharding.Partition{"", "y"}, "i32[4,2]", map[int][]int32{0: {0, 1, 6, 7, 12, 13, 18, 19}, 3: {0, 1, 6, 7, 12, 13, 18, 19}, 4: {2, 3, 8, 9, 14, 15, 20, 21}}},
		{matrix, sharding.Partition{"x", "y"}, "i32[2,2]", map[int][]int32{0: {0, 1, 6, 7}, 5: {16, 17, 22, 23}}},
		{matrix, sharding.Partition{"", "x,y"}, "i32[4,1]", map[int][]int32{1: {1, 7, 13, 19}, 3: {3, 9, 15, 21}}},
		{matrix, sharding.Partition{"", "y,x"}, "i32[4,1]", map[int][]int32{1: {2, 8, 14, 20}, 3: {1, 7, 13, 19}}},
		{cube, sharding.Partition{"x", "", "y"}, "i32[1,6,1,2]", map[int][]int32{4: {38, 39, 44, 45, 50, 51, 56, 57, 62, 63, 68, 69}}},
		{pjrt.ArrayOf([]int32{}, 0, 6), sharding.Partition{"x", "y"}, "i32[0,2]", map[int][]int32{3: nil}},
		{pjrt.ScalarOf[int32](7), nil, "i32[]", map[int][]int32{5: {7}}},
		{pjrt.ArrayOf([]dtype.Uint4{1, 2, 3, 4, 5, 6}, 6), sharding.Partition{"y"}, "ui4[2]", nil},
	}
	for _, c := range cases {
		t.Run(fmt.Sprint(c.array.Shape(), c.partition), func(t *testing.T) {
			s, err := mesh.Scatter(ctx, c.array, c.partition)
			require.NoError(t, err)
			defer s.Close()
			part, err := mesh.PartShape(c.array.Shape(), c.partition)
			require.NoError(t, err)
			assert.Equal(t, c.part, part.String())
			for i, b := range s.Buffers() {
				assert.Equal(t, c.part, b.Shape().String())
				d, err := b.Device()
				require.NoError(t, err)
				assert.Same(t, mesh.Devices()[i], d)
			}
			for i, want := range c.parts {
				got, err := pjrt.ToSlice[int32](ctx, s.Buffers()[i])
				require.NoError(t, err)
				assert.Equal(t, want, got, "device %d", i)
			}
			got, err := s.Gather(ctx)
			require.NoError(t, err)
			assert.Equal(t, c.array.Shape(), got.Shape())
			assert.Equal(t, append([]byte{}, c.array.Data...), got.Data)
			joined, err := mesh.Join(c.array.Shape(), c.partition, s.Buffers())
			require.NoError(t, err)
			got, err = joined.Gather(ctx)
			require.NoError(t, err)
			assert.Equal(t, append([]byte{}, c.array.Data...), got.Data)
			assert.Same(t, mesh, joined.Mesh())
			assert.Equal(t, c.array.Shape(), joined.Shape())
			assert.Equal(t, c.partition, joined.Partition())
		})
	}
}
