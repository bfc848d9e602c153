// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// The data of an array goes to a writer without a copy in between, where the host can
// read the memory of the device.
func ExampleBuffer_ReadInPlace() {
	ctx := context.Background()
	client := cpuClient(ctx)
	defer client.Close()
	b, err := pjrt.FromSlice(ctx, client, []byte("hello, world\n"), 13)
	if err != nil {
		log.Fatal(err)
	}
	defer b.Close()
	err = b.ReadInPlace(ctx, func(data []byte) error {
		_, err := os.Stdout.Write(data)
		return err
	})
	fmt.Println(err)
	// Output:
	// hello, world
	// <nil>
}

// A matrix is copied to the host column by column.
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

// Two buffers of the same host memory share it.
func Example_sharedMemory() {
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
	shared, err := raw.ShareMemory(ctx, buffers[0], buffers[1])
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(shared)
	// Output: true
}

// A buffer is copied to another kind of memory.
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
