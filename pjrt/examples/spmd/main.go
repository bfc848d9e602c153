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
// the rows of x and of the product, and all of w; the compiler puts in what the devices
// must exchange, which is the sum here.
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
	exe, err := client.Compile(ctx, pjrt.Program{Code: []byte(program)}, &pjrt.CompileOptions{Partitions: devices, SPMD: true})
	if err != nil {
		return err
	}
	defer exe.Close()

	// The devices of the program, in its order, are the mesh that arrays are spread over.
	mesh, err := sharding.NewMesh(exe.Devices(), sharding.Axis{Name: "rows", Size: devices})
	if err != nil {
		return err
	}
	numbers := []float32{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}
	x, err := mesh.Scatter(ctx, pjrt.ArrayOf(numbers, 8, 2), sharding.Partition{"rows", ""})
	if err != nil {
		return err
	}
	defer x.Close()
	w, err := mesh.Scatter(ctx, pjrt.ArrayOf([]float32{0, 10, 1, 0}, 2, 2), sharding.Partition{"", ""})
	if err != nil {
		return err
	}
	defer w.Close()

	// ExecuteAll takes a row of arguments for each device, and returns a row of results.
	args := make([][]*pjrt.Buffer, devices)
	for i := range args {
		args[i] = []*pjrt.Buffer{x.Buffers()[i], w.Buffers()[i]}
	}
	outs, err := exe.ExecuteAll(ctx, args, nil)
	if err != nil {
		return err
	}
	parts := make([]*pjrt.Buffer, devices)
	for i, row := range outs {
		defer row[0].Close()
		defer row[1].Close()
		parts[i] = row[0]
	}
	product, err := mesh.Join(x.Shape(), sharding.Partition{"rows", ""}, parts)
	if err != nil {
		return err
	}
	defer product.Close() // it owns the parts now; closing them once more does no harm
	whole, err := product.Gather(ctx)
	if err != nil {
		return err
	}
	sum, err := pjrt.ToScalar[float32](ctx, outs[0][1])
	if err != nil {
		return err
	}
	fmt.Printf("each of %d devices has %v\n%v\nsum %g\n", len(outs), parts[0].Shape(), whole, sum)
	return nil
}
