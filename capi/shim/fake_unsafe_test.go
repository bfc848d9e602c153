// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package shim_test

import (
	"sync"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/describe"
	"github.com/purepjrt/purepjrt/capi/serve"
)

// fake is a plugin with one device, whose buffers hold the uploaded numbers plus offset. The events
// of uploads become ready when release is called, unless the fake is eager. All other events are
// ready at once.
type fake struct {
	offset float32
	eager  bool

	mu      sync.Mutex
	next    uintptr
	buffers map[*capi.Buffer]*fakeBuffer
	waiting map[*capi.Event][]func() // events that are not ready
}

type fakeBuffer struct {
	dims []int64
	data []float32
}

// handle returns a new address as a handle. No object is there.
func handle[T any](f *fake) *T {
	f.next += 16
	return describe.PointerOf[T](0x10000 + f.next)
}

func serveFake(t testing.TB, f *fake) *capi.Table {
	t.Helper()
	f.buffers, f.waiting = make(map[*capi.Buffer]*fakeBuffer), make(map[*capi.Event][]func())
	device := handle[capi.Device](f)
	devices := []*capi.Device{device}
	locked := func(do func() error) error {
		f.mu.Lock()
		defer f.mu.Unlock()
		return do()
	}
	p := &serve.Plugin{
		Minor:            81,
		PluginInitialize: func(*capi.PluginInitializeArgs) error { return nil },
		ClientCreate: func(a *capi.ClientCreateArgs) error {
			return locked(func() error { a.Client = handle[capi.Client](f); return nil })
		},
		ClientDestroy: func(*capi.ClientDestroyArgs) error { return nil },
		ClientAddressableDevices: func(a *capi.ClientAddressableDevicesArgs) error {
			a.AddressableDevices, a.NumAddressableDevices = &devices[0], 1
			return nil
		},
		ClientBufferFromHostBuffer: func(a *capi.ClientBufferFromHostBufferArgs) error {
			return locked(func() error {
				b := &fakeBuffer{dims: capi.Slice(a.Dims, a.NumDims)}
				n := 1
				for _, d := range b.dims {
					n *= int(d)
				}
				for _, x := range unsafe.Slice((*float32)(a.Data), n) {
					b.data = append(b.data, x+f.offset)
				}
				a.Buffer, a.DoneWithHostBuffer = handle[capi.Buffer](f), handle[capi.Event](f)
				f.buffers[a.Buffer] = b
				if !f.eager {
					f.waiting[a.DoneWithHostBuffer] = nil
				}
				return nil
			})
		},
		BufferDestroy: func(*capi.BufferDestroyArgs) error { return nil },
		BufferElementType: func(a *capi.BufferElementTypeArgs) error {
			a.Type = capi.BufferTypeF32
			return nil
		},
		BufferDimensions: func(a *capi.BufferDimensionsArgs) error {
			return locked(func() error {
				b := f.buffers[a.Buffer]
				if b == nil {
					return &capi.Error{Code: capi.ErrorCodeNotFound, Message: "no such buffer"}
				}
				a.Dims, a.NumDims = &b.dims[0], uintptr(len(b.dims))
				return nil
			})
		},
		BufferToHostBuffer: func(a *capi.BufferToHostBufferArgs) error {
			return locked(func() error {
				b := f.buffers[a.Src]
				if a.Dst == nil {
					a.DstSize = uintptr(4 * len(b.data))
					return nil
				}
				copy(unsafe.Slice((*float32)(a.Dst), len(b.data)), b.data)
				a.Event = handle[capi.Event](f)
				return nil
			})
		},
		EventDestroy: func(*capi.EventDestroyArgs) error { return nil },
		EventAwait:   func(*capi.EventAwaitArgs) error { return nil },
		EventError:   func(*capi.EventErrorArgs) error { return nil },
		EventIsReady: func(a *capi.EventIsReadyArgs) error {
			return locked(func() error {
				_, waits := f.waiting[a.Event]
				a.IsReady = !waits
				return nil
			})
		},
		EventOnReady: func(a *capi.EventOnReadyArgs) error {
			callback, arg := a.Callback, a.UserArg
			call := func() { callback.Call(nil, arg) }
			f.mu.Lock()
			list, waits := f.waiting[a.Event]
			if waits {
				f.waiting[a.Event] = append(list, call)
			}
			f.mu.Unlock()
			if !waits {
				call()
			}
			return nil
		},
	}
	table, err := p.Serve()
	require.NoError(t, err)
	t.Cleanup(func() { _ = table.Close() })
	return table.Capi()
}

// release makes the events of uploads ready.
func (f *fake) release() {
	f.mu.Lock()
	waiting := f.waiting
	f.waiting = make(map[*capi.Event][]func())
	f.mu.Unlock()
	for _, calls := range waiting {
		for _, call := range calls {
			call()
		}
	}
}

// client calls a table as C does.
type client struct {
	t      testing.TB
	table  *capi.Table
	client *capi.Client
	device *capi.Device
}

// do makes a call that must succeed.
func do[A any](t testing.TB, table *capi.Table, args A) *A {
	t.Helper()
	c := &capi.Call[A]{Args: args}
	require.NoError(t, c.Do(table))
	return &c.Args
}

func newClient(t testing.TB, table *capi.Table) *client {
	t.Helper()
	do(t, table, capi.PluginInitializeArgs{})
	c := &client{t: t, table: table, client: do(t, table, capi.ClientCreateArgs{}).Client}
	c.device = *do(t, table, capi.ClientAddressableDevicesArgs{Client: c.client}).AddressableDevices
	return c
}

func (c *client) upload(data []float32, semantics capi.HostBufferSemantics) (*capi.Buffer, *capi.Event) {
	c.t.Helper()
	dims := []int64{int64(len(data))}
	a := do(c.t, c.table, capi.ClientBufferFromHostBufferArgs{
		Client: c.client, Data: unsafe.Pointer(&data[0]), Type: capi.BufferTypeF32, Dims: &dims[0], NumDims: 1,
		HostBufferSemantics: semantics, Device: c.device,
	})
	return a.Buffer, a.DoneWithHostBuffer
}

func (c *client) download(b *capi.Buffer, n int) []float32 {
	c.t.Helper()
	out := make([]float32, n)
	a := do(c.t, c.table, capi.BufferToHostBufferArgs{Src: b, Dst: unsafe.Pointer(&out[0]), DstSize: uintptr(4 * n)})
	do(c.t, c.table, capi.EventAwaitArgs{Event: a.Event})
	c.destroyEvent(a.Event)
	return out
}

func (c *client) destroyEvent(e *capi.Event) { do(c.t, c.table, capi.EventDestroyArgs{Event: e}) }
func (c *client) destroyBuffer(b *capi.Buffer) {
	do(c.t, c.table, capi.BufferDestroyArgs{Buffer: b})
}
func (c *client) close() { do(c.t, c.table, capi.ClientDestroyArgs{Client: c.client}) }
