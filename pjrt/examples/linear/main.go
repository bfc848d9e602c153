// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Command linear finds the weights of a linear function. A program takes the weights and a
// batch, and returns better weights, which the device puts where the old ones were.
package main

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/plugins"
)

const (
	steps = 500
	batch = 32
)

// step is one step of gradient descent on the mean squared error. The attribute
// tf.aliasing_output donates an argument: its memory becomes that of the result.
const step = `
func.func @main(%w: tensor<2xf32> {tf.aliasing_output = 0 : i32}, %b: tensor<f32> {tf.aliasing_output = 1 : i32},
                %x: tensor<32x2xf32>, %y: tensor<32xf32>) -> (tensor<2xf32>, tensor<f32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %xw = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<32x2xf32>, tensor<2xf32>) -> tensor<32xf32>
  %bs = stablehlo.broadcast_in_dim %b, dims = [] : (tensor<f32>) -> tensor<32xf32>
  %prediction = stablehlo.add %xw, %bs : tensor<32xf32>
  %wrong = stablehlo.subtract %prediction, %y : tensor<32xf32>

  // The learning rate is 0.2, the gradient of the mean of wrong*wrong is 2/32 of these sums.
  %dw = stablehlo.dot_general %wrong, %x, contracting_dims = [0] x [0] : (tensor<32xf32>, tensor<32x2xf32>) -> tensor<2xf32>
  %db = stablehlo.reduce(%wrong init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<32xf32>, tensor<f32>) -> tensor<f32>
  %ratew = stablehlo.constant dense<0.0125> : tensor<2xf32>
  %rateb = stablehlo.constant dense<0.0125> : tensor<f32>
  %downw = stablehlo.multiply %dw, %ratew : tensor<2xf32>
  %downb = stablehlo.multiply %db, %rateb : tensor<f32>
  %w1 = stablehlo.subtract %w, %downw : tensor<2xf32>
  %b1 = stablehlo.subtract %b, %downb : tensor<f32>
  return %w1, %b1 : tensor<2xf32>, tensor<f32>
}`

func main() {
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	client, err := plugins.Open(ctx, "cpu", nil)
	if err != nil {
		return err
	}
	defer client.Close()
	exe, err := client.Compile(ctx, pjrt.Program{Code: []byte(step)}, nil)
	if err != nil {
		return err
	}
	defer exe.Close()

	w, err := pjrt.FromSlice(ctx, client, []float32{0, 0}, 2)
	if err != nil {
		return err
	}
	defer func() { w.Close() }()
	b, err := pjrt.FromScalar(ctx, client, float32(0))
	if err != nil {
		return err
	}
	defer func() { b.Close() }()
	random := rand.New(rand.NewPCG(1, 2))
	for range steps {
		better, err := improve(ctx, exe, w, b, random)
		if err != nil {
			return err
		}
		w.Close() // the contents were donated; this frees the handle
		b.Close()
		w, b = better[0], better[1]
	}

	slopes, err := pjrt.ToSlice[float32](ctx, w)
	if err != nil {
		return err
	}
	intercept, err := pjrt.ToScalar[float32](ctx, b)
	if err != nil {
		return err
	}
	fmt.Printf("y = %.2f*x0 %+.2f*x1 %+.2f\n", slopes[0], slopes[1], intercept)
	return nil
}

// improve runs one step on random points of the function to find.
func improve(ctx context.Context, exe *pjrt.LoadedExecutable, w, b *pjrt.Buffer, random *rand.Rand) ([]*pjrt.Buffer, error) {
	points, values := make([]float32, 0, 2*batch), make([]float32, 0, batch)
	for range batch {
		x0, x1 := 2*random.Float32()-1, 2*random.Float32()-1
		points = append(points, x0, x1)
		values = append(values, 2*x0-3*x1+1)
	}
	x, err := pjrt.FromSlice(ctx, exe.Client(), points, batch, 2)
	if err != nil {
		return nil, err
	}
	defer x.Close()
	y, err := pjrt.FromSlice(ctx, exe.Client(), values, batch)
	if err != nil {
		return nil, err
	}
	defer y.Close()
	return exe.Run(ctx, w, b, x, y)
}
