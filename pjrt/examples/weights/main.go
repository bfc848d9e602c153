// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Command weights loads the weights of a model from the safetensors file that its argument
// names, binds them to a program, and runs it. The file model.safetensors is beside it.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/params"
	"github.com/purepjrt/purepjrt/pjrt/plugins"
	"github.com/purepjrt/purepjrt/pjrt/safetensors"
)

// model has the weights in the order in which the program takes them.
type model struct {
	Layers [2]layer
}

type layer struct {
	Weight, Bias *pjrt.Buffer
}

// program takes the weights and a batch. Weights have a row for each output, as in PyTorch.
const program = `
func.func @main(%w0: tensor<2x2xf32>, %b0: tensor<2xf32>, %w1: tensor<1x2xf32>, %b1: tensor<1xf32>,
                %x: tensor<4x2xf32>) -> tensor<4x1xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<4x2xf32>
  %0 = stablehlo.dot_general %x, %w0, contracting_dims = [1] x [1] : (tensor<4x2xf32>, tensor<2x2xf32>) -> tensor<4x2xf32>
  %1 = stablehlo.broadcast_in_dim %b0, dims = [1] : (tensor<2xf32>) -> tensor<4x2xf32>
  %2 = stablehlo.add %0, %1 : tensor<4x2xf32>
  %3 = stablehlo.maximum %2, %zero : tensor<4x2xf32>
  %4 = stablehlo.dot_general %3, %w1, contracting_dims = [1] x [1] : (tensor<4x2xf32>, tensor<1x2xf32>) -> tensor<4x1xf32>
  %5 = stablehlo.broadcast_in_dim %b1, dims = [1] : (tensor<1xf32>) -> tensor<4x1xf32>
  %6 = stablehlo.add %4, %5 : tensor<4x1xf32>
  return %6 : tensor<4x1xf32>
}`

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: weights FILE.safetensors")
	}
	if err := run(context.Background(), os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, file string) error {
	client, err := plugins.Open(ctx, "cpu", nil)
	if err != nil {
		return err
	}
	defer client.Close()
	var m model
	if err := m.load(ctx, client, file); err != nil {
		return err
	}
	defer params.Close(m)

	exe, err := client.Compile(ctx, pjrt.Program{Code: []byte(program)}, nil)
	if err != nil {
		return err
	}
	defer exe.Close()
	args, err := params.Arguments(m)
	if err != nil {
		return err
	}
	bound, err := exe.Bind(ctx, args...) // an array of the wrong shape is an error that names it
	if err != nil {
		return err
	}
	defer bound.Close()

	x, err := pjrt.FromSlice(ctx, client, []float32{0, 0, 0, 1, 1, 0, 1, 1}, 4, 2)
	if err != nil {
		return err
	}
	defer x.Close()
	outs, err := exe.Execute(ctx, []*pjrt.Buffer{x}, &pjrt.ExecuteOptions{Bound: bound})
	if err != nil {
		return err
	}
	defer outs[0].Close()
	y, err := pjrt.ToSlice[float32](ctx, outs[0])
	if err != nil {
		return err
	}
	fmt.Println(y)
	return nil
}

// load puts the arrays of a file on the device. The file must have the arrays of the model and no
// others.
func (m *model) load(ctx context.Context, client *pjrt.Client, file string) error {
	f, err := safetensors.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.LoadInto(ctx, client, m, &safetensors.LoadOptions{Exact: true})
}
