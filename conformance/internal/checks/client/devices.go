// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package client

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

var deviceChecks = []check.Check{
	{Rule: "DEV-01", Devices: check.AnyNumber, Run: addressable},
	{Rule: "DEV-02", Run: func(t *check.T) {
		check.Steady[capi.DeviceLocalHardwareIDArgs](t, "device", t.Client().Devices, nil)
		seen := make(check.FirstOf[int32])
		for i, d := range t.Client().Devices {
			n := check.Call(t, capi.DeviceLocalHardwareIDArgs{Device: d}).LocalHardwareID
			if n < -1 {
				t.Errorf("PJRT_Device_LocalHardwareId of device %d: expected -1 or more, got %d", i, n)
			}
			if first, again := seen.Add(n, i); again && n >= 0 {
				t.Errorf("PJRT_Device_LocalHardwareId: devices %d and %d both have %d", first, i, n)
			}
		}
	}},
	{Rule: "DEV-03", Run: func(t *check.T) {
		for i, d := range t.Client().Devices {
			what := fmt.Sprintf("PJRT_Device_AddressableMemories of device %d", i)
			list := check.SameList(t, what, "memories", func() check.Array[*capi.Memory] {
				return check.Ask[capi.DeviceAddressableMemoriesArgs, *capi.Memory](t, d)
			})
			if len(list) == 0 {
				t.Errorf("%s: expected memories, got none", what)
			}
		}
	}},
	{Rule: "DEV-04", Run: func(t *check.T) {
		for i, d := range t.Client().Devices {
			m := check.Call(t, capi.DeviceDefaultMemoryArgs{Device: d}).Memory
			if list := memoriesOf(t, d); !slices.Contains(list, m) {
				t.Errorf("PJRT_Device_DefaultMemory of device %d: %p is not one of its memories %v", i, m, list)
			}
		}
	}},
	{Rule: "DEV-05", Run: func(t *check.T) {
		check.Steady[capi.DeviceDefaultMemoryArgs](t, "device", t.Client().Devices, nil)
		for i, d := range t.Client().Devices {
			m := check.Call(t, capi.DeviceDefaultMemoryArgs{Device: d}).Memory
			check.Equal(t, m, check.Call(t, capi.DeviceDefaultMemoryArgs{Device: d}).Memory,
				"PJRT_Device_DefaultMemory of device %d when it is asked for again", i)
			b := check.UploadTo(t, t.Client(), d, []float32{1, 2})
			check.Equal(t, m, t.MemoryOf(b), "memory of a buffer that was uploaded to device %d", i)
		}
	}},
	{Rule: "DEV-12", Run: func(t *check.T) {
		const message = "poisoned on purpose"
		p, x := pendingRun(t, 77)
		args := capi.DevicePoisonExecutionArgs{Device: t.Client().Devices[0], LaunchID: 77, ErrorCode: capi.ErrorCodeAborted}
		args.ErrorMessage, args.ErrorMessageSize = check.Message(message)
		args.Payload, args.NumPayload = poisonPayload(t)
		out := check.Call(t, args)
		if !out.Poisoned {
			t.Errorf("PJRT_Device_PoisonExecution of a launch that waits for its argument: expected poisoned to be true")
		}
		p.Fulfil()
		err := t.Await(t.Ready(x.Outputs[0][0]))
		t.ErrorCode(err, "the output of a poisoned launch", capi.ErrorCodeAborted)
		if err != nil && !strings.Contains(err.Error(), message) {
			t.Errorf("the output of a poisoned launch: expected an error with %q, got %v", message, err)
		}
		var e *capi.Error
		if args.Payload != nil && errors.As(err, &e) {
			check.Equal(t, `[{reason why}]`, fmt.Sprintf("%s", e.Payloads), "the payloads of that error")
		}
		codes := []capi.ErrorCode{capi.ErrorCodeCancelled, capi.ErrorCodeOutOfRange, capi.ErrorCodeUnauthenticated}
		for i, code := range check.Each(t, codes) {
			poisons(t, int32(78+i), code, check.Words(check.Names[len(check.Names)-1-i], i))
		}
	}},
	{Rule: "DEV-12", Variant: "on later devices", Devices: 2, Run: func(t *check.T) {
		devices := t.Client().Devices
		for i, d := range devices[1:] {
			launch := int32(90 + i)
			p, x := pendingRunOn(t, d, launch)
			args := capi.DevicePoisonExecutionArgs{Device: devices[i], LaunchID: launch, ErrorCode: capi.ErrorCodeAborted}
			check.Equal(t, false, check.Call(t, args).Poisoned, "poisoned of a launch of device %d, on device %d", i+1, i)
			args.Device = d
			check.Equal(t, true, check.Call(t, args).Poisoned, "poisoned of a launch of device %d, on that device", i+1)
			p.Fulfil()
			err := t.Await(t.Ready(x.Outputs[0][0]))
			t.ErrorCode(err, "the output of a poisoned launch of device "+strconv.Itoa(i+1), capi.ErrorCodeAborted)
		}
	}},
	{Rule: "DEV-13", Run: func(t *check.T) {
		for i, d := range t.Client().Devices {
			out := check.Call(t, capi.DevicePoisonExecutionArgs{Device: d, LaunchID: 424242, ErrorCode: capi.ErrorCodeAborted})
			check.Equal(t, false, out.Poisoned, "poisoned of a launch that does not exist, on device %d", i)
		}
		c := t.Client()
		x := check.NewExecution(t.Compile(c, check.AddOne), 1, []*capi.Buffer{check.Upload(t, c, []float32{1, 2, 3, 4})})
		x.Options.LaunchID = 79
		if err := x.Start(t); err != nil {
			t.Fatalf("PJRT_LoadedExecutable_Execute: expected success, got %v", err)
		}
		if err := errors.Join(t.Await(x.Events[0]), t.Await(t.Ready(x.Outputs[0][0]))); err != nil {
			t.Fatalf("an execution: expected success, got %v", err)
		}
		out := check.Call(t, capi.DevicePoisonExecutionArgs{Device: c.Devices[0], LaunchID: 79, ErrorCode: capi.ErrorCodeAborted})
		check.Equal(t, false, out.Poisoned, "poisoned of a launch that is over")
		check.ExpectBuffer(t, x.Outputs[0][0], []float32{2, 3, 4, 5}, "a plus one, after its launch was to be poisoned")
	}},
	{Rule: "DEV-14", Run: func(t *check.T) {
		p, x := pendingRun(t, 78)
		check.Call(t, capi.DevicePoisonExecutionArgs{Device: t.Client().Devices[0], LaunchID: 78, ErrorCode: capi.ErrorCodeAborted})
		p.Fulfil()
		_ = t.Await(t.Ready(x.Outputs[0][0]))
		c := t.Client()
		out := t.Run(t.Compile(c, check.AddOne), 1, check.Upload(t, c, []float32{1, 2, 3, 4}))
		check.ExpectBuffer(t, out[0], []float32{2, 3, 4, 5}, "a plus one, after another launch was poisoned")
	}},
	{Rule: "DEV-15", Hostile: true, Run: func(t *check.T) {
		const since = 100
		t.Require(check.FunctionOf[capi.DevicePoisonExecutionArgs]())
		t.Since(since, "the payload")
		args := capi.DevicePoisonExecutionArgs{Device: t.Client().Devices[0], LaunchID: 424242, ErrorCode: capi.ErrorCodeAborted}
		check.Call(t, args)
		args.Payload, args.NumPayload = t.NamedValues(capi.Attribute{Name: "number", Value: int64(1)})
		_, err := check.Try(t, args)
		t.ErrorCode(err, "PJRT_Device_PoisonExecution with a number as payload", capi.ErrorCodeInvalidArgument)
	}},
	{Rule: "DEV-16", Run: func(t *check.T) {
		for i, d := range t.Client().Devices {
			out := check.Call(t, capi.DeviceGetAttributesArgs{Device: d})
			if t.WellFormed(out.Attributes, out.NumAttributes, fmt.Sprintf("PJRT_Device_GetAttributes of device %d", i)) {
				before := check.WrittenValues(out.Attributes, out.NumAttributes)
				churn(t)
				check.Equal(t, before, check.WrittenValues(out.Attributes, out.NumAttributes),
					"attributes of device %d before their deleter was called", i)
			}
			if out.AttributesDeleter == 0 {
				t.Errorf("PJRT_Device_GetAttributes of device %d: attributes_deleter is null", i)
			}
			out.AttributesDeleter.Call(out.DeviceAttributes)
		}
	}},
	{Rule: "DEV-17", Hostile: true, Run: func(t *check.T) {
		for i, d := range t.Client().Devices {
			first := check.Call(t, capi.DeviceGetAttributesArgs{Device: d})
			second := check.Call(t, capi.DeviceGetAttributesArgs{Device: d})
			check.Equal(t, kindsOfValues(first), kindsOfValues(second),
				"names and types of the attributes of device %d when they are asked for again", i)
			first.AttributesDeleter.Call(first.DeviceAttributes)
			second.AttributesDeleter.Call(second.DeviceAttributes)
		}
		d := t.Client().Devices[0]
		first := check.Call(t, capi.DeviceGetAttributesArgs{Device: d})
		want := check.WrittenValues(first.Attributes, first.NumAttributes)
		// Another device, if there is one, has attributes of its own.
		second := check.Call(t, capi.DeviceGetAttributesArgs{Device: t.Client().Devices[len(t.Client().Devices)-1]})
		check.Equal(t, want, check.WrittenValues(first.Attributes, first.NumAttributes),
			"the first attributes after others were asked for")
		if first.DeviceAttributes == second.DeviceAttributes && first.DeviceAttributes != nil {
			t.Fatalf("PJRT_Device_GetAttributes: two calls returned one holder")
		}
		second.AttributesDeleter.Call(second.DeviceAttributes)
		churn(t)
		check.Equal(t, want, check.WrittenValues(first.Attributes, first.NumAttributes),
			"the first attributes after the second were deleted")
		first.AttributesDeleter.Call(first.DeviceAttributes)
	}},
	{Rule: "DEV-18", Run: func(t *check.T) {
		text := []byte("an event of the conformance suite, and no terminator")
		description := text[:33]
		args := capi.DeviceCreateAsyncTrackingEventArgs{Device: t.Client().Devices[0]}
		args.Description, args.DescriptionSize = capi.BytesData(description)
		out := check.Call(t, args)
		copy(description, "@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@")
		churn(t)
		check.Call(t, capi.AsyncTrackingEventDestroyArgs{Event: out.Event})
	}},
	{Rule: "DEV-19", Hostile: true, Run: func(t *check.T) {
		check.Call(t, capi.AsyncTrackingEventDestroyArgs{})
		out := check.Optional(t, capi.DeviceCreateAsyncTrackingEventArgs{Device: t.Client().Devices[0]})
		var wg sync.WaitGroup
		wg.Go(func() {
			if _, err := check.Try(t, capi.AsyncTrackingEventDestroyArgs{Event: out.Event}); err != nil {
				t.Errorf("PJRT_AsyncTrackingEvent_Destroy on another thread: expected success, got %v", err)
			}
		})
		wg.Wait()
	}},
}

