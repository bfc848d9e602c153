// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package ffi_test

import (
	"context"
	"fmt"
	"log"

	cffi "github.com/purepjrt/purepjrt/capi/ffi"
	"github.com/purepjrt/purepjrt/extensions/ffi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/plugins"
)

// start returns a client of the plugin for CPUs.
func start(ctx context.Context) *pjrt.Client {
	path, err := plugins.Install(ctx, "cpu", plugins.InstallOptions{})
	if err != nil {
		log.Fatal(err)
	}
	plugin, err := pjrt.Open(path)
	if err != nil {
		log.Fatal(err)
	}
	client, err := plugin.NewClient(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	return client
}

// run executes a program of one argument and shows its result.
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

// A program calls a function of Go.
func ExampleRegister() {
	ctx := context.Background()
	client := start(ctx)
	defer client.Close()
	square, err := cffi.NewHandler(func(frame *cffi.CallFrame) error {
		in, err := frame.Args.Buffer(0)
		if err != nil {
			return err
		}
		out, err := frame.Rets.Buffer(0)
		if err != nil {
			return err
		}
		from, err := cffi.Elements[float32](in)
		if err != nil {
			return err
		}
		to, err := cffi.Elements[float32](out)
		for i := range to {
			to[i] = from[i] * from[i]
		}
		return err
	}, nil)
	if err != nil {
		log.Fatal(err)
	}
	// The handler stays registered until the process ends.
	err = ffi.Register(client.Plugin(), ffi.CustomCall{Target: "square", Platform: "Host", Handler: square})
	if err != nil {
		log.Fatal(err)
	}
	run(ctx, client, `func.func @main(%a: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.custom_call @square(%a) {api_version = 4 : i32} : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}`, nil)
	// Output: [1 4 9]
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
