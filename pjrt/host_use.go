// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"runtime"
	"sync"

	"github.com/purepjrt/purepjrt/capi"
)

// hostUse keeps the memory of the host that C uses for a buffer, until C is done with it. A callback that says
// when costs several times as much as making and destroying a zero-copy buffer. C needs the memory of such a
// buffer until it is destroyed, and most likely no longer. So the event is looked at then, and gets a callback
// only if C is not done by then, or if somebody asks before.
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
	if done == nil || semantics == ImmutableZeroCopy || semantics == MutableZeroCopy {
		b.holding.host = u
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.wait()
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
	if u.done == nil && u.event != nil {
		u.wait()
	}
	if u.done == nil {
		u.done = make(chan struct{})
	}
	return u.done
}

// wait has the event close done. The caller holds mu.
func (u *hostUse) wait() {
	u.done, u.waiting = u.client.keepUntil(u.event, u.data), true
	u.data, u.event = nil, nil
}
