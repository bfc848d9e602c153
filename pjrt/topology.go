// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/internal/abandon"
	"github.com/purepjrt/purepjrt/pjrt/internal/createoptions"
	"github.com/purepjrt/purepjrt/pjrt/internal/lifetimes"
	"github.com/purepjrt/purepjrt/pjrt/internal/xlaproto"
)

// Topology describes the devices of a system and how they are connected. The system need
// not be present. [Plugin.CompileFor] compiles programs for it.
type Topology struct {
	plugin *Plugin
	// ref owns a topology that NewTopology or DeserializeTopology made. A client owns its
	// topology: then ref is nil, and client and handle are set.
	ref    *lifetimes.Ref[capi.TopologyDescription]
	client *Client
	handle *capi.TopologyDescription

	platformName, platformVersion string
	attributes                    []Attribute

	mu      sync.Mutex
	devices []*DeviceDescription // guarded by mu; nil until they are asked for
}

// TopologyOptions are the options of NewTopology.
type TopologyOptions struct {
	Create []Attribute // under the plugin's own names
}

// NewTopology makes the topology of a system by its name, without the hardware
// (PJRT_TopologyDescription_Create). opts may be nil. Plugins have their own names and options,
// which NewTopology checks:
//
//   - libtpu takes the model and the extents of the system in chips, such as v4:2x2x1, v5e:2x2,
//     v5p:4x4x4 or v6e:16x16, "" for a default, and the options chips_per_host_bounds ([]int64 of
//     3) and num_slices (int64). Call plugins.Prepare before [Open].
//   - XLA's GPU plugins ignore the name. They take two strings: target_config, a
//     GpuTargetConfigProto in text form, without which they need a GPU, and topology,
//     PARTITIONSxHOSTSxDEVICES, such as 1x1x8.
//   - XLA's CPU plugin has only those of its clients (ErrUnimplemented).
func (p *Plugin) NewTopology(ctx context.Context, name string, opts *TopologyOptions) (*Topology, error) {
	if p == nil || p.table == nil {
		return nil, errNilPlugin
	}
	if opts == nil {
		opts = &TopologyOptions{}
	}
	if err := createoptions.CheckTopology(p.Kind(), name, opts.Create); err != nil {
		return nil, invalid("%v", err)
	}
	options, err := capi.NewNamedValues(opts.Create)
	if err != nil {
		return nil, invalid("topology options: %v", err)
	}
	return abandon.CallOn(ctx, p, func() (*Topology, error) {
		defer p.warnWhenSlow("the creation of a topology", 0)()
		var c capi.Call[capi.TopologyDescriptionCreateArgs]
		c.Args.TopologyName, c.Args.TopologyNameSize = capi.StringData(name)
		c.Args.CreateOptions, c.Args.NumOptions = options.Data()
		err := c.Do(p.table)
		runtime.KeepAlive(options)
		if err != nil {
			return nil, p.explainTopology(err, opts)
		}
		return newTopology(p, c.Args.Topology)
	}, (*Topology).Close)
}

// explainTopology adds to the error of a plugin for GPUs which option it needs where there is none.
func (p *Plugin) explainTopology(err error, opts *TopologyOptions) error {
	e := (*Error)(nil)
	if !errors.As(err, &e) || e.Code != ErrFailedPrecondition {
		return err
	}
	switch p.Kind() {
	case kindCUDA, kindROCm, kindOneAPI:
	default:
		return err
	}
	given := func(name string) bool {
		return slices.ContainsFunc(opts.Create, func(a Attribute) bool { return a.Name == name })
	}
	const description, extent = "target_config", "topology"
	switch {
	case !given(description):
		return advised(e, "where there is no GPU, describe one with the option "+description+", a GpuTargetConfigProto as text")
	case !given(extent) && strings.Contains(e.Message, "topology shape"):
		return advised(e, "say how many there are with the option "+extent+", PARTITIONSxHOSTSxDEVICES, such as 1x1x8")
	default:
		return err
	}
}

