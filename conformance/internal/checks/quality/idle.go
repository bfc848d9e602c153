// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package quality

import (
	"math/rand/v2"
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

const (
	// idleWindow is how long the process is watched at a time, and idleWindows how often: work
	// that a call left behind may finish meanwhile.
	idleWindow  = 500 * time.Millisecond
	idleWindows = 6
	// idleShare is how much of one processor an idle process may use: more than Go's runtime
	// uses, less than a thread that polls without a pause gets among many busy processes.
	idleShare = 0.03
)

// idle watches the processor time of a process that has worked and has nothing to do. Elapsed
// time would depend on what else the machine does.
func idle(t *check.T) {
	w := &worker{t: t, c: t.Client(), rand: rand.New(rand.NewPCG(1, 2))}
	w.exe = t.Compile(w.c, check.AddOne)
	for range 20 {
		if err := w.round(); err != nil {
			t.Fatalf("%v", err)
		}
	}
	leavesProcessor(t, "a client with nothing to do")
}

// idleWaiting does the same while threads and an execution wait for contents.
func idleWaiting(t *check.T) {
	c := t.Client()
	exe := t.Compile(c, check.AddOne)
	p := t.NewPending(c, 4)
	over := make(chan struct{}, 3)
	for range 2 {
		e := t.Ready(p.Buffer)
		go func() {
			_, _ = check.Try(t, capi.EventAwaitArgs{Event: e})
			over <- struct{}{}
		}()
	}
	x := check.NewExecution(exe, 1, []*capi.Buffer{p.Buffer})
	go func() { // the call itself may wait for its argument
		_ = x.Start(t)
		over <- struct{}{}
	}()
	time.Sleep(20 * time.Millisecond)
	leavesProcessor(t, "a client whose callers wait for contents that have not come")
	p.Fulfil()
	late := time.After(patience)
	for range cap(over) {
		select {
		case <-over:
		case <-late:
			t.Stuck("a call that waited for contents did not return within %v after they had come", patience)
		}
	}
}

// leavesProcessor fails the check unless there is a window in which the process uses almost no
// processor time. A window in which it had to wait for a processor does not count: a thread that
// polls may have got none.
func leavesProcessor(t *check.T, what string) {
	least, busy, idle := 1.0, 0, false
	for range idleWindows {
		before, err := processorTime()
		if err != nil {
			t.SkipEnvf("the processor time of the process is not known here: %v", err)
		}
		begun, waited := time.Now(), waitedTime()
		time.Sleep(idleWindow)
		after, err := processorTime()
		if err != nil {
			t.Fatalf("the processor time of the process: %v", err)
		}
		took := time.Since(begun)
		share := float64(after-before) / float64(took)
		least = min(least, share)
		if share > idleShare {
			busy++
		} else if idle = waitedTime()-waited < took/2; idle {
			break
		}
	}
	t.Notef("%s uses %.1f %% of a processor", what, 100*least)
	if !idle && busy > idleWindows/2 {
		t.Errorf("%s: expected it to use less than %.0f %% of a processor at one of %d times, but it never did", what, 100*idleShare,
			idleWindows)
	}
}
