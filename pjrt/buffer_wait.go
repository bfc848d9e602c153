// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"context"
	"runtime"

	"github.com/purepjrt/purepjrt/capi"
)

// ReadyEvent returns an event, which the caller closes, that is ready when the array has
// its contents or failed (PJRT_Buffer_ReadyEvent). It does not wait.
func (b *Buffer) ReadyEvent() (*Event, error) {
	h, err := b.acquire()
	if err != nil {
		return nil, err
	}
	defer b.ref.Release()
	e, err := b.readyEvent(h)
	if err != nil {
		return nil, err
	}
	event := newEvent(b.client.table, e, b.client.events)
	event.waits = b.standIns.Load()
	return event, nil
}

func (b *Buffer) readyEvent(h *capi.Buffer) (*capi.Event, error) {
	var c capi.Call[capi.BufferReadyEventArgs]
	c.Args.Buffer = h
	if err := c.Do(b.client.table); err != nil {
		return nil, err
	}
	return c.Args.Event, nil
}

// Wait waits until the array has its contents, and returns the error if it failed, such
// as that of the computation.
func (b *Buffer) Wait(ctx context.Context) error {
	h, err := b.acquire()
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
	if err := b.refuseToWait(ctx, h); err != nil {
		return err
	}
	if b.hasContents() {
		return nil
	}
	c := eventCallPool.Get().(*eventCalls)
	defer eventCallPool.Put(c)
	c.contents.Args.Buffer = h
	if err := c.contents.Do(b.client.table); err != nil {
		return err
	}
	if err := c.await(ctx, b.client.table, c.contents.Args.Event, b.client.ref); err != nil {
		return err
	}
	b.fill()
	return nil
}

// fill notes that the contents are there.
func (b *Buffer) fill() {
	if !b.bornFilled && !b.filled.Load() {
		b.filled.Store(true)
	}
}

// hasContents reports whether the contents certainly are there, as they were before: they
// come once, and nothing may have taken them since.
func (b *Buffer) hasContents() bool {
	return (b.bornFilled || b.filled.Load()) && !b.references.isDeleted() && !b.references.doubtful.Load()
}

// HostDone returns a channel that is closed when the plugin no longer uses the host
// memory that the buffer was made from: usually after the transfer, but for a zero-copy
// buffer possibly only when it is closed and unused. If the buffer keeps no host memory,
// the channel is closed from the start.
func (b *Buffer) HostDone() <-chan struct{} {
	if b == nil || b.host == nil {
		return closedChannel
	}
	return b.host.ended()
}

// keepUntil owns the event h. It keeps data referenced until h is ready, and returns a
// channel that is closed then.
func (c *Client) keepUntil(h *capi.Event, data []byte) chan struct{} {
	done := make(chan struct{})
	e := newEvent(c.table, h, c.events)
	e.after(func() {
		runtime.KeepAlive(data)
		e.Close()
		close(done)
	})
	return done
}
