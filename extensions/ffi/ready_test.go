// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package ffi_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/extensions/ffi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// line writes an operation.
func line(t testing.TB, x ffi.Target, result string, results []pjrt.Shape, args ...ffi.Operand) string {
	t.Helper()
	s, err := x.Line(result, results, args...)
	require.NoError(t, err)
	return s
}

var (
	four  = pjrt.Shape{Type: dtype.F32, Dims: []int64{4}}
	bools = pjrt.Shape{Type: dtype.Pred, Dims: []int64{2, 2}}
)

func TestTheLineOfATargetCallsItsHandler(t *testing.T) {
	client := newClient(t)
	type where struct {
		Layer int32
		Deep  struct{ X []float32 }
	}
	type op struct {
		In       ffi.Arg[float32]
		Matrix   ffi.Arg[float64]
		Out      ffi.Ret[float32]
		Other    ffi.Ret[float64]
		MaxSteps int
		Small    uint8
		Wide     float64
		Float    float32
		Inf      float32
		Flag     bool
		Text     string
		Numbers  []int64
		Empty    []float64
		Where    where
		Map      map[string]any
		Skipped  string         `ffi:"skipped,optional"`
		Rest     map[string]any `ffi:",rest"`
	}
	want := op{MaxSteps: -7, Small: 200, Wide: 0.1, Float: 1e20, Inf: float32(math.Inf(-1)), Flag: true, Text: "a\"b\\\nü",
		Numbers: []int64{1, -2}, Empty: []float64{}, Where: where{Layer: 3}, Map: map[string]any{"a key": int64(1)}, Rest: map[string]any{"more": "x"}}
	want.Where.Deep.X = []float32{0.5}
	var got op
	var matrix []float64
	name := target() + " with \"quotes\""
	require.NoError(t, ffi.Register(client.Plugin(), name, func(_ *ffi.Call, x *op) error {
		got = *x
		matrix = append(matrix, x.Matrix.Data...)
		copy(x.Out.Data, x.In.Data)
		copy(x.Other.Data, x.Matrix.Data)
		return nil
	}))
	square := pjrt.Shape{Type: dtype.F64, Dims: []int64{2, 3}}
	text := line(t, ffi.Target{Name: name, Attributes: want, Aliases: map[int]int{1: 1}}, "%r", []pjrt.Shape{four, square},
		ffi.Operand{Name: "%a", Shape: four}, ffi.Operand{Name: "%t", Shape: square})
	exe := compile(t, client, `func.func @main(%a: tensor<4xf32>, %b: tensor<3x2xf64>) -> (tensor<4xf32>, tensor<2x3xf64>) {
  %t = stablehlo.transpose %b, dims = [1, 0] : (tensor<3x2xf64>) -> tensor<2x3xf64>
  `+text+`
  return %r#0, %r#1 : tensor<4xf32>, tensor<2x3xf64>
}`)
	b, err := pjrt.FromSlice(context.Background(), client, []float64{1, 2, 3, 4, 5, 6}, 3, 2)
	require.NoError(t, err)
	outs, err := execute(t, exe, nil, upload(t, client, 1, 2, 3, 4), b)
	require.NoError(t, err)
	assert.Equal(t, []float32{1, 2, 3, 4}, read(t, outs[0]))
	assert.Equal(t, []float64{1, 3, 5, 2, 4, 6}, matrix, "row-major")
	got.In, got.Out, got.Matrix, got.Other = want.In, want.Out, want.Matrix, want.Other
	assert.Equal(t, want, got)
}

func TestImpossibleLinesAreErrors(t *testing.T) {
	value := ffi.Operand{Name: "%a", Shape: four}
	for want, err := range map[string]error{
		"the custom call has no name":                                        second(ffi.Target{}.Line("", nil)),
		`cannot have the name "a"`:                                           second(ffi.Target{Name: "x"}.Line("a", []pjrt.Shape{four})),
		`cannot have the name ""`:                                            second(ffi.Target{Name: "x"}.Line("", []pjrt.Shape{four})),
		`the 0 results of the custom call x cannot have the name "%0"`:       second(ffi.Target{Name: "x"}.Line("%0", nil)),
		`argument 0 of the custom call x cannot have the name "%a) {"`:       second(ffi.Target{Name: "x"}.Line("", nil, ffi.Operand{Name: "%a) {"})),
		"the attributes of the custom call x: int is not a dictionary":       second(ffi.Target{Name: "x", Attributes: 1}.Line("", nil)),
		"f: func() has no form":                                              second(ffi.Target{Name: "x", Attributes: map[string]any{"f": func() {}}}.Line("", nil)),
		"f: is nil":                                                          second(ffi.Target{Name: "x", Attributes: map[string]any{"f": nil}}.Line("", nil)),
		"an attribute has no name":                                           second(ffi.Target{Name: "x", Attributes: map[string]any{"": 1}}.Line("", nil)),
		"f: XLA has no arrays of bool":                                       second(ffi.Target{Name: "x", Attributes: map[string]any{"f": []bool{true}}}.Line("", nil)),
		"result 0 of the custom call x cannot use the memory of argument 1":  second(ffi.Target{Name: "x", Aliases: map[int]int{0: 1}}.Line("%0", []pjrt.Shape{four}, value)),
		"result 0 of the custom call x cannot use the memory of argument 0:": second(ffi.Target{Name: "x", Aliases: map[int]int{0: 0}}.Line("%0", []pjrt.Shape{bools}, value)),
		"results 0 and 1 of the custom call x cannot both use the memory of argument 0": second(
			ffi.Target{Name: "x", Aliases: map[int]int{1: 0, 0: 0}}.Line("%0", []pjrt.Shape{four, four}, value)),
		"has no element type":      second(ffi.Target{Name: "x"}.Line("%0", []pjrt.Shape{{}})),
		"has a negative dimension": second(ffi.Target{Name: "x"}.Line("%0", []pjrt.Shape{{Type: dtype.F32, Dims: []int64{-1}}})),
	} {
		require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
		require.ErrorContains(t, err, want)
	}
}

