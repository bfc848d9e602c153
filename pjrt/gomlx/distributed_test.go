// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package gomlx_test

import (
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt/gomlx"
)

// perDevice makes a buffer on each device.
func perDevice(t *testing.T, b compute.Backend, devices []compute.DeviceNum, parts ...array) []compute.Buffer {
	t.Helper()
	var list []compute.Buffer
	for i, d := range devices {
		x, err := b.BufferFromFlatData(d, parts[i].flat, parts[i].shape())
		require.NoError(t, err)
		list = append(list, x)
	}
	return list
}

func TestAllReduceCombinesOverDevices(t *testing.T) {
	t.Parallel()
	b := open(t, "")
	for _, devices := range [][]compute.DeviceNum{nil, {3, 1, 0, 2}} {
		builder := b.Builder("spmd")
		require.NoError(t, builder.DistributedSPMD(4))
		at := []compute.DeviceNum{0, 1, 2, 3}
		if devices != nil {
			require.NoError(t, builder.DeviceAssignment(devices...))
			at = devices
		}
		x, err := builder.Main().Parameter("x", f32x2, nil)
		require.NoError(t, err)
		n, err := builder.Main().Parameter("n", shapes.Make(dtypes.Int32), nil)
		require.NoError(t, err)
		all, err := builder.Main().AllReduce([]compute.Value{x, n}, compute.ReduceOpSum, [][]int{{0, 1, 2, 3}})
		require.NoError(t, err)
		pairs, err := builder.Main().AllReduce([]compute.Value{n}, compute.ReduceOpMax, [][]int{{0, 1}, {2, 3}})
		require.NoError(t, err)
		require.NoError(t, builder.Main().Return(append(all, pairs...), nil))
		exe, err := builder.Compile()
		require.NoError(t, err)

		xs := perDevice(t, b, at, vec[float32](1, 10), vec[float32](2, 20), vec[float32](3, 30), vec[float32](4, 40))
		ns := perDevice(t, b, at, scalar[int32](1), scalar[int32](2), scalar[int32](3), scalar[int32](4))
		var in []compute.Buffer
		for d := range 4 {
			in = append(in, xs[d], ns[d])
		}
		for range 5 { // the arguments are bound by the last one
			out, err := exe.Execute(in, nil, 0)
			require.NoError(t, err)
			require.Len(t, out, 12)
			for d := range 4 {
				same(t, vec[float32](10, 100), download(t, b, out[3*d]))
				same(t, scalar[int32](10), download(t, b, out[3*d+1]))
				same(t, scalar(int32(2+2*(d/2))), download(t, b, out[3*d+2]))
				num, err := out[3*d].DeviceNum()
				require.NoError(t, err)
				assert.Equal(t, at[d], num)
			}
		}
		assert.Equal(t, 8, gomlx.Bound(exe))
	}
}

func TestShardySpreadsAProgramOverAMesh(t *testing.T) {
	t.Parallel()
	b := open(t, "")
	builder := b.Builder("sharded")
	require.NoError(t, builder.DistributedAutoSharding(compute.Mesh{Name: "mesh", AxesSizes: []int{4}, AxesNames: []string{"data"}}))
	whole := shapes.Make(dtypes.Float32, 8)
	spread := &compute.ShardingSpec{Mesh: "mesh", Axes: [][]string{{"data"}}}
	x, err := builder.Main().Parameter("x", whole, spread)
	require.NoError(t, err)
	y, err := builder.Main().Add(x, x)
	require.NoError(t, err)
	sum, err := builder.Main().ReduceSum(x)
	require.NoError(t, err)
	require.NoError(t, builder.Main().Return([]compute.Value{y, sum}, []*compute.ShardingSpec{spread, nil}))
	exe, err := builder.Compile()
	require.NoError(t, err)
	in := perDevice(t, b, []compute.DeviceNum{0, 1, 2, 3}, vec[float32](0, 1), vec[float32](2, 3), vec[float32](4, 5), vec[float32](6, 7))
	for range 3 { // donated again and again
		out, err := exe.Execute(in, []bool{true, true, true, true}, 0)
		require.NoError(t, err)
		in = nil
		for d := range 4 {
			part := float32(2 * d)
			same(t, vec(2*part, 2*part+2), download(t, b, out[2*d]))
			same(t, scalar[float32](28), download(t, b, out[2*d+1]))
			x, err := b.BufferFromFlatData(compute.DeviceNum(d), []float32{part, part + 1}, f32x2)
			require.NoError(t, err)
			in = append(in, x)
		}
	}
	one := vec[float32](1)
	_, err = exe.Execute(perDevice(t, b, []compute.DeviceNum{0, 1, 2, 3}, one, one, one, one), nil, 0)
	assert.Error(t, err)
}

