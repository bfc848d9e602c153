// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"context"
	"fmt"
	"log"

	"github.com/purepjrt/purepjrt/pjrt"
)

var matmul = pjrt.Program{Code: []byte(`
module @matmul {
  func.func @main(%a: tensor<8x4xf32>, %b: tensor<4x2xf32>) -> tensor<8x2xf32> {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x2xf32>) -> tensor<8x2xf32>
    return %0 : tensor<8x2xf32>
  }
}`)}

// An executable reports its parameters, its results and its cost.
func ExampleClient_Compile() {
	ctx := context.Background()
	client := cpuClient(ctx)
	defer client.Close()
	exe, err := client.Compile(ctx, matmul, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer exe.Close()
	parameters, err := exe.Parameters()
	if err != nil {
		log.Fatal(err)
	}
	outputs, err := exe.Outputs()
	if err != nil {
		log.Fatal(err)
	}
	layouts, err := exe.OutputLayouts()
	if err != nil {
		log.Fatal(err)
	}
	stats, err := exe.MemoryStats()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(exe.Name(), parameters, "->", outputs, layouts[0].Layout)
	fmt.Println(stats.Arguments, "bytes in,", stats.Outputs, "bytes out")
	// Output:
	// matmul [f32[8,4] f32[4,2]] -> [f32[8,2]] {1,0}
	// 160 bytes in, 64 bytes out
}

// Options say how many devices a program runs on, and which, and set compiler flags for this
// program only.
func ExampleCompileOptions() {
	client := cpuClient(context.Background())
	defer client.Close()
	exe, err := client.Compile(context.Background(), matmul, &pjrt.CompileOptions{
		Replicas:     2,
		DeviceIDs:    [][]int{{3}, {1}},
		Optimization: "O1",
		Flags: map[string]any{
			"xla_cpu_enable_fast_math": true,
			"xla_disable_hlo_passes":   []string{"fusion", "cse"},
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer exe.Close()
	assignment, err := exe.DeviceAssignment()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("devices by replica and partition:", assignment)

	_, err = client.Compile(context.Background(), matmul, &pjrt.CompileOptions{Flags: map[string]any{"xla_cpu_enable_fast_mth": true}})
	fmt.Println(err)
	// Output:
	// devices by replica and partition: [[3] [1]]
	// INVALID_ARGUMENT: no known version of XLA has a flag xla_cpu_enable_fast_mth; did you mean xla_cpu_enable_fast_math? (set AllowUnknownFlags to pass it on anyway)
}

// Serialized options of another program can be read, changed and used.
func ExampleDecodeCompileOptions() {
	client := cpuClient(context.Background())
	defer client.Close()
	b, err := client.EncodeCompileOptions(&pjrt.CompileOptions{Partitions: 2, SPMD: true})
	if err != nil {
		log.Fatal(err)
	}
	o, err := pjrt.DecodeCompileOptions(b)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(o.Replicas, "replica of", o.Partitions, "partitions, SPMD:", o.SPMD)
	// Output: 1 replica of 2 partitions, SPMD: true
}

func ExampleDetectFormat() {
	fmt.Println(pjrt.DetectFormat(matmul.Code))
	// Output: mlir
}

// A serialized executable is loaded without compiling it again, here onto a device other
// than the one it was compiled for. Package cache does this on disk.
func ExampleClient_DeserializeAndLoad() {
	ctx := context.Background()
	client := cpuClient(ctx)
	defer client.Close()
	exe, err := client.Compile(ctx, matmul, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer exe.Close()
	data, err := exe.Serialize(ctx)
	if err != nil {
		log.Fatal(err)
	}
	loaded, err := client.DeserializeAndLoad(ctx, data, &pjrt.LoadOptions{
		Compile: &pjrt.CompileOptions{DeviceIDs: [][]int{{2}}},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer loaded.Close()
	fmt.Println(exe.Devices()[0].ID(), "->", loaded.Devices()[0].ID())
	// Output: 0 -> 2
}
