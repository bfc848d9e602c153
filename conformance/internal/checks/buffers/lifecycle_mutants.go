// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package buffers

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
)

func metadataMutants() []mutant.Mutant {
	return []mutant.Mutant{
		mutant.After("BUF-01", "i4 is told as i8", func(a *capi.BufferElementTypeArgs) {
			if a.Type == capi.BufferTypeS4 {
				a.Type = capi.BufferTypeS8
			}
		}),
		mutant.Temporary[capi.BufferDimensionsArgs, int64]("BUF-02", "an array made for the call"),
		mutant.OnePlace("BUF-02", "one array for all buffers", check.Answer[capi.BufferDimensionsArgs, int64]),
		mutant.AfterMade("BUF-02", "outputs have a dimension more", outputBuffers,
			func(a *capi.BufferDimensionsArgs) { a.Dims, a.NumDims = dims(1, 4) }),
		mutant.After("BUF-02", "one dimension too few", func(a *capi.BufferDimensionsArgs) { a.NumDims = max(a.NumDims, 1) - 1 }),
		mutant.Answers[capi.BufferUnpaddedDimensionsArgs]("BUF-03", "not implemented", capi.ErrorCodeUnimplemented),
		mutant.After("BUF-04", "the bound", func(a *capi.BufferUnpaddedDimensionsArgs) { a.UnpaddedDims, a.NumDims = dims(8) }),
		mutant.After("BUF-05", "every first dimension", func(a *capi.BufferDynamicDimensionIndicesArgs) { a.NumDynamicDims = 1 }),
		mutant.After("BUF-05/dynamic", "always empty", func(a *capi.BufferDynamicDimensionIndicesArgs) { a.NumDynamicDims = 0 }),
		mutant.OfEach("BUF-06", "another answer the second time",
			func(c *serve.Invocation, a *capi.BufferDynamicDimensionIndicesArgs, n int64) {
				if c.Forward(); n == 2 {
					a.DynamicDimIndices = &check.Retain([]uintptr{7})[0]
				}
			}),
		mutant.After("BUF-07", "the type is not set", func(a *capi.BufferGetMemoryLayoutArgs) { a.Layout.Type = 5 }),
		mutant.After("BUF-07", "not all dimensions", func(a *capi.BufferGetMemoryLayoutArgs) { a.Layout.Tiled().MinorToMajorSize = 0 }),
		mutant.After("BUF-07", "an order that is called strides",
			func(a *capi.BufferGetMemoryLayoutArgs) { a.Layout.Type = capi.BufferMemoryLayoutTypeStrides }),
		mutant.After("BUF-08", "the order is reversed", reverseLayout),
		mutant.After("BUF-09", "no size", func(a *capi.BufferOnDeviceSizeInBytesArgs) { a.OnDeviceSizeInBytes = 0 }),
		mutant.Of("BUF-09", "elements are counted, not bytes", func(c *serve.Invocation, a *capi.BufferOnDeviceSizeInBytesArgs) {
			c.Forward()
			a.OnDeviceSizeInBytes = uintptr(check.Elements(mutant.DimsOf(c.Table(), a.Buffer)...))
		}),
		mutant.Of("BUF-09", "what does not fill a byte is left out", func(c *serve.Invocation, a *capi.BufferOnDeviceSizeInBytesArgs) {
			if c.Forward(); mutant.TypeOf(c.Table(), a.Buffer).IsSubByte() {
				a.OnDeviceSizeInBytes = uintptr(check.Elements(mutant.DimsOf(c.Table(), a.Buffer)...) * mutant.TypeOf(c.Table(),
					a.Buffer).Bits() / 8)
			}
		}),
		mutant.First("BUF-10/outputs", "the first device always", func(a *capi.BufferDeviceArgs) **capi.Device { return &a.Device }),
		mutant.Hooked("BUF-10", "what is placed by memory is on the first device", func() []serve.Hook {
			var devices sync.Map
			return []serve.Hook{
				serve.Around(func(c *serve.Invocation, a *uploadArgs) {
					if c.Forward(); a.Memory != nil {
						devices.Store(a.Buffer, deviceOf(c, a.Client, 0))
					}
				}),
				mutant.Then(func(a *capi.BufferDeviceArgs) {
					if d, ok := devices.Load(a.Buffer); ok {
						a.Device = d.(*capi.Device)
					}
				}),
			}
		}),
		mutant.First("BUF-10", "the first device always", func(a *capi.BufferDeviceArgs) **capi.Device { return &a.Device }),
		mutant.Answers[capi.BufferMemoryArgs]("BUF-11", "not implemented", capi.ErrorCodeUnimplemented),
		mutant.First("BUF-11", "the first memory always", func(a *capi.BufferMemoryArgs) **capi.Memory { return &a.Memory }),
		mutant.After("BUF-12", "never", func(a *capi.BufferIsOnCPUArgs) { a.IsOnCPU = false }),
		mutant.Hooked("BUF-28", "a handle that was deleted is given again", func() []serve.Hook {
			var deleted atomic.Pointer[capi.Buffer]
			return []serve.Hook{
				mutant.Then(func(a *capi.BufferDeleteArgs) { deleted.Store(a.Buffer) }),
				mutant.Then(func(a *uploadArgs) {
					if deleted.Load() != nil {
						a.Buffer = deleted.Load()
					}
				}),
				serve.Around(func(c *serve.Invocation, a *capi.BufferDestroyArgs) {
					if a.Buffer != deleted.Load() { // the one that is destroyed twice
						c.Forward()
					}
				}),
			}
		}),
		mutant.Hooked("BUF-28", "a handle twice", func() []serve.Hook {
			var first *capi.Buffer
			var count atomic.Int32
			return []serve.Hook{
				mutant.Then(func(a *uploadArgs) {
					switch count.Add(1) {
					case 1:
						first = a.Buffer
					case 50:
						a.Buffer = first
					}
				}),
				serve.Around(func(c *serve.Invocation, a *capi.BufferDestroyArgs) {
					if a.Buffer != first { // the one that is destroyed twice
						c.Forward()
					}
				}),
			}
		}),
	}
}

