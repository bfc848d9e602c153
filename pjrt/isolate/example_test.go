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

// XLA's CPU compiler ends its process over a mesh that there is not. The program goes on.
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

	for _, attributes := range []string{`xla.sdy.sharding = "#sdy.sharding<@mesh, [{}]>"`, ""} {
		exe, err := client.Compile(ctx, pjrt.Program{Code: []byte(`module attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func @main(%a: tensor<8xf32> {mhlo.frontend_attributes = {` + attributes + `}}) -> tensor<8xf32> {
    return %a : tensor<8xf32>
  }
}`)}, nil)
		var crash *isolate.Crash
		switch {
		case errors.As(err, &crash):
			fmt.Printf("%q ends the compiler with %s\n", attributes, crash.Signal)
		case err != nil:
			log.Fatal(err)
		default:
			fmt.Printf("%q compiles\n", attributes)
			exe.Close()
		}
	}
	// Output:
	// "xla.sdy.sharding = \"#sdy.sharding<@mesh, [{}]>\"" ends the compiler with SIGABRT
	// "" compiles
}
