// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package client

import (
	"bytes"
	"fmt"
	"sync/atomic"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
)

// subtleMutants are wrong for only one device, one value or one moment.
func subtleMutants() []mutant.Mutant {
	return []mutant.Mutant{
		mutant.OnePlace("DDESC-06/of several devices", "has one place for ToString", check.Answer[capi.DeviceDescriptionToStringArgs, byte]),
		mutant.OnePlace("DDESC-06/of several devices", "has one place for DebugString", check.Answer[capi.DeviceDescriptionDebugStringArgs, byte]),
		mutant.OnePlace("MEM-02/of several memories", "has one place for Kind", check.Answer[capi.MemoryKindArgs, byte]),
		mutant.OnePlace("MEM-02/of several memories", "has one place for ToString", check.Answer[capi.MemoryToStringArgs, byte]),
		mutant.OnePlace("MEM-02/of several memories", "has one place for DebugString", check.Answer[capi.MemoryDebugStringArgs, byte]),
		dropsLast("CLI-04", "ignores unknown options of type string", func(o capi.Attribute) bool {
			_, s := o.Value.(string)
			return s && o.Name != "device_count"
		}),
		mutant.LosesMessage[capi.ClientCreateArgs]("CLI-04", "does not say which option it does not know").InMemory(),
		dropsLast("CLI-05", "takes bools for numbers", func(o capi.Attribute) bool { _, s := o.Value.(bool); return s }),
		dropsLast("CLI-05", "takes floats for numbers", func(o capi.Attribute) bool { _, s := o.Value.(float32); return s }),
		dropsLast("CLI-05", "takes lists for numbers", func(o capi.Attribute) bool { _, s := o.Value.([]int64); return s }),
		mutant.Before("CLI-08", "takes a null array of options for none", func(a *capi.ClientCreateArgs) {
			if a.CreateOptions == nil {
				a.NumOptions = 0
			}
		}).InMemory(),
		mutant.Before("CLI-09", "reads numbers in 32 bits", func(a *capi.ClientCreateArgs) {
			for _, v := range optionsOf(a) {
				if v.Type == capi.NamedValueInt64 {
					v.SetInt64Value(int64(int32(v.Int64Value())))
				}
			}
		}).InMemory(),
		mutant.Hooked("CLI-10", "a second client takes the memory of the first", func() []serve.Hook {
			var clients atomic.Int64
			var old *capi.Buffer
			return []serve.Hook{
				mutant.Then(func(*capi.ClientCreateArgs) { clients.Add(1) }),
				mutant.Then(func(a *capi.ClientBufferFromHostBufferArgs) {
					if clients.Load() == 1 {
						old = a.Buffer
					}
				}),
				serve.Around(func(c *serve.Invocation, a *capi.BufferToHostBufferArgs) {
					mutant.FailIf(c, clients.Load() > 1 && a.Src == old, capi.ErrorCodeInternal, "the memory is gone")
				}),
			}
		}),
		mutant.OnceDies[capi.ClientDestroyArgs, capi.LoadedExecutableDestroyArgs]("CLI-13/then=destroy", "executables use the client when they go"),
		mutant.OnceDies[capi.ClientDestroyArgs, capi.ExecutableDestroyArgs]("CLI-13/then=destroy", "descriptions of executables use the client when they go"),
		mutant.OnceDies[capi.ClientDestroyArgs, capi.EventDestroyArgs]("CLI-13/then=destroy", "events use the client when they go"),
		mutant.OnceDies[capi.ClientDestroyArgs, capi.LoadedExecutableExecuteArgs]("CLI-13/then=use", "executions crash when the client is gone").InMemory(),
		mutant.OnceDies[capi.ClientDestroyArgs, capi.BufferDimensionsArgs]("CLI-13/then=use", "dimensions crash when the client is gone").InMemory(),
		mutant.OnceDies[capi.ClientDestroyArgs, capi.BufferDeleteArgs]("CLI-13/then=use", "deleting crashes when the client is gone").InMemory(),
		mutant.After("CLI-14", "has a name of n bytes and one more", func(a *capi.ClientPlatformNameArgs) { a.PlatformNameSize++ }),
		mutant.After("CLI-16", "has a version of n bytes and one more", func(a *capi.ClientPlatformVersionArgs) { a.PlatformVersionSize++ }),
		mutant.After("CLI-16", "has no version", func(a *capi.ClientPlatformVersionArgs) { a.PlatformVersionSize = 0 }),
		mutant.AfterEach("CLI-18", "changes the order after a while", func(a *capi.ClientDevicesArgs, n int64) {
			if n > 50 {
				list := capi.Slice(a.Devices, a.NumDevices)
				list[0], list[1] = list[1], list[0]
				mutant.Reply(a, list)
			}
		}),
		mutant.Lists[capi.ClientAddressableDevicesArgs]("CLI-20", "has a device twice",
			func(list []*capi.Device) []*capi.Device { return append(list, list[0]) }),
		doubled[capi.ClientDevicesArgs, *capi.Device]("CLI-18", "has a device twice"),
		mutant.Before("CLI-23", "looks at the lowest byte of an id", func(a *capi.ClientLookupDeviceArgs) { a.ID &= 0xff }),
		mutant.Before("CLI-23", "looks at the lower half of an id", func(a *capi.ClientLookupDeviceArgs) { a.ID &= 0xffff }),
		mutant.Before("CLI-23", "counts negative ids from the end", func(a *capi.ClientLookupDeviceArgs) {
			if a.ID < 0 && a.ID >= -4 {
				a.ID += 4
			}
		}),
		mutant.Before("CLI-26", "takes one id too many", func(a *capi.ClientLookupAddressableDeviceArgs) {
			if a.LocalHardwareID == 4 {
				a.LocalHardwareID = 3
			}
		}),
		mutant.Before("CLI-26", "looks at the lowest byte of an id", func(a *capi.ClientLookupAddressableDeviceArgs) { a.LocalHardwareID &= 0xff }),
		doubled[capi.ClientAddressableMemoriesArgs, *capi.Memory]("CLI-27", "has a memory twice"),
		mutant.After("CLI-29", "fills the whole array", func(a *capi.ClientDefaultDeviceAssignmentArgs) {
			for i := uintptr(a.NumReplicas * a.NumPartitions); i < a.DefaultAssignmentSize; i++ {
				poke(a.DefaultAssignment, i, 0)
			}
		}),
		mutant.Before("CLI-30", "compares the size with the replicas alone", func(a *capi.ClientDefaultDeviceAssignmentArgs) {
			if a.DefaultAssignmentSize >= uintptr(a.NumReplicas) {
				a.DefaultAssignmentSize = uintptr(a.NumReplicas) * uintptr(a.NumPartitions)
			}
		}),
		mutant.ForgivesSome("CLI-31", "multiplies before it looks",
			func(a *capi.ClientDefaultDeviceAssignmentArgs) bool { return a.NumReplicas*a.NumPartitions > 0 }, nil).InMemory(),
		mutant.ForgivesSome("CLI-34", "looks at the replicas alone",
			func(a *capi.ClientDefaultDeviceAssignmentArgs) bool { return a.NumReplicas <= 4 }, invent).InMemory(),
		mutant.After("CLI-33", "has a device twice in both", func(a *capi.ClientDefaultDeviceAssignmentArgs) {
			if a.NumPartitions > 1 {
				poke(a.DefaultAssignment, 1, 0)
				poke(a.DefaultAssignment, 0, 0)
			}
		}).InMemory(),
		mutant.Refuses("CLI-35", "wants processes", capi.ErrorCodeInvalidArgument, func(a *capi.ClientUpdateGlobalProcessInfoArgs) bool { return a.NumProcessInfos == 0 }),
		mutant.Refuses("CLI-35", "takes one process only", capi.ErrorCodeInvalidArgument, func(a *capi.ClientUpdateGlobalProcessInfoArgs) bool { return a.NumProcessInfos > 1 }),
		mutant.Hooked("DDESC-04", "has a kind of its own for each device", func() []serve.Hook {
			kinds := make(map[*capi.DeviceDescription]capi.DeviceDescriptionKindArgs)
			return []serve.Hook{mutant.Then(func(a *capi.DeviceDescriptionKindArgs) {
				if kind, ok := kinds[a.DeviceDescription]; ok {
					*a = kind
					return
				}
				mutant.Reply(a, fmt.Append(nil, "device ", len(kinds)))
				kinds[a.DeviceDescription] = *a
			})}
		}),
		mutant.After("DDESC-01", "has one id for the last two", func(a *capi.DeviceDescriptionIDArgs) { a.ID = min(a.ID, 2) }),
		mutant.Hooked("DDESC-02", "counts the second device to another process", func() []serve.Hook {
			var first *capi.DeviceDescription
			return []serve.Hook{mutant.Then(func(a *capi.DeviceDescriptionProcessIndexArgs) {
				if first == nil {
					first = a.DeviceDescription
				}
				if a.DeviceDescription != first {
					a.ProcessIndex = 1
				}
			})}
		}),
		mutant.AfterEach("DDESC-06", "has a text for people that depends on the call",
			func(a *capi.DeviceDescriptionToStringArgs, n int64) {
				if n%2 == 0 {
					a.ToStringSize--
				}
			}),
		mutant.AfterMade("DDESC-09", "the topology's devices have other kinds",
			func(a *capi.TopologyDescriptionGetDeviceDescriptionsArgs) []*capi.DeviceDescription {
				return capi.Slice(a.Descriptions, a.NumDescriptions)
			},
			func(a *capi.DeviceDescriptionKindArgs) { mutant.Reply(a, []byte("another kind")) }),
		mutant.After("DEV-02", "has the first device's id for the last", func(a *capi.DeviceLocalHardwareIDArgs) {
			if a.LocalHardwareID == 3 {
				a.LocalHardwareID = 0
			}
		}),
		mutant.First("DEV-04", "has the first device's memory for all", func(a *capi.DeviceDefaultMemoryArgs) **capi.Memory { return &a.Memory }),
		mutant.Temporary[capi.DeviceAddressableMemoriesArgs, *capi.Memory]("DEV-03", "makes the list for each call"),
		fakeStats("DEV-09", "swaps limit and use", func(a *capi.DeviceMemoryStatsArgs) { a.BytesLimit, a.BytesLimitIsSet = 1, true }).InMemory(),
		fakeStats("DEV-09", "has a largest allocation above the peak", func(a *capi.DeviceMemoryStatsArgs) {
			a.PeakBytesInUse, a.PeakBytesInUseIsSet = a.BytesInUse, true
			a.LargestAllocSize, a.LargestAllocSizeIsSet = a.BytesInUse+1, true
		}).InMemory(),
		fakeStats("DEV-07", "never gives back", func(*capi.DeviceMemoryStatsArgs) {}).InMemory().Waiting(),
		mutant.Nothing[capi.DeviceClearMemoryStatsArgs]("DEV-11", "does not forget the peak").InMemory(),
		mutant.Before("DEV-12", "has a code of its own for what was poisoned", func(a *capi.DevicePoisonExecutionArgs) { a.ErrorCode = capi.ErrorCodeInternal }).InMemory(),
		mutant.Before("DEV-12", "takes a byte after the message for a part of it", func(a *capi.DevicePoisonExecutionArgs) {
			a.ErrorMessageSize = mutant.OneMore(a.ErrorMessageSize)
		}).InMemory(),
		mutant.Before("DEV-12", "drops the message", func(a *capi.DevicePoisonExecutionArgs) { a.ErrorMessageSize = 0 }).InMemory(),
		mutant.Before("DEV-12", "drops all payloads but the first", func(a *capi.DevicePoisonExecutionArgs) { a.NumPayload = min(a.NumPayload, 1) }).InMemory(),
		mutant.Before("DEV-12", "cuts messages at 255 bytes", func(a *capi.DevicePoisonExecutionArgs) {
			a.ErrorMessageSize = min(a.ErrorMessageSize, 255)
		}).InMemory(),
		mutant.Before("DEV-12", "has a code of its own for UNAUTHENTICATED", func(a *capi.DevicePoisonExecutionArgs) {
			if a.ErrorCode == capi.ErrorCodeUnauthenticated {
				a.ErrorCode = capi.ErrorCodeInternal
			}
		}).InMemory(),
		mutant.Before("DEV-12", "drops the payload", func(a *capi.DevicePoisonExecutionArgs) { a.NumPayload = 0 }).InMemory(),
		mutant.After("DEV-13", "poisons launches that are over", func(a *capi.DevicePoisonExecutionArgs) {
			a.Poisoned = a.Poisoned || a.LaunchID != 424242
		}).InMemory(),
		mutant.Of("DEV-13", "says NOT_FOUND of launches that there are not",
			func(c *serve.Invocation, a *capi.DevicePoisonExecutionArgs) {
				c.Forward()
				if !a.Poisoned {
					c.Fail(capi.ErrorCodeNotFound, "no such launch")
				}
			}).InMemory(),
		mutant.OnePlace("DEV-17", "uses one array for the attributes of all devices",
			check.Answer[capi.DeviceGetAttributesArgs, capi.NamedValue]).InMemory(),
		mutant.Refuses("DEV-18", "reads descriptions up to a terminator", capi.ErrorCodeInvalidArgument,
			func(a *capi.DeviceCreateAsyncTrackingEventArgs) bool {
				return a.DescriptionSize > 0 && !byteEnds(a.Description, a.DescriptionSize)
			}).InMemory(),
		mutant.After("MEM-01", "has the same id for the memories of a device", func(a *capi.MemoryIDArgs) { a.ID /= 2 }),
		mutant.After("MEM-07", "lists the devices of a memory one short", func(a *capi.MemoryAddressableByDevicesArgs) { a.NumDevices-- }),
		mutant.Lists[capi.MemoryAddressableByDevicesArgs]("MEM-07", "lists strangers",
			func(list []*capi.Device) []*capi.Device { return append(list, nil) }),
		mutant.After("MEM-08", "has memories of its own for buffers", func(a *capi.BufferMemoryArgs) {
			a.Memory = check.Retain(&capi.Memory{})
		}),
		mutant.Before("TOPO-04", "takes names that it does not know for the default", func(a *capi.TopologyDescriptionCreateArgs) { a.TopologyNameSize = 0 }).InMemory(),
		mutant.After("TOPO-05", "has no name", func(a *capi.TopologyDescriptionPlatformNameArgs) { a.PlatformNameSize = 0 }),
		mutant.After("TOPO-07", "has one device less than the client",
			func(a *capi.TopologyDescriptionGetDeviceDescriptionsArgs) { a.NumDescriptions-- }),
		mutant.After("TOPO-08", "has one id for the last two", func(a *capi.DeviceDescriptionIDArgs) { a.ID = min(a.ID, 2) }).InMemory(),
		mutant.After("TOPO-11", "has the address in its bytes", func(a *capi.TopologyDescriptionSerializeArgs) {
			at := addr(a.Topology)
			mutant.Reply(a, append(capi.Bytes(a.SerializedBytes, a.SerializedBytesSize), byte(at>>4), byte(at>>12), byte(at>>20)))
		}).InMemory(),
		restoredWithout("TOPO-12", "loses attributes on the way",
			func(a *capi.TopologyDescriptionAttributesArgs) { a.NumAttributes = 0 }),
		restoredWithout("TOPO-12", "loses a device on the way",
			func(a *capi.TopologyDescriptionGetDeviceDescriptionsArgs) { a.NumDescriptions-- }),
		restoredWithout("TOPO-12", "loses the version on the way",
			func(a *capi.TopologyDescriptionPlatformVersionArgs) { a.PlatformVersionSize = 0 }),
		restoredWithout("TOPO-15", "has another fingerprint when it comes back",
			func(a *capi.TopologyDescriptionFingerprintArgs) { a.Fingerprint++ }),
		mutant.Refuses("TOPO-12", "wants a zero behind the bytes", capi.ErrorCodeInvalidArgument,
			func(a *capi.TopologyDescriptionDeserializeArgs) bool {
				return mutant.View(a.SerializedTopology, a.SerializedTopologySize+1)[a.SerializedTopologySize] != 0
			}).InMemory(),
		takesBad("TOPO-13", "takes no bytes for a topology", func(b []byte) bool { return len(b) == 0 }),
		takesBad("TOPO-13", "takes a part for the whole", func(b []byte) bool { return len(b) > 100 }),
		mutant.Before("TOPO-17", "ignores the layout that it is given",
			func(a *capi.TopologyDescriptionMakeCanonicalShapeForMemorySpaceArgs) {
				if a.Layout != nil && a.Layout.Type == capi.BufferMemoryLayoutTypeTiled {
					a.Layout = nil
				}
			}).InMemory(),
		mutant.Before("TOPO-17", "changes the two last of at least four dimensions of a layout",
			func(a *capi.TopologyDescriptionMakeCanonicalShapeForMemorySpaceArgs) {
				a.Layout = mutant.LayoutExchanged(a.Layout, 4)
			}).InMemory(),
		mutant.Before("TOPO-18", "has no more than five dimensions", func(a *capi.TopologyDescriptionMakeCanonicalShapeForMemorySpaceArgs) {
			a.NumDims = min(a.NumDims, 5)
		}).InMemory(),
		mutant.Before("TOPO-18", "knows no complex numbers", func(a *capi.TopologyDescriptionMakeCanonicalShapeForMemorySpaceArgs) {
			if a.ElementType == capi.BufferTypeC64 {
				a.ElementType = capi.BufferTypeF64
			}
		}).InMemory(),
		mutant.Before("TOPO-18", "makes bytes of bits", func(a *capi.TopologyDescriptionMakeCanonicalShapeForMemorySpaceArgs) {
			if a.ElementType == capi.BufferTypeS2 {
				a.ElementType = capi.BufferTypeS8
			}
		}).InMemory(),
		mutant.Before("TOPO-18", "drops dimensions of one", func(a *capi.TopologyDescriptionMakeCanonicalShapeForMemorySpaceArgs) {
			if d := capi.Slice(a.Dims, a.NumDims); len(d) > 0 && d[len(d)-1] == 1 {
				a.NumDims--
			}
		}).InMemory(),
		mutant.ForgivesSome("TOPO-19", "takes strides",
			func(a *capi.TopologyDescriptionMakeCanonicalShapeForMemorySpaceArgs) bool { return a.Layout != nil }, nil).InMemory(),
		mutant.After("TOPO-21", "leaves a kind out",
			func(a *capi.TopologyDescriptionGetMemorySpaceKindIDsArgs) { a.NumMemorySpaceKindIDs-- }).InMemory(),
		mutant.After("TOPO-12", "states one byte too few", func(a *capi.TopologyDescriptionSerializeArgs) { a.SerializedBytesSize-- }).InMemory(),
		meet("KV-04", "reads values when they are deleted", func(m *meeting) { m.deletesFirst = true }),
		meet("KV-04", "deletes values twice", func(m *meeting) { m.deletesTwice = true }),
		meet("KV-03", "leaves struct_size of put as it is", func(m *meeting) { m.noPutSize = true }),
		meet("KV-03", "has no callback_error in put", func(m *meeting) { m.noPutError = true }),
		meet("KV-03", "leaves struct_size of try_get as it is", func(m *meeting) { m.noTrySize = true }),
		meet("KV-06", "keeps the code and drops the message", func(m *meeting) { m.dropsMessage = true }),
		meet("KV-07", "waits for ever", func(m *meeting) { m.forever = true }),
		meet("KV-11", "gives try_get the user_arg of get", func(m *meeting) { m.mixesTry = true }),
		meet("KV-14", "calls back a while after the client is gone", func(m *meeting) { m.late, m.later = true, true }),
		meet("KV-15", "drops the store without try_get", func(m *meeting) { m.aloneWithoutTry = true }),
	}
}