func reverseLayout(a *capi.BufferGetMemoryLayoutArgs) {
	tiled := a.Layout.Tiled()
	order := capi.Slice(tiled.MinorToMajor, tiled.MinorToMajorSize)
	slices.Reverse(order)
	tiled.MinorToMajor, tiled.MinorToMajorSize = dims(order...)
}

func lifecycleMutants() []mutant.Mutant {
	return []mutant.Mutant{
		mutant.After("BUF-13", "always true", func(a *capi.BufferIsDeletedArgs) { a.IsDeleted = true }),
		mutant.AfterMade("BUF-13", "copies are deleted", copiedBuffers, func(a *capi.BufferIsDeletedArgs) { a.IsDeleted = true }),
		mutant.Of("BUF-13/waiting", "deleted means without data", func(c *serve.Invocation, a *capi.BufferIsDeletedArgs) {
			if c.Forward(); !a.IsDeleted {
				a.IsDeleted = mutant.Unsettled(c.Table(), a.Buffer)
			}
		}),
		mutant.OfMade("BUF-14", "outputs are not deleted", outputBuffers, func(*serve.Invocation, *capi.BufferDeleteArgs) {}),
		mutant.Hooked("BUF-14", "the buffer that was made last is deleted, too", func() []serve.Hook {
			var last atomic.Pointer[capi.Buffer]
			return []serve.Hook{
				mutant.Then(func(a *uploadArgs) { last.Store(a.Buffer) }),
				mutant.Ahead(func(a *capi.BufferDestroyArgs) { last.CompareAndSwap(a.Buffer, nil) }),
				serve.Around(func(c *serve.Invocation, a *capi.BufferDeleteArgs) {
					c.Forward()
					if other := last.Load(); other != nil {
						mutant.Try(c.Table(), capi.BufferDeleteArgs{Buffer: other})
					}
				}),
			}
		}),
		mutant.Of("BUF-14/waiting", "waits for the data", func(c *serve.Invocation, a *capi.BufferDeleteArgs) {
			settle(c, a.Buffer)
			c.Forward()
		}),
		mutant.After("BUF-14", "not at once", func(a *capi.BufferIsDeletedArgs) { a.IsDeleted = false }),
		mutant.Again[capi.Buffer]("BUF-15", "refused the second time",
			func(c *serve.Invocation, _ *capi.BufferDeleteArgs) {
				c.Fail(capi.ErrorCodeInvalidArgument, "it is deleted")
			}),
		spoiledBy[capi.BufferDeleteArgs]("BUF-16", "freed under the copy"),
		spoiledBy[capi.BufferDeleteArgs]("BUF-16/large", "freed under the copy"),
		cancelled("BUF-16", "the download fails", downloadEvents),
		cancelled("BUF-17", "the execution fails", executionEvents),
		mutant.Arrives("BUF-17", "the input was freed early", flip),
		mutant.Of("BUF-17/waiting", "the input is overwritten", func(c *serve.Invocation, a *capi.BufferDeleteArgs) {
			overwrite(c, a.Buffer, 16)
			c.Forward()
		}),
		mutant.Nothing[capi.BufferDeleteArgs]("BUF-18", "keeps the memory until the buffer is destroyed"),
		mutant.OfEach("BUF-18", "keeps the memory of every other buffer", func(c *serve.Invocation, _ *capi.BufferDeleteArgs, n int64) {
			if n%2 == 0 {
				c.Forward()
			}
		}),
		onReadyOf("BUF-19", "copies are never ready",
			func(m *mutant.Marks) serve.Hook { return mutant.Marking(m, copiedBuffers) }, never).Waiting(),
		onReadyOf("BUF-19/waiting", "outputs are ready at once",
			func(m *mutant.Marks) serve.Hook { return mutant.Marking(m, outputBuffers) }, hasty),
		eventsFail("BUF-19", "the event fails", false, func(a *capi.BufferReadyEventArgs) *capi.Event { return a.Event }),
		mutant.Swallows[capi.EventAwaitArgs]("BUF-20", "ready without an error"),
		mutant.OnceFails[capi.BufferDeleteArgs, capi.EventAwaitArgs]("BUF-21", "the event turns into an error", capi.ErrorCodeInternal),
		mutant.Swallows[capi.EventAwaitArgs]("BUF-22", "success with garbage"),
		mutant.LosesMessage[capi.EventAwaitArgs]("BUF-22", "the cause is lost"),
		mutant.Of("BUF-23/ToHostBuffer", "refused, and written all the same", func(c *serve.Invocation, a *downloadArgs) {
			if c.Forward(); a.Dst != nil && (c.Err() != nil || mutant.Await(c.Table(), a.Event) != nil) {
				clear(mutant.BytesAt(a.Dst, a.DstSize))
			}
		}),
		forgivesUse[downloadArgs]("BUF-23/ToHostBuffer"),
		forgivesUse[capi.BufferCopyToDeviceArgs]("BUF-23/CopyToDevice"),
		forgivesUse[capi.LoadedExecutableExecuteArgs]("BUF-23/Execute"),
		forgivesUse[capi.BufferUnsafePointerArgs]("BUF-23/UnsafePointer"),
		forgivesUse[opaqueArgs]("BUF-23/OpaqueDeviceMemoryDataPointer"),
		mutant.After("BUF-24", "the dimensions are gone", func(a *capi.BufferDimensionsArgs) { a.NumDims = 0 }),
		mutant.Refuses("BUF-25/null", "null is refused", capi.ErrorCodeInvalidArgument,
			func(a *capi.BufferDestroyArgs) bool { return a.Buffer == nil }),
		mutant.OfMade("BUF-25/used", "keeps the memory of outputs", outputBuffers,
			func(*serve.Invocation, *capi.BufferDestroyArgs) {}),
		mutant.OfMade("BUF-25/used", "keeps the memory of what has a ready event", mutant.Made[capi.BufferReadyEventArgs, capi.Buffer],
			func(*serve.Invocation, *capi.BufferDestroyArgs) {}),
		mutant.Nothing[capi.BufferDestroyArgs]("BUF-25", "keeps the memory"),
		mutant.OfEach("BUF-25/often", "keeps the memory of one in five hundred",
			func(c *serve.Invocation, _ *capi.BufferDestroyArgs, n int64) {
				if n%500 != 0 {
					c.Forward()
				}
			}),
		eventsFail("BUF-26", "the execution fails",
			true, func(a *capi.LoadedExecutableExecuteArgs) *capi.Event { return *a.DeviceCompleteEvents }),
		mutant.Answers[capi.BufferDestroyArgs]("BUF-27", "only in the thread that made the client", capi.ErrorCodeInternal),
	}
}

