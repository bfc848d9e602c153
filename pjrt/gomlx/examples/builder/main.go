// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Command builder makes its program with the StableHLO builder of github.com/gomlx/go-xla, which
// checks shapes as it goes, instead of writing text. So the program may depend on what is known
// only at run time: here the sizes of a network's layers. The builder needs neither GoMLX nor cgo.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/go-xla/stablehlo"
	"github.com/gomlx/go-xla/types/shapes"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/params"
	"github.com/purepjrt/purepjrt/pjrt/plugins"
)

// layer has the parameters of a layer: weights, with a row for each input, and a bias for each
// output.
type layer struct {
	weights, bias []float32
}

// xor is a network that computes exclusive or.
var xor = []layer{
	{weights: []float32{1, 1, 1, 1}, bias: []float32{0, -1}},
	{weights: []float32{1, -2}, bias: []float32{0}},
}

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
	const rows, inputs = 4, 2
	code, err := network(rows, inputs, xor)
	if err != nil {
		return err
	}
	exe, err := client.Compile(ctx, pjrt.Program{Code: code}, nil)
	if err != nil {
		return err
	}
	defer exe.Close()
	bound, err := bind(ctx, exe, xor)
	if err != nil {
		return err
	}
	defer bound.Close()

	x, err := pjrt.FromSlice(ctx, client, []float32{0, 0, 0, 1, 1, 0, 1, 1}, rows, inputs)
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

// network returns a program that takes the parameters of the layers, and then rows of inputs.
func network(rows, inputs int, layers []layer) ([]byte, error) {
	b := stablehlo.New("network")
	main := b.Main()
	var parameters []*stablehlo.Value
	width := inputs
	for i, l := range layers {
		outputs := len(l.bias)
		w, err := main.NamedInput(fmt.Sprintf("weights%d", i), shapes.Make(dtypes.Float32, width, outputs))
		if err != nil {
			return nil, err
		}
		bias, err := main.NamedInput(fmt.Sprintf("bias%d", i), shapes.Make(dtypes.Float32, outputs))
		if err != nil {
			return nil, err
		}
		parameters = append(parameters, w, bias)
		width = outputs
	}
	x, err := main.NamedInput("x", shapes.Make(dtypes.Float32, rows, inputs))
	if err != nil {
		return nil, err
	}
	for i := range layers {
		if i > 0 {
			if x, err = rectify(main, x); err != nil {
				return nil, err
			}
		}
		if x, err = linear(x, parameters[2*i], parameters[2*i+1]); err != nil {
			return nil, fmt.Errorf("layer %d: %w", i, err)
		}
	}
	if err := main.Return(x); err != nil {
		return nil, err
	}
	return b.Build()
}

func linear(x, weights, bias *stablehlo.Value) (*stablehlo.Value, error) {
	product, err := stablehlo.Dot(x, weights)
	if err != nil {
		return nil, err
	}
	rows, err := stablehlo.BroadcastInDim(bias, product.Shape(), []int{1}) // the bias, once for each row
	if err != nil {
		return nil, err
	}
	return stablehlo.Add(product, rows)
}

func rectify(fn *stablehlo.Function, x *stablehlo.Value) (*stablehlo.Value, error) {
	zero, err := fn.ConstantFromScalar(float32(0))
	if err != nil {
		return nil, err
	}
	zeros, err := stablehlo.BroadcastInDim(zero, x.Shape(), nil)
	if err != nil {
		return nil, err
	}
	return stablehlo.Maximum(x, zeros)
}

// bind copies the parameters to the device.
func bind(ctx context.Context, exe *pjrt.LoadedExecutable, layers []layer) (*pjrt.Bound, error) {
	var buffers []*pjrt.Buffer
	defer func() {
		for _, b := range buffers {
			b.Close() // Bound keeps what it needs
		}
	}()
	for _, l := range layers {
		outputs := int64(len(l.bias))
		w, err := pjrt.FromSlice(ctx, exe.Client(), l.weights, int64(len(l.weights))/outputs, outputs)
		if err != nil {
			return nil, err
		}
		buffers = append(buffers, w)
		bias, err := pjrt.FromSlice(ctx, exe.Client(), l.bias, outputs)
		if err != nil {
			return nil, err
		}
		buffers = append(buffers, bias)
	}
	args, err := params.Arguments(buffers)
	if err != nil {
		return nil, err
	}
	return exe.Bind(ctx, args...)
}
