// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Command aot compiles a program for a TPU on a machine that has none, such as a laptop,
// and writes it to the file that its argument names. It needs the TPU plugin, libtpu, which
// pjrt install tpu fetches.
//
// On the machine with the TPU, Client.DeserializeAndLoad of package pjrt loads the file.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/plugins"
)

const program = `func.func @main(%a: tensor<8x128xf32>) -> tensor<8x128xf32> {
  %0 = stablehlo.tanh %a : tensor<8x128xf32>
  return %0 : tensor<8x128xf32>
}`

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: aot FILE")
	}
	if err := run(context.Background(), os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, file string) error {
	plugin, err := plugins.Load(ctx, "tpu")
	if err != nil {
		return err
	}
	// A topology describes devices: here a TPU v5e host with two rows of two chips.
	topology, err := plugin.NewTopology(ctx, "v5e:2x2", nil)
	if err != nil {
		return err
	}
	defer topology.Close()
	devices, err := topology.Devices()
	if err != nil {
		return err
	}
	exe, err := plugin.CompileFor(ctx, topology, pjrt.Program{Code: []byte(program)}, nil)
	if err != nil {
		return err
	}
	defer exe.Close()
	data, err := exe.Serialize(ctx)
	if err != nil {
		return err
	}
	if err := os.WriteFile(file, data, 0o644); err != nil {
		return err
	}
	fmt.Printf("compiled for %s, on a host with %d of them\n", devices[0].Kind(), len(devices))
	return nil
}
