// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package client

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
)

// attribute returns a named value that is never freed.
func attribute(name string, value int64) capi.NamedValue {
	v := capi.NamedValue{StructSize: capi.NamedValueSize, Type: capi.NamedValueInt64, ValueSize: 1}
	v.Name, v.NameSize = mutant.LastingText(name)
	v.SetInt64Value(value)
	return v
}

func descriptionMutants() []mutant.Mutant {
	return []mutant.Mutant{
		mutant.After("DDESC-01", "has one id for all", func(a *capi.DeviceDescriptionIDArgs) { a.ID = 0 }),
		mutant.After("DDESC-01", "has negative ids", func(a *capi.DeviceDescriptionIDArgs) { a.ID = -1 - a.ID }),
		mutant.After("DDESC-02", "has no process index", func(a *capi.DeviceDescriptionProcessIndexArgs) { a.ProcessIndex = -1 }),
		mutant.After("DDESC-03", "has an attribute twice", func(a *capi.DeviceDescriptionAttributesArgs) {
			mutant.Reply(a, []capi.NamedValue{attribute("core", 0), attribute("core", 1)})
		}).InMemory(),
		mutant.After("DDESC-03", "makes the attributes for each call", func(a *capi.DeviceDescriptionAttributesArgs) {
			mutant.Reply(a, []capi.NamedValue{attribute("core", 0)})
		}).InMemory(),
		mutant.After("DDESC-04", "has no kind", func(a *capi.DeviceDescriptionKindArgs) { a.DeviceKindSize = 0 }),
		mutant.Says[capi.DeviceDescriptionDebugStringArgs]("DDESC-05", "has one text for all devices", "a device"),
		mutant.Says[capi.DeviceDescriptionToStringArgs]("DDESC-06", "returns a temporary", "a device"),
		mutant.Hooked("DDESC-07", "fills a cache without a lock", func() []serve.Hook {
			var inside atomic.Int64
			return []serve.Hook{serve.Around(func(c *serve.Invocation, a *capi.DeviceDescriptionProcessIndexArgs) {
				defer inside.Add(-1)
				alone := inside.Add(1) == 1
				time.Sleep(100 * time.Microsecond)
				c.Forward()
				if !alone {
					a.ProcessIndex = -7
				}
			})}
		}),
		mutant.Hooked("DDESC-08", "makes a description for each call", func() []serve.Hook {
			var last *capi.DeviceDescription
			return []serve.Hook{mutant.Then(func(a *capi.DeviceGetDescriptionArgs) {
				a.DeviceDescription, last = last, a.DeviceDescription
				if a.DeviceDescription == nil {
					a.DeviceDescription = last
				}
			})}
		}),
		mutant.After("DDESC-09", "the topology is that of another machine",
			func(a *capi.TopologyDescriptionGetDeviceDescriptionsArgs) { a.NumDescriptions-- }),
	}
}

// fakeStats makes a mutant of PJRT_Device_MemoryStats for a plugin without it: it
// counts the bytes of uploads, for all devices together, and then applies a fault.
func fakeStats(name, fault string, f func(a *capi.DeviceMemoryStatsArgs)) mutant.Mutant {
	return mutant.Hooked(name, fault, func() []serve.Hook {
		var total atomic.Int64
		return []serve.Hook{
			mutant.Ahead(func(a *capi.ClientBufferFromHostBufferArgs) {
				bytes := int64(4)
				for _, d := range capi.Slice(a.Dims, a.NumDims) {
					bytes *= d
				}
				total.Add(bytes)
			}),
			mutant.Instead(func(a *capi.DeviceMemoryStatsArgs) {
				a.BytesInUse = total.Load()
				f(a)
			}),
		}
	})
}

func deviceMutants() []mutant.Mutant {
	return []mutant.Mutant{
		mutant.After("DEV-01", "says the same of all devices", func(a *capi.DeviceIsAddressableArgs) { a.IsAddressable = false }),
		mutant.After("DEV-02", "has one id for all", func(a *capi.DeviceLocalHardwareIDArgs) { a.LocalHardwareID = 0 }),
		mutant.After("DEV-02", "has ids below -1", func(a *capi.DeviceLocalHardwareIDArgs) { a.LocalHardwareID = -2 }),
		mutant.After("DEV-03", "has no memories", func(a *capi.DeviceAddressableMemoriesArgs) { a.NumMemories = 0 }).ReportedAs("iree#20907"),
		mutant.Answers[capi.DeviceDefaultMemoryArgs]("DEV-04", "has no default memory", capi.ErrorCodeUnimplemented).ReportedAs("jax#27062"),
		mutant.Of("DEV-05", "puts buffers elsewhere", func(c *serve.Invocation, a *capi.ClientBufferFromHostBufferArgs) {
			if out, err := mutant.Try(c.Table(), capi.DeviceAddressableMemoriesArgs{Device: a.Device}); err == nil {
				list := capi.Slice(out.Memories, out.NumMemories)
				a.Memory = list[len(list)-1]
			}
			c.Forward()
		}),
		mutant.Answers[capi.DeviceMemoryStatsArgs]("DEV-06", "says INTERNAL of what it lacks", capi.ErrorCodeInternal),
		mutant.Of("DEV-07", "has one answer", func(_ *serve.Invocation, a *capi.DeviceMemoryStatsArgs) { a.BytesInUse = 1 << 30 }).InMemory(),
		fakeStats("DEV-08", "leaves flags as they are", func(a *capi.DeviceMemoryStatsArgs) { setFlag(&a.PoolBytesIsSet) }).InMemory(),
		fakeStats("DEV-09", "swaps peak and use", func(a *capi.DeviceMemoryStatsArgs) { a.PeakBytesInUse, a.PeakBytesInUseIsSet = 1, true }).InMemory(),
		fakeStats("DEV-10", "counts all devices together", func(*capi.DeviceMemoryStatsArgs) {}).InMemory(),
	}
}

