// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package params_test

import (
	"context"
	"fmt"
	"log"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/params"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

const affine = `module @affine { func.func @main(%w: tensor<2xf32>, %b: tensor<2xf32>, %x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %0 = stablehlo.multiply %w, %x : tensor<2xf32>
  %1 = stablehlo.add %0, %b : tensor<2xf32>
  return %1, %0 : tensor<2xf32>, tensor<2xf32>
} }`

type pair struct{ W, B *pjrt.Buffer }

type input struct {
	Weights pair
	Title   string
	X       *pjrt.Buffer
}

type output struct{ Y [2]*pjrt.Buffer }

func affineProgram(t testing.TB, client *pjrt.Client) *pjrt.LoadedExecutable {
	t.Helper()
	exe, err := client.Compile(t.Context(), pjrt.Program{Code: []byte(affine)}, nil)
	require.NoError(t, err)
	t.Cleanup(func() { exe.Close() })
	return exe
}

func TestFuncOfCallsProgramsWithStructs(t *testing.T) {
	client := plugintest.Client(t)
	exe := affineProgram(t, client)
	w, b, x := upload(t, client, 2, 3), upload(t, client, 10, 20), upload(t, client, 1, 2)
	f, err := params.FuncOf[input, output](exe, nil)
	require.NoError(t, err)
	out, err := f.Call(t.Context(), input{Weights: pair{w, b}, X: x})
	require.NoError(t, err)
	defer params.Close(out)
	y, err := pjrt.ToSlice[float32](t.Context(), out.Y[0])
	require.NoError(t, err)
	assert.Equal(t, []float32{12, 26}, y)
	y, err = pjrt.ToSlice[float32](t.Context(), out.Y[1])
	require.NoError(t, err)
	assert.Equal(t, []float32{2, 6}, y)

	args, err := params.Arguments(pair{w, b})
	require.NoError(t, err)
	bound, err := exe.Bind(t.Context(), args...)
	require.NoError(t, err)
	defer bound.Close()
	g, err := params.FuncOf[*pjrt.Buffer, output](exe, bound)
	require.NoError(t, err)
	again, err := g.CallWith(t.Context(), x, &pjrt.ExecuteOptions{LaunchID: 3})
	require.NoError(t, err)
	defer params.Close(again)
	y, err = pjrt.ToSlice[float32](t.Context(), again.Y[0])
	require.NoError(t, err)
	assert.Equal(t, []float32{12, 26}, y)

	_, err = f.Call(t.Context(), input{Weights: pair{w, nil}, X: x})
	require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
	require.ErrorContains(t, err, "Weights.B is nil")
	_, err = g.CallWith(t.Context(), x, &pjrt.ExecuteOptions{Bound: bound})
	require.ErrorContains(t, err, "give it to FuncOf")
	var none *params.Func[input, output]
	_, err = none.Call(t.Context(), input{})
	require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
	_, err = new(params.Func[input, output]).Call(t.Context(), input{})
	require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
	_, err = params.FuncOf[input, pair](exe, bound)
	require.ErrorContains(t, err, "input has 3 buffers, and the program affine has 1 open parameters")
}

func TestFuncOfRefusesTypesThatDoNotFit(t *testing.T) {
	exe := affineProgram(t, plugintest.Client(t))
	check := func(want string, err error) {
		t.Helper()
		require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
		require.ErrorContains(t, err, want)
	}
	_, err := params.FuncOf[pair, output](exe, nil)
	check("params_test.pair has 2 buffers, and the program affine has 3 parameters", err)
	_, err = params.FuncOf[input, *pjrt.Buffer](exe, nil)
	check("*pjrt.Buffer has 1 buffers, and the program affine has 2 results", err)
	_, err = params.FuncOf[struct{ X []*pjrt.Buffer }, output](exe, nil)
	check("X is of type []*pjrt.Buffer; a type must say how many buffers it has", err)
	_, err = params.FuncOf[struct{ X any }, output](exe, nil)
	check("X is of type interface {}", err)
	_, err = params.FuncOf[struct{ X pjrt.Argument }, output](exe, nil)
	check("X is of type pjrt.Argument", err)
	_, err = params.FuncOf[struct{ x *pjrt.Buffer }, output](exe, nil)
	check("x may hold buffers but is not exported", err)
	_, err = params.FuncOf[input, output](nil, nil)
	check("the executable is nil", err)
}

// A program is called with structs, which Go's compiler checks.
func ExampleFuncOf() {
	ctx := context.Background()
	client := cpuClient(ctx)
	defer client.Close()
	exe, err := client.Compile(ctx, pjrt.Program{Code: []byte(affine)}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer exe.Close()
	type in struct{ W, B, X *pjrt.Buffer }
	type out struct{ Y, Scaled *pjrt.Buffer }
	f, err := params.FuncOf[in, out](exe, nil)
	if err != nil {
		log.Fatal(err)
	}
	args := in{numbers(ctx, client, 2, 3), numbers(ctx, client, 10, 20), numbers(ctx, client, 1, 2)}
	defer params.Close(args)
	results, err := f.Call(ctx, args)
	if err != nil {
		log.Fatal(err)
	}
	defer params.Close(results)
	fmt.Println(pjrt.ToSlice[float32](ctx, results.Y))
	// Output: [12 26] <nil>
}
