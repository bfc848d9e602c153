// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"context"
	"runtime"
	"sync"

	"github.com/purepjrt/purepjrt/capi"
)

// ReadyEvent returns an event that is ready when the array has its contents, or
// the error in place of them (PJRT_Buffer_ReadyEvent). It does not wait. The
// caller closes the event.
func (b *Buffer) ReadyEvent() (*Event, error) {
	h, err := b.ref.Acquire()
	if err != nil {
		return nil, err
	}
	defer b.ref.Release()
	e, err := b.readyEvent(h)
	if err != nil {
		return nil, err
	}
	return newEvent(b.client.table, e, b.client.ref), nil
}

func (b *Buffer) readyEvent(h *capi.Buffer) (*capi.Event, error) {
	var c capi.Call[capi.BufferReadyEventArgs]
	c.Args.Buffer = h
	if err := c.Do(b.client.table); err != nil {
		return nil, err
	}
	if c.Args.Event == nil {
		return nil, errNoReadyEvent
	}
	return c.Args.Event, nil
}

var errNoReadyEvent = failed(ErrInternal, "the plugin gives no event for the contents of a buffer")

// Wait waits until the array has its contents, and returns the error if it will
// never have them, such as that of the computation that makes it.
func (b *Buffer) Wait(ctx context.Context) error {
	h, err := b.ref.Acquire()
	if err != nil {
		return err
	}
	defer b.ref.Release()
	return b.wait(ctx, h)
}

// wait is Wait for an acquired buffer.
func (b *Buffer) wait(ctx context.Context, h *capi.Buffer) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	f := waitFrames.Get().(*waitFrame)
	defer waitFrames.Put(f)
	f.contents.Args.Buffer = h
	if err := f.contents.Do(b.client.table); err != nil {
		return err
	}
	e := f.contents.Args.Event
	if e == nil {
		return errNoReadyEvent
	}
	return b.client.waitWith(ctx, e, f)
}

// waitEvent waits for an event that nobody else sees, and closes it. nil is the
// event of what is over.
func (c *Client) waitEvent(ctx context.Context, e *capi.Event) error {
	if e == nil {
		return nil
	}
	f := waitFrames.Get().(*waitFrame)
	defer waitFrames.Put(f)
	return c.waitWith(ctx, e, f)
}

// waitFrame holds the calls of a wait, so that waiting for what is there
// already, the usual case, allocates nothing.
type waitFrame struct {
	contents capi.Call[capi.BufferReadyEventArgs]
	ready    capi.Call[capi.EventIsReadyArgs]
	await    capi.Call[capi.EventAwaitArgs]
	destroy  capi.Call[capi.EventDestroyArgs]
}

var waitFrames = sync.Pool{New: func() any { return new(waitFrame) }}

func (c *Client) waitWith(ctx context.Context, e *capi.Event, f *waitFrame) error {
	f.ready.Args.Event = e
	if err := f.ready.Do(c.table); err != nil || !f.ready.Args.IsReady {
		return waitAndClose(ctx, c.table, e, c.ref, nil)
	}
	f.await.Args.Event = e
	err := eventError(f.await.Do(c.table))
	f.destroy.Args.Event = e
	_ = f.destroy.Do(c.table) // there is nobody to tell
	return err
}

// HostDone returns a channel that is closed when the plugin no longer uses the
// host's memory that the buffer was made from, which may then be changed:
// usually when a transfer is over, but when a zero-copy buffer is that memory,
// only after the buffer is closed and nothing uses it any longer. The channel of
// a buffer that keeps no memory of the host is closed.
func (b *Buffer) HostDone() <-chan struct{} {
	if b.hostDone == nil {
		return closedChannel
	}
	return b.hostDone
}

var closedChannel = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// keepUntil keeps data referenced until the event is ready, and returns a
// channel that is closed then. It takes the event over.
func (c *Client) keepUntil(h *capi.Event, data []byte) <-chan struct{} {
	done := make(chan struct{})
	e := newEvent(c.table, h, c.ref)
	e.after(func() {
		runtime.KeepAlive(data)
		e.Close()
		close(done)
	})
	return done
}

// after calls fn, which keeps what it refers to referenced until then, once the
// event is ready: at once, or later in a goroutine of its own. Closing the event
// does not call it off.
func (e *Event) after(fn func()) {
	if ready, err := e.Ready(); ready || err != nil {
		fn()
		return
	}
	if err := e.OnReady(func(error) { fn() }); err != nil {
		fn()
	}
}
