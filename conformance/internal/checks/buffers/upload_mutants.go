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

func uploadMutants() []mutant.Mutant {
	narrow := func(a *uploadArgs) bool { return dtype.Type(a.Type).IsSubByte() }
	list := []mutant.Mutant{
		mutant.After("H2D-01", "asks for 4 EiB to download anything", func(a *downloadArgs) { a.DstSize = 1 << 62 }),
		mutant.After("H2D-01", "no event", func(a *uploadArgs) { a.DoneWithHostBuffer = nil }),
		mutant.First("H2D-01", "one event for all uploads", func(a *uploadArgs) **capi.Event { return &a.DoneWithHostBuffer }),
		misreads("H2D-03", "four bytes of a scalar", func(a *uploadArgs) bool { return a.NumDims == 0 }, func(_ *uploadArgs, data []byte) { clear(data[min(4, len(data)):]) }),
		mutant.Before("H2D-03", "a scalar becomes an array of one", func(a *uploadArgs) {
			if a.NumDims == 0 {
				a.Dims, a.NumDims = dims(1)
			}
		}),
		mutant.Refuses("H2D-04", "null is refused", capi.ErrorCodeInvalidArgument, func(a *uploadArgs) bool { return a.Data == nil }),
		mutant.Before("H2D-05", "two negative dimensions make a positive number", func(a *uploadArgs) {
			if d := capi.Slice(a.Dims, a.NumDims); len(d) == 2 && d[0] < 0 && d[1] < 0 {
				a.Dims, a.NumDims = dims(d[0] * d[1])
			}
		}),
		mutant.Before("H2D-05", "negative dimensions count as one", func(a *uploadArgs) { repair(a, func(d int64) bool { return d < 0 }) }),
		mutant.Before("H2D-06", "the product wraps", func(a *uploadArgs) { repair(a, func(d int64) bool { return d >= 1<<31 }) }),
		mutant.Before("H2D-06", "the number of bytes wraps", func(a *uploadArgs) {
			if d := capi.Slice(a.Dims, a.NumDims); len(d) == 2 && d[0] == 1<<63-1 {
				a.Dims, a.NumDims = dims(1)
			}
		}),
		mutant.LosesCode[uploadArgs]("H2D-07", "another code", capi.ErrorCodeInternal),
		mutant.Before("H2D-16", "the address is rounded", func(a *uploadArgs) { a.Data = check.PointerAt(uintptr(a.Data) &^ 63) }),
		onDevice[uploadArgs]("H2D-17", "the last device, always", -1),
		onDevice[uploadArgs]("H2D-17", "the first device, always", 0),
		mutant.Refuses("H2D-18/no device", "a memory is not enough", capi.ErrorCodeInvalidArgument,
			func(a *uploadArgs) bool { return a.Device == nil }),
		mutant.Before("H2D-18", "the device wins", func(a *uploadArgs) { a.Memory = nil }),
		mutant.Refuses("H2D-19", "memories are not known", capi.ErrorCodeInternal, func(a *uploadArgs) bool { return a.Memory != nil }),
		misreads("H2D-22", "high bits spill into the neighbour", narrow, func(a *uploadArgs, data []byte) {
			for i := 1; i < len(data); i += 2 {
				data[i] |= data[i-1] >> dtype.Type(a.Type).Bits()
			}
		}),
		misreads("H2D-22", "the last element of an odd number is lost", narrow, func(_ *uploadArgs, data []byte) {
			if len(data)%2 == 1 {
				data[len(data)-1] = 0
			}
		}),
		mutant.Hooked("H2D-22", "high bits come back", func() []serve.Hook {
			var sources sync.Map
			return []serve.Hook{
				mutant.Then(func(a *uploadArgs) {
					if narrow(a) {
						sources.Store(a.Buffer, slices.Clone(mutant.BytesAt(a.Data, uintptr(count(a)))))
					}
				}),
				mutant.Arrived(func(_ *serve.Invocation, a *downloadArgs, data []byte) {
					if source, ok := sources.Load(a.Src); ok {
						copy(data, source.([]byte))
					}
				}),
			}
		}),
		mutant.Before("H2D-22", "host data is taken for packed", func(a *uploadArgs) {
			if e := dtype.Type(a.Type); e.IsSubByte() {
				host := check.MemoryAt(uintptr(a.Data), 256)
				unpacked := check.Retain(make([]byte, 256))
				for i := range unpacked {
					unpacked[i] = host[i/2] >> (i % 2 * 4)
				}
				a.Data = check.Pointer(unpacked)
			}
		}),
		mutant.After("H2D-23", "less than packed", func(a *capi.BufferOnDeviceSizeInBytesArgs) { a.OnDeviceSizeInBytes /= 4 }),
		mutant.Before("H2D-24", "true is false", func(a *uploadArgs) {
			if a.Type == capi.BufferTypePred {
				a.Data = check.Pointer(check.Retain([]byte{1, 0, 2, 255}))
			}
		}),
		mutant.Hooked("H2D-27", "keeps the pointer to dims", func() []serve.Hook {
			var kept sync.Map
			return []serve.Hook{
				mutant.Then(func(a *uploadArgs) { kept.Store(a.Buffer, a.Dims) }),
				mutant.Then(func(a *capi.BufferDimensionsArgs) {
					if d, ok := kept.Load(a.Buffer); ok {
						a.Dims = d.(*int64)
					}
				}),
			}
		}),
	}
	for _, c := range roundTripChecks() {
		e, err := dtype.Parse(strings.TrimPrefix(c.Variant, "type="))
		if err != nil {
			panic(err)
		}
		m := roundTripMutant(c.Name(), e)
		if e.Since() > 81 {
			m.Base = mutant.Memory // the CPU plugin has API 0.81
		}
		list = append(list, m)
	}
	return slices.Concat(list, mutant.InMemory(
		mutant.Of("H2D-20", "the first device, when there is none", func(c *serve.Invocation, a *uploadArgs) {
			if a.Device == nil && a.Memory == nil {
				a.Device = deviceOf(c, a.Client, 0)
			}
			c.Forward()
		}),
		onDevice[uploadArgs]("H2D-21", "the first device, whatever is asked for", 0),
		mutant.Before("H2D-25/INVALID", "taken for bytes", func(a *uploadArgs) {
			if a.Type == capi.BufferTypeInvalid {
				a.Type = capi.BufferTypeU8
			}
		}),
		mutant.Before("H2D-25/TOKEN", "taken for a byte", func(a *uploadArgs) {
			if a.Type == capi.BufferTypeToken {
				a.Type = capi.BufferTypeU8
			}
		}),
		mutant.Before("H2D-26", "null stands for zeros", func(a *uploadArgs) {
			if a.Data == nil {
				a.Data = check.Pointer(check.Retain(make([]byte, 64)))
			}
		}),
	))
}

