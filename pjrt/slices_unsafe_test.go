// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"context"
	"fmt"
	"math"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

func TestAlignedSlicesAreAligned(t *testing.T) {
	for n := range 200 {
		b, f, c := pjrt.AlignedSlice[uint8](n), pjrt.AlignedSlice[float32](n), pjrt.AlignedSlice[complex128](n)
		assert.Zero(t, uintptr(unsafe.Pointer(unsafe.SliceData(b)))%pjrt.HostAlignment)
		assert.Zero(t, uintptr(unsafe.Pointer(unsafe.SliceData(f)))%pjrt.HostAlignment)
		assert.Zero(t, uintptr(unsafe.Pointer(unsafe.SliceData(c)))%pjrt.HostAlignment)
		assert.Equal(t, []int{n, n, n}, []int{len(b), len(f), len(c)})
		assert.Equal(t, make([]complex128, n), c)
	}
	assert.Equal(t, 64, pjrt.HostAlignment, "XLA's plugins for CPUs copy what is aligned to less")
	assert.Panics(t, func() { pjrt.AlignedSlice[float32](-1) })
	assert.Panics(t, func() { pjrt.AlignedSlice[float64](math.MaxInt / 4) })
}

func TestSlicesAreUploadedAndRead(t *testing.T) {
	ctx := context.Background()
	client := newClient(t)
	b, err := pjrt.FromSlice(ctx, client, []float64{1, 2, 3, 4, 5, 6}, 2, 3)
	require.NoError(t, err)
	defer b.Close()
	assert.Equal(t, "f64[2,3]", b.Shape().String())
	got, err := pjrt.ToSlice[float64](ctx, b)
	require.NoError(t, err)
	assert.Equal(t, []float64{1, 2, 3, 4, 5, 6}, got)
	dst := make([]float64, 7)
	n, err := pjrt.ReadSlice(ctx, b, dst)
	require.NoError(t, err)
	assert.Equal(t, 6, n)
	assert.Equal(t, []float64{1, 2, 3, 4, 5, 6, 0}, dst)

	s, err := pjrt.FromScalar(ctx, client, dtype.Round[dtype.BFloat16](1.5))
	require.NoError(t, err)
	defer s.Close()
	assert.Equal(t, "bf16[]", s.Shape().String())
	x, err := pjrt.ToScalar[dtype.BFloat16](ctx, s)
	require.NoError(t, err)
	assert.EqualValues(t, 1.5, x.Float32())

	p, err := pjrt.FromSlice(ctx, client, []bool{true, false}, 2)
	require.NoError(t, err)
	defer p.Close()
	bools, err := pjrt.ToSlice[bool](ctx, p)
	require.NoError(t, err)
	assert.Equal(t, []bool{true, false}, bools)

	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"dims":          {closing(pjrt.FromSlice(ctx, client, []int8{1, 2}, 3)), "an array of shape i8[3] takes 3 bytes, but its data has 2"},
		"no client":     {closing(pjrt.FromSlice(ctx, nil, []int8{1, 2})), "the client is nil"},
		"to other type": {func() error { _, err := pjrt.ToSlice[int64](ctx, b); return err }(), "the array is f64[2,3], and the slice is for i64"},
		"to nil":        {func() error { _, err := pjrt.ToSlice[int64](ctx, nil); return err }(), "the buffer is nil"},
		"scalar nil":    {func() error { _, err := pjrt.ToScalar[int64](ctx, nil); return err }(), "the buffer is nil"},
		"no scalar":     {func() error { _, err := pjrt.ToScalar[float64](ctx, b); return err }(), "the array is f64[2,3], not a scalar"},
		"scalar type":   {func() error { _, err := pjrt.ToScalar[float64](ctx, s); return err }(), "the slice is for f64"},
		"into short":    {func() error { _, err := pjrt.ReadSlice(ctx, b, dst[:5]); return err }(), "takes 48 bytes, and dst has 40"},
		"into type":     {func() error { _, err := pjrt.ReadSlice(ctx, b, []int64{}); return err }(), "the slice is for i64"},
	} {
		require.ErrorIs(t, c.err, pjrt.ErrInvalidArgument, name)
		assert.ErrorContains(t, c.err, c.want, name)
	}
}

