// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package client

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

// clientChecks are the checks of making clients. They are Library checks, so that there
// is no other client: some plugins allow only one.
var clientChecks = []check.Check{
	{Rule: "CLI-01", Library: true, Hostile: true, Run: func(t *check.T) {
		c, err := create(t)
		if err != nil {
			t.Fatalf("PJRT_Client_Create without options: expected success, got %v", err)
		}
		check.Own(t, c)
		if len(t.Describe(c).Devices) == 0 {
			t.Notef("the client has no devices")
		}
	}},
	{Rule: "CLI-02", Library: true, Hostile: true, Run: func(t *check.T) {
		check.Call(t, capi.ClientDestroyArgs{})
		c := mustCreate(t)
		check.Call(t, capi.ClientDestroyArgs{Client: c})
	}},
	{Rule: "CLI-03", Profile: check.Core, Timeout: 60 * time.Second, Library: true, Hostile: true, Run: func(t *check.T) {
		if t.Env().NoDevice == "" {
			t.SkipEnvf("there is a device")
		}
		start := time.Now()
		out, err := check.Try(t, capi.ClientCreateArgs{})
		switch {
		case err == nil && out.Client == nil:
			t.Errorf("PJRT_Client_Create without a device (%s): success without a client", t.Env().NoDevice)
		case err == nil:
			check.Own(t, out.Client)
			t.SkipEnvf("a client could be made nevertheless")
		case len(err.Error()) < len("PJRT_Client_Create: UNKNOWN: ")+8:
			t.Errorf("PJRT_Client_Create without a device: expected an error that says what is missing, got %v", err)
		default:
			t.Notef("after %v: %v", time.Since(start).Round(time.Millisecond), err)
		}
	}},
	{Rule: "CLI-04", Library: true, Hostile: true, Run: func(t *check.T) {
		const name = "no_such_option"
		for _, v := range valuesOfAllTypes {
			c, err := create(t, with(t, capi.Attribute{Name: name, Value: v})...)
			if t.ErrorCode(err, fmt.Sprintf("PJRT_Client_Create with the option %s, a %T", name, v), capi.ErrorCodeInvalidArgument) &&
				!strings.Contains(err.Error(), name) {
				t.Errorf("expected the error to name the option %s, got %v", name, err)
			}
			check.Destroy(t, check.Own(t, c))
		}
		refusesEachOption(t)
	}},
	{Rule: "CLI-05", Library: true, Hostile: true, Run: func(t *check.T) {
		name := countOption(t)
		for _, v := range valuesOfAllTypes {
			if _, right := v.(int64); right {
				continue
			}
			c, err := create(t, with(t, capi.Attribute{Name: name, Value: v})...)
			t.ErrorCode(err, fmt.Sprintf("PJRT_Client_Create with a %T as the number %s", v, name), capi.ErrorCodeInvalidArgument)
			check.Destroy(t, check.Own(t, c))
		}
		refusesEachType(t)
	}},
	{Rule: "CLI-06", Library: true, Hostile: true, Run: func(t *check.T) {
		name := countOption(t)
		option := threeDevices([]byte(name + "_and_more")[:len(name)])
		out := check.Call(t, capi.ClientCreateArgs{CreateOptions: option, NumOptions: 1})
		check.Own(t, out.Client)
		check.Equal(t, 3, len(t.Describe(out.Client).Devices),
			"number of devices with the option %s = 3, whose name has no terminator", name)
	}},
	{Rule: "CLI-07", Library: true, Hostile: true, Run: func(t *check.T) {
		name := countOption(t)
		bytes := []byte(name)
		option := threeDevices(bytes)
		c := check.Own(t, check.Call(t, capi.ClientCreateArgs{CreateOptions: option, NumOptions: 1}).Client)
		for i := range bytes {
			bytes[i] = '@'
		}
		option.SetInt64Value(1 << 40)
		option.NameSize = 1 << 40
		d := t.Describe(c)
		check.Equal(t, 3, len(d.Devices), "number of devices after the memory of the option %s = 3 was overwritten", name)
		check.ExpectBuffer(t, check.Upload(t, d, []float32{1, 2}), []float32{1, 2}, "an uploaded buffer")
		runtime.KeepAlive(option)
	}},
	{Rule: "CLI-08", Library: true, Hostile: true, Run: func(t *check.T) {
		needDevice(t)
		out, err := check.Try(t, capi.ClientCreateArgs{NumOptions: 2})
		t.ErrorCode(err, "PJRT_Client_Create with 2 options in a null array")
		check.Own(t, out.Client)
	}},
	{Rule: "CLI-09", Library: true, Hostile: true, Run: func(t *check.T) {
		name := countOption(t)
		// Truncated to 32 bits, the last one is 2.
		for _, n := range []int64{0, -1, 1 << 31, 1<<32 + 2} {
			if n > 0 && t.Failed() {
				break // a plugin that checks nothing would make them all
			}
			got, err := count(t, with(t, capi.Attribute{Name: name, Value: n})...)
			if err == nil {
				t.Errorf("PJRT_Client_Create with %s = %d: expected an error, got a client with %d devices", name, n, got)
			}
		}
	}},
	{Rule: "CLI-10", Library: true, Hostile: true, Run: func(t *check.T) {
		first := check.Own(t, mustCreate(t))
		clients := []*check.Client{t.Describe(first)}
		before := check.Upload(t, clients[0], []float32{5, 6, 7})
		for len(clients) < 3 {
			more, err := create(t, t.Env().Options...)
			if err != nil {
				t.Notef("client %d is refused: %v", len(clients)+1, err)
				break
			}
			check.Own(t, more)
			for _, c := range clients {
				check.Equal(t, false, c.Handle == more, "two clients are one object")
			}
			clients = append(clients, t.Describe(more))
			for _, c := range clients[:len(clients)-1] {
				ofTheirOwn(t, c, clients[len(clients)-1])
			}
		}
		check.ExpectBuffer(t, before, []float32{5, 6, 7}, "a buffer of the first client, when there are more")
		for i, c := range append(clients, clients[0]) {
			exe := t.Compile(c, check.AddOne)
			out := t.Run(exe, 1, check.Upload(t, c, []float32{1, 2, 3, 4}))
			check.ExpectBuffer(t, out[0], []float32{2, 3, 4, 5}, fmt.Sprintf("a plus one, run %d", i))
		}
	}},
	{Rule: "CLI-11", Library: true, Hostile: true, Run: func(t *check.T) {
		for i := range 10 {
			c, err := create(t, t.Env().Options...)
			if err != nil {
				t.Fatalf("PJRT_Client_Create, cycle %d: expected success, got %v", i+1, err)
			}
			b := check.Upload(t, t.Describe(c), []float32{1, 2})
			check.ExpectBuffer(t, b, []float32{1, 2}, "an uploaded buffer")
			check.Destroy(t, b)
			check.Call(t, capi.ClientDestroyArgs{Client: c})
		}
	}},
	{Rule: "CLI-37", Library: true, Hostile: true, Run: func(t *check.T) {
		name := countOption(t)
		for _, n := range []int64{1, 3, 16} {
			got, err := count(t, with(t, capi.Attribute{Name: name, Value: n})...)
			if err != nil {
				t.Errorf("PJRT_Client_Create with %s = %d: expected success, got %v", name, n, err)
				continue
			}
			check.Equal(t, int(n), got, "number of devices with %s = %d", name, n)
		}
		list := knownOptions(t)
		for at := range list {
			order := slices.Concat(list[at:], list[:at])
			if got, err := count(t, order...); t.NoError(err, fmt.Sprintf("PJRT_Client_Create with the options %v", order)) {
				check.Equal(t, knownDevices, got, "number of devices with the options %v", order)
			}
		}
	}},
}

