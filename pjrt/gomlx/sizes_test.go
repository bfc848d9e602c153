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

// chain adds operations until the first error.
type chain struct {
	t testing.TB
	f compute.Function
}

func (c chain) must(v compute.Value, err error) compute.Value {
	c.t.Helper()
	require.NoError(c.t, err)
	return v
}

func (c chain) number(x int32) compute.Value { return c.must(c.f.Constant([]int32{x})) }

var grids = shapes.MakeDynamic(dtypes.Float32, []int{shapes.DynamicDim, shapes.DynamicDim}, []string{"rows", "columns"})

// Sizes may be computed from the sizes of axes, from constants and from both.
func TestSizesFollowFromTheSizesOfAxes(t *testing.T) {
	t.Parallel()
	b := open(t, "")
	var padded shapes.Shape
	exe := compile(t, b, func(f compute.Function, x []compute.Value) ([]compute.Value, error) {
		c := chain{t, f}
		rows, columns := c.must(f.DynamicDimensionSize(x[0], 0)), c.must(f.DynamicDimensionSize(x[0], 1))
		// The second size of a list, as models from elsewhere find it.
		list := c.must(f.Slice(c.must(f.DynamicShape(x[0])), []int{1}, []int{2}, nil))
		again := c.must(f.Reshape(list))
		area := c.must(f.ConvertDType(c.must(f.Mul(rows, again)), dtypes.Int64))
		half := c.must(f.Div(c.must(f.Sub(c.must(f.Add(columns, c.number(5))), c.number(4))), c.number(2)))
		flat := c.must(f.DynamicReshape(x[0], compute.DynamicDimensionSpec{Name: "area", Value: area}))
		split := c.must(f.DynamicReshape(flat, compute.DynamicDimensionSpec{Name: "rest"},
			compute.DynamicDimensionSpec{Name: "columns", Value: columns}))
		repeated := c.must(f.DynamicBroadcastInDim(split, []int{1, 2}, compute.DynamicDimensionSpec{Name: "half", Value: half},
			compute.DynamicDimensionSpec{Name: "rows"}, compute.DynamicDimensionSpec{Name: "columns"}))
		positions := c.must(f.DynamicIota(dtypes.Float32, 0, compute.DynamicDimensionSpec{Name: "half"}, compute.DynamicDimensionSpec{Static: 2}))
		zero := c.must(f.Constant([]float32{0}))
		padding := c.must(f.DynamicPad(flat, zero, compute.DynamicPadAxis{StartValue: half, End: 1, TargetAxisName: "longer"}))
		padded, _ = f.Shape(padding)
		return []compute.Value{c.must(f.ReduceSum(repeated)), positions, padding}, nil
	}, grids)
	assert.Equal(t, "longer", padded.AxisName(0))
	for range 2 {
		out, err := exe.Execute(upload(t, b, arr([]float32{1, 2, 3, 4, 5, 6}, 2, 3)), nil, 0)
		require.NoError(t, err)
		same(t, scalar[float32](42), download(t, b, out[0]))
		same(t, arr([]float32{0, 0, 1, 1}, 2, 2), download(t, b, out[1]))
		same(t, vec[float32](0, 0, 1, 2, 3, 4, 5, 6, 0), download(t, b, out[2]))
		out, err = exe.Execute(upload(t, b, arr([]float32{7}, 1, 1)), nil, 0)
		require.NoError(t, err)
		same(t, arr([]float32{0, 0}, 1, 2), download(t, b, out[1]))
		same(t, vec[float32](0, 7, 0), download(t, b, out[2]))
	}
}

