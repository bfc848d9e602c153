// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package gomlx_test

import (
	"sync"
	"testing"
	"unsafe"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt/gomlx"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
)

// large is a shape whose memory is worth reusing.
var large = shapes.Make(dtypes.Float32, 1<<19)

// filled makes a large buffer of equal elements.
func filled(t testing.TB, b compute.Backend, x float32) compute.Buffer {
	t.Helper()
	flat := make([]float32, large.Size())
	for i := range flat {
		flat[i] = x
	}
	buffer, err := b.BufferFromFlatData(0, flat, large)
	require.NoError(t, err)
	return buffer
}

// address returns where a buffer is stored.
func address(t testing.TB, b compute.Backend, buffer compute.Buffer) unsafe.Pointer {
	t.Helper()
	flat, err := buffer.Data()
	require.NoError(t, err)
	return unsafe.Pointer(unsafe.SliceData(flat.([]float32)))
}

func TestASharedBufferIsNotCopied(t *testing.T) {
	t.Parallel()
	b := open(t, "")
	require.True(t, b.HasSharedBuffers())
	exe := compile(t, b, double, f32x2)
	for device := range compute.DeviceNum(2) {
		x, flat, err := b.NewSharedBuffer(device, f32x2)
		require.NoError(t, err)
		for _, v := range []float32{1, 5, 7, 9, 11} { // it stays shared when it is bound
			flat.([]float32)[1] = v
			y, err := exe.Execute([]compute.Buffer{x}, nil, device)
			require.NoError(t, err)
			same(t, vec(0, 2*v), download(t, b, y[0]))
		}
		again, err := x.Data()
		require.NoError(t, err)
		assert.Same(t, &flat.([]float32)[0], &again.([]float32)[0])
		require.NoError(t, x.Finalize())
		flat.([]float32)[0] = 3 // the slice may outlive the buffer
	}
}

func TestAResultIsReadInPlace(t *testing.T) {
	t.Parallel()
	b := open(t, "")
	for _, a := range []array{vec[float32](1, 2), scalar[int64](7), vec(true, false), vec(brains(1, 2)...), arr([]float64{}, 0, 2),
		arr([]complex64{1, 2, 3, 4i}, 2, 2)} {
		exe := compile(t, b, of1(func(b compute.Function, x compute.Value) (compute.Value, error) {
			return b.Reshape(x, a.dims...)
		}), a.shape())
		y, err := exe.Execute(upload(t, b, a), nil, 0)
		require.NoError(t, err)
		flat, err := y[0].Data()
		require.NoError(t, err)
		same(t, a, array{flat, a.dims})
		again, err := y[0].Data()
		require.NoError(t, err)
		assert.Equal(t, flat, again)
		require.NoError(t, y[0].Finalize())
		_, err = y[0].Data()
		assert.ErrorIs(t, err, gomlx.ErrFinalized)
	}
}

func TestSharedBuffersCanBeTurnedOff(t *testing.T) {
	t.Parallel()
	b := open(t, ",shared=false")
	assert.False(t, b.HasSharedBuffers())
	_, _, err := b.NewSharedBuffer(0, f32x2)
	assert.ErrorContains(t, err, "shared=false")
	_, err = upload(t, b, vec[float32](1))[0].Data()
	assert.ErrorContains(t, err, "shared=false")
}

func TestADonatedBufferIsFinalized(t *testing.T) {
	t.Parallel()
	b := open(t, "")
	exe := compile(t, b, double, f32x2)
	x := upload(t, b, vec[float32](1, 2), vec[float32](3, 4, 5))
	_, err := exe.Execute(x[:1], []bool{true}, 0)
	require.NoError(t, err)
	assert.ErrorIs(t, x[0].ToFlatData(make([]float32, 2)), gomlx.ErrFinalized)
	_, err = exe.Execute(x[1:], []bool{true}, 0) // of a wrong shape
	require.Error(t, err)
	assert.ErrorIs(t, x[1].ToFlatData(make([]float32, 3)), gomlx.ErrFinalized)
}

