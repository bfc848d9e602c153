// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package inside knows the executions under way that may call functions of the program, and
// which of them the caller is inside of: the handler of a custom call cannot wait for what
// the execution makes, since the execution waits for the handler.
package inside

import (
	"context"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/purepjrt/purepjrt/pjrt/internal/standin"
)

// Execution is an execution under way.
type Execution struct {
	ID         int32           // by which the plugin tells it apart from others
	Client     any             // that executes it
	Program    string          // the name of the program
	Context    context.Context // of the caller
	Extensions []any           // of its options
	HasContext bool            // the plugin has an execute context for it
	Outer      *Execution      // the execution that the caller was inside of when it began this one

	// End stands for the end of the execution, which its results wait for.
	End *standin.StandIn
	// Waits has End, and is what the results wait for.
	Waits *standin.Set
}

// firstID is the first number that Begin chooses. Plugins number executions from 1 if they
// are not given a number.
const firstID = 1 << 30

var (
	lastID    atomic.Uint32
	executing struct {
		sync.Mutex
		byID map[int32][]*Execution // guarded by the mutex
	}
)

// Begin records that x is under way, and gives it a number unless it has one.
func Begin(x *Execution) {
	if x.ID == 0 {
		x.ID = int32(firstID + lastID.Add(1)%(math.MaxInt32-firstID))
	}
	x.End = standin.New()
	x.Waits = &standin.Set{x.End}
	executing.Lock()
	defer executing.Unlock()
	if executing.byID == nil {
		executing.byID = make(map[int32][]*Execution)
	}
	executing.byID[x.ID] = append(executing.byID[x.ID], x)
}

// Finish records that x is over.
func Finish(x *Execution) {
	x.End.Fail()
	executing.Lock()
	defer executing.Unlock()
	list := executing.byID[x.ID]
	for i, y := range list {
		if y == x {
			list[i] = list[len(list)-1]
			list = list[:len(list)-1]
			break
		}
	}
	if len(list) == 0 {
		delete(executing.byID, x.ID)
		return
	}
	executing.byID[x.ID] = list
}

// Find returns the execution under way with the given number, or nil if there is none or if
// the program gave several the same number.
func Find(id int64) *Execution {
	if id < math.MinInt32 || id > math.MaxInt32 {
		return nil
	}
	executing.Lock()
	defer executing.Unlock()
	if list := executing.byID[int32(id)]; len(list) == 1 {
		return list[0]
	}
	return nil
}

type contextKey struct{}

// ContextOf returns the context of the execution's caller, by which [Current] recognizes a
// goroutine that a handler started.
func (x *Execution) ContextOf() context.Context {
	return context.WithValue(x.Context, contextKey{}, x)
}

// Any reports whether a handler is running. If not, no caller is inside of an execution.
func Any() bool { return running.Load() > 0 }

// Current returns the innermost execution that the caller is inside of, or nil: that of the
// handler that runs in this goroutine, or the one from whose context ctx is derived.
func Current(ctx context.Context) *Execution {
	if !Any() {
		return nil
	}
	for x := range ofStack() {
		return x
	}
	x, _ := ctx.Value(contextKey{}).(*Execution)
	return x
}

// Earlier returns the ends of a client's executions under way, except those that the caller
// is inside of and that run in this goroutine, within the call to the plugin: a plugin that
// executes in order has not queued these. It returns nil if there are none.
func Earlier(client any) *standin.Set {
	executing.Lock()
	defer executing.Unlock()
	if len(executing.byID) == 0 {
		return nil
	}
	var within []*Execution
	if Any() {
		for x, inCall := range ofStack() {
			if inCall {
				within = append(within, x)
			}
		}
	}
	var ends standin.Set
	for _, list := range executing.byID {
		for _, x := range list {
			if x.Client == client && !slices.Contains(within, x) {
				ends = append(ends, x.End)
			}
		}
	}
	if len(ends) == 0 {
		return nil
	}
	return &ends
}

// Awaits reports whether x, or an execution that it is inside of, has to end before what
// waits for the set is ready. The set may be nil.
func (x *Execution) Awaits(set *standin.Set) bool {
	if set == nil {
		return false
	}
	for ; x != nil; x = x.Outer {
		if x.End.In(set) {
			return true
		}
	}
	return false
}
