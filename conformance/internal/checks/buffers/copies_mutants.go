// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package buffers

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

func copyMutants() []mutant.Mutant {
	deletes := func(c *serve.Invocation, b *capi.Buffer) { mutant.Try(c.Table(), capi.BufferDeleteArgs{Buffer: b}) }
	return slices.Concat([]mutant.Mutant{
		mutant.First("COPY-01", "the first device always", func(a *capi.BufferDeviceArgs) **capi.Device { return &a.Device }),
		mutant.ArrivesFrom("COPY-01", "copies from the third device are wrong", copiedBuffers,
			func(c *serve.Invocation, a *capi.BufferCopyToDeviceArgs) bool { return placeBelow(c, a.Buffer) == 2 }, flip),
		mutant.ArrivesFrom("COPY-01", "copies of narrow types are wrong", copiedBuffers,
			func(c *serve.Invocation, a *capi.BufferCopyToDeviceArgs) bool {
				return mutant.TypeOf(c.Table(), a.Buffer).IsSubByte()
			}, flip),
		mutant.Of("COPY-01", "empty arrays are refused", func(c *serve.Invocation, a *capi.BufferCopyToDeviceArgs) {
			mutant.FailIf(c, check.Elements(mutant.DimsOf(c.Table(), a.Buffer)...) == 0, capi.ErrorCodeInvalidArgument,
				"there is nothing to copy")
		}),
		mutant.Hooked("COPY-01", "the memory is the source's", func() []serve.Hook {
			var sources sync.Map
			return []serve.Hook{
				mutant.Then(func(a *capi.BufferCopyToDeviceArgs) { sources.Store(a.DstBuffer, a.Buffer) }),
				mutant.Ahead(func(a *capi.BufferUnsafePointerArgs) {
					if source, ok := sources.Load(a.Buffer); ok {
						a.Buffer = source.(*capi.Buffer)
					}
				}),
			}
		}),
		mutant.Of("COPY-03", "the source is moved", func(c *serve.Invocation, a *capi.BufferCopyToDeviceArgs) {
			c.Forward()
			deletes(c, a.Buffer)
		}),
		mutant.Arrives("COPY-04", "freed under the copy", flip),
		mutant.Swallows[capi.EventAwaitArgs]("COPY-05", "success"),
		mutant.LosesMessage[capi.EventAwaitArgs]("COPY-05", "the message is lost"),
		mutant.Hooked("COPY-06", "copies that overlap go to one device", func() []serve.Hook {
			var under atomic.Int32
			var first atomic.Pointer[capi.Device]
			return []serve.Hook{serve.Around(func(c *serve.Invocation, a *capi.BufferCopyToDeviceArgs) {
				if under.Add(1) == 1 {
					first.Store(a.DstDevice)
				} else if d := first.Load(); d != nil {
					a.DstDevice = d
				}
				time.Sleep(2 * time.Millisecond)
				c.Forward()
				under.Add(-1)
			})}
		}),
		nth("COPY-06", "one of them is wrong", 9),
		mutant.ArrivesFrom("COPY-07", "a lazy alias", copiedBuffers, nil,
			func(data []byte) { copy(data, []byte{0, 0, 0, 0x40}) }), // what the program leaves there
		mutant.ArrivesFrom("COPY-08", "two bits are packed as four", movedBuffers,
			func(c *serve.Invocation, a *capi.BufferCopyToMemoryArgs) bool {
				return mutant.TypeOf(c.Table(), a.Buffer) == dtype.U2
			}, flip),
		mutant.ArrivesFrom("COPY-08", "what comes back to the device is wrong", movedBuffers,
			func(c *serve.Invocation, a *capi.BufferCopyToMemoryArgs) bool {
				out, err := mutant.Try(c.Table(), capi.MemoryKindArgs{Memory: a.DstMemory})
				return err == nil && capi.String(out.Kind, out.KindSize) == "device"
			}, flip),
		mutant.AfterMade("COPY-08", "the type is that of a byte", movedBuffers,
			func(a *capi.BufferElementTypeArgs) { a.Type = capi.BufferTypeU8 }),
		mutant.First("COPY-10", "the source's memory", func(a *capi.BufferMemoryArgs) **capi.Memory { return &a.Memory }),
		mutant.After("COPY-10", "never on the host", func(a *capi.BufferIsOnCPUArgs) { a.IsOnCPU = false }),
		mutant.Answers[capi.BufferCopyToDeviceArgs]("COPY-12", "fails in another way", capi.ErrorCodeInternal),
	}, mutant.InMemory(
		mutant.Swallows[capi.BufferCopyToDeviceArgs]("COPY-02", "success"),
		mutant.Swallows[capi.BufferCopyToMemoryArgs]("COPY-09", "success"),
		mutant.Swallows[capi.BufferCopyToDeviceArgs]("COPY-11", "success"),
		mutant.After("COPY-13", "the source is kept", func(a *capi.BufferIsDeletedArgs) { a.IsDeleted = false }),
		mutant.AfterMade("COPY-13", "the type stays", castBuffers,
			func(a *capi.BufferElementTypeArgs) { a.Type = capi.BufferTypeF32 }),
		mutant.Before("COPY-14", "fewer bytes are taken", func(a *capi.BufferBitcastArgs) {
			if n := check.Elements(capi.Slice(a.Dims, a.NumDims)...); dtype.Type(a.ElementType) == dtype.F32 && n < 4 {
				a.Dims, a.NumDims = dims(4)
			}
		}),
		mutant.Of("COPY-14", "the source is lost", func(c *serve.Invocation, a *capi.BufferBitcastArgs) {
			if c.Forward(); c.Err() != nil {
				deletes(c, a.Buffer)
			}
		}),
		mutant.AfterMade("COPY-15", "keeps the layout", castBuffers, reverseLayout),
		mutant.Before("COPY-16", "ignored", func(a *capi.BufferBitcastArgs) { a.DeviceLayout = nil }),
		mutant.Swallows[capi.BufferBitcastArgs]("COPY-17", "success"),
	))
}

