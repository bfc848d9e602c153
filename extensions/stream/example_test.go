// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package stream_test

import (
	"context"
	"log"

	"github.com/purepjrt/purepjrt/extensions/stream"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/plugins"
)

// Another library on the same GPU reads a buffer in its own stream as soon as the buffer has its
// contents. The host does not wait.
func ExampleWait() {
	ctx := context.Background()
	client, err := plugins.Open(ctx, "cuda", nil)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	b, err := pjrt.FromSlice(ctx, client, []float32{1, 2, 3}, 3)
	if err != nil {
		log.Fatal(err)
	}
	defer b.Close()
	own, err := stream.OfDevice(client.Devices()[0]) // or a CUstream of the other library
	if err != nil {
		log.Fatal(err)
	}
	if err := stream.Wait(own, b); err != nil {
		log.Fatal(err)
	}
	// Whatever the other library puts into the stream from here on finds the contents.
}
