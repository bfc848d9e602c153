// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Command mlp trains a network with one hidden layer to compute exclusive or. One program
// does a step of the training: forward, backward and update. The parameters are donated,
// so they stay where they are on the device.
package main

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/params"
	"github.com/purepjrt/purepjrt/pjrt/plugins"
)

// network has the parameters in the order in which the programs take them.
type network struct {
	Hidden, Output layer
}

type layer struct {
	Weights, Bias *pjrt.Buffer
}

const predict = `
func.func @main(%w1: tensor<2x8xf32>, %b1: tensor<8xf32>, %w2: tensor<8x1xf32>, %b2: tensor<1xf32>,
                %x: tensor<4x2xf32>) -> tensor<4x1xf32> {
  %xw = stablehlo.dot_general %x, %w1, contracting_dims = [1] x [0] : (tensor<4x2xf32>, tensor<2x8xf32>) -> tensor<4x8xf32>
  %b1s = stablehlo.broadcast_in_dim %b1, dims = [1] : (tensor<8xf32>) -> tensor<4x8xf32>
  %a = stablehlo.add %xw, %b1s : tensor<4x8xf32>
  %h = stablehlo.tanh %a : tensor<4x8xf32>
  %hw = stablehlo.dot_general %h, %w2, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x1xf32>) -> tensor<4x1xf32>
  %b2s = stablehlo.broadcast_in_dim %b2, dims = [1] : (tensor<1xf32>) -> tensor<4x1xf32>
  %p = stablehlo.add %hw, %b2s : tensor<4x1xf32>
  return %p : tensor<4x1xf32>
}`

