// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package buffers

import (
	"slices"
	"sync"
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

func downloadMutants() []mutant.Mutant {
	return slices.Concat([]mutant.Mutant{
		mutant.Of("D2H-01", "the size needs the data", func(c *serve.Invocation, a *downloadArgs) {
			if a.Dst == nil {
				settle(c, a.Src)
			}
			c.Forward()
		}),
		mutant.Refuses("D2H-01", "dst_size must be zero", capi.ErrorCodeInvalidArgument,
			func(a *downloadArgs) bool { return a.Dst == nil && a.DstSize != 0 }),
		mutant.Of("D2H-02", "the size on the device, without a layout", func(c *serve.Invocation, a *downloadArgs) {
			if c.Forward(); a.Dst == nil && a.HostLayout == nil {
				a.DstSize = mutant.SizeOf(c.Table(), a.Src)
			}
		}),
		mutant.Of("D2H-02", "the size on the device", func(c *serve.Invocation, a *downloadArgs) {
			if c.Forward(); a.Dst == nil {
				a.DstSize = mutant.SizeOf(c.Table(), a.Src)
			}
		}),
		mutant.Of("D2H-03", "what fits is written", func(c *serve.Invocation, a *downloadArgs) {
			if c.Forward(); c.Err() != nil && a.Dst != nil {
				clear(mutant.BytesAt(a.Dst, a.DstSize))
			}
		}),
		mutant.Before("D2H-03", "a dst_size of zero is not looked at", func(a *downloadArgs) {
			if a.Dst != nil && a.DstSize == 0 {
				a.DstSize = 1 << 20
			}
		}),
		mutant.Before("D2H-03", "dst_size is not looked at", func(a *downloadArgs) {
			if a.Dst != nil {
				a.DstSize = 1 << 30
			}
		}),
		mutant.Arrives("D2H-04", "clears the tail", func(data []byte) {
			if len(data) > 64 {
				clear(data[64:])
			}
		}),
		mutant.ArrivesOf("D2H-04", "writes words of four bytes", func(c *serve.Invocation, a *downloadArgs, data []byte) {
			size := check.Elements(mutant.DimsOf(c.Table(), a.Src)...) * mutant.TypeOf(c.Table(), a.Src).Size()
			clear(data[size:min((size+3)&^3, len(data))])
		}),
		mutant.ArrivesOf("D2H-04", "writes in front of dst", func(_ *serve.Invocation, a *downloadArgs, _ []byte) {
			check.Poke(uintptr(a.Dst)-1, []byte{0})
		}),
		mutant.ArrivesOf("D2H-05", "squares are transposed", func(c *serve.Invocation, a *downloadArgs, data []byte) {
			if d := mutant.DimsOf(c.Table(), a.Src); len(d) == 2 && d[0] == d[1] {
				copy(data, permute(slices.Clone(data), mutant.TypeOf(c.Table(), a.Src).Size(), d, []int64{0, 1}))
			}
		}),
		arrivesOf("D2H-05", "the second device is read wrongly",
			func(c *serve.Invocation, b *capi.Buffer) bool { return placeBelow(c, b) == 1 }, flip),
		mutant.Before("D2H-09", "strides are ignored", func(a *downloadArgs) { ignoreLayout(a, capi.BufferMemoryLayoutTypeStrides) }),
		mutant.Before("D2H-10", "tiles are ignored", func(a *downloadArgs) { ignoreLayout(a, capi.BufferMemoryLayoutTypeTiled) }),
		readyEarly("D2H-11"),
		readyEarly("D2H-11/large"),
		readyAt("D2H-11", "who polls is told too early", true, false, true),
		readyAt("D2H-11", "callbacks run before the last byte", true, true, false),
		mutant.Hooked("D2H-12", "waits for the data", func() []serve.Hook {
			return []serve.Hook{
				serve.Around(func(c *serve.Invocation, a *downloadArgs) {
					settle(c, a.Src)
					c.Forward()
				}),
				mutant.Then(func(a *capi.ClientPlatformNameArgs) { mutant.Reply(a, []byte("accelerator")) }), // plugins for CPUs may
			}
		}),
		nth("D2H-13", "a staging buffer for all", 7),
		mutant.Swallows[capi.EventAwaitArgs]("D2H-14", "success with garbage"),
		mutant.LosesCode[capi.EventAwaitArgs]("D2H-14", "every code becomes UNKNOWN", capi.ErrorCodeUnknown),
		mutant.Before("D2H-15", "the address is rounded", func(a *downloadArgs) { a.Dst = check.PointerAt(uintptr(a.Dst) &^ 7) }),
		spoiledBy[capi.BufferDestroyArgs]("D2H-16", "freed under the copy"),
		mutant.After("D2H-17", "padding is counted", func(a *downloadArgs) {
			if a.Dst == nil {
				a.DstSize = 32
			}
		}),
		mutant.Arrives("D2H-18", "nibbles are packed", func(data []byte) {
			for i := range len(data) / 2 {
				data[i] = data[2*i]&15 | data[2*i+1]<<4
			}
		}),
		mutant.Of("D2H-19", "tokens have no size",
			func(c *serve.Invocation, a *downloadArgs) { c.Fail(capi.ErrorCodeInternal, "a token has no size") }),
		mutant.Hooked("D2H-20", "keeps the pointer to host_layout", func() []serve.Hook {
			var layout *capi.BufferMemoryLayout
			var dst []byte
			return []serve.Hook{
				mutant.Then(func(a *downloadArgs) {
					if a.Dst != nil && a.HostLayout != nil {
						layout, dst = a.HostLayout, mutant.BytesAt(a.Dst, a.DstSize)
					}
				}),
				mutant.Then(func(*capi.EventAwaitArgs) {
					if layout != nil && layout.StructSize == 0 {
						dst[0] = 0xaa
					}
				}),
			}
		}),
		mutant.Arrives("D2H-21", "NaNs become quiet", func(data []byte) {
			for i := 2; i+1 < len(data); i += 4 {
				if data[i+1]&0x7f == 0x7f && data[i]&0x80 != 0 {
					data[i] |= 0x40
				}
			}
		}),
		arrivesOf("D2H-21", "NaNs of eight bits are all one",
			func(c *serve.Invocation, b *capi.Buffer) bool { return mutant.TypeOf(c.Table(), b) == dtype.F8E4M3FN }, func(data []byte) {
				for i, x := range data {
					if x&0x7f == 0x7f {
						data[i] = 0x7f
					}
				}
			}),
	}, mutant.InMemory(
		mutant.Of("D2H-06", "only elements of four bytes are transposed", func(c *serve.Invocation, a *downloadArgs) {
			if mutant.TypeOf(c.Table(), a.Src).Size() != 4 {
				a.HostLayout = nil
			}
			c.Forward()
		}),
		mutant.Before("D2H-06", "host_layout is ignored", func(a *downloadArgs) { a.HostLayout = nil }),
		mutant.Before("D2H-07", "null means column-major", func(a *downloadArgs) {
			if a.HostLayout == nil {
				a.HostLayout = check.Retain(check.TiledLayout([]int64{0, 1}))
			}
		}),
		mutant.Arrives("D2H-08", "scrambled", func(data []byte) { slices.Reverse(data) }),
	))
}

// settle waits until a buffer is ready.
func settle(c *serve.Invocation, b *capi.Buffer) {
	if out, err := mutant.Try(c.Table(), capi.BufferReadyEventArgs{Buffer: b}); err == nil {
		mutant.Finish(c.Table(), out.Event)
	}
}

func ignoreLayout(a *downloadArgs, kind capi.BufferMemoryLayoutType) {
	if a.HostLayout != nil && a.HostLayout.Type == kind {
		a.HostLayout = nil
	}
}

// readyEarly returns a plugin whose downloads report that they are ready too early.
func readyEarly(name string) mutant.Mutant {
	return mutant.Of(name, "ready before the last byte", func(c *serve.Invocation, a *downloadArgs) {
		if a.Dst == nil {
			c.Forward()
			return
		}
		dst := mutant.BytesAt(a.Dst, a.DstSize)
		staging := make([]byte, a.DstSize)
		address := a.Dst
		a.Dst = check.Pointer(staging)
		c.Forward()
		a.Dst = address
		mutant.Await(c.Table(), a.Event)
		time.AfterFunc(50*time.Millisecond, func() { copy(dst, staging) })
	})
}

// spoiledBy returns a plugin in which ending a buffer spoils the downloads that began
// before.
func spoiledBy[A any](name, fault string) mutant.Mutant {
	return mutant.Hooked(name, fault, func() []serve.Hook {
		var mu sync.Mutex
		var begun [][]byte
		return []serve.Hook{
			serve.Around(func(c *serve.Invocation, a *downloadArgs) {
				c.Forward()
				if c.Err() != nil || a.Dst == nil {
					return
				}
				mutant.Await(c.Table(), a.Event)
				mu.Lock()
				defer mu.Unlock()
				begun = append(begun, mutant.BytesAt(a.Dst, a.DstSize))
			}),
			serve.Around(func(c *serve.Invocation, _ *A) {
				mu.Lock()
				defer mu.Unlock()
				for _, data := range begun {
					flip(data)
				}
				begun = nil
				c.Forward()
			}),
		}
	})
}