func referenceMutants() []mutant.Mutant {
	return []mutant.Mutant{
		mutant.OfEach("REF-01", "counts to one", func(c *serve.Invocation, _ *increaseArgs, n int64) {
			if n == 1 {
				c.Forward()
			}
		}),
		mutant.Swallows[decreaseArgs]("REF-02", "wraps"),
		mutant.OfEach("REF-03", "one too few", func(c *serve.Invocation, _ *decreaseArgs, n int64) {
			if c.Forward(); n == 4 {
				c.FailWith(nil)
			}
		}),
		mutant.Hooked("REF-03", "one count for all buffers", func() []serve.Hook {
			var count atomic.Int32
			return []serve.Hook{
				serve.Around(func(*serve.Invocation, *increaseArgs) { count.Add(1) }),
				serve.Around(func(c *serve.Invocation, _ *decreaseArgs) {
					if count.Add(-1) < 0 {
						c.Fail(capi.ErrorCodeInvalidArgument, "there is no reference")
					}
				}),
			}
		}),
		mutant.OnceAfter[downloadArgs]("REF-04", "moves when it is read", func(a *opaqueArgs) {
			a.DeviceMemoryPtr += 64
		}),
		mutant.Of("REF-04", "null on other devices than the first", func(c *serve.Invocation, a *opaqueArgs) {
			if c.Forward(); placeBelow(c, a.Buffer) > 0 {
				a.DeviceMemoryPtr = 0
			}
		}),
		mutant.OfEach("REF-04", "moves", func(c *serve.Invocation, a *opaqueArgs, n int64) {
			c.Forward()
			a.DeviceMemoryPtr += 64 * uintptr(n)
		}),
		mutant.After("REF-05", "the address of something else",
			func(a *opaqueArgs) { a.DeviceMemoryPtr = check.Address(check.Retain(make([]byte, 64))) }),
		mutant.AfterMade("REF-05", "outputs have a staging address", outputBuffers,
			func(a *opaqueArgs) { a.DeviceMemoryPtr = check.Address(check.Retain(make([]byte, 64))) }),
		mutant.AfterMade("REF-06", "outputs have none", outputBuffers,
			func(a *capi.BufferUnsafePointerArgs) { a.BufferPointer = 0 }),
		mutant.First("REF-06", "the same for all", func(a *capi.BufferUnsafePointerArgs) *uintptr { return &a.BufferPointer }),
		mutant.Of("REF-07", "freed", func(c *serve.Invocation, a *capi.BufferDeleteArgs) {
			overwrite(c, a.Buffer, 64)
			c.Forward()
		}),
		mutant.Hooked("REF-07", "the first decrease frees", func() []serve.Hook {
			var mu sync.Mutex
			count := make(map[*capi.Buffer]int) // guarded by mu
			address := make(map[*capi.Buffer]uintptr)
			return []serve.Hook{
				serve.Around(func(c *serve.Invocation, a *increaseArgs) {
					c.Forward()
					mu.Lock()
					defer mu.Unlock()
					count[a.Buffer]++
					if out, err := mutant.Try(c.Table(), capi.BufferUnsafePointerArgs{Buffer: a.Buffer}); err == nil {
						address[a.Buffer] = out.BufferPointer
					}
				}),
				mutant.Then(func(a *decreaseArgs) {
					mu.Lock()
					defer mu.Unlock()
					if count[a.Buffer]--; count[a.Buffer] > 0 {
						check.Poke(address[a.Buffer], make([]byte, 16))
					}
				}),
			}
		}),
		mutant.Hooked("REF-08/deleted", "the address is still told", func() []serve.Hook {
			var addresses sync.Map
			return []serve.Hook{serve.Around(func(c *serve.Invocation, a *opaqueArgs) {
				if c.Forward(); c.Err() == nil {
					addresses.Store(a.Buffer, a.DeviceMemoryPtr)
				} else if p, ok := addresses.Load(a.Buffer); ok {
					c.FailWith(nil)
					a.DeviceMemoryPtr = p.(uintptr)
				}
			})}
		}),
		mutant.Swallows[opaqueArgs]("REF-08/donated", "an address is told"),
		mutant.Swallows[increaseArgs]("REF-08/deleted", "success"),
		mutant.Swallows[increaseArgs]("REF-08/donated", "success"),
		mutant.Answers[decreaseArgs]("REF-09", "only in the thread that increased it", capi.ErrorCodeInternal),
	}
}

