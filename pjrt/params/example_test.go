// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package params_test

import (
	"context"
	"fmt"
	"log"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/params"
	"github.com/purepjrt/purepjrt/pjrt/plugins"
)

// cpuClient returns a client of the CPU plugin, which it installs if need be.
func cpuClient(ctx context.Context) *pjrt.Client {
	path, err := plugins.Install(ctx, "cpu", plugins.InstallOptions{})
	if err != nil {
		log.Fatal(err)
	}
	plugin, err := pjrt.Open(path)
	if err != nil {
		log.Fatal(err)
	}
	client, err := plugin.NewClient(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	return client
}

func numbers(ctx context.Context, client *pjrt.Client, x ...float32) *pjrt.Buffer {
	b, err := pjrt.FromSlice(ctx, client, x, int64(len(x)))
	if err != nil {
		log.Fatal(err)
	}
	return b
}

func ExampleArguments() {
	ctx := context.Background()
	client := cpuClient(ctx)
	defer client.Close()
	b := numbers(ctx, client, 1)
	defer b.Close()
	type layer struct{ Weights, Bias *pjrt.Buffer }
	model := struct {
		Name   string
		Layers []layer
		Input  pjrt.Argument // left open
	}{Name: "tiny", Layers: []layer{{b, b}, {b, b}}}
	args, err := params.Arguments(model)
	for _, a := range args {
		fmt.Println(a.Name, len(a.Buffers))
	}
	fmt.Println(err)
	// Output:
	// Layers[0].Weights 1
	// Layers[0].Bias 1
	// Layers[1].Weights 1
	// Layers[1].Bias 1
	// Input 0
	// <nil>
}

func ExampleScan() {
	ctx := context.Background()
	client := cpuClient(ctx)
	defer client.Close()
	exe, err := client.Compile(ctx, pjrt.Program{Code: []byte(`func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %0 = stablehlo.negate %x : tensor<3xf32>
  %1 = stablehlo.abs %x : tensor<3xf32>
  return %0, %1 : tensor<3xf32>, tensor<3xf32>
}`)}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer exe.Close()
	x := numbers(ctx, client, 1, -2, 3)
	defer x.Close()
	outs, err := exe.Run(ctx, x)
	if err != nil {
		log.Fatal(err)
	}
	var result struct{ Negative, Absolute *pjrt.Buffer }
	if err := params.Scan(outs, &result); err != nil {
		log.Fatal(err)
	}
	defer result.Negative.Close()
	defer result.Absolute.Close()
	for _, b := range []*pjrt.Buffer{result.Negative, result.Absolute} {
		x, err := pjrt.ToSlice[float32](ctx, b)
		fmt.Println(x, err)
	}
	// Output:
	// [-1 2 -3] <nil>
	// [1 2 3] <nil>
}
