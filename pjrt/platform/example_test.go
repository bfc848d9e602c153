// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package platform_test

import (
	"context"
	"fmt"
	"log"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/platform"
	"github.com/purepjrt/purepjrt/pjrt/plugins"
)

func open(ctx context.Context) *pjrt.Plugin {
	path, err := plugins.Install(ctx, "cpu", plugins.InstallOptions{})
	if err != nil {
		log.Fatal(err)
	}
	plugin, err := pjrt.Open(path)
	if err != nil {
		log.Fatal(err)
	}
	return plugin
}

// On a GPU, the most important option is how much of its memory the client takes.
func ExampleGPU() {
	ctx := context.Background()
	opts := &pjrt.ClientOptions{Platform: platform.GPU{
		Allocator:      platform.AllocatorBFC,
		MemoryFraction: 0.5,
		Preallocate:    platform.Off,
		VisibleDevices: []int{0},
	}}
	_, err := open(ctx).NewClient(ctx, opts)
	fmt.Println(err)
	// Output: INVALID_ARGUMENT: the options are for GPU plugins; this is the cpu plugin
}

func ExampleParse() {
	ctx := context.Background()
	plugin := open(ctx)
	create, err := platform.Parse(plugin.Kind(), "cpu_device_count:2")
	if err != nil {
		log.Fatal(err)
	}
	client, err := plugin.NewClient(ctx, &pjrt.ClientOptions{Create: create})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	fmt.Println(len(client.Devices()))
	// Output: 2
}