// Memory of parts of arrays is reused too.
func TestShardsThatAreDonatedAreReused(t *testing.T) {
	t.Parallel()
	b := open(t, ",reuse=true")
	builder := b.Builder("sharded state")
	require.NoError(t, builder.DistributedAutoSharding(compute.Mesh{Name: "mesh", AxesSizes: []int{2}, AxesNames: []string{"data"}}))
	spread := &compute.ShardingSpec{Mesh: "mesh", Axes: [][]string{{"data"}}}
	x, err := builder.Main().Parameter("x", shapes.Make(dtypes.Float32, 2*large.Size()), spread)
	require.NoError(t, err)
	y, err := builder.Main().Add(x, x)
	require.NoError(t, err)
	require.NoError(t, builder.Main().Return([]compute.Value{y}, []*compute.ShardingSpec{spread}))
	exe, err := builder.Compile()
	require.NoError(t, err)
	state := perDevice(t, b, []compute.DeviceNum{0, 1}, array{make([]float32, large.Size()), large.Dimensions},
		array{make([]float32, large.Size()), large.Dimensions})
	reused := 0
	for range 5 {
		before := address(t, b, state[0])
		if state, err = exe.Execute(state, []bool{true, true}, 0); err != nil {
			break
		}
		if address(t, b, state[0]) == before {
			reused++
		}
	}
	require.NoError(t, err)
	assert.Equal(t, 1, gomlx.Reusing(exe))
	assert.GreaterOrEqual(t, reused, 4)
}

func TestADistributionThatDoesNotFitIsAnError(t *testing.T) {
	t.Parallel()
	b := open(t, "")
	mesh := func(n int) compute.Mesh {
		return compute.Mesh{Name: "m", AxesSizes: []int{n}, AxesNames: []string{"a"}}
	}
	for name, build := range map[string]func(compute.Builder) error{
		"too many devices":    func(b compute.Builder) error { return b.DistributedSPMD(5) },
		"no devices":          func(b compute.Builder) error { return b.DistributedSPMD(0) },
		"a mesh too large":    func(b compute.Builder) error { return b.DistributedAutoSharding(mesh(5)) },
		"no mesh":             func(b compute.Builder) error { return b.DistributedAutoSharding() },
		"a mesh without axes": func(b compute.Builder) error { return b.DistributedAutoSharding(compute.Mesh{Name: "m"}) },
		"an order of devices": func(b compute.Builder) error {
			m := mesh(2)
			m.LogicalDeviceAssignment = []int{0, 9}
			return b.DistributedAutoSharding(m)
		},
		"a number of devices": func(b compute.Builder) error { return b.DeviceAssignment(0, 1) },
		"a device":            func(b compute.Builder) error { return b.DeviceAssignment(9) },
		"a device twice": func(b compute.Builder) error {
			if err := b.DistributedSPMD(2); err != nil {
				return nil
			}
			return b.DeviceAssignment(1, 1)
		},
		"more devices than assigned": func(b compute.Builder) error {
			if err := b.DeviceAssignment(1); err != nil {
				return nil
			}
			return b.DistributedSPMD(2)
		},
		"a mesh after a parameter": func(b compute.Builder) error {
			if _, err := b.Main().Parameter("x", f32x2, nil); err != nil {
				return nil
			}
			return b.DistributedAutoSharding(mesh(2))
		},
		"an unknown mesh": func(b compute.Builder) error {
			if err := b.DistributedAutoSharding(mesh(2)); err != nil {
				return nil
			}
			_, err := b.Main().Parameter("x", f32x2, &compute.ShardingSpec{Mesh: "n"})
			return err
		},
		"an unknown axis": func(b compute.Builder) error {
			if err := b.DistributedAutoSharding(mesh(2)); err != nil {
				return nil
			}
			_, err := b.Main().Parameter("x", f32x2, &compute.ShardingSpec{Mesh: "m", Axes: [][]string{{"z"}}})
			return err
		},
	} {
		assert.Error(t, build(b.Builder(name)), name)
	}
}
