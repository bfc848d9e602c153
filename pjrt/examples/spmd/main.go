// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Command spmd spreads a product of matrices over four devices. The processor poses as four
// devices; on a machine with four GPUs or TPUs only the plugin and its options change.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/platform"
	"github.com/purepjrt/purepjrt/pjrt/plugins"
	"github.com/purepjrt/purepjrt/pjrt/sharding"
)

const devices = 4

// program is written for whole arrays. The shardings say that each device has a quarter of
// the rows of x and of the product, and all of w; the compiler inserts the communication
// between devices, here for the sum.
const program = `module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  func.func @main(%x: tensor<8x2xf32> {mhlo.sharding = "{devices=[4,1]<=[4]}"}, %w: tensor<2x2xf32> {mhlo.sharding = "{replicated}"})
      -> (tensor<8x2xf32> {mhlo.sharding = "{devices=[4,1]<=[4]}"}, tensor<f32> {mhlo.sharding = "{replicated}"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x2xf32>, tensor<2x2xf32>) -> tensor<8x2xf32>
    %s = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x2xf32>, tensor<f32>) -> tensor<f32>
    return %y, %s : tensor<8x2xf32>, tensor<f32>
  }
}`

func main() {
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	client, err := plugins.Open(ctx, "cpu", &pjrt.ClientOptions{Platform: platform.CPU{DeviceCount: devices}})
	if err != nil {
		return err
	}
	defer client.Close()
	// The program says how many devices it is for, so the options need not.
	compiled, err := client.Compile(ctx, pjrt.Program{Code: []byte(program)}, nil)
	if err != nil {
		return err
	}
	defer compiled.Close()
	exe, err := sharding.Of(compiled)
	if err != nil {
		return err
	}

	numbers := []float32{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}
	x, err := exe.Scatter(ctx, 0, pjrt.ArrayOf(numbers, 8, 2))
	if err != nil {
		return err
	}
	defer x.Close()
	w, err := exe.Scatter(ctx, 1, pjrt.ArrayOf([]float32{0, 10, 1, 0}, 2, 2))
	if err != nil {
		return err
	}
	defer w.Close()
	results, err := exe.Execute(ctx, []*sharding.Array{x, w}, nil)
	if err != nil {
		return err
	}
	product, sum := results[0], results[1]
	defer product.Close()
	defer sum.Close()

	whole, err := product.Gather(ctx)
	if err != nil {
		return err
	}
	total, err := pjrt.ToScalar[float32](ctx, sum.Buffers()[0]) // each device has it
	if err != nil {
		return err
	}
	fmt.Printf("each of %d devices has %v\n%v\nsum %g\n", len(product.Devices()), product.PartShape(), whole, total)
	return nil
}
