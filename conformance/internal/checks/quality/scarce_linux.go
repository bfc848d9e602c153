// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package quality

import (
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"syscall"

	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

// scarceStep does one of the actions with too little memory.
func scarceStep(t *check.T, step string) {
	w := &worker{t: t, c: t.Client(), rand: rand.New(rand.NewPCG(1, 2))}
	w.exe = t.Compile(w.c, check.AddOne)
	if err := w.round(); err != nil {
		t.Fatalf("%v", err)
	}
	memory, err := syscall.Mmap(-1, 0, plenty, syscall.PROT_READ, syscall.MAP_PRIVATE|syscall.MAP_ANON|syscall.MAP_NORESERVE)
	if err != nil {
		t.SkipEnvf("%d bytes of memory could not be allocated: %v", plenty, err)
	}
	for _, a := range scarceActions {
		if a.name != step {
			continue
		}
		act, err := a.prepare(t, w, memory)
		if err != nil {
			t.SkipEnvf("the objects for calls without memory could not be made: %v", err)
		}
		without, err := limited(act)
		if err != nil {
			t.SkipEnvf("the address space cannot be limited: %v", err)
		}
		if without == nil {
			t.Notef("done all the same")
		} else {
			t.Notef("refused: %v", without)
		}
	}
	if err := w.round(); err != nil {
		t.Errorf("with memory again: %v", err)
	}
}

// limited runs f while the process can get little more memory. Before that, the Go
// runtime gets what it may need: threads, and room on its heap.
func limited(f func() error) (outcome, err error) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	readyThreads(8)
	room := make([]byte, 64<<20)
	runtime.KeepAlive(room)
	room = nil
	runtime.GC()
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return nil, err
	}
	var pages uint64
	if _, err := fmt.Sscan(string(text), &pages); err != nil {
		return nil, err
	}
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_AS, &before); err != nil {
		return nil, err
	}
	little := syscall.Rlimit{Cur: pages*uint64(os.Getpagesize()) + spare, Max: before.Max}
	if err := syscall.Setrlimit(syscall.RLIMIT_AS, &little); err != nil {
		return nil, err
	}
	outcome = f()
	return outcome, syscall.Setrlimit(syscall.RLIMIT_AS, &before)
}

// readyThreads lets the Go runtime make n threads, which it keeps.
func readyThreads(n int) {
	var all, done sync.WaitGroup
	all.Add(n)
	for range n {
		done.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			all.Done()
			all.Wait()
		})
	}
	done.Wait()
}
