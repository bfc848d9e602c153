// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"runtime"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/transfer"
)

// done waits for what the plugin does on threads of its own.
func done(t testing.TB, c <-chan struct{}) {
	t.Helper()
	select {
	case <-c:
	case <-time.After(30 * time.Second):
		require.FailNow(t, "the plugin never let go of the memory")
	}
}

func isDone(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

func ints(n int) []int32 {
	s := pjrt.AlignedSlice[int32](n)
	for i := range s {
		s[i] = int32(i)
	}
	return s
}

func TestArraysOfEveryTypeComeBackUnchanged(t *testing.T) {
	ctx := context.Background()
	client := newClient(t)
	for _, x := range dtype.All() {
		if _, minor := client.Plugin().Version(); x.Size() == 0 || x.Since() > minor {
			continue
		}
		t.Run(x.String(), func(t *testing.T) {
			data := make([]byte, 6*x.Size())
			for i := range data {
				data[i] = byte(i*37 + 1)
				switch {
				case x == dtype.Pred:
					data[i] &= 1
				case x.IsSubByte():
					data[i] &= 1<<x.Bits() - 1
				}
			}
			want := pjrt.HostArray{Type: x, Dims: []int64{2, 3}, Data: data}
			for _, semantics := range pjrtSemantics {
				b, err := client.BufferFromHost(ctx, want, &pjrt.BufferOptions{Semantics: semantics})
				require.NoError(t, err)
				got, err := b.ToHost(ctx)
				require.NoError(t, err)
				got2 := make([]byte, len(data))
				n, err := b.ToHostInto(ctx, got2)
				require.NoError(t, err)
				assert.Equal(t, len(data), n)
				if x.IsSubByte() && x.IsSigned() && x.IsInteger() { // the plugin extends the sign
					for i := range got.Data {
						got.Data[i] &= 1<<x.Bits() - 1
						got2[i] &= 1<<x.Bits() - 1
					}
				}
				assert.Equal(t, want, got)
				assert.Equal(t, data, got2)
				b.Close()
				done(t, b.HostDone())
			}
		})
	}
}

var pjrtSemantics = []pjrt.HostBufferSemantics{
	pjrt.OnlyDuringCall, pjrt.UntilTransferCompletes, pjrt.ImmutableZeroCopy, pjrt.MutableZeroCopy,
}

func TestSemanticsSayWhenTheMemoryIsFree(t *testing.T) {
	ctx := context.Background()
	client := newClient(t)
	for _, semantics := range pjrtSemantics {
		t.Run(semantics.String(), func(t *testing.T) {
			zeroCopy := semantics >= pjrt.ImmutableZeroCopy
			data := ints(1 << 20)
			b, err := client.BufferFromHost(ctx, pjrt.ArrayOf(data, 1<<20), &pjrt.BufferOptions{Semantics: semantics})
			require.NoError(t, err)
			defer b.Close()
			if semantics == pjrt.OnlyDuringCall {
				assert.True(t, isDone(b.HostDone()))
			}
			if !zeroCopy {
				done(t, b.HostDone())
			}
			data[7] = -7
			got, err := pjrt.ToSlice[int32](ctx, b)
			require.NoError(t, err)
			assert.EqualValues(t, 8, got[8])
			if zeroCopy {
				assert.EqualValues(t, -7, got[7], "the buffer is the memory")
				assert.False(t, isDone(b.HostDone()), "the buffer still is the memory")
			} else {
				assert.EqualValues(t, 7, got[7], "the buffer is a copy")
			}
			b.Close()
			done(t, b.HostDone())
		})
	}
}

func TestMemoryThatCUsesIsNotCollected(t *testing.T) {
	ctx := context.Background()
	client := newClient(t)
	const n = 64
	var buffers []*pjrt.Buffer
	for i := range n {
		data := pjrt.AlignedSlice[int32](1 << 12)
		for j := range data {
			data[j] = int32(i)
		}
		b, err := client.BufferFromHost(ctx, pjrt.ArrayOf(data, 1<<12), &pjrt.BufferOptions{Semantics: pjrt.ImmutableZeroCopy})
		require.NoError(t, err)
		buffers = append(buffers, b)
	}
	for range 3 {
		runtime.GC()
		for range n { // would overwrite memory that was collected
			s := pjrt.AlignedSlice[int32](1 << 12)
			for j := range s {
				s[j] = -1
			}
		}
	}
	for i, b := range buffers {
		got, err := pjrt.ToSlice[int32](ctx, b)
		require.NoError(t, err)
		require.EqualValues(t, i, got[0])
		require.EqualValues(t, i, got[len(got)-1])
		b.Close()
		done(t, b.HostDone())
	}
}

func TestArraysAreUploadedWithStrides(t *testing.T) {
	ctx := context.Background()
	client := newClient(t)
	cases := map[string]struct {
		data    []int32
		dims    []int64
		strides []int64
		want    []int32
	}{
		"dense":         {[]int32{0, 1, 2, 3, 4, 5}, []int64{2, 3}, []int64{12, 4}, []int32{0, 1, 2, 3, 4, 5}},
		"transposed":    {[]int32{0, 1, 2, 3, 4, 5}, []int64{3, 2}, []int64{4, 12}, []int32{0, 3, 1, 4, 2, 5}},
		"gaps":          {[]int32{0, 1, 2, 3, 4}, []int64{3}, []int64{8}, []int32{0, 2, 4}},
		"broadcast":     {[]int32{7}, []int64{2, 2}, []int64{0, 0}, []int32{7, 7, 7, 7}},
		"reversed":      {[]int32{0, 1, 2}, []int64{3}, []int64{-4}, []int32{2, 1, 0}},
		"reversed rows": {[]int32{0, 1, 2, 3}, []int64{2, 2}, []int64{-8, 4}, []int32{2, 3, 0, 1}},
		"all reversed":  {[]int32{0, 1, 2, 3}, []int64{2, 2}, []int64{-8, -4}, []int32{3, 2, 1, 0}},
		"empty":         {nil, []int64{0, 2}, []int64{-8, 4}, nil},
		"scalar":        {[]int32{9}, nil, []int64{}, []int32{9}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			for _, semantics := range pjrtSemantics {
				a := pjrt.ArrayOf(c.data, c.dims...)
				a.Dims = c.dims
				b, err := client.BufferFromHost(ctx, a, &pjrt.BufferOptions{Strides: c.strides, Semantics: semantics})
				require.NoError(t, err, semantics)
				got, err := pjrt.ToSlice[int32](ctx, b)
				require.NoError(t, err)
				assert.Equal(t, c.want, got, semantics)
				b.Close()
				done(t, b.HostDone())
			}
		})
	}
}

