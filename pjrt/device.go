// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"slices"

	"github.com/purepjrt/purepjrt/capi"
)

// Device is a device of a client. It belongs to the client and lives as long;
// what is known about it stays readable after that. Its methods may be called
// from any goroutine.
type Device struct {
	client *Client
	handle *capi.Device

	description  *DeviceDescription
	id           int
	processIndex int
	localID      int
	addressable  bool

	memories      []*Memory
	defaultMemory *Memory // nil when there is none
}

func newDevice(c *Client, h *capi.Device) (*Device, error) {
	d := &Device{client: c, handle: h, localID: -1}
	var get capi.Call[capi.DeviceGetDescriptionArgs]
	get.Args.Device = h
	if err := get.Do(c.table); err != nil {
		return nil, err
	}
	var err error
	if d.description, err = describeDevice(c.table, get.Args.DeviceDescription); err != nil {
		return nil, err
	}
	d.id, d.processIndex = d.description.id, d.description.processIndex
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

// Client returns the client of the device.
func (d *Device) Client() *Client { return d.client }

// Description returns what is known of the device without using it.
func (d *Device) Description() *DeviceDescription { return d.description }

// ID returns the number of the device, which is unique among all processes.
func (d *Device) ID() int { return d.id }

// ProcessIndex returns the number of the process that can use the device.
func (d *Device) ProcessIndex() int { return d.processIndex }

// LocalHardwareID returns the number of the device among those of this machine,
// and -1 for a device of another process, or when the plugin has no number for it
// (PJRT_Device_LocalHardwareId).
func (d *Device) LocalHardwareID() int { return d.localID }

// Addressable reports whether this process can use the device
// (PJRT_Device_IsAddressable).
func (d *Device) Addressable() bool { return d.addressable }

// Kind returns the vendor's name of the device model.
func (d *Device) Kind() string { return d.description.kind }

// DebugString returns the plugin's long description.
func (d *Device) DebugString() string { return d.description.debugText }

// Attributes returns what the plugin says of the device in its description.
func (d *Device) Attributes() []Attribute { return d.description.Attributes() }

// String returns the plugin's short description.
func (d *Device) String() string {
	if d == nil {
		return "no device"
	}
	return d.description.text
}

// Memories returns the memories that the device can use
// (PJRT_Device_AddressableMemories). There are none for a device of another
// process, or when the plugin does not tell.
func (d *Device) Memories() []*Memory { return slices.Clone(d.memories) }

// DefaultMemory returns the memory that the arrays of the device are in unless
// another one is asked for (PJRT_Device_DefaultMemory). It is nil for a device of
// another process, or when the plugin does not tell.
func (d *Device) DefaultMemory() *Memory { return d.defaultMemory }

// Memory returns the memory of the device that is of a kind, such as pinned_host.
func (d *Device) Memory(kind string) (*Memory, error) {
	var kinds []string
	for _, m := range d.memories {
		if m.kind == kind {
			return m, nil
		}
		kinds = append(kinds, m.kind)
	}
	return nil, &Error{Code: ErrNotFound, Message: "device " + d.String() + " has no memory of the kind " + kind + "; it has " + nameList(kinds)}
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

// acquire returns the C object for the length of a call, which release ends.
// Only this process's devices can be used.
func (d *Device) acquire() (h *capi.Device, release func(), err error) {
	if d == nil {
		return nil, nil, invalid("the device is nil")
	}
	if h, err = d.handleFor(d.client); err != nil {
		return nil, nil, err
	}
	if _, err = d.client.ref.Acquire(); err != nil {
		return nil, nil, err
	}
	return h, d.client.ref.Release, nil
}
