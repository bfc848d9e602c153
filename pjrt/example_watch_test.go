// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"context"
	"fmt"
	"log"
	"log/slog"
	"os"

	"github.com/purepjrt/purepjrt/capi/ffi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/kv"
	"github.com/purepjrt/purepjrt/pjrt/lifetime"
)

// compileIdentity compiles a program that returns its argument.
func compileIdentity(ctx context.Context, client *pjrt.Client) *pjrt.LoadedExecutable {
	exe, err := client.Compile(ctx, pjrt.Program{Code: []byte(
		"module @identity { func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> { return %a : tensor<2xf32> } }")}, nil)
	if err != nil {
		log.Fatal(err)
	}
	return exe
}

// What a program does is told to an observer: an adapter to OpenTelemetry is in
// package pjrt/otel.
func ExampleObserve() {
	ctx := context.Background()
	client := cpuClient(ctx)
	defer client.Close()
	remove := pjrt.Observe(pjrt.ObserverFunc(func(_ context.Context, op pjrt.Operation) {
		fmt.Println(op.Kind, op.Program, op.Platform, op.Err)
	}))
	defer remove()
	compileIdentity(ctx, client).Close()
	// Output: compile identity cpu <nil>
}

func ExampleSetLogger() {
	ctx := context.Background()
	client := cpuClient(ctx)
	defer client.Close()
	pjrt.SetLogger(slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.LevelKey || a.Key == slog.MessageKey {
				return a
			}
			return slog.Attr{} // what differs from run to run
		},
	})))
	defer pjrt.SetLogger(nil)
	compileIdentity(ctx, client).Close()
	// Output: level=INFO msg="pjrt compile"
}

func ExampleLive() {
	ctx := context.Background()
	client := cpuClient(ctx)
	defer client.Close()
	before := pjrt.Live()["buffer"]
	b, err := pjrt.FromScalar(ctx, client, true)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(pjrt.Live()["buffer"] - before)
	b.Close()
	fmt.Println(pjrt.Live()["buffer"] - before)
	// Output:
	// 1
	// 0
}

// With PJRT_TRACK=1 in the environment it is known where each object was made.
func ExampleLive_leaks() {
	defer lifetime.Track(lifetime.Track(true))
	ctx := context.Background()
	client := cpuClient(ctx)
	for _, leak := range lifetime.Leaks() {
		if leak.Kind == "client" {
			fmt.Println(leak.Count, leak.Kind)
		}
	}
	client.Close()
	// Output: 1 client
}

// Processes of one program find each other through a store: kv.Memory within a
// process, pjrt/kv/etcd between machines.
func ExampleClientOptions_keyValueStore() {
	ctx := context.Background()
	store := kv.Prefix(kv.NewMemory(), "run-17/")
	client, err := cpuPlugin(ctx).NewClient(ctx, &pjrt.ClientOptions{KeyValueStore: store, NumNodes: 1, NodeID: 0})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	fmt.Println("process", client.ProcessIndex())
	// Output: process 0
}

func ExampleParseCreateOptions() {
	ctx := context.Background()
	plugin := cpuPlugin(ctx)
	create, err := pjrt.ParseCreateOptions(plugin.Kind(), "cpu_device_count:2")
	if err != nil {
		log.Fatal(err)
	}
	client, err := plugin.NewClient(ctx, &pjrt.ClientOptions{Create: create})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	fmt.Println(len(client.Devices()))
	// Output: 2
}

func ExampleCheckXLAFlags() {
	fmt.Println(pjrt.CheckXLAFlags("--xla_cpu_enable_fast_math=perhaps"))
	// Output: INVALID_ARGUMENT: XLA_FLAGS: XLA flag xla_cpu_enable_fast_math takes true or false, not "perhaps" (PJRT_ALLOW_UNKNOWN_XLA_FLAGS=1 passes any flag on)
}

// A program calls a function of Go.
func ExamplePlugin_RegisterCustomCall() {
	ctx := context.Background()
	client := cpuClient(ctx)
	defer client.Close()
	handler, err := ffi.NewHandler(func(frame *ffi.CallFrame) error {
		in, err := frame.Args.Buffer(0)
		if err != nil {
			return err
		}
		out, err := frame.Rets.Buffer(0)
		if err != nil {
			return err
		}
		from, err := ffi.Elements[float32](in)
		if err != nil {
			return err
		}
		to, err := ffi.Elements[float32](out)
		for i := range to {
			to[i] = from[i] * from[i]
		}
		return err
	}, nil)
	if err != nil {
		log.Fatal(err)
	}
	// It stays registered for as long as the process lives.
	err = client.Plugin().RegisterCustomCall(pjrt.CustomCall{Target: "square", Platform: "Host", Handler: uintptr(handler)})
	if err != nil {
		log.Fatal(err)
	}
	exe, err := client.Compile(ctx, pjrt.Program{Code: []byte(`func.func @main(%a: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.custom_call @square(%a) {api_version = 4 : i32} : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}`)}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer exe.Close()
	x, err := pjrt.FromSlice(ctx, client, []float32{1, 2, 3}, 3)
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()
	outs, err := exe.Execute(ctx, []*pjrt.Buffer{x}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer outs[0].Close()
	squares, err := pjrt.ToSlice[float32](ctx, outs[0])
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(squares)
	// Output: [1 4 9]
}

// What an executable says of itself.
func ExampleExecutable() {
	ctx := context.Background()
	client := cpuClient(ctx)
	defer client.Close()
	exe := compileIdentity(ctx, client)
	defer exe.Close()
	parameters, err := exe.Parameters()
	if err != nil {
		log.Fatal(err)
	}
	outputs, err := exe.Outputs()
	if err != nil {
		log.Fatal(err)
	}
	program, err := exe.OptimizedProgram()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(exe.Name(), parameters, outputs, exe.NumReplicas(), program.Format)
	// Output: identity [f32[2]] [f32[2]] 1 hlo_with_config
}
