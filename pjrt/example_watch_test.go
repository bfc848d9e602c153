// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"context"
	"fmt"
	"log"
	"log/slog"
	"os"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/internal/lifetimes"
	"github.com/purepjrt/purepjrt/pjrt/kv"
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

// An observer sees what a program does. Package pjrt/otel has an adapter to OpenTelemetry.
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
			return slog.Attr{} // differs from run to run
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

// With PJRT_TRACK=1 in the environment, package lifetime knows where each object was made.
func ExampleLive_leaks() {
	defer lifetimes.Track(lifetimes.Track(true))
	ctx := context.Background()
	client := cpuClient(ctx)
	for _, leak := range lifetimes.Leaks() {
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
	// Where there are several processes, NumNodes says how many, and NodeID which one this is.
	client, err := cpuPlugin(ctx).NewClient(ctx, &pjrt.ClientOptions{KeyValueStore: store})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	fmt.Println("process", client.ProcessIndex())
	// Output: process 0
}

// An executable describes itself.
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
