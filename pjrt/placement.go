// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import "github.com/purepjrt/purepjrt/capi"

var errNoDevice = failed(ErrFailedPrecondition, "the client has no device that this process can use")

// placement is where a buffer goes: a device or a memory, and the other one is nil.
type placement struct {
	device *capi.Device
	memory *capi.Memory
}

// place returns where a buffer goes that was asked for on d or in m. Without either that
// is the first device of the process.
func (c *Client) place(d *Device, m *Memory) (placement, error) {
	if m != nil {
		if d != nil {
			return placement{}, invalid("both device %v and memory %v are set; set one of them", d, m)
		}
		h, err := m.handleIn(c)
		return placement{memory: h}, err
	}
	if d == nil {
		if len(c.addressable) == 0 {
			return placement{}, errNoDevice
		}
		d = c.addressable[0]
	}
	h, err := d.handleFor(c)
	return placement{device: h}, err
}

// placeInMemory is place for C functions that take only a memory. The client must be
// acquired.
func (c *Client) placeInMemory(d *Device, m *Memory) (*capi.Memory, error) {
	p, err := c.place(d, m)
	if err != nil || p.memory != nil {
		return p.memory, err
	}
	var call capi.Call[capi.DeviceDefaultMemoryArgs]
	call.Args.Device = p.device
	if err := call.Do(c.table); err != nil {
		return nil, err
	}
	if call.Args.Memory == nil {
		return nil, misbehaved(call.Function(), "gave no default memory of a device: set the memory in the options")
	}
	return call.Args.Memory, nil
}
