// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package standin tracks which contents wait for which stand-ins: buffers that get their
// contents later, from the program. Contents that wait for themselves would never arrive,
// and would keep the plugin's objects for ever.
package standin

import (
	"slices"
	"sync"
	"sync/atomic"
)

// StandIn is a buffer that the program has promised to give its contents.
type StandIn struct {
	waits bool // guarded by mu; the promise has not been kept
	of    Set  // guarded by mu; what the contents that it was given wait for
}

// Set is the stand-ins that the contents of a buffer wait for. It is never changed.
type Set []*StandIn

var (
	mu      sync.Mutex
	waiting atomic.Int64 // stand-ins whose promise has not been kept
)

// New returns a stand-in without contents.
func New() *StandIn {
	waiting.Add(1)
	return &StandIn{waits: true}
}

// Any reports whether there are stand-ins without contents. If not, no contents wait for
// one. It costs one load, so that executions can call it.
func Any() bool { return waiting.Load() > 0 }

// Union returns what contents made from others wait for: everything that the others wait
// for.
func Union(sets ...*Set) *Set {
	mu.Lock()
	defer mu.Unlock()
	var all Set
	seen := make(map[*StandIn]bool)
	for _, s := range sets {
		if s != nil {
			all = s.open(all, seen)
		}
	}
	if len(all) == 0 {
		return nil
	}
	return &all
}

// open adds to all the stand-ins that the set waits for now.
func (s Set) open(all Set, seen map[*StandIn]bool) Set {
	stack := slices.Clone(s)
	for len(stack) > 0 {
		last := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[last] {
			continue
		}
		seen[last] = true
		if last.waits {
			all = append(all, last)
		}
		stack = append(stack, last.of...)
	}
	return all
}

// In reports whether contents that wait for the set, which may be nil, wait for s.
func (s *StandIn) In(set *Set) bool {
	u := Union(set)
	return u != nil && slices.Contains(*u, s)
}

// Fulfill records that the stand-in is given contents that wait for the set, which may be
// nil. If they wait for the stand-in itself, Fulfill records nothing and returns false.
func (s *StandIn) Fulfill(by *Set) bool {
	mu.Lock()
	defer mu.Unlock()
	var of Set
	if by != nil {
		of = by.open(nil, make(map[*StandIn]bool))
	}
	if slices.Contains(of, s) {
		return false
	}
	s.settle(of)
	return true
}

// Fail records that the stand-in will get no contents, and that nothing waits for them any
// more.
func (s *StandIn) Fail() {
	mu.Lock()
	defer mu.Unlock()
	if s.waits {
		s.settle(nil)
	}
}

func (s *StandIn) settle(of Set) {
	if s.waits {
		waiting.Add(-1)
	}
	s.waits, s.of = false, of
}
