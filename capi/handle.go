// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package capi

import "sync"

// Handle is a word that represents a Go value in C, for example as the user_arg of a callback. It
// is never zero, and never an address, so neither the garbage collector nor C can mistake it for
// one.
//
// The value stays alive until Delete. Any goroutine and any thread of C may use a Handle.
type Handle uintptr

// handles is the table of all handles. The upper half of a handle is the generation of its slot, so
// that a handle that C uses after its deletion finds nothing, instead of a later value.
var handles struct {
	mu    sync.RWMutex
	slots []handleSlot // guarded by mu
	free  []uint32     // guarded by mu; indices of empty slots
}

type handleSlot struct {
	generation uint32
	value      any // nil if the slot is empty
}

// NewHandle makes a handle of v, which must not be nil.
func NewHandle(v any) Handle {
	if v == nil {
		panic("capi: NewHandle of nil")
	}
	handles.mu.Lock()
	defer handles.mu.Unlock()
	if n := len(handles.free); n > 0 {
		i := handles.free[n-1]
		handles.free = handles.free[:n-1]
		s := &handles.slots[i]
		s.value = v
		return makeHandle(i, s.generation)
	}
	handles.slots = append(handles.slots, handleSlot{generation: 1, value: v})
	return makeHandle(uint32(len(handles.slots)-1), 1)
}

func makeHandle(index, generation uint32) Handle {
	return Handle(uint64(generation)<<32 | uint64(index))
}

// slot returns the slot of h, or nil when h was deleted or never made.
// Precondition: handles.mu is held.
func (h Handle) slot() *handleSlot {
	i := uint32(h)
	if int(i) >= len(handles.slots) {
		return nil
	}
	s := &handles.slots[i]
	if s.value == nil || s.generation != uint32(uint64(h)>>32) {
		return nil
	}
	return s
}

// Value returns the value of h, or false if h was deleted.
func (h Handle) Value() (any, bool) {
	handles.mu.RLock()
	defer handles.mu.RUnlock()
	if s := h.slot(); s != nil {
		return s.value, true
	}
	return nil, false
}

// Delete ends the handle. Deleting it again does nothing.
func (h Handle) Delete() { h.take() }

// take returns the value of h and deletes h. If it is called twice, only one call gets the value.
func (h Handle) take() (any, bool) {
	handles.mu.Lock()
	defer handles.mu.Unlock()
	s := h.slot()
	if s == nil {
		return nil, false
	}
	v := s.value
	s.value = nil
	// Skip generation 0, because its slot 0 would be the handle 0.
	if s.generation++; s.generation == 0 {
		s.generation = 1
	}
	handles.free = append(handles.free, uint32(h))
	return v, true
}

// LiveHandles returns the number of handles that have not been deleted.
func LiveHandles() int {
	handles.mu.RLock()
	defer handles.mu.RUnlock()
	return len(handles.slots) - len(handles.free)
}
