// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrttest

import (
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/lifetime"
)

// A check for leaks waits for the garbage collector, and for objects that other goroutines are
// destroying, at least this long, and through this many collections, each of which may take
// longer where the heap is large or the collector looks for errors.
const (
	patience    = 5 * time.Second
	collections = 5
)

// NoLeaks fails the test if more objects of plugins exist at its end than at the call:
// buffers, executables and so on that the test neither closed nor forgot. The failure
// says where each was made. The garbage collector gets a few rounds to free objects that
// the test forgot.
//
// Call NoLeaks first, so that its check runs after the test's other cleanups. It counts
// the objects of the whole process, so the test must not be parallel.
func NoLeaks(t testing.TB) {
	t.Helper()
	was := lifetime.Track(true)
	before := pjrt.Live()
	t.Cleanup(func() {
		t.Helper()
		defer lifetime.Track(was)
		more := remaining(func() map[string]int { return grown(before, pjrt.Live()) })
		if len(more) == 0 {
			return
		}
		var report strings.Builder
		for _, kind := range slices.Sorted(maps.Keys(more)) {
			fmt.Fprintf(&report, "\n%d more of kind %q", more[kind], kind)
		}
		report.WriteString("\n\n")
		_ = lifetime.WriteLeaks(&report)
		t.Errorf("the test left objects in plugins:%s", report.String())
	})
}

// remaining returns the objects that are left once forgotten ones are freed: what the last call of
// left returned, which is nothing, or what there is after patience and collections. It has
// garbage collected in between, ever more rarely, since other tests need the processors.
func remaining(left func() map[string]int) map[string]int {
	deadline, wait := time.Now().Add(patience), time.Millisecond
	for n := 0; ; n++ {
		found := left()
		if len(found) == 0 || n >= collections && time.Now().After(deadline) {
			return found
		}
		runtime.GC()
		time.Sleep(wait)
		wait = min(2*wait, 100*time.Millisecond)
	}
}

// grown returns by how many the objects of each kind have increased.
func grown(before, after map[string]int) map[string]int {
	more := make(map[string]int)
	for kind, n := range after {
		if d := n - before[kind]; d > 0 {
			more[kind] = d
		}
	}
	return more
}
