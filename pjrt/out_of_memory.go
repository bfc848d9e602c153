// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/internal/lifetimes"
)

// allocate makes a C call that takes device memory, as retryAllocation does.
func allocate[A any](ctx context.Context, table *capi.Table, call *capi.Call[A]) error {
	if err := call.Do(table); err != nil {
		return allocateAgain(ctx, err, func() error { return call.Do(table) })
	}
	return nil
}

// allocated returns the result of create, which takes device memory; it calls create as
// retryAllocation does.
func allocated[T any](ctx context.Context, create func() (T, error)) (T, error) {
	var v T
	err := retryAllocation(ctx, func() (err error) {
		v, err = create()
		return err
	})
	return v, err
}

// retryAllocation makes a call that takes device memory. If the device is out of memory, it
// destroys the objects that the program forgot and makes the call once more.
func retryAllocation(ctx context.Context, call func() error) error {
	return allocateAgain(ctx, call(), call)
}

// allocateAgain is retryAllocation after the first call, which returned err.
func allocateAgain(ctx context.Context, err error, call func() error) error {
	if err == nil || !errors.Is(err, ErrResourceExhausted) {
		return err
	}
	destroyForgotten(ctx)
	if ctx.Err() != nil {
		return err
	}
	return secondError(err, call())
}

// secondError returns the error to report when a call was made again because memory ran
// out: the second attempt's. If that is ErrInvalidArgument, the first attempt has used up
// the arguments, and its error says more.
func secondError(first, second error) error {
	if errors.Is(second, ErrInvalidArgument) && !errors.Is(second, ErrResourceExhausted) {
		return first
	}
	return second
}

// destroyForgotten runs the garbage collector and waits, for a moment at most, until the
// plugin has destroyed the objects that the program forgot.
func destroyForgotten(ctx context.Context) {
	const patience = 500 * time.Millisecond
	collected := make(chan struct{})
	closeWhenCollected(collected)
	runtime.GC() // which takes long if the heap is large
	deadline := time.After(patience)
	select {
	case <-collected:
	case <-deadline:
	case <-ctx.Done():
	}
	// Other goroutines destroy the objects. They are probably done when the number of
	// objects no longer changes.
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for before, same := -1, 0; same < 3; {
		n := 0
		for _, live := range Live() {
			n += live
		}
		if same++; n != before {
			before, same = n, 0
		}
		select {
		case <-tick.C:
		case <-deadline:
			return
		case <-ctx.Done():
			return
		}
	}
}

// memoryError gives the error of work that ran out of memory its code. XLA's CPU plugin of API 0.81
// reports a temporary that does not fit as an internal error.
func memoryError(err error) error {
	e, ok := err.(*Error)
	if !ok || e.Code != ErrInternal || !strings.Contains(e.Message, "Out of memory allocating ") {
		return err
	}
	right := *e
	right.Code = ErrResourceExhausted
	return &right
}

// explainMemory adds to the error of a device that is out of memory what the plugin knows about
// its memory, and what to do. need says what was to be put there; it may be empty.
func (c *Client) explainMemory(err error, device *capi.Device, need string) error {
	if !errors.Is(err, ErrResourceExhausted) {
		return err
	}
	var facts []string
	if need != "" {
		facts = append(facts, need)
	}
	if d := c.deviceByHandle[device]; d != nil {
		if stats, serr := d.MemoryStats(); serr == nil {
			facts = append(facts, fmt.Sprintf("%v has %v", d, stats.inUse()))
		}
	}
	facts = append(facts, "close buffers that nothing needs any more, donate arguments, or use smaller arrays, such as fewer rows at once")
	return fmt.Errorf("%w; %s", err, strings.Join(facts, "; "))
}

// inUse says how much memory is used, of how much.
func (s MemoryStats) inUse() string {
	text := fmt.Sprintf("%d bytes in use", s.InUse)
	if s.Limit != nil {
		text += fmt.Sprintf(" of %d", *s.Limit)
	}
	if s.LargestFreeBlock != nil {
		text += fmt.Sprintf(", and the largest free block has %d", *s.LargestFreeBlock)
	}
	return text
}

// closeWhenCollected closes the channel when the garbage collector runs cleanups.
func closeWhenCollected(c chan struct{}) {
	marker := new([16]byte) // the runtime packs smaller objects together, and keeps them longer
	runtime.AddCleanup(marker, func(c chan struct{}) { close(c) }, c)
}

// closing holds the closed clients that something may still use.
var closing struct {
	sync.Mutex
	clients []*lifetimes.Ref[capi.Client] // guarded by the mutex; empty if no timer is set
}

// collectUnlessDestroyed runs the garbage collector, in another goroutine, if the closed
// client is not destroyed within a moment. Clients that are closed at about the same time
// share the collections.
func collectUnlessDestroyed(client *lifetimes.Ref[capi.Client]) {
	if client.Destroyed() {
		return
	}
	closing.Lock()
	defer closing.Unlock()
	if closing.clients = append(closing.clients, client); len(closing.clients) == 1 {
		time.AfterFunc(closingMoment, func() {
			closing.Lock()
			clients := closing.clients
			closing.clients = nil
			closing.Unlock()
			collectFor(clients, closingCollections)
		})
	}
}

const (
	// closingMoment is the time in which programs close what they have not forgotten.
	closingMoment = 100 * time.Millisecond
	// closingCollections is the number of collections after which even objects that a
	// sync.Pool refers to are gone.
	closingCollections = 3
)

// collectFor runs the garbage collector up to n times, until the clients are destroyed.
func collectFor(clients []*lifetimes.Ref[capi.Client], n int) {
	clients = slices.DeleteFunc(clients, (*lifetimes.Ref[capi.Client]).Destroyed)
	if len(clients) == 0 || n == 0 {
		return
	}
	runtime.GC()
	time.AfterFunc(closingMoment, func() { collectFor(clients, n-1) })
}
