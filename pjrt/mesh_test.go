// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

func axis(name string, size int) pjrt.MeshAxis { return pjrt.MeshAxis{Name: name, Size: size} }

func TestScatterAndGather(t *testing.T) {
	ctx := context.Background()
	client := newClient(t, pjrt.Attribute{Name: "cpu_device_count", Value: int64(6)})
	mesh, err := pjrt.NewMesh(client.Devices(), axis("x", 2), axis("y", 3))
	require.NoError(t, err)
	matrix := pjrt.ArrayOf(ints(24), 4, 6)
	cube := pjrt.ArrayOf(ints(2*6*3*2), 2, 6, 3, 2)
	cases := []struct {
		array     pjrt.HostArray
		partition pjrt.Partition
		part      string
		parts     map[int][]int32 // of some devices
	}{
		{matrix, nil, "s32[4,6]", map[int][]int32{0: ints(24), 5: ints(24)}},
		{matrix, pjrt.Partition{"x"}, "s32[2,6]", map[int][]int32{0: ints(12), 2: ints(12), 3: ints(24)[12:]}},
		{matrix, pjrt.Partition{"", "y"}, "s32[4,2]", map[int][]int32{0: {0, 1, 6, 7, 12, 13, 18, 19}, 3: {0, 1, 6, 7, 12, 13, 18, 19}, 4: {2, 3, 8, 9, 14, 15, 20, 21}}},
		{matrix, pjrt.Partition{"x", "y"}, "s32[2,2]", map[int][]int32{0: {0, 1, 6, 7}, 5: {16, 17, 22, 23}}},
		{matrix, pjrt.Partition{"", "x,y"}, "s32[4,1]", map[int][]int32{1: {1, 7, 13, 19}, 3: {3, 9, 15, 21}}},
		{matrix, pjrt.Partition{"", "y,x"}, "s32[4,1]", map[int][]int32{1: {2, 8, 14, 20}, 3: {1, 7, 13, 19}}},
		{cube, pjrt.Partition{"x", "", "y"}, "s32[1,6,1,2]", map[int][]int32{4: {38, 39, 44, 45, 50, 51, 56, 57, 62, 63, 68, 69}}},
		{pjrt.ArrayOf([]int32{}, 0, 6), pjrt.Partition{"x", "y"}, "s32[0,2]", map[int][]int32{3: nil}},
		{pjrt.ArrayOf([]int32{7}), nil, "s32[]", map[int][]int32{5: {7}}},
		{pjrt.ArrayOf([]dtype.Uint4{1, 2, 3, 4, 5, 6}, 6), pjrt.Partition{"y"}, "u4[2]", nil},
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

func TestMisuseOfMeshesIsAnErrorHere(t *testing.T) {
	ctx := context.Background()
	client, other := newClient(t), newClient(t)
	d := client.Devices()
	for name, c := range map[string]struct {
		devices []*pjrt.Device
		axes    []pjrt.MeshAxis
		want    string
	}{
		"no devices": {nil, nil, "a mesh needs devices"},
		"no axes":    {d, nil, "the axes of the mesh arrange 1 devices, there are 4"},
		"no name":    {d, []pjrt.MeshAxis{axis("", 4)}, `axis 0 of the mesh has the name ""`},
		"comma":      {d, []pjrt.MeshAxis{axis("a,b", 4)}, "have no comma"},
		"same name":  {d, []pjrt.MeshAxis{axis("a", 2), axis("a", 2)}, `two axes of the mesh have the name "a"`},
		"zero":       {d, []pjrt.MeshAxis{axis("a", 0)}, "has the size 0"},
		"negative":   {d, []pjrt.MeshAxis{axis("a", -2), axis("b", -2)}, "has the size -2"},
		"too many":   {d, []pjrt.MeshAxis{axis("a", 2), axis("b", 3)}, "has the size 3"},
		"too few":    {d, []pjrt.MeshAxis{axis("a", 2)}, "arrange 2 devices, there are 4"},
		"nil":        {[]*pjrt.Device{d[0], nil}, []pjrt.MeshAxis{axis("a", 2)}, "device 1 of the mesh is nil"},
		"first nil":  {[]*pjrt.Device{nil}, []pjrt.MeshAxis{axis("a", 1)}, "device 0 of the mesh is nil"},
		"foreign":    {[]*pjrt.Device{d[0], other.Devices()[1]}, []pjrt.MeshAxis{axis("a", 2)}, "belongs to another client"},
		"twice":      {[]*pjrt.Device{d[1], d[1]}, []pjrt.MeshAxis{axis("a", 2)}, "is in the mesh twice"},
	} {
		_, err := pjrt.NewMesh(c.devices, c.axes...)
		require.ErrorIs(t, err, pjrt.ErrInvalidArgument, name)
		assert.ErrorContains(t, err, c.want, name)
	}
	mesh, err := pjrt.NewMesh(d, axis("x", 2), axis("y", 2))
	require.NoError(t, err)
	assert.Equal(t, []pjrt.MeshAxis{axis("x", 2), axis("y", 2)}, mesh.Axes())
	array := pjrt.ArrayOf(ints(12), 4, 3)
	for name, c := range map[string]struct {
		array     pjrt.HostArray
		partition pjrt.Partition
		want      string
	}{
		"unknown axis": {array, pjrt.Partition{"z"}, `dimension 0 is cut along "z", which is no axis of the mesh`},
		"axis twice":   {array, pjrt.Partition{"x", "x"}, `axis "x" cuts two dimensions`},
		"axis again":   {array, pjrt.Partition{"x,x"}, `axis "x" cuts two dimensions`},
		"uneven":       {array, pjrt.Partition{"", "y"}, "dimension 1 of s32[4,3] cannot be cut into 2 equal parts"},
		"rank":         {array, pjrt.Partition{"", "", ""}, "the partition has 3 dimensions, s32[4,3] has 2"},
		"comma":        {array, pjrt.Partition{"x,"}, "which is no axis"},
		"short":        {pjrt.HostArray{Type: dtype.S32, Dims: []int64{4}}, nil, "takes 16 bytes"},
		"no type":      {pjrt.HostArray{}, nil, "have no host form"},
	} {
		_, err := mesh.Scatter(ctx, c.array, c.partition)
		require.ErrorIs(t, err, pjrt.ErrInvalidArgument, name)
		assert.ErrorContains(t, err, c.want, name)
	}
	s, err := mesh.Scatter(ctx, array, pjrt.Partition{"x"})
	require.NoError(t, err)
	defer s.Close()
	parts := s.Buffers()
	foreign := upload(t, other, pjrt.ArrayOf(ints(6), 2, 3))
	for name, c := range map[string]struct {
		parts []*pjrt.Buffer
		want  string
	}{
		"too few": {parts[:3], "there are 3 parts for 4 devices"},
		"nil":     {[]*pjrt.Buffer{parts[0], nil, parts[2], parts[3]}, "part 1 is nil"},
		"foreign": {[]*pjrt.Buffer{foreign, parts[1], parts[2], parts[3]}, "part 0 belongs to another client"},
		"order":   {[]*pjrt.Buffer{parts[1], parts[0], parts[2], parts[3]}, "part 0 is on"},
		"shape":   {[]*pjrt.Buffer{upload(t, client, array), parts[1], parts[2], parts[3]}, "part 0 is s32[4,3], the parts of s32[4,3] are s32[2,3]"},
	} {
		_, err := mesh.Join(array.Shape(), pjrt.Partition{"x"}, c.parts)
		require.ErrorIs(t, err, pjrt.ErrInvalidArgument, name)
		assert.ErrorContains(t, err, c.want, name)
	}
	require.ErrorContains(t, s.GatherInto(ctx, make([]byte, 47)), "there is room for 47")
	ended, cancel := context.WithCancel(ctx)
	cancel()
	_, err = mesh.Scatter(ended, array, nil)
	require.ErrorIs(t, err, context.Canceled)
	_, err = s.Gather(ended)
	require.ErrorIs(t, err, context.Canceled)
	s.Close()
	_, err = s.Gather(ctx)
	require.ErrorIs(t, err, pjrt.ErrClosed)
	var none *pjrt.ShardedArray
	require.NoError(t, none.Close())
}
