// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package serve

import (
	"errors"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/purepjrt/purepjrt/capi"
)

// functions are all functions that a plugin can have, and ids their places in
// that list.
var (
	functions []*capi.Function
	ids       = make(map[*capi.Function]int)
)

func init() {
	for _, s := range capi.Sections() {
		for _, f := range capi.Functions(s) {
			ids[f] = len(functions)
			functions = append(functions, f)
		}
	}
	maxTables = min(len(pool.live), numStubs/len(functions))
	for b := range maxTables {
		pool.free = append(pool.free, b)
	}
}

// handler answers one function of a live table. The word is what C gets:
// the address of an error, or 0.
type handler func(args unsafe.Pointer) (word uintptr)

// ErrExhausted is the error of Serve and Wrap when MaxTables tables are live.
var ErrExhausted = errors.New("serve: no more tables: close one that is no longer needed")

var maxTables int

// MaxTables returns the number of tables that can be live at a time.
func MaxTables() int { return maxTables }

// pool hands out blocks of entry points. A block has one for each function, and
// an entry point always is that of the same function: should a client call
// through a table that was closed, it finds the function it meant, of whichever
// plugin has the block by then.
var pool struct {
	live [128]atomic.Pointer[Table] // by block

	mu     sync.Mutex
	free   []int      // guarded by mu; the block that was free for the longest time first
	closed [64]*Table // guarded by mu; keeps the memory of the last tables that were closed
	next   int        // guarded by mu; the place in closed to be used next
}

// take gives t a block of its own.
func (t *Table) take() error {
	openEntries()
	pool.mu.Lock()
	defer pool.mu.Unlock()
	if len(pool.free) == 0 {
		return ErrExhausted
	}
	t.block, pool.free = pool.free[0], pool.free[1:]
	return nil
}

// address returns the address of t's entry point for a function.
func (t *Table) address(id int) uintptr { return entryAddress(t.block*len(functions) + id) }

// open lets calls reach t.
func (t *Table) open() { pool.live[t.block].Store(t) }

// Close ends the table and gives its entry points back. Calls that are under
// way go on. Calls that come later, which there must be none of, are answered
// with FAILED_PRECONDITION until the entry points belong to another table.
// Closing again does nothing.
//
// A client of the table in C, which does not keep Go memory alive, must have
// let go of it before.
func (t *Table) Close() error {
	pool.mu.Lock()
	defer pool.mu.Unlock()
	if pool.live[t.block].CompareAndSwap(t, nil) {
		pool.free = append(pool.free, t.block)
		pool.closed[pool.next] = t
		pool.next = (pool.next + 1) % len(pool.closed)
	}
	return nil
}

// enter is where all entry points lead to.
func enter(args unsafe.Pointer, number uintptr) (word uintptr) {
	number -= first
	n := uintptr(len(functions))
	if t := pool.live[number/n].Load(); t != nil {
		if h := t.handlers[number%n]; h != nil {
			return h(args)
		}
	}
	return stale(int(number%n), args)
}

// stale answers a call through a table that was closed.
func stale(id int, args unsafe.Pointer) uintptr {
	f := functions[id]
	if word, ok := answerError(f, args); ok {
		return word
	}
	return fail(f, capi.ErrorCodeFailedPrecondition, "%s was called through a table that has been closed", f.Name)
}
