// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrttest

import (
	"fmt"
	"slices"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/capi/shim"
	"github.com/purepjrt/purepjrt/pjrt"
)

// Options describe a plugin. The zero value describes a plugin of the newest API with one
// device.
type Options struct {
	// Minor is the minor version of the plugin's PJRT API; 0 means the newest. The plugin
	// lacks functions, fields and extensions that came later.
	Minor int
	// Absent are the C names of functions that the plugin does not implement. Their slots in
	// its table are not null: the functions return UNIMPLEMENTED, as in most plugins.
	Absent []string
	// Extensions are the extensions that the plugin offers, if its API has them. An empty
	// list means none. Nil means ABIVersion, Callback, ExecutableMetadata,
	// HostMemoryAllocator, Layouts, MemoryDescriptions, PhaseCompile, Profiler, RawBuffer,
	// Shardings and, with a Network, CrossHostTransfers.
	//
	// The others belong to one kind of device, so the plugin offers them only if the list
	// names them: Stream, GPUCustomCall and Triton of GPUs; Megascale, MultiSlice and
	// TPUTopology of TPUs. With Megascale or TPUTopology, package pjrt takes the plugin for
	// one for TPUs: its Kind is "tpu". The function Extensions returns all.
	Extensions []capi.ExtensionType
	// Nodes are further nodes of the extension chain, such as those of a vendor's own
	// extensions. Their functions are C functions, which package purego makes from Go
	// functions. The plugin links the nodes into its chain, so each node can belong to
	// only one plugin. A node takes the place of the plugin's own extension of its type.
	Nodes []*capi.ExtensionBase

	// Devices is the number of devices of each process; 0 means 1.
	Devices int
	// Processes is the number of processes that share the devices; 0 means 1.
	// ProcessIndex is the number of this process. Programs see the devices of the other
	// processes, but cannot use them.
	Processes, ProcessIndex int
	// Network connects the plugin with those of the other processes, and gives it the
	// extension CrossHostTransfers. Without a Network, the plugin lacks the extension.
	Network *Network
	// Memories are the memories of each device, beginning with the default one. Nil means
	// one of the kind device and one of the kind pinned_host, of 1 GiB each.
	Memories []MemoryOptions
	// HostDevices makes the memory of the devices addressable by the host, as with a
	// plugin for CPUs. Results can then be read in place, and host memory is used without
	// a copy.
	HostDevices bool

	// PlatformName, PlatformVersion and DeviceKind replace "pjrttest",
	// "pjrttest 1" and "pjrttest device".
	PlatformName, PlatformVersion, DeviceKind string
	// Attributes are added to the attributes of the plugin, or replace those of the same
	// name.
	Attributes []pjrt.Attribute
	// DeviceAttributes returns further attributes of the device with the id. The plugin
	// calls it for each description of the device, and for each Device.LiveAttributes.
	DeviceAttributes func(id int) []pjrt.Attribute
	// CreateOptions are the client options that the plugin accepts in addition to
	// num_nodes, node_id and device_count, each with a value of the type that it must have.
	// The plugin rejects options of other names and types.
	CreateOptions []pjrt.Attribute

	// Odd makes the plugin do what some plugins in the field do, though clients do not expect it.
	Odd []shim.Oddity

	// NoLeaks makes New fail the test if, at its end, C objects of the plugin are left that
	// the test neither closed nor forgot, or transfers that still wait for another process.
	// A test that leaves such transfers on purpose closes the plugin itself.
	NoLeaks bool
}

// MemoryOptions describe one memory of each device.
type MemoryOptions struct {
	Kind  string
	Bytes int64 // its size; 0 means 1 GiB
	// Host says that the host can address the memory. It is always true for the
	// kinds pinned_host and unpinned_host, and with HostDevices.
	Host bool
}

const defaultMemory = 1 << 30

// extensions are the extensions that a plugin offers by default.
var extensions = []capi.ExtensionType{
	capi.ExtensionTypeLayouts, capi.ExtensionTypeMemoryDescriptions, capi.ExtensionTypeShardings,
	capi.ExtensionTypeRawBuffer, capi.ExtensionTypeHostMemoryAllocator, capi.ExtensionTypeProfiler,
	capi.ExtensionTypePhaseCompile, capi.ExtensionTypeABIVersion, capi.ExtensionTypeExecutableMetadata,
	capi.ExtensionTypeCallback,
	capi.ExtensionTypeCrossHostTransfers, // with Options.Network
}

// deviceExtensions are the extensions for one kind of device, which a plugin offers if the
// options name them.
var deviceExtensions = []capi.ExtensionType{
	capi.ExtensionTypeStream, capi.ExtensionTypeGPUCustomCall, capi.ExtensionTypeTriton,
	capi.ExtensionTypeMegascale, capi.ExtensionTypeMultiSlice, capi.ExtensionTypeTPUTopology,
}

