// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package ffi_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/purepjrt/purepjrt/extensions/ffi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/plugins"
)

// start returns a client of the plugin for CPUs.
func start(ctx context.Context) *pjrt.Client {
	client, err := plugins.Open(ctx, "cpu", nil)
	if err != nil {
		log.Fatal(err)
	}
	return client
}

// run executes a program with one argument and prints its result.
func run(ctx context.Context, client *pjrt.Client, code string, opts *pjrt.ExecuteOptions) {
	exe, err := client.Compile(ctx, pjrt.Program{Code: []byte(code)}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer exe.Close()
	x, err := pjrt.FromSlice(ctx, client, []float32{1, 2, 3}, 3)
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()
	outs, err := exe.Execute(ctx, []*pjrt.Buffer{x}, opts)
	if err != nil {
		log.Fatal(err)
	}
	defer outs[0].Close()
	values, err := pjrt.ToSlice[float32](ctx, outs[0])
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(values)
}

// scale is a call of the handler scale.
type scale struct {
	In     ffi.Arg[float32]
	Out    ffi.Ret[float32]
	Factor float32
}

// A program calls a Go function.
func ExampleRegister() {
	ctx := context.Background()
	client := start(ctx)
	defer client.Close()
	// The handler stays registered until the process ends.
	err := ffi.Register(client.Plugin(), "scale", func(_ *ffi.Call, op *scale) error {
		for i, x := range op.In.Data {
			op.Out.Data[i] = x * op.Factor
		}
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	run(ctx, client, `func.func @main(%a: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.custom_call @scale(%a) {api_version = 4 : i32, backend_config = {factor = 2.0 : f32}} : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}`, nil)
	// Output: [2 4 6]
}

// A Target writes the operation that calls a handler, with attributes from a struct.
func ExampleTarget_Line() {
	vector := pjrt.Shape{Type: dtype.F32, Dims: []int64{3}}
	line, err := ffi.Target{Name: "scale", Attributes: scale{Factor: 2.5}}.Line("%1", []pjrt.Shape{vector}, ffi.Operand{Name: "%0", Shape: vector})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(strings.ReplaceAll(line, ", ", ",\n  "))
	// Output:
	// %1 = stablehlo.custom_call @scale(%0) {api_version = 4 : i32,
	//   backend_config = {factor = 2.5e+00 : f32},
	//   operand_layouts = [dense<[0]> : tensor<1xindex>],
	//   result_layouts = [dense<[0]> : tensor<1xindex>]} : (tensor<3xf32>) -> tensor<3xf32>
}

// table is a state: it is made once for each executable.
type table map[float32]float32

// A handler keeps what it needs for an executable, and closes it with the executable if it
// is an io.Closer.
func ExampleRegisterHandler() {
	ctx := context.Background()
	client := start(ctx)
	defer client.Close()
	type lookup struct {
		In   ffi.Arg[float32]
		Out  ffi.Ret[float32]
		Size int
	}
	err := ffi.RegisterHandler(client.Plugin(), "lookup_square", ffi.Handler[lookup, table]{
		Instantiate: func(_ *ffi.Call, op *lookup) (table, error) {
			squares := make(table)
			for i := range op.Size {
				squares[float32(i)] = float32(i * i)
			}
			return squares, nil
		},
		Execute: func(_ *ffi.Call, op *lookup, squares table) error {
			for i, x := range op.In.Data {
				op.Out.Data[i] = squares[x]
			}
			return nil
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	run(ctx, client, `func.func @main(%a: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.custom_call @lookup_square(%a) {api_version = 4 : i32, backend_config = {size = 10 : i64}} : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}`, nil)
	// Output: [1 4 9]
}

// Go values reach the handlers of one execution.
func ExampleValues() {
	ctx := context.Background()
	client := start(ctx)
	defer client.Close()
	err := ffi.Register(client.Plugin(), "note", func(c *ffi.Call, op *struct {
		In  ffi.Arg[float32]
		Out ffi.Ret[float32]
	}) error {
		if logger, ok := ffi.Value[*log.Logger](c); ok {
			logger.Print("called with ", op.In.Data)
		}
		copy(op.Out.Data, op.In.Data)
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	logger := log.New(os.Stdout, "", 0)
	run(ctx, client, `func.func @main(%a: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.custom_call @note(%a) {api_version = 4 : i32} : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}`, &pjrt.ExecuteOptions{Extensions: []pjrt.ExecuteExtension{ffi.Values{logger}}})
	// Output:
	// called with [1 2 3]
	// [1 2 3]
}

// A program prints what it has computed so far.
func ExamplePrint() {
	ctx := context.Background()
	client := start(ctx)
	defer client.Close()
	if err := ffi.Register(client.Plugin(), "print", ffi.Print(os.Stdout)); err != nil {
		log.Fatal(err)
	}
	run(ctx, client, `func.func @main(%a: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.add %a, %a : tensor<3xf32>
  %1 = stablehlo.custom_call @print(%0) {api_version = 4 : i32, backend_config = {message = "sum"}} : (tensor<3xf32>) -> tensor<3xf32>
  %2 = stablehlo.multiply %1, %1 : tensor<3xf32>
  return %2 : tensor<3xf32>
}`, nil)
	// Output:
	// sum [2. 4. 6.]
	// [4 16 36]
}

// A program fails with a message when a condition does not hold.
func ExampleAssert() {
	ctx := context.Background()
	client := start(ctx)
	defer client.Close()
	if err := ffi.Register(client.Plugin(), "assert", ffi.Assert); err != nil {
		log.Fatal(err)
	}
	exe, err := client.Compile(ctx, pjrt.Program{Code: []byte(`func.func @main(%a: tensor<3xf32>) -> tensor<3xf32> {
  %limit = stablehlo.constant dense<2.5> : tensor<3xf32>
  %holds = stablehlo.compare LT, %a, %limit : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  %0 = stablehlo.custom_call @assert(%holds, %a) {api_version = 4 : i32, backend_config = {message = "values are small"}}
    : (tensor<3xi1>, tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}`)}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer exe.Close()
	x, err := pjrt.FromSlice(ctx, client, []float32{1, 2, 3}, 3)
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()
	_, err = exe.Run(ctx, x)
	fmt.Println(errors.Is(err, pjrt.ErrFailedPrecondition))
	var e *pjrt.Error
	if errors.As(err, &e) {
		fmt.Println(e.Message)
	}
	// Output:
	// true
	// assertion failed: values are small: false for 1 of 3, first at [2]
	// [1. 2. 3.]
}

// A loop in a program reports how far it is.
func ExampleProgress() {
	ctx := context.Background()
	client := start(ctx)
	defer client.Close()
	err := ffi.Register(client.Plugin(), "progress", ffi.Progress(func(_ *ffi.Call, what string, step, total int) error {
		fmt.Printf("%s %d of %d\n", what, step+1, total)
		return nil
	}))
	if err != nil {
		log.Fatal(err)
	}
	run(ctx, client, `func.func @main(%a: tensor<3xf32>) -> tensor<3xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %n = stablehlo.constant dense<2> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %x = %a) : tensor<i32>, tensor<3xf32>
  cond {
    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %y = stablehlo.add %x, %x : tensor<3xf32>
    stablehlo.custom_call @progress(%i) {api_version = 4 : i32, has_side_effect = true, backend_config = {what = "step", total = 2 : i64}}
      : (tensor<i32>) -> ()
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %y : tensor<i32>, tensor<3xf32>
  }
  return %r#1 : tensor<3xf32>
}`, nil)
	// Output:
	// step 1 of 2
	// step 2 of 2
	// [4 8 12]
}

// A Context carries data to the handlers of custom calls.
func ExampleNewContext() {
	ctx := context.Background()
	client := start(ctx)
	defer client.Close()
	data, err := ffi.NewContext(client.Plugin())
	if err != nil {
		log.Fatal(err)
	}
	defer data.Close()
	run(ctx, client, `func.func @main(%a: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.add %a, %a : tensor<3xf32>
  return %0 : tensor<3xf32>
}`, &pjrt.ExecuteOptions{Extensions: []pjrt.ExecuteExtension{data}})
	// Output: [2 4 6]
}
