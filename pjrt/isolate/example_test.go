// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package isolate_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/isolate"
	"github.com/purepjrt/purepjrt/pjrt/plugins"
)

// XLA's CPU compiler ends its process over the remainder of complex numbers. The program goes on.
func Example() {
	// isolate.Main() is the first line of main.
	ctx := context.Background()
	plugin, err := plugins.Load(ctx, "cpu")
	if err != nil {
		log.Fatal(err)
	}
	compiler, err := isolate.New(isolate.Options{Timeout: 10 * time.Minute})
	if err != nil {
		log.Fatal(err)
	}
	defer compiler.Close()
	client, err := plugin.NewClient(ctx, &pjrt.ClientOptions{Compiler: compiler})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()

	for _, op := range []string{"remainder", "multiply"} {
		exe, err := client.Compile(ctx, pjrt.Program{Code: []byte(`func.func @main(%a: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  %0 = stablehlo.` + op + ` %a, %a : tensor<4xcomplex<f32>>
  return %0 : tensor<4xcomplex<f32>>
}`)}, nil)
		var crash *isolate.Crash
		switch {
		case errors.As(err, &crash):
			fmt.Println(op, "ends the compiler with", crash.Signal)
		case err != nil:
			log.Fatal(err)
		default:
			fmt.Println(op, "compiles")
			exe.Close()
		}
	}
	// Output:
	// remainder ends the compiler with SIGSEGV
	// multiply compiles
}
