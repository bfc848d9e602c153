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

type viewOf = capi.ClientCreateViewOfDeviceBufferArgs

// onDelete is a fault in how the callback of a view is called.
func onDelete(f func(a *viewOf, call func()) func()) serve.Hook {
	return serve.Around(func(c *invocation, a *viewOf) {
		callback, arg, address := a.OnDeleteCallback, a.OnDeleteCallbackArg, a.DeviceBufferPtr
		replaced, h := capi.NewOnDeleteCallback(f(a, func() { callback.Call(address, arg) }))
		a.OnDeleteCallback, a.OnDeleteCallbackArg = replaced, uintptr(h)
		c.Forward()
		a.OnDeleteCallback, a.OnDeleteCallbackArg = callback, arg
	})
}

func viewMutants() []mutant.Mutant {
	copied := func(change func([]byte)) func(*viewOf) {
		return func(a *viewOf) {
			n := 4
			for _, d := range capi.Slice(a.Dims, a.NumDims) {
				n *= int(d)
			}
			block := retain(check.Aligned(n, 4096, 0))
			copy(block, check.MemoryAt(a.DeviceBufferPtr, n))
			change(block)
			a.DeviceBufferPtr = check.Address(block)
		}
	}
	lost := func(name string) mutant.Mutant {
		return hooked(name, "the callback is lost", func() []serve.Hook {
			return []serve.Hook{onDelete(func(*viewOf, func()) func() { return func() {} })}
		})
	}
	return slices.Concat([]mutant.Mutant{
		before("VIEW-01", "copies at creation", copied(func([]byte) {})),
		lost("VIEW-02"),
		hooked("VIEW-02", "the callback runs when the view is made", func() []serve.Hook {
			return []serve.Hook{onDelete(func(_ *viewOf, call func()) func() { call(); return func() {} })}
		}),
		hooked("VIEW-02", "the callback runs twice", func() []serve.Hook {
			return []serve.Hook{onDelete(func(_ *viewOf, call func()) func() { return func() { call(); call() } })}
		}),
		before("VIEW-04", "the device wins", func(a *viewOf) { a.Memory = nil }),
		refuses("VIEW-05", "another code", capi.ErrorCodeInternal, func(a *viewOf) bool { return a.Device == nil && a.Memory == nil }),
		before("VIEW-06", "the address is rounded", func(a *viewOf) { a.DeviceBufferPtr &^= 63 }),
		lost("VIEW-07"),
		refuses("VIEW-08", "0 is no stream", capi.ErrorCodeInvalidArgument, func(a *viewOf) bool { return a.Stream == 0 }),
		before("VIEW-09", "another order", copied(slices.Reverse[[]byte])),
		arrives("VIEW-10", "freed under the copy", flip),
		hooked("VIEW-11", "holds a lock while calling back", func() []serve.Hook {
			lock := make(chan struct{}, 1)
			return []serve.Hook{
				onDelete(func(_ *viewOf, call func()) func() { return func() { locked(lock, call) } }),
				serve.Around(func(c *invocation, _ *uploadArgs) { locked(lock, c.Forward) }),
			}
		}),
	}, inMemory(
		refuses("VIEW-03", "none is refused", capi.ErrorCodeInvalidArgument, func(a *viewOf) bool { return a.OnDeleteCallback == 0 }),
	))
}

type (
	errorBuffers  = capi.ClientCreateErrorBufferArgs
	uninitialized = capi.ClientCreateUninitializedBufferArgs
	fulfilArgs    = capi.ClientFulfillAliasBufferArgs
)

