// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package gpu_test

import (
	"context"
	"log"

	"github.com/ebitengine/purego"

	"github.com/purepjrt/purepjrt/extensions/gpu"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/plugins"
)

// A library of CUDA kernels exports a function for custom calls in the form that precedes XLA's
// foreign function interface.
func ExampleRegister() {
	ctx := context.Background()
	client, err := plugins.Open(ctx, "cuda", nil)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	library, err := purego.Dlopen("libkernels.so", purego.RTLD_NOW)
	if err != nil {
		log.Fatal(err)
	}
	scale, err := purego.Dlsym(library, "scale")
	if err != nil {
		log.Fatal(err)
	}
	if err := gpu.Register(client.Plugin(), gpu.CustomCall{Target: "scale", Untyped: scale}); err != nil {
		log.Fatal(err)
	}
	exe, err := client.Compile(ctx, pjrt.Program{Code: []byte(`
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.custom_call @scale(%x) {backend_config = "2"} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}`)}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer exe.Close()
}
