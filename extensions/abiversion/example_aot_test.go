// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build aot

package abiversion_test

import (
	"context"
	"fmt"
	"log"

	"github.com/purepjrt/purepjrt/extensions/abiversion"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/plugins"
)

// An executable for TPUs says which runtimes can load it. A process with TPUs compares its version
// with that of its own runtime, with abiversion.OfClient and abiversion.Runs.
func ExampleOfExecutable_aheadOfTime() {
	ctx := context.Background()
	plugin, err := plugins.Load(ctx, "tpu")
	if err != nil {
		log.Fatal(err)
	}
	topology, err := plugin.NewTopology(ctx, "v5e:1x1", nil)
	if err != nil {
		log.Fatal(err)
	}
	defer topology.Close()
	exe, err := plugin.CompileFor(ctx, topology, pjrt.Program{Code: []byte(`
func.func @main(%a: tensor<8x128xf32>) -> tensor<8x128xf32> { return %a : tensor<8x128xf32> }`)}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer exe.Close()
	version, err := abiversion.OfExecutable(exe)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(version.Proto) > 0)
	garbage := abiversion.Version{Platform: version.Platform, Proto: []byte("no version")}
	fmt.Println(abiversion.Runs(plugin, garbage, version) == nil)
	// Output:
	// true
	// false
}
