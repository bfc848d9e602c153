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

// onDelete returns a fault in how the callback of a view is called.
func onDelete(f func(call func())) serve.Hook {
	return serve.Around(func(c *serve.Invocation, a *viewOf) {
		callback, arg, address := a.OnDeleteCallback, a.OnDeleteCallbackArg, a.DeviceBufferPtr
		mutant.Forward(c, a, func(a *viewOf) {
			replaced, h := capi.NewOnDeleteCallback(func() { f(func() { callback.Call(address, arg) }) })
			a.OnDeleteCallback, a.OnDeleteCallbackArg = replaced, uintptr(h)
		})
	})
}

// deletes returns a plugin with a fault of onDelete.
func deletes(name, fault string, f func(call func())) mutant.Mutant {
	return mutant.Hooked(name, fault, func() []serve.Hook { return []serve.Hook{onDelete(f)} })
}

// holdsInDeletes returns a plugin that calls back under a lock that a function also takes.
func holdsInDeletes[A any](name, fault string) mutant.Mutant {
	return mutant.Hooked(name, fault, func() []serve.Hook {
		lock := make(chan struct{}, 1)
		return []serve.Hook{
			onDelete(func(call func()) { locked(lock, call) }),
			serve.Around(func(c *serve.Invocation, _ *A) { locked(lock, c.Forward) }),
		}
	})
}

// callsBackAt returns a plugin that calls back when a function ends a view, even if the
// memory is still in use.
func callsBackAt[A any](name, fault string) mutant.Mutant {
	return mutant.Hooked(name, fault, func() []serve.Hook {
		var ends sync.Map
		return []serve.Hook{
			serve.Around(func(c *serve.Invocation, a *viewOf) {
				callback, arg, address := a.OnDeleteCallback, a.OnDeleteCallbackArg, a.DeviceBufferPtr
				var once sync.Once
				end := func() { once.Do(func() { callback.Call(address, arg) }) }
				replaced, h := capi.NewOnDeleteCallback(end)
				a.OnDeleteCallback, a.OnDeleteCallbackArg = replaced, uintptr(h)
				c.Forward()
				a.OnDeleteCallback, a.OnDeleteCallbackArg = callback, arg
				ends.Store(a.Buffer, end)
			}),
			mutant.Ahead(func(a *A) {
				if end, ok := ends.LoadAndDelete(mutant.Object[capi.Buffer](a)); ok {
					end.(func())()
				}
			}),
		}
	})
}

func viewMutants() []mutant.Mutant {
	copied := func(change func([]byte)) func(*viewOf) {
		return func(a *viewOf) {
			n := 4
			for _, d := range capi.Slice(a.Dims, a.NumDims) {
				n *= int(d)
			}
			block := check.Retain(check.Aligned(n, 4096, 0))
			copy(block, check.MemoryAt(a.DeviceBufferPtr, n))
			change(block)
			a.DeviceBufferPtr = check.Address(block)
		}
	}
	lost := func(name string) mutant.Mutant { return deletes(name, "the callback is lost", func(func()) {}) }
	return slices.Concat([]mutant.Mutant{
		mutant.Before("VIEW-01", "copies at creation", copied(func([]byte) {})),
		mutant.Before("VIEW-01", "another type of the same size", func(a *viewOf) { a.ElementType = capi.BufferTypeS32 }),
		onDevice[viewOf]("VIEW-01", "the first device, always", 0),
		callsBackAt[capi.BufferDestroyArgs]("VIEW-02", "the callback runs when the view is destroyed, in use or not"),
		callsBackAt[capi.BufferDeleteArgs]("VIEW-02/deleted", "the callback runs when the view is deleted, in use or not"),
		mutant.Before("VIEW-02", "the callback does not get the address", func(a *viewOf) {
			callback, arg := a.OnDeleteCallback, a.OnDeleteCallbackArg
			replaced, h := capi.NewOnDeleteCallback(func() { callback.Call(0, arg) })
			a.OnDeleteCallback, a.OnDeleteCallbackArg = replaced, uintptr(h)
		}),
		lost("VIEW-02"),
		mutant.Of("VIEW-02", "the callback runs when the view is made", func(c *serve.Invocation, a *viewOf) {
			a.OnDeleteCallback.Call(a.DeviceBufferPtr, a.OnDeleteCallbackArg)
			replaced, h := capi.NewOnDeleteCallback(func() {})
			mutant.Forward(c, a, func(a *viewOf) { a.OnDeleteCallback, a.OnDeleteCallbackArg = replaced, uintptr(h) })
		}),
		deletes("VIEW-02", "the callback runs twice", func(call func()) { call(); call() }),
		mutant.Before("VIEW-04", "the device wins", func(a *viewOf) { a.Memory = nil }),
		mutant.Refuses("VIEW-05", "another code", capi.ErrorCodeInternal,
			func(a *viewOf) bool { return a.Device == nil && a.Memory == nil }),
		mutant.Before("VIEW-06", "the address is rounded", func(a *viewOf) { a.DeviceBufferPtr &^= 63 }),
		lost("VIEW-07"),
		mutant.Refuses("VIEW-08", "0 is no stream", capi.ErrorCodeInvalidArgument, func(a *viewOf) bool { return a.Stream == 0 }),
		mutant.Before("VIEW-09", "the layout is ignored", func(a *viewOf) { a.Layout = nil }),
		mutant.Before("VIEW-09", "another order", copied(slices.Reverse[[]byte])),
		mutant.Arrives("VIEW-10", "freed under the copy", flip),
		holdsInDeletes[capi.LoadedExecutableExecuteArgs]("VIEW-11", "holds the lock of executions while calling back"),
		holdsInDeletes[uploadArgs]("VIEW-11", "holds a lock while calling back"),
	}, mutant.InMemory(
		mutant.Refuses("VIEW-03", "none is refused", capi.ErrorCodeInvalidArgument,
			func(a *viewOf) bool { return a.OnDeleteCallback == 0 }),
	))
}

