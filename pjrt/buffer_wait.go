// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"context"
	"runtime"
	"sync"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/internal/abandon"
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
	return abandon.Do(ctx, func() error { return b.waitNow(ctx) })
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
	if err := b.await(ctx, c, c.contents.Args.Event); err != nil {
		return err
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
		return ctx.Err()
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

// hostUse keeps the memory of the host that C uses for a buffer, until C is done with it. A
// callback that says when costs several times as much as making and destroying a zero-copy buffer.
// C needs the memory of such a buffer until it is destroyed, and most likely no longer. So the
// event is looked at then, and gets a callback only if C is not done by then, or if somebody asks
// before.
type hostUse struct {
	client *Client

	mu      sync.Mutex
	data    []byte        // guarded by mu
	event   *capi.Event   // guarded by mu; ready once C is done; nil if only destroying the buffer shows it
	waiting bool          // guarded by mu; a callback of the event closes done
	done    chan struct{} // guarded by mu; closed once C is done; nil while nobody has asked
}

// useHost has C use data for b until done is ready, or, if done is nil, as long as b exists.
func (b *Buffer) useHost(done *capi.Event, data []byte, semantics HostBufferSemantics) {
	if done != nil && b.client.closeReady(done) {
		runtime.KeepAlive(data)
		return
	}
	u := &hostUse{client: b.client, data: data, event: done}
	b.host = u
	zeroCopy := semantics == ImmutableZeroCopy || semantics == MutableZeroCopy
	if done == nil || zeroCopy && !b.client.plugin.copiesHostMemory() {
		b.holding.host = u
		return
	}
	u.ended() // so that a callback frees the memory, since C is done before the buffer is destroyed
}

// closeReady destroys an event if it is ready.
func (c *Client) closeReady(h *capi.Event) bool {
	calls := eventCallPool.Get().(*eventCalls)
	defer eventCallPool.Put(calls)
	if ready, err := calls.isReady(c.table, h); !ready || err != nil {
		return false
	}
	calls.close(c.table, h)
	return true
}

// bufferDestroyed says that the buffer has been destroyed.
func (u *hostUse) bufferDestroyed() {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.waiting {
		return
	}
	if u.event != nil && !u.client.closeReady(u.event) {
		u.wait()
		return
	}
	runtime.KeepAlive(u.data)
	u.data, u.event = nil, nil
	if u.done == nil {
		u.done = closedChannel
	} else {
		close(u.done)
	}
}

// ended returns a channel that is closed once C is done.
func (u *hostUse) ended() <-chan struct{} {
	u.mu.Lock()
	defer u.mu.Unlock()
	switch {
	case u.done != nil:
	case u.event != nil:
		u.wait()
	default:
		u.done = make(chan struct{})
	}
	return u.done
}

// wait has the event close done. The caller holds mu.
func (u *hostUse) wait() {
	u.done, u.waiting = u.client.keepUntil(u.event, u.data), true
	u.data, u.event = nil, nil
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
