// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package hlo_test

import (
	"context"
	"fmt"
	"log"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/hlo"
	"github.com/purepjrt/purepjrt/pjrt/plugins"
)

// Count the operations in what the compiler made of a program.
func ExampleDecode() {
	ctx := context.Background()
	plugin, err := plugins.Load(ctx, "cpu")
	if err != nil {
		log.Fatal(err)
	}
	client, err := plugin.NewClient(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	exe, err := client.Compile(ctx, pjrt.Program{Code: []byte(`
func.func @main(%a: tensor<64x32xf32>, %b: tensor<32x16xf32>) -> tensor<64x16xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<64x32xf32>, tensor<32x16xf32>) -> tensor<64x16xf32>
  %1 = stablehlo.tanh %0 : tensor<64x16xf32>
  return %1 : tensor<64x16xf32>
}`)}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer exe.Close()
	program, err := exe.OptimizedProgram()
	if err != nil {
		log.Fatal(err)
	}
	m, err := hlo.Decode(program.Code)
	if err != nil {
		log.Fatal(err)
	}
	for _, i := range m.All() {
		if i.Flops() > 0 || i.Transcendentals() > 0 {
			fmt.Println(i.Opcode, i.Shape, i.Flops(), "flops", i.Transcendentals(), "transcendentals")
		}
	}
	// Unordered output:
	// dot f32[64,16]{1,0} 65536 flops 0 transcendentals
	// tanh f32[64,16]{1,0} 0 flops 1024 transcendentals
}
