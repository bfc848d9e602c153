// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package hostallocator_test

import (
	"context"
	"fmt"
	"log"

	"github.com/purepjrt/purepjrt/extensions/hostallocator"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
)

// Host memory is filled and uploaded.
func ExampleAllocate() {
	ctx := context.Background()
	p, err := pjrttest.Start(pjrttest.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer p.Close()
	m, err := hostallocator.Allocate(p.Client(), 4, nil)
	if err != nil {
		log.Fatal(err)
	}
	err = m.Use(func(b []byte) error {
		copy(b, []byte{1, 2, 3, 4})
		buffer, err := pjrt.FromSlice(ctx, p.Client(), b, 4)
		if err != nil {
			return err
		}
		defer buffer.Close()
		values, err := pjrt.ToSlice[byte](ctx, buffer)
		fmt.Println(values)
		return err
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.Close())
	// Output:
	// [1 2 3 4]
	// <nil>
}