func memoryMutants() []mutant.Mutant {
	return []mutant.Mutant{
		mutant.After("MEM-01", "has one id for all", func(a *capi.MemoryIDArgs) { a.ID = 0 }),
		mutant.After("MEM-02", "has no kind", func(a *capi.MemoryKindArgs) { a.KindSize = 0 }),
		mutant.Hooked("MEM-02", "has one kind for all", func() []serve.Hook {
			p, n := mutant.LastingText("device")
			return []serve.Hook{serve.Around(func(_ *serve.Invocation, a *capi.MemoryKindArgs) { a.Kind, a.KindSize = p, n })}
		}),
		mutant.AfterEach("MEM-03", "has an id of its own for each memory", func(a *capi.MemoryKindIDArgs, n int64) { a.KindID = int32(n) }),
		mutant.After("MEM-03", "has one id for all kinds", func(a *capi.MemoryKindIDArgs) { a.KindID = 0 }),
		mutant.Says[capi.MemoryKindArgs]("MEM-04", "has a kind of its own", "HBM0"),
		mutant.Says[capi.MemoryDebugStringArgs]("MEM-05", "has one text for all", "a memory"),
		mutant.After("MEM-06", "has no text", func(a *capi.MemoryToStringArgs) { a.ToString, a.ToStringSize = nil, 0 }),
		mutant.After("MEM-07", "does not list the devices of a memory", func(a *capi.MemoryAddressableByDevicesArgs) { a.NumDevices = 0 }),
		mutant.After("MEM-08", "makes memories for each call", func(a *capi.DeviceDefaultMemoryArgs) {
			a.Memory = check.Retain(&capi.Memory{})
		}),
		mutant.Answers[capi.ClientAddressableMemoriesArgs]("MEM-12", "has no memories", capi.ErrorCodeUnimplemented),
	}
}

func topologyMutants() []mutant.Mutant {
	return []mutant.Mutant{
		mutant.Nothing[capi.TopologyDescriptionCreateArgs]("TOPO-01", "makes no topology, and says that all is well").InMemory(),
		mutant.Dies("TOPO-02", "follows a null topology", func(a *capi.TopologyDescriptionDestroyArgs) bool { return a.Topology == nil }),
		mutant.Forgives("TOPO-04", "takes any name", func(a *capi.TopologyDescriptionCreateArgs) {
			a.Topology = check.Retain(topologyStranger())
		}).InMemory(),
		mutant.Says[capi.TopologyDescriptionPlatformNameArgs]("TOPO-05", "is that of another platform", "other"),
		mutant.Says[capi.TopologyDescriptionPlatformVersionArgs]("TOPO-06", "returns a temporary", "cpu"),
		mutant.AfterEach("TOPO-07", "changes the order", func(a *capi.TopologyDescriptionGetDeviceDescriptionsArgs, n int64) {
			list := capi.Slice(a.Descriptions, a.NumDescriptions)
			list[0], list[n%int64(len(list))] = list[n%int64(len(list))], list[0]
			a.Descriptions, _ = mutant.LastingArray(list)
		}),
		mutant.After("TOPO-08", "has descriptions without a kind", func(a *capi.DeviceDescriptionKindArgs) { a.DeviceKindSize = 0 }),
		mutant.After("TOPO-08", "has null attributes",
			func(a *capi.DeviceDescriptionAttributesArgs) { a.Attributes, a.NumAttributes = nil, 2 }),
		mutant.AfterEach("TOPO-09", "frees attributes", func(a *capi.TopologyDescriptionAttributesArgs, n int64) {
			mutant.Reply(a, []capi.NamedValue{attribute("slices", n)})
		}).InMemory(),
		mutant.After("TOPO-10", "has no deleter", func(a *capi.TopologyDescriptionSerializeArgs) { a.SerializedTopologyDeleter = 0 }),
		mutant.Hooked("TOPO-10", "uses one array for all", func() []serve.Hook {
			shared, n := make([]byte, 16), 0
			return []serve.Hook{mutant.Then(func(a *capi.TopologyDescriptionSerializeArgs) {
				n++
				copy(shared, fmt.Sprintf("%016d", n))
				a.SerializedBytes, a.SerializedBytesSize = &shared[0], 16
			})}
		}),
		mutant.AfterEach("TOPO-11", "depends on the order of a map", func(a *capi.TopologyDescriptionSerializeArgs, n int64) {
			mutant.Reply(a, fmt.Append(nil, "bytes", n))
		}),
		mutant.Answers[capi.TopologyDescriptionDeserializeArgs]("TOPO-12", "refuses its own bytes", capi.ErrorCodeNotFound).InMemory(),
		mutant.AfterEach("TOPO-22", "forgets its version", func(a *capi.TopologyDescriptionPlatformVersionArgs, n int64) {
			mutant.Reply(a, fmt.Append(nil, "version", n))
		}),
	}
}