// poisonPayload returns the payload that a launch is poisoned with, or nil if the API
// has no field for one.
func poisonPayload(t *check.T) (*capi.NamedValue, uintptr) {
	const since = 100
	var list []capi.Attribute
	if t.Minor() >= since {
		list = append(list, capi.Attribute{Name: "reason", Value: "why"})
	}
	return t.NamedValues(list...)
}

// pendingRun starts a program with a launch id on an argument that has no data yet. It
// skips the check if the plugin cannot poison launches.
func pendingRun(t *check.T, launch int32) (*check.Pending, *check.Execution) {
	return pendingRunOn(t, t.Client().Devices[0], launch)
}

// compilePortable is the tag of compile_portable_executable in a CompileOptionsProto.
const compilePortable = 4 << 3

// pendingRunOn is pendingRun on a device.
func pendingRunOn(t *check.T, d *capi.Device, launch int32) (*check.Pending, *check.Execution) {
	t.Require(check.FunctionOf[capi.DevicePoisonExecutionArgs]())
	c := t.Client()
	check.Call(t, capi.DevicePoisonExecutionArgs{Device: d, LaunchID: 424242, ErrorCode: capi.ErrorCodeAborted})
	p := t.NewPendingOn(c, d, 4)
	options := check.Devices(1, 1)
	var on *capi.Device // left to the executable
	if d != c.Devices[0] {
		options, on = append(options, compilePortable, 1), d
	}
	x := check.NewExecution(t.CompileWith(c, check.AddOne, options), 1, []*capi.Buffer{p.Buffer})
	x.Args.ExecuteDevice = on
	x.Options.LaunchID = launch
	started := make(chan error, 1)
	go func() { started <- x.Start(t) }()
	select {
	case err := <-started:
		if err != nil {
			t.Fatalf("PJRT_LoadedExecutable_Execute on a pending argument: expected success, got %v", err)
		}
	case <-t.Context().Done():
		t.SkipEnvf("PJRT_LoadedExecutable_Execute waits for its arguments, so no launch is under way when it returns")
	}
	return p, x
}