// A parameter says how large an axis is: each number is a program of its own.
func TestSizesFollowFromArguments(t *testing.T) {
	t.Parallel()
	b := open(t, "")
	exe := compile(t, b, func(f compute.Function, x []compute.Value) ([]compute.Value, error) {
		c := chain{t, f}
		last := c.must(f.Reshape(c.must(f.Slice(x[1], []int{1}, []int{2}, nil))))
		iota := c.must(f.DynamicIota(dtypes.Int32, 0, compute.DynamicDimensionSpec{Name: "n", Value: c.must(f.Mul(x[0], last))}))
		return []compute.Value{iota, c.must(f.Add(x[0], x[0]))}, nil
	}, i32, shapes.Make(dtypes.Int32, 2))
	for _, n := range []int32{2, 3, 2} {
		out, err := exe.Execute(upload(t, b, scalar(n), vec[int32](9, 1)), nil, 0)
		require.NoError(t, err)
		assert.Equal(t, int(n), download(t, b, out[0]).dims[0])
		same(t, scalar(2*n), download(t, b, out[1]))
	}
	out, err := exe.Execute(upload(t, b, scalar[int32](2), vec[int32](9, 2)), nil, 0)
	require.NoError(t, err)
	same(t, vec[int32](0, 1, 2, 3), download(t, b, out[0]))
	_, err = exe.Execute(upload(t, b, scalar[int32](-2), vec[int32](9, 2)), nil, 0)
	assert.ErrorContains(t, err, "is -4, and cannot be negative")
	in := upload(t, b, scalar[int32](2), vec[int32](9, 2))
	require.NoError(t, in[0].Finalize())
	_, err = exe.Execute(in, nil, 0)
	assert.ErrorIs(t, err, gomlx.ErrFinalized)
}

// The backend computes sizes as the program does, which the size that the program returns proves,
// or says that it does not compute them.
func TestSizesAreComputedAsTheProgramDoes(t *testing.T) {
	t.Parallel()
	b := open(t, "")
	to := func(c chain, v compute.Value, types ...dtypes.DType) compute.Value {
		for _, d := range types {
			v = c.must(c.f.ConvertDType(v, d))
		}
		return v
	}
	type sizing func(c chain, n compute.Value) compute.Value
	through := func(types ...dtypes.DType) sizing {
		return func(c chain, n compute.Value) compute.Value { return to(c, n, append(types, dtypes.Int32)...) }
	}
	for name, c := range map[string]struct {
		n    int32
		size sizing
		want int // -1 for a size that is not computed
	}{
		"an integer": {5, func(c chain, n compute.Value) compute.Value { return c.must(c.f.Div(n, c.number(2))) }, 2},
		"division of a negative number": {3, func(c chain, n compute.Value) compute.Value {
			return c.must(c.f.Add(c.must(c.f.Div(c.must(c.f.Sub(n, c.number(10))), c.number(2))), c.number(10)))
		}, 7},
		"division by a negative number": {7, func(c chain, n compute.Value) compute.Value {
			return c.must(c.f.Add(c.must(c.f.Div(n, c.number(-2))), c.number(10)))
		}, 7},
		"remainder of a negative number": {3, func(c chain, n compute.Value) compute.Value {
			return c.must(c.f.Add(c.must(c.f.Rem(c.must(c.f.Sub(n, c.number(10))), c.number(4))), c.number(10)))
		}, 7},
		"an overflow": {1<<16 + 1, func(c chain, n compute.Value) compute.Value {
			return c.must(c.f.Div(c.must(c.f.Mul(n, n)), c.number(1<<16)))
		}, 2},
		"an overflow of Int16": {1<<8 + 1, func(c chain, n compute.Value) compute.Value {
			narrow := to(c, n, dtypes.Int16)
			return to(c, c.must(c.f.Mul(narrow, narrow)), dtypes.Int32)
		}, 513},
		"below zero in Uint8": {3, func(c chain, n compute.Value) compute.Value {
			return to(c, c.must(c.f.Sub(to(c, n, dtypes.Uint8), to(c, c.number(5), dtypes.Uint8))), dtypes.Int32)
		}, 254},
		"through Int8":   {300, through(dtypes.Int8), 44},
		"through Int16":  {1<<16 + 9, through(dtypes.Int16), 9},
		"through Uint8":  {300, through(dtypes.Uint8), 44},
		"through Uint16": {1<<16 + 9, through(dtypes.Uint16), 9},
		"through Uint32": {9, through(dtypes.Uint32, dtypes.Int64), 9},
		"through Uint64": {9, through(dtypes.Int64, dtypes.Uint64), 9},
		"through Bool":   {5, through(dtypes.Bool), -1},
		"in floats": {5, func(c chain, n compute.Value) compute.Value {
			half := c.must(c.f.Div(to(c, n, dtypes.Float32), to(c, c.number(2), dtypes.Float32)))
			return to(c, c.must(c.f.Add(half, half)), dtypes.Int32)
		}, -1},
		"a column of a matrix": {5, func(c chain, n compute.Value) compute.Value {
			column := c.must(c.f.Constant([]int32{1, 2}, 2, 1))
			matrix := c.must(c.f.Concatenate(1, c.must(c.f.Reshape(c.must(c.f.Concatenate(0, c.must(c.f.Reshape(n, 1)),
				c.must(c.f.Constant([]int32{9}, 1)))), 2, 1)), column))
			return c.must(c.f.Reshape(c.must(c.f.Slice(c.must(c.f.Reshape(matrix, 4)), []int{1}, []int{2}, nil))))
		}, -1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			main := b.Builder("sizes").Main()
			f := chain{t, main}
			size := c.size(f, f.must(main.Parameter("n", i32, nil)))
			iota, err := main.DynamicIota(dtypes.Int32, 0, compute.DynamicDimensionSpec{Name: "k", Value: size})
			if c.want < 0 {
				assert.ErrorIs(t, err, compute.ErrNotImplemented)
				return
			}
			require.NoError(t, err)
			require.NoError(t, main.Return([]compute.Value{iota, size}, nil))
			exe, err := main.Builder().Compile()
			require.NoError(t, err)
			out := runOn(t, b, exe, []array{scalar(c.n)})
			same(t, scalar(int32(c.want)), out[1])
			assert.Equal(t, []int{c.want}, out[0].dims)
		})
	}
}