func placeholderMutants() []mutant.Mutant {
	noPayload := func(a *errorBuffers) { a.Payload, a.NumPayload = nil, 0 }
	return slices.Concat([]mutant.Mutant{
		mutant.Before("UNI-01", "narrow types become bytes", func(a *uninitialized) {
			if dtype.Type(a.ShapeElementType).IsSubByte() {
				a.ShapeElementType = capi.BufferTypeS8
			}
		}),
		onDevice[uninitialized]("UNI-01", "the first device, always", 0),
		mutant.Of("UNI-01", "ignores the memory, and takes that of the first device", func(c *serve.Invocation, a *uninitialized) {
			memory, device := a.Memory, a.Device
			if device == nil {
				a.Memory, a.Device = nil, deviceOf(c, a.Client, 0)
			}
			c.Forward()
			a.Memory, a.Device = memory, device
		}),
		mutant.Of("UNI-01", "ignores what kind of memory is meant", func(c *serve.Invocation, a *uninitialized) {
			memory := a.Memory
			if memory != nil && a.Device == nil {
				a.Memory = sibling(c, memory)
			}
			c.Forward()
			a.Memory = memory
		}).InMemory(),
		mutant.Answers[downloadArgs]("UNI-01", "an error when it is read", capi.ErrorCodeInternal),
		mutant.Answers[uninitialized]("UNI-03", "an error", capi.ErrorCodeInternal),
		mutant.Answers[capi.LoadedExecutableExecuteArgs]("UNI-04", "refused", capi.ErrorCodeInvalidArgument),
		mutant.OfEach("UNI-12", "no execution succeeds after one that failed",
			func(c *serve.Invocation, _ *capi.LoadedExecutableExecuteArgs, n int64) {
				mutant.FailIf(c, n > 1, capi.ErrorCodeInternal, "an earlier execution failed")
			}),
		anyReady("UNI-13", "ready"),
		mutant.Of("UNI-14", "those that wait get an error", func(c *serve.Invocation, a *capi.EventAwaitArgs) {
			early := !mutant.IsReady(c.Table(), a.Event)
			if c.Forward(); early {
				c.Fail(capi.ErrorCodeInternal, "it was not ready")
			}
		}),
		mutant.Ignores("UNI-15", "errors are dropped", func(a *fulfilArgs) bool { return a.StatusCode != capi.ErrorCodeOK }).Waiting(),
		mutant.Before("UNI-15", "every code becomes INTERNAL", func(a *fulfilArgs) {
			if a.StatusCode != capi.ErrorCodeOK {
				a.StatusCode = capi.ErrorCodeInternal
			}
		}),
		mutant.Before("UNI-15", "the message is lost", func(a *fulfilArgs) { a.ErrorMessageSize = 0 }),
		mutant.Before("UNI-15", "a byte after the message belongs to it", func(a *fulfilArgs) { a.ErrorMessageSize = mutant.OneMore(a.ErrorMessageSize) }),
		mutant.Ignores("UNI-16", "nothing to fulfil is fine", func(a *fulfilArgs) bool { return a.FulfillAliasBufferCb == nil }),
		mismatch("UNI-17", "another type is taken", func(c *serve.Invocation, b *capi.Buffer) bool { return mutant.TypeOf(c.Table(), b) != dtype.F32 }),
		mismatch("UNI-17", "another shape of the same size is taken", func(c *serve.Invocation, b *capi.Buffer) bool { return len(mutant.DimsOf(c.Table(), b)) == 2 }),
		mutant.Swallows[fulfilArgs]("UNI-16", "success"),
		forgivesUse[fulfilArgs]("UNI-17"),
		mutant.Arrives("UNI-18", "the alias dangles", flip),
		mutant.Of("UNI-19", "waits for the fulfilment", func(c *serve.Invocation, a *capi.BufferDestroyArgs) {
			if mutant.Unsettled(c.Table(), a.Buffer) {
				time.Sleep(deadlock)
			}
			c.Forward()
		}),
		anyReady("UNI-20", "runs early"),
	}, mutant.InMemory(
		mutant.Hooked("UNI-02", "is in one place, and says another", func() []serve.Hook {
			buffers := new(mutant.Marks)
			var client *capi.Client
			return []serve.Hook{
				mutant.Marking(buffers, func(a *uninitialized) []*capi.Buffer {
					client = a.Client
					return []*capi.Buffer{a.Buffer}
				}),
				serve.Around(func(c *serve.Invocation, a *capi.BufferDeviceArgs) {
					c.Forward()
					if buffers.Has(a.Buffer) {
						a.Device = deviceOf(c, client, 2)
					}
				}),
			}
		}),
		mutant.Of("UNI-02", "is where nobody asked for", func(c *serve.Invocation, a *uninitialized) {
			if a.Memory != nil {
				memory, device := a.Memory, a.Device
				a.Memory, a.Device = nil, deviceOf(c, a.Client, 2)
				c.Forward()
				a.Memory, a.Device = memory, device
				return
			}
			c.Forward()
		}),
		mutant.Before("UNI-05", "every code becomes UNKNOWN", func(a *errorBuffers) { a.ErrorCode = capi.ErrorCodeUnknown }),
		mutant.Before("UNI-05", "the message is lost", func(a *errorBuffers) { a.ErrorMessageSize = 0 }),
		mutant.Before("UNI-05", "a byte after the message belongs to it",
			func(a *errorBuffers) { a.ErrorMessageSize = mutant.OneMore(a.ErrorMessageSize) }),
		mutant.Before("UNI-05", "the type is lost", func(a *errorBuffers) { a.ShapeElementType = capi.BufferTypeS32 }),
		mutant.First("UNI-05", "the first memory, always", func(a *capi.BufferMemoryArgs) **capi.Memory { return &a.Memory }),
		mutant.LosesMessage[capi.EventAwaitArgs]("UNI-06", "the cause is lost"),
		mutant.Before("UNI-08", "only the first", func(a *errorBuffers) { a.NumPayload = min(a.NumPayload, 1) }),
		forgivesUse[fulfilArgs]("UNI-17/memory"),
		mutant.Swallows[capi.EventAwaitArgs]("UNI-06", "runs on garbage"),
		mutant.Refuses("UNI-07", "there is no room", capi.ErrorCodeResourceExhausted,
			func(a *errorBuffers) bool { return *a.ShapeDims > 1<<30 }),
		mutant.Before("UNI-08", "dropped", noPayload),
		mutant.Before("UNI-09", "ignored", noPayload),
		mutant.Hooked("UNI-10", "nothing works afterwards", func() []serve.Hook {
			var spoiled atomic.Bool
			return []serve.Hook{
				mutant.Ahead(func(a *errorBuffers) { spoiled.Store(a.ErrorCode == capi.ErrorCodeOK) }),
				losing(&spoiled),
			}
		}),
		mutant.Before("UNI-21", "reads shape_layout only", func(a *errorBuffers) { a.DeviceLayout = nil }),
		mutant.Refuses("UNI-11", "fails in another way", capi.ErrorCodeInternal,
			func(a *errorBuffers) bool { return a.ShapeElementType == capi.BufferTypeToken }),
	))
}

