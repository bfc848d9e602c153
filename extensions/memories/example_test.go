// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package memories_test

import (
	"context"
	"fmt"
	"log"

	"github.com/purepjrt/purepjrt/extensions/memories"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
	"github.com/purepjrt/purepjrt/pjrt/plugins"
)

// A CPU lays out the elements of a matrix row by row: dimension 1 is the minor one.
func ExampleDefaultLayout() {
	ctx := context.Background()
	client, err := plugins.Open(ctx, "cpu", nil)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	layout, err := memories.DefaultLayout(client, pjrt.Shape{Type: dtype.F32, Dims: []int64{2, 3}})
	fmt.Println(layout.Text, err)
	b, err := client.BufferFromHost(ctx, pjrt.ArrayOf([]float32{1, 2, 3, 4, 5, 6}, 2, 3), nil)
	if err != nil {
		log.Fatal(err)
	}
	defer b.Close()
	layout, err = memories.LayoutOf(b)
	fmt.Println(layout.Text, layout.Layout.MinorToMajor, err)
	// Output:
	// {1,0} <nil>
	// {1,0} [1 0] <nil>
}

// Host memory is filled and uploaded.
func ExampleAllocate() {
	ctx := context.Background()
	p, err := pjrttest.Start(pjrttest.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer p.Close()
	m, err := memories.Allocate(p.Client(), 4, nil)
	if err != nil {
		log.Fatal(err)
	}
	err = m.Use(func(b []byte) error {
		copy(b, []byte{1, 2, 3, 4})
		buffer, err := pjrt.FromSlice(ctx, p.Client(), b, 4)
		if err != nil {
			return err
		}
		defer buffer.Close()
		values, err := pjrt.ToSlice[byte](ctx, buffer)
		fmt.Println(values)
		return err
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.Close())
	// Output:
	// [1 2 3 4]
	// <nil>
}