// The results of a training step take the memory of the old values.
func TestDonatedMemoryIsReused(t *testing.T) {
	pjrttest.NoLeaks(t)
	b := open(t, ",reuse=true")
	exe := compile(t, b, func(b compute.Function, x []compute.Value) ([]compute.Value, error) {
		y, err := b.Add(x[0], x[1])
		return []compute.Value{y}, err
	}, large, large)
	state, step := filled(t, b, 1), filled(t, b, 2)
	var reused int
	for i := range 6 {
		before := address(t, b, state)
		y, err := exe.Execute([]compute.Buffer{state, step}, []bool{true, false}, 0)
		require.NoError(t, err)
		if address(t, b, y[0]) == before && i > 1 {
			reused++
		}
		flat, err := y[0].Data()
		require.NoError(t, err)
		require.Equal(t, float32(1+2*(i+1)), flat.([]float32)[9])
		state = y[0]
	}
	assert.Equal(t, 1, gomlx.Reusing(exe))
	assert.Equal(t, 4, reused)

	// The same array cannot be both donated and kept.
	same, err := exe.Execute([]compute.Buffer{state, state}, []bool{true, false}, 0)
	require.NoError(t, err)
	flat, err := same[0].Data()
	require.NoError(t, err)
	assert.Equal(t, float32(26), flat.([]float32)[0])

	// Memory that belongs to the program is never written to.
	shared, mine, err := b.NewSharedBuffer(0, large)
	require.NoError(t, err)
	mine.([]float32)[0] = 5
	y, err := exe.Execute([]compute.Buffer{shared, step}, []bool{true, false}, 0)
	require.NoError(t, err)
	assert.NotEqual(t, unsafe.Pointer(unsafe.SliceData(mine.([]float32))), address(t, b, y[0]))
	assert.Equal(t, float32(5), mine.([]float32)[0])
}

func TestSmallMemoryIsNotWorthAnotherProgram(t *testing.T) {
	t.Parallel()
	b := open(t, ",reuse=true")
	exe := compile(t, b, double, f32x2)
	x := upload(t, b, vec[float32](1, 2))
	for range 5 {
		y, err := exe.Execute(x, []bool{true}, 0)
		require.NoError(t, err)
		x = y
	}
	assert.Zero(t, gomlx.Reusing(exe))
}

// XLA's plugin for CPUs makes slower code for programs that reuse memory.
func TestMemoryIsReusedOnCPUsOnlyIfAskedFor(t *testing.T) {
	t.Parallel()
	for options, want := range map[string]int{"": 0, ",reuse=false": 0, ",reuse=true": 1} {
		b := open(t, options)
		exe := compile(t, b, double, large)
		x := filled(t, b, 1)
		for range 4 {
			y, err := exe.Execute([]compute.Buffer{x}, []bool{true}, 0)
			require.NoError(t, err)
			x = y[0]
		}
		assert.Equal(t, want, gomlx.Reusing(exe), options)
	}
}

