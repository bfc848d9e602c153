// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"fmt"

	"github.com/purepjrt/purepjrt/capi"
)

// Device is a device of a client. It belongs to the client and lives as long;
// what is known about it stays readable after that.
type Device struct {
	client *Client
	handle *capi.Device

	id           int
	processIndex int
	kind         string
	text         string
	debugText    string
	localID      int
	addressable  bool
	attributes   []Attribute
}

func newDevice(c *Client, h *capi.Device) (*Device, error) {
	d := &Device{client: c, handle: h, localID: -1}
	var get capi.Call[capi.DeviceGetDescriptionArgs]
	get.Args.Device = h
	if err := get.Do(c.table); err != nil {
		return nil, err
	}
	if err := d.describe(get.Args.DeviceDescription); err != nil {
		return nil, err
	}
	var addressable capi.Call[capi.DeviceIsAddressableArgs]
	addressable.Args.Device = h
	if err := addressable.Do(c.table); err != nil {
		return nil, err
	}
	d.addressable = addressable.Args.IsAddressable
	if d.addressable {
		var local capi.Call[capi.DeviceLocalHardwareIDArgs]
		local.Args.Device = h
		if err := local.Do(c.table); err != nil {
			return nil, err
		}
		d.localID = int(local.Args.LocalHardwareID)
	}
	return d, nil
}

func (d *Device) describe(h *capi.DeviceDescription) error {
	table := d.client.table
	var id capi.Call[capi.DeviceDescriptionIDArgs]
	id.Args.DeviceDescription = h
	if err := id.Do(table); err != nil {
		return err
	}
	var process capi.Call[capi.DeviceDescriptionProcessIndexArgs]
	process.Args.DeviceDescription = h
	if err := process.Do(table); err != nil {
		return err
	}
	var kind capi.Call[capi.DeviceDescriptionKindArgs]
	kind.Args.DeviceDescription = h
	if err := kind.Do(table); err != nil {
		return err
	}
	var text capi.Call[capi.DeviceDescriptionToStringArgs]
	text.Args.DeviceDescription = h
	if err := text.Do(table); err != nil {
		return err
	}
	var debug capi.Call[capi.DeviceDescriptionDebugStringArgs]
	debug.Args.DeviceDescription = h
	if err := debug.Do(table); err != nil {
		return err
	}
	var attributes capi.Call[capi.DeviceDescriptionAttributesArgs]
	attributes.Args.DeviceDescription = h
	if err := attributes.Do(table); err != nil {
		return err
	}
	d.id, d.processIndex = int(id.Args.ID), int(process.Args.ProcessIndex)
	d.kind = capi.String(kind.Args.DeviceKind, kind.Args.DeviceKindSize)
	d.text = capi.String(text.Args.ToString, text.Args.ToStringSize)
	d.debugText = capi.String(debug.Args.DebugString, debug.Args.DebugStringSize)
	d.attributes = capi.Attributes(attributes.Args.Attributes, attributes.Args.NumAttributes)
	return nil
}

// Client returns the client of the device.
func (d *Device) Client() *Client { return d.client }

// ID returns the number of the device, which is unique among all processes.
func (d *Device) ID() int { return d.id }

// ProcessIndex returns the number of the process that can use the device.
func (d *Device) ProcessIndex() int { return d.processIndex }

// LocalHardwareID returns the number of the device among those of this machine,
// and -1 for a device of another process.
func (d *Device) LocalHardwareID() int { return d.localID }

// Addressable reports whether this process can use the device.
func (d *Device) Addressable() bool { return d.addressable }

// Kind returns the vendor's name of the device model.
func (d *Device) Kind() string { return d.kind }

// DebugString returns the plugin's long description.
func (d *Device) DebugString() string { return d.debugText }

// Attributes returns what the plugin says of the device.
func (d *Device) Attributes() []Attribute { return append([]Attribute(nil), d.attributes...) }

// String returns the plugin's short description.
func (d *Device) String() string {
	if d == nil {
		return "no device"
	}
	return d.text
}

// handleFor returns the C object if d can be used with client.
func (d *Device) handleFor(client *Client) (*capi.Device, error) {
	switch {
	case d == nil:
		return nil, invalid("the device is nil")
	case d.client != client:
		return nil, invalid("device %v belongs to another client", d)
	case !d.addressable:
		return nil, invalid("device %v belongs to process %d, this is process %d", d, d.processIndex, client.processIndex)
	}
	return d.handle, nil
}

// Memory is a memory that devices can address. It belongs to its client and
// lives as long; what is known about it stays readable after that.
type Memory struct {
	client *Client
	handle *capi.Memory

	id   int
	kind string
	text string
}

func newMemory(c *Client, h *capi.Memory) (*Memory, error) {
	var id capi.Call[capi.MemoryIDArgs]
	id.Args.Memory = h
	if err := id.Do(c.table); err != nil {
		return nil, err
	}
	var kind capi.Call[capi.MemoryKindArgs]
	kind.Args.Memory = h
	if err := kind.Do(c.table); err != nil {
		return nil, err
	}
	var text capi.Call[capi.MemoryToStringArgs]
	text.Args.Memory = h
	if err := text.Do(c.table); err != nil {
		return nil, err
	}
	return &Memory{
		client: c, handle: h, id: int(id.Args.ID),
		kind: capi.String(kind.Args.Kind, kind.Args.KindSize),
		text: capi.String(text.Args.ToString, text.Args.ToStringSize),
	}, nil
}

// ID returns the number of the memory, unique within the client.
func (m *Memory) ID() int { return m.id }

// Kind returns the plugin's name of the kind, such as device or pinned_host.
func (m *Memory) Kind() string { return m.kind }

// String returns the plugin's short description.
func (m *Memory) String() string {
	if m == nil {
		return "no memory"
	}
	return m.text
}

var _ fmt.Stringer = (*Memory)(nil)
