// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
	"github.com/purepjrt/purepjrt/pjrt/platform"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

// newGPU returns a plugin that claims to be CUDA's and accepts the create options.
func newGPU(t testing.TB, create ...pjrt.Attribute) *pjrttest.Plugin {
	t.Helper()
	return pjrttest.New(t, pjrttest.Options{
		Attributes:    []pjrt.Attribute{{Name: "cuda_version", Value: int64(13000)}},
		CreateOptions: create,
	})
}

// newTPU returns a plugin that claims to be libtpu and accepts the create options.
func newTPU(t testing.TB, create ...pjrt.Attribute) *pjrttest.Plugin {
	t.Helper()
	return pjrttest.New(t, pjrttest.Options{
		Nodes:         []*capi.ExtensionBase{{StructSize: capi.ExtensionBaseSize, Type: capi.ExtensionTypeTPUTopology}},
		CreateOptions: create,
	})
}

// newUnknown returns a plugin of an unknown kind that accepts the create options.
func newUnknown(t testing.TB, create ...pjrt.Attribute) *pjrttest.Plugin {
	t.Helper()
	return pjrttest.New(t, pjrttest.Options{CreateOptions: create})
}

func TestTypedOptionsBecomeCreateOptions(t *testing.T) {
	type attributes = []pjrt.Attribute
	cases := map[string]struct {
		plugin func(t testing.TB, create ...pjrt.Attribute) *pjrttest.Plugin
		opts   pjrt.ClientOptions
		want   attributes
	}{
		"gpu defaults": {newGPU, pjrt.ClientOptions{Platform: platform.GPU{}}, nil},
		"gpu": {newGPU, pjrt.ClientOptions{
			Platform: platform.GPU{
				Allocator: platform.AllocatorBFC, MemoryFraction: 0.5, Preallocate: platform.Off, CollectiveMemorySize: 1 << 20,
				VisibleDevices: []int{2, 0}, Platform: "CUDA", PartitionIndex: 3,
				AbortCollectivesOnFailure: platform.On, MockTopology: "1x2x4", StageTransfers: platform.Off, MaxInflightComputations: 5, TFRT: platform.On,
			},
			AllowUnknown: true,
			Create:       attributes{{Name: "new_option", Value: "x"}},
			NumNodes:     1,
		}, attributes{
			{Name: "allocator", Value: "bfc"},
			{Name: "memory_fraction", Value: float32(0.5)},
			{Name: "preallocate", Value: false},
			{Name: "collective_memory_size", Value: int64(1 << 20)},
			{Name: "visible_devices", Value: []int64{2, 0}},
			{Name: "platform_name", Value: "CUDA"},
			{Name: "partition_index", Value: int64(3)},
			{Name: "abort_collectives_on_failure", Value: true},
			{Name: "enable_mock_nccl", Value: true},
			{Name: "mock_gpu_topology", Value: "1x2x4"},
			{Name: "num_nodes", Value: int64(2)},
			{Name: "should_stage_host_to_device_transfers", Value: false},
			{Name: "max_inflight_computations", Value: int64(5)},
			{Name: "use_tfrt_gpu_client", Value: true},
			{Name: "new_option", Value: "x"},
		}},
		"tpu": {newTPU, pjrt.ClientOptions{Platform: platform.TPU{
			MaxInflightComputations: 1, FrameworkName: "f", FrameworkVersion: "2", PinnedHostAllocationMode: "m",
			PremappedBufferSize: 3, MaxPremappedTransfer: 4, PremappedPartitions: 5, AsyncAllocations: platform.On, CompatibilityCheck: platform.Off,
			ThrottleTransfers: platform.On, GlobalSystem: platform.On, SkipMegascale: platform.Off,
		}}, attributes{
			{Name: "max_inflight_computations", Value: int64(1)},
			{Name: "ml_framework_name", Value: "f"},
			{Name: "ml_framework_version", Value: "2"},
			{Name: "pinned_host_allocation_mode", Value: "m"},
			{Name: "premapped_buffer_size", Value: int64(3)},
			{Name: "maximum_premapped_buffer_size_for_transfers_in_bytes", Value: int64(4)},
			{Name: "num_premapped_partitions", Value: int64(5)},
			{Name: "tpu_allow_async_allocations", Value: true},
			{Name: "executable_compatibility_check_on_deserialization", Value: false},
			{Name: "throttle_low_priority_host_transfers", Value: true},
			{Name: "use_global_tpu_system", Value: true},
			{Name: "skip_megascale_pjrt_client", Value: false},
		}},
		"cpu options for an unknown kind": {newUnknown, pjrt.ClientOptions{Platform: platform.CPU{DeviceCount: 2, Asynchronous: platform.Off, ProcessID: 1}}, attributes{
			{Name: "cpu_device_count", Value: int64(2)},
			{Name: "asynchronous", Value: false},
			{Name: "process_id", Value: int64(1)},
		}},
		"anything for an unknown kind": {newUnknown, pjrt.ClientOptions{Create: attributes{{Name: "mine", Value: []int64{1}}}}, attributes{{Name: "mine", Value: []int64{1}}}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			p := c.plugin(t, c.want...)
			client, err := p.Plugin().NewClient(context.Background(), &c.opts)
			require.NoError(t, err)
			defer client.Close()
			assert.Equal(t, c.want, p.CreateOptions())
		})
	}
}

