// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package threads makes C calls that take much memory on few threads of the system.
//
// Allocators keep what is freed for the threads that use the same part of the heap; in glibc, that
// part is an arena, and most threads have one of their own. Go takes a goroutine that comes out of
// a long call to any of its threads, so programs compiled one after the other would each leave tens
// of megabytes to another thread.
package threads

import (
	"context"
	"runtime"
	"sync"

	"github.com/purepjrt/purepjrt/pjrt/internal/abandon"
)

// Pool makes calls on threads of its own. As long as it has users, it keeps one thread that has
// nothing to do, for the next call. The zero value is ready to use, by several goroutines at once.
type Pool struct {
	mu    sync.Mutex
	users int     // guarded by mu
	idle  *thread // guarded by mu; the kept one, or nil
}

// Join adds a user.
func (p *Pool) Join() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.users++
}

// Leave removes a user. With the last one, the kept thread ends. Leave does not wait for it.
func (p *Pool) Leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.users--; p.users == 0 && p.idle != nil {
		close(p.idle.next)
		p.idle = nil
	}
}

// Do makes a call and returns its error. Calls never wait for each other: if there is no kept
// thread, or it is busy, the call gets a new one. A panic in the call is passed on to the caller,
// and so is runtime.Goexit.
func (p *Pool) Do(call func() error) error {
	j := &job{pool: p, call: call}
	abandon.NewHandOver().RunBy(context.Background(), j, j.start)
	return j.err
}

// take returns the kept thread, or nil if there is none.
func (p *Pool) take() *thread {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.idle
	p.idle = nil
	return t
}

// keep makes t the kept thread, unless there is one already, or nobody needs one.
func (p *Pool) keep(t *thread) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.users > 0 && p.idle == nil {
		p.idle, t.kept = t, true
	}
}

// job is a call on a thread.
type job struct {
	pool *Pool
	call func() error
	on   *thread
	err  error
}

func (j *job) start(run func()) {
	if j.on = j.pool.take(); j.on != nil {
		j.on.next <- run
		return
	}
	j.on = &thread{next: make(chan func(), 1)}
	go j.on.work(run)
}

// Run makes the call. It keeps the thread before the caller goes on, whose next call is often the
// next one of the pool.
func (j *job) Run() {
	j.err = j.call()
	j.pool.keep(j.on)
}

// Drop is never called, since no caller leaves.
func (j *job) Drop() {}

// thread is a goroutine that has a thread of the system for itself.
type thread struct {
	next chan func() // closed if there will be none
	kept bool        // the pool keeps it; for its own goroutine
}

// work runs f, and then what comes next, for as long as the pool keeps t.
func (t *thread) work(f func()) {
	// It is never unlocked, so that the thread ends with the goroutine: then glibc gives its arena
	// to the next thread.
	runtime.LockOSThread()
	for ok := true; ok; f, ok = <-t.next {
		t.kept = false
		if f(); !t.kept {
			return
		}
	}
}
