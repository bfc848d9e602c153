// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"sync/atomic"
	"time"
)

// turns keeps two kinds of calls about a buffer apart: those that may take its
// contents away (deleting it, running a program that may donate it) and those
// that take an external reference. XLA's CPU plugin crashes when a reference is
// asked for after the contents are gone, and only the order of the calls can
// prevent that. Calls of one kind do not wait for each other, so that a buffer may
// be an argument twice, and of many executions at the same time.
type turns struct {
	// state counts the calls of both kinds that are under way: references in the
	// lower half, consumers in the upper.
	state atomic.Int64
}

const oneConsumer = 1 << 32

// beginConsume waits until no reference is being taken, which is short, and keeps
// it so until endConsume.
func (t *turns) beginConsume() {
	t.begin(oneConsumer, func(s int64) bool { return s%oneConsumer == 0 })
}

func (t *turns) endConsume() { t.state.Add(-oneConsumer) }

// beginReference waits until no call that may take the contents away is under
// way, which can be as long as a program runs, and keeps it so until
// endReference.
func (t *turns) beginReference() {
	t.begin(1, func(s int64) bool { return s < oneConsumer })
}

func (t *turns) endReference() { t.state.Add(-1) }

// begin adds n to the state once mayBegin says so.
func (t *turns) begin(n int64, mayBegin func(int64) bool) {
	for pause := time.Microsecond; ; {
		if s := t.state.Load(); mayBegin(s) {
			if t.state.CompareAndSwap(s, s+n) {
				return
			}
			continue
		}
		time.Sleep(pause)
		pause = min(2*pause, time.Millisecond)
	}
}
