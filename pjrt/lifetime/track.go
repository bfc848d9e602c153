// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package lifetime

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

// tracking says whether New records who made an object. It starts on when the
// environment has PJRT_TRACK set to anything but 0.
var tracking atomic.Bool

func init() {
	v := os.Getenv("PJRT_TRACK")
	tracking.Store(v != "" && v != "0")
}

// Track turns the recording of creation stacks on or off, for objects made from
// then on, and returns what it was. It costs a microsecond or two and some
// hundred bytes for each object.
func Track(on bool) (was bool) { return tracking.Swap(on) }

// tracked are the objects that exist and were made while tracking was on.
var tracked struct {
	mu      sync.Mutex
	origins map[*state]origin // guarded by mu
}

// origin is where an object came from.
type origin struct {
	kind  string
	stack []uintptr
}

const maxStack = 32

func (s *state) track() {
	stack := make([]uintptr, maxStack)
	// Without Callers, track, begin, and New or Init.
	stack = stack[:runtime.Callers(4, stack)]
	tracked.mu.Lock()
	defer tracked.mu.Unlock()
	if tracked.origins == nil {
		tracked.origins = make(map[*state]origin)
	}
	tracked.origins[s] = origin{s.kind, stack}
	s.tracked = true
}

func (s *state) untrack() {
	tracked.mu.Lock()
	defer tracked.mu.Unlock()
	delete(tracked.origins, s)
}

// Leak is a place in the program and what it made that still exists.
type Leak struct {
	Kind  string
	Count int
	Stack string // the creation, a function and its file:line in turns, innermost first
}

// Leaks returns the objects that exist and were made while tracking was on,
// those of one kind from one place together, the most numerous first.
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

// WriteLeaks writes a report of Leaks for people.
func WriteLeaks(w io.Writer) error {
	for _, l := range Leaks() {
		if _, err := fmt.Fprintf(w, "%d × %s, made at\n%s\n", l.Count, l.Kind, l.Stack); err != nil {
			return err
		}
	}
	return nil
}

func formatStack(pcs []uintptr) string {
	var b strings.Builder
	frames := runtime.CallersFrames(pcs)
	for {
		f, more := frames.Next()
		if f.Function != "" {
			fmt.Fprintf(&b, "\t%s\n\t\t%s:%d\n", f.Function, f.File, f.Line)
		}
		if !more {
			return b.String()
		}
	}
}
