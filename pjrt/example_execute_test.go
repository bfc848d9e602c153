// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/params"
)

// doubled is a program that adds its argument to itself.
const doubled = `func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.add %x, %x : tensor<3xf32>
  return %0 : tensor<3xf32>
}`

// program compiles code, with options or nil.
func program(ctx context.Context, client *pjrt.Client, code string, opts *pjrt.CompileOptions) *pjrt.LoadedExecutable {
	exe, err := client.Compile(ctx, pjrt.Program{Code: []byte(code)}, opts)
	if err != nil {
		log.Fatal(err)
	}
	return exe
}

// numbers uploads numbers to a device, nil for the first one.
func numbers(ctx context.Context, client *pjrt.Client, d *pjrt.Device, x ...float32) *pjrt.Buffer {
	b, err := client.BufferFromHost(ctx, pjrt.ArrayOf(x, int64(len(x))), &pjrt.BufferOptions{Device: d})
	if err != nil {
		log.Fatal(err)
	}
	return b
}

func show(ctx context.Context, b *pjrt.Buffer) {
	x, err := pjrt.ToSlice[float32](ctx, b)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(x)
}

func ExampleLoadedExecutable_Execute() {
	ctx := context.Background()
	client := cpuClient(ctx)
	defer client.Close()
	exe := program(ctx, client, doubled, nil)
	defer exe.Close()
	x := numbers(ctx, client, nil, 1, 2, 3)
	defer x.Close()

	outs, err := exe.Run(ctx, x)
	if err != nil {
		log.Fatal(err)
	}
	defer outs[0].Close()
	show(ctx, outs[0])

	_, err = exe.Run(ctx, x, x)
	fmt.Println(err)
	// Output:
	// [2 4 6]
	// INVALID_ARGUMENT: the program takes 1 arguments, not 2
}

// A steady loop reuses its slices and allocates nothing but the results.
func ExampleLoadedExecutable_ExecuteInto() {
	ctx := context.Background()
	client := cpuClient(ctx)
	defer client.Close()
	exe := program(ctx, client, doubled, nil)
	defer exe.Close()
	x := []*pjrt.Buffer{numbers(ctx, client, nil, 1, 2, 3)}
	for range 10 {
		var out [1]*pjrt.Buffer
		if err := exe.ExecuteInto(ctx, out[:], x, nil); err != nil {
			log.Fatal(err)
		}
		x[0].Close()
		x[0] = out[0]
	}
	defer x[0].Close()
	show(ctx, x[0])
	// Output: [1024 2048 3072]
}

