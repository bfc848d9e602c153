// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package cache_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/cache"
	"github.com/purepjrt/purepjrt/pjrt/plugins"
)

// The program is compiled the first time, and loaded after that.
func Example() {
	ctx := context.Background()
	client, err := plugins.Open(ctx, "cpu", nil)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()

	dir, err := os.MkdirTemp("", "example") // Open("") would use a permanent directory
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	c, err := cache.Open(dir, cache.Options{MaxBytes: 1 << 30})
	if err != nil {
		log.Fatal(err)
	}
	program := pjrt.Program{Code: []byte(`
		module @double {
		  func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
		    %0 = stablehlo.add %x, %x : tensor<3xf32>
		    return %0 : tensor<3xf32>
		  }
		}`)}
	for range 3 {
		exe, hit, err := c.Compile(ctx, client, program, nil)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(exe.Name(), "from the cache:", hit)
		exe.Close()
	}
	s := c.Stats()
	fmt.Println(s.Hits, "hits", s.Misses, "miss", s.Entries, "entry")
	// Output:
	// double from the cache: false
	// double from the cache: true
	// double from the cache: true
	// 2 hits 1 miss 1 entry
}
