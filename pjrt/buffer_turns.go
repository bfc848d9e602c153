// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/purepjrt/purepjrt/pjrt/internal/abandon"
)

// turns keeps calls about the contents of a buffer apart that would crash the plugin, or
// block it, if they ran at the same time. A call takes a turn, which says what it does:
//
//	turn       examples                                    with others
//	use        an execution that does not donate the       any number, refused while taken
//	           buffer, a copy, a transfer to the host
//	reference  a reference to the buffer's memory          any number, refused while taken, waits
//	                                                       while an execution may donate
//	risk       an execution of a program that may donate,  any number, refused while taken, waits
//	           of which nothing more is known              for references
//	taken      an execution that donates the buffer, an    one, refused while taken or bound, waits
//	           alias that takes it over                    for all others
//
// XLA's CPU plugin crashes when it is asked for a reference to contents that disappear
// during the call. While an execution that donates a buffer is under way, and even before
// it starts because another argument has no contents yet, the plugin blocks all calls that
// need the buffer's contents, and those that destroy or delete it. The execution therefore
// keeps its turn until its end, and other calls are refused instead.
type turns struct {
	state atomic.Int64
	// doubtful is set before anything may take the contents away but Delete: a call whose
	// turn is risk or taken, or one that this package does not make.
	doubtful atomic.Bool
}

// turn is what a call does with the contents of a buffer: how it counts in turns.state.
type turn int64

const (
	turnReference turn = 1
	turnUse       turn = 1 << 20
	turnRisk      turn = 1 << 40
	turnTaken     turn = 1 << 60

	// deleted is set by Delete and stays. If calls have turns then, the last one deletes
	// the contents at its end.
	deleted int64 = 1 << 61
	// bound is set while a Bound has the buffer. Executions of bound arguments take no
	// turns, so nothing may take the contents meanwhile.
	bound int64 = 1 << 62
)

// waitsFor returns the turns that a call of this kind waits for.
func (t turn) waitsFor() int64 {
	switch t {
	case turnReference:
		return int64(turnTaken - turnRisk)
	case turnRisk:
		return int64(turnUse - turnReference)
	case turnTaken:
		return int64(turnTaken - 1)
	}
	return 0
}

var (
	errTaken   = invalid("the buffer is being donated to an execution or taken over by another buffer, and will then have no contents")
	errDeleted = invalid("the buffer was deleted, or donated to an earlier execution")
	errInUse   = failed(ErrFailedPrecondition, "the buffer is being used by another call: wait for that call first")
	errBound   = failed(ErrFailedPrecondition, "the buffer is bound to a program, which needs its contents: close the Bound first")
)

// begin takes a turn, which the caller ends. It waits for the turns that it must not run
// beside, until ctx ends.
func (t *turns) begin(ctx context.Context, kind turn) error {
	for pause := time.Microsecond; ; {
		s := t.state.Load()
		switch {
		case s&deleted != 0:
			return errDeleted
		case s&int64(turnTaken) != 0:
			return errTaken
		case kind == turnTaken && s&bound != 0:
			return errBound
		case s&kind.waitsFor() == 0:
			if kind >= turnRisk {
				t.doubtful.Store(true)
			}
			if t.state.CompareAndSwap(s, s+int64(kind)) {
				return nil
			}
			continue
		}
		if err := abandon.Err(ctx, nil, "another call that uses the buffer"); err != nil {
			return err
		}
		if s >= int64(turnUse) {
			if err := refuseInHandler(ctx, "the buffer is being used by another call"); err != nil {
				return err
			}
		}
		time.Sleep(pause)
		pause = min(2*pause, time.Millisecond)
	}
}

// end ends a turn. It reports whether the caller must delete the contents, because Delete
// was called meanwhile, no other call has a turn, and no Bound has the buffer.
func (t *turns) end(kind turn) (deletes bool) {
	return t.state.Add(-int64(kind)) == deleted
}

// takeOver is begin for turnTaken. It waits for references, which take little time, and
// fails if any other call has a turn.
func (t *turns) takeOver() error {
	t.doubtful.Store(true)
	for pause := time.Microsecond; ; pause = min(2*pause, time.Millisecond) {
		s := t.state.Load()
		switch {
		case s&deleted != 0:
			return errDeleted
		case s&bound != 0:
			return errBound
		case s >= int64(turnUse):
			return errInUse
		case s == 0 && t.state.CompareAndSwap(0, int64(turnTaken)):
			return nil
		}
		time.Sleep(pause)
	}
}

// markDeleted makes all later calls of begin fail. It reports whether the caller must
// delete the contents: if not, they are deleted already, or by the end of the last call
// that has a turn, or of the last Bound.
func (t *turns) markDeleted() (deletes bool) {
	return t.state.Or(deleted) == 0
}

// unmarkDeleted undoes markDeleted, for a plugin that could not delete the contents.
func (t *turns) unmarkDeleted() { t.state.And(^deleted) }

// isDeleted reports whether Delete was called.
func (t *turns) isDeleted() bool { return t.state.Load()&deleted != 0 }

// reset forgets everything about a buffer that was destroyed.
func (t *turns) reset() {
	if t.state.Load() != 0 {
		t.state.Store(0)
	}
	if t.doubtful.Load() {
		t.doubtful.Store(false)
	}
}

// references counts the external references to a buffer. Plugins keep them in a list
// without a lock, so the calls that change them must not run at the same time.
type references struct {
	turns
	mu     sync.Mutex
	count  int32 // guarded by mu
	bounds int32 // that have the buffer; guarded by mu
}

// bind notes that one more Bound has the buffer. The caller has a turn.
func (r *references) bind() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.bounds++
	r.state.Or(bound)
}

// unbind undoes bind. It reports whether the caller must delete the contents, as turns.end.
func (r *references) unbind() (deletes bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.bounds--; r.bounds > 0 {
		return false
	}
	return r.state.And(^bound)&^bound == deleted
}
