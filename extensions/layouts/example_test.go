// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package layouts_test

import (
	"context"
	"fmt"
	"log"

	"github.com/purepjrt/purepjrt/extensions/layouts"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/plugins"
)

// A CPU lays out the elements of a matrix row by row: dimension 1 is the minor one.
func ExampleDefault() {
	ctx := context.Background()
	client, err := plugins.Open(ctx, "cpu", nil)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	layout, err := layouts.Default(client, pjrt.Shape{Type: dtype.F32, Dims: []int64{2, 3}})
	fmt.Println(layout.Text, err)
	b, err := client.BufferFromHost(ctx, pjrt.ArrayOf([]float32{1, 2, 3, 4, 5, 6}, 2, 3), nil)
	if err != nil {
		log.Fatal(err)
	}
	defer b.Close()
	layout, err = layouts.OfBuffer(b)
	fmt.Println(layout.Text, layout.Layout.MinorToMajor, err)
	// Output:
	// {1,0} <nil>
	// {1,0} [1 0] <nil>
}