// cancelled returns a plugin in which deleting a buffer cancels what a function began.
func cancelled[A any](name, fault string, events func(*A) []*capi.Event) mutant.Mutant {
	return mutant.Hooked(name, fault, func() []serve.Hook {
		begun := new(mutant.Marks)
		var deleted atomic.Bool
		return []serve.Hook{
			mutant.Marking(begun, events),
			mutant.Ahead(func(*capi.BufferDeleteArgs) { deleted.Store(true) }),
			serve.Around(func(c *serve.Invocation, a *capi.EventAwaitArgs) {
				if c.Forward(); deleted.Load() && begun.Has(a.Event) {
					c.Fail(capi.ErrorCodeCancelled, "the buffer was deleted")
				}
			}),
		}
	})
}

// overwrite changes the memory of a buffer of the CPU plugin.
func overwrite(c *serve.Invocation, b *capi.Buffer, n int) {
	if out, err := mutant.Try(c.Table(), capi.BufferUnsafePointerArgs{Buffer: b}); err == nil {
		check.Poke(out.BufferPointer, make([]byte, n))
	}
}

// eventsFail returns a plugin in which the events of a function fail: all of them, or
// only if a buffer was destroyed meanwhile.
func eventsFail[A any](name, fault string, destroyed bool, event func(*A) *capi.Event) mutant.Mutant {
	return mutant.Hooked(name, fault, func() []serve.Hook {
		var waiting, failing sync.Map
		return []serve.Hook{
			serve.Around(func(c *serve.Invocation, a *A) {
				if c.Forward(); c.Err() != nil {
					return
				}
				if destroyed {
					waiting.Store(event(a), true)
				} else {
					failing.Store(event(a), true)
				}
			}),
			serve.Around(func(c *serve.Invocation, _ *capi.BufferDestroyArgs) {
				waiting.Range(func(e, _ any) bool {
					if !mutant.IsReady(c.Table(), e.(*capi.Event)) {
						failing.Store(e, true)
					}
					return true
				})
				waiting.Clear()
				c.Forward()
			}),
			mutant.Ahead(func(a *capi.EventDestroyArgs) {
				waiting.Delete(a.Event)
				failing.Delete(a.Event)
			}),
			serve.Around(func(c *serve.Invocation, a *capi.EventAwaitArgs) {
				if c.Forward(); c.Err() == nil {
					if _, fails := failing.Load(a.Event); fails {
						c.Fail(capi.ErrorCodeInternal, "%s", fault)
					}
				}
			}),
		}
	})
}

// forgivesUse returns a plugin that reports success for the use of a deleted buffer.
func forgivesUse[A any](name string) mutant.Mutant {
	return mutant.Swallows[A](name, "success").And(mutant.Swallows[capi.EventAwaitArgs]("", ""))
}