func TestBuffersAreMadeOnTheChosenDeviceMemoryAndLayout(t *testing.T) {
	ctx := context.Background()
	client := newClient(t)
	array := pjrt.ArrayOf([]int32{1, 2, 3, 4, 5, 6}, 3, 2)
	makers := map[string]func(*pjrt.BufferOptions) (*pjrt.Buffer, error){
		"from host": func(o *pjrt.BufferOptions) (*pjrt.Buffer, error) { return client.BufferFromHost(ctx, array, o) },
		"uninitialized": func(o *pjrt.BufferOptions) (*pjrt.Buffer, error) {
			return client.UninitializedBuffer(ctx, array.Shape(), o)
		},
		"reader": func(o *pjrt.BufferOptions) (*pjrt.Buffer, error) {
			return client.BufferFromReader(ctx, bytes.NewReader(array.Data), array.Shape(), o)
		},
		"alias": func(o *pjrt.BufferOptions) (*pjrt.Buffer, error) {
			b, f, err := transfer.NewAlias(ctx, client, array.Shape(), o)
			if err == nil {
				t.Cleanup(func() { f.Close() })
			}
			return b, err
		},
		"transfer": func(o *pjrt.BufferOptions) (*pjrt.Buffer, error) {
			m, err := transfer.NewManager(ctx, client, []pjrt.Shape{array.Shape()},
				&transfer.ManagerOptions{Device: o.Device, Memory: o.Memory, Layouts: []*pjrt.Layout{o.Layout}})
			if err != nil {
				return nil, err
			}
			defer m.Close()
			return m.Buffer(0)
		},
	}
	columns := &pjrt.Layout{MinorToMajor: []int{0, 1}}
	for name, create := range makers {
		t.Run(name, func(t *testing.T) {
			check := func(opts *pjrt.BufferOptions, device *pjrt.Device, memory *pjrt.Memory, layout string) {
				t.Helper()
				b, err := create(opts)
				require.NoError(t, err)
				defer b.Close()
				assert.Equal(t, "i32[3,2]", b.Shape().String())
				d, err := b.Device()
				require.NoError(t, err)
				assert.Same(t, device, d)
				m, err := b.Memory()
				require.NoError(t, err)
				assert.Same(t, memory, m)
				l, err := b.Layout()
				require.NoError(t, err)
				assert.Equal(t, layout, l.String())
				size, err := b.OnDeviceSize()
				require.NoError(t, err)
				assert.EqualValues(t, 24, size)
				on, err := b.IsOnCPU()
				require.NoError(t, err)
				assert.True(t, on)
			}
			perDevice := len(client.Memories()) / len(client.Devices())
			check(&pjrt.BufferOptions{}, client.Devices()[0], client.Memories()[0], "{1,0}")
			check(&pjrt.BufferOptions{Device: client.Devices()[2]}, client.Devices()[2], client.Memories()[2*perDevice], "{1,0}")
			for i, m := range client.Memories() {
				check(&pjrt.BufferOptions{Memory: m}, client.Devices()[i/perDevice], m, "{1,0}")
			}
			check(&pjrt.BufferOptions{Layout: columns}, client.Devices()[0], client.Memories()[0], "{0,1}")
		})
	}
	b, err := client.BufferFromHost(ctx, array, &pjrt.BufferOptions{Layout: columns})
	require.NoError(t, err)
	defer b.Close()
	got, err := b.ToHost(ctx)
	require.NoError(t, err)
	assert.Equal(t, array, got, "a layout does not change the elements")
	_, err = client.BufferFromHost(ctx, array, &pjrt.BufferOptions{Layout: &pjrt.Layout{Strides: []int64{8, 4}}})
	require.ErrorIs(t, err, pjrt.ErrInvalidArgument, "this plugin takes no strides")
	_, err = client.BufferFromHost(ctx, array, &pjrt.BufferOptions{Layout: &pjrt.Layout{MinorToMajor: []int{1, 0},
		Tiles: [][]int64{{2, 2}}}})
	require.ErrorIs(t, err, pjrt.ErrUnimplemented, "this plugin takes no tiles")
}

