// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/platform"
	"github.com/purepjrt/purepjrt/pjrt/plugins"
)

// cpuPlugin returns the CPU plugin, which is installed if it is missing.
func cpuPlugin(ctx context.Context) *pjrt.Plugin {
	plugin, err := plugins.Load(ctx, "cpu")
	if err != nil {
		log.Fatal(err)
	}
	return plugin
}

// NewClient checks the options for the kind of plugin.
func ExamplePlugin_NewClient() {
	ctx := context.Background()
	plugin := cpuPlugin(ctx)
	client, err := plugin.NewClient(ctx, &pjrt.ClientOptions{Platform: platform.CPU{DeviceCount: 2}})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	fmt.Println(plugin.Kind(), client.PlatformName(), len(client.Devices()))

	_, err = plugin.NewClient(ctx, &pjrt.ClientOptions{Create: []pjrt.Attribute{{Name: "cpu_device_count", Value: "2"}}})
	fmt.Println(err)
	// Output:
	// cpu cpu 2
	// INVALID_ARGUMENT: create option cpu_device_count takes a value of type int64, not string
}

// The parts of a program share one client, each with its own reference.
func ExamplePlugin_SharedClient() {
	ctx := context.Background()
	plugin := cpuPlugin(ctx)
	a, err := plugin.SharedClient(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer a.Close()
	b, err := plugin.SharedClient(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer b.Close()
	fmt.Println(a.Client == b.Client)
	// Output: true
}

// A program can ask what a plugin supports before it needs it.
func ExamplePlugin_Supports() {
	plugin := cpuPlugin(context.Background())
	fmt.Println(plugin.Supports("PJRT_Client_DmaMap"), plugin.Supports("PJRT_Gpu_Register_Custom_Call"))
	// Output: true false
}

func ExampleClient_LookupDevice() {
	ctx := context.Background()
	client, err := cpuPlugin(ctx).NewClient(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	d, err := client.LookupDevice(2)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(d.ID(), d.LocalHardwareID(), d.Kind(), d.Addressable())
	_, err = client.LookupDevice(99)
	fmt.Println(errors.Is(err, pjrt.ErrInvalidArgument))
	// Output:
	// 2 2 cpu true
	// true
}

func ExampleDevice_Memory() {
	ctx := context.Background()
	client, err := cpuPlugin(ctx).NewClient(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	d := client.Devices()[1]
	for _, m := range d.Memories() {
		fmt.Println(m.Kind(), len(m.Devices()))
	}
	pinned, err := d.Memory("pinned_host")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(pinned.Kind())
	// Unordered output:
	// device 1
	// pinned_host 1
	// unpinned_host 1
	// pinned_host
}

// Not every plugin counts its memory.
func ExampleDevice_MemoryStats() {
	ctx := context.Background()
	client, err := cpuPlugin(ctx).NewClient(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	stats, err := client.Devices()[0].MemoryStats()
	switch {
	case errors.Is(err, pjrt.ErrUnimplemented):
		fmt.Println("the plugin does not count")
	case err != nil:
		log.Fatal(err)
	case stats.PeakInUse != nil:
		fmt.Println(stats.InUse, *stats.PeakInUse)
	}
	// Output: the plugin does not count
}

// The plugin's own assignment is the starting point for a better one.
func ExampleClient_DefaultDeviceAssignment() {
	ctx := context.Background()
	client, err := cpuPlugin(ctx).NewClient(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	assignment, err := client.DefaultDeviceAssignment(2, 2)
	if err != nil {
		log.Fatal(err)
	}
	for _, replica := range assignment {
		fmt.Println(replica[0].ID(), replica[1].ID())
	}
	// Output:
	// 0 1
	// 2 3
}

func ExampleClient_Topology() {
	ctx := context.Background()
	client, err := cpuPlugin(ctx).NewClient(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	topology, err := client.Topology()
	if err != nil {
		log.Fatal(err)
	}
	devices, err := topology.Devices()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(topology.PlatformName(), len(devices), devices[3].ID())
	// Output: cpu 4 3
}
