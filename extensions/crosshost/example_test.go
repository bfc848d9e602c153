// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package crosshost_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/purepjrt/purepjrt/extensions/crosshost"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// Two processes of a program, here both in one, name a transfer with the same key.
func ExampleSend() {
	ctx := context.Background()
	hosts, err := startHosts(0)
	if err != nil {
		log.Fatal(err)
	}
	defer hosts.close()
	const key = 42

	// Process 0 has device 0.
	sender := hosts.hosts[0].client
	b, err := pjrt.FromSlice(ctx, sender, []float32{1, 2, 3}, 3)
	if err != nil {
		log.Fatal(err)
	}
	defer b.Close()
	sent, err := crosshost.Send(ctx, sender, []crosshost.Outgoing{{Buffer: b, To: sender.Devices()[1], Key: key}}, nil)
	if errors.Is(err, pjrt.ErrUnimplemented) {
		fmt.Println("the plugin has no transfers between hosts")
		return
	}
	if err != nil {
		log.Fatal(err)
	}
	defer sent[0].Close()

	// Process 1 has device 1.
	receiver := hosts.hosts[1].client
	received, err := crosshost.Receive(ctx, receiver.Devices()[1], []crosshost.Incoming{
		{Shape: pjrt.Shape{Type: dtype.F32, Dims: []int64{3}}, From: receiver.Devices()[0], Key: key},
	}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer received[0].Close()

	values, err := pjrt.ToSlice[float32](ctx, received[0])
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(values, sent[0].Wait(ctx))
	// Output: [1 2 3] <nil>
}

// The receiver's plugin makes a descriptor, which the program brings to the sender by any
// means.
func ExampleNewReceiver() {
	ctx := context.Background()
	hosts, err := startHosts(0)
	if err != nil {
		log.Fatal(err)
	}
	defer hosts.close()
	wire := make(chan []byte, 1)

	receiver, err := crosshost.NewReceiver(ctx, hosts.hosts[1].client, []pjrt.Shape{{Type: dtype.S32, Dims: []int64{2}}}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer receiver.Buffers()[0].Close()
	descriptors, err := receiver.Descriptors(ctx)
	if err != nil {
		log.Fatal(err)
	}
	wire <- descriptors[0]

	b, err := pjrt.FromSlice(ctx, hosts.hosts[0].client, []int32{5, 6}, 2)
	if err != nil {
		log.Fatal(err)
	}
	defer b.Close()
	if _, err := crosshost.CopyToRemoteDevice(ctx, b, <-wire); err != nil {
		log.Fatal(err)
	}

	values, err := pjrt.ToSlice[int32](ctx, receiver.Buffers()[0])
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(values)
	// Output: [5 6]
}
