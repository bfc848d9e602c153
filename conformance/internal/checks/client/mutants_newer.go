// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package client

import (
	"fmt"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
)

// memoryTable makes a mutant that replaces the function table of each memory.
func memoryTable(name, fault string, change func(v *capi.MemoryFunctionTable)) mutant.Mutant {
	return mutant.After(name, fault, func(a *capi.ClientAddressableMemoriesArgs) {
		for _, m := range capi.Slice(a.AddressableMemories, a.NumAddressableMemories) {
			if m.Vtable != nil {
				v := *m.Vtable
				change(&v)
				m.Vtable = check.Retain(&v)
			}
		}
	}).InMemory()
}

// shapeChanged makes a mutant that returns another shape.
func shapeChanged(name, fault string, shape []byte) mutant.Mutant {
	return mutant.After(name, fault, func(a *capi.TopologyDescriptionMakeCanonicalShapeForMemorySpaceArgs) {
		a.SerializedShapeDeleter.Call(a.SerializedShape)
		a.SerializedShapeDeleter = 0
		mutant.Reply(a, shape)
	}).InMemory()
}

// deviceless makes a mutant of a plugin whose hardware is missing. Without the fault it
// says so.
func deviceless(name, fault string, err error) mutant.Mutant {
	answers := func(err error) serve.Hook {
		return serve.Around(func(c *serve.Invocation, _ *capi.ClientCreateArgs) { c.FailWith(err) })
	}
	m := mutant.Hooked(name, fault, func() []serve.Hook { return []serve.Hook{answers(err)} }).InMemory()
	m.NoDevice = "there is no hardware"
	return m.On(func(base *capi.Table, faults ...serve.Hook) (*serve.Table, error) {
		missing := &capi.Error{Code: capi.ErrorCodeNotFound, Message: "no such hardware in this machine"}
		return serve.Wrap(base, append(faults, answers(missing))...)
	})
}