// mismatch returns a plugin that takes some buffers for aliases of f32[4].
func mismatch(name, fault string, taken func(c *serve.Invocation, b *capi.Buffer) bool) mutant.Mutant {
	return mutant.Of(name, fault, func(c *serve.Invocation, a *fulfilArgs) {
		if a.Buffer != nil && taken(c, a.Buffer) {
			args := uploadArgs{Client: a.Client, Device: deviceOf(c, a.Client, 0), Type: capi.BufferTypeF32,
				Data: check.Pointer(check.Retain(make([]float32, 4)))}
			args.Dims, args.NumDims = dims(4)
			if out, err := mutant.Try(c.Table(), args); err == nil {
				a.Buffer = out.Buffer
			}
		}
		c.Forward()
	})
}

// ofMapped returns a plugin that handles transfers from or to mapped memory wrongly.
func ofMapped(fault string, hook func(inside func(p unsafe.Pointer) (first uintptr, ok bool)) serve.Hook) mutant.Mutant {
	return mutant.Hooked("DMA-02", fault, func() []serve.Hook {
		var regions sync.Map
		inside := func(p unsafe.Pointer) (first uintptr, ok bool) {
			regions.Range(func(at, size any) bool {
				first, ok = at.(uintptr), uintptr(p) >= at.(uintptr) && uintptr(p) < at.(uintptr)+size.(uintptr)
				return !ok
			})
			return first, ok
		}
		return []serve.Hook{
			serve.Around(func(c *serve.Invocation, a *capi.ClientDMAMapArgs) {
				if c.Forward(); c.Err() == nil {
					regions.Store(uintptr(a.Data), a.Size)
				}
			}),
			mutant.Then(func(a *capi.ClientDMAUnmapArgs) { regions.Delete(uintptr(a.Data)) }),
			hook(inside),
		}
	})
}

