// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"sync/atomic"
	"time"
)

const (
	quickCall  = 50 * time.Microsecond
	quickCalls = 3
)

// quickness is how many times in a row, at most quickCalls, something was quick.
type quickness struct{ n atomic.Int32 }

// certain reports whether the next time will be quick, if each does the same work.
func (q *quickness) certain() bool { return q.n.Load() == quickCalls }

// note counts what began at a time of now and is over.
func (q *quickness) note(begin time.Duration) {
	if n := q.n.Load(); now()-begin > quickCall {
		q.n.Store(0)
	} else if n < quickCalls {
		q.n.CompareAndSwap(n, n+1)
	}
}

var start = time.Now()

// now is a time that can only be compared with others of now. It costs half of time.Now.
func now() time.Duration { return time.Since(start) }
