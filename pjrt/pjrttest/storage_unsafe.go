// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrttest

import (
	"sync"
	"sync/atomic"
	"unsafe"
)

// alignment is the alignment of all storage, the same as that of XLA's buffers on a CPU.
const alignment = 64

// storage is a piece of memory with a count of its uses.
type storage struct {
	in    *memory
	bytes []byte
	size  int64 // counted against in; 0 for memory that is not the plugin's
	// constant says that the plugin must not write to the memory, which is the caller's.
	constant bool

	uses atomic.Int32
	mu   sync.Mutex
	gone []func() // guarded by mu; run when the last use ends
}

// newStorage returns storage with one use, counted against m, or an error if m is full.
func (m *memory) newStorage(size int64) (*storage, error) {
	if err := m.take(size); err != nil {
		return nil, err
	}
	s := &storage{in: m, bytes: aligned(size), size: size}
	s.uses.Store(1)
	return s, nil
}

// borrow returns storage with one use in the caller's memory.
func (m *memory) borrow(bytes []byte, constant bool, gone func()) *storage {
	s := &storage{in: m, bytes: bytes, constant: constant}
	if gone != nil {
		s.gone = append(s.gone, gone)
	}
	s.uses.Store(1)
	return s
}

// aligned returns zeroed memory whose address is a multiple of alignment.
func aligned(size int64) []byte {
	b := make([]byte, size+alignment)
	skip := -uintptr(unsafe.Pointer(unsafe.SliceData(b))) % alignment
	return b[skip : int64(skip)+size : int64(skip)+size]
}

func (s *storage) use() *storage {
	s.uses.Add(1)
	return s
}

// release ends a use.
func (s *storage) release() {
	if s == nil || s.uses.Add(-1) > 0 {
		return
	}
	s.in.give(s.size)
	s.mu.Lock()
	gone := s.gone
	s.gone = nil
	s.mu.Unlock()
	for _, fn := range gone {
		fn()
	}
}

// address returns the address of the storage, or 0 if it is empty.
func (s *storage) address() uintptr {
	if len(s.bytes) == 0 {
		return 0
	}
	return uintptr(unsafe.Pointer(unsafe.SliceData(s.bytes)))
}

// span is a range of the caller's memory, with the place of the first element in it.
type span struct {
	bytes  []byte
	origin int64
}

// hostSpan returns the n bytes that begin origin bytes before p.
func hostSpan(p unsafe.Pointer, n, origin int64) span {
	if n == 0 || p == nil {
		return span{}
	}
	return span{unsafe.Slice((*byte)(unsafe.Add(p, -origin)), n), origin}
}

// hostBytes returns the n bytes at p.
func hostBytes(p unsafe.Pointer, n int64) []byte { return hostSpan(p, n, 0).bytes }

// deviceBytes returns the n bytes at an address.
func deviceBytes(address uintptr, n int64) []byte {
	return hostBytes(*(*unsafe.Pointer)(unsafe.Pointer(&address)), n)
}

func isAligned(p unsafe.Pointer) bool { return uintptr(p)%alignment == 0 }
