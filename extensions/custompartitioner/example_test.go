// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package custompartitioner_test

import (
	"context"
	"fmt"
	"log"

	"github.com/purepjrt/purepjrt/extensions/custompartitioner"
	"github.com/purepjrt/purepjrt/pjrt/plugins"
	"github.com/purepjrt/purepjrt/pjrt/sharding"
)

// A custom call that doubles an array of f32 needs no data from other devices: each doubles the
// rows that it has, however the array is cut into rows.
func ExampleRegister() {
	plugin, err := plugins.Load(context.Background(), "cuda")
	if err != nil {
		log.Fatal(err)
	}
	err = custompartitioner.Register(plugin, "double_rows", custompartitioner.Partitioner{
		Infer: func(c custompartitioner.Call) (*sharding.Spec, error) { return c.Operands[0].Sharding, nil },
		Partition: func(c custompartitioner.Call) (custompartitioner.Parts, error) {
			whole := c.Result.Shape.Dims
			spec := sharding.Spec{Kind: sharding.Replicated}
			part := whole[0]
			if s := c.Operands[0].Sharding; s != nil && s.Kind == sharding.Tiled {
				spec, part = *s, whole[0]/s.Tiles[0]
			}
			array := fmt.Sprintf("tensor<%dx%dxf32>", part, whole[1])
			return custompartitioner.Parts{
				Module: []byte(`func.func @main(%a: ` + array + `) -> ` + array + ` {
  %0 = stablehlo.add %a, %a : ` + array + `
  return %0 : ` + array + `
}`),
				Operands: []sharding.Spec{spec}, Result: spec,
			}, nil
		},
	})
	if err != nil {
		log.Fatal(err)
	}
}
