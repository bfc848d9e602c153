// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"slices"

	"github.com/purepjrt/purepjrt/capi"
)

// Device is a device of a client. Its description outlives the client.
type Device struct {
	client *Client
	handle *capi.Device

	description *DeviceDescription
	localID     int
	addressable bool

	memories      []*Memory
	defaultMemory *Memory // may be nil
}

func newDevice(c *Client, h *capi.Device) (*Device, error) {
	d := &Device{client: c, handle: h, localID: -1}
	get, err := capi.Do(c.table, capi.DeviceGetDescriptionArgs{Device: h})
	if err != nil {
		return nil, err
	}
	if d.description, err = describeDevice(c.table, get.DeviceDescription); err != nil {
		return nil, err
	}
	addressable, err := capi.Do(c.table, capi.DeviceIsAddressableArgs{Device: h})
	if err = optional(err); err != nil {
		return nil, err
	}
	d.addressable = addressable.IsAddressable
	return d, nil
}

// addLocal marks the device as one that this process can use, and reads what only such
// devices have.
func (d *Device) addLocal() error {
	d.addressable = true
	local, err := capi.Do(d.client.table, capi.DeviceLocalHardwareIDArgs{Device: d.handle})
	switch {
	case err == nil:
		d.localID = int(local.LocalHardwareID)
	case optional(err) != nil:
		return err
	}
	return nil
}

// Client returns the client of the device.
func (d *Device) Client() *Client {
	if d == nil {
		return nil
	}
	return d.client
}

// Description returns the plugin's description of the device.
func (d *Device) Description() *DeviceDescription {
	if d == nil {
		return nil
	}
	return d.description
}

// ID returns the number of the device, which is unique among all processes.
func (d *Device) ID() int { return d.Description().ID() }

// ProcessIndex returns the number of the process that can use the device.
func (d *Device) ProcessIndex() int { return d.Description().ProcessIndex() }

// LocalHardwareID returns the number of the device on this machine, -1 for a device of another
// process, or if the plugin has none for it (PJRT_Device_LocalHardwareId).
func (d *Device) LocalHardwareID() int {
	if d == nil {
		return -1
	}
	return d.localID
}

// Addressable reports whether this process can use the device
// (PJRT_Device_IsAddressable).
func (d *Device) Addressable() bool { return d != nil && d.addressable }

// Kind returns the vendor's name of the device model.
func (d *Device) Kind() string { return d.Description().Kind() }

// String returns the plugin's short description.
func (d *Device) String() string {
	if d.Description() == nil {
		return "no device"
	}
	return d.description.text
}

// Memories returns the memories that the device can use, none for a device of another process, or
// if the plugin does not report them (PJRT_Device_AddressableMemories).
func (d *Device) Memories() []*Memory {
	if d == nil {
		return nil
	}
	return slices.Clone(d.memories)
}

// DefaultMemory returns the memory where arrays go when only the device is given, nil for a device
// of another process, or if the plugin does not report it (PJRT_Device_DefaultMemory).
func (d *Device) DefaultMemory() *Memory {
	if d == nil {
		return nil
	}
	return d.defaultMemory
}

// Memory returns the device's memory of the given kind, such as pinned_host.
func (d *Device) Memory(kind string) (*Memory, error) {
	if d == nil {
		return nil, errNilDevice
	}
	var kinds []string
	for _, m := range d.memories {
		if m.kind == kind {
			return m, nil
		}
		kinds = append(kinds, m.kind)
	}
	return nil, failed(ErrNotFound, "device %v has no memory of the kind %s; it has %s", d, kind, nameList(kinds))
}

var errNilDevice = invalid("the device is nil")

// handleFor returns the C object if this process can use d with client.
func (d *Device) handleFor(client *Client) (*capi.Device, error) {
	switch {
	case d == nil || d.client == nil:
		return nil, errNilDevice
	case d.client != client:
		return nil, invalid("device %v belongs to another client", d)
	case !d.addressable:
		return nil, invalid("device %v belongs to process %d, and this is process %d", d, d.ProcessIndex(), client.processIndex)
	}
	return d.handle, nil
}

// acquire returns the C object of a device of this process, valid until release.
func (d *Device) acquire() (h *capi.Device, release func(), err error) {
	if d == nil || d.client == nil {
		return nil, nil, errNilDevice
	}
	if h, err = d.handleFor(d.client); err != nil {
		return nil, nil, err
	}
	if _, err = d.client.acquire(); err != nil {
		return nil, nil, err
	}
	return h, d.client.ref.Release, nil
}