func rawMutants() []mutant.Mutant {
	copyEvent := func(a *futureArgs) *capi.Event { return a.Event }
	return slices.Concat([]mutant.Mutant{
		mutant.Before("RAW-01", "the offset is ignored", func(a *rawArgs) { a.Offset = 0 }),
		mutant.Before("RAW-01", "a byte more is written", func(a *rawArgs) {
			if a.Offset >= 0 && a.TransferSize >= 0 && a.Offset+a.TransferSize < 16 {
				a.TransferSize++
			}
		}),
		mutant.Of("RAW-02", "refused, and written all the same", func(c *serve.Invocation, a *rawArgs) {
			if c.Forward(); c.Err() != nil || mutant.Await(c.Table(), a.Event) != nil {
				check.Poke(uintptr(a.Dst), []byte{0})
			}
		}),
		mutant.Before("RAW-02", "a negative offset counts as zero", func(a *rawArgs) { a.Offset = max(a.Offset, 0) }),
		mutant.LosesCode[capi.EventAwaitArgs]("RAW-02", "another code", capi.ErrorCodeUnknown),
		mutant.Swallows[capi.EventAwaitArgs]("RAW-02", "success"),
		mutant.Refuses("RAW-03", "no bytes are refused", capi.ErrorCodeInvalidArgument,
			func(a *rawArgs) bool { return a.TransferSize == 0 }),
		mutant.Swallows[capi.EventAwaitArgs]("RAW-04", "success"),
		mutant.Of("RAW-05", "not packed", func(c *serve.Invocation, a *rawArgs) {
			if c.Forward(); c.Err() == nil && mutant.Await(c.Table(), a.Event) == nil {
				for i, x := range mutant.BytesAt(a.Dst, uintptr(a.TransferSize)) {
					mutant.BytesAt(a.Dst, uintptr(a.TransferSize))[i] = x & 15
				}
			}
		}),
	}, mutant.InMemory(
		anyReady("RAW-06", "starts early"),
		mutant.Nothing[capi.EventAwaitArgs]("RAW-06", "the event is not waited for"),
		mutant.Before("RAW-06", "the offset is ignored", func(a *futureArgs) { a.Offset = 0 }),
		mutant.LosesMessage[capi.EventAwaitArgs]("RAW-07", "the message is lost"),
		mutant.Swallows[capi.EventAwaitArgs]("RAW-07", "success"),
		mutant.First("RAW-08", "one for all", func(a *futureArgs) *uintptr { return &a.CallbackData }),
		eventsFail("RAW-09", "the copy fails", true, copyEvent),
		mutant.Hooked("RAW-10", "the struct is not looked at", func() []serve.Hook {
			return []serve.Hook{
				mutant.Instead(func(a *capi.EventIsReadyArgs) { a.IsReady = true }),
				mutant.Instead(func(*capi.EventAwaitArgs) {}),
			}
		}),
		eventsFail("RAW-11", "only in the thread that made it", false, copyEvent),
	))
}
