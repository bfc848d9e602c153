// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package crosshost_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"sync"

	"github.com/purepjrt/purepjrt/extensions/crosshost"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
)

// hosts are the plugins of a program's processes, in memory: the process i has device i.
type hosts [2]*pjrttest.Plugin

func startHosts() (h hosts) {
	network := new(pjrttest.Network)
	for i := range h {
		p, err := pjrttest.Start(pjrttest.Options{Network: network, Processes: len(h), ProcessIndex: i})
		if err != nil {
			log.Fatal(err)
		}
		h[i] = p
	}
	return h
}

func (h hosts) close() {
	for _, p := range h {
		if err := p.Close(); err != nil {
			log.Fatal(err)
		}
	}
}

// share is a program that runs in two processes: the first one sends an array to the second
// one, which returns it.
func share(ctx context.Context, c *pjrt.Client) ([]float32, error) {
	const key = 1 // the same in both processes
	shape := pjrt.Shape{Type: dtype.F32, Dims: []int64{3}}
	first, second := c.Devices()[0], c.Devices()[1]
	if c.ProcessIndex() == 1 {
		received, err := crosshost.Receive(ctx, second, []crosshost.Incoming{{Shape: shape, From: first, Key: key}}, nil)
		if err != nil {
			return nil, err
		}
		defer received[0].Close()
		return pjrt.ToSlice[float32](ctx, received[0])
	}
	b, err := pjrt.FromSlice(ctx, c, []float32{1, 2, 3}, shape.Dims...)
	if err != nil {
		return nil, err
	}
	defer b.Close()
	sent, err := crosshost.Send(ctx, c, []crosshost.Outgoing{{Buffer: b, To: second, Key: key}}, nil)
	if err != nil {
		return nil, err
	}
	defer sent[0].Close()
	return nil, sent[0].Wait(ctx)
}

// A test of the program runs both processes in one, without hardware, and can make them fail.
func Example() {
	ctx := context.Background()
	hosts := startHosts()
	defer hosts.close()
	run := func() {
		var values []float32
		var sendErr, receiveErr error
		var both sync.WaitGroup
		both.Go(func() { _, sendErr = share(ctx, hosts[0].Client()) })
		both.Go(func() { values, receiveErr = share(ctx, hosts[1].Client()) })
		both.Wait()
		fmt.Println("sent:", sendErr)
		fmt.Println("received:", values, receiveErr)
	}
	run()
	hosts[0].Fail("PJRT_Transfers_PJRT_Client_CrossHostSendBuffers", pjrt.ErrUnavailable, "no route", pjrttest.Async())
	run()
	// Output:
	// sent: <nil>
	// received: [1 2 3] <nil>
	// sent: UNAVAILABLE: no route
	// received: [] UNAVAILABLE: no route
}

// Two processes of a program, here both in one, name a transfer with the same key.
func ExampleSend() {
	ctx := context.Background()
	hosts := startHosts()
	defer hosts.close()
	const key = 42

	// Process 0 has device 0.
	sender := hosts[0].Client()
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
	receiver := hosts[1].Client()
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
	hosts := startHosts()
	defer hosts.close()
	wire := make(chan []byte, 1)

	receiver, err := crosshost.NewReceiver(ctx, hosts[1].Client(), []pjrt.Shape{{Type: dtype.S32, Dims: []int64{2}}}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer receiver.Buffers()[0].Close()
	descriptors, err := receiver.Descriptors(ctx)
	if err != nil {
		log.Fatal(err)
	}
	wire <- descriptors[0]

	b, err := pjrt.FromSlice(ctx, hosts[0].Client(), []int32{5, 6}, 2)
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
