// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package buffers

import (
	"slices"
	"strings"
	"sync"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

type uploadArgs = capi.ClientBufferFromHostBufferArgs

func uploadMutants() []mutant.Mutant {
	list := []mutant.Mutant{
		after("H2D-01", "no event", func(a *uploadArgs) { a.DoneWithHostBuffer = nil }),
		before("H2D-03", "a scalar becomes an array of one", func(a *uploadArgs) {
			if a.NumDims == 0 {
				a.Dims, a.NumDims = dims(1)
			}
		}),
		refuses("H2D-04", "null is refused", capi.ErrorCodeInvalidArgument, func(a *uploadArgs) bool { return a.Data == nil }),
		before("H2D-05", "negative dimensions count as one", func(a *uploadArgs) { repair(a, func(d int64) bool { return d < 0 }) }),
		before("H2D-06", "the product wraps", func(a *uploadArgs) { repair(a, func(d int64) bool { return d >= 1<<31 }) }),
		mutant.Of("H2D-07", "another code", func(c *invocation, _ *uploadArgs) {
			if c.Forward(); c.Err() != nil {
				c.Fail(capi.ErrorCodeInternal, "something went wrong")
			}
		}),
		before("H2D-16", "the address is rounded", func(a *uploadArgs) { a.Data = check.PointerAt(uintptr(a.Data) &^ 63) }),
		mutant.Of("H2D-17", "the last device, always", func(c *invocation, a *uploadArgs) {
			a.Device = deviceOf(c, a.Client, -1)
			c.Forward()
		}),
		before("H2D-18", "the device wins", func(a *uploadArgs) { a.Memory = nil }),
		refuses("H2D-19", "memories are not known", capi.ErrorCodeInternal, func(a *uploadArgs) bool { return a.Memory != nil }),
		mutant.Of("H2D-22", "host data is taken for packed", func(c *invocation, a *uploadArgs) {
			if e := dtype.Type(a.Type); e.IsSubByte() {
				host := check.MemoryAt(uintptr(a.Data), 256)
				unpacked := retain(make([]byte, 256))
				for i := range unpacked {
					unpacked[i] = host[i/2] >> (i % 2 * 4)
				}
				a.Data = check.Pointer(unpacked)
			}
			c.Forward()
		}),
		after("H2D-23", "less than packed", func(a *capi.BufferOnDeviceSizeInBytesArgs) { a.OnDeviceSizeInBytes /= 4 }),
		mutant.Of("H2D-24", "true is false", func(c *invocation, a *uploadArgs) {
			if a.Type == capi.BufferTypePred {
				a.Data = check.Pointer(retain([]byte{1, 0, 2, 255}))
			}
			c.Forward()
		}),
		hooked("H2D-27", "keeps the pointer to dims", func() []serve.Hook {
			var kept sync.Map
			return []serve.Hook{
				serve.Around(func(c *invocation, a *uploadArgs) {
					c.Forward()
					kept.Store(a.Buffer, a.Dims)
				}),
				serve.Around(func(c *invocation, a *capi.BufferDimensionsArgs) {
					c.Forward()
					if d, ok := kept.Load(a.Buffer); ok {
						a.Dims = d.(*int64)
					}
				}),
			}
		}),
	}
	for _, c := range roundTrips() {
		m := arrives(c.Name(), "a bit is wrong", flip)
		if e, err := dtype.Parse(strings.TrimPrefix(c.Variant, "type=")); err != nil || e.Since() > 81 {
			m.Base = mutant.Memory // the CPU plugin has API 0.81
		}
		list = append(list, m)
	}
	return slices.Concat(list, inMemory(
		mutant.Of("H2D-20", "the first device, when there is none", func(c *invocation, a *uploadArgs) {
			if a.Device == nil && a.Memory == nil {
				a.Device = deviceOf(c, a.Client, 0)
			}
			c.Forward()
		}),
		mutant.Of("H2D-21", "the first device, whatever is asked for", func(c *invocation, a *uploadArgs) {
			a.Device = deviceOf(c, a.Client, 0)
			c.Forward()
		}),
		before("H2D-25/INVALID", "taken for bytes", func(a *uploadArgs) {
			if a.Type == capi.BufferTypeInvalid {
				a.Type = capi.BufferTypeU8
			}
		}),
		before("H2D-25/TOKEN", "taken for a byte", func(a *uploadArgs) {
			if a.Type == capi.BufferTypeToken {
				a.Type = capi.BufferTypeU8
			}
		}),
		before("H2D-26", "null stands for zeros", func(a *uploadArgs) {
			if a.Data == nil {
				a.Data = check.Pointer(retain(make([]byte, 64)))
			}
		}),
	))
}

// repair lets an upload of bad dimensions pass as one of one element.
func repair(a *uploadArgs, bad func(int64) bool) {
	if slices.ContainsFunc(capi.Slice(a.Dims, a.NumDims), bad) {
		a.Dims, a.NumDims = dims(1)
	}
}

// deviceOf is a device of a client; from the end when i is negative.
func deviceOf(c *invocation, client *capi.Client, i int) *capi.Device {
	call := &capi.Call[capi.ClientAddressableDevicesArgs]{}
	call.Args.Client = client
	if call.Do(c.Table()) != nil {
		return nil
	}
	list := capi.Slice(call.Args.AddressableDevices, call.Args.NumAddressableDevices)
	return list[(i+len(list))%len(list)]
}

func uploadSemanticsMutants() []mutant.Mutant {
	return []mutant.Mutant{
		aliasing("H2D-08", "still reads the caller's memory"),
		aliasing("H2D-08/large", "still reads the caller's memory"),
		aliasingSilently("H2D-09", "done comes before the copy"),
		aliasingSilently("H2D-09/large", "done comes before the copy"),
		aliasing("H2D-10", "done comes only when the buffer is destroyed"),
		aliasingSilently("H2D-11", "done at once, while the memory is used"),
		before("H2D-12", "donation writes to memory that is immutable", func(a *uploadArgs) {
			if a.HostBufferSemantics == capi.HostBufferSemanticsImmutableZeroCopy {
				a.HostBufferSemantics = capi.HostBufferSemanticsMutableZeroCopy
			}
		}),
		aliasingSilently("H2D-13", "done comes before the execution"),
		refuses("H2D-14", "the semantics are refused", capi.ErrorCodeInvalidArgument, func(a *uploadArgs) bool {
			return a.HostBufferSemantics == capi.HostBufferSemanticsMutableZeroCopy
		}),
		arrives("H2D-15", "the output is wrong", flip),
		before("H2D-28", "offsets have 32 bits", func(a *capi.BufferCopyRawToHostArgs) { a.Offset &= 1<<32 - 1 }),
		arrives("H2D-29", "the program runs before the data is there", flip),
	}
}
