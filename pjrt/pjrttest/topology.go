// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrttest

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/purepjrt/purepjrt/capi"
)

// topologyForm is the contents of a topology, and its serialized form.
type topologyForm struct {
	Platform, Version, Kind string
	Processes               []int // device counts
	Memories                []string

	// Hosts and Chips arrange the processes, and the chips of each of them, as in a grid. They
	// are nil if nobody has said how. Part says that the topology is a part of another one.
	Hosts, Chips []int32 `json:",omitempty"`
	Part         bool    `json:",omitempty"`
}

// topology is one PJRT_TopologyDescription.
type topology struct {
	p           *Plugin
	handle      *capi.TopologyDescription
	form        topologyForm
	devices     []*deviceDescription
	handles     []*capi.DeviceDescription
	kindIDs     []int32
	attributes  *capi.NamedValues
	serialized  []byte
	fingerprint uint64
}

// layoutOf returns the form of the plugin's topology for these device counts.
func (p *Plugin) layoutOf(counts []int) topologyForm {
	f := topologyForm{Platform: p.opts.PlatformName, Version: p.opts.PlatformVersion, Kind: p.opts.DeviceKind, Processes: counts}
	for _, m := range p.opts.Memories {
		f.Memories = append(f.Memories, m.Kind)
	}
	return f
}

func (p *Plugin) newTopology(f topologyForm, owned bool) *topology {
	t := &topology{p: p, form: f}
	for process, n := range f.Processes {
		for range n {
			d := p.newDeviceDescription(len(t.devices), process, f.Kind)
			t.devices = append(t.devices, d)
			t.handles = append(t.handles, d.handle)
		}
	}
	for id := range f.Memories {
		t.kindIDs = append(t.kindIDs, int32(id))
	}
	t.attributes, _ = capi.NewNamedValues([]capi.Attribute{
		{Name: "device_count", Value: int64(len(t.devices))}, {Name: "process_count", Value: int64(len(f.Processes))},
	})
	t.serialized = seal(topologyMagic, f)
	sum := sha256.Sum256(t.serialized)
	t.fingerprint = binary.LittleEndian.Uint64(sum[:])
	t.handle = makeHandle[capi.TopologyDescription](p, t, owned)
	return t
}

// destroy ends a topology that belongs to a client.
func (t *topology) destroy() {
	_, _ = drop[*topology](t.p, t.handle)
	t.end()
}

func (t *topology) end() {
	for _, d := range t.devices {
		d.destroy(t.p)
	}
}

const (
	topologyMagic   = "pjrttest topology 1\n"
	executableMagic = "pjrttest executable 1\n"
)

// seal serializes v in a form that open recognizes.
func seal(magic string, v any) []byte {
	body, _ := json.Marshal(v) // plain structs of strings and numbers
	sum := sha256.Sum256(body)
	return slices.Concat([]byte(magic), sum[:], body)
}

// open reads the form that seal writes.
func open(magic string, data []byte, v any) error {
	what, _, _ := strings.Cut(strings.TrimPrefix(magic, "pjrttest "), " ")
	rest, ok := bytes.CutPrefix(data, []byte(magic))
	if !ok {
		return invalid("these %d bytes are not a serialized %s of pjrttest", len(data), what)
	}
	if len(rest) < sha256.Size {
		return invalid("the serialized %s is truncated: it ends after %d bytes", what, len(data))
	}
	if sum := sha256.Sum256(rest[sha256.Size:]); !bytes.Equal(sum[:], rest[:sha256.Size]) {
		return invalid("the serialized %s of %d bytes is damaged: its checksum differs", what, len(data))
	}
	if err := json.Unmarshal(rest[sha256.Size:], v); err != nil {
		return invalid("the serialized %s: %v", what, err)
	}
	return nil
}

// topologyDescriptionCreate makes the topology with a name: "" names the topology of a
// client, and AxBxC a topology of one process with A*B*C devices.
func (p *Plugin) topologyDescriptionCreate(a *capi.TopologyDescriptionCreateArgs) error {
	if a.TopologyName == nil && a.TopologyNameSize > 0 {
		return invalid("the topology name is null and has %d bytes", a.TopologyNameSize)
	}
	if a.NumOptions > 0 {
		if a.CreateOptions == nil {
			return invalid("the list of create options is null and has %d elements", a.NumOptions)
		}
		return invalid("there is no topology option %q; the name alone describes the topology, such as 2x2 for four devices",
			capi.Attributes(a.CreateOptions, a.NumOptions)[0].Name)
	}
	f := p.layoutOf(slices.Repeat([]int{p.opts.Devices}, p.opts.Processes))
	if name := capi.String(a.TopologyName, a.TopologyNameSize); name != "" {
		n := 1
		for word := range strings.SplitSeq(name, "x") {
			extent, err := strconv.Atoi(word)
			if err != nil || extent < 1 || extent > 1<<16/n {
				return invalid("there is no topology %q; 2x2 names one with four devices, and the empty name the topology of a client", name)
			}
			n *= extent
			f.Chips = append(f.Chips, int32(extent))
		}
		for len(f.Chips) < 3 {
			f.Chips = append(f.Chips, 1)
		}
		f.Hosts = slices.Repeat([]int32{1}, len(f.Chips))
		f.Processes = []int{n}
	}
	a.Topology = p.newTopology(f, true).handle
	return nil
}