// poisons poisons a launch with an error of some code and message, and with several payloads.
func poisons(t *check.T, launch int32, code capi.ErrorCode, message string) {
	p, x := pendingRun(t, launch)
	args := capi.DevicePoisonExecutionArgs{Device: t.Client().Devices[0], LaunchID: launch, ErrorCode: code}
	args.ErrorMessage, args.ErrorMessageSize = check.Message(message)
	var want []capi.Payload
	var list []capi.Attribute
	if _, n := poisonPayload(t); n > 0 {
		for i, n := range check.Names {
			w := capi.Payload{Key: fmt.Sprint(i) + check.Words(n, i), Value: []byte(check.Words(n, i+1))}
			want, list = append(want, w), append(list, capi.Attribute{Name: w.Key, Value: string(w.Value)})
		}
	}
	args.Payload, args.NumPayload = t.NamedValues(list...)
	check.Call(t, args)
	p.Fulfil()
	err := t.Await(t.Ready(x.Outputs[0][0]))
	if !t.ErrorCode(err, "the output of a poisoned launch", code) {
		return
	}
	if !check.Says(err.Error(), message) {
		t.Errorf("the output of a poisoned launch: expected an error with the %d bytes %q, got %v", len(message), message, err)
	}
	var e *capi.Error
	if errors.As(err, &e) {
		for _, w := range want {
			if !slices.ContainsFunc(e.Payloads, func(p capi.Payload) bool { return p.Key == w.Key && bytes.Equal(p.Value, w.Value) }) {
				t.Errorf("payloads of the output of a poisoned launch: expected %s = %q among them, got %q", w.Key, w.Value, e.Payloads)
				return
			}
		}
	}
}

// kindsOfValues returns the names and the types of a device's attributes as text. Their values may
// change from call to call.
func kindsOfValues(a capi.DeviceGetAttributesArgs) string {
	var b strings.Builder
	for _, x := range inOrder(a.Attributes, a.NumAttributes) {
		fmt.Fprintf(&b, "%s %T, ", x.Name, x.Value)
	}
	return b.String()
}
