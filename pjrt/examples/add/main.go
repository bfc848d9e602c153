// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Command add adds a matrix to itself on the CPU.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/plugins"
)

const program = `func.func @main(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %0 = stablehlo.add %x, %x : tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}`

func main() {
	sum, err := run(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(sum)
}

func run(ctx context.Context) ([]float32, error) {
	client, err := plugins.Open(ctx, "cpu", nil) // or cuda, tpu, the path of any plugin of API 0.45 and later
	if err != nil {
		return nil, err // says how to install the plugin
	}
	defer client.Close()
	exe, err := client.Compile(ctx, pjrt.Program{Code: []byte(program)}, nil)
	if err != nil {
		return nil, err
	}
	defer exe.Close()
	x, err := pjrt.FromSlice(ctx, client, []float32{1, 2, 3, 4}, 2, 2)
	if err != nil {
		return nil, err
	}
	defer x.Close()
	outs, err := exe.Execute(ctx, []*pjrt.Buffer{x}, nil)
	if err != nil {
		return nil, err
	}
	defer outs[0].Close()
	return pjrt.ToSlice[float32](ctx, outs[0])
}