func (p *Plugin) topologyDescriptionDestroy(a *capi.TopologyDescriptionDestroyArgs) error {
	if a.Topology != nil && !isOwned(a.Topology) {
		if _, err := find[*topology](p, a.Topology); err != nil {
			return err
		}
		return invalid("the topology belongs to its client, which destroys it")
	}
	return destroy(p, a.Topology, (*topology).end)
}

func (p *Plugin) topologyDescriptionPlatformName(a *capi.TopologyDescriptionPlatformNameArgs) error {
	return with(p, a.Topology, func(t *topology) { a.PlatformName, a.PlatformNameSize = text(t.form.Platform) })
}

func (p *Plugin) topologyDescriptionPlatformVersion(a *capi.TopologyDescriptionPlatformVersionArgs) error {
	return with(p, a.Topology, func(t *topology) { a.PlatformVersion, a.PlatformVersionSize = text(t.form.Version) })
}

func (p *Plugin) topologyDescriptionGetDeviceDescriptions(a *capi.TopologyDescriptionGetDeviceDescriptionsArgs) error {
	return with(p, a.Topology, func(t *topology) { a.Descriptions, a.NumDescriptions = list(t.handles) })
}

func (p *Plugin) topologyDescriptionAttributes(a *capi.TopologyDescriptionAttributesArgs) error {
	return with(p, a.Topology, func(t *topology) { a.Attributes, a.NumAttributes = t.attributes.Data() })
}

func (p *Plugin) topologyDescriptionSerialize(a *capi.TopologyDescriptionSerializeArgs) error {
	t, err := find[*topology](p, a.Topology)
	if err != nil {
		return err
	}
	copied := slices.Clone(t.serialized)
	a.SerializedBytes, a.SerializedBytesSize = list(copied)
	a.SerializedTopology = makeHandle[capi.SerializedTopology](p, copied, true)
	a.SerializedTopologyDeleter = capi.TopologyDescriptionSerializeArgsSerializedTopologyDeleter(deleter())
	return nil
}

func (p *Plugin) topologyDescriptionDeserialize(a *capi.TopologyDescriptionDeserializeArgs) error {
	var f topologyForm
	if err := open(topologyMagic, elements(a.SerializedTopology, a.SerializedTopologySize), &f); err != nil {
		return err
	}
	if f.Platform != p.opts.PlatformName {
		return invalid("the serialized topology is for the platform %q, but this is %q", f.Platform, p.opts.PlatformName)
	}
	a.Topology = p.newTopology(f, true).handle
	return nil
}

func (p *Plugin) topologyDescriptionFingerprint(a *capi.TopologyDescriptionFingerprintArgs) error {
	return with(p, a.Topology, func(t *topology) { a.Fingerprint = t.fingerprint })
}

func (p *Plugin) topologyDescriptionGetMemorySpaceKindIDs(a *capi.TopologyDescriptionGetMemorySpaceKindIDsArgs) error {
	return with(p, a.Topology, func(t *topology) { a.MemorySpaceKindIDs, a.NumMemorySpaceKindIDs = list(t.kindIDs) })
}

func (p *Plugin) topologyDescriptionMakeCanonicalShapeForMemorySpace(
	a *capi.TopologyDescriptionMakeCanonicalShapeForMemorySpaceArgs,
) error {
	t, err := find[*topology](p, a.Topology)
	if err != nil {
		return err
	}
	if !slices.Contains(t.kindIDs, a.MemorySpaceKindID) {
		return invalid("there is no memory of the kind %d; the kinds are %v", a.MemorySpaceKindID, t.kindIDs)
	}
	shape, err := shapeOf(a.ElementType, a.Dims, a.NumDims)
	if err != nil {
		return err
	}
	if a.Layout != nil && a.Layout.Type != capi.BufferMemoryLayoutTypeTiled {
		return invalid("the layout of a canonical shape must be an order of dimensions, not strides")
	}
	order, err := deviceOrder(a.Layout, shape)
	if err != nil {
		return err
	}
	proto := shapeProto(shape, order)
	a.SerializedShape, a.SerializedShapeSize = share(p, "serialized shape", proto), uintptr(len(proto))
	a.SerializedShapeDeleter = capi.TopologyDescriptionMakeCanonicalShapeForMemorySpaceArgsSerializedShapeDeleter(deleter())
	return nil
}
