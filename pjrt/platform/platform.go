// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package platform has the create options of XLA's plugins, in one struct for each family of
// plugins: [CPU], [GPU] and [TPU]. Put one of these into pjrt.ClientOptions.Platform. [Parse] reads
// options from text, for pjrt.ClientOptions.Create.
//
// All types are plain data. The functions may be called from any goroutine.
package platform

import (
	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/internal/createoptions"
)

// Toggle switches something on or off, or leaves it to the plugin.
type Toggle uint8

// The values of a Toggle.
const (
	Auto Toggle = iota // the plugin's default
	On
	Off
)

// CPU has the options of XLA's plugin for CPUs. The zero value means the plugin's defaults.
type CPU struct {
	// DeviceCount is the number of devices that the client splits the processor into; 0 means the
	// plugin's default, which is 4. Each device uses all cores, and more than 4096 are an error.
	DeviceCount int
	// Asynchronous lets Execute return while the program still runs, which is the default. Plugins
	// of API 0.81 and 0.106 ignore the option, that of 0.115 does not.
	Asynchronous Toggle
	// ProcessID is the number of this process among the processes of the program. 0 is not sent.
	// Plugins of API 0.81 and 0.106 ignore the option, that of 0.115 does not.
	ProcessID int
}

// Family returns "CPU".
func (CPU) Family() string { return createoptions.CPU }

// CreateOptions returns the options that are set, under the plugin's names for them.
func (o CPU) CreateOptions() ([]capi.Attribute, error) {
	var l list
	l.count("cpu_device_count", "DeviceCount", int64(o.DeviceCount))
	l.toggle("asynchronous", "Asynchronous", o.Asynchronous)
	l.count("process_id", "ProcessID", int64(o.ProcessID))
	return l.attributes, l.err
}

// Allocator says how a GPU plugin allocates device memory.
type Allocator string

// The allocators of XLA's GPU plugins. AllocatorVMM and AllocatorAddress came with
// API 0.116.
const (
	AllocatorDefault   Allocator = "default"    // BFC, unless the environment says otherwise
	AllocatorPlatform  Allocator = "platform"   // the driver's, for each array: slow, but takes only what is needed
	AllocatorBFC       Allocator = "bfc"        // best fit with coalescing, in one large block
	AllocatorCUDAAsync Allocator = "cuda_async" // CUDA's pools
	AllocatorVMM       Allocator = "vmm"
	AllocatorAddress   Allocator = "address"
)

// GPU has the options of XLA's plugins for GPUs: CUDA, ROCm and oneAPI. The zero value means the
// plugin's defaults. By default, a new client takes three quarters of the memory of every GPU.
type GPU struct {
	// Allocator says how the client allocates device memory. Empty means the default.
	Allocator Allocator
	// MemoryFraction is the fraction of a GPU's memory that the client may take. 0 means the
	// default, 0.75. More than 1 needs unified memory.
	MemoryFraction float32
	// Preallocate makes a new client take that memory at once. That is the default.
	Preallocate Toggle
	// CollectiveMemorySize is how many bytes are set aside for collective
	// operations; 0 means the default.
	CollectiveMemorySize int64
	// VisibleDevices lists the GPUs to use, by the driver's numbers. Empty means all.
	VisibleDevices []int
	// Platform selects one of the platforms of a plugin that has several.
	Platform string

	// PartitionIndex is the number of this process's group of GPUs with a fast interconnect. 0 is
	// not sent.
	PartitionIndex int
	// AbortCollectivesOnFailure makes collective operations fail if a process of the program fails.
	AbortCollectivesOnFailure Toggle
	// MockTopology makes the client pretend to be part of a larger system of the form
	// PARTITIONSxHOSTSxDEVICES, in which collective operations do nothing. Leave
	// pjrt.ClientOptions.NumNodes unset with it: there are no other nodes to find.
	MockTopology string

	// StageTransfers copies host memory through pinned memory on its way to a
	// device.
	StageTransfers Toggle
	// MaxInflightComputations is how many executions a device may have in progress at once. 0 means
	// the default.
	MaxInflightComputations int
	// TFRT uses another implementation of the client.
	TFRT Toggle
}

// Family returns "GPU".
func (GPU) Family() string { return createoptions.GPU }

// CreateOptions returns the options that are set, under the plugin's names for them.
func (o GPU) CreateOptions() ([]capi.Attribute, error) {
	var l list
	l.text("allocator", string(o.Allocator))
	if o.MemoryFraction != 0 {
		l.add("memory_fraction", o.MemoryFraction)
	}
	l.toggle("preallocate", "Preallocate", o.Preallocate)
	l.count("collective_memory_size", "CollectiveMemorySize", o.CollectiveMemorySize)
	if len(o.VisibleDevices) > 0 {
		ids := make([]int64, len(o.VisibleDevices))
		for i, id := range o.VisibleDevices {
			ids[i] = int64(id)
		}
		l.add("visible_devices", ids)
	}
	l.text("platform_name", o.Platform)
	l.count("partition_index", "PartitionIndex", int64(o.PartitionIndex))
	l.toggle("abort_collectives_on_failure", "AbortCollectivesOnFailure", o.AbortCollectivesOnFailure)
	if o.MockTopology != "" {
		nodes, err := createoptions.MockNodes(o.MockTopology)
		if err != nil {
			l.fail("MockTopology: %v", err)
		}
		l.add("enable_mock_nccl", true)
		l.add("mock_gpu_topology", o.MockTopology)
		l.add(createoptions.NumNodes, int64(nodes))
	}
	l.toggle("should_stage_host_to_device_transfers", "StageTransfers", o.StageTransfers)
	l.count("max_inflight_computations", "MaxInflightComputations", int64(o.MaxInflightComputations))
	l.toggle("use_tfrt_gpu_client", "TFRT", o.TFRT)
	return l.attributes, l.err
}

