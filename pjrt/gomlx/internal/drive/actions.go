// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build cgo

package main

import (
	"fmt"
	"math"
	"os"
	"strings"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/distributed"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/go-xla/compute/xla"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/layers"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train"
	"github.com/gomlx/gomlx/ml/train/loss"
	"github.com/gomlx/gomlx/ml/train/optimizer"
)

// state is what the actions share: the backend, and tensors that live until the process ends.
type state struct {
	backend compute.Backend
	kept    []*tensors.Tensor
}

// action is something that users of GoMLX do. It panics if that fails, and returns what a user sees
// of it.
type action struct {
	name string
	do   func(*state) string
}

var actions = []action{
	{"start", start}, {"describe", describe}, {"transfer", transfer}, {"shared", shared}, {"graph", program}, {"train", training},
	{"donate", donate}, {"copy", copyOver}, {"device", device}, {"spmd", spmd}, {"shard", shard}, {"too_large", tooLarge}, {"close", closing},
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

// array has the numbers that the actions compute with.
func array() []float32 {
	x := make([]float32, 24)
	for i := range x {
		x[i] = float32(i)/8 - 1.5
	}
	return x
}

func tensor() *tensors.Tensor { return tensors.FromFlatDataAndDimensions(array(), 4, 6) }

// same panics if a tensor does not hold what f makes of the numbers of array. GoMLX cannot notice
// that.
func same(t *tensors.Tensor, f func(i int) float64) {
	for i, got := range must(tensors.CopyFlatData[float32](t)) {
		if want := f(i); !(math.Abs(float64(got)-want) <= 1e-5*math.Abs(want)+1e-6) {
			panic(fmt.Sprintf("wrong numbers: element %d is %v, and %v was expected", i, got, want))
		}
	}
}

// times returns what a multiple of array's numbers is.
func times(n float64) func(i int) float64 {
	return func(i int) float64 { return n * float64(array()[i]) }
}

func start(s *state) string {
	s.backend = must(xla.New(os.Getenv("CALLER_PLUGIN")))
	return fmt.Sprintf("%d devices, shared: %v", s.backend.NumDevices(), s.backend.HasSharedBuffers())
}

func describe(s *state) string {
	// The description of the backend has the path of its plugin.
	_, devices, _ := strings.Cut(s.backend.Description(), "[")
	list := []string{devices}
	for i := range s.backend.NumDevices() {
		list = append(list, s.backend.DeviceDescription(compute.DeviceNum(i)))
	}
	return strings.Join(list, "; ")
}

// transfer copies arrays to two devices and back, without memory that is shared with them.
func transfer(s *state) string {
	for d := range compute.DeviceNum(2) {
		t := tensor()
		check(t.MaterializeOnDevice(s.backend, false, d))
		t.FinalizeLocal()
		same(t, times(1))
		s.kept = append(s.kept, t)
	}
	t := tensors.FromFlatDataAndDimensions([]int8{1, -2}, 2)
	check(t.MaterializeOnDevice(s.backend, false, 0))
	t.FinalizeLocal()
	if got := must(tensors.CopyFlatData[int8](t)); got[0] != 1 || got[1] != -2 {
		panic(fmt.Sprintf("wrong numbers: %v", got))
	}
	t.MustFinalizeAll()
	return ""
}

// shared moves a tensor to where GoMLX's functions put it: with a plugin that has "cpu" in its name,
// memory that is shared with the device.
func shared(s *state) string {
	t := tensor()
	check(t.ToDevice(s.backend, 0))
	same(t, times(1))
	s.kept = append(s.kept, t)
	return fmt.Sprintf("shared: %v", t.IsShared())
}

// program runs a program with two results twice.
func program(s *state) string {
	e := graph.MustNewExec(s.backend, func(x *graph.Node) (*graph.Node, *graph.Node) {
		return graph.Tanh(graph.MulScalar(x, 2)), graph.ReduceAllSum(x)
	})
	defer e.Finalize()
	in := tensor()
	for range 2 {
		y, sum := e.MustCall2(in)
		same(y, func(i int) float64 { return math.Tanh(2 * float64(array()[i])) })
		same(sum, func(int) float64 { return -1.5*24 + 276.0/8 })
		s.kept = append(s.kept, y)
	}
	return ""
}

// training trains a model, whose variables are donated in each step.
func training(s *state) string {
	store := model.NewStore()
	f := func(scope *model.Scope, x *graph.Node) *graph.Node {
		return layers.Dense(scope.In("dense"), x, true, 1)
	}
	t := train.NewTrainer(s.backend, store, f, loss.MeanSquaredError, optimizer.StochasticGradientDescent().Done(), nil, nil)
	var first, last float32
	for i := range 8 {
		metrics := must(t.TrainStep(train.Batch{
			Inputs: []*tensors.Tensor{tensor()}, Labels: []*tensors.Tensor{tensors.FromFlatDataAndDimensions([]float32{1, 2, 3, 4}, 4, 1)},
		}))
		last = tensors.ToScalar[float32](metrics[0])
		if i == 0 {
			first = last
		}
		for _, m := range metrics {
			m.MustFinalizeAll()
		}
	}
	if !(last < first) {
		panic(fmt.Sprintf("wrong numbers: the loss was %v, and is %v", first, last))
	}
	return ""
}

func donate(s *state) string {
	e := graph.MustNewExec(s.backend, func(x *graph.Node) *graph.Node { return graph.MulScalar(x, 2) })
	defer e.Finalize()
	t := tensor()
	check(t.MaterializeOnDevice(s.backend, false, 0))
	t.FinalizeLocal()
	y := e.MustCall1(must(graph.DonateTensorBuffer(t, s.backend, 0)))
	same(y, times(2))
	y.MustFinalizeAll()
	return ""
}

// copyOver copies a tensor from one device to another one. Where GoMLX reads the memory of buffers
// in place, it does not wait for the copy: only the buffer itself does.
func copyOver(s *state) string {
	t := tensor()
	check(t.MaterializeOnDevice(s.backend, false, 0))
	t.FinalizeLocal()
	check(t.MaterializeOnDevice(s.backend, false, 2))
	got := make([]float32, 24)
	check(must(t.Buffer(s.backend, 2)).ToFlatData(got))
	same(tensors.FromFlatDataAndDimensions(got, 24), times(1))
	s.kept = append(s.kept, t)
	return fmt.Sprintf("on device %d", must(t.Device()))
}

// device runs a portable program on another device than the first.
func device(s *state) string {
	e := graph.MustNewExec(s.backend, func(x *graph.Node) *graph.Node { return graph.MulScalar(x, 3) })
	defer e.Finalize()
	y := must(e.CallOnDevice(1, tensor()))[0]
	same(y, times(3))
	s.kept = append(s.kept, y)
	return fmt.Sprintf("on device %d", must(y.Device()))
}

const copies = 4 // of a program, on as many devices

// spmd runs the same program on several devices, which exchange numbers.
func spmd(s *state) string {
	g := graph.NewGraph(s.backend, "spmd")
	defer g.Finalize()
	check(g.SetSPMD(must(distributed.NewDeviceMesh([]int{copies}, []string{"replica"}))))
	x := graph.Parameter(g, "x", shapes.Make(dtypes.Float32, 4, 6))
	check(g.Compile(g.Distributed().AllReduceOne(x, compute.ReduceOpSum)))
	for _, y := range g.Run(tensor(), tensor(), tensor(), tensor()) {
		same(y, times(copies))
	}
	return ""
}

// shard spreads one array over several devices.
func shard(s *state) string {
	mesh := must(distributed.NewDeviceMesh([]int{copies}, []string{"sharded"}))
	g := graph.NewGraph(s.backend, "shard")
	defer g.Finalize()
	check(g.SetAutoSharding(mesh))
	x := graph.ShardedParameter(g, "x", shapes.Make(dtypes.Float32, 24), must(distributed.BuildSpec(mesh).S("sharded").Done()))
	check(g.Compile(graph.ReduceAllSum(x)))
	var parts []any
	for i := range copies {
		parts = append(parts, array()[6*i:6*i+6])
	}
	for _, y := range g.Run(parts...) {
		same(y, func(int) float64 { return -1.5*24 + 276.0/8 })
	}
	return ""
}

// tooLarge asks for an array that no device holds, and shows the error.
func tooLarge(s *state) string {
	_, err := graph.CallOnce(s.backend, func(x *graph.Node) *graph.Node {
		return graph.BroadcastToDims(x, 1<<21, 1<<21)
	}, float32(1))
	if err == nil {
		return "no error"
	}
	_, text, _ := strings.Cut(err.Error(), "PJRT error (")
	return strings.SplitN(text, ":", 2)[0]
}

// closing makes a second backend, uses it, and closes it.
func closing(*state) string {
	b := must(xla.New(os.Getenv("CALLER_PLUGIN")))
	y := graph.MustExecOnce(b, func(x *graph.Node) *graph.Node { return graph.Neg(x) }, tensor())
	same(y, times(-1))
	y.MustFinalizeAll()
	b.Finalize()
	return ""
}