func TestPrintShowsWhatAProgramComputesAndPassesItOn(t *testing.T) {
	client := newClient(t)
	var b bytes.Buffer
	name, nowhere := target(), target()
	require.NoError(t, ffi.Register(client.Plugin(), name, ffi.Print(&b)))
	require.NoError(t, ffi.Register(client.Plugin(), nowhere, ffi.Print(nil)))
	exe := compile(t, client, `func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %a, %a : tensor<4xf32>
  `+line(t, ffi.Target{Name: name, Attributes: ffi.PrintCall{Message: "sum"}}, "%1", []pjrt.Shape{four}, ffi.Operand{Name: "%0", Shape: four})+`
  `+line(t, ffi.Target{Name: name, SideEffect: true}, "", nil, ffi.Operand{Name: "%a", Shape: four}, ffi.Operand{Name: "%1", Shape: four})+`
  %2 = stablehlo.multiply %1, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}`)
	a := upload(t, client, 1, 2, 3, 4)
	outs, err := execute(t, exe, nil, a)
	require.NoError(t, err)
	assert.Equal(t, []float32{4, 16, 36, 64}, read(t, outs[0]))
	assert.Equal(t, "sum [2. 4. 6. 8.]\n[1. 2. 3. 4.] [2. 4. 6. 8.]\n", b.String())

	for _, c := range []struct{ code, want string }{
		{withAttributes(nowhere, ""), "there is nowhere to print to"},
		{strings.ReplaceAll(withAttributes(name, ""), "-> tensor<4xf32>", "-> tensor<2x2xf32>"), "result 0 is f32[2,2], and argument 0 is f32[4]"},
		{`func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.custom_call @` + name + `(%a, %a) {api_version = 4 : i32} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}`, "the call has 2 arguments and 1 results"},
	} {
		code := strings.ReplaceAll(c.code, "return %0 : tensor<4xf32>", "return %0 : tensor<4xf32>")
		if strings.Contains(code, "2x2") {
			code = strings.ReplaceAll(code, "return %0 : tensor<4xf32>", "return %0 : tensor<2x2xf32>")
		}
		_, err := execute(t, compile(t, client, code), nil, a)
		require.ErrorContains(t, err, c.want)
	}
}

func TestAssertSaysWhatDidNotHold(t *testing.T) {
	client := newClient(t)
	name := target()
	require.NoError(t, ffi.Register(client.Plugin(), name, ffi.Assert))
	positive := compile(t, client, `func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<4xf32>
  %c = stablehlo.compare GT, %a, %z : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  `+line(t, ffi.Target{Name: name, Attributes: ffi.AssertCall{Message: "weights are positive"}}, "%1", []pjrt.Shape{four},
		ffi.Operand{Name: "%c", Shape: pjrt.Shape{Type: dtype.Pred, Dims: []int64{4}}}, ffi.Operand{Name: "%a", Shape: four})+`
  return %1 : tensor<4xf32>
}`)
	outs, err := execute(t, positive, nil, upload(t, client, 1, 2, 3, 4))
	require.NoError(t, err)
	assert.Equal(t, []float32{1, 2, 3, 4}, read(t, outs[0]))
	_, err = execute(t, positive, nil, upload(t, client, 1, -2, 3, 0))
	require.ErrorIs(t, err, pjrt.ErrFailedPrecondition)
	require.ErrorContains(t, err, "assertion failed: weights are positive: false for 2 of 4, first at [1]\n[ 1. -2.  3.  0.]")
}

func TestProgressReportsHowFarALoopIsAndCanStopIt(t *testing.T) {
	client := newClient(t)
	name := target()
	var steps []int
	enough := errors.New("enough")
	require.NoError(t, ffi.Register(client.Plugin(), name, ffi.Progress(func(c *ffi.Call, what string, step, total int) error {
		assert.Equal(t, "epoch", what)
		steps = append(steps, step)
		if last, ok := ffi.Value[int](c); ok && step == last {
			return enough
		}
		assert.Equal(t, 3, total)
		return nil
	})))
	counter := pjrt.Shape{Type: dtype.S32}
	exe := compile(t, client, `func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %n = stablehlo.constant dense<3> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %x = %a) : tensor<i32>, tensor<4xf32>
  cond {
    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %y = stablehlo.add %x, %x : tensor<4xf32>
    `+line(t, ffi.Target{Name: name, Attributes: ffi.ProgressCall{Total: 3, What: "epoch"}}, "%z", []pjrt.Shape{four},
		ffi.Operand{Name: "%i", Shape: counter}, ffi.Operand{Name: "%y", Shape: four})+`
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %z : tensor<i32>, tensor<4xf32>
  }
  return %r#1 : tensor<4xf32>
}`)
	a := upload(t, client, 1, 2, 3, 4)
	outs, err := execute(t, exe, nil, a)
	require.NoError(t, err)
	assert.Equal(t, []float32{8, 16, 24, 32}, read(t, outs[0]))
	assert.Equal(t, []int{0, 1, 2}, steps)

	steps = nil
	_, err = execute(t, exe, &pjrt.ExecuteOptions{Extensions: []pjrt.ExecuteExtension{ffi.Values{1}}}, a)
	require.ErrorContains(t, err, "enough")
	assert.Equal(t, []int{0, 1}, steps)
}