// knownDevices is how many devices knownOptions ask for.
const knownDevices = 3

// knownOptions returns the options of the environment, and others that the platform is known to
// have.
func knownOptions(t *check.T) []capi.Attribute {
	c := mustCreate(t)
	platform := t.PlatformOf(c)
	check.Call(t, capi.ClientDestroyArgs{Client: c})
	list := slices.Clone(otherOptions[platform])
	if name := countOptions[platform]; name != "" {
		list = append(list, capi.Attribute{Name: name, Value: int64(knownDevices)})
	}
	return with(t, list...)
}

// refusesEachOption makes clients with several options, of which one is unknown: at each place
// among the others, with names that are nearly one of theirs, or long, and with values of each
// type and of several lengths.
func refusesEachOption(t *check.T) {
	known := knownOptions(t)
	names := []string{check.Words(33, 1), check.Words(257, 2)}
	for _, a := range known {
		names = append(names, a.Name+"s", a.Name[:len(a.Name)-1])
	}
	values := append(slices.Clone(valuesOfAllTypes), check.Words(65, 3), make([]int64, 3), make([]int64, 17))
	for i, name := range check.Each(t, names) {
		for at := range len(known) + 1 {
			options := slices.Insert(slices.Clone(known), at, capi.Attribute{Name: name, Value: values[(i+at)%len(values)]})
			c, err := create(t, options...)
			what := fmt.Sprintf("PJRT_Client_Create with the options %v, of which %q is unknown", options, name)
			if t.ErrorCode(err, what, capi.ErrorCodeInvalidArgument) && !strings.Contains(err.Error(), name) {
				t.Errorf("%s: expected the error to name it, got %v", what, err)
			}
			check.Destroy(t, check.Own(t, c))
		}
	}
}

