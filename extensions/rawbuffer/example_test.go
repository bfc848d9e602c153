// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package rawbuffer_test

import (
	"context"
	"fmt"
	"log"

	"github.com/purepjrt/purepjrt/extensions/rawbuffer"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
)

// One element of a buffer is changed in place.
func ExampleOf() {
	ctx := context.Background()
	plugin, err := pjrttest.Start(pjrttest.Options{}) // in place of a plugin for TPUs
	if err != nil {
		log.Fatal(err)
	}
	defer plugin.Close()
	b, err := pjrt.FromSlice(ctx, plugin.Client(), []float32{1, 2, 3, 4}, 4)
	if err != nil {
		log.Fatal(err)
	}
	defer b.Close()
	r, err := rawbuffer.Of(ctx, b)
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	if err := r.CopyFromHost(ctx, dtype.Bytes([]float32{20}), 4); err != nil {
		log.Fatal(err)
	}
	values, err := pjrt.ToSlice[float32](ctx, b)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(values)
	// Output: [1 20 3 4]
}