// doubled makes a mutant in which a list repeats its first element at the end. It
// returns the same list each time.
func doubled[A, E any](name, fault string) mutant.Mutant {
	return mutant.Hooked(name, fault, func() []serve.Hook {
		var made []E
		return []serve.Hook{mutant.Then(func(a *A) {
			list, n := check.Answer[A, E](a)
			if made == nil {
				made = capi.Slice(*list, *n)
				made = check.Retain(append(made, made[0]))
			}
			*list, *n = check.First(made)
		})}
	})
}

// optionsOf returns the create options of a client.
func optionsOf(a *capi.ClientCreateArgs) []*capi.NamedValue {
	var list []*capi.NamedValue
	for i := range int(a.NumOptions) {
		list = append(list, check.NamedValueAt(a.CreateOptions, i))
	}
	return list
}

// restoredWithout makes a mutant that changes what a function says about deserialized
// topologies.
func restoredWithout[A any](name, fault string, change func(*A)) mutant.Mutant {
	made := mutant.Made[capi.TopologyDescriptionDeserializeArgs, capi.TopologyDescription]
	return mutant.AfterMade(name, fault, made, change).InMemory()
}

// takesBad makes a mutant that makes topologies from damaged bytes.
func takesBad(name, fault string, takes func(b []byte) bool) mutant.Mutant {
	return mutant.ForgivesSome(name, fault, func(a *capi.TopologyDescriptionDeserializeArgs) bool {
		b := capi.Bytes(a.SerializedTopology, a.SerializedTopologySize)
		return takes(b) && !bytes.Contains(b, []byte("no topology"))
	}, func(a *capi.TopologyDescriptionDeserializeArgs) { a.Topology = check.Retain(topologyStranger()) }).InMemory()
}
