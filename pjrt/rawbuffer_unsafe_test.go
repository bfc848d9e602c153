// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"context"
	"sync"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
)

// rawStandIn is the RawBuffer extension, on the memory of CPU buffers.
type rawStandIn struct {
	mu    sync.Mutex
	alive map[*capi.RawBuffer]*rawMemory // guarded by mu
}

type rawMemory struct {
	buffer *capi.Buffer // holds the memory
	data   []byte
}

func (s *rawStandIn) of(h *capi.RawBuffer) *rawMemory {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.alive[h]
}

func (v *variant) addRawBuffers(t testing.TB) *rawStandIn {
	t.Helper()
	s := &rawStandIn{alive: make(map[*capi.RawBuffer]*rawMemory)}
	ready := func(b *capi.Buffer) *capi.Event {
		c := new(capi.Call[capi.BufferReadyEventArgs])
		c.Args.Buffer = b
		if err := c.Do(v.real); err != nil {
			t.Error(err)
		}
		return c.Args.Event
	}
	x := &capi.RawBufferExtension{
		Base: capi.ExtensionBase{StructSize: capi.RawBufferExtensionSize, Type: capi.ExtensionTypeRawBuffer},
		RawBufferCreateRawAliasOfBuffer: purego.NewCallback(func(a *capi.RawBufferCreateRawAliasOfBufferArgs) uintptr {
			at, size := new(capi.Call[capi.BufferUnsafePointerArgs]), new(capi.Call[capi.BufferOnDeviceSizeInBytesArgs])
			at.Args.Buffer, size.Args.Buffer = a.Buffer, a.Buffer
			if err := at.Do(v.real); err != nil {
				t.Error(err)
			}
			if err := size.Do(v.real); err != nil {
				t.Error(err)
			}
			m := &rawMemory{a.Buffer, unsafe.Slice(*(**byte)(unsafe.Pointer(&at.Args.BufferPointer)), size.Args.OnDeviceSizeInBytes)}
			a.RawBuffer = (*capi.RawBuffer)(unsafe.Pointer(m))
			s.mu.Lock()
			defer s.mu.Unlock()
			s.alive[a.RawBuffer] = m
			return 0
		}),
		RawBufferDestroy: purego.NewCallback(func(a *capi.RawBufferDestroyArgs) uintptr {
			s.mu.Lock()
			defer s.mu.Unlock()
			delete(s.alive, a.Buffer)
			return 0
		}),
		RawBufferGetOnDeviceSizeInBytes: purego.NewCallback(func(a *capi.RawBufferGetOnDeviceSizeInBytesArgs) uintptr {
			a.OnDeviceSizeInBytes = uintptr(len(s.of(a.Buffer).data))
			return 0
		}),
		RawBufferGetMemorySpace: purego.NewCallback(func(a *capi.RawBufferGetMemorySpaceArgs) uintptr {
			c := new(capi.Call[capi.BufferMemoryArgs])
			c.Args.Buffer = s.of(a.Buffer).buffer
			if err := c.Do(v.real); err != nil {
				t.Error(err)
			}
			a.MemorySpace = c.Args.Memory
			return 0
		}),
		RawBufferGetHostPointer: purego.NewCallback(func(a *capi.RawBufferGetHostPointerArgs) uintptr {
			a.HostPointer = unsafe.Pointer(&s.of(a.Buffer).data[0])
			return 0
		}),
		RawBufferCopyRawHostToDevice: purego.NewCallback(func(a *capi.RawBufferCopyRawHostToDeviceArgs) uintptr {
			m := s.of(a.Buffer)
			copy(m.data[a.Offset:], unsafe.Slice((*byte)(a.Src), a.TransferSize))
			a.Event = ready(m.buffer)
			return 0
		}),
		RawBufferCopyRawDeviceToHost: purego.NewCallback(func(a *capi.RawBufferCopyRawDeviceToHostArgs) uintptr {
			m := s.of(a.Buffer)
			copy(unsafe.Slice((*byte)(a.Dst), a.TransferSize), m.data[a.Offset:])
			a.Event = ready(m.buffer)
			return 0
		}),
	}
	v.extend(&x.Base)
	return s
}