// Some of these end the process when they reach the plugin.
func TestMisuseOfCreateOptionsIsRefused(t *testing.T) {
	cuda, libtpu := newGPU(t).Plugin(), newTPU(t).Plugin()
	cpu := newClient(t).Plugin()
	one := func(name string, value any) pjrt.ClientOptions {
		return pjrt.ClientOptions{Create: []pjrt.Attribute{{Name: name, Value: value}}}
	}
	gpu := func(o platform.GPU) pjrt.ClientOptions { return pjrt.ClientOptions{Platform: o} }
	unchecked := one("cpu_device_count", "4")
	unchecked.AllowUnknown = true
	cases := map[string]struct {
		plugin *pjrt.Plugin
		opts   pjrt.ClientOptions
		want   string
	}{
		"type":                    {cpu, one("cpu_device_count", "4"), "cpu_device_count takes a value of type int64, not string"},
		"type, unknown allowed":   {cpu, unchecked, "cpu_device_count takes a value of type int64, not string"},
		"gpu type":                {cuda, one("memory_fraction", 0.5), "memory_fraction takes a value of type float32, not float64"},
		"gpu list":                {cuda, one("visible_devices", 1), "visible_devices takes a value of type []int64, not int64"},
		"no value":                {cpu, one("cpu_device_count", nil), "takes a value of type int64, not <nil>"},
		"unknown":                 {cpu, one("cpu_device_cuont", 4), "the cpu plugin has no create option \"cpu_device_cuont\"; did you mean cpu_device_count?"},
		"unknown and far":         {cuda, one("zzz", 4), "it has abort_collectives_on_failure, allocator,"},
		"another family's":        {cpu, one("allocator", "bfc"), "it is one of GPU plugins"},
		"the empty name":          {cpu, one("", 1), "no create option \"\""},
		"another family's struct": {cpu, gpu(platform.GPU{}), "the options are for GPU plugins; this is the cpu plugin"},
		"cpu for tpu":             {libtpu, pjrt.ClientOptions{Platform: platform.CPU{}}, "the options are for CPU plugins; this is the tpu plugin"},
		"twice": {cpu, pjrt.ClientOptions{
			Platform: platform.CPU{DeviceCount: 1},
			Create:   []pjrt.Attribute{{Name: "cpu_device_count", Value: 2}},
		}, "cpu_device_count is given twice"},
		"negative devices":      {cpu, one("cpu_device_count", -1), "cpu_device_count is -1"},
		"too many devices":      {cpu, one("cpu_device_count", int64(1)<<31), "a client has 0 to"},
		"negative DeviceCount":  {cpu, pjrt.ClientOptions{Platform: platform.CPU{DeviceCount: -1}}, "DeviceCount is -1: it cannot be negative"},
		"no toggle":             {cpu, pjrt.ClientOptions{Platform: platform.CPU{Asynchronous: 3}}, "Asynchronous is the Toggle 3: use Auto, On or Off"},
		"fraction negative":     {cuda, gpu(platform.GPU{MemoryFraction: -1}), "memory_fraction is -1"},
		"fraction NaN":          {cuda, gpu(platform.GPU{MemoryFraction: float32(math.NaN())}), "memory_fraction is NaN"},
		"fraction infinite":     {cuda, gpu(platform.GPU{MemoryFraction: float32(math.Inf(1))}), "memory_fraction is +Inf"},
		"device twice":          {cuda, gpu(platform.GPU{VisibleDevices: []int{1, 1}}), "has device 1 twice"},
		"device negative":       {cuda, gpu(platform.GPU{VisibleDevices: []int{-1}}), "has the device -1"},
		"many nodes":            {cuda, one("num_nodes", 1<<40), "num_nodes is 1099511627776"},
		"nil options":           {cpu, pjrt.ClientOptions{Platform: (*platform.CPU)(nil)}, "the platform options are a nil *platform.CPU"},
		"mock topology":         {cuda, gpu(platform.GPU{MockTopology: "2x2"}), "has 2 extents, not 3"},
		"mock topology by name": {cuda, one("mock_gpu_topology", "-1x1x1"), `the extent "-1" is not a number`},
		"float":                 {cpu, one("asynchronous", 1.5), "takes a value of type bool, not float64"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			client, err := c.plugin.NewClient(context.Background(), &c.opts)
			require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
			require.ErrorContains(t, err, c.want)
			assert.Nil(t, client)
			_, err = c.plugin.SharedClient(context.Background(), &c.opts)
			require.ErrorContains(t, err, c.want)
		})
	}
}

func TestUnknownOptionsPassWhenAllowed(t *testing.T) {
	client, err := newClient(t).Plugin().NewClient(context.Background(), &pjrt.ClientOptions{
		Platform:     platform.CPU{DeviceCount: 3},
		Create:       []pjrt.Attribute{{Name: "no_such_option", Value: 1}},
		AllowUnknown: true,
	})
	if plugintest.Age(t) > 106 { // newer plugins refuse it themselves
		require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
		require.ErrorContains(t, err, "PJRT_Client_Create: INVALID_ARGUMENT: Unexpected option name passed to PJRT_Client_Create: no_such_option")
		return
	}
	require.NoError(t, err)
	defer client.Close()
	assert.Len(t, client.Devices(), 3)
}

func TestClientsTakeCreateOptionsFromText(t *testing.T) {
	plugin := newClient(t).Plugin()
	create, err := platform.Parse(plugin.Kind(), "cpu_device_count:3")
	require.NoError(t, err)
	client, err := plugin.NewClient(context.Background(), &pjrt.ClientOptions{Create: create})
	require.NoError(t, err)
	defer client.Close()
	assert.Len(t, client.Devices(), 3)
}