// TPU has the options of libtpu. The zero value means libtpu's defaults.
type TPU struct {
	// MaxInflightComputations is how many executions a device may have in progress at once. 0 means
	// the default.
	MaxInflightComputations int
	// FrameworkName and FrameworkVersion tell libtpu which software uses it.
	FrameworkName, FrameworkVersion string
	// PinnedHostAllocationMode names the way to pin host memory.
	PinnedHostAllocationMode string
	// PremappedBufferSize is the size in bytes of the host memory that is mapped for transfers in
	// advance. 0 means the default.
	PremappedBufferSize int64
	// MaxPremappedTransfer is the size in bytes of the largest transfer that goes
	// through that memory; 0 means the default.
	MaxPremappedTransfer int64
	// PremappedPartitions is the number of parts of that memory. 0 means the default.
	PremappedPartitions int
	// AsyncAllocations allows libtpu to allocate device memory after a call has returned.
	AsyncAllocations Toggle
	// CompatibilityCheck makes libtpu check that a serialized executable fits the TPU before it
	// loads it.
	CompatibilityCheck Toggle
	// ThrottleTransfers lets transfers of low priority wait for others.
	ThrottleTransfers Toggle
	// GlobalSystem makes the client see the TPUs of all processes of the program.
	GlobalSystem Toggle
	// SkipMegascale turns off the part of libtpu that connects several slices.
	SkipMegascale Toggle
}

// Family returns "TPU".
func (TPU) Family() string { return createoptions.TPU }

// CreateOptions returns the options that are set, under the plugin's names for them.
func (o TPU) CreateOptions() ([]capi.Attribute, error) {
	var l list
	l.count("max_inflight_computations", "MaxInflightComputations", int64(o.MaxInflightComputations))
	l.text("ml_framework_name", o.FrameworkName)
	l.text("ml_framework_version", o.FrameworkVersion)
	l.text("pinned_host_allocation_mode", o.PinnedHostAllocationMode)
	l.count("premapped_buffer_size", "PremappedBufferSize", o.PremappedBufferSize)
	l.count("maximum_premapped_buffer_size_for_transfers_in_bytes", "MaxPremappedTransfer", o.MaxPremappedTransfer)
	l.count("num_premapped_partitions", "PremappedPartitions", int64(o.PremappedPartitions))
	l.toggle("tpu_allow_async_allocations", "AsyncAllocations", o.AsyncAllocations)
	l.toggle("executable_compatibility_check_on_deserialization", "CompatibilityCheck", o.CompatibilityCheck)
	l.toggle("throttle_low_priority_host_transfers", "ThrottleTransfers", o.ThrottleTransfers)
	l.toggle("use_global_tpu_system", "GlobalSystem", o.GlobalSystem)
	l.toggle("skip_megascale_pjrt_client", "SkipMegascale", o.SkipMegascale)
	return l.attributes, l.err
}

// Parse reads create options for a kind of plugin, as returned by Plugin.Kind, for
// pjrt.ClientOptions.Create. The text has the form of JAX's setting jax_pjrt_client_create_options,
// with a colon between name and value, and semicolons between options:
//
//	memory_fraction:0.5;preallocate:false;visible_devices:0,2
//
// If plugins of the kind know an option, its value gets the type that they expect; a list has
// commas between its elements. Every other value is a string; JAX passes all values as strings.
// Parse ignores white space around names and values, and empty options. A value may contain colons.
// Errors have the code pjrt.ErrInvalidArgument.
func Parse(kind, text string) ([]capi.Attribute, error) {
	list, err := createoptions.Parse(kind, text)
	if err != nil {
		return nil, capi.ErrorCodeInvalidArgument.Errorf("%v", err)
	}
	return list, nil
}

// list collects options, and the first error.
type list struct {
	attributes []capi.Attribute
	err        error
}

func (l *list) add(name string, value any) {
	l.attributes = append(l.attributes, capi.Attribute{Name: name, Value: value})
}

func (l *list) fail(format string, args ...any) {
	if l.err == nil {
		l.err = capi.ErrorCodeInvalidArgument.Errorf(format, args...)
	}
}

func (l *list) text(name, value string) {
	if value != "" {
		l.add(name, value)
	}
}

func (l *list) count(name, field string, value int64) {
	switch {
	case value < 0:
		l.fail("%s is %d: it cannot be negative", field, value)
	case value > 0:
		l.add(name, value)
	}
}

func (l *list) toggle(name, field string, value Toggle) {
	switch value {
	case Auto:
	case On, Off:
		l.add(name, value == On)
	default:
		l.fail("%s is the Toggle %d: use Auto, On or Off", field, value)
	}
}