func dmaMutants() []mutant.Mutant {
	return mutant.InMemory(
		mutant.Answers[capi.ClientDMAUnmapArgs]("DMA-01", "unmapping fails", capi.ErrorCodeInternal),
		ofMapped("downloads do not arrive", func(inside func(unsafe.Pointer) (uintptr, bool)) serve.Hook {
			return serve.Around(func(c *serve.Invocation, a *downloadArgs) {
				dst := a.Dst
				if _, ok := inside(dst); ok {
					a.Dst = check.Pointer(check.Retain(make([]byte, a.DstSize)))
				}
				c.Forward()
				a.Dst = dst
			})
		}),
		ofMapped("uploads begin where the region does", func(inside func(unsafe.Pointer) (uintptr, bool)) serve.Hook {
			return mutant.Ahead(func(a *uploadArgs) {
				if first, ok := inside(a.Data); ok {
					a.Data = check.PointerAt(first)
				}
			})
		}),
		ofMapped("asynchronous transfers are of zeros", func(inside func(unsafe.Pointer) (uintptr, bool)) serve.Hook {
			return mutant.Ahead(func(a *transferArgs) {
				if _, ok := inside(a.Data); ok {
					a.Data = check.Pointer(check.Retain(make([]byte, a.TransferSize)))
				}
			})
		}),
		mutant.Swallows[capi.ClientDMAUnmapArgs]("DMA-03", "success"),
		mutant.Swallows[capi.ClientDMAUnmapArgs]("DMA-04", "success"),
		mutant.Hooked("DMA-05", "nothing works afterwards", func() []serve.Hook {
			var spoiled atomic.Bool
			return []serve.Hook{
				mutant.Ahead(func(a *capi.ClientDMAMapArgs) {
					if a.Data == nil || a.Size == 0 {
						spoiled.Store(true)
					}
				}),
				losing(&spoiled),
			}
		}),
		mutant.Hooked("DMA-06", "the first device only", func() []serve.Hook {
			var first atomic.Pointer[capi.Device]
			return []serve.Hook{serve.Around(func(c *serve.Invocation, a *uploadArgs) {
				mutant.FailIf(c, !first.CompareAndSwap(nil, a.Device) && first.Load() != a.Device, capi.ErrorCodeInternal,
					"this device cannot reach the memory")
			})}
		}),
		mutant.Arrives("DMA-07", "the device reads memory that is unmapped", flip),
	)
}

// losing refuses uploads once the client is spoiled.
func losing(spoiled *atomic.Bool) serve.Hook {
	return serve.Around(func(c *serve.Invocation, _ *uploadArgs) {
		mutant.FailIf(c, spoiled.Load(), capi.ErrorCodeInternal, "the client is lost")
	})
}
