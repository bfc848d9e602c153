// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package dlpack

import (
	"context"
	"os"
	"runtime"
	"testing"
	"time"
	"unsafe"

	"github.com/ebitengine/purego"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/internal/collecting"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/array"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

func newClient(t testing.TB) *pjrt.Client {
	t.Helper()
	return plugintest.Client(t)
}

func TestMain(m *testing.M) {
	code := m.Run()
	gone := collecting.Until(func() bool { return len(pjrt.Live()) == 0 })
	if live := pjrt.Live(); code == 0 && !gone {
		panic(live)
	}
	os.Exit(code)
}

// taken returns the DLManagedTensor as another library sees it.
func taken(address uintptr) *managedTensor { return *(**managedTensor)(unsafe.Pointer(&address)) }

func TestTheStructMatchesDLPack(t *testing.T) {
	t.Parallel()
	var m managedTensor
	assert.EqualValues(t, 64, unsafe.Sizeof(m))
	for name, c := range map[string]struct{ got, want uintptr }{
		"device":      {unsafe.Offsetof(m.deviceType), 8},
		"ndim":        {unsafe.Offsetof(m.ndim), 16},
		"dtype":       {unsafe.Offsetof(m.code), 20},
		"lanes":       {unsafe.Offsetof(m.lanes), 22},
		"shape":       {unsafe.Offsetof(m.shape), 24},
		"strides":     {unsafe.Offsetof(m.strides), 32},
		"byte_offset": {unsafe.Offsetof(m.byteOffset), 40},
		"manager_ctx": {unsafe.Offsetof(m.context), 48},
		"deleter":     {unsafe.Offsetof(m.deleter), 56},
	} {
		assert.Equal(t, c.want, c.got, name)
	}
}

func TestAnotherLibraryReadsABuffer(t *testing.T) {
	ctx := context.Background()
	client := newClient(t)
	b, err := pjrt.FromSlice(ctx, client, []float32{1, 2, 3, 4, 5, 6}, 2, 3)
	require.NoError(t, err)
	tensor, err := Export(ctx, b)
	require.NoError(t, err)
	m := taken(tensor.Address())
	assert.EqualValues(t, []int32{deviceCPU, 0, 2}, []int32{m.deviceType, m.deviceID, m.ndim})
	assert.Equal(t, element{codeFloat, 32}, element{m.code, m.bits})
	assert.EqualValues(t, 1, m.lanes)
	assert.Equal(t, []int64{2, 3}, unsafe.Slice(m.shape, 2))
	assert.Equal(t, []int64{3, 1}, unsafe.Slice(m.strides, 2))
	assert.Equal(t, 1, raw.References(b))
	require.NoError(t, b.Close())
	assert.Equal(t, []float32{1, 2, 3, 4, 5, 6}, unsafe.Slice(*(**float32)(unsafe.Pointer(&m.data)), 6), "the memory stays valid")

	purego.SyscallN(m.deleter, tensor.Address())
	require.Eventually(t, func() bool { return pjrt.Live()["buffer"] == 0 }, time.Minute, time.Millisecond)
	require.NoError(t, tensor.Close(), "again")
}

func TestABufferUsesAnotherLibrarysMemory(t *testing.T) {
	ctx := context.Background()
	client := newClient(t)
	data := pjrt.AlignedSlice[float32](24)
	for i := range data {
		data[i] = float32(i)
	}
	deleted := make(chan uintptr, 1)
	dims := []int64{2, 4}
	m := &managedTensor{
		data: uintptr(unsafe.Pointer(&data[0])), deviceType: deviceCPU, ndim: 2, code: codeFloat, bits: 32, lanes: 1,
		shape: &dims[0], byteOffset: 64,
		deleter: purego.NewCallback(func(m uintptr) uintptr { deleted <- m; return 0 }),
	}
	var pinner runtime.Pinner // a tensor of another library lies in no stack that grows
	pinner.Pin(m)
	defer pinner.Unpin()
	address := uintptr(unsafe.Pointer(m))
	b, err := Import(ctx, client, address)
	require.NoError(t, err)
	got, err := pjrt.ToSlice[float32](ctx, b)
	require.NoError(t, err)
	assert.Equal(t, []float32{16, 17, 18, 19, 20, 21, 22, 23}, got)
	where, err := raw.UnsafePointer(ctx, b)
	require.NoError(t, err)
	assert.Equal(t, m.data+64, where, "no copy")
	assert.Empty(t, deleted)
	require.NoError(t, b.Close())
	select {
	case got := <-deleted:
		assert.Equal(t, address, got)
	case <-time.After(time.Minute):
		t.Error("the deleter was not called")
	}

	m.strides = &[]int64{1, 2}[0]
	b, err = Import(ctx, client, address)
	require.NoError(t, err)
	got, err = pjrt.ToSlice[float32](ctx, b)
	require.NoError(t, err)
	assert.Equal(t, []float32{16, 18, 20, 22, 17, 19, 21, 23}, got, "by columns")
	require.NoError(t, b.Close())
	<-deleted
	m.strides = nil
	runtime.KeepAlive(data)

	for name, c := range map[string]struct {
		change func(*managedTensor)
		want   string
	}{
		"a type":           {func(m *managedTensor) { m.bits = 12 }, "no type for 1 lanes of type code 2 with 12 bits"},
		"vectors":          {func(m *managedTensor) { m.lanes = 4 }, "no type for 4 lanes"},
		"dimensions":       {func(m *managedTensor) { m.ndim = -1 }, "the tensor has -1 dimensions"},
		"no dimensions":    {func(m *managedTensor) { m.shape = nil }, "the tensor has 2 dimensions"},
		"no data":          {func(m *managedTensor) { m.data = 0 }, "has no data"},
		"a GPU's":          {func(m *managedTensor) { m.deviceType = deviceCUDA }, "on a device of type 2"},
		"a negative shape": {func(m *managedTensor) { m.shape = &[]int64{-2, 4}[0] }, "-2"},
		"gaps":             {func(m *managedTensor) { m.strides = &[]int64{8, 1}[0] }, "has gaps"},
		"int4":             {func(m *managedTensor) { m.code, m.bits = codeInt, 4 }, "use Copy"},
		"misaligned":       {func(m *managedTensor) { m.byteOffset = 4 }, "not a multiple of 64"},
	} {
		wrong := *m
		c.change(&wrong)
		_, err := Import(ctx, client, uintptr(unsafe.Pointer(&wrong)))
		assert.ErrorContains(t, err, c.want, name)
	}
	assert.Empty(t, deleted, "the caller still owns it")
	_, err = Import(ctx, client, 0)
	require.ErrorContains(t, err, "is not the address of a tensor")
	_, err = Import(ctx, nil, address)
	require.ErrorContains(t, err, "the client is nil")
}

func TestATensorOfAnyFormCanBeCopied(t *testing.T) {
	ctx := context.Background()
	client := newClient(t)
	deleted := 0
	deleter := purego.NewCallback(func(uintptr) uintptr { deleted++; return 0 })
	numbers := pjrt.AlignedSlice[int16](16)
	for i := range numbers {
		numbers[i] = int16(i)
	}
	packed := []byte{0x21, 0xf3, 0x08}
	for name, c := range map[string]struct {
		tensor managedTensor
		want   any
	}{
		"misaligned":  {managedTensor{byteOffset: 2, shape: &[]int64{2, 2}[0], ndim: 2}, []int16{1, 2, 3, 4}},
		"with gaps":   {managedTensor{shape: &[]int64{2, 2}[0], ndim: 2, strides: &[]int64{8, 3}[0]}, []int16{0, 3, 8, 11}},
		"backwards":   {managedTensor{byteOffset: 30, shape: &[]int64{3}[0], ndim: 1, strides: &[]int64{-2}[0]}, []int16{15, 13, 11}},
		"by columns":  {managedTensor{shape: &[]int64{2, 2}[0], ndim: 2, strides: &[]int64{1, 2}[0]}, []int16{0, 2, 1, 3}},
		"a scalar":    {managedTensor{byteOffset: 14}, []int16{7}},
		"no elements": {managedTensor{shape: &[]int64{0}[0], ndim: 1}, []int16{}},
		"int4": {managedTensor{data: uintptr(unsafe.Pointer(&packed[0])), bits: 4, shape: &[]int64{5}[0], ndim: 1},
			[]dtype.Int4{1, 2, 3, 15, 8}},
		"uint4": {managedTensor{data: uintptr(unsafe.Pointer(&packed[0])), bits: 4, code: codeUint, shape: &[]int64{2, 3}[0], ndim: 2},
			[]dtype.Uint4{1, 2, 3, 15, 8, 0}},
	} {
		m := c.tensor
		m.deviceType, m.lanes, m.deleter = deviceCPU, 1, deleter
		if m.bits == 0 {
			m.bits, m.data = 16, uintptr(unsafe.Pointer(&numbers[0]))
		}
		var pinner runtime.Pinner
		pinner.Pin(&m)
		before := deleted
		b, err := Copy(ctx, client, uintptr(unsafe.Pointer(&m)))
		require.NoError(t, err, name)
		assert.Equal(t, before+1, deleted, name)
		a, err := b.ToHost(ctx)
		require.NoError(t, err, name)
		got, err := array.ToAny(a)
		require.NoError(t, err, name)
		assert.Equal(t, c.want, got, name)
		require.NoError(t, b.Close())
		m.deviceType = deviceCUDA
		_, err = Copy(ctx, client, uintptr(unsafe.Pointer(&m)))
		require.ErrorContains(t, err, "which the host may be unable to read", name)
		assert.Equal(t, before+1, deleted, "the caller still owns it")
		pinner.Unpin()
	}
	runtime.KeepAlive(numbers)
	runtime.KeepAlive(packed)
}

func TestExportedTensorsCanBeImported(t *testing.T) {
	ctx := context.Background()
	client := newClient(t)
	for _, typ := range dtype.All() {
		shape := pjrt.Shape{Type: typ, Dims: []int64{3, 1, 2}}
		size, err := shape.HostSize()
		if err != nil || typ.Since() > 81 {
			continue
		}
		data := make([]byte, size)
		for i := range data {
			data[i] = byte(i % 2)
		}
		a := pjrt.HostArray{Type: typ, Dims: shape.Dims, Data: data}
		b, err := client.BufferFromHost(ctx, a, nil)
		require.NoError(t, err, typ)
		defer b.Close()
		tensor, err := Export(ctx, b)
		if typ.IsSubByte() {
			require.ErrorContains(t, err, "cannot describe elements of type", typ)
			continue
		}
		require.NoError(t, err, typ)
		again, err := Import(ctx, client, tensor.Address())
		require.NoError(t, err, typ)
		got, err := again.ToHost(ctx)
		require.NoError(t, err, typ)
		assert.Equal(t, a, got, typ)
		same, err := raw.ShareMemory(ctx, b, again)
		require.NoError(t, err)
		assert.True(t, same, typ)
		again.Close()
	}
	t.Run("the one that took it releases it", func(t *testing.T) {
		b, err := client.BufferFromHost(ctx, pjrt.ArrayOf([]float32{1, 2, 3, 4}), nil)
		require.NoError(t, err)
		for name, take := range map[string]func(context.Context, *pjrt.Client, uintptr) (*pjrt.Buffer, error){"import": Import, "copy": Copy} {
			tensor, err := Export(ctx, b)
			require.NoError(t, err)
			again, err := take(ctx, client, tensor.Address())
			require.NoError(t, err)
			if name == "import" {
				for _, second := range []func(context.Context, *pjrt.Client, uintptr) (*pjrt.Buffer, error){Import, Copy} {
					_, err = second(ctx, client, tensor.Address())
					require.ErrorContains(t, err, "the tensor is taken already")
				}
				require.NoError(t, tensor.Close())
				exported.mu.Lock()
				assert.Contains(t, exported.tensors, tensor.managed, "Close does nothing")
				exported.mu.Unlock()
			}
			again.Close()
		}
		tensor, err := Export(ctx, b)
		require.NoError(t, err)
		require.NoError(t, tensor.Close())
		_, err = Import(ctx, client, tensor.Address())
		require.ErrorContains(t, err, "the tensor has no data")
		require.NoError(t, b.Close())
	})
	require.Eventually(t, func() bool {
		exported.mu.Lock()
		defer exported.mu.Unlock()
		return len(exported.tensors) == 0
	}, time.Minute, time.Millisecond, "each is released by the deleter")
	_, err := Export(ctx, nil)
	require.Error(t, err)
}

func TestLayoutsAndStrides(t *testing.T) {
	t.Parallel()
	shape := pjrt.Shape{Type: dtype.F32, Dims: []int64{2, 3, 4}}
	for _, order := range [][]int{{2, 1, 0}, {0, 1, 2}, {1, 2, 0}, {2, 0, 1}} {
		l := &pjrt.Layout{MinorToMajor: order}
		strides, err := stridesOf(shape, l)
		require.NoError(t, err)
		got, err := layoutOf(shape, strides)
		require.NoError(t, err)
		if order[0] == 2 && order[1] == 1 {
			assert.Nil(t, got, "row-major")
			continue
		}
		assert.Equal(t, l, got)
	}
	one := pjrt.Shape{Type: dtype.F32, Dims: []int64{3, 1, 2}}
	l, err := layoutOf(one, []int64{2, 77, 1})
	require.NoError(t, err)
	assert.Nil(t, l, "one element has no neighbour")
	l, err = layoutOf(pjrt.Shape{Type: dtype.F32, Dims: []int64{0, 2}}, []int64{9, 9})
	require.NoError(t, err)
	assert.Nil(t, l)
	_, err = stridesOf(shape, &pjrt.Layout{MinorToMajor: []int{2, 1, 0}, Tiles: [][]int64{{8}}})
	require.Error(t, err)
	_, err = layoutOf(shape, []int64{-12, 4, 1})
	require.ErrorContains(t, err, "has gaps or goes backwards")
}
