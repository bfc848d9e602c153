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

// XLA's CPU compiler ends its process over a custom call of a wrong type. The program goes on.
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

	for _, op := range []string{`custom_call @"TopK"(%a)`, "slice %a [0:2]"} {
		exe, err := client.Compile(ctx, pjrt.Program{Code: []byte(`func.func @main(%a: tensor<8xf32>) -> tensor<2xf32> {
  %0 = stablehlo.` + op + ` : (tensor<8xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
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
	// custom_call @"TopK"(%a) ends the compiler with SIGABRT
	// slice %a [0:2] compiles
}
