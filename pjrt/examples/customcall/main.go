// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Command customcall runs a program that calls a Go function, which clips an array.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/purepjrt/purepjrt/extensions/ffi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/plugins"
)

// clip is a call: what the program passes to the function, and where the result goes.
type clip struct {
	In   ffi.Arg[float32]
	Out  ffi.Ret[float32]
	Low  float32 // the attributes low and high of the call
	High float32
}

// handle works on the memory of the program, without a copy. An error ends the execution.
func handle(_ *ffi.Call, op *clip) error {
	if op.Low > op.High {
		return fmt.Errorf("low is %g, above high, which is %g", op.Low, op.High)
	}
	for i, x := range op.In.Data {
		op.Out.Data[i] = min(max(x, op.Low), op.High)
	}
	return nil
}

const program = `func.func @main(%x: tensor<5xf32>) -> tensor<5xf32> {
  %0 = stablehlo.custom_call @clip(%x) {api_version = 4 : i32, backend_config = {low = -1.0 : f32, high = 1.0 : f32}}
      : (tensor<5xf32>) -> tensor<5xf32>
  %1 = stablehlo.add %0, %0 : tensor<5xf32>
  return %1 : tensor<5xf32>
}`

func main() {
	doubled, err := run(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(doubled)
}

func run(ctx context.Context) ([]float32, error) {
	client, err := plugins.Open(ctx, "cpu", nil)
	if err != nil {
		return nil, err
	}
	defer client.Close()
	// Register handlers before compiling programs that call them. They stay until the process ends.
	if err := ffi.Register(client.Plugin(), "clip", handle); err != nil {
		return nil, err
	}
	exe, err := client.Compile(ctx, pjrt.Program{Code: []byte(program)}, nil)
	if err != nil {
		return nil, err
	}
	defer exe.Close()
	x, err := pjrt.FromSlice(ctx, client, []float32{-2, -0.5, 0, 0.5, 2}, 5)
	if err != nil {
		return nil, err
	}
	defer x.Close()
	outs, err := exe.Run(ctx, x)
	if err != nil {
		return nil, err
	}
	defer outs[0].Close()
	return pjrt.ToSlice[float32](ctx, outs[0])
}
