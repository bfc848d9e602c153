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
	ctx := context.Background()
	client := must(plugins.Open(ctx, "cpu", nil)) // or cuda, tpu, or the path of a plugin
	defer client.Close()
	exe := must(client.Compile(ctx, pjrt.Program{Code: []byte(program)}, nil))
	defer exe.Close()
	x := must(pjrt.FromSlice(ctx, client, []float32{1, 2, 3, 4}, 2, 2))
	defer x.Close()
	outs := must(exe.Run(ctx, x))
	defer outs[0].Close()
	fmt.Println(must(pjrt.ToSlice[float32](ctx, outs[0])))
}

// must ends the program if a call failed. The error says why, and what to do.
func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}
