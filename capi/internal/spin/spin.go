// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package spin has a lock for short work in functions that C calls.
//
// A goroutine that C has called keeps its thread while it waits. When thousands
// call at once and one of them has to wait for a sync.Mutex, the others get
// threads of their own and queue up behind it; each handover then is a switch of
// threads, the queue grows faster than it shrinks, and the process runs out of
// threads.
package spin

import "sync"

// Mutex is a lock that is tried for a while before it is waited for. What is done
// under it must take no longer than a microsecond or so, and must not block. The
// zero value is not locked.
type Mutex struct{ mu sync.Mutex }

// tries is how often the lock is tried, which takes some 100 microseconds. No more
// goroutines than there are processors can be at it at a time, so that the lock is
// free long before, unless its holder was interrupted.
const tries = 1 << 14

// Lock locks m.
func (m *Mutex) Lock() {
	for range tries {
		if m.mu.TryLock() {
			return
		}
	}
	m.mu.Lock()
}

// Unlock unlocks m.
func (m *Mutex) Unlock() { m.mu.Unlock() }
