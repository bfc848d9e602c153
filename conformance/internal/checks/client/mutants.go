// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package client

import (
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
)

// dropsLast makes a mutant that leaves out the last create option if is says so.
func dropsLast(name, fault string, is func(capi.Attribute) bool) mutant.Mutant {
	return mutant.Before(name, fault, func(a *capi.ClientCreateArgs) {
		if list := capi.Attributes(a.CreateOptions, a.NumOptions); len(list) > 0 && is(list[len(list)-1]) {
			a.NumOptions--
		}
	}).InMemory()
}

// withoutUnknown makes a mutant that ignores some of the options that it does not know. last says
// that an option is the last.
func withoutUnknown(fault string, ignores func(o capi.Attribute, last bool) bool) mutant.Mutant {
	known := []string{"num_nodes", "node_id", "device_count"}
	return mutant.Of("CLI-04", fault, func(c *serve.Invocation, a *capi.ClientCreateArgs) {
		var list []capi.Attribute
		given := capi.Attributes(a.CreateOptions, a.NumOptions)
		for i, o := range given {
			if slices.Contains(known, o.Name) || !ignores(o, i == len(given)-1) {
				list = append(list, o)
			}
		}
		values, err := capi.NewNamedValues(list)
		if err != nil {
			c.FailWith(err)
			return
		}
		mutant.Forward(c, a, func(a *capi.ClientCreateArgs) { a.CreateOptions, a.NumOptions = values.Data() })
		runtime.KeepAlive(values)
	}).InMemory()
}

// invent assigns devices that may not exist.
func invent(a *capi.ClientDefaultDeviceAssignmentArgs) {
	for i := range a.DefaultAssignmentSize {
		poke(a.DefaultAssignment, i, int32(i))
	}
}

func createMutants() []mutant.Mutant {
	return []mutant.Mutant{
		mutant.Refuses("CLI-01", "needs options", capi.ErrorCodeInvalidArgument, func(a *capi.ClientCreateArgs) bool { return a.NumOptions == 0 }),
		mutant.Dies("CLI-02", "follows a null client", func(a *capi.ClientDestroyArgs) bool { return a.Client == nil }),
		dropsLast("CLI-04", "ignores unknown options", func(o capi.Attribute) bool { return o.Name == "no_such_option" }),
		dropsLast("CLI-05", "ignores options of the wrong type", func(o capi.Attribute) bool { _, text := o.Value.(string); return text }),
		mutant.Before("CLI-06", "reads names up to a terminator", func(a *capi.ClientCreateArgs) {
			if a.NumOptions > 0 && !nameEnds(a.CreateOptions) {
				a.NumOptions = 0
			}
		}),
		mutant.Hooked("CLI-07", "reads options when it needs them", func() []serve.Hook {
			var kept *capi.NamedValue
			var was int64
			return []serve.Hook{
				mutant.Then(func(a *capi.ClientCreateArgs) {
					kept, was = a.CreateOptions, a.CreateOptions.Int64Value()
				}),
				serve.Around(func(c *serve.Invocation, _ *capi.ClientAddressableDevicesArgs) {
					mutant.FailIf(c, kept.Int64Value() != was, capi.ErrorCodeInternal, "%d devices", kept.Int64Value())
				}),
			}
		}),
		mutant.Dies("CLI-08", "follows a null array of options",
			func(a *capi.ClientCreateArgs) bool { return a.NumOptions > 0 && a.CreateOptions == nil }).InMemory(),
		dropsLast("CLI-09", "takes any number of devices", func(o capi.Attribute) bool { n, number := o.Value.(int64); return number && n <= 0 }),
		mutant.Hooked("CLI-10", "gives out the first client again", func() []serve.Hook {
			var first *capi.Client
			return []serve.Hook{serve.Around(func(c *serve.Invocation, a *capi.ClientCreateArgs) {
				if first != nil {
					a.Client = first
					return
				}
				c.Forward()
				first = a.Client
			})}
		}),
		mutant.OfEach("CLI-11", "does not give the device back", func(c *serve.Invocation, _ *capi.ClientCreateArgs, n int64) {
			mutant.FailIf(c, n > 1, capi.ErrorCodeFailedPrecondition, "the device is in use")
		}),
		mutant.Answers[capi.ClientDestroyArgs]("CLI-12", "refuses to destroy a client with work under way", capi.ErrorCodeFailedPrecondition),
		mutant.OnceDies[capi.ClientDestroyArgs, capi.BufferDestroyArgs]("CLI-13/then=destroy", "buffers use the client when they go"),
		mutant.OnceDies[capi.ClientDestroyArgs, capi.BufferToHostBufferArgs]("CLI-13/then=use", "buffers crash when their client is gone").InMemory(),
		mutant.Before("CLI-37", "reads options and drops them", func(a *capi.ClientCreateArgs) { a.NumOptions = 0 }),
		mutant.Before("CLI-37", "reads two options", func(a *capi.ClientCreateArgs) { a.NumOptions = min(a.NumOptions, 2) }).InMemory(),
		withoutUnknown("looks at the last option alone", func(o capi.Attribute, last bool) bool { return !last }),
		withoutUnknown("ignores unknown options with names of more than 64 bytes", func(o capi.Attribute, _ bool) bool { return len(o.Name) > 64 }),
		withoutUnknown("takes names that begin with a known one", func(o capi.Attribute, _ bool) bool { return strings.HasPrefix(o.Name, "node_id") }),
		withoutUnknown("ignores unknown options that are lists of more than two", func(o capi.Attribute, _ bool) bool {
			list, _ := o.Value.([]int64)
			return len(list) > 2
		}),
	}
}

