// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package gomlx_test

import (
	"runtime"
	"sync"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/gomlx"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
)

var i32 = shapes.Make(dtypes.Int32)

// closure makes a closure with parameters of these shapes.
func closure(f compute.Function, build building, parameters ...shapes.Shape) (compute.Function, error) {
	c, err := f.Closure()
	if err != nil {
		return nil, err
	}
	return c, define(c, build, parameters...)
}

func define(f compute.Function, build building, parameters ...shapes.Shape) error {
	var x []compute.Value
	for i, s := range parameters {
		p, err := f.Parameter("p"+string(rune('0'+i)), s, nil)
		if err != nil {
			return err
		}
		x = append(x, p)
	}
	results, err := build(f, x)
	if err != nil {
		return err
	}
	return f.Return(results, nil)
}

func TestWhileRunsItsBodyAsLongAsTheConditionHolds(t *testing.T) {
	t.Parallel()
	b := open(t, "")
	got := run(t, b, func(f compute.Function, x []compute.Value) ([]compute.Value, error) {
		limit := x[1] // of the function around the closures
		cond, err := closure(f, one(func(c compute.Function, x []compute.Value) (compute.Value, error) {
			return c.LessThan(x[0], limit)
		}), i32, i32)
		if err != nil {
			return nil, err
		}
		body, err := closure(f, func(c compute.Function, x []compute.Value) ([]compute.Value, error) {
			next, err := c.Add(x[0], x[1])
			return []compute.Value{next, x[0]}, err
		}, i32, i32)
		if err != nil {
			return nil, err
		}
		return f.While(cond, body, x[0], x[0])
	}, scalar[int32](1), scalar[int32](100))
	same(t, scalar[int32](144), got[0])
	same(t, scalar[int32](89), got[1])
}

func TestIfRunsOneOfItsBranches(t *testing.T) {
	t.Parallel()
	b := open(t, "")
	for _, c := range []struct {
		condition bool
		want      int32
	}{{true, 7}, {false, 10}} {
		got := run(t, b, func(f compute.Function, x []compute.Value) ([]compute.Value, error) {
			var branches []compute.Function
			for _, build := range []building{
				func(_ compute.Function, _ []compute.Value) ([]compute.Value, error) { return x[1:2], nil },
				one(func(c compute.Function, _ []compute.Value) (compute.Value, error) {
					three, err := c.Constant([]int32{3})
					if err != nil {
						return nil, err
					}
					return c.Add(x[1], three)
				}),
			} {
				branch, err := closure(f, build)
				if err != nil {
					return nil, err
				}
				branches = append(branches, branch)
			}
			return f.If(x[0], branches[0], branches[1])
		}, scalar(c.condition), scalar[int32](7))
		same(t, scalar(c.want), got[0])
	}
}

func TestSortOrdersAllInputsByTheComparator(t *testing.T) {
	t.Parallel()
	b := open(t, "")
	got := run(t, b, func(f compute.Function, x []compute.Value) ([]compute.Value, error) {
		key, tag := shapes.Make(dtypes.Float32), shapes.Make(dtypes.Int32)
		comparator, err := closure(f, one(func(c compute.Function, x []compute.Value) (compute.Value, error) {
			return c.GreaterThan(x[0], x[1])
		}), key, key, tag, tag)
		if err != nil {
			return nil, err
		}
		return f.Sort(comparator, -1, true, x...)
	}, vec[float32](2, 3, 1, 3), vec[int32](0, 1, 2, 3))
	same(t, vec[float32](3, 3, 2, 1), got[0])
	same(t, vec[int32](1, 3, 0, 2), got[1])
}

