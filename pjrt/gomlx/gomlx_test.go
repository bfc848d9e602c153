// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package gomlx_test

import (
	"math"
	"reflect"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/dtypes/bfloat16"
	"github.com/gomlx/compute/dtypes/float16"
	"github.com/gomlx/compute/shapes"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt/gomlx"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

// open returns a backend on the plugin of PJRT_TEST_PLUGIN, or else on that for CPUs, which is
// finalized with the test.
func open(t testing.TB, options string) *gomlx.Backend {
	t.Helper()
	b, err := gomlx.New(plugintest.Chosen(t) + options)
	require.NoError(t, err)
	t.Cleanup(b.Finalize)
	return b.(*gomlx.Backend)
}

// array is a slice and the dimensions of what it holds.
type array struct {
	flat any
	dims []int
}

func (a array) shape() shapes.Shape {
	return shapes.Make(dtypes.FromGoType(reflect.TypeOf(a.flat).Elem()), a.dims...)
}

func arr(flat any, dims ...int) array { return array{flat, dims} }

// vec is a vector.
func vec[T any](elements ...T) array { return array{elements, []int{len(elements)}} }

func scalar[T any](x T) array { return array{[]T{x}, nil} }

// upload makes buffers on the first device.
func upload(t testing.TB, b compute.Backend, args ...array) []compute.Buffer {
	t.Helper()
	var list []compute.Buffer
	for _, a := range args {
		buffer, err := b.BufferFromFlatData(0, a.flat, a.shape())
		require.NoError(t, err)
		list = append(list, buffer)
	}
	return list
}

// download copies a buffer to a slice.
func download(t testing.TB, b compute.Backend, buffer compute.Buffer) array {
	t.Helper()
	shape, err := buffer.Shape()
	require.NoError(t, err)
	flat := reflect.MakeSlice(reflect.SliceOf(shape.DType.GoType()), shape.Size(), shape.Size())
	require.NoError(t, buffer.ToFlatData(flat.Interface()))
	return array{flat.Interface(), shape.Dimensions}
}

type building func(b compute.Function, x []compute.Value) ([]compute.Value, error)

// one makes a building from an operation with one result.
func one(op func(b compute.Function, x []compute.Value) (compute.Value, error)) building {
	return func(b compute.Function, x []compute.Value) ([]compute.Value, error) {
		y, err := op(b, x)
		return []compute.Value{y}, err
	}
}

// compile compiles a program with a parameter for each shape.
func compile(t testing.TB, b compute.Backend, build building, parameters ...shapes.Shape) compute.Executable {
	t.Helper()
	builder := b.Builder(t.Name())
	var x []compute.Value
	for i, s := range parameters {
		p, err := builder.Main().Parameter("x"+string(rune('0'+i)), s, nil)
		require.NoError(t, err)
		x = append(x, p)
	}
	results, err := build(builder.Main(), x)
	require.NoError(t, err)
	require.NoError(t, builder.Main().Return(results, nil))
	exe, err := builder.Compile()
	require.NoError(t, err)
	return exe
}

// run runs an operation on arrays.
func run(t testing.TB, b compute.Backend, build building, args ...array) []array {
	t.Helper()
	var parameters []shapes.Shape
	for _, a := range args {
		parameters = append(parameters, a.shape())
	}
	exe := compile(t, b, build, parameters...)
	defer exe.Finalize()
	return runOn(t, b, exe, args)
}

// runOn runs a program on arrays.
func runOn(t testing.TB, b compute.Backend, exe compute.Executable, args []array) []array {
	t.Helper()
	in := upload(t, b, args...)
	out, err := exe.Execute(in, nil, 0)
	require.NoError(t, err)
	var results []array
	for _, o := range out {
		results = append(results, download(t, b, o))
		require.NoError(t, o.Finalize())
	}
	for _, i := range in {
		require.NoError(t, i.Finalize())
	}
	return results
}

// floats returns the elements.
func (a array) floats() (list []float64) {
	v := reflect.ValueOf(a.flat)
	for i := range v.Len() {
		switch x := v.Index(i).Interface().(type) {
		case float16.Float16:
			list = append(list, float64(x.Float32()))
		case bfloat16.BFloat16:
			list = append(list, float64(x.Float32()))
		case float32:
			list = append(list, float64(x))
		}
	}
	return list
}

// same compares slices; NaN equals NaN, and floats may differ a little.
func same(t testing.TB, want, got array) {
	t.Helper()
	require.Equal(t, len(want.dims), len(got.dims), "%v, %v", want, got)
	for i := range want.dims {
		require.Equal(t, want.dims[i], got.dims[i])
	}
	w, g := reflect.ValueOf(want.flat), reflect.ValueOf(got.flat)
	require.Equal(t, w.Type(), g.Type())
	for i := range w.Len() {
		x, y := w.Index(i), g.Index(i)
		if x.CanFloat() && x.Type().Kind() >= reflect.Float32 {
			if math.IsNaN(x.Float()) {
				assert.True(t, math.IsNaN(y.Float()), "element %d is %v", i, y)
			} else if x.Float() != y.Float() {
				assert.InDelta(t, x.Float(), y.Float(), 1e-4, "element %d", i)
			}
			continue
		}
		if x.CanComplex() {
			assert.InDelta(t, real(x.Complex()), real(y.Complex()), 1e-4, "element %d", i)
			assert.InDelta(t, imag(x.Complex()), imag(y.Complex()), 1e-4, "element %d", i)
			continue
		}
		assert.Equal(t, x.Interface(), y.Interface(), "element %d", i)
	}
}

func halves(x ...float32) (list []float16.Float16) {
	for _, f := range x {
		list = append(list, float16.FromFloat32(f))
	}
	return list
}

func brains(x ...float32) (list []bfloat16.BFloat16) {
	for _, f := range x {
		list = append(list, bfloat16.FromFloat32(f))
	}
	return list
}
