// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build aot

package memories_test

import (
	"context"
	"fmt"
	"log"

	"github.com/purepjrt/purepjrt/extensions/memories"
	"github.com/purepjrt/purepjrt/pjrt/plugins"
)

// A program lists the kinds of memory of a TPU without having one.
func ExampleOfTopology_aheadOfTime() {
	ctx := context.Background()
	plugin, err := plugins.Load(ctx, "tpu")
	if err != nil {
		log.Fatal(err)
	}
	topology, err := plugin.NewTopology(ctx, "v5e:1x1", nil)
	if err != nil {
		log.Fatal(err)
	}
	defer topology.Close()
	devices, err := memories.OfTopology(topology)
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range devices[0] {
		fmt.Println(m.Kind, m.Default)
	}
	// Output:
	// device true
	// pinned_host false
	// unpinned_host false
}