// All devices run one program, with the same sizes.
func TestSizesThatFollowFromArgumentsAreThoseOfAllDevices(t *testing.T) {
	t.Parallel()
	b := open(t, "")
	builder := b.Builder("padding")
	require.NoError(t, builder.DistributedSPMD(2))
	main := builder.Main()
	c := chain{t, main}
	x := c.must(main.Parameter("x", f32x2, nil))
	n := c.must(main.Parameter("n", shapes.Make(dtypes.Int32, 2), nil))
	end := c.must(main.Reshape(c.must(main.Slice(n, []int{1}, []int{2}, nil))))
	one := c.must(main.Constant([]float32{1}))
	padded := c.must(main.DynamicPad(x, one, compute.DynamicPadAxis{EndValue: end, TargetAxisName: "k"}))
	require.NoError(t, main.Return([]compute.Value{c.must(main.ReduceSum(padded, 0))}, nil))
	exe, err := builder.Compile()
	require.NoError(t, err)
	devices := []compute.DeviceNum{0, 1}
	xs := perDevice(t, b, devices, vec[float32](1, 1), vec[float32](2, 2))
	ns := perDevice(t, b, devices, vec[int32](0, 3), vec[int32](0, 3))
	out, err := exe.Execute([]compute.Buffer{xs[0], ns[0], xs[1], ns[1]}, nil, 0)
	require.NoError(t, err)
	same(t, scalar[float32](5), download(t, b, out[0]))
	same(t, scalar[float32](7), download(t, b, out[1]))
	ns = perDevice(t, b, devices, vec[int32](0, 3), vec[int32](0, 5))
	_, err = exe.Execute([]compute.Buffer{xs[0], ns[0], xs[1], ns[1]}, nil, 0)
	assert.ErrorContains(t, err, "argument 3 (n)")
	assert.ErrorContains(t, err, "element 1, which is 5, and 3 on another device")
}