// roundTripMutant returns a mistake that is easily made with a type.
func roundTripMutant(name string, e dtype.Type) mutant.Mutant {
	mine := func(a *uploadArgs) bool { return dtype.Type(a.Type) == e }
	switch size := e.Size(); {
	case e.IsSubByte():
		return misreads(name, "the last element of an odd number is lost", mine, func(_ *uploadArgs, data []byte) {
			if len(data)%2 == 1 {
				data[len(data)-1] = 0
			}
		})
	case e.IsComplex():
		return misreads(name, "real and imaginary parts change places", mine, func(_ *uploadArgs, data []byte) {
			for at := 0; at < len(data); at += size {
				first := slices.Clone(data[at : at+size/2])
				copy(data[at:], data[at+size/2:at+size])
				copy(data[at+size/2:], first)
			}
		})
	case size == 8:
		return misreads(name, "only the low half counts", mine, func(_ *uploadArgs, data []byte) {
			for at := 4; at < len(data); at += 8 {
				clear(data[at : at+4])
			}
		})
	case size > 1:
		return misreads(name, "the bytes are in the other order", mine, func(_ *uploadArgs, data []byte) {
			for at := 0; at < len(data); at += size {
				slices.Reverse(data[at : at+size])
			}
		})
	}
	return misreads(name, "five dimensions are too many", mine, func(a *uploadArgs, data []byte) {
		if a.NumDims > 4 {
			slices.Reverse(data)
		}
	})
}

// repair turns an upload with bad dimensions into one of a single element.
func repair(a *uploadArgs, bad func(int64) bool) {
	if slices.ContainsFunc(capi.Slice(a.Dims, a.NumDims), bad) {
		a.Dims, a.NumDims = dims(1)
	}
}

// onDevice returns a plugin that makes what the function that takes A makes on device i.
func onDevice[A any](name, fault string, i int) mutant.Mutant {
	return mutant.Of(name, fault, func(c *serve.Invocation, a *A) {
		*check.Handles[A, capi.Device](a)[0] = deviceOf(c, mutant.Object[capi.Client](a), i)
		c.Forward()
	})
}

// deviceOf returns device i of a client, counted from the end if i is negative.
func deviceOf(c *serve.Invocation, client *capi.Client, i int) *capi.Device {
	out, err := mutant.Try(c.Table(), capi.ClientAddressableDevicesArgs{Client: client})
	if err != nil {
		return nil
	}
	list := capi.Slice(out.AddressableDevices, out.NumAddressableDevices)
	return list[(i+len(list))%len(list)]
}

