// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package spin has a lock for short critical sections in functions that C calls.
//
// A goroutine that C has called keeps its thread while it waits. If thousands call at once and one
// has to wait for a sync.Mutex, the others get more threads and queue up behind it. Every handover
// then switches threads, the queue grows faster than it shrinks, and the process runs out of
// threads.
package spin

import "sync"

// Mutex is a lock that spins for a while before it waits. Code that holds it must take no longer
// than about a microsecond, and must not block. The zero value is not locked.
type Mutex struct{ mu sync.Mutex }

// tries is how often Lock tries, which takes about 100 microseconds. Only as many goroutines as
// there are processors can try at once, so the lock is free long before that, unless its holder was
// interrupted.
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
