// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build aot

package xlatransform_test

import (
	"context"
	"fmt"
	"log"

	"github.com/purepjrt/purepjrt/extensions/xlatransform"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/hlo"
	"github.com/purepjrt/purepjrt/pjrt/plugins"
)

// compileForTPU compiles a program for a TPU that this machine need not have.
func compileForTPU(plugin *pjrt.Plugin, program string) error {
	ctx := context.Background()
	topology, err := plugin.NewTopology(ctx, "v5e:1x1", nil)
	if err != nil {
		return err
	}
	defer topology.Close()
	exe, err := plugin.CompileFor(ctx, topology, pjrt.Program{Code: []byte(program)}, nil)
	if err != nil {
		return err
	}
	return exe.Close()
}

// A pass counts the operations of a program by kind, and their floating-point
// operations.
func ExampleRegister_countAheadOfTime() {
	plugin, err := plugins.Load(context.Background(), "tpu")
	if err != nil {
		log.Fatal(err)
	}
	pass, err := xlatransform.Register(plugin, "count", func(m *hlo.Module) (bool, error) {
		counts, flops := make(map[string]int), make(map[string]int64)
		for _, i := range m.All() {
			counts[i.Opcode]++
			flops[i.Opcode] += i.Flops()
		}
		for _, kind := range []string{"convolution", "add"} { // TPUs have no other products
			fmt.Println(kind, counts[kind], flops[kind])
		}
		return false, nil
	}, &xlatransform.Options{Stage: xlatransform.PostScheduler})
	if err != nil {
		log.Fatal(err)
	}
	defer pass.Close()
	err = compileForTPU(plugin, `
func.func @main(%a: tensor<128x256xf32>, %b: tensor<256x128xf32>, %c: tensor<128x128xf32>) -> tensor<128x128xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<128x256xf32>, tensor<256x128xf32>) -> tensor<128x128xf32>
  %1 = stablehlo.add %0, %c : tensor<128x128xf32>
  return %1 : tensor<128x128xf32>
}`)
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// convolution 1 8388608
	// add 1 16384
}

// A pass refuses programs that compute in double precision, and says where they do.
func ExampleRegister_refuseAheadOfTime() {
	plugin, err := plugins.Load(context.Background(), "tpu")
	if err != nil {
		log.Fatal(err)
	}
	pass, err := xlatransform.Register(plugin, "no-f64", func(m *hlo.Module) (bool, error) {
		for _, i := range m.All() {
			for _, a := range i.Shape.Arrays() {
				if a.Type == dtype.F64 {
					return false, fmt.Errorf("%s has an f64: %s", m.Name, i.Opcode)
				}
			}
		}
		return false, nil
	}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer pass.Close()
	for _, t := range []string{"f32", "f64"} {
		err := compileForTPU(plugin, `
module @model {
  func.func @main(%a: tensor<128x`+t+`>) -> tensor<128x`+t+`> {
    %0 = stablehlo.multiply %a, %a : tensor<128x`+t+`>
    return %0 : tensor<128x`+t+`>
  }
}`)
		fmt.Println(t, err)
	}
	// Output:
	// f32 <nil>
	// f64 PJRT_Compile: INTERNAL: the pass no-f64: model has an f64: parameter
}

// A pass implements a custom call that the compiler does not know.
func ExampleRegister_replaceAheadOfTime() {
	plugin, err := plugins.Load(context.Background(), "tpu")
	if err != nil {
		log.Fatal(err)
	}
	pass, err := xlatransform.Register(plugin, "twice", func(m *hlo.Module) (changed bool, err error) {
		for c, i := range m.All() {
			if i.Opcode == "custom-call" && i.Target == "twice" {
				x := i.Operands[0]
				c.Replace(i, c.Add(&hlo.Instruction{Opcode: "add", Shape: i.Shape, Operands: []*hlo.Instruction{x, x}}))
				changed = true
			}
		}
		return changed, nil
	}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer pass.Close()
	fmt.Println(compileForTPU(plugin, `
func.func @main(%a: tensor<128xf32>) -> tensor<128xf32> {
  %0 = stablehlo.custom_call @twice(%a) : (tensor<128xf32>) -> tensor<128xf32>
  return %0 : tensor<128xf32>
}`))
	// Output: <nil>
}

// The compiler reports what its own passes did to a program. This needs a TPU: without one, the
// newest libtpu finds no compiler to ask.
func ExampleTrace_aheadOfTime() {
	plugin, err := plugins.Load(context.Background(), "tpu")
	if err != nil {
		log.Fatal(err)
	}
	c := &hlo.Computation{Name: "main"}
	a := c.Add(&hlo.Instruction{Opcode: "parameter", Shape: hlo.Array(dtype.F32, 128)})
	c.Root = c.Add(&hlo.Instruction{Opcode: "negate", Shape: a.Shape, Operands: []*hlo.Instruction{a}})
	runs, err := xlatransform.Trace(plugin, &hlo.Module{Name: "m", Computations: []*hlo.Computation{c}, Entry: c})
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range runs {
		if r.Pass == "dce" {
			fmt.Println("dce changed the program:", r.Changed)
			break
		}
	}
}
