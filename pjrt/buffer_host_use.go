// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"runtime"
	"sync"

	"github.com/purepjrt/purepjrt/capi"
)

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