func TestLayoutsPrintInXLAsNotation(t *testing.T) {
	cases := map[string]*pjrt.Layout{
		"default":             nil,
		"{}":                  pjrt.RowMajor(0),
		"{2,1,0}":             pjrt.RowMajor(3),
		"{0,1:T(8,128)(2,1)}": {MinorToMajor: []int{0, 1}, Tiles: [][]int64{{8, 128}, {2, 1}}},
		"strides(-8,4)":       {Strides: []int64{-8, 4}},
		"strides()":           {Strides: []int64{}},
	}
	for want, l := range cases {
		assert.Equal(t, want, l.String())
	}
}

func TestMisuseOfBufferOptionsIsRefused(t *testing.T) {
	ctx := context.Background()
	client, other := newClient(t), newClient(t)
	matrix := func(size int) pjrt.HostArray {
		return pjrt.HostArray{Type: dtype.F32, Dims: []int64{2, 2}, Data: make([]byte, size)}
	}
	layout := func(order []int, tiles ...[]int64) pjrt.BufferOptions {
		return pjrt.BufferOptions{Layout: &pjrt.Layout{MinorToMajor: order, Tiles: tiles}}
	}
	cases := map[string]struct {
		array pjrt.HostArray
		opts  pjrt.BufferOptions
		want  string
	}{
		"device and memory":   {matrix(16), pjrt.BufferOptions{Device: client.Devices()[0], Memory: client.Memories()[0]}, "set one of them"},
		"foreign device":      {matrix(16), pjrt.BufferOptions{Device: other.Devices()[0]}, "belongs to another client"},
		"foreign memory":      {matrix(16), pjrt.BufferOptions{Memory: other.Memories()[0]}, "belongs to another client"},
		"no semantics":        {matrix(16), pjrt.BufferOptions{Semantics: 77}, "the host buffer semantics HostBufferSemantics(77) do not exist"},
		"negative semantics":  {matrix(16), pjrt.BufferOptions{Semantics: -1}, "the host buffer semantics HostBufferSemantics(-1) do not exist"},
		"too few strides":     {matrix(16), pjrt.BufferOptions{Strides: []int64{4}}, "there are 1 strides for the 2 dimensions of f32[2,2]"},
		"no strides":          {matrix(16), pjrt.BufferOptions{Strides: []int64{}}, "there are 0 strides for the 2 dimensions"},
		"too many strides":    {matrix(16), pjrt.BufferOptions{Strides: []int64{8, 4, 4}}, "there are 3 strides for the 2 dimensions"},
		"strides too short":   {matrix(16), pjrt.BufferOptions{Strides: []int64{16, 4}}, "spans 24 bytes, and its data has 16"},
		"strides too long":    {matrix(16), pjrt.BufferOptions{Strides: []int64{0, 4}}, "spans 8 bytes, and its data has 16"},
		"negative, too short": {matrix(15), pjrt.BufferOptions{Strides: []int64{-8, 4}}, "spans 16 bytes, and its data has 15"},
		"overflowing strides": {matrix(16), pjrt.BufferOptions{Strides: []int64{math.MaxInt64, math.MaxInt64}}, "too large"},
		"least stride":        {matrix(16), pjrt.BufferOptions{Strides: []int64{math.MinInt64, 4}}, "too large"},
		"strided negative":    {pjrt.HostArray{Type: dtype.F32, Dims: []int64{-1}}, pjrt.BufferOptions{Strides: []int64{4}}, "negative dimension"},
		"order too short":     {matrix(16), layout([]int{0}), "layout {0} orders 1 dimensions, but f32[2,2] has 2"},
		"no order":            {matrix(16), layout(nil), "orders 0 dimensions"},
		"order twice":         {matrix(16), layout([]int{0, 0}), "layout {0,0} must list each of the dimensions 0 to 1 once"},
		"order beyond":        {matrix(16), layout([]int{0, 2}), "must list each of the dimensions"},
		"order below":         {matrix(16), layout([]int{0, -1}), "must list each of the dimensions"},
		"empty tile":          {matrix(16), layout([]int{1, 0}, []int64{}), "a tile without dimensions"},
		"zero tile":           {matrix(16), layout([]int{1, 0}, []int64{0, 2}), "a tile with the dimension 0"},
		"layout strides":      {matrix(16), pjrt.BufferOptions{Layout: &pjrt.Layout{Strides: []int64{4}}}, "has 1 strides for the 2 dimensions"},
		"two layouts":         {matrix(16), pjrt.BufferOptions{Layout: &pjrt.Layout{Strides: []int64{8, 4}, MinorToMajor: []int{1, 0}}}, "give one of them"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			b, err := client.BufferFromHost(ctx, c.array, &c.opts)
			require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
			assert.Nil(t, b)
			assert.ErrorContains(t, err, c.want)
		})
	}
}

