// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package executables_test

import (
	"context"
	"fmt"
	"log"

	"github.com/purepjrt/purepjrt/extensions/executables"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
	"github.com/purepjrt/purepjrt/pjrt/plugins"
)

// A program asks whether an executable fits before it sends it to another machine. Two plugins in
// memory stand in for those of the two machines.
func ExampleRuntimeRuns() {
	ctx := context.Background()
	here, err := pjrttest.Start(pjrttest.Options{PlatformVersion: "2.0"})
	if err != nil {
		log.Fatal(err)
	}
	defer here.Close()
	there, err := pjrttest.Start(pjrttest.Options{PlatformVersion: "1.9"})
	if err != nil {
		log.Fatal(err)
	}
	defer there.Close()
	here.Program("negate", pjrttest.Signature{}, pjrttest.Map(func(x float32) float32 { return -x }))
	exe, err := here.Client().Compile(ctx, pjrt.Program{Code: []byte(`module @negate {
  func.func @main(%x: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.negate %x : tensor<f32>
    return %0 : tensor<f32>
  }
}`)}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer exe.Close()
	executable, err := executables.ABIVersionOf(exe.Executable)
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range []*pjrttest.Plugin{here, there} {
		runtime, err := executables.RuntimeABIVersion(p.Client())
		if err != nil {
			log.Fatal(err)
		}
		if err := executables.RuntimeRuns(here.Plugin(), runtime, executable); err != nil {
			fmt.Println("compile it again:", err)
			continue
		}
		fmt.Println("it runs on", p.Client().PlatformVersion())
	}
	// Output:
	// it runs on 2.0
	// compile it again: PJRT_RuntimeAbiVersion_IsCompatibleWithExecutable: FAILED_PRECONDITION: the executable is for the platform version "2.0", but the runtime has "1.9"
}

// The rows of x are spread over two devices, and the sum of x is on both.
func ExampleParameterShardings() {
	const program = `module attributes {mhlo.num_partitions = 2 : i32} {
  func.func @main(%x: tensor<4x2xf32> {mhlo.sharding = "{devices=[2,1]<=[2]}"}) -> (tensor<f32> {mhlo.sharding = "{replicated}"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %s = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x2xf32>, tensor<f32>) -> tensor<f32>
    return %s : tensor<f32>
  }
}`
	ctx := context.Background()
	client, err := plugins.Open(ctx, "cpu", nil)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	exe, err := client.Compile(ctx, pjrt.Program{Code: []byte(program)}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer exe.Close()
	parameters, err := executables.ParameterShardings(exe.Executable)
	fmt.Println(parameters[0], err)
	results, err := executables.ResultShardings(exe.Executable)
	fmt.Println(results[0], err)
	// Output:
	// {devices=[2,1]0,1} <nil>
	// {replicated} <nil>
}
