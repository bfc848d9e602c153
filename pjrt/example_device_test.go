// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/plugins"
)

// cpuPlugin returns the CPU plugin, which is installed if it is missing.
func cpuPlugin(ctx context.Context) *pjrt.Plugin {
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

// A client gets the options of its kind of plugin, checked.
func ExamplePlugin_NewClient() {
	ctx := context.Background()
	plugin := cpuPlugin(ctx)
	client, err := plugin.NewClient(ctx, &pjrt.ClientOptions{Platform: pjrt.CPUOptions{DeviceCount: 2}})
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

// On a GPU, what matters is how much of its memory the client takes.
func ExampleGPUOptions() {
	opts := &pjrt.ClientOptions{Platform: pjrt.GPUOptions{
		Allocator:      pjrt.AllocatorBFC,
		MemoryFraction: 0.5,
		Preallocate:    pjrt.Off,
		VisibleDevices: []int{0},
	}}
	_, err := cpuPlugin(context.Background()).NewClient(context.Background(), opts)
	fmt.Println(err)
	// Output: INVALID_ARGUMENT: the options are for GPU plugins; this is the cpu plugin
}

// The parts of a program share one client, each with a reference of its own.
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

// What a plugin has can be asked before it is needed.
func ExamplePlugin_Supports() {
	plugin := cpuPlugin(context.Background())
	fmt.Println(plugin.Supports("PJRT_Client_DmaMap"), plugin.Supports("PJRT_Device_ClearMemoryStats"))
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
	case stats.PeakInUse.Known:
		fmt.Println(stats.InUse, stats.PeakInUse.Value)
	}
	// Output: the plugin does not count
}

// The plugin's own assignment is where a better one begins.
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

// Memory stays where it is, and alive, until it is unmapped.
func ExampleClient_MapDMA() {
	ctx := context.Background()
	client, err := cpuPlugin(ctx).NewClient(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	mapping, err := client.MapDMA(make([]byte, 1<<20))
	if errors.Is(err, pjrt.ErrUnimplemented) {
		fmt.Println("the plugin copies")
		return
	}
	if err != nil {
		log.Fatal(err)
	}
	defer mapping.Close()
	// Output: the plugin copies
}

// The processes of a program tell their clients which of them are left.
func ExampleClient_UpdateGlobalProcessInfo() {
	ctx := context.Background()
	client, err := cpuPlugin(ctx).NewClient(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	err = client.UpdateGlobalProcessInfo([]pjrt.ProcessInfo{
		{ID: 0, Incarnation: 1, State: pjrt.ProcessConnected},
		{ID: 1, Incarnation: 1, State: pjrt.ProcessFailed, Err: &pjrt.Error{Code: pjrt.ErrUnavailable, Message: "no heartbeat"}},
	})
	fmt.Println(err)
	// Output: <nil>
}

// A table that is in the process already becomes a plugin with a name.
func ExampleRegister() {
	plugin := cpuPlugin(context.Background())
	_, err := pjrt.Register("mine", 0)
	fmt.Println(err)
	// A program that links a plugin passes what GetPjrtApi returned.
	again, err := pjrt.FromTable(plugin.Table())
	fmt.Println(again == plugin, err)
	// Output:
	// INVALID_ARGUMENT: 0x0 is no address of a PJRT_Api
	// true <nil>
}
