// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Command tested adds up numbers in batches, smaller ones when the device is out of memory.
// Its tests show how package pjrttest stands in for a device and its faults.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/plugins"
)

// program adds up a batch. Tests recognize it by the name of its module.
const program = `module @sum {
  func.func @main(%%x: tensor<%[1]dxf32>) -> tensor<f32> {
    %%zero = stablehlo.constant dense<0.0> : tensor<f32>
    %%0 = stablehlo.reduce(%%x init: %%zero) applies stablehlo.add across dimensions = [0] : (tensor<%[1]dxf32>, tensor<f32>) -> tensor<f32>
    return %%0 : tensor<f32>
  }
}`

func main() {
	ctx := context.Background()
	client, err := plugins.Open(ctx, "cpu", nil)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	numbers := make([]float32, 100)
	for i := range numbers {
		numbers[i] = float32(i + 1)
	}
	total, err := sum(ctx, client, numbers, 64)
	if err != nil {
		log.Print(err)
		return
	}
	fmt.Println(total)
}

// sum adds up numbers on the device, in batches of the given size. It halves the size when
// the device is out of memory, and gives up when not even a single number fits.
func sum(ctx context.Context, client *pjrt.Client, numbers []float32, batch int) (float32, error) {
	var total float32
	for len(numbers) > 0 {
		n := min(batch, len(numbers))
		part, err := sumBatch(ctx, client, numbers[:n])
		switch {
		case errors.Is(err, pjrt.ErrResourceExhausted) && n > 1:
			batch = n / 2
		case err != nil:
			return 0, err
		default:
			total += part
			numbers = numbers[n:]
		}
	}
	return total, nil
}

func sumBatch(ctx context.Context, client *pjrt.Client, batch []float32) (float32, error) {
	exe, err := client.Compile(ctx, pjrt.Program{Code: fmt.Appendf(nil, program, len(batch))}, nil)
	if err != nil {
		return 0, err
	}
	defer exe.Close()
	x, err := pjrt.FromSlice(ctx, client, batch, int64(len(batch)))
	if err != nil {
		return 0, err
	}
	defer x.Close()
	outs, err := exe.Run(ctx, x)
	if err != nil {
		return 0, err
	}
	defer outs[0].Close()
	return pjrt.ToScalar[float32](ctx, outs[0])
}