func lookupMutants() []mutant.Mutant {
	return []mutant.Mutant{
		mutant.AfterEach("CLI-14", "returns a temporary", func(a *capi.ClientPlatformNameArgs, n int64) {
			mutant.Reply(a, fmt.Append(nil, "cpu", n))
		}),
		mutant.After("CLI-14", "has no name", func(a *capi.ClientPlatformNameArgs) { a.PlatformNameSize = 0 }),
		mutant.Says[capi.ClientPlatformNameArgs]("CLI-15", "has a name for people", "Some CPU"),
		mutant.Says[capi.ClientPlatformVersionArgs]("CLI-16", "returns a temporary", "cpu"),
		mutant.Nothing[capi.ClientProcessIndexArgs]("CLI-17", "leaves the index as it is"),
		mutant.Temporary[capi.ClientDevicesArgs, *capi.Device]("CLI-18", "makes the list for each call"),
		mutant.After("CLI-18", "has no devices", func(a *capi.ClientDevicesArgs) { a.NumDevices = 0 }),
		mutant.After("CLI-19", "has addressable devices that are none of its devices", func(a *capi.ClientDevicesArgs) { a.NumDevices-- }),
		mutant.After("CLI-20", "leaves out a device", func(a *capi.ClientAddressableDevicesArgs) { a.NumAddressableDevices-- }),
		mutant.After("CLI-20", "has no device of its own", func(a *capi.ClientAddressableDevicesArgs) { a.NumAddressableDevices = 0 }),
		mutant.After("CLI-21", "says the same of all devices", func(a *capi.DeviceIsAddressableArgs) { a.IsAddressable = false }),
		mutant.Before("CLI-22", "takes the id for something else", func(a *capi.ClientLookupDeviceArgs) { a.ID ^= 1 }),
		mutant.Forgives("CLI-23", "finds no device, and says that all is well", func(*capi.ClientLookupDeviceArgs) {}),
		mutant.LosesCode[capi.ClientLookupDeviceArgs]("CLI-24", "says INTERNAL of an unknown id", capi.ErrorCodeInternal),
		mutant.Before("CLI-25", "compares with another id", func(a *capi.ClientLookupAddressableDeviceArgs) { a.LocalHardwareID ^= 1 }),
		mutant.Forgives("CLI-26", "finds no device, and says that all is well", func(*capi.ClientLookupAddressableDeviceArgs) {}),
		mutant.After("CLI-27", "leaves out a memory", func(a *capi.ClientAddressableMemoriesArgs) { a.NumAddressableMemories-- }),
		mutant.AfterEach("CLI-28", "makes a topology for each call", func(a *capi.ClientTopologyDescriptionArgs, n int64) {
			if n > 1 {
				a.Topology = check.Retain(topologyStranger())
			}
		}),
		mutant.After("CLI-29", "writes one id too many", func(a *capi.ClientDefaultDeviceAssignmentArgs) {
			poke(a.DefaultAssignment, a.DefaultAssignmentSize, 7)
		}),
		mutant.Before("CLI-30", "does not look at the size of the array", func(a *capi.ClientDefaultDeviceAssignmentArgs) {
			a.DefaultAssignmentSize = uintptr(a.NumReplicas * a.NumPartitions)
		}),
		mutant.Dies("CLI-31", "ends the process on 0 replicas",
			func(a *capi.ClientDefaultDeviceAssignmentArgs) bool { return a.NumReplicas <= 0 }).InMemory(),
		mutant.Forgives("CLI-32", "multiplies in 32 bits",
			func(a *capi.ClientDefaultDeviceAssignmentArgs) { poke(a.DefaultAssignment, a.DefaultAssignmentSize, 0) }).InMemory(),
		mutant.Forgives("CLI-33", "invents devices", invent).InMemory(),
		mutant.Forgives("CLI-34", "invents devices", invent).InMemory(),
		mutant.Refuses("CLI-35", "does not know all states", capi.ErrorCodeInvalidArgument,
			func(a *capi.ClientUpdateGlobalProcessInfoArgs) bool {
				return a.NumProcessInfos > 0 && a.ProcessInfos.State == capi.ProcessStateError
			}),
		mutant.Refuses("CLI-36", "needs a message", capi.ErrorCodeInvalidArgument, func(a *capi.ClientUpdateGlobalProcessInfoArgs) bool {
			return a.NumProcessInfos > 0 && a.ProcessInfos.ErrorMessage == nil
		}),
	}
}
