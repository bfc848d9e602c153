// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build aot

package pjrt_test

import (
	"context"
	"fmt"
	"log"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/plugins"
)

// A program is compiled for four TPUs on a machine that has none.
func ExamplePlugin_CompileFor_tpuAheadOfTime() {
	ctx := context.Background()
	plugin, err := plugins.Load(ctx, "tpu")
	if err != nil {
		log.Fatal(err)
	}
	topology, err := plugin.NewTopology(ctx, "v5e:2x2", nil)
	if err != nil {
		log.Fatal(err)
	}
	defer topology.Close()
	devices, err := topology.Devices()
	if err != nil {
		log.Fatal(err)
	}
	exe, err := plugin.CompileFor(ctx, topology, pjrt.Program{Code: []byte(`
func.func @main(%a: tensor<8x128xf32>) -> tensor<8x128xf32> {
  %0 = stablehlo.tanh %a : tensor<8x128xf32>
  return %0 : tensor<8x128xf32>
}`)}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer exe.Close()
	serialized, err := exe.Serialize(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(devices), devices[0].Kind(), exe.NumOutputs(), len(serialized) > 0)
	// Output: 4 TPU v5 lite 1 true
}

// Topologies can be told apart, and sent to another process.
func ExampleTopology_Fingerprint_tpuAheadOfTime() {
	ctx := context.Background()
	plugin, err := plugins.Load(ctx, "tpu")
	if err != nil {
		log.Fatal(err)
	}
	topology, err := plugin.NewTopology(ctx, "v6e:4x4", nil)
	if err != nil {
		log.Fatal(err)
	}
	defer topology.Close()
	data, err := topology.Serialize()
	if err != nil {
		log.Fatal(err)
	}
	received, err := plugin.DeserializeTopology(ctx, data)
	if err != nil {
		log.Fatal(err)
	}
	defer received.Close()
	a, err := topology.Fingerprint()
	if err != nil {
		log.Fatal(err)
	}
	b, err := received.Fingerprint()
	fmt.Println(a == b, err)
	// Output: true <nil>
}
