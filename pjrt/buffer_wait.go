// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"context"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/internal/abandon"
	"github.com/purepjrt/purepjrt/pjrt/internal/inside"
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
	event.waits = b.waits
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
	if ctx.Done() == nil {
		return b.waitNow(ctx)
	}
	return abandon.DoOn(ctx, b.subject(), func() error { return b.waitNow(ctx) })
}

// waitNow is Wait on a goroutine that may block in C.
func (b *Buffer) waitNow(ctx context.Context) error {
	h, err := b.acquire()
	if err != nil {
		return err
	}
	defer b.ref.Release()
	return b.wait(ctx, h)
}

// wait is Wait for an acquired buffer.
func (b *Buffer) wait(ctx context.Context, h *capi.Buffer) error {
	if err := abandon.Err(ctx, b.subject(), ""); err != nil {
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
		return b.orGone(h, err)
	}
	if err := b.await(ctx, c, c.contents.Args.Event); err != nil {
		return b.orGone(h, err)
	}
	b.fill()
	return nil
}

// await takes over an event of the contents and waits for it. All who wait for pending contents
// share one event, so that those who give up leave nothing behind.
func (b *Buffer) await(ctx context.Context, c *eventCalls, h *capi.Event) error {
	if ctx.Done() == nil {
		return c.await(ctx, b.client.table, h, b.client.ref)
	}
	if h == nil {
		return nil
	}
	if c.isOver(ctx, b.client.table, h) {
		return c.finish(b.client.table, h)
	}
	s := new(eventState)
	if b.pending.CompareAndSwap(nil, s) {
		s.watch(b.client.table, h, &heldEvent{table: b.client.table, handle: h, keep: b.client.ref})
	} else {
		s = b.pending.Load()
		c.close(b.client.table, h)
	}
	select {
	case <-s.channel():
		return s.err
	case <-ctx.Done():
		return abandon.Err(ctx, b.subject(), "its contents")
	}
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

// refuseToWait returns an error if ctx is that of a handler that the contents of the buffer
// wait for.
func (b *Buffer) refuseToWait(ctx context.Context, h *capi.Buffer) error {
	x := inside.Awaited(ctx, b.waits)
	if x == nil || b.settled(h) {
		return nil
	}
	return waitsForHandler(x, "the "+b.shape.String()+" buffer")
}

// useContents makes a C call that uses the contents of b, which the caller has acquired. Plugins
// may wait in such a call for contents that are not there yet. A token has none, and is refused.
func useContents[T any](ctx context.Context, b *Buffer, h *capi.Buffer, call func() (T, error)) (T, error) {
	var none T
	if err := b.hasElements(); err != nil {
		return none, err
	}
	if err := b.refuseToWait(ctx, h); err != nil {
		return none, err
	}
	if err := b.beginTurn(ctx, turnUse); err != nil {
		return none, err
	}
	defer b.endTurn(turnUse, h)
	v, err := call()
	return v, b.orGone(h, err)
}

// settled reports whether the buffer has its contents, or failed.
func (b *Buffer) settled(h *capi.Buffer) bool {
	c := eventCallPool.Get().(*eventCalls)
	defer eventCallPool.Put(c)
	settled, _ := c.pollContents(b.client.table, h)
	return settled
}
