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

func copyMutants() []mutant.Mutant {
	deletes := func(c *invocation, b *capi.Buffer) {
		call := &capi.Call[capi.BufferDeleteArgs]{}
		call.Args.Buffer = b
		call.Do(c.Table())
	}
	return slices.Concat([]mutant.Mutant{
		{Check: "COPY-01", Fault: "the first device always", Hooks: remember(func(a *capi.BufferDeviceArgs) **capi.Device { return &a.Device })},
		arrives("COPY-01", "a bit is wrong", flip),
		mutant.Of("COPY-03", "the source is moved", func(c *invocation, a *capi.BufferCopyToDeviceArgs) {
			c.Forward()
			deletes(c, a.Buffer)
		}),
		arrives("COPY-04", "freed under the copy", flip),
		awaitsOK("COPY-05", "success"),
		nth("COPY-06", "one of them is wrong", 9),
		hooked("COPY-07", "a lazy alias", func() []serve.Hook {
			var sources sync.Map // by copy
			return []serve.Hook{
				serve.Around(func(c *invocation, a *capi.BufferCopyToDeviceArgs) {
					c.Forward()
					sources.Store(a.DstBuffer, true)
				}),
				serve.Around(func(c *invocation, a *downloadArgs) {
					c.Forward()
					if _, copied := sources.Load(a.Src); copied && a.Dst != nil && wait(c.Table(), a.Event) == nil {
						for i, x := range []byte{0, 0, 0, 0x40} { // what the program left there
							bytesAt(a.Dst, a.DstSize)[i] = x
						}
					}
				}),
			}
		}),
		arrives("COPY-08", "packed wrongly", flip),
		{Check: "COPY-10", Fault: "the source's memory", Hooks: remember(func(a *capi.BufferMemoryArgs) **capi.Memory { return &a.Memory })},
		mutant.Answers[capi.BufferCopyToDeviceArgs]("COPY-12", "fails in another way", capi.ErrorCodeInternal),
	}, inMemory(
		forgives[capi.BufferCopyToDeviceArgs]("COPY-02", "success"),
		forgives[capi.BufferCopyToMemoryArgs]("COPY-09", "success"),
		forgives[capi.BufferCopyToDeviceArgs]("COPY-11", "success"),
		after("COPY-13", "the source is kept", func(a *capi.BufferIsDeletedArgs) { a.IsDeleted = false }),
		mutant.Of("COPY-14", "the source is lost", func(c *invocation, a *capi.BufferBitcastArgs) {
			if c.Forward(); c.Err() != nil {
				deletes(c, a.Buffer)
			}
		}),
		hooked("COPY-15", "keeps the layout", func() []serve.Hook {
			var cast sync.Map
			return []serve.Hook{
				serve.Around(func(c *invocation, a *capi.BufferBitcastArgs) {
					c.Forward()
					cast.Store(a.OutBuffer, true)
				}),
				serve.Around(func(c *invocation, a *capi.BufferGetMemoryLayoutArgs) {
					c.Forward()
					if _, yes := cast.Load(a.Buffer); yes {
						reverseLayout(a)
					}
				}),
			}
		}),
		before("COPY-16", "ignored", func(a *capi.BufferBitcastArgs) { a.DeviceLayout = nil }),
		forgives[capi.BufferBitcastArgs]("COPY-17", "success"),
	))
}

type (
	increaseArgs = capi.BufferIncreaseExternalReferenceCountArgs
	decreaseArgs = capi.BufferDecreaseExternalReferenceCountArgs
	opaqueArgs   = capi.BufferOpaqueDeviceMemoryDataPointerArgs
)

func referenceMutants() []mutant.Mutant {
	return []mutant.Mutant{
		hooked("REF-01", "counts to one", func() []serve.Hook {
			var count atomic.Int32
			return []serve.Hook{serve.Around(func(c *invocation, _ *increaseArgs) {
				if count.Add(1) == 1 {
					c.Forward()
				}
			})}
		}),
		forgives[decreaseArgs]("REF-02", "wraps"),
		hooked("REF-03", "one too few", func() []serve.Hook {
			var count atomic.Int32
			return []serve.Hook{serve.Around(func(c *invocation, _ *decreaseArgs) {
				if c.Forward(); count.Add(1) == 4 {
					c.FailWith(nil)
				}
			})}
		}),
		hooked("REF-04", "moves", func() []serve.Hook {
			var count atomic.Uintptr
			return []serve.Hook{serve.Around(func(c *invocation, a *opaqueArgs) {
				c.Forward()
				a.DeviceMemoryPtr += 64 * count.Add(1)
			})}
		}),
		after("REF-05", "the address of something else", func(a *opaqueArgs) { a.DeviceMemoryPtr = check.Address(retain(make([]byte, 64))) }),
		{Check: "REF-06", Fault: "the same for all", Hooks: remember(func(a *capi.BufferUnsafePointerArgs) *uintptr { return &a.BufferPointer })},
		mutant.Of("REF-07", "freed", func(c *invocation, a *capi.BufferDeleteArgs) {
			overwrite(c, a.Buffer, 64)
			c.Forward()
		}),
		forgives[increaseArgs]("REF-08/deleted", "success"),
		forgives[increaseArgs]("REF-08/donated", "success"),
		mutant.Answers[decreaseArgs]("REF-09", "only in the thread that increased it", capi.ErrorCodeInternal),
	}
}

type rawArgs = capi.BufferCopyRawToHostArgs

func rawMutants() []mutant.Mutant {
	copyEvent := func(a *capi.BufferCopyRawToHostFutureArgs) *capi.Event { return a.Event }
	return slices.Concat([]mutant.Mutant{
		before("RAW-01", "the offset is ignored", func(a *rawArgs) { a.Offset = 0 }),
		awaitsOK("RAW-02", "success"),
		refuses("RAW-03", "no bytes are refused", capi.ErrorCodeInvalidArgument, func(a *rawArgs) bool { return a.TransferSize == 0 }),
		awaitsOK("RAW-04", "success"),
		mutant.Of("RAW-05", "not packed", func(c *invocation, a *rawArgs) {
			if c.Forward(); c.Err() == nil && wait(c.Table(), a.Event) == nil {
				for i, x := range bytesAt(a.Dst, uintptr(a.TransferSize)) {
					bytesAt(a.Dst, uintptr(a.TransferSize))[i] = x & 15
				}
			}
		}),
	}, inMemory(
		anyReady("RAW-06", "starts early"),
		awaitsOK("RAW-07", "success"),
		mutant.Mutant{Check: "RAW-08", Fault: "one for all", Hooks: remember(func(a *capi.BufferCopyRawToHostFutureArgs) *uintptr { return &a.CallbackData })},
		eventsFail("RAW-09", "the copy fails", true, copyEvent),
		hooked("RAW-10", "the struct is not looked at", func() []serve.Hook {
			return []serve.Hook{
				serve.Around(func(c *invocation, a *capi.EventIsReadyArgs) { a.IsReady = true }),
				serve.Around(func(c *invocation, a *capi.EventAwaitArgs) {}),
			}
		}),
		eventsFail("RAW-11", "only in the thread that made it", false, copyEvent),
	))
}
