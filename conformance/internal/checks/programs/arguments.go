// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package programs

import (
	"fmt"
	"slices"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

var argumentChecks = []check.Check{
	{Rule: "RUN-09", Hostile: true, Run: func(t *check.T) {
		c := t.Client()
		exe := t.Compile(c, check.Add)
		a := upload4(t, c)
		for _, list := range [][]*capi.Buffer{{}, {a}, {a, a, a}} {
			refused(t, fmt.Sprintf("executing a program of 2 arguments with %d", len(list)), exe, list...)
		}
		_, err := attempt(t, exe, 1, a, a)
		t.NoError(err, "executing with the right number of arguments after wrong ones")
	}},
	{Rule: "RUN-10", Run: func(t *check.T) {
		for _, n := range []int{8, 3, 1, 1024} {
			refusesArray(t, fmt.Sprintf("array of %d elements", n), make([]float32, n))
		}
	}},
	{Rule: "RUN-11", Run: func(t *check.T) { refusesArray(t, "array of 4 elements of s32", []int32{1, 2, 3, 4}) }},
	{Rule: "RUN-12", Run: func(t *check.T) { refusesArray(t, "array of 2 x 2 elements", []float32{1, 2, 3, 4}, 2, 2) }},
	{Rule: "RUN-13", Run: func(t *check.T) {
		c := t.Client()
		exe := t.Compile(c, program("rows", "(%a: tensor<2x3xf32>) -> tensor<2x3xf32>",
			"%0 = stablehlo.add %a, %a : tensor<2x3xf32>", "return %0 : tensor<2x3xf32>"))
		args := check.HostArgs(c, []float32{1, 2, 3, 4, 5, 6}, 2, 3)
		args.DeviceLayout = check.TiledLayout([]int64{0, 1})
		out, err := check.Try(t, args)
		if err != nil {
			t.SkipUnimplf("the plugin does not upload to a column-major layout: %v", err)
		}
		check.Own(t, out.DoneWithHostBuffer)
		in := check.Own(t, out.Buffer)
		t.NoError(t.Await(out.DoneWithHostBuffer), "uploading to a column-major layout")
		result, err := attempt(t, exe, 1, in)
		if err != nil {
			t.Notef("an argument in another layout is refused: %v", err)
			return
		}
		check.ExpectBuffer(t, result[0], []float32{2, 4, 6, 8, 10, 12}, "a program on an argument in a column-major layout")
	}},
	{Rule: "RUN-14", Devices: 2, Run: func(t *check.T) {
		c := t.Client()
		exe := compileFor(t, c, check.AddOne, options{assignment: [][]int{{int(t.DeviceID(c.Devices[0]))}}})
		out, err := attempt(t, exe, 1, check.UploadTo(t, c, c.Devices[1], []float32{1, 2, 3, 4}))
		if err != nil {
			t.Notef("an argument on another device is refused: %v", err)
		} else {
			check.ExpectBuffer(t, out[0], []float32{2, 3, 4, 5}, "a program on an argument of another device")
		}
		add := compileFor(t, c, check.Add, options{assignment: [][]int{{int(t.DeviceID(c.Devices[0]))}}})
		out, err = attempt(t, add, 1, upload4(t, c), check.UploadTo(t, c, c.Devices[1], []float32{10, 20, 30, 40}))
		if err != nil {
			t.Notef("a second argument on another device is refused: %v", err)
		} else {
			check.ExpectBuffer(t, out[0], []float32{11, 22, 33, 44}, "a program whose second argument is on another device")
		}
	}},
	{Rule: "RUN-15", Hostile: true, Run: argumentInOtherMemory},
	{Rule: "RUN-16", Hostile: true, Run: func(t *check.T) {
		c := t.Client()
		exe := t.Compile(c, check.Add)
		a := upload4(t, c)
		for _, list := range [][]*capi.Buffer{{a, nil}, {nil, a}, {nil, nil}} {
			x := check.NewExecution(exe, 1, list)
			_, err := check.Try(t, x.Args)
			t.ErrorCode(err, "executing with a null buffer")
		}
	}},
	{Rule: "RUN-22", Hostile: true, Run: func(t *check.T) {
		c := t.Client()
		exe := t.Compile(c, check.AddOne)
		a := upload4(t, c)
		for _, lists := range [][][]*capi.Buffer{{}, {{a}, {a}}} {
			x := check.NewExecution(exe, 1, lists...)
			if len(lists) == 0 {
				// The lists are real although the count is 0.
				real := check.NewExecution(exe, 1, []*capi.Buffer{a})
				x.Args.ArgumentLists, x.Args.OutputLists, x.Args.NumArgs = real.Args.ArgumentLists, real.Args.OutputLists, 1
			}
			_, err := check.Try(t, x.Args)
			t.ErrorCode(err, fmt.Sprintf("executing a program for one device with num_devices %d", len(lists)))
		}
		runsAddOne(t, c, exe, "a program after calls with a wrong num_devices")
		if len(c.Devices) < 2 {
			return
		}
		if two, err := tryCompile(t, c, check.AddOne, options{replicas: 2}); err == nil {
			_, err := check.Try(t, check.NewExecution(two, 1,
				[]*capi.Buffer{check.UploadTo(t, c, devicesOf(t, two)[0], []float32{1, 2, 3, 4})}).Args)
			t.ErrorCode(err, "executing a program for two devices with num_devices 1")
		}
	}},
	{Rule: "RUN-23", Run: func(t *check.T) {
		c := t.Client()
		exe := portable(t, c, check.AddOne)
		for i, d := range c.Devices {
			x := check.NewExecution(exe, 1, []*capi.Buffer{check.UploadTo(t, c, d, fill(4, float32(i), 1))})
			x.Args.ExecuteDevice = d
			if !t.NoError(x.Start(t), fmt.Sprintf("executing a portable executable on device %d", i)) {
				continue
			}
			t.NoError(finish(t, x), "the execution")
			out := x.Outputs[0][0]
			check.ExpectBuffer(t, out, fill(4, float32(i+1), 1), fmt.Sprintf("a portable executable on device %d", i))
			if got := check.Call(t, capi.BufferDeviceArgs{Buffer: out}).Device; got != d {
				t.Errorf("device of the result of a portable executable on device %d: expected %p, got %p", i, d, got)
			}
		}
	}},
	{Rule: "RUN-24", Devices: 2, Hostile: true, Run: func(t *check.T) {
		c := t.Client()
		exe := portable(t, c, check.AddOne)
		a := upload4(t, c)
		x := check.NewExecution(exe, 1, []*capi.Buffer{a}, []*capi.Buffer{check.UploadTo(t, c, c.Devices[1], []float32{1, 2, 3, 4})})
		x.Args.ExecuteDevice = c.Devices[0]
		_, err := check.Try(t, x.Args)
		t.ErrorCode(err, "executing with execute_device and num_devices 2")
	}},
	{Rule: "RUN-25", Hostile: true, Run: func(t *check.T) {
		c := t.Client()
		exe := portable(t, c, check.AddOne)
		other := t.NewClient()
		x := check.NewExecution(exe, 1, []*capi.Buffer{upload4(t, c)})
		x.Args.ExecuteDevice = other.Devices[0]
		err := x.Start(t)
		if err == nil {
			err = finish(t, x)
		}
		t.ErrorCode(err, "executing on a device of another client")
		for _, d := range t.AllDevices(c) {
			if !slices.Contains(c.Devices, d) {
				x := check.NewExecution(exe, 1, []*capi.Buffer{upload4(t, c)})
				x.Args.ExecuteDevice = d
				_, err := check.Try(t, x.Args)
				t.ErrorCode(err, "executing on a device that is not addressable")
				return
			}
		}
	}},
	{Rule: "RUN-33", Hostile: true, Run: func(t *check.T) {
		c := t.Client()
		maker := compileOrSkip(t, c, boundedResult(8), options{}, "the plugin has no bounded results")
		taker := compileOrSkip(t, c, boundedArgument(16), options{}, "the plugin has no bounded arguments")
		a, err := attempt(t, maker, 1, check.Upload(t, c, fill(8, float32(1), 1)), check.Upload(t, c, []int32{3}, []int64{}...))
		if err != nil {
			t.SkipUnimplf("the plugin does not execute a program with a bounded result: %v", err)
		}
		refused(t, "executing a program whose argument has the bound 16 with an array of the bound 8", taker, a[0])
	}},
}

// refusesArray passes an array to programs that take tensor<4xf32>, as the only argument and as the
// second.
func refusesArray[E dtype.Elem](t *check.T, array string, data []E, dims ...int64) {
	c := t.Client()
	upload := func() *capi.Buffer { return check.Upload(t, c, data, dims...) }
	refused(t, "executing a program of tensor<4xf32> with an "+array, t.Shared(check.AddOne), upload())
	refused(t, "executing a program of two tensor<4xf32> with a second "+array, t.Shared(check.Add), upload4(t, c), upload())
}

// boundedResult returns as many elements of its first argument, at most n, as its second
// argument says.
func boundedResult(n int) string {
	array, bounded := fmt.Sprintf("tensor<%dxf32>", n), fmt.Sprintf("tensor<?xf32, #stablehlo.bounds<%d>>", n)
	return program("bounded_result", "(%a: "+array+", %n: tensor<i32>) -> "+bounded,
		"%0 = stablehlo.set_dimension_size %a, %n, dim = 0 : ("+array+", tensor<i32>) -> "+bounded, "return %0 : "+bounded)
}

// boundedArgument doubles an array of at most n elements.
func boundedArgument(n int) string {
	bounded := fmt.Sprintf("tensor<?xf32, #stablehlo.bounds<%d>>", n)
	return program("bounded_argument", "(%a: "+bounded+") -> "+bounded, "%0 = stablehlo.add %a, %a : "+bounded, "return %0 : "+bounded)
}

// argumentInOtherMemory executes with the argument in each memory of the device except the
// default one.
func argumentInOtherMemory(t *check.T) {
	c := t.Client()
	exe := t.Compile(c, check.AddOne)
	standard := t.DefaultMemory(c)
	out := check.Optional(t, capi.DeviceAddressableMemoriesArgs{Device: c.Devices[0]})
	tried := 0
	for _, m := range capi.Slice(out.Memories, out.NumMemories) {
		if m == standard {
			continue
		}
		kind := memoryKind(t, m)
		args := check.HostArgs(c, []float32{1, 2, 3, 4})
		args.Device, args.Memory = nil, m
		made, err := check.Try(t, args)
		if err != nil {
			t.Notef("uploading to memory %s: %v", kind, err)
			continue
		}
		check.Own(t, made.DoneWithHostBuffer)
		in := check.Own(t, made.Buffer)
		t.NoError(t.Await(made.DoneWithHostBuffer), "uploading to memory "+kind)
		tried++
		result, err := attempt(t, exe, 1, in)
		if err != nil {
			t.Notef("an argument in memory %s is refused: %v", kind, err)
			continue
		}
		check.ExpectBuffer(t, result[0], []float32{2, 3, 4, 5}, "a program on an argument in memory "+kind)
	}
	if tried == 0 {
		t.SkipEnvf("the device has no other memory that takes uploads")
	}
}