func TestBytesAreWrittenIntoABuffer(t *testing.T) {
	ctx := context.Background()
	v := newVariant(t)
	s := v.addRawBuffers(t)
	client := v.client(t)
	b := upload(t, client, matrix(1, 2, 3, 4))
	raw, err := b.Raw(ctx)
	require.NoError(t, err)
	defer raw.Close()
	assert.EqualValues(t, 16, raw.Size())
	m, err := raw.Memory()
	require.NoError(t, err)
	bm, err := b.Memory()
	require.NoError(t, err)
	assert.Same(t, bm, m)
	address, err := raw.HostAddress()
	require.NoError(t, err)
	want, err := b.UnsafePointer(ctx)
	require.NoError(t, err)
	assert.Equal(t, want, address)

	require.NoError(t, raw.CopyFromHost(ctx, floats(20, 30).Data, 4))
	assert.Equal(t, []float32{1, 20, 30, 4}, read(t, b))
	got := make([]byte, 8)
	require.NoError(t, raw.CopyToHost(ctx, got, 8))
	assert.Equal(t, floats(30, 4).Data, got)
	require.NoError(t, raw.CopyFromHost(ctx, nil, 16), "nothing, at the end")
	e, err := raw.CopyFromHostAsync(floats(5).Data, 12)
	require.NoError(t, err)
	require.NoError(t, e.Wait(ctx))
	e.Close()
	assert.Equal(t, []float32{1, 20, 30, 5}, read(t, b))

	ended, cancel := context.WithCancel(ctx)
	cancel()
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"beyond":      {raw.CopyFromHost(ctx, make([]byte, 8), 12), "8 bytes at 12 are not within the 16"},
		"negative":    {raw.CopyToHost(ctx, make([]byte, 8), -1), "8 bytes at -1 are not"},
		"after all":   {raw.CopyToHost(ctx, nil, 17), "0 bytes at 17 are not"},
		"ctx has end": {raw.CopyToHost(ended, got, 0), "context canceled"},
	} {
		require.ErrorContains(t, c.err, c.want, name)
	}
	require.NoError(t, raw.Close())
	require.NoError(t, raw.Close())
	require.ErrorIs(t, raw.CopyToHost(ctx, got, 0), pjrt.ErrClosed)
	_, err = raw.Memory()
	require.ErrorIs(t, err, pjrt.ErrClosed)
	assert.Empty(t, s.alive)

	require.NoError(t, b.Delete())
	_, err = b.Raw(ctx)
	require.ErrorContains(t, err, "deleted or donated")
	_, err = upload(t, newClient(t), matrix(1, 2, 3, 4)).Raw(ctx)
	require.ErrorIs(t, err, pjrt.ErrUnimplemented, "the CPU plugin has no such extension")
}

func TestBuffersThatShareMemoryAreToldApart(t *testing.T) {
	ctx := context.Background()
	client := newClient(t)
	data := pjrt.AlignedSlice[float32](32)
	view := func(from, n int) *pjrt.Buffer {
		b, err := client.ViewOfHostMemory(ctx, pjrt.ArrayOf(data[from:from+n], int64(n)), nil)
		require.NoError(t, err)
		t.Cleanup(func() { b.Close() })
		return b
	}
	all, first, second := view(0, 32), view(0, 16), view(16, 16)
	own := upload(t, client, matrix(1, 2, 3, 4))
	empty := upload(t, client, pjrt.ArrayOf([]float32{}, 0))
	for name, c := range map[string]struct {
		a, b *pjrt.Buffer
		want bool
	}{
		"itself":     {own, own, true},
		"a part":     {all, second, true},
		"neighbours": {first, second, false},
		"another":    {all, own, false},
		"nothing":    {own, empty, false},
	} {
		got, err := c.a.Aliases(ctx, c.b)
		require.NoError(t, err, name)
		assert.Equal(t, c.want, got, name)
		got, err = c.b.Aliases(ctx, c.a)
		require.NoError(t, err, name)
		assert.Equal(t, c.want, got, name)
	}
	_, err := own.Aliases(ctx, nil)
	require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
	_, err = own.Aliases(ctx, upload(t, newClient(t), matrix(1, 2, 3, 4)))
	require.ErrorContains(t, err, "belong to two clients")
}
