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

// functions lists all functions that a plugin can have, and ids has their places in that list.
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

// handler implements a function of a live table. It returns the result for C: the address of an
// error, or 0.
type handler func(args unsafe.Pointer) (word uintptr)

// ErrExhausted is the error of Serve and Wrap if MaxTables tables are live.
var ErrExhausted = errors.New("serve: no more tables: close one that is no longer needed")

var maxTables int

// MaxTables returns the number of tables that can be live at once.
func MaxTables() int { return maxTables }

// pool allocates blocks of entry points. A block has one for each function, and an entry point
// always belongs to the same function. So if a client calls through a closed table, it reaches the
// right function, of the plugin that has the block by then.
var pool struct {
	live [128]atomic.Pointer[Table] // by block

	mu     sync.Mutex
	free   []int      // guarded by mu; the block that has been free for the longest time comes first
	closed [64]*Table // guarded by mu; keeps the memory of recently closed tables alive
	next   int        // guarded by mu; the place in closed to be used next
}

// take allocates a block for t.
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

// open makes calls reach t.
func (t *Table) open() { pool.live[t.block].Store(t) }

// Close closes the table and frees its entry points. Calls in progress continue. There must be no
// later calls: they fail with FAILED_PRECONDITION until the entry points belong to another table.
// Closing again does nothing.
//
// A client in C must have stopped using the table before, because C does not keep Go memory alive.
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

// enter is called by all entry points.
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

// stale answers a call through a closed table.
func stale(id int, args unsafe.Pointer) uintptr {
	f := functions[id]
	if word, ok := answerError(f, args); ok {
		return word
	}
	return fail(f, capi.ErrorCodeFailedPrecondition, "%s was called through a table that has been closed", f.Name)
}