func TestBytesOtherThan0And1DoNotBecomeBools(t *testing.T) {
	ctx := context.Background()
	client := newClient(t)
	data := pjrt.AlignedSlice[uint8](2)
	b, err := client.ViewOfHostMemory(ctx, pjrt.HostArray{Type: dtype.Pred, Dims: []int64{2}, Data: data}, nil)
	require.NoError(t, err)
	defer b.Close()
	data[0], data[1] = 1, 2 // as no program may leave them
	_, err = pjrt.ToSlice[bool](ctx, b)
	require.ErrorContains(t, err, "must be 0 or 1")
	dst := []bool{true, true}
	_, err = pjrt.ReadSlice(ctx, b, dst)
	require.ErrorContains(t, err, "must be 0 or 1")
	assert.Equal(t, []byte{0, 0}, dtype.Bytes(dst))
}

func TestASliceWithoutDimensionsIsAVector(t *testing.T) {
	ctx := context.Background()
	client := newClient(t)
	for _, data := range [][]int32{{1, 2, 3}, {7}, {}} {
		b, err := pjrt.FromSlice(ctx, client, data)
		require.NoError(t, err)
		assert.Equal(t, []int64{int64(len(data))}, b.Shape().Dims)
		got, err := pjrt.ToSlice[int32](ctx, b)
		require.NoError(t, err)
		assert.ElementsMatch(t, data, got)
		require.NoError(t, b.Close())
	}
	assert.Empty(t, pjrt.ScalarOf(1.5).Dims)
	assert.Equal(t, "f64[]", pjrt.ScalarOf(1.5).Shape().String())
}

func TestObjectsPrintWhatTheyAre(t *testing.T) {
	ctx := context.Background()
	client := newClient(t)
	exe := compile(t, client, add)
	a := upload(t, client, matrix(1, 2, 3, 4))
	assert.Equal(t, fmt.Sprintf("cpu client of %d devices", len(client.Devices())), fmt.Sprint(client))
	assert.Equal(t, `executable "add" of 1 results on [CpuDevice(id=0)]`, fmt.Sprint(exe))
	assert.Equal(t, `executable "add" of 1 results`, fmt.Sprint(exe.Executable))
	assert.Equal(t, "buffer of f32[2,2] on CpuDevice(id=0)", fmt.Sprint(a))
	outs, done, err := exe.Start(ctx, []*pjrt.Buffer{a, a}, nil)
	require.NoError(t, err)
	require.NoError(t, done.Wait(ctx))
	assert.Equal(t, "event of work that is done", fmt.Sprint(done))
	require.NoError(t, done.Close())
	assert.Equal(t, "event is closed", fmt.Sprint(done))
	require.NoError(t, outs[0].Close())
	assert.Equal(t, "buffer of f32[2,2] (closed)", fmt.Sprint(outs[0]))
	topology, err := client.Topology()
	require.NoError(t, err)
	assert.Equal(t, "cpu topology", fmt.Sprint(topology))
	for _, none := range []fmt.Stringer{
		(*pjrt.Client)(nil), (*pjrt.Buffer)(nil), (*pjrt.Executable)(nil), (*pjrt.LoadedExecutable)(nil), (*pjrt.Topology)(nil),
		(*pjrt.Plugin)(nil), (*pjrt.Device)(nil), (*pjrt.Memory)(nil), new(pjrt.Device), new(pjrt.Memory), new(pjrt.Buffer),
	} {
		assert.Regexp(t, "^no [a-z]+$", none.String())
	}
}
