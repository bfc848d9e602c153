// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package programs

import (
	"fmt"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

var queueChecks = []check.Check{
	{Rule: "RUN-21", Run: func(t *check.T) { executesTogether(t, 8, 25) }},
	{Rule: "RUN-21", Variant: "many", Profile: check.Core, Timeout: 3 * check.DefaultTimeout, Run: func(t *check.T) { executesTogether(t, 16, 1000) }},
	{Rule: "RUN-28", Run: func(t *check.T) { deepQueue(t, 2000) }},
	{Rule: "RUN-28", Variant: "n=10000", Profile: check.Core, Timeout: 2 * check.DefaultTimeout, Run: func(t *check.T) { deepQueue(t, 10000) }},
	{Rule: "RUN-28", Variant: "waiting", Run: waitingQueue},
	{Rule: "RUN-29", Run: func(t *check.T) { sameBits(t, 10) }},
	{Rule: "RUN-29", Variant: "n=100", Profile: check.Core, Timeout: 2 * check.DefaultTimeout, Run: func(t *check.T) { sameBits(t, 100) }},
	{Rule: "RUN-30", Hostile: true, Run: outOfMemory},
	{Rule: "RUN-31", Hostile: true, Run: faultyCall},
}

// scratch is a program that needs memory of its own while it runs: it multiplies a matrix
// that it makes from its argument.
const scratch = `module @scratch {
  func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<4xf32>) -> tensor<4x4xf32>
    %1 = stablehlo.dot_general %0, %0, contracting_dims = [1] x [1] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %2 = stablehlo.slice %1 [0:1, 0:4] : (tensor<4x4xf32>) -> tensor<1x4xf32>
    %3 = stablehlo.reshape %2 : (tensor<1x4xf32>) -> tensor<4xf32>
    return %3 : tensor<4xf32>
  }
}`

// executesTogether executes one program from several threads, each on its own
// numbers.
func executesTogether(t *check.T, threads, each int) {
	c := t.Client()
	exe := t.Compile(c, scratch)
	arguments := make([]*capi.Buffer, threads)
	for i := range arguments {
		arguments[i] = check.Upload(t, c, fill(4, float32(i), 0))
	}
	together(t, threads, func(i int) error {
		for n := range each {
			got := make([]float32, 4)
			err := quickly(t, exe, 1, got, arguments[i])
			if err == nil {
				err = differ(got, fill(4, float32(4*i*i), 0))
			}
			if err != nil {
				return fmt.Errorf("execution %d of %d in thread %d of %d: %w", n+1, each, i+1, threads, err)
			}
		}
		return nil
	})
}

// leftBehind is how many bytes an execution may leak.
const leftBehind = 16 << 10

// deepQueue enqueues n executions, and then checks their results. It does so twice: the
// memory of the first round must suffice for the second.
func deepQueue(t *check.T, n int) {
	c := t.Client()
	exe := t.Shared(check.AddOne)
	in := upload4(t, c)
	round := func(n int) bool {
		events, outputs := make([]*capi.Event, 0, n), make([]*capi.Buffer, 0, n)
		defer func() {
			for i := range events {
				check.Try(t, capi.EventDestroyArgs{Event: events[i]})
				check.Try(t, capi.BufferDestroyArgs{Buffer: outputs[i]})
			}
		}()
		for i := range n {
			x := check.NewExecution(exe, 1, []*capi.Buffer{in})
			if err := x.Execute(t); !t.NoError(err, fmt.Sprintf("execution %d of %d that nobody waits for", i+1, n)) {
				return false
			}
			events, outputs = append(events, x.Events[0]), append(outputs, x.Outputs[0][0])
		}
		for i, e := range events {
			if !t.NoError(t.Await(e), fmt.Sprintf("execution %d of %d", i+1, n)) {
				return false
			}
		}
		return check.ExpectBuffer(t, outputs[n-1], []float32{2, 3, 4, 5}, fmt.Sprintf("the last of %d executions", n))
	}
	if !round(n) {
		return
	}
	before, err := check.ResidentBytes()
	if !round(n) {
		return
	}
	if err != nil {
		t.Notef("the memory of the process cannot be measured here: %v", err)
		return
	}
	after, err := check.ResidentBytes()
	if each := (after - before) / int64(n); err == nil && each > leftBehind {
		t.Errorf("memory after a second round of %d executions, all destroyed: expected less than %d bytes more for each, got %d (from %d to %d)", n, leftBehind, each, before, after)
	}
}

// sameBits executes a program with rounding sums several times, and compares the bits.
func sameBits(t *check.T, runs int) {
	c := t.Client()
	const n = 64
	exe := t.Compile(c, program("rounding", "(%a: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64xf32>)",
		"%0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>",
		"%1 = stablehlo.tanh %0 : tensor<64x64xf32>", "%z = stablehlo.constant dense<0.0> : tensor<f32>",
		"%2 = stablehlo.reduce(%1 init: %z) applies stablehlo.add across dimensions = [1] : (tensor<64x64xf32>, tensor<f32>) -> tensor<64xf32>",
		"return %1, %2 : tensor<64x64xf32>, tensor<64xf32>"))
	data := make([]float32, n*n)
	for i := range data {
		data[i] = float32(i%37)/41 - 0.4
	}
	in := check.Upload(t, c, data, n, n)
	var want [2]string
	for i := range runs {
		out := t.Run(exe, 2, in)
		for j, b := range out {
			got := string(t.Download(b))
			if i == 0 {
				want[j] = got
			} else if got != want[j] {
				t.Errorf("output %d of run %d of %d: expected the bits of the first run, but byte %d differs", j, i+1, runs,
					check.DiffersAt([]byte(got), []byte(want[j])))
				return
			}
			check.Destroy(t, b)
		}
	}
}

// outOfMemory compiles and runs a program whose result no memory can hold.
func outOfMemory(t *check.T) {
	c := t.Client()
	// 2^48 bytes: more than a process can address on today's machines.
	exe, err := tryCompile(t, c, program("too_large", "(%a: tensor<f32>) -> tensor<70368744177664xf32>",
		"%0 = stablehlo.broadcast_in_dim %a, dims = [] : (tensor<f32>) -> tensor<70368744177664xf32>",
		"return %0 : tensor<70368744177664xf32>"), options{})
	what := "compiling a program that needs 2^48 bytes"
	if err == nil {
		_, err = attempt(t, exe, 1, check.Upload(t, c, []float32{1}, []int64{}...))
		what = "executing a program that needs 2^48 bytes"
	}
	t.ErrorCode(err, what, capi.ErrorCodeResourceExhausted)
	runsAddOne(t, c, t.Compile(c, check.AddOne), "a program after one that needed too much memory")
}
