// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package kv_test

import (
	"context"
	"fmt"
	"time"

	"github.com/purepjrt/purepjrt/pjrt/kv"
)

func ExampleStore() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	store := kv.Prefix(kv.NewMemory(), "job 7/")
	go store.Put(ctx, "address of node 0", []byte("10.0.0.1:8476"))
	// Get waits until node 0 has published its address.
	address, err := store.Get(ctx, "address of node 0")
	fmt.Println(string(address), err)
	// Output: 10.0.0.1:8476 <nil>
}
