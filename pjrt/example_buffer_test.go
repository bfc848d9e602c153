// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/purepjrt/purepjrt/internal/collecting"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/plugins"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// cpuClient returns a client of the CPU plugin, which it installs if needed. It first waits
// for the buffers of earlier tests to go, so that examples can count theirs.
func cpuClient(ctx context.Context) *pjrt.Client {
	collecting.Until(func() bool { return pjrt.Live()["buffer"] == 0 })
	client, err := plugins.Open(ctx, "cpu", nil)
	if err != nil {
		log.Fatal(err)
	}
	return client
}

func ExampleFromSlice() {
	ctx := context.Background()
	client := cpuClient(ctx)
	defer client.Close()

	b, err := pjrt.FromSlice(ctx, client, []float32{1, 2, 3, 4, 5, 6}, 2, 3)
	if err != nil {
		log.Fatal(err)
	}
	defer b.Close()
	fmt.Println(b.Shape())
	s, err := pjrt.ToSlice[float32](ctx, b)
	fmt.Println(s, err)
	// Output:
	// f32[2,3]
	// [1 2 3 4 5 6] <nil>
}

func ExampleFromScalar() {
	ctx := context.Background()
	client := cpuClient(ctx)
	defer client.Close()

	b, err := pjrt.FromScalar(ctx, client, dtype.Round[dtype.BFloat16](2.5))
	if err != nil {
		log.Fatal(err)
	}
	defer b.Close()
	x, err := pjrt.ToScalar[dtype.BFloat16](ctx, b)
	fmt.Println(b.Shape(), x, err)
	// Output: bf16[] 2.5 <nil>
}

