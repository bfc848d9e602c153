// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package client

import (
	"fmt"
	"math"
	"regexp"
	"slices"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

var identifier = regexp.MustCompile(`^[a-z0-9][a-z0-9_.-]*$`)

var lookupChecks = []check.Check{
	{Rule: "CLI-14", Run: theClient.Stay(nameText)},
	{Rule: "CLI-15", Run: func(t *check.T) {
		if name := t.Platform(); !identifier.MatchString(name) {
			t.Errorf("PJRT_Client_PlatformName: expected a lower-case identifier, got %q", name)
		}
	}},
	{Rule: "CLI-16", Run: theClient.Stay(versionText)},
	{Rule: "CLI-17", Run: func(t *check.T) {
		check.Steady[capi.ClientProcessIndexArgs](t, "client", theClient.All(t), nil)
		// The field is filled first, so that it shows if the plugin leaves it alone.
		for _, filler := range []int32{-1, 0x5a5a5a5a} {
			args := capi.ClientProcessIndexArgs{Client: t.Client().Handle, ProcessIndex: filler,
				StructSize: capi.ClientProcessIndexArgsSize}
			out, err := check.Raw(t, args)
			if err != nil {
				t.Fatalf("PJRT_Client_ProcessIndex: expected success, got %v", err)
			}
			check.Equal(t, 0, out.ProcessIndex, "PJRT_Client_ProcessIndex of a program of one process")
		}
	}},
	{Rule: "CLI-18", Devices: check.AnyNumber, Run: func(t *check.T) {
		c := t.Client()
		read := func() check.Array[*capi.Device] { return check.Ask[capi.ClientDevicesArgs, *capi.Device](t, c.Handle) }
		first := read()
		list := first.Elements()
		if len(list) == 0 {
			t.Errorf("PJRT_Client_Devices: expected devices, got none")
		}
		distinct(t, list, "PJRT_Client_Devices")
		for i := range 100 {
			again := read()
			check.Equal(t, first.First, again.First, "the array of PJRT_Client_Devices, call %d", i+2)
			if got := again.Elements(); !slices.Equal(list, got) {
				t.Errorf("PJRT_Client_Devices, call %d: expected %v, got %v", i+2, list, got)
			}
		}
	}},
	{Rule: "CLI-19", Devices: check.AnyNumber, Run: func(t *check.T) {
		all := t.AllDevices(t.Client())
		for i, d := range t.Client().Devices {
			if !slices.Contains(all, d) {
				t.Errorf("addressable device %d, %p, is not one of PJRT_Client_Devices %v", i, d, all)
			}
		}
		check.Steady(t, "client", theClient.All(t), check.Listed[capi.ClientAddressableDevicesArgs, *capi.Device])
		again := check.List[capi.ClientAddressableDevicesArgs, *capi.Device](t, t.Client().Handle)
		if !slices.Equal(again, t.Client().Devices) { // which were asked for first
			t.Errorf("PJRT_Client_AddressableDevices, asked again: expected %v, got %v", t.Client().Devices, again)
		}
	}},
	{Rule: "CLI-20", Devices: check.AnyNumber, Run: func(t *check.T) {
		all := t.AllDevices(t.Client())
		for i, d := range all {
			if !slices.Contains(t.Client().Devices, d) {
				t.Errorf("device %d, %p, of a program of one process is not addressable: %v", i, d, t.Client().Devices)
			}
		}
		check.Equal(t, len(all), len(t.Client().Devices), "number of addressable devices of a program of one process")
	}},
	{Rule: "CLI-21", Devices: check.AnyNumber, Run: addressable},
	{Rule: "CLI-22", Run: func(t *check.T) {
		for _, d := range t.AllDevices(t.Client()) {
			n := t.DeviceID(d)
			out := check.Call(t, capi.ClientLookupDeviceArgs{Client: t.Client().Handle, ID: n})
			check.Equal(t, d, out.Device, "PJRT_Client_LookupDevice of id %d", n)
		}
	}},
	{Rule: "CLI-23", Run: func(t *check.T) {
		for _, n := range unknownIDs(t) {
			out, err := check.Try(t, capi.ClientLookupDeviceArgs{Client: t.Client().Handle, ID: n})
			findsNothing(t, "PJRT_Client_LookupDevice", n, out.Device, err)
		}
	}},
	{Rule: "CLI-24", Run: func(t *check.T) {
		looked := 0
		for _, n := range unknownIDs(t) {
			if _, err := check.Try(t, capi.ClientLookupDeviceArgs{Client: t.Client().Handle, ID: n}); err != nil {
				looked++
				t.ErrorCode(err, fmt.Sprintf("PJRT_Client_LookupDevice of id %d, which no device has", n), capi.ErrorCodeInvalidArgument,
					capi.ErrorCodeNotFound)
			}
		}
		if looked == 0 {
			t.SkipEnvf("no unknown id is an error; see CLI-23")
		}
	}},
	{Rule: "CLI-25", Run: func(t *check.T) {
		looked := 0
		for _, d := range t.Client().Devices {
			n := check.Call(t, capi.DeviceLocalHardwareIDArgs{Device: d}).LocalHardwareID
			if n < 0 {
				continue
			}
			looked++
			out, err := check.Try(t, capi.ClientLookupAddressableDeviceArgs{Client: t.Client().Handle, LocalHardwareID: n})
			if err != nil {
				t.Errorf("PJRT_Client_LookupAddressableDevice of id %d: expected success, got %v", n, err)
				continue
			}
			check.Equal(t, d, out.AddressableDevice, "PJRT_Client_LookupAddressableDevice of id %d", n)
		}
		if looked == 0 {
			t.SkipUnimplf("no device has a local hardware id")
		}
	}},
	{Rule: "CLI-26", Run: func(t *check.T) {
		known := make(map[int32]bool)
		for _, d := range t.Client().Devices {
			known[check.Call(t, capi.DeviceLocalHardwareIDArgs{Device: d}).LocalHardwareID] = true
		}
		for _, n := range strangers(known) {
			out, err := check.Try(t, capi.ClientLookupAddressableDeviceArgs{Client: t.Client().Handle, LocalHardwareID: n})
			findsNothing(t, "PJRT_Client_LookupAddressableDevice", n, out.AddressableDevice, err)
		}
	}},
	{Rule: "CLI-27", Run: func(t *check.T) {
		c := t.Client()
		list := check.SameList(t, "PJRT_Client_AddressableMemories", "memories", func() check.Array[*capi.Memory] {
			return check.Ask[capi.ClientAddressableMemoriesArgs, *capi.Memory](t, c.Handle)
		})
		distinct(t, list, "PJRT_Client_AddressableMemories")
		var ofDevices []*capi.Memory
		for _, d := range c.Devices {
			ofDevices = append(ofDevices, memoriesOf(t, d)...)
		}
		for _, m := range list {
			if !slices.Contains(ofDevices, m) {
				t.Errorf("the memory %p of the client is in the list of no device: %v", m, ofDevices)
			}
		}
		for _, m := range ofDevices {
			if !slices.Contains(list, m) {
				t.Errorf("the memory %p of a device is not in the list of the client: %v", m, list)
			}
		}
		if len(list) == 0 && len(ofDevices) == 0 {
			t.SkipUnimplf("the client has no memories")
		}
	}},
	{Rule: "CLI-28", Library: true, Hostile: true, Run: func(t *check.T) {
		c := t.NewClient()
		first := check.Optional(t, capi.ClientTopologyDescriptionArgs{Client: c.Handle}).Topology
		check.Equal(t, false, first == nil, "success without a topology")
		for range 10 {
			again := check.Call(t, capi.ClientTopologyDescriptionArgs{Client: c.Handle}).Topology
			if !check.Equal(t, first, again, "PJRT_Client_TopologyDescription when it is asked for again") {
				break
			}
		}
		check.Destroy(t, c.Handle)
	}},
	{Rule: "CLI-29", Run: func(t *check.T) {
		n := len(t.AllDevices(t.Client()))
		for _, shape := range [][3]int{{1, 1}, {n, 1}, {1, n}, {n / 2, 2}, {1, 1, 5}, {n, 1, 5}} {
			if shape[0] == 0 {
				continue
			}
			// An array may be longer than needed.
			all := assign(t, shape[0], shape[1], shape[0]*shape[1]+shape[2])
			for i, v := range all.ids {
				inside := i < shape[0]*shape[1]
				if !inside && v != untouchedID {
					t.Errorf("%d x %d: element %d after the array was overwritten with %d", shape[0], shape[1], i-shape[0]*shape[1], v)
				}
				if inside && v == untouchedID && all.err == nil {
					t.Errorf("%d x %d: element %d was not written", shape[0], shape[1], i)
				}
			}
			if all.err != nil {
				t.Errorf("PJRT_Client_DefaultDeviceAssignment of %d x %d on %d devices: expected success, got %v", shape[0],
					shape[1], n, all.err)
			}
			if capi.CodeOf(all.err) == capi.ErrorCodeUnimplemented {
				return // it answers that for other counts, too
			}
		}
	}},
	{Rule: "CLI-30", Run: func(t *check.T) {
		all := assign(t, 1, 1, 0)
		t.ErrorCode(all.err, "PJRT_Client_DefaultDeviceAssignment of 1 x 1 into an array of 0")
		check.Equal(t, untouchedID, all.ids[0], "the memory behind an array of 0")
		n := len(t.AllDevices(t.Client()))
		for _, shape := range [][2]int{{n, 1}, {1, n}, {n / 2, 2}} {
			size := shape[0]*shape[1] - 1
			if size < 1 {
				continue
			}
			all := assign(t, shape[0], shape[1], size)
			t.ErrorCode(all.err, fmt.Sprintf("PJRT_Client_DefaultDeviceAssignment of %d x %d into an array of %d", shape[0],
				shape[1], size))
			check.Equal(t, untouchedID, all.ids[size], "the memory behind an array of %d", size)
		}
	}},
	{Rule: "CLI-31", Hostile: true, Run: func(t *check.T) {
		for _, shape := range [][2]int{{0, 1}, {1, 0}, {-1, 2}, {2, -1}, {-1, -1}} {
			all := assign(t, shape[0], shape[1], 4)
			t.ErrorCode(all.err, fmt.Sprintf("PJRT_Client_DefaultDeviceAssignment of %d x %d", shape[0], shape[1]),
				capi.ErrorCodeInvalidArgument)
		}
	}},
	{Rule: "CLI-32", Hostile: true, Run: func(t *check.T) {
		// Truncated to 32 bits, the product is 65536, which fits.
		all := assign(t, 65536, 65537, 65536)
		t.ErrorCode(all.err, "PJRT_Client_DefaultDeviceAssignment of 65536 x 65537 into an array of 65536")
		for i := 65536; i < len(all.ids); i++ {
			if !check.Equal(t, untouchedID, all.ids[i], "the memory behind an array of 65536, element %d", i-65536) {
				break
			}
		}
	}},
	{Rule: "CLI-33", Run: func(t *check.T) {
		looked := 0
		n := len(t.AllDevices(t.Client()))
		for _, shape := range [][2]int{{1, 1}, {n, 1}, {1, n}, {n + 1, 1}, {2 * n, 1}} {
			all := assign(t, shape[0], shape[1], shape[0]*shape[1])
			if all.err != nil {
				continue
			}
			looked++
			seen := make(map[int32]bool)
			for _, v := range all.ids[:shape[0]*shape[1]] {
				if seen[v] {
					t.Errorf("the default assignment of %d x %d has the device %d twice", shape[0], shape[1], v)
				}
				seen[v] = true
				if _, err := check.Try(t, capi.ClientLookupDeviceArgs{Client: t.Client().Handle, ID: v}); err != nil {
					t.Errorf("the default assignment of %d x %d on %d devices has the device %d, which does not exist: %v", shape[0],
						shape[1], n, v, err)
				}
			}
		}
		if looked == 0 {
			t.SkipEnvf("there is no default assignment; see CLI-29")
		}
	}},
	{Rule: "CLI-34", Run: func(t *check.T) {
		n := len(t.AllDevices(t.Client()))
		for _, shape := range [][2]int{{n + 1, 1}, {1, n + 1}, {n, 2}} {
			all := assign(t, shape[0], shape[1], shape[0]*shape[1])
			t.ErrorCode(all.err, fmt.Sprintf("PJRT_Client_DefaultDeviceAssignment of %d x %d on %d devices", shape[0], shape[1], n))
		}
	}},
	{Rule: "CLI-35", Run: func(t *check.T) {
		c := t.Client()
		check.Call(t, capi.ClientUpdateGlobalProcessInfoArgs{Client: c.Handle})
		var all []capi.ProcessInfo
		for state := capi.ProcessStateUnspecified; state <= capi.ProcessStateError; state++ {
			info := &capi.ProcessInfo{StructSize: capi.ProcessInfoSize, IncarnationID: 1, State: state}
			if state == capi.ProcessStateError {
				info.ErrorCode = int32(capi.ErrorCodeAborted)
				info.ErrorMessage, info.ErrorMessageSize = capi.StringData("gone")
			}
			check.Call(t, capi.ClientUpdateGlobalProcessInfoArgs{Client: c.Handle, ProcessInfos: info, NumProcessInfos: 1})
			info.TaskID = int32(state)
			all = append(all, *info)
		}
		args := capi.ClientUpdateGlobalProcessInfoArgs{Client: c.Handle}
		args.ProcessInfos, args.NumProcessInfos = check.First(all)
		check.Call(t, args)
	}},
	{Rule: "CLI-36", Run: func(t *check.T) {
		c := t.Client()
		message := []byte("a process that is gone")
		info := &capi.ProcessInfo{StructSize: capi.ProcessInfoSize, IncarnationID: 2, State: capi.ProcessStateError,
			ErrorCode: int32(capi.ErrorCodeAborted)}
		check.Call(t, capi.ClientUpdateGlobalProcessInfoArgs{Client: c.Handle, ProcessInfos: info, NumProcessInfos: 1})
		info.ErrorMessage, info.ErrorMessageSize = capi.BytesData(message)
		check.Call(t, capi.ClientUpdateGlobalProcessInfoArgs{Client: c.Handle, ProcessInfos: info, NumProcessInfos: 1})
		copy(message, "@@@@@@@@@@@@@@@@@@@@@@")
		check.Call(t, capi.ClientUpdateGlobalProcessInfoArgs{Client: c.Handle})
	}},
}

// findsNothing fails the check unless a search for an id that no device has gave an error and no
// device.
func findsNothing(t *check.T, function string, id int32, d *capi.Device, err error) {
	if err == nil {
		t.Errorf("%s of id %d, which no device has: expected an error, got the device %p", function, id, d)
	} else if d != nil {
		t.Errorf("%s of id %d, which no device has: an error (%v) and the device %p", function, id, err, d)
	}
}

// unknownIDs returns ids that no device of the client has.
func unknownIDs(t *check.T) []int32 {
	known := make(map[int32]bool)
	for _, d := range t.AllDevices(t.Client()) {
		known[t.DeviceID(d)] = true
	}
	return strangers(known)
}

// strangers returns ids that are not known: the ids at the ends of the range, and ids
// that share their lower bits with a known one.
func strangers(known map[int32]bool) []int32 {
	var list []int32
	lowest, highest := int32(math.MaxInt32), int32(0)
	for n := range known {
		lowest, highest = min(lowest, max(n, 0)), max(highest, n)
	}
	for _, n := range []int32{-1, int32(len(known)), highest + 1, highest + 1000, lowest + 1<<8, lowest + 1<<16, math.MaxInt32,
		math.MinInt32} {
		if !known[n] && !slices.Contains(list, n) {
			list = append(list, n)
		}
	}
	return list
}

// distinct fails the check if a list has an element twice.
func distinct[E comparable](t *check.T, list []E, what string) {
	seen := make(check.FirstOf[E])
	for i, e := range list {
		if first, again := seen.Add(e, i); again {
			t.Errorf("%s: elements %d and %d are the same, %v", what, first, i, e)
		}
	}
}

// addressable compares what devices say about themselves with the client's lists.
func addressable(t *check.T) {
	check.Steady[capi.DeviceIsAddressableArgs](t, "device", t.AllDevices(t.Client()), nil)
	for i, d := range t.AllDevices(t.Client()) {
		out := check.Call(t, capi.DeviceIsAddressableArgs{Device: d})
		check.Equal(t, slices.Contains(t.Client().Devices, d), out.IsAddressable, "PJRT_Device_IsAddressable of device %d", i)
	}
}

// assignment is what PJRT_Client_DefaultDeviceAssignment wrote.
type assignment struct {
	ids []int32 // longer than what the plugin may write
	err error
}

// untouchedID fills every element before the call.
const untouchedID int32 = -0x5a5a5a5a

// assign asks for a default assignment into an array, and tells the plugin that it has
// size elements.
func assign(t *check.T, replicas, partitions, size int) assignment {
	a := assignment{ids: make([]int32, size+64)}
	for i := range a.ids {
		a.ids[i] = untouchedID
	}
	_, a.err = check.Try(t, capi.ClientDefaultDeviceAssignmentArgs{
		Client: t.Client().Handle, NumReplicas: int32(replicas), NumPartitions: int32(partitions),
		DefaultAssignmentSize: uintptr(size), DefaultAssignment: &a.ids[0],
	})
	return a
}

func memoriesOf(t *check.T, d *capi.Device) []*capi.Memory {
	return check.List[capi.DeviceAddressableMemoriesArgs, *capi.Memory](t, d)
}