// sibling returns the first memory of the first device that a memory belongs to.
func sibling(c *serve.Invocation, m *capi.Memory) *capi.Memory {
	out, err := mutant.Try(c.Table(), capi.MemoryAddressableByDevicesArgs{Memory: m})
	if err != nil || out.NumDevices == 0 {
		return m
	}
	memories, err := mutant.Try(c.Table(), capi.DeviceAddressableMemoriesArgs{Device: *out.Devices})
	if err != nil || memories.NumMemories == 0 {
		return m
	}
	return *memories.Memories
}

func uploadSemanticsMutants() []mutant.Mutant {
	return []mutant.Mutant{
		aliasing("H2D-08", "still reads the caller's memory"),
		aliasing("H2D-08/large", "still reads the caller's memory"),
		late("H2D-08", "small arrays are read after the call", func(_ *serve.Invocation, a *uploadArgs) bool {
			return a.HostBufferSemantics == duringCall && count(a) < 512
		}),
		late("H2D-08", "what is not for the first device is read after the call", func(c *serve.Invocation, a *uploadArgs) bool {
			return a.HostBufferSemantics == duringCall && a.Device != deviceOf(c, a.Client, 0)
		}),
		aliasingSilently("H2D-09", "done comes before the copy"),
		late("H2D-09", "done comes early for elements of eight bytes", func(_ *serve.Invocation, a *uploadArgs) bool {
			return a.HostBufferSemantics == untilDone && a.Type == capi.BufferTypeF64
		}),
		oneStagingArea("H2D-09"),
		aliasingSilently("H2D-09/large", "done comes before the copy"),
		aliasing("H2D-10", "done comes only when the buffer is destroyed").ReportedAs("tt-xla#4594").Waiting(),
		mutant.Before("H2D-10", "small arrays are used where they are", func(a *uploadArgs) {
			if a.HostBufferSemantics == untilDone && count(a) <= 64 {
				a.HostBufferSemantics = capi.HostBufferSemanticsImmutableZeroCopy
			}
		}).Waiting(),
		onEvents("H2D-11", "done fails when the buffer is destroyed", mutant.Made[uploadArgs, capi.Event], failing),
		onEvents("H2D-13", "done never comes", mutant.Made[uploadArgs, capi.Event], never).Waiting(),
		aliasingSilently("H2D-11", "done at once, while the memory is used"),
		mutant.Before("H2D-12", "donation writes to memory that is immutable", func(a *uploadArgs) {
			if a.HostBufferSemantics == capi.HostBufferSemanticsImmutableZeroCopy {
				a.HostBufferSemantics = capi.HostBufferSemanticsMutableZeroCopy
			}
		}),
		aliasingSilently("H2D-13", "done comes before the execution"),
		mutant.Refuses("H2D-14", "the semantics are refused", capi.ErrorCodeInvalidArgument, func(a *uploadArgs) bool {
			return a.HostBufferSemantics == capi.HostBufferSemanticsMutableZeroCopy
		}),
		mutant.Arrives("H2D-15", "the output is wrong", flip),
		mutant.Before("H2D-28", "offsets have 32 bits", func(a *rawArgs) { a.Offset &= 1<<32 - 1 }),
		mutant.Hooked("H2D-29", "the second argument is not waited for", func() []serve.Hook {
			second := counted(2)
			return misreads("", "", func(*uploadArgs) bool { return second() }, func(_ *uploadArgs, data []byte) { clear(data) }).Hooks()
		}),
	}
}

// oneStagingArea returns a plugin in which an upload spoils one that is under way.
func oneStagingArea(name string) mutant.Mutant {
	return mutant.Hooked(name, "one staging area for uploads that overlap", func() []serve.Hook {
		var mu sync.Mutex
		var last []byte // guarded by mu; of the upload that was not awaited yet
		return []serve.Hook{
			serve.Around(func(c *serve.Invocation, a *uploadArgs) {
				n := count(a) * dtype.Type(a.Type).Size()
				if a.HostBufferSemantics != untilDone || n <= 0 || a.NumByteStrides != 0 {
					c.Forward()
					return
				}
				mu.Lock()
				defer mu.Unlock()
				staged := check.Retain(check.Aligned(n, 4096, 0))
				copy(staged, mutant.BytesAt(a.Data, uintptr(n)))
				copy(last, staged)
				last = staged
				source := a.Data
				a.HostBufferSemantics, a.Data = capi.HostBufferSemanticsImmutableZeroCopy, check.Pointer(staged)
				c.Forward()
				a.HostBufferSemantics, a.Data = untilDone, source
				a.DoneWithHostBuffer = doneAtOnce(c, a)
			}),
			mutant.Then(func(*capi.EventAwaitArgs) {
				mu.Lock()
				defer mu.Unlock()
				last = nil
			}),
		}
	})
}
