// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package inside knows the executions under way whose programs may call functions of this
// process, and which of them a context belongs to: the handler of a custom call cannot wait
// for what its execution makes, since the execution waits for the handler.
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
	Devices    any             // a slice of the devices that it runs on
	Program    string          // the name of the program
	Context    context.Context // of the caller
	Extensions []any           // of its options
	HasContext bool            // the plugin has an execute context for it

	// End stands for the end of the execution, which its results wait for.
	End *standin.StandIn
	// Waits has End, and is what the results wait for.
	Waits *standin.Set

	outer *Execution // whose handler began this one, as its caller's context says
	over  atomic.Bool
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
	x.outer = Current(x.Context)
	executing.Lock()
	defer executing.Unlock()
	if executing.byID == nil {
		executing.byID = make(map[int32][]*Execution)
	}
	executing.byID[x.ID] = append(executing.byID[x.ID], x)
}

// Finish records that x is over.
func Finish(x *Execution) {
	x.over.Store(true)
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

// HandlerContext returns the context for the execution's handlers: that of the caller, with
// which [Current] finds the execution.
func (x *Execution) HandlerContext() context.Context {
	return context.WithValue(x.Context, contextKey{}, x)
}

// Current returns the innermost execution under way whose HandlerContext ctx is, or is derived
// from. It returns nil if there is none.
func Current(ctx context.Context) *Execution {
	x, _ := ctx.Value(contextKey{}).(*Execution)
	for x != nil && x.over.Load() {
		x = x.outer
	}
	return x
}

// Ends returns the ends of a client's executions under way on any of the devices, or nil if there
// are none.
func Ends[D comparable](client any, devices []D) *standin.Set {
	executing.Lock()
	defer executing.Unlock()
	var ends standin.Set
	for _, list := range executing.byID {
		for _, x := range list {
			if x.Client != client {
				continue
			}
			on, _ := x.Devices.([]D)
			if slices.ContainsFunc(on, func(d D) bool { return slices.Contains(devices, d) }) {
				ends = append(ends, x.End)
			}
		}
	}
	if len(ends) == 0 {
		return nil
	}
	return &ends
}

// Awaited returns the innermost execution that ctx belongs to and that has to end before
// what waits for the set, which may be nil, is ready. It returns nil if there is none.
func Awaited(ctx context.Context, set *standin.Set) *Execution {
	if set == nil {
		return nil
	}
	for x := Current(ctx); x != nil; x = x.outer {
		if x.End.In(set) {
			return x
		}
	}
	return nil
}