func TestAFunctionIsCalled(t *testing.T) {
	t.Parallel()
	b := open(t, "")
	builder := b.Builder("calls")
	square, err := builder.NewFunction("square")
	require.NoError(t, err)
	require.NoError(t, define(square, of1(func(f compute.Function, x compute.Value) (compute.Value, error) { return f.Mul(x, x) }), i32))
	seven, err := builder.NewFunction("seven")
	require.NoError(t, err)
	require.NoError(t, define(seven, one(func(f compute.Function, _ []compute.Value) (compute.Value, error) {
		return f.Constant([]int32{7})
	})))
	main := builder.Main()
	list, err := main.Call(seven)
	require.NoError(t, err)
	list, err = main.Call(square, list...)
	require.NoError(t, err)
	list, err = main.Call(square, list...)
	require.NoError(t, err)
	require.NoError(t, main.Return(list, nil))
	exe, err := builder.Compile()
	require.NoError(t, err)
	out, err := exe.Execute(nil, nil, 0)
	require.NoError(t, err)
	same(t, scalar[int32](2401), download(t, b, out[0]))
	assert.Equal(t, "square", square.Name())
	assert.Nil(t, square.Parent())
	assert.Equal(t, builder, square.Builder())
}

func TestAFunctionThatDoesNotFitIsAnError(t *testing.T) {
	t.Parallel()
	b := open(t, "")
	builder := b.Builder("errors")
	main := builder.Main()
	x, err := main.Parameter("x", i32, nil)
	require.NoError(t, err)
	p, err := main.Parameter("p", shapes.Make(dtypes.Bool), nil)
	require.NoError(t, err)
	identity := func(_ compute.Function, x []compute.Value) ([]compute.Value, error) { return x, nil }
	same, err := closure(main, identity, i32)
	require.NoError(t, err)
	truth, err := closure(main, identity, shapes.Make(dtypes.Bool))
	require.NoError(t, err)
	number, err := closure(main, func(compute.Function, []compute.Value) ([]compute.Value, error) { return []compute.Value{x}, nil })
	require.NoError(t, err)
	boolean, err := closure(main, func(compute.Function, []compute.Value) ([]compute.Value, error) { return []compute.Value{p}, nil })
	require.NoError(t, err)
	inner, err := same.Closure()
	assert.ErrorContains(t, err, "has returned")
	assert.Nil(t, inner)
	open, err := main.Closure()
	require.NoError(t, err)
	local, err := open.Constant([]int32{1})
	require.NoError(t, err)
	helper, err := builder.NewFunction("helper")
	require.NoError(t, err)
	all := func(_ []compute.Value, err error) error { return err }
	only := func(_ compute.Value, err error) error { return err }
	named := func(name string) error { _, err := builder.NewFunction(name); return err }
	for name, err := range map[string]error{
		"a value of a closure":       only(main.Neg(local)),
		"a value of another":         only(helper.Neg(x)),
		"no name":                    named(""),
		"the name of main":           named("main"),
		"a name twice":               named("helper"),
		"a condition that is none":   all(main.While(same, same, x)),
		"a condition's parameters":   all(main.While(truth, same, x)),
		"a state that changes":       all(main.While(boolean, boolean, p)),
		"no state":                   all(main.While(truth, truth)),
		"a function for a closure":   all(main.While(helper, same, x)),
		"no closure":                 all(main.While(nil, same, x)),
		"a closure under way":        all(main.While(open, open, x)),
		"a predicate":                all(main.If(x, number, number)),
		"branches that differ":       all(main.If(p, number, boolean)),
		"a branch with parameters":   all(main.If(p, same, same)),
		"a comparator":               all(main.Sort(same, 0, false, x)),
		"an axis of a scalar":        all(main.Sort(boolean, 0, false, x)),
		"nothing to sort":            all(main.Sort(boolean, 0, false)),
		"a call of a closure":        all(main.Call(same, x)),
		"a call of main":             all(main.Call(main)),
		"a call of what is not done": all(main.Call(helper)),
		"no barrier":                 all(main.OptimizationBarrier()),
		"a size of no axis":          only(main.DynamicDimensionSize(x, 0)),
	} {
		if assert.Error(t, err, name) {
			assert.ErrorContains(t, err, "pjrt backend: ", name)
		}
	}
	require.NoError(t, main.Return([]compute.Value{x}, nil))
	assert.ErrorContains(t, main.Return([]compute.Value{x}, nil), "has returned")
	_, err = builder.Compile()
	assert.ErrorContains(t, err, "does not return")
}

