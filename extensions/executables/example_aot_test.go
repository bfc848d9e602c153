// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build aot

package executables_test

import (
	"context"
	"fmt"
	"log"

	"github.com/purepjrt/purepjrt/extensions/executables"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/plugins"
)

// libtpu's compiler puts metadata into an executable, even without a TPU.
func ExampleMetadata_aheadOfTime() {
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
	metadata, err := executables.Metadata(exe)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(metadata) > 0)
	// Output: true
}

// An executable for TPUs says which runtimes can load it. A process with TPUs compares its version
// with that of its own runtime, with executables.RuntimeABIVersion and executables.RuntimeRuns.
func ExampleABIVersionOf_aheadOfTime() {
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
	version, err := executables.ABIVersionOf(exe)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(version.Proto) > 0)
	garbage := executables.ABIVersion{Platform: version.Platform, Proto: []byte("no version")}
	fmt.Println(executables.RuntimeRuns(plugin, garbage, version) == nil)
	// Output:
	// true
	// false
}
