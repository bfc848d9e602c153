// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

// PlatformOptions are the options of one family of plugins: [CPUOptions],
// [GPUOptions] or [TPUOptions].
type PlatformOptions interface {
	// family is that of the plugins that the options are for.
	family() string
	// attributes are the create options that differ from the plugin's defaults.
	attributes() ([]Attribute, error)
}

// Toggle switches something on or off, or leaves it as it is.
type Toggle uint8

// The values of a Toggle.
const (
	Auto Toggle = iota // the plugin's default
	On
	Off
)

// CPUOptions are the options of XLA's plugin for CPUs. The zero value asks for
// its defaults.
type CPUOptions struct {
	// DeviceCount is the number of devices that the client splits the processor
	// into; 0 means the plugin's default, which is 4 in API 0.81. All devices use
	// all cores.
	DeviceCount int
	// Asynchronous has programs run after Execute returned. Plugins of API 0.81
	// ignore it.
	Asynchronous Toggle
	// ProcessID is the number of this process among those of a program; 0 is not
	// sent. Plugins of API 0.81 ignore it.
	ProcessID int
}

func (CPUOptions) family() string { return familyCPU }

func (o CPUOptions) attributes() ([]Attribute, error) {
	var l optionList
	l.count("cpu_device_count", "DeviceCount", o.DeviceCount)
	l.toggle("asynchronous", o.Asynchronous)
	l.count("process_id", "ProcessID", o.ProcessID)
	return l.list, l.err
}

// Allocator says how a GPU plugin gets the memory of its devices.
type Allocator string

// The allocators of XLA's GPU plugins. AllocatorVMM and AllocatorAddress are of
// API 0.116.
const (
	AllocatorDefault   Allocator = "default"    // BFC, unless the environment says otherwise
	AllocatorPlatform  Allocator = "platform"   // the driver's, for each array: slow, takes no more than needed
	AllocatorBFC       Allocator = "bfc"        // best fit with coalescing, in one large piece
	AllocatorCUDAAsync Allocator = "cuda_async" // CUDA's pools
	AllocatorVMM       Allocator = "vmm"
	AllocatorAddress   Allocator = "address"
)

// GPUOptions are the options of XLA's plugins for GPUs: CUDA, ROCm and oneAPI.
// The zero value asks for their defaults: a client then takes three quarters of
// the memory of all GPUs when it is made.
type GPUOptions struct {
	// Allocator is how the client gets device memory; empty means the default.
	Allocator Allocator
	// MemoryFraction is the part of a GPU's memory that the client may take, above
	// 0; 0 means the default, 0.75. More than 1 needs unified memory.
	MemoryFraction float32
	// Preallocate says whether the client takes that memory when it is made. The
	// default is to do so.
	Preallocate Toggle
	// CollectiveMemorySize is how many bytes are set aside for collective
	// operations; 0 means the default.
	CollectiveMemorySize int64
	// VisibleDevices are the numbers of the GPUs to use, as the driver counts
	// them; empty means all.
	VisibleDevices []int
	// Platform picks one of the platforms of a plugin that has several.
	Platform string

	// PartitionIndex is the number of the group of GPUs with a fast interconnect
	// that this process is in; 0 is not sent.
	PartitionIndex int
	// AbortCollectivesOnFailure gives collective operations up when a process of
	// the program fails.
	AbortCollectivesOnFailure Toggle
	// MockTopology has the client pretend that it is part of a larger system, in
	// the form PARTITIONSxHOSTSxDEVICES, and its collective operations do nothing.
	MockTopology string

	// StageTransfers copies host memory through pinned memory on its way to a
	// device.
	StageTransfers Toggle
	// MaxInflightComputations is how many executions may be under way on a device;
	// 0 means the default.
	MaxInflightComputations int
	// TFRT uses another implementation of the client.
	TFRT Toggle
}

func (GPUOptions) family() string { return familyGPU }

