// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package raw_test

import (
	"context"
	"fmt"
	"log"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// A program that links a plugin registers the address that GetPjrtApi returned.
func ExampleRegister() {
	_, err := raw.Register("mine", 0)
	fmt.Println(err)
	// Output: INVALID_ARGUMENT: there can be no PJRT_Api at the address 0x0
}

// A program calls C itself to ask how many bytes a buffer takes on its device.
func ExampleAcquireBuffer() {
	ctx := context.Background()
	p, err := pjrttest.Start(pjrttest.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer p.Close()
	b, err := pjrt.FromSlice(ctx, p.Client(), []float32{1, 2, 3}, 3)
	if err != nil {
		log.Fatal(err)
	}
	defer b.Close()

	h, release, err := raw.AcquireBuffer(b)
	if err != nil {
		log.Fatal(err)
	}
	defer release()
	var c capi.Call[capi.BufferOnDeviceSizeInBytesArgs]
	c.Args.Buffer = h
	if err := c.Do(raw.Table(p.Plugin())); err != nil {
		log.Fatal(err)
	}
	fmt.Println(c.Args.OnDeviceSizeInBytes, "bytes")
	// Output: 12 bytes
}