// Start does not wait: the results of one program are the arguments of the next
// before they exist.
func ExampleLoadedExecutable_Start() {
	ctx := context.Background()
	client := cpuClient(ctx)
	defer client.Close()
	exe := program(ctx, client, doubled, nil)
	defer exe.Close()
	x := numbers(ctx, client, nil, 1, 2, 3)
	defer x.Close()

	intermediate, first, err := exe.Start(ctx, []*pjrt.Buffer{x}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer first.Close()
	defer intermediate[0].Close()
	results, second, err := exe.Start(ctx, intermediate, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer second.Close()
	defer results[0].Close()

	select {
	case <-second.Done():
		fmt.Println("done:", second.Err())
	case <-ctx.Done():
		log.Fatal(ctx.Err())
	}
	show(ctx, results[0])
	// Output:
	// done: <nil>
	// [4 8 12]
}

// Four replicas of one program add up what each has.
func ExampleLoadedExecutable_ExecuteAll() {
	ctx := context.Background()
	client := cpuClient(ctx)
	defer client.Close()
	exe := program(ctx, client, allReduce(4), &pjrt.CompileOptions{Replicas: 4})
	defer exe.Close()
	var args [][]*pjrt.Buffer
	for i, d := range exe.Devices() {
		b := numbers(ctx, client, d, float32(i), 1, 0)
		defer b.Close()
		args = append(args, []*pjrt.Buffer{b})
	}
	outs, err := exe.ExecuteAll(ctx, args, nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, o := range outs {
		show(ctx, o[0])
		o[0].Close()
	}
	// Output:
	// [6 4 0]
	// [6 4 0]
	// [6 4 0]
	// [6 4 0]
}

// A portable program runs on the device that an execution names.
func ExampleExecuteOptions_device() {
	ctx := context.Background()
	client := cpuClient(ctx)
	defer client.Close()
	exe := program(ctx, client, doubled, &pjrt.CompileOptions{Portable: true})
	defer exe.Close()
	x := numbers(ctx, client, client.Devices()[0], 1, 2, 3)
	defer x.Close()
	outs, err := exe.Execute(ctx, []*pjrt.Buffer{x}, &pjrt.ExecuteOptions{
		Device:        client.Devices()[2],
		CopyArguments: true,
	})
	if err != nil {
		log.Fatal(err)
	}
	defer outs[0].Close()
	show(ctx, outs[0])
	d, err := outs[0].Device()
	fmt.Println(d == client.Devices()[2], err)
	// Output:
	// [2 4 6]
	// true <nil>
}

// A program can put its result where an argument was. Then that argument is gone, unless the
// options say to keep it.
func ExampleExecuteOptions_keep() {
	ctx := context.Background()
	client := cpuClient(ctx)
	defer client.Close()
	exe := program(ctx, client, `func.func @main(%x: tensor<3xf32> {tf.aliasing_output = 0 : i32}) -> tensor<3xf32> {
  %0 = stablehlo.negate %x : tensor<3xf32>
  return %0 : tensor<3xf32>
}`, nil)
	defer exe.Close()
	x := []*pjrt.Buffer{numbers(ctx, client, nil, 1, 2, 3)}
	defer x[0].Close()
	for _, opts := range []pjrt.ExecuteOptions{{KeepAll: true}, {Keep: []int{0}}, {}, {}} {
		outs, err := exe.Execute(ctx, x, &opts)
		if err != nil {
			fmt.Println(err)
			continue
		}
		show(ctx, outs[0])
		outs[0].Close()
	}
	// Output:
	// [-1 -2 -3]
	// [-1 -2 -3]
	// [-1 -2 -3]
	// INVALID_ARGUMENT: argument 0 was deleted, or donated to an earlier execution
}

// Weights are bound once; each call passes the remaining arguments, and closes the result of the
// one before.
func ExampleLoadedExecutable_Bind() {
	ctx := context.Background()
	client := cpuClient(ctx)
	defer client.Close()
	exe := program(ctx, client, `func.func @main(%w: tensor<3xf32>, %b: tensor<3xf32>, %x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.multiply %w, %x : tensor<3xf32>
  %1 = stablehlo.add %0, %b : tensor<3xf32>
  return %1 : tensor<3xf32>
}`, nil)
	defer exe.Close()
	var model struct{ Weights, Bias *pjrt.Buffer }
	model.Weights = numbers(ctx, client, nil, 1, 10, 100)
	defer model.Weights.Close()
	model.Bias = numbers(ctx, client, nil, 1, 1, 1)
	defer model.Bias.Close()

	args, err := params.Arguments(model)
	if err != nil {
		log.Fatal(err)
	}
	bound, err := exe.Bind(ctx, args...)
	if err != nil {
		log.Fatal(err)
	}
	defer bound.Close()
	requests := [][]float32{{0, 0, 0}, {1, 1, 1}, {2, 2, 2}}

	outs, opts := make([]*pjrt.Buffer, 1), &pjrt.ExecuteOptions{Bound: bound, ReuseResults: true}
	for _, request := range requests {
		x := numbers(ctx, client, nil, request...)
		if err := exe.ExecuteInto(ctx, outs, []*pjrt.Buffer{x}, opts); err != nil {
			log.Fatal(err)
		}
		show(ctx, outs[0])
		x.Close()
	}
	outs[0].Close()
	// Output:
	// [1 1 1]
	// [2 11 101]
	// [3 21 201]
}

// No more than two executions are ever under way, however fast they are started.
func ExampleLoadedExecutable_LimitInFlight() {
	ctx := context.Background()
	client := cpuClient(ctx)
	defer client.Close()
	exe := program(ctx, client, doubled, nil)
	defer exe.Close()
	exe.LimitInFlight(2)
	x := numbers(ctx, client, nil, 1, 2, 3)
	for range 100 {
		results, step, err := exe.Start(ctx, []*pjrt.Buffer{x}, nil)
		if err != nil {
			log.Fatal(err)
		}
		results[0].Close()
		step.Close()
	}
	x.Close()
	fmt.Println("done")
	// Output: done
}

func ExampleEvent_OnReady() {
	ctx := context.Background()
	client := cpuClient(ctx)
	defer client.Close()
	exe := program(ctx, client, doubled, nil)
	defer exe.Close()
	x := numbers(ctx, client, nil, 1, 2, 3)
	defer x.Close()
	results, step, err := exe.Start(ctx, []*pjrt.Buffer{x}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer step.Close()
	defer results[0].Close()
	told := make(chan error)
	if err := step.OnReady(func(err error) { told <- err }); err != nil {
		log.Fatal(err)
	}
	fmt.Println("the device is done:", <-told)
	// Output: the device is done: <nil>
}

// Programs can make their own events on plugins of API 0.89 and later.
func ExamplePlugin_NewEvent() {
	ctx := context.Background()
	client := cpuClient(ctx)
	defer client.Close()
	e, promise, err := client.Plugin().NewEvent()
	if errors.Is(err, pjrt.ErrUnimplemented) {
		fmt.Println("this plugin is too old")
		return
	}
	if err != nil {
		log.Fatal(err)
	}
	defer e.Close()
	go promise.Fail(errors.New("it did not work out"))
	fmt.Println(e.Wait(ctx))
	// Output: UNKNOWN: it did not work out
}