// A cache of keys and values is updated in place, without another form of the program.
func TestAnUpdatedArgumentIsNotCopied(t *testing.T) {
	pjrttest.NoLeaks(t)
	update := func(b compute.Function, x []compute.Value) (out []compute.Value, err error) {
		cache := x[0]
		for _, row := range x[1:3] {
			if cache, err = b.DynamicUpdateSlice(cache, row, x[3:]); err != nil {
				return nil, err
			}
		}
		total, err := b.ReduceSum(x[0])
		return []compute.Value{total, cache}, err
	}
	row, index := shapes.Make(dtypes.Float32, 1), shapes.Make(dtypes.Int32)
	for options, inPlace := range map[string]bool{"": true, ",reuse=true": true, ",reuse=false": false} {
		b := open(t, options)
		exe := compile(t, b, update, large, row, row, index)
		args := upload(t, b, vec[float32](7), vec[float32](8), scalar[int32](3))
		cache := filled(t, b, 1)
		for range 4 {
			before := address(t, b, cache)
			y, err := exe.Execute(append([]compute.Buffer{cache}, args...), []bool{true, false, false, false}, 0)
			require.NoError(t, err)
			assert.Equal(t, inPlace, address(t, b, y[1]) == before, options)
			assert.ErrorIs(t, cache.ToFlatData(make([]float32, large.Size())), gomlx.ErrFinalized)
			cache = y[1]
		}
		assert.Zero(t, gomlx.Reusing(exe), options)

		// What is not donated stays as it is, on any device, and so does memory of the program.
		shared, mine, err := b.NewSharedBuffer(0, large)
		require.NoError(t, err)
		other, err := cache.CopyToDevice(1)
		require.NoError(t, err)
		there := make([]compute.Buffer, len(args))
		for i, a := range args {
			there[i], err = a.CopyToDevice(1)
			require.NoError(t, err)
		}
		for _, c := range []struct {
			cache  compute.Buffer
			args   []compute.Buffer
			donate []bool
			want   float32 // of an element that is not updated
		}{
			{cache, args, nil, 1},
			{cache, args, []bool{false, false, false, false}, 1},
			{other, there, nil, 1},
			{shared, args, []bool{true, false, false, false}, 0},
		} {
			device, err := c.cache.DeviceNum()
			require.NoError(t, err)
			y, err := exe.Execute(append([]compute.Buffer{c.cache}, c.args...), c.donate, device)
			require.NoError(t, err)
			flat, err := y[1].Data()
			require.NoError(t, err)
			assert.Equal(t, []float32{c.want, 8, c.want}, flat.([]float32)[2:5])
		}
		flat, err := cache.Data()
		require.NoError(t, err)
		assert.Equal(t, []float32{1, 8, 1}, flat.([]float32)[2:5])
		assert.Zero(t, mine.([]float32)[3])
	}
}

// The best place for a result is that of the array it is made from.
func TestResultsArePairedWithWhatTheyAreMadeFrom(t *testing.T) {
	t.Parallel()
	b := open(t, "")
	exe := compile(t, b, func(b compute.Function, x []compute.Value) ([]compute.Value, error) {
		w, m, g := x[0], x[1], x[2]
		m2, err := b.Add(m, g)
		if err != nil {
			return nil, err
		}
		w2, err := b.Sub(w, m2)
		if err != nil {
			return nil, err
		}
		loss, err := b.ReduceSum(g)
		return []compute.Value{loss, m2, w2}, err
	}, f32x2, f32x2, f32x2)
	assert.Equal(t, map[int]int{0: 2, 1: 1}, gomlx.Pairs(exe, 0, 1))
	assert.Equal(t, map[int]int{0: 2}, gomlx.Pairs(exe, 0))
	assert.Len(t, gomlx.Pairs(exe, 0, 1, 2), 2)
}

// Weights that stay the same are bound; the program may still do with them what it likes.
func TestArgumentsThatStayTheSameAreBound(t *testing.T) {
	pjrttest.NoLeaks(t)
	b := open(t, "")
	exe := compile(t, b, of2(compute.Function.Mul), f32x2, f32x2)
	other := compile(t, b, double, f32x2)
	weights := upload(t, b, vec[float32](10, 100))[0]
	for i := range 8 {
		x := float32(i)
		y, err := exe.Execute([]compute.Buffer{upload(t, b, vec(x, x))[0], weights}, nil, 0)
		require.NoError(t, err)
		same(t, vec(10*x, 100*x), download(t, b, y[0]))
		if i > 3 {
			require.Equal(t, 1, gomlx.Bound(exe), i)
		}
	}
	// Another argument takes the place of the bound one.
	y, err := exe.Execute([]compute.Buffer{upload(t, b, vec[float32](1, 1))[0], upload(t, b, vec[float32](2, 3))[0]}, nil, 0)
	require.NoError(t, err)
	same(t, vec[float32](2, 3), download(t, b, y[0]))
	assert.Zero(t, gomlx.Bound(exe))

	// Finalizing and donating end the binding.
	for _, donate := range []bool{false, true} {
		w := upload(t, b, vec[float32](1, 2))[0]
		for range 5 {
			_, err := exe.Execute([]compute.Buffer{w, w}, nil, 0)
			require.NoError(t, err)
		}
		require.Equal(t, 2, gomlx.Bound(exe))
		if donate {
			y, err := other.Execute([]compute.Buffer{w}, []bool{true}, 0)
			require.NoError(t, err)
			same(t, vec[float32](2, 4), download(t, b, y[0]))
		} else {
			require.NoError(t, w.Finalize())
		}
		assert.Zero(t, gomlx.Bound(exe))
		_, err := exe.Execute([]compute.Buffer{w, w}, nil, 0)
		assert.ErrorIs(t, err, gomlx.ErrFinalized)
	}
}

