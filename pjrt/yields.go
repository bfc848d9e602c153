// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"runtime"
	"sync/atomic"
	"time"
)

// yields are those of a goroutine that makes call after call. Go takes the processor from one
// that has had it for ten milliseconds. That costs most during a call into C, and afterwards Go
// looks for more to take every 20 µs for a while, on a processor that the plugin needs: a third of
// all changes of threads in a loop of executions that take 0.1 ms each. A goroutine that yields
// before that only goes to the end of the queue.
type yields struct{ last atomic.Int64 } // a time of now

// yieldAfter is half of those ten milliseconds: executions that take less time yield before these
// are over, and those that take more yield each time.
const yieldAfter = 5 * time.Millisecond

// yield yields if that is due at a time of now. The caller holds nothing that others wait for.
func (y *yields) yield(at time.Duration) {
	if y.due(at) {
		runtime.Gosched()
	}
}

// due reports whether no goroutine has yielded for a while, and says that one now does.
func (y *yields) due(at time.Duration) bool {
	last := y.last.Load()
	return at-time.Duration(last) > yieldAfter && y.last.CompareAndSwap(last, int64(at))
}
