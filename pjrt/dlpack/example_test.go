// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package dlpack_test

import (
	"context"
	"fmt"
	"log"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dlpack"
	"github.com/purepjrt/purepjrt/pjrt/plugins"
)

// Two clients of a process share an array.
func Example() {
	ctx := context.Background()
	plugin, err := plugins.Load(ctx, "cpu")
	if err != nil {
		log.Fatal(err)
	}
	one, err := plugin.NewClient(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer one.Close()
	other, err := plugin.NewClient(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer other.Close()

	b, err := pjrt.FromSlice(ctx, one, []int32{1, 2, 3}, 3)
	if err != nil {
		log.Fatal(err)
	}
	defer b.Close()
	tensor, err := dlpack.Export(ctx, b)
	if err != nil {
		log.Fatal(err)
	}
	shared, err := dlpack.Import(ctx, other, tensor.Address())
	if err != nil {
		tensor.Close() // no library took it
		log.Fatal(err)
	}
	defer shared.Close()
	numbers, err := pjrt.ToSlice[int32](ctx, shared)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(numbers)
	// Output: [1 2 3]
}
