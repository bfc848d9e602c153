// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package buffers

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
)

// Mutants returns the faults that the checks of this package find.
func Mutants() []mutant.Mutant {
	return slices.Concat(
		eventMutants(), callbackMutants(), uploadMutants(), uploadSemanticsMutants(), downloadMutants(),
		metadataMutants(), lifecycleMutants(),
		stridesMutants(), asyncMutants(), copyMutants(), referenceMutants(), rawMutants(), viewMutants(),
		placeholderMutants(), dmaMutants(), makerMutants(), unreadyMutants(), hostViewMutants(),
	)
}

type invocation = serve.Invocation

// ignores is a plugin that does nothing, and says that it succeeded.
func ignores[A any](check, fault string, when func(*A) bool) mutant.Mutant {
	return mutant.Of(check, fault, func(c *invocation, a *A) {
		if !when(a) {
			c.Forward()
		}
	})
}

func always[A any](*A) bool { return true }

// hooked is a fault of several hooks, which share what make declares.
func hooked(check, fault string, make func() []serve.Hook) mutant.Mutant {
	return mutant.Mutant{Check: check, Fault: fault, Hooks: make}
}

// inMemory moves mutants to the in-memory plugin.
func inMemory(list ...mutant.Mutant) []mutant.Mutant {
	for i := range list {
		list[i].Base = mutant.Memory
	}
	return list
}

// awaitsOK is a plugin whose events have no errors.
func awaitsOK(check, fault string) mutant.Mutant {
	return mutant.Swallows[capi.EventAwaitArgs](check, fault)
}

// anyReady is a plugin whose events are ready when they are not.
func anyReady(check, fault string) mutant.Mutant {
	return mutant.After(check, fault, func(a *capi.EventIsReadyArgs) { a.IsReady = true })
}

// wait waits for an event below the hooks.
func wait(t *capi.Table, e *capi.Event) error {
	c := &capi.Call[capi.EventAwaitArgs]{}
	c.Args.Event = e
	return c.Do(t)
}

// ready reports whether an event is ready, below the hooks.
func ready(t *capi.Table, e *capi.Event) bool {
	c := &capi.Call[capi.EventIsReadyArgs]{}
	c.Args.Event = e
	return c.Do(t) == nil && c.Args.IsReady
}

// bytesAt is the memory of the host that a transfer used.
func bytesAt(p unsafe.Pointer, n uintptr) []byte { return unsafe.Slice((*byte)(p), n) }

// arrived changes what a download brought.
func arrived(change func([]byte)) serve.Hook {
	return serve.Around(func(c *invocation, a *capi.BufferToHostBufferArgs) {
		c.Forward()
		if c.Err() == nil && a.Dst != nil && a.Event != nil && wait(c.Table(), a.Event) == nil && a.DstSize > 0 {
			change(bytesAt(a.Dst, a.DstSize))
		}
	})
}

// arrives is a plugin whose data arrives changed.
func arrives(check, fault string, change func([]byte)) mutant.Mutant {
	return hooked(check, fault, func() []serve.Hook { return []serve.Hook{arrived(change)} })
}

// flip is the smallest change.
func flip(data []byte) { data[0] ^= 1 }

// nth changes what the n-th of several downloads brings.
func nth(check, fault string, n int32) mutant.Mutant {
	return hooked(check, fault, func() []serve.Hook {
		var count atomic.Int32
		return []serve.Hook{arrived(func(data []byte) {
			if count.Add(1) == n {
				flip(data)
			}
		})}
	})
}

// retained is memory that a mutant handed to a plugin or to a caller.
var retained struct {
	mu   sync.Mutex
	list []any // guarded by mu
}

func retain[V any](v V) V {
	retained.mu.Lock()
	defer retained.mu.Unlock()
	retained.list = append(retained.list, v)
	return v
}

// dims makes an array that stays.
func dims(list ...int64) (*int64, uintptr) { return check.First(retain(slices.Clone(list))) }

// deadlock lasts longer than any check waits.
const deadlock = 6 * time.Second

// locked runs f under a lock, which a faulty plugin holds while it calls back.
// Who waits for the lock gives up after a while, to let the test end.
func locked(lock chan struct{}, f func()) {
	select {
	case lock <- struct{}{}:
		defer func() { <-lock }()
	case <-time.After(deadlock):
	}
	f()
}

// onReady is a fault in how callbacks of events are called.
func onReady(f func(a *capi.EventOnReadyArgs, call func(*capi.ErrorHandle)) func(*capi.ErrorHandle)) serve.Hook {
	return serve.Around(func(c *invocation, a *capi.EventOnReadyArgs) {
		callback, arg := a.Callback, a.UserArg
		replaced, h := capi.NewEventOnReadyCallback(f(a, func(err *capi.ErrorHandle) { callback.Call(err, arg) }))
		a.Callback, a.UserArg = replaced, uintptr(h)
		c.Forward()
		a.Callback, a.UserArg = callback, arg
	})
}

// remember keeps the first answer and gives it again and again.
func remember[A any, V any](field func(*A) *V) func() []serve.Hook {
	return func() []serve.Hook {
		var first sync.Once
		var value V
		return []serve.Hook{serve.Around(func(c *invocation, a *A) {
			if c.Forward(); c.Err() == nil {
				first.Do(func() { value = *field(a) })
				*field(a) = value
			}
		})}
	}
}

// aliasing is a plugin that uses memory of the host where it should copy it.
func aliasing(check, fault string) mutant.Mutant {
	return mutant.Before(check, fault, func(a *capi.ClientBufferFromHostBufferArgs) {
		a.HostBufferSemantics = capi.HostBufferSemanticsImmutableZeroCopy
	})
}

// aliasingSilently is aliasing, and says that the memory is free again.
func aliasingSilently(check, fault string) mutant.Mutant {
	return mutant.Of(check, fault, func(c *invocation, a *capi.ClientBufferFromHostBufferArgs) {
		semantics := a.HostBufferSemantics
		a.HostBufferSemantics = capi.HostBufferSemanticsImmutableZeroCopy
		c.Forward()
		a.HostBufferSemantics = semantics
		if c.Err() == nil {
			a.DoneWithHostBuffer = doneAtOnce(c, a)
		}
	})
}
