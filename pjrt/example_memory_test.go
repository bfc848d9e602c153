// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

func ExampleBuffer_WriteHostTo() {
	ctx := context.Background()
	client := cpuClient(ctx)
	defer client.Close()
	b, err := pjrt.FromSlice(ctx, client, []byte("hello, world\n"), 13)
	if err != nil {
		log.Fatal(err)
	}
	defer b.Close()
	var out bytes.Buffer
	if _, err := b.WriteHostTo(ctx, &out); err != nil {
		log.Fatal(err)
	}
	fmt.Print(out.String())
	// Output: hello, world
}

// The columns of a matrix, one after the other.
func ExampleBuffer_ToHostStrided() {
	ctx := context.Background()
	client := cpuClient(ctx)
	defer client.Close()
	b, err := pjrt.FromSlice(ctx, client, []int32{1, 2, 3, 4, 5, 6}, 2, 3)
	if err != nil {
		log.Fatal(err)
	}
	defer b.Close()
	columns := make([]int32, 6)
	if err := b.ToHostStrided(ctx, dtype.Bytes(columns), []int64{4, 8}); err != nil {
		log.Fatal(err)
	}
	fmt.Println(columns)
	// Output: [1 4 2 5 3 6]
}

func ExampleBuffer_Aliases() {
	ctx := context.Background()
	client := cpuClient(ctx)
	defer client.Close()
	memory := pjrt.AlignedSlice[float32](4)
	opts := &pjrt.BufferOptions{Semantics: pjrt.ImmutableZeroCopy}
	var buffers [2]*pjrt.Buffer
	for i := range buffers {
		var err error
		if buffers[i], err = client.BufferFromHost(ctx, pjrt.ArrayOf(memory, 4), opts); err != nil {
			log.Fatal(err)
		}
		defer buffers[i].Close()
	}
	shared, err := buffers[0].Aliases(ctx, buffers[1])
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(shared)
	// Output: true
}

// Plugins that have the extension let bytes of a buffer be written.
func ExampleBuffer_Raw() {
	ctx := context.Background()
	client := cpuClient(ctx)
	defer client.Close()
	b, err := pjrt.FromSlice(ctx, client, []float32{1, 2, 3, 4}, 4)
	if err != nil {
		log.Fatal(err)
	}
	defer b.Close()
	raw, err := b.Raw(ctx)
	if errors.Is(err, pjrt.ErrUnimplemented) {
		fmt.Println("the plugin has no raw buffers")
		return
	}
	if err != nil {
		log.Fatal(err)
	}
	defer raw.Close()
	if err := raw.CopyFromHost(ctx, dtype.Bytes([]float32{20}), 4); err != nil {
		log.Fatal(err)
	}
	// Output: the plugin has no raw buffers
}

// The copy of a buffer in another kind of memory.
func ExampleBuffer_CopyToMemory() {
	ctx := context.Background()
	client := cpuClient(ctx)
	defer client.Close()
	b, err := pjrt.FromScalar(ctx, client, int64(7))
	if err != nil {
		log.Fatal(err)
	}
	defer b.Close()
	pinned, err := client.Devices()[0].Memory("pinned_host")
	if err != nil {
		log.Fatal(err)
	}
	c, err := b.CopyToMemory(ctx, pinned)
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	m, err := c.Memory()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.Kind())
	// Output: pinned_host
}
