// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package transfer_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/plugins"
	"github.com/purepjrt/purepjrt/pjrt/transfer"
)

// cpuClient returns a client of the CPU plugin, which it installs if need be.
func cpuClient(ctx context.Context) *pjrt.Client {
	client, err := plugins.Open(ctx, "cpu", nil)
	if err != nil {
		log.Fatal(err)
	}
	return client
}

// A buffer is used before its contents are known.
func ExampleNewAlias() {
	ctx := context.Background()
	client := cpuClient(ctx)
	defer client.Close()

	alias, promise, err := transfer.NewAlias(ctx, client, pjrt.Shape{Type: dtype.S32, Dims: []int64{2}}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer alias.Close()
	defer promise.Close()
	short, cancel := context.WithTimeout(ctx, time.Millisecond)
	defer cancel()
	fmt.Println(errors.Is(alias.Wait(short), context.DeadlineExceeded))

	b, err := pjrt.FromSlice(ctx, client, []int32{7, 8}, 2)
	if err != nil {
		log.Fatal(err)
	}
	defer b.Close()
	fmt.Println(promise.Fulfill(b))
	s, err := pjrt.ToSlice[int32](ctx, alias)
	fmt.Println(s, err)
	// Output:
	// true
	// <nil>
	// [7 8] <nil>
}

func ExampleCopyRaw() {
	ctx := context.Background()
	client := cpuClient(ctx)
	defer client.Close()

	b, err := pjrt.FromSlice(ctx, client, []uint16{0x0201, 0x0403, 0x0605}, 3)
	if err != nil {
		log.Fatal(err)
	}
	defer b.Close()
	bytes := make([]byte, 3)
	fmt.Println(transfer.CopyRaw(ctx, b, bytes, 1), bytes)
	fmt.Println(transfer.CopyRaw(ctx, b, bytes, 4))
	// Output:
	// <nil> [2 3 4]
	// OUT_OF_RANGE: 3 bytes at 4 are not within the 6 bytes of the buffer
}

// The pieces of an array arrive in any order.
func ExampleManager() {
	ctx := context.Background()
	client := cpuClient(ctx)
	defer client.Close()

	m, err := transfer.NewManager(ctx, client, []pjrt.Shape{{Type: dtype.U8, Dims: []int64{6}}}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer m.Close()
	b, err := m.Buffer(0)
	if err != nil {
		log.Fatal(err)
	}
	defer b.Close()
	for i, offset := range []int64{4, 0, 2} {
		sent, err := m.Send(0, []byte{byte(offset), byte(offset + 1)}, offset, i == 2)
		if err != nil {
			log.Fatal(err)
		}
		defer sent.Close()
	}
	s, err := pjrt.ToSlice[uint8](ctx, b)
	fmt.Println(s, err)
	// Output: [0 1 2 3 4 5] <nil>
}

// The memory neither moves nor is freed until it is unmapped.
func ExampleMapDMA() {
	ctx := context.Background()
	client := cpuClient(ctx)
	defer client.Close()
	mapping, err := transfer.MapDMA(client, make([]byte, 1<<20))
	if errors.Is(err, pjrt.ErrUnimplemented) {
		fmt.Println("the plugin copies")
		return
	}
	if err != nil {
		log.Fatal(err)
	}
	defer mapping.Close()
	// Output: the plugin copies
}

// The host takes the data that a program sends on channel 1, and supplies the data that it
// receives on channel 2. XLA's plugin for CPUs cannot run such programs.
func ExampleHosts() {
	var exe *pjrt.LoadedExecutable // of a program with send and recv operations
	var args []*pjrt.Buffer
	host := transfer.Host{
		Send: map[int64]transfer.SendFunc{1: func(chunk []byte, total int, done bool) error {
			fmt.Printf("%d of %d bytes\n", len(chunk), total)
			return nil
		}},
		Recv: map[int64]transfer.RecvFunc{2: func(stream *transfer.Stream) {
			defer stream.Close()
			total, err := stream.TotalBytes()
			if err != nil {
				log.Print(err)
				return
			}
			arrived, err := stream.AddChunk(make([]byte, total))
			if err != nil {
				log.Print(err)
				return
			}
			arrived.Close()
		}},
	}
	_, err := exe.Execute(context.Background(), args, &pjrt.ExecuteOptions{Extensions: []pjrt.ExecuteExtension{transfer.Hosts{host}}})
	fmt.Println(err)
	// Output: INVALID_ARGUMENT: the executable is nil
}

// A copy is prepared before there is memory for it.
func ExamplePrepareCopyRaw() {
	ctx := context.Background()
	client := cpuClient(ctx)
	defer client.Close()

	b, err := pjrt.FromSlice(ctx, client, []uint8{1, 2, 3, 4}, 4)
	if err != nil {
		log.Fatal(err)
	}
	defer b.Close()
	prepared, err := transfer.PrepareCopyRaw(ctx, b, 1, 2)
	if errors.Is(err, pjrt.ErrUnimplemented) {
		fmt.Println("the plugin is too old")
		return
	}
	if err != nil {
		log.Fatal(err)
	}
	defer prepared.Close()
	dst := make([]byte, prepared.Size())
	if err := prepared.Fulfill(dst); err != nil {
		log.Fatal(err)
	}
	fmt.Println(prepared.Event().Wait(ctx), dst)
	// Output: <nil> [2 3]
}

// A buffer becomes ready only when the program says so.
func ExampleDonateAfter() {
	ctx := context.Background()
	client := cpuClient(ctx)
	defer client.Close()

	b, err := pjrt.FromSlice(ctx, client, []uint8{1, 2}, 2)
	if err != nil {
		log.Fatal(err)
	}
	defer b.Close()
	later, dependency, err := transfer.DonateAfter(ctx, b)
	if errors.Is(err, pjrt.ErrUnimplemented) {
		fmt.Println("the plugin is too old")
		return
	}
	if err != nil {
		log.Fatal(err)
	}
	defer later.Close()
	defer dependency.Close()
	if err := dependency.Fulfill(); err != nil {
		log.Fatal(err)
	}
	fmt.Println(later.Wait(ctx))
	// Output: <nil>
}
