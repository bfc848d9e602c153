// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package programs

import (
	"fmt"
	"slices"
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

// destroyedNull judges the outcome of destroying the executable null. A plugin without a
// compiler has no executables.
func destroyedNull(t *check.T, destroyed error) {
	if destroyed == nil {
		return
	}
	if t.Env().NoDevice != "" {
		t.DestroyedNull(destroyed, destroyed) // nothing shows whether the plugin has executables
		return
	}
	out, err := check.Try(t, t.CompileArgs(t.Client(), check.AddOne, check.Devices(1, 1)))
	check.Own(t, out.Executable)
	t.DestroyedNull(destroyed, err)
}

var loadedChecks = []check.Check{
	{Rule: "LEX-01", Library: true, Hostile: true, Run: func(t *check.T) {
		_, err := check.Try(t, capi.LoadedExecutableDestroyArgs{})
		destroyedNull(t, err)
	}},
	{Rule: "LEX-02", Run: func(t *check.T) {
		exe, other := t.Compile(t.Client(), check.AddOne), t.Compile(t.Client(), check.AddOne)
		check.Equal(t, false, exeDeleted(t, exe), "is_deleted of a new executable")
		check.Call(t, capi.LoadedExecutableDeleteArgs{Executable: exe})
		check.Equal(t, true, exeDeleted(t, exe), "is_deleted after PJRT_LoadedExecutable_Delete")
		_, err := check.Try(t, capi.LoadedExecutableDeleteArgs{Executable: exe})
		if err != nil {
			t.Notef("a second PJRT_LoadedExecutable_Delete gives %v", err)
		}
		check.Equal(t, false, exeDeleted(t, other), "is_deleted of another executable of the same program")
		check.Equal(t, false, exeDeleted(t, t.Compile(t.Client(), check.AddOne)), "is_deleted of an executable that was compiled later")
	}},
	{Rule: "LEX-03", Hostile: true, Run: func(t *check.T) {
		c := t.Client()
		exe, other := t.Compile(c, check.AddOne), t.Compile(c, check.AddOne)
		check.Call(t, capi.LoadedExecutableDeleteArgs{Executable: exe})
		_, err := attempt(t, exe, 1, upload4(t, c))
		t.ErrorCode(err, "executing after PJRT_LoadedExecutable_Delete")
		runsAddOne(t, c, other, "another executable of a program after PJRT_LoadedExecutable_Delete of one")
	}},
	{Rule: "LEX-04", Hostile: true, Run: func(t *check.T) {
		endsWhileRunning(t, "PJRT_LoadedExecutable_Delete", func(exe *capi.LoadedExecutable) {
			check.Call(t, capi.LoadedExecutableDeleteArgs{Executable: exe})
		})
	}},
	{Rule: "LEX-05", Hostile: true, Run: deleteTogether},
	{Rule: "LEX-06", Hostile: true, Run: func(t *check.T) {
		endsWhileRunning(t, "PJRT_LoadedExecutable_Destroy", func(exe *capi.LoadedExecutable) { check.Destroy(t, exe) })
	}},
	{Rule: "LEX-07", Hostile: true, Run: func(t *check.T) {
		c := t.Client()
		first := t.Compile(c, check.AddOne)
		out := t.Run(first, 1, upload4(t, c))[0]
		check.Destroy(t, first)
		second := t.Compile(c, check.AddOne)
		again, err := attempt(t, second, 1, out)
		if t.NoError(err, "executing a program on the result of one whose executable was destroyed") {
			check.ExpectBuffer(t, again[0], []float32{3, 4, 5, 6}, "a program on the result of one whose executable was destroyed")
		}
		check.ExpectBuffer(t, out, []float32{2, 3, 4, 5}, "a result after its executable was destroyed")
	}},
	{Rule: "LEX-08", Run: func(t *check.T) {
		c := t.Client()
		ids := deviceIDs(t, c)
		for i := range c.Devices {
			exe := compileFor(t, c, check.AddOne, options{assignment: [][]int{{ids[i]}}})
			got := devicesOf(t, exe)
			if len(got) != 1 || got[0] != c.Devices[i] {
				t.Errorf("addressable devices of a program for device %d: expected the client's pointer %p, got %v", ids[i],
					c.Devices[i], got)
			}
			check.Destroy(t, exe)
		}
		if len(c.Devices) < 2 {
			return
		}
		exe := compileFor(t, c, check.AddOne, options{replicas: 2, assignment: [][]int{{ids[1]}, {ids[0]}}})
		got := devicesOf(t, exe)
		if len(got) != 2 || !(got[0] == c.Devices[0] && got[1] == c.Devices[1] || got[0] == c.Devices[1] && got[1] == c.Devices[0]) {
			t.Errorf("addressable devices of a program for devices %v: expected the client's pointers %p and %p, got %v", ids[:2],
				c.Devices[0], c.Devices[1], got)
		}
	}},
	{Rule: "LEX-09", Variant: "2x1", Devices: 2, Run: func(t *check.T) { logicalIDs(t, 2, 1) }},
	{Rule: "LEX-09", Variant: "2x2", Devices: 4, Run: func(t *check.T) { logicalIDs(t, 2, 2) }},
	{Rule: "LEX-10", Run: func(t *check.T) { assignmentEquals(t, 1, 1) }},
	{Rule: "LEX-10", Variant: "2x1", Devices: 2, Run: func(t *check.T) { assignmentEquals(t, 2, 1) }},
	{Rule: "LEX-10", Variant: "2x2", Devices: 4, Run: func(t *check.T) { assignmentEquals(t, 2, 2) }},
	{Rule: "LEX-11", Run: func(t *check.T) {
		exe := portable(t, t.Client(), check.AddOne)
		out := check.Call(t, capi.LoadedExecutableGetDeviceAssignmentArgs{Executable: exe})
		check.Equal(t, uintptr(0), out.SerializedBytesSize, "serialized_bytes_size of the device assignment of a portable executable")
		if out.SerializedDeviceAssignmentDeleter == 0 {
			t.Errorf("PJRT_LoadedExecutable_GetDeviceAssignment of a portable executable: expected a deleter, got null")
			return
		}
		out.SerializedDeviceAssignmentDeleter.Call(out.SerializedDeviceAssignment)
	}},
	{Rule: "LEX-12", Run: func(t *check.T) {
		c := t.Client()
		exe := t.Compile(c, check.AddOne)
		first, second := serializedAssignment(t, exe), serializedAssignment(t, exe)
		want := capi.String(second.SerializedBytes, second.SerializedBytesSize)
		check.Equal(t, want, capi.String(first.SerializedBytes, first.SerializedBytesSize), "device assignment by two calls")
		if len(c.Devices) > 1 {
			ids := deviceIDs(t, c)
			var before string
			for i, id := range ids[:2] {
				other := serializedAssignment(t, compileFor(t, c, check.AddOne, options{assignment: [][]int{{id}}}))
				check.Equal(t, want, capi.String(second.SerializedBytes, second.SerializedBytesSize),
					"device assignment after that of an executable for device %d was requested", id)
				text := capi.String(other.SerializedBytes, other.SerializedBytesSize)
				if i > 0 && text == before {
					t.Errorf("device assignments of executables for the devices %v: expected two, got %q for both", ids[:2], text)
				}
				before = text
				other.SerializedDeviceAssignmentDeleter.Call(other.SerializedDeviceAssignment)
			}
		}
		first.SerializedDeviceAssignmentDeleter.Call(first.SerializedDeviceAssignment)
		check.Equal(t, want, capi.String(second.SerializedBytes, second.SerializedBytesSize),
			"device assignment of the second call after that of the first was deleted")
		check.Destroy(t, exe)
		check.Equal(t, want, capi.String(second.SerializedBytes, second.SerializedBytesSize),
			"device assignment after the executable was destroyed")
		second.SerializedDeviceAssignmentDeleter.Call(second.SerializedDeviceAssignment)
	}},
	{Rule: "LEX-13", Run: func(t *check.T) {
		c, e := loadable(t)
		runsAddOne(t, c, load(t, c, e, options{}.bytes()), "a program that was compiled for a topology and loaded")
	}},
	{Rule: "LEX-14", Run: func(t *check.T) {
		c, e := loadable(t)
		first, second := load(t, c, e, options{}.bytes()), load(t, c, e, options{}.bytes())
		runsAddOne(t, c, first, "the first load of an executable")
		check.Destroy(t, first)
		runsAddOne(t, c, second, "the second load of an executable, after the first was destroyed")
		check.Equal(t, 1, numOutputs(t, e), "PJRT_Executable_NumOutputs of an executable that was loaded twice")
	}},
	{Rule: "LEX-15", Run: func(t *check.T) {
		c, e := loadable(t)
		args := capi.ClientLoadArgs{Client: c.Handle, Executable: e}
		args.CompileOptions, args.CompileOptionsSize = capi.StringData("\xff\xff\xff\xff")
		_, err := check.Try(t, args)
		t.ErrorCode(err, "PJRT_Client_Load with compile options that are not a valid proto")
		args.CompileOptions, args.CompileOptionsSize = nil, 0
		out, err := check.Try(t, args)
		if t.NoError(err, "PJRT_Client_Load with empty compile options") {
			runsAddOne(t, c, check.Own(t, out.LoadedExecutable), "a program that was loaded with empty compile options")
		}
	}},
	{Rule: "LEX-16", Run: loadsNothingForeign},
}

func exeDeleted(t *check.T, exe *capi.LoadedExecutable) bool {
	return check.Call(t, capi.LoadedExecutableIsDeletedArgs{Executable: exe}).IsDeleted
}

// loadsNothingForeign loads an executable for a device that is in a topology but not in the
// client. The topology is the one that the options name, or the plugin's default.
func loadsNothingForeign(t *check.T) {
	t.Require(check.FunctionOf[capi.ClientLoadArgs]())
	c := t.Client()
	topology := topologyAlone(t)
	id, ok := foreignDevice(t, c, topology)
	if !ok && t.Env().Topology == "" {
		t.SkipEnvf("the topology that the plugin makes by itself has only the client's devices, and the options name no other")
	}
	k := compiler{topology: topology}
	o := options{}
	if ok {
		o.assignment = [][]int{{id}}
	}
	e, err := k.tryText(t, check.AddOne, o)
	if err != nil {
		skipWithoutCompiler(t, err)
		t.SkipUnimplf("a program for device %v of another topology is not compiled: %s", o.assignment, firstLine(err.Error()))
	}
	args := capi.ClientLoadArgs{Client: c.Handle, Executable: e.executable}
	args.CompileOptions, args.CompileOptionsSize = capi.BytesData(o.bytes())
	out, err := check.Try(t, args)
	switch {
	case err != nil:
	case ok:
		t.Errorf("loading an executable for device %d, which the client does not have: expected an error, got success", id)
		check.Own(t, out.LoadedExecutable)
	default:
		// The client may be able to run programs for the named topology.
		runsAddOne(t, c, check.Own(t, out.LoadedExecutable), "a program for the topology "+t.Env().Topology)
	}
}

// topologyAlone returns the topology that the options name or, if they name none, the one that
// the plugin makes from an empty name.
func topologyAlone(t *check.T) *capi.TopologyDescription {
	if t.Env().Topology != "" || len(t.Env().TopologyOptions) > 0 {
		return someTopology(t)
	}
	out, err := check.Try(t, capi.TopologyDescriptionCreateArgs{})
	if err != nil {
		t.SkipEnvf("the plugin makes no topology by itself, and the options name none: %s", firstLine(err.Error()))
	}
	return check.Own(t, out.Topology)
}

// foreignDevice returns the id of a device of a topology that is not one of the client's.
func foreignDevice(t *check.T, c *check.Client, topology *capi.TopologyDescription) (int, bool) {
	own := idsOf(t, t.AllDevices(c))
	out := check.Optional(t, capi.TopologyDescriptionGetDeviceDescriptionsArgs{Topology: topology})
	for _, d := range capi.Slice(out.Descriptions, out.NumDescriptions) {
		id := int(check.Call(t, capi.DeviceDescriptionIDArgs{DeviceDescription: d}).ID)
		if !slices.Contains(own, id) {
			return id, true
		}
	}
	return 0, false
}

// endsWhileRunning executes a long program, ends its executable at once and
// expects the right result.
func endsWhileRunning(t *check.T, what string, end func(*capi.LoadedExecutable)) {
	c := t.Client()
	in := check.HeavyArgument(t, c)
	for range 4 {
		exe := t.Compile(c, check.Heavy)
		x, err := start(t, exe, 1, in)
		if !t.NoError(err, "PJRT_LoadedExecutable_Execute") {
			return
		}
		end(exe)
		if !t.NoError(finish(t, x), "an execution under way when "+what+" was called") {
			return
		}
		if !check.ExpectBuffer(t, x.Outputs[0][0], check.HeavyResult(), "the result of an execution under way when "+what+" was called") {
			return
		}
	}
}

// deleteTogether executes and deletes an executable at the same time.
func deleteTogether(t *check.T) {
	c := t.Client()
	in := upload4(t, c)
	succeeded, failed := 0, 0
	for range 6 {
		exe := t.Compile(c, check.AddOne)
		ends := make([]error, 5)
		together(t, len(ends), func(i int) error {
			if i == 0 {
				time.Sleep(20 * time.Microsecond)
				_, err := check.Try(t, capi.LoadedExecutableDeleteArgs{Executable: exe})
				return err
			}
			for range 8 {
				got := make([]float32, 4)
				if ends[i] = quickly(t, exe, 1, got, in); ends[i] != nil {
					return nil // it was deleted by then
				}
				if err := differ(got, []float32{2, 3, 4, 5}); err != nil {
					return fmt.Errorf("an execution at the same time as PJRT_LoadedExecutable_Delete: %w", err)
				}
			}
			return nil
		})
		for _, err := range ends[1:] {
			if err == nil {
				succeeded++
			} else {
				failed++
			}
		}
		check.Destroy(t, exe)
	}
	t.Notef("%d threads executed to their end; %d got the error that the executable is deleted", succeeded, failed)
}

// portable compiles a program that runs on the device that each call names.
func portable(t *check.T, c *check.Client, text string) *capi.LoadedExecutable {
	exe, err := tryCompile(t, c, text, options{portable: true})
	if err != nil {
		t.SkipUnimplf("the plugin does not compile portable executables: %v", err)
	}
	return exe
}

// grid arranges the client's devices, the last one first, in rows, one for each replica.
func grid(t *check.T, c *check.Client, replicas, partitions int) ([][]int, []*capi.Device) {
	ids := deviceIDs(t, c)
	var rows [][]int
	var devices []*capi.Device
	next := replicas*partitions - 1
	for range replicas {
		var row []int
		for range partitions {
			row = append(row, ids[next])
			devices = append(devices, c.Devices[next])
			next--
		}
		rows = append(rows, row)
	}
	return rows, devices
}

func serializedAssignment(t *check.T, exe *capi.LoadedExecutable) capi.LoadedExecutableGetDeviceAssignmentArgs {
	out := check.Call(t, capi.LoadedExecutableGetDeviceAssignmentArgs{Executable: exe})
	if out.SerializedDeviceAssignmentDeleter == 0 {
		t.Fatalf("PJRT_LoadedExecutable_GetDeviceAssignment: expected a deleter, got null")
	}
	return out
}

func assignmentEquals(t *check.T, replicas, partitions int) {
	c := t.Client()
	want, _ := grid(t, c, replicas, partitions)
	exe := compileFor(t, c, check.AddOne, options{replicas: replicas, partitions: partitions, assignment: want})
	out := serializedAssignment(t, exe)
	r, p, got, err := readDeviceAssignment(capi.Bytes(out.SerializedBytes, out.SerializedBytesSize))
	if t.NoError(err, "reading the DeviceAssignmentProto of PJRT_LoadedExecutable_GetDeviceAssignment") {
		check.Equal(t, [2]int{replicas, partitions}, [2]int{r, p}, "counts of replicas and computations in the device assignment")
		check.Equal(t, fmt.Sprint(want), fmt.Sprint(got), "ids in the device assignment, by replica")
	}
	out.SerializedDeviceAssignmentDeleter.Call(out.SerializedDeviceAssignment)
}

func logicalIDs(t *check.T, replicas, partitions int) {
	c := t.Client()
	t.Require(check.FunctionOf[capi.LoadedExecutableAddressableDeviceLogicalIDsArgs]())
	rows, order := grid(t, c, replicas, partitions)
	exe := compileFor(t, c, check.AddOne, options{replicas: replicas, partitions: partitions, assignment: rows})
	devices := devicesOf(t, exe)
	out := check.Call(t, capi.LoadedExecutableAddressableDeviceLogicalIDsArgs{Executable: exe})
	ids := capi.Slice(out.AddressableDeviceLogicalIDs, out.NumAddressableDeviceLogicalIDs)
	if !check.Equal(t, len(devices), len(ids), "number of logical ids of the addressable devices") {
		return
	}
	for i, d := range devices {
		at := 0
		for order[at] != d {
			if at++; at == len(order) {
				t.Errorf("addressable device %d of the executable is not in its assignment", i)
				return
			}
		}
		want := capi.LogicalDeviceIDs{Replica: int32(at / partitions), Partition: int32(at % partitions)}
		check.Equal(t, want, ids[i], "replica and partition of addressable device %d, id %d", i, t.DeviceID(d))
	}
}

// loadable compiles check.AddOne into an executable for PJRT_Client_Load. It skips the check
// when the plugin cannot.
func loadable(t *check.T) (*check.Client, *capi.Executable) {
	t.Require(check.FunctionOf[capi.ClientLoadArgs]())
	c := t.Client()
	k := compiler{topology: check.Optional(t, capi.ClientTopologyDescriptionArgs{Client: c.Handle}).Topology}
	e, err := k.tryText(t, check.AddOne, options{})
	if err != nil {
		skipWithoutCompiler(t, err)
		t.Fatalf("PJRT_Compile for the topology of the client: expected success, got %v", err)
	}
	return c, e.executable
}
