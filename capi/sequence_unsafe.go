// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package capi

import (
	"unsafe"

	"github.com/purepjrt/purepjrt/capi/internal/ccall"
)

// SequenceLength is the most calls that a Sequence can hold.
const SequenceLength = ccall.ChainLength

// Sequence makes calls one after the other in a single crossing into C, which costs about as much
// as the rest of a short call. The zero value has no calls. Once filled by Add and AddFor, it can
// be used again like a [Call], by one goroutine at a time; the fields of the calls' Args may change
// between uses. A Sequence must not be copied, and lives on the heap.
type Sequence struct {
	chain ccall.Chain
	calls [SequenceLength]*callHeader
	n     int
	newer [SequenceLength]newerFields // of the calls that are gated
}

// Caller is a pointer to a [Call].
type Caller interface {
	Function() *Function
	header() *callHeader
}

func (c *Call[A]) header() *callHeader { return &c.callHeader }

// Add appends a call. It panics if there is no room, or if the function is void, such as
// PJRT_Error_Destroy.
func (s *Sequence) Add(c Caller) {
	if c.Function().Void {
		panic("capi: " + c.Function().Name + " is void and cannot be part of a sequence")
	}
	h := c.header()
	s.chain.Links[s.n].Frame, s.calls[s.n] = &h.frame, h
	s.n++
}

// AddFor appends a call that takes a handle from an earlier call of the sequence: right before the
// call, the handle at from is copied to to, a field of the call's Args. If the handle is null, the
// call is skipped, as if it had succeeded.
func AddFor[H any](s *Sequence, c Caller, from, to **H) {
	s.chain.Links[s.n].From, s.chain.Links[s.n].To = unsafe.Pointer(from), unsafe.Pointer(to)
	s.Add(c)
}

// Do makes the calls in their order, each as [Call.Do] would, until one fails. It returns how many
// succeeded or were skipped, and the error of the next one. Results are checked when all calls have
// been made: if a call leaves out a required result, the calls after it have been made all the
// same.
func (s *Sequence) Do(t *Table) (made int, err error) {
	if t != nil && t.before != nil {
		return s.each(t)
	}
	for i, h := range s.calls[:s.n] {
		args := h.args()
		if h.isReady(t) || h.table == t && s.newer[i].areZero(t, args) {
			h.begin(args)
			continue
		}
		err = h.prepare(t, args)
		if h.gated && s.newer[i].table != t {
			s.newer[i].learn(t, h.fn)
		}
		if err != nil {
			if i > 0 {
				s.invoke(t, i)
				if made, failed := s.results(t, i); failed != nil {
					return made, failed
				}
			}
			return i, err
		}
	}
	if t != nil && t.calls != nil {
		s.invoke(t, s.n)
	} else { // with one function less on the way to C
		s.chain.Left, s.chain.Made = uintptr(s.n), 0
		ccall.InvokeChain(&s.chain)
	}
	return s.results(t, s.n)
}

// invoke makes the first n calls.
func (s *Sequence) invoke(t *Table, n int) {
	s.chain.Left, s.chain.Made = uintptr(n), 0
	if t.calls != nil {
		t.calls <- struct{}{}
		defer func() { <-t.calls }()
	}
	ccall.InvokeChain(&s.chain)
}

// results checks the results of the first n calls, and returns what Do returns.
func (s *Sequence) results(t *Table, n int) (made int, err error) {
	called := min(int(s.chain.Made)+1, n)
	for i, h := range s.calls[:called] {
		succeeded := h.succeeded(t)
		if succeeded && h.results == 0 {
			continue
		}
		if l := &s.chain.Links[i]; l.From != nil && *(*uintptr)(l.To) == 0 {
			continue // skipped
		}
		if succeeded && h.isComplete(h.args()) {
			continue
		}
		if err := h.result(t, h.args()); err != nil {
			return i, err
		}
	}
	return called, nil
}

// each makes the calls with a crossing for each.
func (s *Sequence) each(t *Table) (made int, err error) {
	for i, h := range s.calls[:s.n] {
		if l := &s.chain.Links[i]; l.From != nil {
			*(*unsafe.Pointer)(l.To) = *(*unsafe.Pointer)(l.From)
			if *(*unsafe.Pointer)(l.To) == nil {
				continue
			}
		}
		if err := h.do(t, h.args()); err != nil {
			return i, err
		}
	}
	return s.n, nil
}

// args returns the struct that follows h.
func (h *callHeader) args() unsafe.Pointer {
	return unsafe.Add(unsafe.Pointer(&h.frame), ccall.FrameSize)
}

// newerFields has the fields of a function that the plugin does not know, and that must therefore
// be zero. Bits stand for words as in form, also for those that have such a field and something
// else.
type newerFields struct {
	table         *Table // of the plugin; nil if nothing is known
	words, nested uint64
	nest          uintptr // offset of the pointer to the struct of the nested ones
	others        bool    // there are fields too far away, or in more than one nested struct
}

func (n *newerFields) learn(t *Table, f *Function) {
	*n = newerFields{table: t}
	newer := func(gates []Gate) (all uint64) {
		for _, g := range gates {
			if g.Since > t.gateMinor {
				first := g.Offset &^ (wordSize - 1)
				set := words(first, (g.Offset+g.Size-first+wordSize-1)&^(wordSize-1))
				n.others = n.others || set == 0
				all |= set
			}
		}
		return all
	}
	n.words = newer(f.Gated)
	for _, nest := range f.Nested {
		if set := newer(nest.Gated); set != 0 {
			n.others = n.others || n.nested != 0
			n.nested, n.nest = set, nest.Offset
		}
	}
}

// areZero reports whether it is certain that none of the fields that the plugin of t does not know
// is set.
func (n *newerFields) areZero(t *Table, args unsafe.Pointer) bool {
	if t == nil || n.table != t || n.others || !areZero(args, n.words) {
		return false
	}
	if n.nested == 0 {
		return true
	}
	p := *(*unsafe.Pointer)(unsafe.Add(args, n.nest))
	return p == nil || areZero(p, n.nested)
}

// areZero reports whether the words of a struct that the bits stand for are zero.
func areZero(args unsafe.Pointer, bits uint64) bool {
	for ; bits != 0; bits &= bits - 1 {
		if *wordOf(args, bits) != 0 {
			return false
		}
	}
	return true
}
