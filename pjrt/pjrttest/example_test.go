// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrttest_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
)

// exported is a program as a framework would export it. A pjrttest plugin reads only its
// name and its signature.
const exported = `module @double {
  func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.add %x, %x : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}`

// A test registers a Go function as the program, and runs the code under test.
func Example() {
	ctx := context.Background()
	p, err := pjrttest.Start(pjrttest.Options{}) // in a test: pjrttest.New(t, ...)
	if err != nil {
		log.Fatal(err)
	}
	defer p.Close()
	p.Program("double", pjrttest.Signature{}, pjrttest.Map(func(x float32) float32 { return 2 * x }))

	exe, err := p.Client().Compile(ctx, pjrt.Program{Code: []byte(exported)}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer exe.Close()
	x, err := pjrt.FromSlice(ctx, p.Client(), []float32{1, 2, 3}, 3)
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()
	out, err := exe.Run(ctx, x)
	if err != nil {
		log.Fatal(err)
	}
	defer out[0].Close()
	fmt.Println(pjrt.ToSlice[float32](ctx, out[0]))
	// Output: [2 4 6] <nil>
}

// server is the code under test: it answers requests with a model, and waits for memory
// when the device has none left.
type server struct {
	model *pjrt.LoadedExecutable
	pause time.Duration
}

func (s *server) answer(ctx context.Context, x []float32) ([]float32, error) {
	for attempt := 1; ; attempt++ {
		y, err := s.try(ctx, x)
		if !errors.Is(err, pjrt.ErrResourceExhausted) || attempt == 3 {
			return y, err
		}
		select {
		case <-time.After(s.pause):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (s *server) try(ctx context.Context, x []float32) ([]float32, error) {
	in, err := pjrt.FromSlice(ctx, s.model.Client(), x, int64(len(x)))
	if err != nil {
		return nil, err
	}
	defer in.Close()
	// Package pjrt itself would try again at once; this server wants to wait first.
	out, err := s.model.Execute(ctx, []*pjrt.Buffer{in}, &pjrt.ExecuteOptions{NoRetry: true})
	if err != nil {
		return nil, err
	}
	defer out[0].Close()
	return pjrt.ToSlice[float32](ctx, out[0])
}

// The device is out of memory twice, to test that the server waits.
func ExamplePlugin_Fail() {
	ctx := context.Background()
	p, err := pjrttest.Start(pjrttest.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer p.Close()
	p.Program("double", pjrttest.Signature{}, pjrttest.Map(func(x float32) float32 { return 2 * x }))
	model, err := p.Client().Compile(ctx, pjrt.Program{Code: []byte(exported)}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer model.Close()
	s := &server{model: model, pause: time.Millisecond}

	const function = "PJRT_LoadedExecutable_Execute"
	p.Fail(function, pjrt.ErrResourceExhausted, "out of memory", pjrttest.Times(2))
	fmt.Println(s.answer(ctx, []float32{1, 2, 3}))
	fmt.Println(p.Calls(function), "attempts")

	// The server gives up after three failures in a row.
	p.Fail(function, pjrt.ErrResourceExhausted, "out of memory", pjrttest.Times(3))
	_, err = s.answer(ctx, []float32{1, 2, 3})
	fmt.Println(errors.Is(err, pjrt.ErrResourceExhausted))

	// Whatever happened, only the client and the model are left.
	fmt.Println(p.Live())
	// Output:
	// [2 4 6] <nil>
	// 3 attempts
	// true
	// map[PJRT_Client:1 PJRT_Executable:1 PJRT_LoadedExecutable:1]
}

// A test runs a program with an older plugin too.
func ExampleOptions_olderPlugin() {
	for _, minor := range []int{57, 114} {
		p, err := pjrttest.Start(pjrttest.Options{Minor: minor})
		if err != nil {
			log.Fatal(err)
		}
		e, promise, err := p.Plugin().NewEvent()
		fmt.Printf("0.%d: %v\n", minor, err)
		if err == nil {
			e.Close()
			promise.Close()
		}
		p.Close()
	}
	// Output:
	// 0.57: PJRT_Event_Set: UNIMPLEMENTED: the plugin does not have this function: it came with API 0.89, and the plugin has API 0.57
	// 0.114: <nil>
}

// A held execution shows what code does when a device takes too long.
func ExamplePlugin_Hold() {
	ctx := context.Background()
	p, err := pjrttest.Start(pjrttest.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer p.Close()
	p.Program("double", pjrttest.Signature{}, pjrttest.Map(func(x float32) float32 { return 2 * x }))
	exe, err := p.Client().Compile(ctx, pjrt.Program{Code: []byte(exported)}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer exe.Close()
	x, err := pjrt.FromSlice(ctx, p.Client(), []float32{1, 2, 3}, 3)
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()

	p.Hold()
	_, stuck, err := exe.Start(ctx, []*pjrt.Buffer{x}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer stuck.Close()
	impatient, cancel := context.WithTimeout(ctx, time.Millisecond)
	defer cancel()
	fmt.Println(errors.Is(stuck.Wait(impatient), context.DeadlineExceeded))
	fmt.Println(p.Held())

	// In the end the device completes the execution or, as here, fails.
	p.Held()[0].Fail(&pjrt.Error{Code: pjrt.ErrUnavailable, Message: "the device fell off the bus"})
	startedOuts, started, err := exe.Start(ctx, []*pjrt.Buffer{x}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer started.Close()
	p.Resume()
	fmt.Println(started.Wait(ctx))
	startedOuts[0].Close()
	// Output:
	// true
	// [PJRT_LoadedExecutable_Execute of double on device 0]
	// <nil>
}

// A program gives up when a plugin takes too long to start.
func ExamplePlugin_Block() {
	p, err := pjrttest.Start(pjrttest.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer p.Close()
	end := p.Block("PJRT_Client_Create")
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	_, err = p.Plugin().NewClient(ctx, nil)
	fmt.Println(errors.Is(err, context.DeadlineExceeded))
	end()
	// Output: true
}

// A program for several devices sees all of them.
func ExampleProgram_launch() {
	ctx := context.Background()
	p, err := pjrttest.Start(pjrttest.Options{Devices: 2})
	if err != nil {
		log.Fatal(err)
	}
	defer p.Close()
	p.AddProgram(pjrttest.Program{
		Name: "allreduce",
		Launch: func(l *pjrttest.Launch) error {
			sum := float32(0)
			for d := range l.Places {
				x, err := pjrttest.Values[float32](l.Args[d][0])
				if err != nil {
					return err
				}
				sum += x[0]
			}
			for d := range l.Places {
				l.Results[d] = []pjrt.HostArray{pjrt.ArrayOf([]float32{sum}, 1)}
			}
			return nil
		},
	})
	program := pjrt.Program{Code: []byte("module @allreduce { func.func @main(%x: tensor<1xf32>) -> tensor<1xf32> { } }")}
	exe, err := p.Client().Compile(ctx, program, &pjrt.CompileOptions{Replicas: 2})
	if err != nil {
		log.Fatal(err)
	}
	defer exe.Close()
	var args [][]*pjrt.Buffer
	for i, d := range exe.Devices() {
		x, err := p.Client().BufferFromHost(ctx, pjrt.ArrayOf([]float32{float32(i + 1)}, 1), &pjrt.BufferOptions{Device: d})
		if err != nil {
			log.Fatal(err)
		}
		defer x.Close()
		args = append(args, []*pjrt.Buffer{x})
	}
	out, err := exe.ExecuteAll(ctx, args, nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, row := range out {
		fmt.Println(pjrt.ToSlice[float32](ctx, row[0]))
		row[0].Close()
	}
	// Output:
	// [3] <nil>
	// [3] <nil>
}
