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

// patience is how long a check for leaks waits for the garbage collector, and for objects that
// other goroutines are destroying.
const patience = 5 * time.Second

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
// left returned, which is nothing, or what there is after patience. It has garbage collected in
// between, ever more rarely, since other tests need the processors.
func remaining(left func() map[string]int) map[string]int {
	for deadline, wait := time.Now().Add(patience), time.Millisecond; ; wait = min(2*wait, 100*time.Millisecond) {
		found := left()
		if len(found) == 0 || time.Now().After(deadline) {
			return found
		}
		runtime.GC()
		time.Sleep(wait)
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