func newerMutants() []mutant.Mutant {
	return []mutant.Mutant{
		deviceless("CLI-03", "has no client, and says that all is well", nil),
		deviceless("CLI-03", "does not say what is missing", &capi.Error{Code: capi.ErrorCodeUnknown, Message: "?"}),
		mutant.Before("TOPO-03", "makes its default topology whatever the name says", func(a *capi.TopologyDescriptionCreateArgs) { a.TopologyNameSize = 0 }).InMemory().ForTopology("4x2x3"),
		mutant.Before("TOPO-03", "takes the first extent for all", func(a *capi.TopologyDescriptionCreateArgs) { a.TopologyNameSize = 3 }).InMemory().ForTopology("4x2x3"),
		mutant.AfterEach("DEV-11", "forgets what is in use", func(a *capi.DeviceMemoryStatsArgs, n int64) {
			if n > 2 {
				a.BytesInUse = 0
			}
		}).InMemory(),
		mutant.Of("DEV-12", "says that it poisoned a launch, and does not", func(_ *serve.Invocation, a *capi.DevicePoisonExecutionArgs) {
			a.Poisoned = a.LaunchID != 424242
		}).InMemory(),
		mutant.Hooked("DEV-12/on later devices", "poisons what the first device executes", func() []serve.Hook {
			var first *capi.Device
			return []serve.Hook{
				mutant.Then(func(a *capi.ClientAddressableDevicesArgs) { first = *a.AddressableDevices }),
				serve.Around(func(c *serve.Invocation, a *capi.DevicePoisonExecutionArgs) {
					device := a.Device
					a.Device = first
					c.Forward()
					a.Device = device
				}),
			}
		}).InMemory(),
		mutant.After("DEV-13", "poisons launches that there are not", func(a *capi.DevicePoisonExecutionArgs) { a.Poisoned = true }).InMemory(),
		mutant.Hooked("DEV-14", "can do nothing once it was poisoned", func() []serve.Hook {
			poisoned := false
			return []serve.Hook{
				mutant.Then(func(a *capi.DevicePoisonExecutionArgs) { poisoned = poisoned || a.LaunchID != 424242 }),
				serve.Around(func(c *serve.Invocation, _ *capi.LoadedExecutableExecuteArgs) {
					mutant.FailIf(c, poisoned, capi.ErrorCodeAborted, "poisoned")
				}),
			}
		}).InMemory(),
		mutant.Forgives("DEV-15", "takes any payload", func(*capi.DevicePoisonExecutionArgs) {}).InMemory(),
		mutant.After("DEV-16", "has no deleter", func(a *capi.DeviceGetAttributesArgs) { a.AttributesDeleter = 0 }).InMemory(),
		mutant.Hooked("DEV-17", "has one holder for all", func() []serve.Hook {
			holder := new(capi.DeviceAttributes)
			return []serve.Hook{serve.Around(func(c *serve.Invocation, a *capi.DeviceGetAttributesArgs) {
				c.Forward()
				if c.Err() == nil {
					a.AttributesDeleter.Call(a.DeviceAttributes)
					a.DeviceAttributes, a.AttributesDeleter = holder, 0
					a.Attributes, a.NumAttributes = nil, 0
				}
			})}
		}).InMemory(),
		mutant.Answers[capi.AsyncTrackingEventDestroyArgs]("DEV-18", "cannot destroy events", capi.ErrorCodeInternal).InMemory(),
		mutant.Dies("DEV-19", "follows a null event",
			func(a *capi.AsyncTrackingEventDestroyArgs) bool { return a.Event == nil }).InMemory(),
		memoryTable("MEM-09", "states too short a function table", func(v *capi.MemoryFunctionTable) { v.StructSize = 16 }),
		memoryTable("MEM-09", "leaves out a function of the table", func(v *capi.MemoryFunctionTable) { v.SetUserData = 0 }),
		memoryTable("MEM-10", "keeps no user data", func(v *capi.MemoryFunctionTable) {
			v.SetUserData = capi.MemoryFunctionTableSetUserData(v.GetUserData)
		}),
		memoryTable("MEM-11", "never calls destructors", func(v *capi.MemoryFunctionTable) {
			v.SetUserData = capi.MemoryFunctionTableSetUserData(v.GetUserData)
		}),
		mutant.Forgives("TOPO-13", "makes an empty topology of garbage", func(a *capi.TopologyDescriptionDeserializeArgs) {
			a.Topology = check.Retain(topologyStranger())
		}).InMemory(),
		mutant.Forgives("TOPO-14", "takes topologies of other platforms", func(a *capi.TopologyDescriptionDeserializeArgs) {
			a.Topology = check.Retain(topologyStranger())
		}).InMemory(),
		mutant.AfterEach("TOPO-15", "depends on addresses",
			func(a *capi.TopologyDescriptionFingerprintArgs, n int64) { a.Fingerprint = uint64(n) }).InMemory(),
		mutant.After("TOPO-15", "has no fingerprint", func(a *capi.TopologyDescriptionFingerprintArgs) { a.Fingerprint = 0 }).InMemory(),
		mutant.After("TOPO-16", "has one fingerprint for all", func(a *capi.TopologyDescriptionFingerprintArgs) { a.Fingerprint = 1 }).InMemory(),
		// A ShapeProto of f32[2,3] without a layout, and one of f64[2,3].
		shapeChanged("TOPO-17", "drops the layout", []byte{2 << 3, 11, 3<<3 | 2, 2, 2, 3}),
		shapeChanged("TOPO-18", "has another element type", []byte{2 << 3, 12, 3<<3 | 2, 2, 2, 3, 5<<3 | 2, 4, 1<<3 | 2, 2, 1, 0}),
		mutant.Forgives("TOPO-19", "takes strides and any kind of memory",
			func(*capi.TopologyDescriptionMakeCanonicalShapeForMemorySpaceArgs) {}).InMemory(),
		mutant.Hooked("TOPO-20", "uses one array for all shapes", func() []serve.Hook {
			shared, n := make([]byte, 16), 0
			return []serve.Hook{serve.Around(func(c *serve.Invocation, a *capi.TopologyDescriptionMakeCanonicalShapeForMemorySpaceArgs) {
				c.Forward()
				if c.Err() != nil {
					return
				}
				a.SerializedShapeDeleter.Call(a.SerializedShape)
				n++
				copy(shared, fmt.Sprintf("%016d", n))
				a.SerializedShape, a.SerializedShapeSize = &shared[0], 16
				a.SerializedShapeDeleter = 0
			})}
		}).InMemory(),
		mutant.After("TOPO-21", "has a kind twice", func(a *capi.TopologyDescriptionGetMemorySpaceKindIDsArgs) {
			mutant.Reply(a, []int32{1, 2, 1})
		}).InMemory(),
	}
}
