// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package worker

import (
	"cmp"
	"encoding/binary"
	"slices"
	"sync/atomic"
)

// A notebook is memory that a worker shares with its driver, so its contents outlive
// the worker. It holds the newest notes, each with its place in the order.
const (
	noteSlots = 64
	noteSize  = 8
	// maxNotes is how many notes a Death has: the oldest slots may be half
	// written.
	maxNotes = 8
)

var notebook struct {
	memory []byte
	count  atomic.Uint32
	last   atomic.Int32 // the newest note plus one; 0: none
}

// Note writes down a number that outlives this worker: its Death has the last ones. A
// number that is noted twice in a row is there once. Note takes nanoseconds and may be
// called from any goroutine.
func Note(n uint16) {
	b := &notebook
	if b.memory == nil || b.last.Swap(int32(n)+1) == int32(n)+1 {
		return
	}
	at := b.count.Add(1)
	slot := b.memory[at%noteSlots*noteSize:]
	binary.LittleEndian.PutUint32(slot, 0) // empty while it is being written
	binary.LittleEndian.PutUint16(slot[4:], n)
	binary.LittleEndian.PutUint32(slot, at)
}

// Noted returns the last notes of this process, the newest first.
func Noted() []uint16 { return readNotes(notebook.memory) }

func readNotes(memory []byte) []uint16 {
	type note struct {
		at uint32
		n  uint16
	}
	var all []note
	for ; len(memory) >= noteSize; memory = memory[noteSize:] {
		if at := binary.LittleEndian.Uint32(memory); at != 0 {
			all = append(all, note{at, binary.LittleEndian.Uint16(memory[4:])})
		}
	}
	slices.SortFunc(all, func(a, b note) int { return cmp.Compare(b.at, a.at) })
	var notes []uint16
	for _, x := range all[:min(len(all), maxNotes)] {
		notes = append(notes, x.n)
	}
	return notes
}