func placeholderMutants() []mutant.Mutant {
	noPayload := func(a *errorBuffers) { a.Payload, a.NumPayload = nil, 0 }
	return slices.Concat([]mutant.Mutant{
		mutant.Answers[downloadArgs]("UNI-01", "an error when it is read", capi.ErrorCodeInternal),
		mutant.Answers[uninitialized]("UNI-03", "an error", capi.ErrorCodeInternal),
		mutant.Answers[capi.LoadedExecutableExecuteArgs]("UNI-04", "refused", capi.ErrorCodeInvalidArgument),
		hooked("UNI-12", "no execution succeeds after one that failed", func() []serve.Hook {
			var count atomic.Int32
			return []serve.Hook{serve.Around(func(c *invocation, _ *capi.LoadedExecutableExecuteArgs) {
				if count.Add(1) > 1 {
					c.Fail(capi.ErrorCodeInternal, "an earlier execution failed")
					return
				}
				c.Forward()
			})}
		}),
		anyReady("UNI-13", "ready"),
		mutant.Of("UNI-14", "those that wait get an error", func(c *invocation, a *capi.EventAwaitArgs) {
			early := !ready(c.Table(), a.Event)
			if c.Forward(); early {
				c.Fail(capi.ErrorCodeInternal, "it was not ready")
			}
		}),
		ignores("UNI-15", "errors are dropped", func(a *fulfilArgs) bool { return a.StatusCode != capi.ErrorCodeOK }),
		forgives[fulfilArgs]("UNI-16", "success"),
		forgivesUse[fulfilArgs]("UNI-17"),
		arrives("UNI-18", "the alias dangles", flip),
		mutant.Of("UNI-19", "waits for the fulfilment", func(c *invocation, a *capi.BufferDestroyArgs) {
			call := &capi.Call[capi.BufferReadyEventArgs]{}
			call.Args.Buffer = a.Buffer
			if call.Do(c.Table()) == nil && !ready(c.Table(), call.Args.Event) {
				time.Sleep(deadlock)
			}
			c.Forward()
		}),
		anyReady("UNI-20", "runs early"),
	}, inMemory(
		before("UNI-02", "the device wins", func(a *uninitialized) { a.Memory = nil }),
		before("UNI-05", "every code becomes UNKNOWN", func(a *errorBuffers) { a.ErrorCode = capi.ErrorCodeUnknown }),
		awaitsOK("UNI-06", "runs on garbage"),
		refuses("UNI-07", "there is no room", capi.ErrorCodeResourceExhausted, func(a *errorBuffers) bool { return *a.ShapeDims > 1<<30 }),
		before("UNI-08", "dropped", noPayload),
		before("UNI-09", "ignored", noPayload),
		hooked("UNI-10", "nothing works afterwards", func() []serve.Hook {
			var spoiled atomic.Bool
			return []serve.Hook{
				serve.Around(func(c *invocation, a *errorBuffers) {
					spoiled.Store(a.ErrorCode == capi.ErrorCodeOK)
					c.Forward()
				}),
				serve.Around(func(c *invocation, _ *uploadArgs) {
					if spoiled.Load() {
						c.Fail(capi.ErrorCodeInternal, "the client is lost")
						return
					}
					c.Forward()
				}),
			}
		}),
		refuses("UNI-11", "fails in another way", capi.ErrorCodeInternal, func(a *errorBuffers) bool { return a.ShapeElementType == capi.BufferTypeToken }),
	))
}

func dmaMutants() []mutant.Mutant {
	return inMemory(
		mutant.Answers[capi.ClientDMAUnmapArgs]("DMA-01", "unmapping fails", capi.ErrorCodeInternal),
		arrives("DMA-02", "stale", flip),
		forgives[capi.ClientDMAUnmapArgs]("DMA-03", "success"),
		forgives[capi.ClientDMAUnmapArgs]("DMA-04", "success"),
		hooked("DMA-05", "nothing works afterwards", func() []serve.Hook {
			var spoiled atomic.Bool
			return []serve.Hook{
				serve.Around(func(c *invocation, a *capi.ClientDMAMapArgs) {
					if a.Data == nil || a.Size == 0 {
						spoiled.Store(true)
					}
					c.Forward()
				}),
				serve.Around(func(c *invocation, _ *uploadArgs) {
					if spoiled.Load() {
						c.Fail(capi.ErrorCodeInternal, "the client is lost")
						return
					}
					c.Forward()
				}),
			}
		}),
		hooked("DMA-06", "the first device only", func() []serve.Hook {
			var first atomic.Pointer[capi.Device]
			return []serve.Hook{serve.Around(func(c *invocation, a *uploadArgs) {
				if !first.CompareAndSwap(nil, a.Device) && first.Load() != a.Device {
					c.Fail(capi.ErrorCodeInternal, "this device cannot reach the memory")
					return
				}
				c.Forward()
			})}
		}),
		arrives("DMA-07", "the device reads memory that is unmapped", flip),
	)
}
