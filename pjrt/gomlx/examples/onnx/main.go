// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Command onnx says when someone speaks. It runs an ONNX model, which onnx-gomlx turns into a
// program of GoMLX, on a PJRT plugin: without ONNX Runtime, and without a C compiler.
//
//	onnx MODEL SAMPLES.npy
//
// MODEL is the file silero_vad_op18_ifless.onnx of the Python package silero-vad 6.2.3, SAMPLES.npy
// an array of floats, 16000 a second. For each 32 milliseconds the command prints when they begin
// and how probable it is that they are speech. GOMLX_BACKEND selects a device other than the CPU.
package main

import (
	"encoding/binary"
	"fmt"
	"os"

	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph" //nolint:revive // as in GoMLX's own programs
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/onnx-gomlx/onnx/parser"

	"github.com/purepjrt/purepjrt/pjrt/dtype"
	_ "github.com/purepjrt/purepjrt/pjrt/gomlx"
	"github.com/purepjrt/purepjrt/pjrt/npy"
)

const (
	rate    = 16000
	chunk   = 512 // what the model looks at, after the end of the chunk before
	context = 64
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: onnx MODEL SAMPLES.npy")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "onnx:", err)
		os.Exit(1)
	}
}

func run(name, samples string) error {
	a, err := npy.ReadFileAs(samples, dtype.F32)
	if err != nil {
		return err
	}
	heard := make([]float32, context+a.Len())
	if _, err := binary.Decode(a.Data, binary.LittleEndian, heard[context:]); err != nil {
		return err
	}

	compute.DefaultConfig = "pjrt:cpu"
	backend, err := compute.New()
	if err != nil {
		return err
	}
	defer backend.Finalize()
	detector, err := parser.FromFile(name)
	if err != nil {
		return err
	}
	defer detector.Close()
	store := model.NewStore()
	if err := detector.VariablesToScope(store.RootScope()); err != nil {
		return err
	}
	detector.WithInputsAsConstants(map[string]any{"sr": int64(rate)})
	step, err := model.NewExec(backend, store, func(scope *model.Scope, input, state *Node) []*Node {
		return detector.CallGraph(scope, input.Graph(), map[string]*Node{"input": input, "state": state}, "output", "stateN")
	})
	if err != nil {
		return err
	}
	defer step.Finalize()
	state := tensors.FromFlatDataAndDimensions(make([]float32, 2*128), 2, 1, 128)
	for start := 0; start+context+chunk <= len(heard); start += chunk {
		input := tensors.FromFlatDataAndDimensions(heard[start:start+context+chunk], 1, context+chunk)
		results, err := step.Call(input, state)
		if err != nil {
			return err
		}
		fmt.Printf("%.3f %.5f\n", float64(start)/rate, results[0].Value().([][]float32)[0][0])
		state.MustFinalizeAll()
		input.MustFinalizeAll()
		state = results[1]
	}
	return nil
}