func (o GPUOptions) attributes() ([]Attribute, error) {
	var l optionList
	l.text("allocator", string(o.Allocator))
	if o.MemoryFraction != 0 {
		l.add("memory_fraction", o.MemoryFraction)
	}
	l.toggle("preallocate", o.Preallocate)
	l.count("collective_memory_size", "CollectiveMemorySize", int(o.CollectiveMemorySize))
	if len(o.VisibleDevices) > 0 {
		ids := make([]int64, len(o.VisibleDevices))
		for i, id := range o.VisibleDevices {
			ids[i] = int64(id)
		}
		l.add("visible_devices", ids)
	}
	l.text("platform_name", o.Platform)
	l.count("partition_index", "PartitionIndex", o.PartitionIndex)
	l.toggle("abort_collectives_on_failure", o.AbortCollectivesOnFailure)
	if o.MockTopology != "" {
		if _, err := parseExtents(o.MockTopology, 3); err != nil {
			l.fail("MockTopology: %v", err)
		}
		l.add("enable_mock_nccl", true)
		l.add("mock_gpu_topology", o.MockTopology)
	}
	l.toggle("should_stage_host_to_device_transfers", o.StageTransfers)
	l.count("max_inflight_computations", "MaxInflightComputations", o.MaxInflightComputations)
	l.toggle("use_tfrt_gpu_client", o.TFRT)
	return l.list, l.err
}

// TPUOptions are the options of libtpu. The zero value asks for its defaults.
type TPUOptions struct {
	// MaxInflightComputations is how many executions may be under way on a device;
	// 0 means the default.
	MaxInflightComputations int
	// FrameworkName and FrameworkVersion tell libtpu who uses it.
	FrameworkName, FrameworkVersion string
	// PinnedHostAllocationMode names the way in which host memory is pinned.
	PinnedHostAllocationMode string
	// PremappedBufferSize is the size in bytes of the host memory that is mapped
	// for transfers in advance; 0 means the default.
	PremappedBufferSize int64
	// MaxPremappedTransfer is the size in bytes of the largest transfer that goes
	// through that memory; 0 means the default.
	MaxPremappedTransfer int64
	// PremappedPartitions is the number of pieces of that memory; 0 means the
	// default.
	PremappedPartitions int
	// AsyncAllocations allows device memory to be allocated after a call returned.
	AsyncAllocations Toggle
	// CompatibilityCheck checks on loading a serialized executable whether it fits
	// the TPU.
	CompatibilityCheck Toggle
	// ThrottleTransfers lets transfers of low priority give way to others.
	ThrottleTransfers Toggle
	// GlobalSystem makes the client one of all TPUs of a program of several
	// processes.
	GlobalSystem Toggle
	// SkipMegascale leaves out the part that connects several slices.
	SkipMegascale Toggle
}

func (TPUOptions) family() string { return familyTPU }

func (o TPUOptions) attributes() ([]Attribute, error) {
	var l optionList
	l.count("max_inflight_computations", "MaxInflightComputations", o.MaxInflightComputations)
	l.text("ml_framework_name", o.FrameworkName)
	l.text("ml_framework_version", o.FrameworkVersion)
	l.text("pinned_host_allocation_mode", o.PinnedHostAllocationMode)
	l.count("premapped_buffer_size", "PremappedBufferSize", int(o.PremappedBufferSize))
	l.count("maximum_premapped_buffer_size_for_transfers_in_bytes", "MaxPremappedTransfer", int(o.MaxPremappedTransfer))
	l.count("num_premapped_partitions", "PremappedPartitions", o.PremappedPartitions)
	l.toggle("tpu_allow_async_allocations", o.AsyncAllocations)
	l.toggle("executable_compatibility_check_on_deserialization", o.CompatibilityCheck)
	l.toggle("throttle_low_priority_host_transfers", o.ThrottleTransfers)
	l.toggle("use_global_tpu_system", o.GlobalSystem)
	l.toggle("skip_megascale_pjrt_client", o.SkipMegascale)
	return l.list, l.err
}

// optionList collects create options and the first error.
type optionList struct {
	list []Attribute
	err  error
}

func (l *optionList) add(name string, value any) {
	l.list = append(l.list, Attribute{Name: name, Value: value})
}

func (l *optionList) fail(format string, args ...any) {
	if l.err == nil {
		l.err = invalid(format, args...)
	}
}

func (l *optionList) text(name, value string) {
	if value != "" {
		l.add(name, value)
	}
}

func (l *optionList) count(name, field string, value int) {
	switch {
	case value < 0:
		l.fail("%s is %d; it cannot be negative", field, value)
	case value > 0:
		l.add(name, int64(value))
	}
}

func (l *optionList) toggle(name string, value Toggle) {
	switch value {
	case Auto:
	case On, Off:
		l.add(name, value == On)
	default:
		l.fail("the option %s has the value %d, which is neither Auto, On nor Off", name, value)
	}
}
