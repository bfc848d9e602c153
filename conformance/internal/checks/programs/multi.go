// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package programs

import (
	"bytes"
	"fmt"
	"sync"
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// plusID adds the number of the replica to tensor<4xf32>.
const plusID = `module @plus_id {
  func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.replica_id : tensor<ui32>
    %1 = stablehlo.convert %0 : (tensor<ui32>) -> tensor<f32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %3 = stablehlo.add %a, %2 : tensor<4xf32>
    return %3 : tensor<4xf32>
  }
}`

// uploadArray makes a buffer of an array. The check owns it.
func uploadArray(t *check.T, d *capi.Device, a check.HostArray) *capi.Buffer {
	args := check.HostArgs(t.Client(), a.Data, a.Dims...)
	args.Type, args.Device = capi.BufferType(a.Type), d
	return t.UploadArgs(args)
}

// uploadArrays makes buffers of arrays on the first device. The check owns them.
func uploadArrays(t *check.T, list []check.HostArray) []*capi.Buffer {
	buffers := make([]*capi.Buffer, len(list))
	for i, a := range list {
		buffers[i] = uploadArray(t, t.Client().Devices[0], a)
	}
	return buffers
}

// returnsArrays executes a program, whose results must be arrays.
func returnsArrays(t *check.T, exe *capi.LoadedExecutable, want []check.HostArray, in []*capi.Buffer, what string) {
	for i, b := range t.Run(exe, len(want), in...) {
		if !want[i].Equals(t.Download(b)) {
			t.Errorf("result %d of %d of %s: expected the bytes of %v, got others", i, len(want), what, want[i])
		}
		check.Destroy(t, b)
	}
}

// resultsOfAllDevices executes a program of several arguments and results, each of its own type and
// shape, on all devices.
func resultsOfAllDevices(t *check.T) {
	c := t.Client()
	n := len(c.Devices)
	arrays := func(device int) (list []check.HostArray) {
		for i, dims := range check.Shapes {
			e := []dtype.Type{dtype.F32, dtype.S32, dtype.U8}[i%3]
			list = append(list, check.HostArrayOf(e, uint64(100*device+i), dims...))
		}
		return list
	}
	exe, err := tryCompile(t, c, check.Returning(arrays(0)), options{replicas: n})
	if err != nil {
		t.Notef("a program for all %d devices is refused: %s", n, firstLine(err.Error()))
		return
	}
	devices := devicesOf(t, exe)
	var lists [][]*capi.Buffer
	for i, d := range devices {
		var list []*capi.Buffer
		for _, a := range arrays(i) {
			list = append(list, uploadArray(t, d, a))
		}
		lists = append(lists, list)
	}
	for i, list := range t.RunOn(exe, len(check.Shapes), lists...) {
		for j, a := range arrays(i) {
			what := fmt.Sprintf("result %d of %d, %v, on device %d of %d", j, len(list), a, i, n)
			check.Equal(t, devices[i], t.DeviceOf(list[j]), "device of %s", what)
			if got := t.Download(list[j]); !bytes.Equal(got, a.Data) {
				t.Errorf("%s: expected the bytes of argument %d on that device, got others", what, j)
			}
		}
	}
}

var multiChecks = []check.Check{
	{Rule: "MULTI-01", Devices: 2, Run: func(t *check.T) {
		c := t.Client()
		exe := compileMany(t, c, check.AddOne, options{replicas: 2})
		expectEach(t, runEach(t, c, exe, func(i int) []float32 { return fill(4, float32(100*i), 1) }), func(i int) []float32 {
			return fill(4, float32(100*i+1), 1)
		}, "a program on two devices")
		many := compileMany(t, c, three, options{replicas: 2})
		var lists [][]*capi.Buffer
		for i, d := range devicesOf(t, many) {
			lists = append(lists, []*capi.Buffer{check.UploadTo(t, c, d, fill(4, float32(100*i), 1))})
		}
		for i, list := range t.RunOn(many, 3, lists...) {
			for j, b := range list {
				check.ExpectBuffer(t, b, fill(4, float32(100*i+j+1), 1), fmt.Sprintf("result %d of 3 on device %d of 2", j, i))
			}
		}
		resultsOfAllDevices(t)
	}},
	{Rule: "MULTI-02", Devices: 2, Run: func(t *check.T) {
		c := t.Client()
		rows, order := grid(t, c, 2, 1) // the second device is replica 0
		exe := compileMany(t, c, plusID, options{replicas: 2, assignment: rows})
		devices := devicesOf(t, exe)
		if !check.Equal(t, 2, len(devices), "number of addressable devices") {
			return
		}
		arguments := make([][]*capi.Buffer, 2)
		for i, d := range devices {
			arguments[i] = []*capi.Buffer{check.UploadTo(t, c, d, fill(4, float32(100*i), 0))}
		}
		out := t.RunOn(exe, 1, arguments...)
		for i, d := range devices {
			replica := 0
			if order[1] == d {
				replica = 1
			}
			if got := check.Call(t, capi.BufferDeviceArgs{Buffer: out[i][0]}).Device; got != d {
				t.Errorf("device of output %d: expected that of addressable device %d, %p, got %p", i, i, d, got)
			}
			check.ExpectBuffer(t, out[i][0], fill(4, float32(100*i+replica), 0),
				fmt.Sprintf("argument %d plus the replica number %d of addressable device %d", i, replica, i))
		}
	}},
	{Rule: "MULTI-07", Devices: 4, Run: func(t *check.T) {
		c := t.Client()
		rows, order := grid(t, c, 2, 2)
		exe := compileMany(t, c, `module @ids attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 2 : i32} {
  func.func @main() -> (tensor<ui32>, tensor<ui32>) {
    %0 = stablehlo.replica_id : tensor<ui32>
    %1 = stablehlo.partition_id : tensor<ui32>
    return %0, %1 : tensor<ui32>, tensor<ui32>
  }
}`, options{replicas: 2, partitions: 2, assignment: rows})
		out := t.RunOn(exe, 2, make([][]*capi.Buffer, 4)...)
		for i, d := range devicesOf(t, exe) {
			for at := range order {
				if order[at] == d {
					check.ExpectBuffer(t, out[i][0], []uint32{uint32(at / 2)}, fmt.Sprintf("replica_id on addressable device %d", i))
					check.ExpectBuffer(t, out[i][1], []uint32{uint32(at % 2)}, fmt.Sprintf("partition_id on addressable device %d", i))
				}
			}
		}
	}},
	{Rule: "MULTI-08", Devices: 2, Run: partitioned},
	{Rule: "MULTI-09", Timeout: boundedTime, Devices: 2, Hostile: true, Run: func(t *check.T) {
		c := t.Client()
		exe := compileMany(t, c, allReduce("f32", "add", "[[0, 1]]", ""), options{replicas: 2})
		devices := devicesOf(t, exe)
		good := []*capi.Buffer{check.UploadTo(t, c, devices[0], []float32{1, 2, 3, 4})}
		bad := []*capi.Buffer{check.UploadTo(t, c, devices[1], make([]float32, 64))}
		x := check.NewExecution(exe, 1, good, bad)
		err := x.Start(t)
		if err == nil {
			err = finish(t, x)
		}
		if t.ErrorCode(err, "executing on two devices with an argument of a wrong size for the second") {
			t.Notef("refused: %v", err)
		}
		again := t.Compile(c, check.AddOne)
		runsAddOne(t, c, again, "a program on the first device after one for two devices was refused")
		expectEach(t, runEach(t, c, exe, func(i int) []float32 { return fill(4, float32(i+1), 0) }),
			func(int) []float32 { return fill(4, float32(3), 0) },
			"an all_reduce after one that was refused")
	}},
	{Rule: "MULTI-10", Devices: 2, Hostile: true, Run: launchRace},
	{Rule: "MULTI-11", Devices: 2, Hostile: true, Run: oneByOne},
	{Rule: "MULTI-12", Timeout: boundedTime, Devices: 2, Hostile: true, Run: func(t *check.T) {
		c := t.Client()
		exe := compileMany(t, c, allReduce("f32", "add", "[[0, 1]]", ""), options{replicas: 2})
		devices := devicesOf(t, exe)
		p := t.NewPending(&check.Client{Handle: c.Handle, Devices: devices[1:], Memories: c.Memories}, 4)
		p.Fail(capi.ErrorCodeAborted, "the suite made this buffer an error")
		x := check.NewExecution(exe, 1, []*capi.Buffer{check.UploadTo(t, c, devices[0], []float32{1, 2, 3, 4})}, []*capi.Buffer{p.Buffer})
		called := make(chan error, 1)
		go func() { called <- x.Start(t) }()
		select {
		case err := <-called:
			if err != nil {
				return
			}
		case <-t.Context().Done():
			t.Stuck("executing on two devices, one with an argument that is an error: PJRT_LoadedExecutable_Execute did not return before the check's time was up")
		}
		for i, e := range x.Events {
			t.ErrorCode(t.Await(e), fmt.Sprintf("the complete event of device %d, when the argument of device 1 is an error", i))
			t.ErrorCode(t.Await(t.Ready(x.Outputs[i][0])),
				fmt.Sprintf("the output of device %d, when the argument of device 1 is an error", i))
		}
	}},
	{Rule: "MULTI-13", Devices: 2, Run: copiesAndComputes},
	{Rule: "MULTI-14", Devices: 2, Run: func(t *check.T) {
		c := t.Client()
		ids := deviceIDs(t, c)
		for i, d := range c.Devices {
			exe := compileFor(t, c, check.AddOne, options{assignment: [][]int{{ids[i]}}})
			in := check.UploadTo(t, c, d, fill(4, float32(10*i), 1))
			check.ExpectBuffer(t, in, fill(4, float32(10*i), 1), fmt.Sprintf("an upload to device %d", ids[i]))
			out, err := attempt(t, exe, 1, in)
			if t.NoError(err, fmt.Sprintf("executing on device %d", ids[i])) {
				check.ExpectBuffer(t, out[0], fill(4, float32(10*i+1), 1), fmt.Sprintf("a program on device %d", ids[i]))
				if got := check.Call(t, capi.BufferDeviceArgs{Buffer: out[0]}).Device; got != d {
					t.Errorf("device of the result of a program on device %d: expected %p, got %p", ids[i], d, got)
				}
			}
		}
	}},
}

// boundedTime is how long a failure may take to reach all devices.
const boundedTime = 3 * time.Second

// longCall is longer than any call takes that does not wait for another.
const longCall = 2 * time.Second

// compileMany compiles for several devices, which a plugin may refuse to do.
func compileMany(t *check.T, c *check.Client, text string, o options) *capi.LoadedExecutable {
	return compileOrSkip(t, c, text, o,
		fmt.Sprintf("a program for %d x %d devices is refused", max(o.replicas, 1), max(o.partitions, 1)))
}

// runEach executes a program with one argument and one result on each of its devices, in
// their order.
func runEach[E dtype.Elem](t *check.T, c *check.Client, exe *capi.LoadedExecutable, argument func(i int) []E) []*capi.Buffer {
	devices := devicesOf(t, exe)
	lists := make([][]*capi.Buffer, len(devices))
	for i, d := range devices {
		lists[i] = []*capi.Buffer{check.UploadTo(t, c, d, argument(i))}
	}
	out := make([]*capi.Buffer, len(devices))
	for i, list := range t.RunOn(exe, 1, lists...) {
		out[i] = list[0]
	}
	return out
}

// expectEach compares the result of each device.
func expectEach[E dtype.Elem](t *check.T, got []*capi.Buffer, want func(i int) []E, what string) bool {
	ok := true
	for i, b := range got {
		ok = check.ExpectBuffer(t, b, want(i), fmt.Sprintf("%s, device %d of %d", what, i, len(got))) && ok
	}
	return ok
}

// partitioned compares a product of matrices on two partitions with the product
// on one device.
func partitioned(t *check.T) {
	c := t.Client()
	exe := compileMany(t, c, `module @partitioned attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  func.func @main(%a: tensor<4x3xf32> {mhlo.sharding = "{devices=[2,1]<=[2]}"}, %b: tensor<3x2xf32> {mhlo.sharding = "{replicated}"}) -> (tensor<4x2xf32> {mhlo.sharding = "{devices=[2,1]<=[2]}"}) {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<4x3xf32>, tensor<3x2xf32>) -> tensor<4x2xf32>
    return %0 : tensor<4x2xf32>
  }
}`, options{partitions: 2})
	devices := devicesOf(t, exe)
	if !check.Equal(t, 2, len(devices), "number of addressable devices of a program for two partitions") {
		return
	}
	a, b := fill(12, float32(1), 1), fill(6, float32(1), 2)
	var lists [][]*capi.Buffer
	for i, d := range devices {
		lists = append(lists, []*capi.Buffer{check.UploadTo(t, c, d, a[6*i:6*i+6], 2, 3), check.UploadTo(t, c, d, b, 3, 2)})
	}
	out := t.RunOn(exe, 1, lists...)
	for i := range out {
		want := make([]float32, 4)
		for row := range 2 {
			for column := range 2 {
				for k := range 3 {
					want[2*row+column] += a[3*(2*i+row)+k] * b[2*k+column]
				}
			}
		}
		check.Equal(t, "[2 2]", fmt.Sprint(t.Dimensions(out[i][0])), "dimensions of the part of device %d", i)
		check.ExpectBuffer(t, out[i][0], want, fmt.Sprintf("the rows of partition %d of a product of matrices", i))
	}
}

// launchRace launches two programs with collectives from two threads, in different order.
func launchRace(t *check.T) {
	c := t.Client()
	first := compileMany(t, c, allReduce("f32", "add", "[[0, 1]]", ""), options{replicas: 2})
	second := compileMany(t, c, allReduce("f32", "maximum", "[[0, 1]]", ""), options{replicas: 2})
	devices := devicesOf(t, first)
	lists := make([][]*capi.Buffer, 2)
	for i, d := range devices {
		lists[i] = []*capi.Buffer{check.UploadTo(t, c, d, fill(4, float32(i+1), 0))}
	}
	launch := func(exe *capi.LoadedExecutable, want float32) error {
		x := check.NewExecution(exe, 1, lists...)
		if err := x.Execute(t); err != nil {
			return fmt.Errorf("executing one of two programs with collectives: %w", err)
		}
		for i := range x.Events {
			_, err := check.Try(t, capi.EventAwaitArgs{Event: x.Events[i]})
			if err != nil {
				return fmt.Errorf("one of two programs with collectives, device %d: %w", i, err)
			}
			got := make([]float32, 4)
			if err := read(t, x.Outputs[i][0], got); err != nil {
				return err
			}
			if err := differ(got, fill(4, want, 0)); err != nil {
				return fmt.Errorf("one of two programs with collectives, device %d: %w", i, err)
			}
			_, _ = check.Try(t, capi.EventDestroyArgs{Event: x.Events[i]})
			_, _ = check.Try(t, capi.BufferDestroyArgs{Buffer: x.Outputs[i][0]})
		}
		return nil
	}
	done := make(chan bool, 1)
	go func() {
		done <- together(t, 2, func(i int) error {
			for range 20 {
				order := []func() error{func() error { return launch(first, 3) }, func() error { return launch(second, 2) }}
				if i == 1 {
					order[0], order[1] = order[1], order[0]
				}
				for _, f := range order {
					if err := f(); err != nil {
						return err
					}
				}
			}
			return nil
		})
	}()
	select {
	case <-done:
	case <-t.Context().Done():
		t.Stuck("two threads that launch two programs with collectives in different orders did not end before the check's time was up")
	}
}

// oneByOne launches a program for two devices with a call for each.
func oneByOne(t *check.T) {
	c := t.Client()
	exe := compileMany(t, c, allReduce("f32", "add", "[[0, 1]]", ""), options{replicas: 2})
	devices := devicesOf(t, exe)
	executions := make([]*check.Execution, 2)
	returned := []chan error{make(chan error, 1), make(chan error, 1)}
	for i, d := range devices {
		x := check.NewExecution(exe, 1, []*capi.Buffer{check.UploadTo(t, c, d, fill(4, float32(i+1), 0))})
		x.Args.ExecuteDevice = d
		x.Options.LaunchID = 1
		executions[i] = x
	}
	for i, x := range executions {
		go func() {
			err := x.Execute(t)
			returned[i] <- err
		}()
		if i == 0 {
			select {
			case err := <-returned[0]:
				if capi.CodeOf(err) != capi.ErrorCodeOK {
					t.SkipUnimplf("the plugin does not execute a program for two devices one by one: %v", err)
				}
				returned[0] <- nil
			case <-time.After(longCall):
				t.Errorf("executing a program for two devices with execute_device, the first of them: expected the call to return before the second device is launched, but it did not within %v", longCall)
			}
		}
	}
	for i, x := range executions {
		select {
		case err := <-returned[i]:
			if !t.NoError(err, fmt.Sprintf("executing with execute_device, device %d", i)) {
				return
			}
		case <-t.Context().Done():
			t.Stuck("executing with execute_device, device %d: PJRT_LoadedExecutable_Execute did not return before the check's time was up", i)
		}
		check.Own(t, x.Outputs[0][0])
		check.Own(t, x.Events[0])
	}
	for i, x := range executions {
		t.NoError(t.Await(x.Events[0]), fmt.Sprintf("the execution on device %d", i))
		check.ExpectBuffer(t, x.Outputs[0][0], fill(4, float32(3), 0),
			fmt.Sprintf("an all_reduce that was launched one device at a time, device %d", i))
	}
}

// copiesAndComputes copies between all devices while programs run on each.
func copiesAndComputes(t *check.T) {
	c := t.Client()
	ids := deviceIDs(t, c)
	n := min(len(c.Devices), 4)
	exes, arguments := make([]*capi.LoadedExecutable, n), make([]*capi.Buffer, n)
	for i := range n {
		exes[i] = compileFor(t, c, check.AddOne, options{assignment: [][]int{{ids[i]}}})
		arguments[i] = check.UploadTo(t, c, c.Devices[i], fill(4, float32(100*i), 1))
	}
	var mu sync.Mutex
	refused := 0
	together(t, 2*n, func(thread int) error {
		i := thread / 2
		for round := range 4 {
			got := make([]float32, 4)
			if thread%2 == 0 {
				for range 8 {
					if err := quickly(t, exes[i], 1, got, arguments[i]); err != nil {
						return fmt.Errorf("executing on device %d while buffers are copied: %w", ids[i], err)
					}
					if err := differ(got, fill(4, float32(100*i+1), 1)); err != nil {
						return fmt.Errorf("a program on device %d while buffers are copied: %w", ids[i], err)
					}
				}
				continue
			}
			for j := range n {
				if j == i {
					continue
				}
				out, err := check.Try(t, capi.BufferCopyToDeviceArgs{Buffer: arguments[i], DstDevice: c.Devices[j]})
				if capi.CodeOf(err) == capi.ErrorCodeUnimplemented {
					mu.Lock()
					refused++
					mu.Unlock()
					return nil
				}
				if err != nil {
					return fmt.Errorf("copying from device %d to %d, round %d: %w", ids[i], ids[j], round, err)
				}
				// A program reads the copy before anything has waited for it.
				err = quickly(t, exes[j], 1, got, out.DstBuffer)
				if _, destroyErr := check.Try(t, capi.BufferDestroyArgs{Buffer: out.DstBuffer}); err == nil {
					err = destroyErr
				}
				if err == nil {
					err = differ(got, fill(4, float32(100*i+1), 1))
				}
				if err != nil {
					return fmt.Errorf("a program on a copy from device %d to %d: %w", ids[i], ids[j], err)
				}
			}
		}
		return nil
	})
	if refused == n {
		t.SkipUnimplf("the plugin does not copy between devices")
	}
}
