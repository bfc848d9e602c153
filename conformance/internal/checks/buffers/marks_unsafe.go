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
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// unmarking forgets destroyed events, since their addresses are used again.
func unmarking(m *mutant.Marks) serve.Hook {
	return mutant.Ahead(func(a *capi.EventDestroyArgs) { m.Remove(a.Event) })
}

// What calls return that can be marked.

func executionEvents(a *capi.LoadedExecutableExecuteArgs) []*capi.Event {
	if a.DeviceCompleteEvents == nil {
		return nil
	}
	return unsafe.Slice(a.DeviceCompleteEvents, a.NumDevices)
}

func outputBuffers(a *capi.LoadedExecutableExecuteArgs) []*capi.Buffer {
	var list []*capi.Buffer
	for _, outputs := range unsafe.Slice(a.OutputLists, a.NumDevices) {
		if outputs != nil {
			list = append(list, *outputs)
		}
	}
	return list
}

var (
	downloadEvents = mutant.Made[downloadArgs, capi.Event]
	copiedBuffers  = mutant.Made[capi.BufferCopyToDeviceArgs, capi.Buffer]
	movedBuffers   = mutant.Made[capi.BufferCopyToMemoryArgs, capi.Buffer]
	castBuffers    = mutant.Made[capi.BufferBitcastArgs, capi.Buffer]
)

// onEvents returns a plugin that treats the events of one function differently.
func onEvents[A any](name, fault string, of func(*A) []*capi.Event, treat func(*mutant.Marks) []serve.Hook) mutant.Mutant {
	return mutant.Hooked(name, fault, func() []serve.Hook {
		m := new(mutant.Marks)
		return append(append([]serve.Hook{mutant.Marking(m, of)}, treat(m)...), unmarking(m))
	})
}

// onReadyOf returns a plugin that treats the ready events of marked buffers
// differently.
func onReadyOf(name, fault string, marked func(*mutant.Marks) serve.Hook, treat func(*mutant.Marks) []serve.Hook) mutant.Mutant {
	return mutant.Hooked(name, fault, func() []serve.Hook {
		buffers, events := new(mutant.Marks), new(mutant.Marks)
		ready := mutant.Then(func(a *capi.BufferReadyEventArgs) {
			if buffers.Has(a.Buffer) {
				events.Add(a.Event)
			}
		})
		return append(append([]serve.Hook{marked(buffers), ready}, treat(events)...), unmarking(events))
	})
}

// Ways to treat events.

// unready events never seem to be ready when polled.
func unready(m *mutant.Marks) []serve.Hook {
	return []serve.Hook{mutant.AfterMarked[capi.Event](m, func(a *capi.EventIsReadyArgs) { a.IsReady = false })}
}

// unawaited events are not waited for.
func unawaited(m *mutant.Marks) []serve.Hook {
	return []serve.Hook{mutant.OfMarked[capi.Event](m, func(*serve.Invocation, *capi.EventAwaitArgs) {})}
}

// hasty events seem to be ready at once, however they are used.
func hasty(m *mutant.Marks) []serve.Hook {
	return append(unawaited(m),
		mutant.AfterMarked[capi.Event](m, func(a *capi.EventIsReadyArgs) { a.IsReady = true }),
		mutant.OfMarked[capi.Event](m, func(_ *serve.Invocation, a *capi.EventOnReadyArgs) { a.Callback.Call(nil, a.UserArg) }))
}

// never events do not become ready, however they are used.
func never(m *mutant.Marks) []serve.Hook {
	return append(unready(m),
		mutant.OfMarked[capi.Event](m, func(c *serve.Invocation, _ *capi.EventAwaitArgs) {
			time.Sleep(deadlock)
			c.Forward()
		}),
		mutant.OfMarked[capi.Event](m, func(*serve.Invocation, *capi.EventOnReadyArgs) {}))
}

// failing events end with an error.
func failing(m *mutant.Marks) []serve.Hook {
	return []serve.Hook{mutant.OfMarked[capi.Event](m, func(c *serve.Invocation, _ *capi.EventAwaitArgs) {
		c.Forward()
		c.Fail(capi.ErrorCodeInternal, "something went wrong")
	})}
}

// blocking events wait when they are asked whether they are ready.
func blocking(m *mutant.Marks) []serve.Hook {
	return []serve.Hook{mutant.OfMarked[capi.Event](m, awaitFirst)}
}

// Facts about buffers below the hooks.

// placeBelow returns which of its host's devices a buffer is on.
func placeBelow(c *serve.Invocation, b *capi.Buffer) int {
	id, _ := mutant.Try(c.Table(), capi.DeviceLocalHardwareIDArgs{Device: mutant.DeviceOf(c.Table(), b)})
	return int(id.LocalHardwareID)
}

// count returns the number of elements of an upload.
func count(a *uploadArgs) int { return check.Elements(capi.Slice(a.Dims, a.NumDims)...) }

