// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package abiversion_test

import (
	"context"
	"fmt"
	"log"

	"github.com/purepjrt/purepjrt/extensions/abiversion"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
)

// A program asks whether an executable fits before it sends it to another machine. Two plugins in
// memory stand in for those of the two machines.
func ExampleRuns() {
	ctx := context.Background()
	here, err := pjrttest.Start(pjrttest.Options{PlatformVersion: "2.0"})
	if err != nil {
		log.Fatal(err)
	}
	defer here.Close()
	there, err := pjrttest.Start(pjrttest.Options{PlatformVersion: "1.9"})
	if err != nil {
		log.Fatal(err)
	}
	defer there.Close()
	here.Program("negate", pjrttest.Signature{}, pjrttest.Map(func(x float32) float32 { return -x }))
	exe, err := here.Client().Compile(ctx, pjrt.Program{Code: []byte(`module @negate {
  func.func @main(%x: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.negate %x : tensor<f32>
    return %0 : tensor<f32>
  }
}`)}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer exe.Close()
	executable, err := abiversion.OfExecutable(exe.Executable)
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range []*pjrttest.Plugin{here, there} {
		runtime, err := abiversion.OfClient(p.Client())
		if err != nil {
			log.Fatal(err)
		}
		if err := abiversion.Runs(here.Plugin(), runtime, executable); err != nil {
			fmt.Println("compile it again:", err)
			continue
		}
		fmt.Println("it runs on", p.Client().PlatformVersion())
	}
	// Output:
	// it runs on 2.0
	// compile it again: PJRT_RuntimeAbiVersion_IsCompatibleWithExecutable: FAILED_PRECONDITION: the executable is for the platform version "2.0", but the runtime has "1.9"
}
