// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"sync/atomic"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/internal/lifetimes"
	"github.com/purepjrt/purepjrt/pjrt/internal/standin"
)

// bufferState is what belongs to a C buffer and not to the Buffer. It is apart from the Buffer so
// that it does not keep it reachable, and because it goes to another Buffer when the C buffer
// is destroyed: only who has acquired the Buffer may look at it. What each execution looks at
// comes first, in one line of the processor's cache with the count of the lifetime.
type bufferState struct {
	references references                  // external ones
	filled     atomic.Bool                 // the contents have been there: see hasContents
	bornFilled bool                        // filled, if that was so before anyone had the Buffer; never changed
	born       *capi.Device                // device, if it was known before anyone had the Buffer; never changed
	device     atomic.Pointer[capi.Device] // where the plugin put it, or was told to; nil if unknown
	inMemory   atomic.Pointer[Layout]      // see knownLayout
	kind       *resultKind                 // if an execution made the buffer, or nil; never changed
	waits      *standin.Set                // what the contents waited for when the buffer was made, or nil; never changed
	host       *hostUse                    // to be told when the C buffer is destroyed, or nil
	pending    atomic.Pointer[eventState]  // of the contents, for all who wait for them; nil if nobody has had to
	dynamic    answer                      // does it have dimensions known only at run time?
	readable   answer                      // can the host read its memory as a dense array?

	destroy capi.Call[capi.BufferDestroyArgs] // the last call about the buffer
}

// reset forgets everything about a C buffer that was destroyed. Atomic stores cost more than
// the rest of it, and most buffers were only passed on.
func (x *bufferState) reset() {
	x.references.reset()
	x.born, x.bornFilled, x.kind, x.waits, x.host = nil, false, nil, nil, nil
	if x.device.Load() != nil {
		x.device.Store(nil)
	}
	if x.inMemory.Load() != nil {
		x.inMemory.Store(nil)
	}
	if x.pending.Load() != nil {
		x.pending.Store(nil)
	}
	if x.filled.Load() {
		x.filled.Store(false)
	}
	x.dynamic.forget()
	x.readable.forget()
}

// A bufferFamily makes the references to the buffers of a client, which are expectedBuffers
// before they exist.
type (
	bufferFamily    = lifetimes.Family[capi.Buffer, bufferState]
	expectedBuffers = lifetimes.Expected[capi.Buffer, bufferState]
)

// bufferDestroyer returns the function that destroys the buffers of a client. They all
// share it, because programs make many buffers.
func bufferDestroyer(table *capi.Table) func(*capi.Buffer, *bufferState) {
	return func(h *capi.Buffer, x *bufferState) {
		if h != nil { // see lifetimes.Ref.EndClose
			x.destroy.Args.Buffer = h
			_ = x.destroy.Do(table)
		}
		if x.host != nil {
			x.host.bufferDestroyed()
		}
		x.reset()
	}
}

// answer caches the plugin's answer to a question whose answer never changes.
type answer struct{ state atomic.Int32 }

const (
	answerNo  = 1
	answerYes = 2
)

// forget makes get ask again.
func (a *answer) forget() {
	if a.state.Load() != 0 {
		a.state.Store(0)
	}
}

func (a *answer) get(ask func() bool) bool {
	switch a.state.Load() {
	case answerNo:
		return false
	case answerYes:
		return true
	}
	yes := ask()
	if yes {
		a.state.Store(answerYes)
	} else {
		a.state.Store(answerNo)
	}
	return yes
}