// misreads returns a plugin that changes the data of dense uploads.
func misreads(name, fault string, when func(*uploadArgs) bool, change func(a *uploadArgs, data []byte)) mutant.Mutant {
	return mutant.Of(name, fault, func(c *serve.Invocation, a *uploadArgs) {
		n := count(a) * dtype.Type(a.Type).Size()
		if a.Data == nil || a.NumByteStrides != 0 || n <= 0 || n > 1<<28 || !when(a) {
			c.Forward()
			return
		}
		source := a.Data
		data := check.Retain(slices.Clone(mutant.BytesAt(source, uintptr(n))))
		change(a, data)
		a.Data = check.Pointer(data)
		c.Forward()
		a.Data = source
	})
}

// arrivesOf returns a plugin whose downloads of some buffers bring something else.
func arrivesOf(name, fault string, when func(c *serve.Invocation, b *capi.Buffer) bool, change func([]byte)) mutant.Mutant {
	return mutant.ArrivesOf(name, fault, func(c *serve.Invocation, a *downloadArgs, data []byte) {
		if when(c, a.Src) {
			change(data)
		}
	})
}

// late returns a plugin that reads host memory some time after it said that it no
// longer needs it.
func late(name, fault string, when func(c *serve.Invocation, a *uploadArgs) bool) mutant.Mutant {
	return mutant.Of(name, fault, func(c *serve.Invocation, a *uploadArgs) {
		n := count(a) * dtype.Type(a.Type).Size()
		if a.Data == nil || a.NumByteStrides != 0 || n <= 0 || n > 1<<28 || !when(c, a) {
			c.Forward()
			return
		}
		source, semantics := a.Data, a.HostBufferSemantics
		staged := check.Retain(check.Aligned(n, 4096, 0))
		copy(staged, mutant.BytesAt(source, uintptr(n)))
		a.HostBufferSemantics, a.Data = capi.HostBufferSemanticsImmutableZeroCopy, check.Pointer(staged)
		c.Forward()
		a.Data, a.HostBufferSemantics = source, semantics
		a.DoneWithHostBuffer = doneAtOnce(c, a)
		time.AfterFunc(2*time.Millisecond, func() { copy(staged, mutant.BytesAt(source, uintptr(n))) })
	})
}

// doneAtOnce returns the event of another upload, which is soon over.
func doneAtOnce(c *serve.Invocation, a *uploadArgs) *capi.Event {
	other := uploadArgs{Client: a.Client, Device: a.Device, Type: capi.BufferTypeU8, Data: unsafe.Pointer(new(byte))}
	out, err := mutant.Try(c.Table(), other)
	if err != nil {
		return a.DoneWithHostBuffer
	}
	return out.DoneWithHostBuffer
}

// readyAt returns a plugin whose downloads arrive late. Only the given ways of waiting
// wait for them.
func readyAt(name, fault string, await, poll, call bool) mutant.Mutant {
	return mutant.Hooked(name, fault, func() []serve.Hook {
		var events sync.Map // channels that are closed when the data is there
		arrival := func(e *capi.Event, counts bool) <-chan struct{} {
			if c, ok := events.Load(e); ok && counts {
				return c.(chan struct{})
			}
			c := make(chan struct{})
			close(c)
			return c
		}
		return []serve.Hook{
			serve.Around(func(c *serve.Invocation, a *downloadArgs) {
				if a.Dst == nil {
					c.Forward()
					return
				}
				address, staging := a.Dst, make([]byte, a.DstSize)
				a.Dst = check.Pointer(staging)
				c.Forward()
				a.Dst = address
				mutant.Await(c.Table(), a.Event)
				end := make(chan struct{})
				events.Store(a.Event, end)
				dst := mutant.BytesAt(address, a.DstSize)
				time.AfterFunc(20*time.Millisecond, func() { copy(dst, staging); close(end) })
			}),
			mutant.Ahead(func(a *capi.EventAwaitArgs) { <-arrival(a.Event, await) }),
			mutant.Then(func(a *capi.EventIsReadyArgs) {
				select {
				case <-arrival(a.Event, poll):
				default:
					a.IsReady = false
				}
			}),
			serve.Around(func(c *serve.Invocation, a *capi.EventOnReadyArgs) {
				callback, arg, end := a.Callback, a.UserArg, arrival(a.Event, call)
				go func() { <-end; callback.Call(nil, arg) }()
			}),
		}
	})
}

// touches returns a plugin that reads memory which an upload does not give it.
func touches(name, fault string, reach func(a *uploadArgs) int) mutant.Mutant {
	return mutant.Before(name, fault, func(a *uploadArgs) {
		if n := reach(a); n > 0 {
			check.Sum(check.MemoryAt(uintptr(a.Data), n))
		}
	})
}

// counted returns a function that returns true in its n-th call.
func counted(n int32) func() bool {
	var calls atomic.Int32
	return func() bool { return calls.Add(1) == n }
}
