// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package lifetimes

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// tracking says whether New records the stack of its caller. It is on from the start if PJRT_TRACK
// is set to anything but 0.
var tracking atomic.Bool

func init() {
	v := os.Getenv("PJRT_TRACK")
	tracking.Store(v != "" && v != "0")
}

// Track turns the recording of creation stacks on or off, for objects made from now on, and returns
// the previous setting. Recording costs a microsecond or two, and a few hundred bytes, for each
// object.
func Track(on bool) (was bool) { return tracking.Swap(on) }

// tracked holds the existing objects that were made while tracking was on.
var tracked struct {
	mu      sync.Mutex
	origins map[*state]origin // guarded by mu
}

// origin says where an object was made.
type origin struct {
	kind  string
	stack []uintptr
}

const maxStack = 32

func (s *state) track() {
	stack := make([]uintptr, maxStack)
	// Skip Callers, track, begin, and New or Init.
	stack = stack[:runtime.Callers(4, stack)]
	tracked.mu.Lock()
	defer tracked.mu.Unlock()
	if tracked.origins == nil {
		tracked.origins = make(map[*state]origin)
	}
	tracked.origins[s] = origin{s.counter.kind, stack}
	s.tracked = true
}

func (s *state) untrack() {
	tracked.mu.Lock()
	defer tracked.mu.Unlock()
	delete(tracked.origins, s)
	s.tracked = false
}

// Leak counts the objects of one kind that one place in the program made and that still exist.
type Leak struct {
	Kind  string
	Count int
	Stack string // where the objects were made: functions, each followed by file:line, innermost first
}

// Leaks returns the existing objects that were made while tracking was on, grouped by kind and by
// the place that made them, the largest group first.
func Leaks() []Leak {
	tracked.mu.Lock()
	counts := make(map[string]*Leak)
	for _, o := range tracked.origins {
		stack := formatStack(o.stack)
		l := counts[o.kind+stack]
		if l == nil {
			l = &Leak{Kind: o.kind, Stack: stack}
			counts[o.kind+stack] = l
		}
		l.Count++
	}
	tracked.mu.Unlock()
	leaks := make([]Leak, 0, len(counts))
	for _, l := range counts {
		leaks = append(leaks, *l)
	}
	slices.SortFunc(leaks, func(a, b Leak) int {
		if a.Count != b.Count {
			return b.Count - a.Count
		}
		return strings.Compare(a.Kind+a.Stack, b.Kind+b.Stack)
	})
	return leaks
}

// WriteLeaks writes a readable report of Leaks. Nothing calls it at the end of a program, as Go
// runs no code of a package there: call it from a handler, or defer it in main, before the calls
// that close clients are deferred, and do not end with os.Exit.
func WriteLeaks(w io.Writer) error {
	for _, l := range Leaks() {
		if _, err := fmt.Fprintf(w, "%d × %s, made at\n%s\n", l.Count, l.Kind, l.Stack); err != nil {
			return err
		}
	}
	return nil
}

// public is the beginning of the names of functions that only pass on what they are called with.
const public = "github.com/purepjrt/purepjrt/pjrt/lifetime."

func formatStack(pcs []uintptr) string {
	var b strings.Builder
	frames := runtime.CallersFrames(pcs)
	for {
		f, more := frames.Next()
		if f.Function != "" && !strings.HasPrefix(f.Function, public) {
			fmt.Fprintf(&b, "\t%s\n\t\t%s:%d\n", f.Function, f.File, f.Line)
		}
		if !more {
			return b.String()
		}
	}
}