var batches = shapes.MakeDynamic(dtypes.Float32, []int{shapes.DynamicDim, 2}, []string{"batch", ""})

// A dynamic axis may go through operations that change it.
func TestAProgramWithADynamicAxisTakesAnySize(t *testing.T) {
	t.Parallel()
	b := open(t, "")
	var doubled shapes.Shape
	exe := compile(t, b, func(f compute.Function, x []compute.Value) ([]compute.Value, error) {
		twice, err := f.Concatenate(0, x[0], x[0])
		if err != nil {
			return nil, err
		}
		if doubled, err = f.Shape(twice); err != nil {
			return nil, err
		}
		one, err := f.Constant([]float32{1})
		if err != nil {
			return nil, err
		}
		ones, err := f.BroadcastInDim(one, doubled, nil)
		if err != nil {
			return nil, err
		}
		sum, err := f.Add(twice, ones)
		if err != nil {
			return nil, err
		}
		flat, err := f.Reshape(sum, shapes.DynamicDim)
		if err != nil {
			return nil, err
		}
		size, err := f.DynamicDimensionSize(flat, 0)
		if err != nil {
			return nil, err
		}
		shape, err := f.DynamicShape(x[0])
		return []compute.Value{flat, size, shape}, err
	}, batches)
	assert.Equal(t, shapes.DynamicDim, doubled.Dimensions[0])
	assert.NotEqual(t, "batch", doubled.AxisName(0))
	names, parameters := exe.Inputs()
	assert.Equal(t, []string{"x0"}, names)
	assert.Equal(t, batches, parameters[0])
	assert.True(t, exe.Outputs()[0].IsDynamic())
	assert.Equal(t, []shapes.Shape{i32, shapes.Make(dtypes.Int32, 2)}, exe.Outputs()[1:])
	for range 2 {
		for n := range 3 {
			data, want := make([]float32, 2*n), make([]float32, 4*n)
			for i := range data {
				data[i] = float32(i)
				want[i], want[2*n+i] = float32(i+1), float32(i+1)
			}
			out, err := exe.Execute(upload(t, b, arr(data, n, 2)), nil, 0)
			require.NoError(t, err)
			same(t, arr(want, 4*n), download(t, b, out[0]))
			same(t, scalar(int32(4*n)), download(t, b, out[1]))
			same(t, vec(int32(n), 2), download(t, b, out[2]))
		}
	}
}

func TestDynamicAxesOfOneNameHaveOneSize(t *testing.T) {
	t.Parallel()
	b := open(t, "")
	exe := compile(t, b, of2(compute.Function.Add), batches, batches)
	_, err := exe.Execute(upload(t, b, arr(make([]float32, 2), 1, 2), arr(make([]float32, 4), 2, 2)), nil, 0)
	assert.ErrorContains(t, err, `"batch"`)
	for name, in := range map[string][]compute.Buffer{
		"a fixed axis": upload(t, b, arr(make([]float32, 3), 1, 3), arr(make([]float32, 3), 1, 3)),
		"a dtype":      upload(t, b, arr(make([]int32, 2), 1, 2), arr(make([]int32, 2), 1, 2)),
		"a rank":       upload(t, b, vec[float32](1), vec[float32](1)),
		"a number":     upload(t, b, arr(make([]float32, 2), 1, 2)),
		"none":         nil,
	} {
		_, err := exe.Execute(in, nil, 0)
		assert.ErrorContains(t, err, "pjrt backend: ", name)
	}
	exe.Finalize()
	_, err = exe.Execute(upload(t, b, arr(make([]float32, 2), 1, 2), arr(make([]float32, 2), 1, 2)), nil, 0)
	assert.ErrorIs(t, err, gomlx.ErrFinalized)

	main := b.Builder("unnamed").Main()
	_, err = main.Parameter("x", shapes.Shape{DType: dtypes.Float32, Dimensions: []int{-1}}, nil)
	assert.ErrorContains(t, err, "has no name")
	x, err := main.Parameter("x", batches, nil)
	require.NoError(t, err)
	_, err = main.BroadcastInDim(x, shapes.MakeDynamic(dtypes.Float32, []int{-1, -1, 2}, []string{"other", "batch", ""}), []int{1, 2})
	assert.ErrorContains(t, err, `how large the axis "other"`)
	_, err = main.Reshape(x, shapes.DynamicDim, shapes.DynamicDim)
	assert.Error(t, err)
	// A program that fits only some sizes says so when it is executed.
	exact := compile(t, b, of1(func(f compute.Function, x compute.Value) (compute.Value, error) {
		return f.Slice(x, []int{1, 0}, []int{2, 2}, nil)
	}), batches)
	_, err = exact.Execute(upload(t, b, arr(make([]float32, 2), 1, 2)), nil, 0)
	assert.ErrorContains(t, err, "for the sizes batch=1")
	_, err = exact.Execute(upload(t, b, arr(make([]float32, 4), 2, 2)), nil, 0)
	assert.NoError(t, err)
}