// A matrix that is stored column by column goes to a device without being rearranged first.
func ExampleBufferOptions_strides() {
	ctx := context.Background()
	client := cpuClient(ctx)
	defer client.Close()

	columns := []int32{1, 4, 2, 5, 3, 6}
	b, err := client.BufferFromHost(ctx, pjrt.ArrayOf(columns, 2, 3), &pjrt.BufferOptions{Strides: []int64{4, 8}})
	if err != nil {
		log.Fatal(err)
	}
	defer b.Close()
	a, err := b.ToHost(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(a)
	// Output:
	// [[1 2 3]
	//  [4 5 6]]
}

// A zero-copy buffer on a CPU is the program's own memory.
func ExampleAlignedSlice() {
	ctx := context.Background()
	client := cpuClient(ctx)
	defer client.Close()

	data := pjrt.AlignedSlice[float32](1 << 20)
	data[0] = 42
	b, err := client.BufferFromHost(ctx, pjrt.ArrayOf(data, 1<<20), &pjrt.BufferOptions{Semantics: pjrt.ImmutableZeroCopy})
	if err != nil {
		log.Fatal(err)
	}
	err = b.ReadInPlace(ctx, func(memory []byte) error {
		fmt.Println(&memory[0] == &dtype.Bytes(data)[0])
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	b.Close()
	<-b.HostDone() // from now on data may be changed
	// Output: true
}

func ExampleReadSlice() {
	ctx := context.Background()
	client := cpuClient(ctx)
	defer client.Close()

	room := make([]int32, 4) // for one result after the other
	for step := range int32(3) {
		b, err := pjrt.FromSlice(ctx, client, []int32{step, 10 * step}, 2)
		if err != nil {
			log.Fatal(err)
		}
		n, err := pjrt.ReadSlice(ctx, b, room)
		fmt.Println(room[:n], err)
		b.Close()
	}
	// Output:
	// [0 0] <nil>
	// [1 10] <nil>
	// [2 20] <nil>
}

func ExampleBuffer_ToHostAsync() {
	ctx := context.Background()
	client := cpuClient(ctx)
	defer client.Close()

	b, err := pjrt.FromSlice(ctx, client, []uint8{1, 2, 3}, 3)
	if err != nil {
		log.Fatal(err)
	}
	defer b.Close()
	dst := make([]byte, 3)
	copied, err := b.ToHostAsync(dst)
	if err != nil {
		log.Fatal(err)
	}
	defer copied.Close()
	// The program can do something else here.
	fmt.Println(copied.Wait(ctx), dst)
	// Output: <nil> [1 2 3]
}

func ExampleClient_BufferFromReader() {
	ctx := context.Background()
	client := cpuClient(ctx)
	defer client.Close()

	r := strings.NewReader("abcdef")
	b, err := client.BufferFromReader(ctx, r, pjrt.Shape{Type: dtype.U8, Dims: []int64{2, 2}}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer b.Close()
	err = b.ReadInPlace(ctx, func(data []byte) error {
		_, err := os.Stdout.Write(data)
		return err
	})
	fmt.Println(err, r.Len(), "bytes left")
	// Output: abcd<nil> 2 bytes left
}

// An uninitialized buffer is space on the device, for a program that takes it as a donation.
func ExampleClient_UninitializedBuffer() {
	ctx := context.Background()
	client := cpuClient(ctx)
	defer client.Close()

	room, err := client.UninitializedBuffer(ctx, pjrt.Shape{Type: dtype.F32, Dims: []int64{1024, 1024}}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer room.Close()
	size, err := room.OnDeviceSize()
	fmt.Println(room.Shape(), size, err)
	// Output: f32[1024,1024] 4194304 <nil>
}

// Error buffers are newer than some plugins.
func ExampleClient_ErrorBuffer() {
	ctx := context.Background()
	client := cpuClient(ctx)
	defer client.Close()

	b, err := client.ErrorBuffer(ctx, pjrt.Shape{Type: dtype.F32}, errors.New("the input is missing"), nil)
	if errors.Is(err, pjrt.ErrUnimplemented) {
		fmt.Println("the plugin is too old")
		return
	}
	if err != nil {
		log.Fatal(err)
	}
	defer b.Close()
	fmt.Println(b.Wait(ctx))
	// Output: UNKNOWN: the input is missing
}

func ExampleClient_ViewOfHostMemory() {
	ctx := context.Background()
	client := cpuClient(ctx)
	defer client.Close()

	data := pjrt.AlignedSlice[int32](4)
	deleted := make(chan struct{})
	v, err := client.ViewOfHostMemory(ctx, pjrt.ArrayOf(data, 2, 2), &pjrt.ViewOptions{OnDelete: func() { close(deleted) }})
	if err != nil {
		log.Fatal(err)
	}
	data[3] = 9
	a, err := v.ToHost(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(a)
	v.Close()
	<-deleted // the plugin no longer uses data
	// Output:
	// [[0 0]
	//  [0 9]]
}

func ExampleBuffer_Reference() {
	ctx := context.Background()
	client := cpuClient(ctx)
	defer client.Close()

	b, err := pjrt.FromSlice(ctx, client, []float32{1, 2}, 2)
	if err != nil {
		log.Fatal(err)
	}
	r, err := b.Reference(ctx)
	if err != nil {
		log.Fatal(err)
	}
	address, err := r.Address()
	fmt.Println(address != 0, err, raw.References(b))
	b.Close() // the reference keeps the memory
	r.Close() // frees the memory
	fmt.Println(raw.References(b))
	// Output:
	// true <nil> 1
	// 0
}

func ExampleBuffer_CopyToDevice() {
	ctx := context.Background()
	client := cpuClient(ctx)
	defer client.Close()

	b, err := pjrt.FromSlice(ctx, client, []float32{1, 2}, 2)
	if err != nil {
		log.Fatal(err)
	}
	defer b.Close()
	c, err := b.CopyToDevice(ctx, client.AddressableDevices()[1])
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	d, err := c.Device()
	fmt.Println(d.ID(), err)
	// Output: 1 <nil>
}

func ExampleLayout() {
	fmt.Println(pjrt.RowMajor(2))
	fmt.Println(&pjrt.Layout{MinorToMajor: []int{0, 1}, Tiles: [][]int64{{8, 128}}})
	// Output:
	// {1,0}
	// {0,1:T(8,128)}
}
