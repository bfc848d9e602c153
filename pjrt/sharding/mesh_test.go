// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package sharding_test

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
	"github.com/purepjrt/purepjrt/pjrt/sharding"
)

func newClient(t testing.TB, attributes ...pjrt.Attribute) *pjrt.Client {
	t.Helper()
	pjrttest.NoLeaks(t)
	return plugintest.Client(t, attributes...)
}

func upload(t testing.TB, c *pjrt.Client, a pjrt.HostArray) *pjrt.Buffer {
	t.Helper()
	b, err := c.BufferFromHost(context.Background(), a, nil)
	require.NoError(t, err)
	t.Cleanup(func() { b.Close() })
	return b
}

// ints returns the numbers from 0 to n-1.
func ints(n int) []int32 {
	s := make([]int32, n)
	for i := range s {
		s[i] = int32(i)
	}
	return s
}

func axis(name string, size int) sharding.Axis { return sharding.Axis{Name: name, Size: size} }

func TestMisuseOfMeshesIsAnError(t *testing.T) {
	ctx := context.Background()
	client, other := newClient(t), newClient(t)
	d := client.Devices()
	for name, c := range map[string]struct {
		devices []*pjrt.Device
		axes    []sharding.Axis
		want    string
	}{
		"no devices": {nil, nil, "a mesh needs devices"},
		"no axes":    {d, nil, "the axes of the mesh have room for 1 devices, but 4 were given"},
		"no name":    {d, []sharding.Axis{axis("", 4)}, `axis 0 of the mesh has the invalid name ""`},
		"comma":      {d, []sharding.Axis{axis("a,b", 4)}, "or contain a comma"},
		"same name":  {d, []sharding.Axis{axis("a", 2), axis("a", 2)}, `two axes of the mesh have the name "a"`},
		"zero":       {d, []sharding.Axis{axis("a", 0)}, "size 0"},
		"negative":   {d, []sharding.Axis{axis("a", -2), axis("b", -2)}, "size -2"},
		"too many":   {d, []sharding.Axis{axis("a", 2), axis("b", 3)}, "size 3"},
		"too few":    {d, []sharding.Axis{axis("a", 2)}, "room for 2 devices, but 4 were given"},
		"nil":        {[]*pjrt.Device{d[0], nil}, []sharding.Axis{axis("a", 2)}, "device 1 of the mesh is nil"},
		"first nil":  {[]*pjrt.Device{nil}, []sharding.Axis{axis("a", 1)}, "device 0 of the mesh is nil"},
		"foreign":    {[]*pjrt.Device{d[0], other.Devices()[1]}, []sharding.Axis{axis("a", 2)}, "belongs to another client"},
		"twice":      {[]*pjrt.Device{d[1], d[1]}, []sharding.Axis{axis("a", 2)}, "is in the mesh twice"},
	} {
		_, err := sharding.NewMesh(c.devices, c.axes...)
		require.ErrorIs(t, err, pjrt.ErrInvalidArgument, name)
		assert.ErrorContains(t, err, c.want, name)
	}
	mesh, err := sharding.NewMesh(d, axis("x", 2), axis("y", 2))
	require.NoError(t, err)
	assert.Equal(t, []sharding.Axis{axis("x", 2), axis("y", 2)}, mesh.Axes())
	array := pjrt.ArrayOf(ints(12), 4, 3)
	for name, c := range map[string]struct {
		array     pjrt.HostArray
		partition sharding.Partition
		want      string
	}{
		"unknown axis": {array, sharding.Partition{"z"}, `dimension 0 is cut along "z", which is not an axis of the mesh`},
		"axis twice":   {array, sharding.Partition{"x", "x"}, `the partition names axis "x" twice`},
		"axis again":   {array, sharding.Partition{"x,x"}, `the partition names axis "x" twice`},
		"uneven":       {array, sharding.Partition{"", "y"}, "dimension 1 of i32[4,3] cannot be cut into 2 equal parts"},
		"rank":         {array, sharding.Partition{"", "", ""}, "the partition has 3 dimensions, but i32[4,3] has 2"},
		"comma":        {array, sharding.Partition{"x,"}, "which is not an axis"},
		"short":        {pjrt.HostArray{Type: dtype.S32, Dims: []int64{4}}, nil, "takes 16 bytes"},
		"no type":      {pjrt.HostArray{}, nil, "have no host form"},
	} {
		_, err := mesh.Scatter(ctx, c.array, c.partition)
		require.ErrorIs(t, err, pjrt.ErrInvalidArgument, name)
		assert.ErrorContains(t, err, c.want, name)
	}
	s, err := mesh.Scatter(ctx, array, sharding.Partition{"x"})
	require.NoError(t, err)
	defer s.Close()
	parts := s.Buffers()
	foreign := upload(t, other, pjrt.ArrayOf(ints(6), 2, 3))
	for name, c := range map[string]struct {
		parts []*pjrt.Buffer
		want  string
	}{
		"too few": {parts[:3], "3 parts were given for the 4 devices of the mesh"},
		"nil":     {[]*pjrt.Buffer{parts[0], nil, parts[2], parts[3]}, "part 1 is nil"},
		"foreign": {[]*pjrt.Buffer{foreign, parts[1], parts[2], parts[3]}, "part 0 belongs to another client"},
		"order":   {[]*pjrt.Buffer{parts[1], parts[0], parts[2], parts[3]}, "part 0 is on"},
		"shape":   {[]*pjrt.Buffer{upload(t, client, array), parts[1], parts[2], parts[3]}, "part 0 is i32[4,3], but the parts of i32[4,3] are i32[2,3]"},
	} {
		_, err := mesh.Join(array.Shape(), sharding.Partition{"x"}, c.parts)
		require.ErrorIs(t, err, pjrt.ErrInvalidArgument, name)
		assert.ErrorContains(t, err, c.want, name)
	}
	require.ErrorContains(t, s.GatherInto(ctx, make([]byte, 47)), "dst has room for 47")
	ended, cancel := context.WithCancel(ctx)
	cancel()
	_, err = mesh.Scatter(ended, array, nil)
	require.ErrorIs(t, err, context.Canceled)
	_, err = s.Gather(ended)
	require.ErrorIs(t, err, context.Canceled)
	s.Close()
	_, err = s.Gather(ctx)
	require.ErrorIs(t, err, pjrt.ErrClosed)
	var none *sharding.Array
	require.NoError(t, none.Close())
	_, err = none.Gather(ctx)
	require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
	require.ErrorIs(t, none.GatherInto(ctx, nil), pjrt.ErrInvalidArgument)
	assert.Nil(t, none.Mesh())
	assert.Zero(t, none.Shape())
	assert.Nil(t, none.Partition())
	assert.Nil(t, none.Buffers())
	_, err = new(sharding.Array).Gather(ctx)
	require.ErrorIs(t, err, pjrt.ErrInvalidArgument)

	for _, none := range []*sharding.Mesh{nil, {}} {
		assert.Empty(t, none.Devices())
		assert.Empty(t, none.Axes())
		_, err := none.Scatter(ctx, array, nil)
		require.ErrorContains(t, err, "the mesh is nil")
		_, err = none.Join(pjrt.Shape{Type: dtype.U8, Dims: []int64{math.MaxInt64}}, nil, nil)
		require.ErrorContains(t, err, "the mesh is nil")
		_, err = none.PartShape(array.Shape(), nil)
		require.ErrorContains(t, err, "the mesh is nil")
	}
	_, err = sharding.NewMesh([]*pjrt.Device{{}}, axis("x", 1))
	require.ErrorContains(t, err, "device 0 of the mesh is nil")
}