func TestASizeThatNoIntHoldsIsAnError(t *testing.T) {
	t.Parallel()
	b := open(t, "")
	exe := compile(t, b, of1(func(f compute.Function, n compute.Value) (compute.Value, error) {
		return f.DynamicIota(dtypes.Int32, 0, compute.DynamicDimensionSpec{Name: "k", Value: n})
	}), shapes.Make(dtypes.Uint64))
	assert.Equal(t, []int{3}, runOn(t, b, exe, []array{scalar[uint64](3)})[0].dims)
	_, err := exe.Execute(upload(t, b, scalar[uint64](1<<63)), nil, 0)
	assert.ErrorContains(t, err, "[9223372036854775808] has a number that is too large")
}

// XLA needs to know sizes before it computes anything.
func TestSizesThatTheProgramComputesAreNotImplemented(t *testing.T) {
	t.Parallel()
	b := open(t, "")
	main := b.Builder("sizes").Main()
	c := chain{t, main}
	x := c.must(main.Parameter("x", shapes.Make(dtypes.Int32, 100), nil))
	floating := c.must(main.Parameter("f", shapes.Make(dtypes.Float32), nil))
	zero := c.number(0)
	total := c.must(main.ReduceSum(x))
	dimension := func(v compute.Value) compute.DynamicDimensionSpec {
		return compute.DynamicDimensionSpec{Name: "n", Value: v}
	}
	element := c.must(main.Reshape(c.must(main.Slice(x, []int{0}, []int{1}, nil))))
	for name, v := range map[string]compute.Value{"a sum": total, "an element of a large parameter": element} {
		for _, call := range []func() (compute.Value, error){
			func() (compute.Value, error) { return main.DynamicIota(dtypes.Int32, 0, dimension(v)) },
			func() (compute.Value, error) { return main.DynamicReshape(x, dimension(v)) },
			func() (compute.Value, error) { return main.DynamicBroadcastInDim(zero, nil, dimension(v)) },
			func() (compute.Value, error) {
				return main.DynamicPad(x, zero, compute.DynamicPadAxis{EndValue: v})
			},
		} {
			_, err := call()
			assert.ErrorIs(t, err, compute.ErrNotImplemented, name)
			assert.ErrorContains(t, err, "pjrt backend: ", name)
		}
	}
	two := compute.DynamicDimensionSpec{Name: "a"}
	for name, err := range map[string]error{
		"a float":              second(main.DynamicIota(dtypes.Int32, 0, dimension(floating))),
		"a vector":             second(main.DynamicIota(dtypes.Int32, 0, dimension(x))),
		"another kind":         second(main.DynamicIota(dtypes.Int32, 0, dimension(7))),
		"an unknown name":      second(main.DynamicIota(dtypes.Int32, 0, two)),
		"an axis":              second(main.DynamicIota(dtypes.Int32, 3, compute.DynamicDimensionSpec{Static: 2})),
		"a value without name": second(main.DynamicReshape(x, compute.DynamicDimensionSpec{Value: zero})),
		"a negative size":      second(main.DynamicReshape(x, compute.DynamicDimensionSpec{Static: -1})),
		"two open sizes":       second(main.DynamicReshape(x, two, two)),
		"no size left":         second(main.DynamicReshape(x, two, compute.DynamicDimensionSpec{Static: 7})),
		"another size":         second(main.DynamicReshape(x, compute.DynamicDimensionSpec{Static: 7})),
		"a broadcast":          second(main.DynamicBroadcastInDim(x, []int{0}, compute.DynamicDimensionSpec{Static: 7})),
		"too many axes":        second(main.DynamicPad(x, zero, make([]compute.DynamicPadAxis, 2)...)),
		"an axis of a sum":     second(main.CumSum(x, 1, compute.CumSumOptions{})),
	} {
		assert.ErrorContains(t, err, "pjrt backend: ", name)
	}
}

func second(_ compute.Value, err error) error { return err }
