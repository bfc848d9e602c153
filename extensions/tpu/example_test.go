// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package tpu_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/extensions/tpu"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
)

// A part of a system gets its own numbers of devices. The plugin in memory stands in for libtpu: it
// arranges its devices as if each was a chip.
func ExampleSubslice() {
	ctx := context.Background()
	plugin, err := pjrttest.Start(pjrttest.Options{Extensions: []capi.ExtensionType{capi.ExtensionTypeTPUTopology}})
	if err != nil {
		log.Fatal(err)
	}
	defer plugin.Close()
	topology, err := plugin.Plugin().NewTopology(ctx, "4x4x1", nil)
	if err != nil {
		log.Fatal(err)
	}
	defer topology.Close()
	part, err := tpu.Subslice(topology, []int{2, 2, 1}, []int{1, 1, 1})
	if err != nil {
		log.Fatal(err)
	}
	defer part.Close()
	system, err := tpu.SystemOf(part)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(system.Chips, "chips in", system.Bounds)
	origin := []int{2, 0, 0}
	device, err := tpu.DeviceAt(topology, []int{3, 1, 0}, 0)
	if err != nil {
		log.Fatal(err)
	}
	inPart, err := tpu.DeviceInSubslice(topology, part, origin, device)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("device", device, "is device", inPart, "of the part")
	// Output:
	// 4 chips in [2 2 1]
	// device 7 is device 3 of the part
}

// A program on TPUs says why it ends. InvokeFatal tests that.
func ExampleOnFatal() {
	plugin, err := pjrttest.Start(pjrttest.Options{}) // in place of a plugin for TPUs
	if err != nil {
		log.Fatal(err)
	}
	defer plugin.Close()
	client := plugin.Client()
	if err := tpu.OnFatal(client, func(err error) { fmt.Println("the last words of the runtime:", err) }); err != nil {
		log.Fatal(err)
	}
	if err := tpu.InvokeFatal(client, errors.New("this is a test")); err != nil {
		log.Fatal(err)
	}
	// Output: the last words of the runtime: UNKNOWN: this is a test
}
