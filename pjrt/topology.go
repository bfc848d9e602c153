// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"context"
	"runtime"
	"slices"
	"sync"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/lifetime"
)

// Topology describes the devices of a system and how they are connected, whether
// or not the system is at hand. Programs are compiled for it with
// [Plugin.CompileFor]. Its methods may be called from any goroutine.
type Topology struct {
	plugin *Plugin
	// ref owns a topology that was made by itself. The one of a client is the
	// client's: client and handle are set then, and ref is nil.
	ref    *lifetime.Ref[capi.TopologyDescription]
	client *Client
	handle *capi.TopologyDescription

	platformName, platformVersion string
	attributes                    []Attribute

	mu      sync.Mutex
	devices []*DeviceDescription // guarded by mu; nil until they are asked for
}

// NewTopology makes the topology of a system by its name
// (PJRT_TopologyDescription_Create), without any hardware. It cannot be called
// off: when ctx ends first, NewTopology returns its error and the topology is
// closed once it exists.
//
// What names and options there are is up to the plugin:
//
//   - libtpu takes the model and the extents of the system in chips, such as
//     v4:2x2x1, v5e:2x2, v5p:4x4x4 or v6e:16x16, and the options
//     chips_per_host_bounds ([]int64 of 3) and num_slices (int64). "" is a default.
//     The plugin's environment must be prepared before it is opened, with
//     plugins.Prepare: without that libtpu asks for a metadata server that does not
//     exist outside of Google's cloud, for minutes.
//   - XLA's GPU plugins ignore the name and take the options target_config (string:
//     a GpuTargetConfigProto in text form, which says what GPU it is) and topology
//     (string: PARTITIONSxHOSTSxDEVICES, such as 1x1x8). Without target_config
//     they need a GPU.
//   - XLA's CPU plugin has no topologies but those of its clients
//     (ErrUnimplemented). A client needs no hardware there.
//
// The options of these plugins are checked, since many a wrong one ends the
// process.
func (p *Plugin) NewTopology(ctx context.Context, name string, opts []Attribute) (*Topology, error) {
	if p == nil || p.table == nil {
		return nil, errNilPlugin
	}
	if err := checkTopologyOptions(p.kind, name, opts); err != nil {
		return nil, err
	}
	options, err := capi.NewNamedValues(opts)
	if err != nil {
		return nil, invalid("topology options: %v", err)
	}
	return abandonable(ctx, func() (*Topology, error) {
		defer p.warnWhenSlow("the creation of a topology", 0)()
		var c capi.Call[capi.TopologyDescriptionCreateArgs]
		c.Args.TopologyName, c.Args.TopologyNameSize = capi.StringData(name)
		c.Args.CreateOptions, c.Args.NumOptions = options.Data()
		err := c.Do(p.table)
		runtime.KeepAlive(options)
		if err != nil {
			return nil, err
		}
		return newTopology(p, c.Args.Topology)
	}, (*Topology).Close)
}

// DeserializeTopology makes a topology from the bytes that [Topology.Serialize]
// gave, in this process or another one (PJRT_TopologyDescription_Deserialize, API
// 0.75). It cannot be called off either, see [Plugin.NewTopology]. Plugins notice
// some damaged bytes, and take others for another topology.
func (p *Plugin) DeserializeTopology(ctx context.Context, data []byte) (*Topology, error) {
	if p == nil || p.table == nil {
		return nil, errNilPlugin
	}
	if len(data) == 0 {
		return nil, invalid("the serialized topology is empty")
	}
	data = slices.Clone(data) // the plugin may read it after this returned
	return abandonable(ctx, func() (*Topology, error) {
		var c capi.Call[capi.TopologyDescriptionDeserializeArgs]
		c.Args.SerializedTopology, c.Args.SerializedTopologySize = capi.BytesData(data)
		err := c.Do(p.table)
		runtime.KeepAlive(data)
		if err != nil {
			return nil, err
		}
		return newTopology(p, c.Args.Topology)
	}, (*Topology).Close)
}

// newTopology takes over a topology of the plugin.
func newTopology(p *Plugin, h *capi.TopologyDescription) (*Topology, error) {
	if h == nil {
		return nil, &Error{Code: ErrInternal, Message: "the plugin gave no topology"}
	}
	table := p.table
	t := &Topology{plugin: p}
	t.ref = lifetime.New("topology", h, nil, func(h *capi.TopologyDescription) {
		var d capi.Call[capi.TopologyDescriptionDestroyArgs]
		d.Args.Topology = h
		_ = d.Do(table) // there is nobody to tell
	})
	if err := t.describe(h); err != nil {
		t.Close()
		return nil, err
	}
	return t, nil
}