// Many sizes at once, in many goroutines, more of them than are kept.
func TestSpecializationsAreSharedAndForgotten(t *testing.T) {
	pjrttest.NoLeaks(t)
	before := pjrt.Live()["executable"]
	b := open(t, "")
	exe := compile(t, b, double, shapes.MakeDynamic(dtypes.Float32, []int{shapes.DynamicDim}, []string{"n"}))
	var group sync.WaitGroup
	for g := range 4 {
		group.Go(func() {
			for i := range 70 {
				n := (i + 17*g) % 140
				x, err := b.BufferFromFlatData(0, make([]float32, n), shapes.Make(dtypes.Float32, n))
				if !assert.NoError(t, err) {
					return
				}
				out, err := exe.Execute([]compute.Buffer{x}, []bool{true}, 0)
				if !assert.NoError(t, err) {
					return
				}
				shape, err := out[0].Shape()
				assert.NoError(t, err)
				assert.Equal(t, []int{n}, shape.Dimensions)
				assert.NoError(t, out[0].Finalize())
			}
		})
	}
	group.Wait()
	exe.Finalize()
	assert.Equal(t, before, pjrt.Live()["executable"])
}

func TestDynamicAxesAreACapabilityOnlyOnRequest(t *testing.T) {
	t.Parallel()
	assert.Equal(t, compute.DynamicShapesNone, open(t, "").Capabilities().DynamicShapes)
	assert.Equal(t, compute.DynamicShapesRecompiling, open(t, ",dynamic=true").Capabilities().DynamicShapes)
}

// Nothing needs the text of a large constant once the program is compiled.
func TestLargeConstantsAreNotKept(t *testing.T) {
	const n = 1 << 19
	heap := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	for _, options := range []string{"", ",cpu_device_count=1"} {
		b := open(t, options)
		before := heap()
		exe := compile(t, b, func(f compute.Function, x []compute.Value) ([]compute.Value, error) {
			weights := make([]float32, n)
			for i := range weights {
				weights[i] = float32(i)
			}
			c, err := f.Constant(weights, n)
			if err != nil {
				return nil, err
			}
			last, err := f.Slice(c, []int{n - 2}, []int{n}, []int{1})
			if err != nil {
				return nil, err
			}
			y, err := f.Add(x[0], last)
			return []compute.Value{y, c}, err
		}, f32x2)
		assert.Less(t, heap()-before, int64(4*n), "bytes, and the text has %d", 8*n)
		for device := range compute.DeviceNum(b.NumDevices()) {
			in, err := b.BufferFromFlatData(device, []float32{1, 2}, f32x2)
			require.NoError(t, err)
			out, err := exe.Execute([]compute.Buffer{in}, nil, device)
			require.NoError(t, err)
			same(t, vec[float32](n-1, n+1), download(t, b, out[0]))
			on, err := out[0].DeviceNum()
			require.NoError(t, err)
			assert.Equal(t, device, on)
		}
		exe.Finalize()
	}
}