// Extensions returns all extensions that Options.Extensions can name, also those that belong to
// one kind of device. CrossHostTransfers, which is one of them, needs Options.Network.
func Extensions() []capi.ExtensionType { return slices.Concat(extensions, deviceExtensions) }

// complete checks the options and fills in the defaults.
func (o Options) complete() (Options, error) {
	for _, n := range []struct {
		name  string
		value *int
	}{{"Devices", &o.Devices}, {"Processes", &o.Processes}} {
		switch {
		case *n.value == 0:
			*n.value = 1
		case *n.value < 0 || *n.value > 1<<16:
			return o, fmt.Errorf("pjrttest: Options.%s is %d; give at least 1 and at most %d", n.name, *n.value, 1<<16)
		}
	}
	if o.ProcessIndex < 0 || o.ProcessIndex >= o.Processes {
		return o, fmt.Errorf("pjrttest: Options.ProcessIndex is %d, but there are %d processes", o.ProcessIndex, o.Processes)
	}
	switch {
	case o.Minor == 0:
		o.Minor = capi.APIMinor
	case o.Minor < serve.OldestMinor || o.Minor > capi.APIMinor:
		return o, fmt.Errorf("pjrttest: Options.Minor is %d; give one from %d to %d", o.Minor, serve.OldestMinor, capi.APIMinor)
	}
	orDefault(&o.PlatformName, "pjrttest")
	orDefault(&o.PlatformVersion, "pjrttest 1")
	orDefault(&o.DeviceKind, "pjrttest device")
	if o.Memories == nil {
		o.Memories = []MemoryOptions{{Kind: "device"}, {Kind: "pinned_host"}}
	}
	if len(o.Memories) == 0 {
		return o, fmt.Errorf("pjrttest: Options.Memories is empty; a device has at least one memory")
	}
	o.Memories = slices.Clone(o.Memories)
	seen := make(map[string]bool)
	for i := range o.Memories {
		m := &o.Memories[i]
		if m.Kind == "" || seen[m.Kind] || m.Bytes < 0 {
			return o, fmt.Errorf("pjrttest: memory %d of Options.Memories has the kind %q and %d bytes; "+
				"give each memory its own kind, and a size that is not negative", i, m.Kind, m.Bytes)
		}
		seen[m.Kind] = true
		if m.Bytes == 0 {
			m.Bytes = defaultMemory
		}
		m.Host = m.Host || o.HostDevices || m.Kind == "pinned_host" || m.Kind == "unpinned_host"
	}
	if o.Network == nil && slices.Contains(o.Extensions, capi.ExtensionTypeCrossHostTransfers) {
		return o, fmt.Errorf("pjrttest: the extension CrossHostTransfers needs a network: set Options.Network")
	}
	if o.Extensions == nil {
		o.Extensions = extensions
	}
	supported := Extensions()
	for _, x := range o.Extensions {
		if !slices.Contains(supported, x) {
			return o, fmt.Errorf("pjrttest: the extension %v is not supported; use one of %v", x, supported)
		}
	}
	o.Extensions = slices.DeleteFunc(slices.Clone(o.Extensions), func(x capi.ExtensionType) bool {
		return slices.ContainsFunc(o.Nodes, func(n *capi.ExtensionBase) bool { return n != nil && n.Type == x })
	})
	for _, a := range o.CreateOptions {
		if a.Name == "" {
			return o, fmt.Errorf("pjrttest: an option in Options.CreateOptions has no name")
		}
	}
	return o, nil
}

func orDefault(s *string, value string) {
	if *s == "" {
		*s = value
	}
}

// offers reports whether the options ask for an extension.
func (p *Plugin) offers(x capi.ExtensionType) bool { return slices.Contains(p.opts.Extensions, x) }

// pluginAttributes returns the attributes of the plugin.
func (o Options) pluginAttributes() []pjrt.Attribute {
	return merge([]pjrt.Attribute{
		{Name: "stablehlo_current_version", Value: []int64{1, 17, 0}},
		{Name: "stablehlo_minimum_version", Value: []int64{0, 9, 0}},
	}, o.Attributes)
}

// merge returns the attributes of list and of more; those of more replace attributes of
// the same name.
func merge(list, more []pjrt.Attribute) []pjrt.Attribute {
	list = slices.Clone(list)
	for _, a := range more {
		i := slices.IndexFunc(list, func(b pjrt.Attribute) bool { return a.Name == b.Name })
		if i < 0 {
			list = append(list, a)
		} else {
			list[i] = a
		}
	}
	return list
}
