// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package buffers

import (
	"slices"
	"sync/atomic"
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
)

// anyReady returns a plugin whose events report that they are ready when they are not.
func anyReady(check, fault string) mutant.Mutant {
	return mutant.After(check, fault, func(a *capi.EventIsReadyArgs) { a.IsReady = true })
}

// flip makes the smallest change.
func flip(data []byte) { data[0] ^= 1 }

// nth changes what the n-th of several downloads brings.
func nth(check, fault string, n int32) mutant.Mutant {
	return mutant.Hooked(check, fault, func() []serve.Hook {
		var count atomic.Int32
		return []serve.Hook{mutant.Arrived(func(_ *serve.Invocation, _ *downloadArgs, data []byte) {
			if count.Add(1) == n {
				flip(data)
			}
		})}
	})
}

// dims makes an array that stays.
func dims(list ...int64) (*int64, uintptr) { return check.First(check.Retain(slices.Clone(list))) }

// deadlock lasts longer than any check waits.
const deadlock = 6 * time.Second

// locked runs f under a lock, which a faulty plugin holds while it calls back. A thread
// that waits for the lock gives up after a while, to let the test end.
func locked(lock chan struct{}, f func()) {
	select {
	case lock <- struct{}{}:
		defer func() { <-lock }()
	case <-time.After(deadlock):
	}
	f()
}

// onReady returns a fault in how callbacks of events are called: f gets the event and its error,
// and calls the callback if it likes.
func onReady(f func(e *capi.Event, err *capi.ErrorHandle, call func(*capi.ErrorHandle))) serve.Hook {
	return serve.Around(func(c *serve.Invocation, a *capi.EventOnReadyArgs) {
		callback, arg, event := a.Callback, a.UserArg, a.Event
		mutant.Forward(c, a, func(a *capi.EventOnReadyArgs) {
			replaced, h := capi.NewEventOnReadyCallback(func(err *capi.ErrorHandle) {
				f(event, err, func(err *capi.ErrorHandle) { callback.Call(err, arg) })
			})
			a.Callback, a.UserArg = replaced, uintptr(h)
		})
	})
}

// aliasing returns a plugin that uses host memory where it should copy it.
func aliasing(check, fault string) mutant.Mutant {
	return mutant.Before(check, fault, func(a *uploadArgs) {
		a.HostBufferSemantics = capi.HostBufferSemanticsImmutableZeroCopy
	})
}

// aliasingSilently is like aliasing, but also says that the memory is free again.
func aliasingSilently(check, fault string) mutant.Mutant {
	return mutant.Of(check, fault, func(c *serve.Invocation, a *uploadArgs) {
		semantics := a.HostBufferSemantics
		a.HostBufferSemantics = capi.HostBufferSemanticsImmutableZeroCopy
		c.Forward()
		a.HostBufferSemantics = semantics
		if c.Err() == nil {
			a.DoneWithHostBuffer = doneAtOnce(c, a)
		}
	})
}