// refusesEachType makes clients with several options, of which one has a value of another type:
// each of them, at the first place, between others and at the last, and with every other type.
func refusesEachType(t *check.T) {
	known := knownOptions(t)
	for i, right := range check.Each(t, known) {
		others := slices.Delete(slices.Clone(known), i, i+1)
		for at := range len(others) + 1 {
			for _, v := range check.Each(t, valuesOfAllTypes) {
				if fmt.Sprintf("%T", v) == fmt.Sprintf("%T", right.Value) {
					continue
				}
				options := slices.Insert(slices.Clone(others), at, capi.Attribute{Name: right.Name, Value: v})
				c, err := create(t, options...)
				t.ErrorCode(err, fmt.Sprintf("PJRT_Client_Create with the options %v, of which %s is a %T", options, right.Name, v),
					capi.ErrorCodeInvalidArgument)
				check.Destroy(t, check.Own(t, c))
			}
		}
	}
}

// threeDevices returns the option with a name that asks for three devices. The name stays where
// it is, without a terminator.
func threeDevices(name []byte) *capi.NamedValue {
	option := &capi.NamedValue{StructSize: capi.NamedValueSize, Type: capi.NamedValueInt64, ValueSize: 1}
	option.Name, option.NameSize = capi.BytesData(name)
	option.SetInt64Value(3)
	return option
}

// long multiplies matrices for about a tenth of a second.
const long = `module @long {
  func.func @main(%a: tensor<256x256xf32>) -> tensor<256x256xf32> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %end = stablehlo.constant dense<100> : tensor<i32>
    %scale = stablehlo.constant dense<3.906250e-03> : tensor<256x256xf32>
    %r:2 = stablehlo.while(%i = %zero, %x = %a) : tensor<i32>, tensor<256x256xf32>
    cond {
      %c = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %n = stablehlo.add %i, %one : tensor<i32>
      %y = stablehlo.dot_general %x, %a, contracting_dims = [1] x [0] : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
      %z = stablehlo.multiply %y, %scale : tensor<256x256xf32>
      stablehlo.return %n, %z : tensor<i32>, tensor<256x256xf32>
    }
    return %r#1 : tensor<256x256xf32>
  }
}`

// running starts the long program on a client of its own.
func running(t *check.T) (*check.Client, *capi.LoadedExecutable, *check.Execution, *capi.Buffer) {
	c := t.Describe(mustCreate(t))
	data := make([]float32, 256*256)
	for i := range data {
		data[i] = 1
	}
	exe := check.Disown(t, t.Compile(c, long))
	in := check.Disown(t, check.Upload(t, c, data, 256, 256))
	x := check.NewExecution(exe, 1, []*capi.Buffer{in})
	if err := x.Execute(t); err != nil {
		t.Fatalf("PJRT_LoadedExecutable_Execute: expected success, got %v", err)
	}
	return c, exe, x, in
}

