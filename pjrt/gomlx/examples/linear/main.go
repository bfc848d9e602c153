// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Command linear finds the weights of a linear function with GoMLX, from data that it
// makes on the fly. It needs no C compiler; GOMLX_BACKEND selects a device other than the
// CPU.
package main

import (
	"fmt"
	"math/rand/v2"

	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph" //nolint:revive // as in GoMLX's own programs
	"github.com/gomlx/gomlx/ml/dataset"
	"github.com/gomlx/gomlx/ml/layers"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train"
	"github.com/gomlx/gomlx/ml/train/loss"
	"github.com/gomlx/gomlx/ml/train/optimizer"

	_ "github.com/purepjrt/purepjrt/pjrt/gomlx"
)

func main() {
	compute.DefaultConfig = "pjrt:cpu"
	backend := compute.MustNew()
	defer backend.Finalize()

	// y = 2a - 3b + 1
	r := rand.New(rand.NewPCG(1, 2))
	x, y := make([][]float32, 1000), make([][]float32, 1000)
	for i := range x {
		a, b := r.Float32(), r.Float32()
		x[i], y[i] = []float32{a, b}, []float32{2*a - 3*b + 1}
	}
	data, err := dataset.InMemoryFromData(backend, "linear", []any{x}, []any{y})
	if err != nil {
		panic(err)
	}

	store := model.NewStore()
	store.RootScope().SetParam(optimizer.ParamLearningRate, 0.1)
	linear := func(scope *model.Scope, x *Node) *Node { return layers.Dense(scope, x, true, 1) }
	trainer := train.NewTrainer(backend, store, linear, loss.MeanSquaredError, optimizer.Adam().Done(), nil, nil)
	if _, err := train.NewLoop(trainer).RunSteps(data.Infinite(true).Shuffle().BatchSize(100, true), 1000); err != nil {
		panic(err)
	}
	for v := range store.IterVariables() {
		if v.Trainable {
			fmt.Printf("%s %.2f\n", v.Name(), v.MustValue().Value())
		}
	}
}