// describe asks for what is always wanted.
func (t *Topology) describe(h *capi.TopologyDescription) error {
	table := t.plugin.table
	var name capi.Call[capi.TopologyDescriptionPlatformNameArgs]
	name.Args.Topology = h
	if err := name.Do(table); err != nil {
		return err
	}
	t.platformName = capi.String(name.Args.PlatformName, name.Args.PlatformNameSize)
	var version capi.Call[capi.TopologyDescriptionPlatformVersionArgs]
	version.Args.Topology = h
	if err := version.Do(table); err != nil {
		return err
	}
	t.platformVersion = capi.String(version.Args.PlatformVersion, version.Args.PlatformVersionSize)
	var attributes capi.Call[capi.TopologyDescriptionAttributesArgs]
	attributes.Args.Topology = h
	if err := optional(attributes.Do(table)); err != nil {
		return err
	}
	t.attributes = byName(capi.Attributes(attributes.Args.Attributes, attributes.Args.NumAttributes))
	return nil
}

// acquire returns the C object for the length of a call, which release ends.
func (t *Topology) acquire() (h *capi.TopologyDescription, release func(), err error) {
	if t == nil {
		return nil, nil, invalid("the topology is nil")
	}
	if t.ref == nil {
		if _, err := t.client.ref.Acquire(); err != nil {
			return nil, nil, err
		}
		return t.handle, t.client.ref.Release, nil
	}
	if h, err = t.ref.Acquire(); err != nil {
		return nil, nil, err
	}
	return h, t.ref.Release, nil
}

// Close gives the topology up (PJRT_TopologyDescription_Destroy). The topology of
// a client stays until the client is closed.
func (t *Topology) Close() error { return t.ref.Close() }

// Plugin returns the plugin of the topology.
func (t *Topology) Plugin() *Plugin { return t.plugin }

// Client returns the client that the topology belongs to, and nil for one that
// was made by name or deserialized.
func (t *Topology) Client() *Client { return t.client }

// PlatformName returns the plugin's name for the kind of device, such as tpu
// (PJRT_TopologyDescription_PlatformName).
func (t *Topology) PlatformName() string { return t.platformName }

// PlatformVersion returns the plugin's version text
// (PJRT_TopologyDescription_PlatformVersion).
func (t *Topology) PlatformVersion() string { return t.platformVersion }

// Attributes returns what the plugin says of the topology as a whole, by name
// (PJRT_TopologyDescription_Attributes).
func (t *Topology) Attributes() []Attribute { return cloneAttributes(t.attributes) }

// Devices returns the descriptions of all devices
// (PJRT_TopologyDescription_GetDeviceDescriptions). They stay valid after Close.
// The order means nothing, but stays the same within a process.
func (t *Topology) Devices() ([]*DeviceDescription, error) {
	h, release, err := t.acquire()
	if err != nil {
		return nil, err
	}
	defer release()
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.devices != nil {
		return slices.Clone(t.devices), nil
	}
	var c capi.Call[capi.TopologyDescriptionGetDeviceDescriptionsArgs]
	c.Args.Topology = h
	if err := c.Do(t.plugin.table); err != nil {
		return nil, err
	}
	devices := make([]*DeviceDescription, 0, c.Args.NumDescriptions)
	for _, h := range capi.Slice(c.Args.Descriptions, c.Args.NumDescriptions) {
		d, err := describeDevice(t.plugin.table, h)
		if err != nil {
			return nil, err
		}
		devices = append(devices, d)
	}
	t.devices = devices
	return slices.Clone(devices), nil
}

// Serialize turns the topology into bytes for [Plugin.DeserializeTopology]
// (PJRT_TopologyDescription_Serialize).
func (t *Topology) Serialize() ([]byte, error) {
	h, release, err := t.acquire()
	if err != nil {
		return nil, err
	}
	defer release()
	var c capi.Call[capi.TopologyDescriptionSerializeArgs]
	c.Args.Topology = h
	if err := c.Do(t.plugin.table); err != nil {
		return nil, err
	}
	defer c.Args.SerializedTopologyDeleter.Call(c.Args.SerializedTopology)
	return capi.Bytes(c.Args.SerializedBytes, c.Args.SerializedBytesSize), nil
}

// Fingerprint returns a number that is the same for equal topologies, in any
// process (PJRT_TopologyDescription_Fingerprint, API 0.101).
func (t *Topology) Fingerprint() (uint64, error) {
	h, release, err := t.acquire()
	if err != nil {
		return 0, err
	}
	defer release()
	var c capi.Call[capi.TopologyDescriptionFingerprintArgs]
	c.Args.Topology = h
	if err := c.Do(t.plugin.table); err != nil {
		return 0, err
	}
	return c.Args.Fingerprint, nil
}

// MemoryKindIDs returns the numbers of the kinds of memory that there are, those
// of Memory.KindID (PJRT_TopologyDescription_GetMemorySpaceKindIds, API 0.110).
func (t *Topology) MemoryKindIDs() ([]int, error) {
	h, release, err := t.acquire()
	if err != nil {
		return nil, err
	}
	defer release()
	var c capi.Call[capi.TopologyDescriptionGetMemorySpaceKindIDsArgs]
	c.Args.Topology = h
	if err := c.Do(t.plugin.table); err != nil {
		return nil, err
	}
	ids := make([]int, 0, c.Args.NumMemorySpaceKindIDs)
	for _, id := range capi.Slice(c.Args.MemorySpaceKindIDs, c.Args.NumMemorySpaceKindIDs) {
		ids = append(ids, int(id))
	}
	return ids, nil
}