var lifeChecks = []check.Check{
	{Rule: "CLI-12", Timeout: 20 * time.Second, Library: true, Hostile: true, Run: func(t *check.T) {
		c, exe, x, in := running(t)
		check.Call(t, capi.EventDestroyArgs{Event: x.Events[0]})
		check.Call(t, capi.BufferDestroyArgs{Buffer: x.Outputs[0][0]})
		check.Call(t, capi.BufferDestroyArgs{Buffer: in})
		check.Call(t, capi.LoadedExecutableDestroyArgs{Executable: exe})
		start := time.Now()
		check.Call(t, capi.ClientDestroyArgs{Client: c.Handle})
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("PJRT_Client_Destroy with work under way took %v", took)
		}
	}},
	{Rule: "CLI-13", Variant: "then=destroy", Library: true, Hostile: true, Run: func(t *check.T) {
		c, exe, x, in := running(t)
		t.NoError(t.Await(x.Events[0]), "the execution")
		program := check.Disown(t, t.Executable(exe))
		check.Call(t, capi.ClientDestroyArgs{Client: c.Handle})
		check.Call(t, capi.EventDestroyArgs{Event: x.Events[0]})
		check.Call(t, capi.BufferDestroyArgs{Buffer: x.Outputs[0][0]})
		check.Call(t, capi.BufferDestroyArgs{Buffer: in})
		check.Call(t, capi.LoadedExecutableDestroyArgs{Executable: exe})
		check.Call(t, capi.ExecutableDestroyArgs{Executable: program})
	}},
	{Rule: "CLI-13", Variant: "then=use", Library: true, Hostile: true, Run: func(t *check.T) {
		handle := mustCreate(t)
		c := t.Describe(handle)
		b := check.Disown(t, check.Upload(t, c, []float32{1, 2, 3, 4}))
		exe := check.Disown(t, t.Compile(c, check.AddOne))
		check.Call(t, capi.ClientDestroyArgs{Client: handle})
		_, _ = check.Try(t, capi.BufferDimensionsArgs{Buffer: b})
		_, _ = check.Try(t, capi.BufferElementTypeArgs{Buffer: b})
		_, _ = check.Try(t, capi.BufferOnDeviceSizeInBytesArgs{Buffer: b})
		dst := make([]byte, 16)
		if out, err := check.Try(t, capi.BufferToHostBufferArgs{Src: b, HostLayout: check.RowMajor(1), Dst: check.Pointer(dst),
			DstSize: 16}); err == nil {
			_ = t.Wait(out.Event)
		}
		x := check.NewExecution(exe, 1, []*capi.Buffer{b})
		if err := x.Execute(t); err == nil {
			_ = t.Wait(x.Events[0])
			check.Call(t, capi.BufferDestroyArgs{Buffer: x.Outputs[0][0]})
		}
		_, _ = check.Try(t, capi.BufferDeleteArgs{Buffer: b})
		_, _ = check.Try(t, capi.BufferDestroyArgs{Buffer: b})
		_, _ = check.Try(t, capi.LoadedExecutableDestroyArgs{Executable: exe})
	}},
}

// ofTheirOwn fails the check if two clients have a device or a memory in common, which would end
// with either. A topology may be that of the process.
func ofTheirOwn(t *check.T, a, b *check.Client) {
	for _, d := range b.Devices {
		if slices.Contains(a.Devices, d) || slices.Contains(t.AllDevices(a), d) {
			t.Errorf("PJRT_Client_AddressableDevices of two clients: expected devices of their own, got %p for both", d)
		}
	}
	for _, d := range t.AllDevices(b) {
		if slices.Contains(t.AllDevices(a), d) {
			t.Errorf("PJRT_Client_Devices of two clients: expected devices of their own, got %p for both", d)
		}
	}
	for _, m := range b.Memories {
		if slices.Contains(a.Memories, m) {
			t.Errorf("PJRT_Client_AddressableMemories of two clients: expected memories of their own, got %p for both", m)
		}
	}
}

// valuesOfAllTypes has one value of each type of options.
var valuesOfAllTypes = []any{int64(1), "two", true, float32(1.5), []int64{1, 2}}
