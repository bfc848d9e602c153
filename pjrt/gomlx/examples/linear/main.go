// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Command linear finds the weights of a linear function with GoMLX, from data that it
// makes on the fly. It needs no C compiler; GOMLX_BACKEND selects a device other than the
// CPU.
package main

import (
	"fmt"
	"math/rand/v2"

	"github.com/gomlx/gomlx/backends"
	. "github.com/gomlx/gomlx/pkg/core/graph" //nolint:revive // as in GoMLX's own programs
	"github.com/gomlx/gomlx/pkg/ml/context"
	"github.com/gomlx/gomlx/pkg/ml/datasets"
	"github.com/gomlx/gomlx/pkg/ml/layers"
	"github.com/gomlx/gomlx/pkg/ml/train"
	"github.com/gomlx/gomlx/pkg/ml/train/losses"
	"github.com/gomlx/gomlx/pkg/ml/train/optimizers"

	_ "github.com/purepjrt/purepjrt/pjrt/gomlx"
)

func main() {
	backends.DefaultConfig = "pjrt:cpu"
	backend := backends.MustNew()
	defer backend.Finalize()

	// y = 2a - 3b + 1
	r := rand.New(rand.NewPCG(1, 2))
	x, y := make([][]float32, 1000), make([][]float32, 1000)
	for i := range x {
		a, b := r.Float32(), r.Float32()
		x[i], y[i] = []float32{a, b}, []float32{2*a - 3*b + 1}
	}
	data, err := datasets.InMemoryFromData(backend, "linear", []any{x}, []any{y})
	if err != nil {
		panic(err)
	}

	model := func(ctx *context.Context, _ any, inputs []*Node) []*Node {
		return []*Node{layers.Dense(ctx, inputs[0], true, 1)}
	}
	ctx := context.New()
	ctx.SetParam(optimizers.ParamLearningRate, 0.1)
	trainer := train.NewTrainer(backend, ctx, model, losses.MeanSquaredError, optimizers.Adam().Done(), nil, nil)
	if _, err := train.NewLoop(trainer).RunSteps(data.Infinite(true).Shuffle().BatchSize(100, true), 1000); err != nil {
		panic(err)
	}
	for v := range ctx.IterVariables() {
		if v.Trainable {
			fmt.Printf("%s %.2f\n", v.Name(), v.MustValue().Value())
		}
	}
}
