// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package ffi_test

import (
	"context"
	"fmt"
	"log"

	"github.com/purepjrt/purepjrt/extensions/ffi"
	"github.com/purepjrt/purepjrt/pjrt"
)

// While it runs, a program gives away what it has computed and takes what it needs next. XLA's CPU
// plugins have no Send and Recv, and no program of theirs needs them.
func Example_stream() {
	ctx := context.Background()
	client := start(ctx)
	defer client.Close()
	inputs := [][]float32{{0, 10}, {1, 10}, {2, 10}}
	must(ffi.Register(client.Plugin(), "next_input", ffi.Func(func(_ *ffi.Call, sum, next []float32) error {
		fmt.Println(sum)
		copy(next, inputs[0])
		inputs = inputs[1:]
		return nil
	})))
	exe, err := client.Compile(ctx, pjrt.Program{Code: []byte(`func.func @main(%sum: tensor<2xf32>, %steps: tensor<i32>) -> tensor<2xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %r:2 = stablehlo.while(%s = %sum, %i = %zero) : tensor<2xf32>, tensor<i32>
  cond {
    %c = stablehlo.compare LT, %i, %steps : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %x = stablehlo.custom_call @next_input(%s) {api_version = 4 : i32, has_side_effect = true} : (tensor<2xf32>) -> tensor<2xf32>
    %t = stablehlo.add %s, %x : tensor<2xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %t, %j : tensor<2xf32>, tensor<i32>
  }
  return %r#0 : tensor<2xf32>
}`)}, nil)
	must(err)
	defer exe.Close()
	sum, err := pjrt.FromSlice(ctx, client, []float32{0, 0})
	must(err)
	defer sum.Close()
	steps, err := pjrt.FromScalar(ctx, client, int32(3))
	must(err)
	defer steps.Close()

	outs, err := exe.Run(ctx, sum, steps)
	must(err)
	defer outs[0].Close()
	fmt.Println(pjrt.ToSlice[float32](ctx, outs[0]))
	// Output:
	// [0 0]
	// [0 10]
	// [1 20]
	// [3 30] <nil>
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
