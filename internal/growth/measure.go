// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package growth

import (
	"bytes"
	"runtime"
	"runtime/coverage"
	"runtime/debug"
)

// Work is what one reading took.
type Work struct {
	// Steps are the executions of pieces of code without branches, in the packages that -coverpkg
	// names. They are 0 in a program that was not built with -cover -covermode=atomic.
	Steps uint64
	// Bytes is how much memory was allocated, including what became garbage.
	Bytes uint64
	Error error
}

// Measure reads bytes and returns what that took. Nothing else must run in the process.
func Measure(read func([]byte) error, b []byte) (w Work) {
	var before, after runtime.MemStats
	counting := coverage.ClearCounters() == nil
	runtime.ReadMemStats(&before)
	w.Error = read(b)
	runtime.ReadMemStats(&after)
	w.Bytes = after.TotalAlloc - before.TotalAlloc
	if counting {
		var counters bytes.Buffer
		if err := coverage.WriteCounters(&counters); err != nil {
			panic(err)
		}
		w.Steps = sum(counters.Bytes())
	}
	return w
}

// peakOf reads bytes and returns how much the heap grows meanwhile, at most. If that is more than
// enough, it reads them again while the collector runs each time that the heap has grown by a
// tenth, which takes twice as long, so that garbage counts for little.
func peakOf(read func([]byte) error, b []byte, enough uint64) uint64 {
	if grown := grows(read, b, 100); grown <= enough {
		return grown
	}
	return grows(read, b, 10)
}

// grows reads bytes while the collector runs each time that the heap has grown by so many percent,
// and returns how much the heap grows.
func grows(read func([]byte) error, b []byte, percent int) uint64 {
	defer debug.SetGCPercent(debug.SetGCPercent(percent))
	debug.FreeOSMemory()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_ = read(b)
	runtime.ReadMemStats(&after)
	mapped, had := after.HeapSys-after.HeapReleased, before.HeapSys-before.HeapReleased
	return mapped - min(mapped, had)
}
