// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package megascale_test

import (
	"context"
	"fmt"
	"log"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/extensions/megascale"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
)

// A program for two slices of TPUs asks how many devices each of them has. The plugin in memory
// stands in for libtpu.
func ExampleAOTConfig() {
	ctx := context.Background()
	plugin, err := pjrttest.Start(pjrttest.Options{Extensions: []capi.ExtensionType{
		capi.ExtensionTypeMegascale, capi.ExtensionTypeMultiSlice,
	}})
	if err != nil {
		log.Fatal(err)
	}
	defer plugin.Close()
	slice, err := plugin.Plugin().NewTopology(ctx, "2x4", nil)
	if err != nil {
		log.Fatal(err)
	}
	defer slice.Close()
	config, err := megascale.AOTConfig(slice, 2)
	if err != nil {
		log.Fatal(err)
	}
	defer config.Close()
	devices, err := config.DevicesPerSlice()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(devices)
	// Output: map[0:8 1:8]
}