// Goroutines share an executable and a weight, while others finalize what they use.
func TestExecutionsFromManyGoroutines(t *testing.T) {
	pjrttest.NoLeaks(t)
	b := open(t, "")
	exe := compile(t, b, of2(compute.Function.Add), f32x2, f32x2)
	weights := upload(t, b, vec[float32](10, 20))[0]
	var group sync.WaitGroup
	for g := range 8 {
		group.Go(func() {
			for i := range 50 {
				x := float32(g*100 + i)
				in, err := b.BufferFromFlatData(0, []float32{x, x}, f32x2)
				if !assert.NoError(t, err) {
					return
				}
				y, err := exe.Execute([]compute.Buffer{in, weights}, []bool{i%2 == 0, false}, 0)
				if !assert.NoError(t, err) {
					return
				}
				got := make([]float32, 2)
				assert.NoError(t, y[0].ToFlatData(got))
				assert.Equal(t, []float32{x + 10, x + 20}, got)
				assert.NoError(t, in.Finalize())
				assert.NoError(t, y[0].Finalize())
			}
		})
	}
	group.Wait()
}

// Goroutines bind arguments of their own in turn, and end each other's bindings.
func TestExecutionsWithDifferentWeights(t *testing.T) {
	pjrttest.NoLeaks(t)
	b := open(t, "")
	exe := compile(t, b, of2(compute.Function.Add), f32x2, f32x2)
	var group sync.WaitGroup
	for g := range 4 {
		x := float32(g)
		args := upload(t, b, vec(x, x), vec[float32](10, 20))
		group.Go(func() {
			for range 2000 {
				y, err := exe.Execute(args, nil, 0)
				if !assert.NoError(t, err) {
					return
				}
				got := make([]float32, 2)
				assert.NoError(t, y[0].ToFlatData(got))
				assert.Equal(t, []float32{x + 10, x + 20}, got)
				assert.NoError(t, y[0].Finalize())
			}
		})
	}
	group.Wait()
}

func TestAProgramRunsOnTheDeviceThatIsAskedFor(t *testing.T) {
	t.Parallel()
	b := open(t, "")
	anywhere := compile(t, b, double, f32x2)
	builder := b.Builder("assigned")
	require.NoError(t, builder.DeviceAssignment(2))
	x, err := builder.Main().Parameter("x", f32x2, nil)
	require.NoError(t, err)
	out, err := double(builder.Main(), []compute.Value{x})
	require.NoError(t, err)
	require.NoError(t, builder.Main().Return(out, nil))
	assigned, err := builder.Compile()
	require.NoError(t, err)
	for device := range compute.DeviceNum(4) {
		in, err := b.BufferFromFlatData(device, []float32{1, 2}, f32x2)
		require.NoError(t, err)
		out, err := anywhere.Execute([]compute.Buffer{in}, nil, device)
		require.NoError(t, err)
		same(t, vec[float32](2, 4), download(t, b, out[0]))
		num, err := out[0].DeviceNum()
		require.NoError(t, err)
		assert.Equal(t, device, num)

		out, err = assigned.Execute([]compute.Buffer{in}, nil, 0) // the device is ignored
		if device == 2 {
			require.NoError(t, err)
			same(t, vec[float32](2, 4), download(t, b, out[0]))
		} else {
			assert.ErrorContains(t, err, "runs on")
		}
	}
}
