// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package docs_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/platform"
	"github.com/purepjrt/purepjrt/pjrt/plugins"
	"github.com/purepjrt/purepjrt/pjrt/transfer"
)

// A GPU is needed to run this.
func Example_gpu() {
	run := func(ctx context.Context) error {
		client, err := plugins.Open(ctx, "cuda", &pjrt.ClientOptions{Platform: platform.GPU{
			VisibleDevices: []int{0, 1},
			MemoryFraction: 0.5,
			Preallocate:    platform.Off,
		}})
		if err != nil {
			return err
		}
		defer client.Close()
		stats, err := client.AddressableDevices()[0].MemoryStats()
		if err != nil {
			return err
		}
		fmt.Println(stats.InUse, "bytes in use")
		return nil
	}
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

// A GPU is needed to run this.
func Example_dma() {
	run := func(ctx context.Context, client *pjrt.Client, array pjrt.HostArray) error {
		mapping, err := transfer.MapDMA(client, array.Data) // until Close
		if err != nil {
			return err
		}
		defer mapping.Close()
		buffer, err := client.BufferFromHost(ctx, array, &pjrt.BufferOptions{Semantics: pjrt.UntilTransferCompletes})
		if err != nil {
			return err
		}
		defer buffer.Close()
		return buffer.Wait(ctx)
	}
	if err := run(context.Background(), nil, pjrt.HostArray{}); err != nil {
		log.Fatal(err)
	}
}

// A TPU is needed to run this.
func Example_tpu() {
	run := func(ctx context.Context) error {
		client, err := plugins.Open(ctx, "tpu", nil)
		if err != nil {
			return err
		}
		defer client.Close()
		data, err := os.ReadFile("model.bin")
		if err != nil {
			return err
		}
		exe, err := client.DeserializeAndLoad(ctx, data, nil)
		if err != nil {
			return err // says what differs: the plugin, the kind of device, their number
		}
		defer exe.Close()
		return nil
	}
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}