// DeserializeTopology makes a topology from the bytes of [Topology.Serialize], like
// NewTopology (PJRT_TopologyDescription_Deserialize, API 0.75). Plugins do not notice all
// damaged bytes.
func (p *Plugin) DeserializeTopology(ctx context.Context, data []byte) (*Topology, error) {
	if p == nil || p.table == nil {
		return nil, errNilPlugin
	}
	if len(data) == 0 {
		return nil, invalid("the serialized topology is empty")
	}
	data = slices.Clone(data) // the plugin may read it after this function returns
	return abandon.CallOn(ctx, p, func() (*Topology, error) {
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
		return nil, failed(ErrInternal, "the plugin reported success and gave no topology")
	}
	table := p.table
	t := &Topology{plugin: p}
	t.ref = lifetimes.New("topology", h, nil, func(h *capi.TopologyDescription) {
		_, _ = capi.Do(table, capi.TopologyDescriptionDestroyArgs{Topology: h})
	})
	if err := t.describe(h); err != nil {
		t.Close()
		return nil, err
	}
	if err := createoptions.CheckTarget(p.Kind(), t.attributes); err != nil {
		t.Close()
		return nil, invalid("the topology's %v", err)
	}
	return t, nil
}

// describe reads the platform and the attributes, which never change.
func (t *Topology) describe(h *capi.TopologyDescription) error {
	table := t.plugin.table
	name, err := capi.Do(table, capi.TopologyDescriptionPlatformNameArgs{Topology: h})
	if err != nil {
		return err
	}
	t.platformName = capi.String(name.PlatformName, name.PlatformNameSize)
	t.plugin.learnKind(t.platformName)
	version, err := capi.Do(table, capi.TopologyDescriptionPlatformVersionArgs{Topology: h})
	if err != nil {
		return err
	}
	t.platformVersion = capi.String(version.PlatformVersion, version.PlatformVersionSize)
	attributes, err := capi.Do(table, capi.TopologyDescriptionAttributesArgs{Topology: h})
	if err = optional(err); err != nil {
		return err
	}
	t.attributes = byName(capi.Attributes(attributes.Attributes, attributes.NumAttributes))
	return nil
}

var errNilTopology = invalid("the topology is nil")

// acquire keeps the C object alive until release.
func (t *Topology) acquire() (h *capi.TopologyDescription, release func(), err error) {
	if t == nil || t.plugin == nil {
		return nil, nil, errNilTopology
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

// Close destroys the topology (PJRT_TopologyDescription_Destroy), but leaves the topology
// of a client to its client.
func (t *Topology) Close() error {
	if t == nil {
		return nil
	}
	return t.ref.Close()
}

// String returns the name of the platform.
func (t *Topology) String() string {
	if t == nil || t.plugin == nil {
		return "no topology"
	}
	return t.platformName + " topology"
}

// Plugin returns the plugin of the topology.
func (t *Topology) Plugin() *Plugin {
	if t == nil {
		return nil
	}
	return t.plugin
}

// Client returns the client that owns the topology, if one does.
func (t *Topology) Client() *Client {
	if t == nil {
		return nil
	}
	return t.client
}

// PlatformName returns the plugin's name for the kind of device, such as tpu
// (PJRT_TopologyDescription_PlatformName).
func (t *Topology) PlatformName() string {
	if t == nil {
		return ""
	}
	return t.platformName
}

// PlatformVersion returns the plugin's version text
// (PJRT_TopologyDescription_PlatformVersion).
func (t *Topology) PlatformVersion() string {
	if t == nil {
		return ""
	}
	return t.platformVersion
}

// Attributes returns the plugin's attributes of the topology, sorted by name
// (PJRT_TopologyDescription_Attributes).
func (t *Topology) Attributes() []Attribute {
	if t == nil {
		return nil
	}
	return cloneAttributes(t.attributes)
}

// Devices returns all devices in an arbitrary, fixed order. They stay valid after Close
// (PJRT_TopologyDescription_GetDeviceDescriptions).
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
	c, err := capi.Do(t.plugin.table, capi.TopologyDescriptionGetDeviceDescriptionsArgs{Topology: h})
	if err != nil {
		return nil, err
	}
	devices := make([]*DeviceDescription, 0, c.NumDescriptions)
	for _, h := range capi.Slice(c.Descriptions, c.NumDescriptions) {
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
	c, err := capi.Do(t.plugin.table, capi.TopologyDescriptionSerializeArgs{Topology: h})
	if err != nil {
		return nil, err
	}
	defer c.SerializedTopologyDeleter.Call(c.SerializedTopology)
	if c.SerializedBytesSize == 0 {
		return nil, misbehaved(c.Function(), "reported success but gave no bytes")
	}
	return capi.Bytes(c.SerializedBytes, c.SerializedBytesSize), nil
}

// Fingerprint returns a number that is the same for equal topologies, in any process
// (PJRT_TopologyDescription_Fingerprint, API 0.101).
func (t *Topology) Fingerprint() (uint64, error) {
	h, release, err := t.acquire()
	if err != nil {
		return 0, err
	}
	defer release()
	c, err := capi.Do(t.plugin.table, capi.TopologyDescriptionFingerprintArgs{Topology: h})
	if err != nil {
		return 0, err
	}
	return c.Fingerprint, nil
}

// MemoryKindIDs returns the Memory.KindID of each kind of memory
// (PJRT_TopologyDescription_GetMemorySpaceKindIds, API 0.110).
func (t *Topology) MemoryKindIDs() ([]int, error) {
	h, release, err := t.acquire()
	if err != nil {
		return nil, err
	}
	defer release()
	c, err := capi.Do(t.plugin.table, capi.TopologyDescriptionGetMemorySpaceKindIDsArgs{Topology: h})
	if err != nil {
		return nil, err
	}
	ids := make([]int, 0, c.NumMemorySpaceKindIDs)
	for _, id := range capi.Slice(c.MemorySpaceKindIDs, c.NumMemorySpaceKindIDs) {
		ids = append(ids, int(id))
	}
	return ids, nil
}

// CanonicalShape returns the shape and layout of an array in one of MemoryKindIDs
// (PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace, API 0.109). It keeps layout, which
// must not have strides, if the memory allows it; nil asks for the usual one.
func (t *Topology) CanonicalShape(memoryKindID int, shape Shape, layout *Layout) (ShapeLayout, error) {
	if layout != nil && layout.Strides != nil {
		return ShapeLayout{}, invalid("layout %v has strides: a canonical shape has an order of dimensions", layout)
	}
	if _, err := hostSize(shape); err != nil {
		return ShapeLayout{}, err
	}
	h, release, err := t.acquire()
	if err != nil {
		return ShapeLayout{}, err
	}
	defer release()
	var c capi.Call[capi.TopologyDescriptionMakeCanonicalShapeForMemorySpaceArgs]
	table := t.plugin.table
	if err := table.Lacks(c.Function()); err != nil {
		return ShapeLayout{}, err
	}
	if err := knowsType(table, shape.Type); err != nil {
		return ShapeLayout{}, err
	}
	if err := t.checkMemoryKind(memoryKindID); err != nil {
		return ShapeLayout{}, err
	}
	encoded, err := layout.encode(shape)
	if err != nil {
		return ShapeLayout{}, err
	}
	dims := slices.Clone(shape.Dims)
	c.Args.Topology, c.Args.MemorySpaceKindID = h, int32(memoryKindID)
	if len(dims) > 0 {
		c.Args.Dims, c.Args.NumDims = &dims[0], uintptr(len(dims))
	}
	c.Args.ElementType, c.Args.Layout = capi.BufferType(shape.Type), encoded.layout
	err = c.Do(table)
	runtime.KeepAlive(encoded)
	if err != nil {
		return ShapeLayout{}, err
	}
	defer c.Args.SerializedShapeDeleter.Call(c.Args.SerializedShape)
	p, err := xlaproto.UnmarshalShape(capi.Bytes(c.Args.SerializedShape, c.Args.SerializedShapeSize))
	if err == nil {
		if s, ok := newShapeLayout(&p); ok {
			return s, nil
		}
	}
	return ShapeLayout{}, misbehaved(c.Function(), "gave a shape for %v that cannot be read", shape)
}

// checkMemoryKind returns an error for a kind of memory that the topology does not have,
// if the plugin lists the kinds.
func (t *Topology) checkMemoryKind(id int) error {
	ids, err := t.MemoryKindIDs()
	if optional(err) != nil {
		return err
	}
	if id != int(int32(id)) || (err == nil && !slices.Contains(ids, id)) {
		return invalid("the topology has no memory of the kind %d; it has the kinds %v", id, ids)
	}
	return nil
}
