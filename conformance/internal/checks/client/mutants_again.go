// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package client

import (
	"slices"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
)

// againMutants say something else when they are asked again, or about a later object what is so of
// an earlier one.
func againMutants() []mutant.Mutant {
	return slices.Concat(unsteadyMutants(), formerMutants(), mutant.On(sharingMemory,
		mutant.After("MEM-07", "no more than two devices address a memory",
			func(a *capi.MemoryAddressableByDevicesArgs) { a.NumDevices = min(a.NumDevices, 2) }),
		mutant.Lists[capi.MemoryAddressableByDevicesArgs]("MEM-07", "the second device that addresses a memory is listed twice",
			func(list []*capi.Device) []*capi.Device {
				if len(list) > 2 {
					list[2] = list[1]
				}
				return list
			}),
		mutant.LikeFormer[capi.Device]("MEM-07", "the third device has the memories of the second", 3,
			func(a, former *capi.DeviceAddressableMemoriesArgs) {
				a.Memories, a.NumMemories = former.Memories, former.NumMemories
			}),
	))
}

func unsteadyMutants() []mutant.Mutant {
	const again = "is another when asked again"
	return []mutant.Mutant{
		mutant.AfterFirst[capi.Client]("CLI-17", again, func(a *capi.ClientProcessIndexArgs) { a.ProcessIndex++ }),
		mutant.AfterFirst[capi.Client]("CLI-19", "the last is gone when asked again",
			func(a *capi.ClientAddressableDevicesArgs) { a.NumAddressableDevices-- }),
		mutant.AfterFirst[capi.Device]("CLI-21", again, func(a *capi.DeviceIsAddressableArgs) { a.IsAddressable = false }),
		mutant.AfterFirst[capi.Device]("DEV-01", again, func(a *capi.DeviceIsAddressableArgs) { a.IsAddressable = false }),
		mutant.AfterFirst[capi.Device]("DEV-02", again, func(a *capi.DeviceLocalHardwareIDArgs) { a.LocalHardwareID += 10 }),
		mutant.AfterFirst[capi.Device]("DEV-05", "is null when asked again", func(a *capi.DeviceDefaultMemoryArgs) { a.Memory = nil }),
		mutant.AfterFirst[capi.DeviceDescription]("DDESC-01", again, func(a *capi.DeviceDescriptionIDArgs) { a.ID += 10 }),
		mutant.AfterFirst[capi.DeviceDescription]("DDESC-02", again,
			func(a *capi.DeviceDescriptionProcessIndexArgs) { a.ProcessIndex++ }).ForTopology("v5e:2x2"),
		mutant.AfterFirst[capi.Memory]("MEM-01", again, func(a *capi.MemoryIDArgs) { a.ID += 100 }),
		mutant.AfterFirst[capi.Memory]("MEM-03", again, func(a *capi.MemoryKindIDArgs) { a.KindID++ }),
		mutant.AfterFirst[capi.Memory]("MEM-05", again, func(a *capi.MemoryDebugStringArgs) { a.DebugStringSize-- }),
		mutant.AfterFirst[capi.Memory]("MEM-06", again, func(a *capi.MemoryToStringArgs) { a.ToStringSize-- }),
		mutant.AfterFirst[capi.Memory]("MEM-07", "the last is gone when asked again",
			func(a *capi.MemoryAddressableByDevicesArgs) { a.NumDevices-- }),
		mutant.AfterEach("CLI-14", "is shorter from the third call on", func(a *capi.ClientPlatformNameArgs, n int64) {
			if n > 2 {
				a.PlatformNameSize--
			}
		}),
	}
}

func formerMutants() []mutant.Mutant {
	return []mutant.Mutant{
		mutant.LikeFormer[capi.Client]("CLI-10", "the second client has the devices of the first", 2,
			func(a, former *capi.ClientDevicesArgs) { a.Devices, a.NumDevices = former.Devices, former.NumDevices }),
		mutant.LikeFormer[capi.Client]("CLI-10", "the third client has the memories of the second", 3,
			func(a, former *capi.ClientAddressableMemoriesArgs) {
				a.AddressableMemories, a.NumAddressableMemories = former.AddressableMemories, former.NumAddressableMemories
			}),
		mutant.LikeFormer[capi.DeviceDescription]("DDESC-06", "later devices have the text of the first", 2,
			func(a, former *capi.DeviceDescriptionToStringArgs) {
				a.ToString, a.ToStringSize = former.ToString, former.ToStringSize
			}),
	}
}

// sharingMemory makes a plugin in which all devices also address the default memory of the first:
// the base has memories of single devices.
func sharingMemory(base *capi.Table, faults ...serve.Hook) (*serve.Table, error) {
	lists, homes := make(map[*capi.Device][]*capi.Memory), make(map[*capi.Memory][]*capi.Device)
	return serve.Wrap(base, append(faults,
		serve.Around(func(c *serve.Invocation, a *capi.ClientCreateArgs) {
			if c.Forward(); c.Err() != nil {
				return
			}
			listed, _ := mutant.Try(c.Table(), capi.ClientAddressableDevicesArgs{Client: a.Client})
			devices := capi.Slice(listed.AddressableDevices, listed.NumAddressableDevices)
			shared, _ := mutant.Try(c.Table(), capi.DeviceDefaultMemoryArgs{Device: devices[0]})
			for i, d := range devices {
				out, _ := mutant.Try(c.Table(), capi.DeviceAddressableMemoriesArgs{Device: d})
				lists[d] = capi.Slice(out.Memories, out.NumMemories)
				if i > 0 {
					lists[d] = append(lists[d], shared.Memory)
				}
				check.Retain(lists[d])
			}
			homes[shared.Memory] = check.Retain(devices)
		}),
		mutant.Changed(func(a *capi.DeviceAddressableMemoriesArgs, _ int64) {
			if list := lists[a.Device]; list != nil {
				a.Memories, a.NumMemories = check.First(list)
			}
		}),
		mutant.Changed(func(a *capi.MemoryAddressableByDevicesArgs, _ int64) {
			if list := homes[a.Memory]; list != nil {
				a.Devices, a.NumDevices = check.First(list)
			}
		}),
	)...)
}
