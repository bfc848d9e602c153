// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package gpu_test

import (
	"context"
	"fmt"
	"log"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/extensions/gpu"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
)

// Another library on the same GPU reads a buffer in its own stream as soon as the buffer has its
// contents. The host does not wait.
func ExampleStream_Wait() {
	ctx := context.Background()
	plugin, err := pjrttest.Start(pjrttest.Options{ // in place of a plugin for GPUs
		Extensions: []capi.ExtensionType{capi.ExtensionTypeStream},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer plugin.Close()
	client := plugin.Client()
	b, err := pjrt.FromSlice(ctx, client, []float32{1, 2, 3}, 3)
	if err != nil {
		log.Fatal(err)
	}
	defer b.Close()
	own, err := gpu.StreamOf(client.Devices()[0]) // or a CUstream of the other library
	if err != nil {
		log.Fatal(err)
	}
	if err := own.Wait(b); err != nil {
		log.Fatal(err)
	}
	// Whatever the other library puts into the stream from here on finds the contents.
	fmt.Println(own != 0)
	// Output: true
}