func TestABufferFromAReaderReadsNoFurtherThanTheArray(t *testing.T) {
	ctx := context.Background()
	client := newClient(t)
	shape := pjrt.Shape{Type: dtype.U8, Dims: []int64{3 << 20}}
	data := make([]byte, 3<<20)
	for i := range data {
		data[i] = byte(i >> 3)
	}
	source := bytes.NewReader(append(bytes.Clone(data), "and more"...))
	b, err := client.BufferFromReader(ctx, iotest.HalfReader(source), shape, nil)
	require.NoError(t, err)
	got, err := b.ToHost(ctx)
	require.NoError(t, err)
	assert.True(t, bytes.Equal(data, got.Data))
	assert.Equal(t, len("and more"), source.Len(), "nothing beyond the array is read")
	b.Close()
	done(t, b.HostDone())

	_, err = client.BufferFromReader(ctx, bytes.NewReader(data[:5]), shape, nil)
	require.ErrorContains(t, err, "the data ends after 5 of 3145728 bytes")
	broken := errors.New("broken")
	_, err = client.BufferFromReader(ctx, iotest.ErrReader(broken), shape, nil)
	require.ErrorIs(t, err, broken)
	_, err = client.BufferFromReader(ctx, bytes.NewReader(nil), pjrt.Shape{Type: dtype.U8, Dims: []int64{1 << 45}}, nil)
	require.ErrorContains(t, err, "the data ends after 0 of", "no memory is taken for data that does not come")
	_, err = client.BufferFromReader(ctx, source, shape, &pjrt.BufferOptions{Semantics: pjrt.ImmutableZeroCopy})
	require.ErrorContains(t, err, "options Semantics and Strides are only for")
	_, err = client.BufferFromReader(ctx, source, pjrt.Shape{Dims: []int64{4}}, nil)
	require.ErrorContains(t, err, "have no host form")
	ended, cancel := context.WithCancel(ctx)
	cancel()
	_, err = client.BufferFromReader(ended, source, shape, nil)
	require.ErrorIs(t, err, context.Canceled)

	empty, err := client.BufferFromReader(ctx, bytes.NewReader(nil), pjrt.Shape{Type: dtype.F32, Dims: []int64{0, 3}}, nil)
	require.NoError(t, err)
	empty.Close()
	done(t, empty.HostDone())
}