// step minimizes half the sum of squared errors by gradient descent. It returns the
// parameters, in the memory of its first four arguments (tf.aliasing_output).
const step = `
func.func @main(%w1: tensor<2x8xf32> {tf.aliasing_output = 0 : i32}, %b1: tensor<8xf32> {tf.aliasing_output = 1 : i32},
                %w2: tensor<8x1xf32> {tf.aliasing_output = 2 : i32}, %b2: tensor<1xf32> {tf.aliasing_output = 3 : i32},
                %x: tensor<4x2xf32>, %y: tensor<4x1xf32>) -> (tensor<2x8xf32>, tensor<8xf32>, tensor<8x1xf32>, tensor<1xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>

  // forward
  %xw = stablehlo.dot_general %x, %w1, contracting_dims = [1] x [0] : (tensor<4x2xf32>, tensor<2x8xf32>) -> tensor<4x8xf32>
  %b1s = stablehlo.broadcast_in_dim %b1, dims = [1] : (tensor<8xf32>) -> tensor<4x8xf32>
  %a = stablehlo.add %xw, %b1s : tensor<4x8xf32>
  %h = stablehlo.tanh %a : tensor<4x8xf32>
  %hw = stablehlo.dot_general %h, %w2, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x1xf32>) -> tensor<4x1xf32>
  %b2s = stablehlo.broadcast_in_dim %b2, dims = [1] : (tensor<1xf32>) -> tensor<4x1xf32>
  %p = stablehlo.add %hw, %b2s : tensor<4x1xf32>

  // backward: dv is the derivative with respect to v
  %dp = stablehlo.subtract %p, %y : tensor<4x1xf32>
  %dw2 = stablehlo.dot_general %h, %dp, contracting_dims = [0] x [0] : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<8x1xf32>
  %db2 = stablehlo.reduce(%dp init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4x1xf32>, tensor<f32>) -> tensor<1xf32>
  %dh = stablehlo.dot_general %dp, %w2, contracting_dims = [1] x [1] : (tensor<4x1xf32>, tensor<8x1xf32>) -> tensor<4x8xf32>
  %one = stablehlo.constant dense<1.0> : tensor<4x8xf32>
  %hh = stablehlo.multiply %h, %h : tensor<4x8xf32>
  %slope = stablehlo.subtract %one, %hh : tensor<4x8xf32>
  %da = stablehlo.multiply %dh, %slope : tensor<4x8xf32>
  %dw1 = stablehlo.dot_general %x, %da, contracting_dims = [0] x [0] : (tensor<4x2xf32>, tensor<4x8xf32>) -> tensor<2x8xf32>
  %db1 = stablehlo.reduce(%da init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<8xf32>

  // update, with a learning rate of 0.1
  %r1 = stablehlo.constant dense<0.1> : tensor<2x8xf32>
  %r2 = stablehlo.constant dense<0.1> : tensor<8xf32>
  %r3 = stablehlo.constant dense<0.1> : tensor<8x1xf32>
  %r4 = stablehlo.constant dense<0.1> : tensor<1xf32>
  %d1 = stablehlo.multiply %dw1, %r1 : tensor<2x8xf32>
  %d2 = stablehlo.multiply %db1, %r2 : tensor<8xf32>
  %d3 = stablehlo.multiply %dw2, %r3 : tensor<8x1xf32>
  %d4 = stablehlo.multiply %db2, %r4 : tensor<1xf32>
  %n1 = stablehlo.subtract %w1, %d1 : tensor<2x8xf32>
  %n2 = stablehlo.subtract %b1, %d2 : tensor<8xf32>
  %n3 = stablehlo.subtract %w2, %d3 : tensor<8x1xf32>
  %n4 = stablehlo.subtract %b2, %d4 : tensor<1xf32>
  return %n1, %n2, %n3, %n4 : tensor<2x8xf32>, tensor<8xf32>, tensor<8x1xf32>, tensor<1xf32>
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
	x, err := pjrt.FromSlice(ctx, client, []float32{0, 0, 0, 1, 1, 0, 1, 1}, 4, 2)
	if err != nil {
		return err
	}
	defer x.Close()
	y, err := pjrt.FromSlice(ctx, client, []float32{0, 1, 1, 0}, 4, 1)
	if err != nil {
		return err
	}
	defer y.Close()

	var net network
	defer net.close()
	if err := net.init(ctx, client); err != nil {
		return err
	}
	if err := net.train(ctx, client, x, y, 2000); err != nil {
		return err
	}
	values, err := net.predict(ctx, client, x)
	if err != nil {
		return err
	}
	for i, v := range values {
		fmt.Printf("%d xor %d is %t\n", i/2, i%2, v > 0.5)
	}
	return nil
}

// init gives the weights small random values.
func (n *network) init(ctx context.Context, client *pjrt.Client) error {
	random := rand.New(rand.NewPCG(1, 2))
	for _, p := range []struct {
		b    **pjrt.Buffer
		dims []int64
	}{
		{&n.Hidden.Weights, []int64{2, 8}},
		{&n.Hidden.Bias, []int64{8}},
		{&n.Output.Weights, []int64{8, 1}},
		{&n.Output.Bias, []int64{1}},
	} {
		size := int64(1)
		for _, d := range p.dims {
			size *= d
		}
		values := make([]float32, size)
		if len(p.dims) == 2 { // not a bias
			for i := range values {
				values[i] = float32(random.NormFloat64())
			}
		}
		var err error
		if *p.b, err = pjrt.FromSlice(ctx, client, values, p.dims...); err != nil {
			return err
		}
	}
	return nil
}

func (n *network) buffers() []*pjrt.Buffer {
	return []*pjrt.Buffer{n.Hidden.Weights, n.Hidden.Bias, n.Output.Weights, n.Output.Bias}
}

func (n *network) close() {
	for _, b := range n.buffers() {
		b.Close()
	}
}

func (n *network) train(ctx context.Context, client *pjrt.Client, x, y *pjrt.Buffer, steps int) error {
	exe, err := client.Compile(ctx, pjrt.Program{Code: []byte(step)}, nil)
	if err != nil {
		return err
	}
	defer exe.Close()
	for range steps {
		better, err := exe.Execute(ctx, append(n.buffers(), x, y), nil)
		if err != nil {
			return err
		}
		n.close() // their contents went to the results
		if err := params.Scan(better, n); err != nil {
			return err
		}
	}
	return nil
}

func (n *network) predict(ctx context.Context, client *pjrt.Client, x *pjrt.Buffer) ([]float32, error) {
	exe, err := client.Compile(ctx, pjrt.Program{Code: []byte(predict)}, nil)
	if err != nil {
		return nil, err
	}
	defer exe.Close()
	outs, err := exe.Execute(ctx, append(n.buffers(), x), nil)
	if err != nil {
		return nil, err
	}
	defer outs[0].Close()
	return pjrt.ToSlice[float32](ctx, outs[0])
}
