// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"errors"
	"math"
	"slices"

	"github.com/purepjrt/purepjrt/capi"
)

// LookupDevice returns the device with the given Device.ID, in this or another process
// (PJRT_Client_LookupDevice). Without one, plugins return ErrInvalidArgument or ErrNotFound.
func (c *Client) LookupDevice(id int) (*Device, error) {
	if id < 0 || id > math.MaxInt32 {
		return nil, invalid("no device has the number %d", id)
	}
	h, err := c.acquire()
	if err != nil {
		return nil, err
	}
	defer c.ref.Release()
	call, err := capi.Do(c.table, capi.ClientLookupDeviceArgs{Client: h, ID: int32(id)})
	if err != nil {
		return c.findDevice(err, func(d *Device) bool { return d.ID() == id })
	}
	return c.deviceFrom(call.Function(), call.Device)
}

// LookupAddressableDevice is LookupDevice by Device.LocalHardwareID, for the devices of this
// process (PJRT_Client_LookupAddressableDevice).
func (c *Client) LookupAddressableDevice(localHardwareID int) (*Device, error) {
	if localHardwareID < 0 || localHardwareID > math.MaxInt32 {
		return nil, invalid("no device of this process has the local number %d", localHardwareID)
	}
	h, err := c.acquire()
	if err != nil {
		return nil, err
	}
	defer c.ref.Release()
	call, err := capi.Do(c.table, capi.ClientLookupAddressableDeviceArgs{Client: h, LocalHardwareID: int32(localHardwareID)})
	if err != nil {
		return c.findDevice(err, func(d *Device) bool { return d.localID == localHardwareID })
	}
	return c.deviceFrom(call.Function(), call.AddressableDevice)
}

// findDevice returns the first device for which is reports true, if err says that the plugin
// cannot look up devices, or that it found one and did not name it. Otherwise it returns err.
func (c *Client) findDevice(err error, is func(*Device) bool) (*Device, error) {
	if optional(err) == nil || errors.Is(err, ErrInternal) {
		if i := slices.IndexFunc(c.devices, is); i >= 0 {
			return c.devices[i], nil
		}
	}
	return nil, err
}

// deviceOf returns the Device of a C handle that the plugin returned.
func (c *Client) deviceOf(h *capi.Device) (*Device, error) {
	if d := c.deviceByHandle[h]; d != nil {
		return d, nil
	}
	return nil, failed(ErrInternal, "the plugin returned a device that is not one of the client's")
}

// deviceFrom is deviceOf for a handle that the function f returned.
func (c *Client) deviceFrom(f *capi.Function, h *capi.Device) (*Device, error) {
	d, err := c.deviceOf(h)
	if err != nil {
		return nil, misbehaved(f, "returned a device that is not one of the client's")
	}
	return d, nil
}

// DefaultDeviceAssignment returns the devices that the plugin chooses for a program of that many
// replicas and partitions, at least 1 and together at most the number of devices, in the form of
// CompileOptions.Devices (PJRT_Client_DefaultDeviceAssignment).
func (c *Client) DefaultDeviceAssignment(replicas, partitions int) ([][]*Device, error) {
	if c == nil || c.ref == nil {
		return nil, errNilClient
	}
	if replicas < 1 || partitions < 1 {
		return nil, invalid("a device assignment has at least 1 replica and 1 partition, not %d and %d", replicas, partitions)
	}
	// Plugins end the process on larger assignments, or invent devices.
	if n := len(c.devices); replicas > n || partitions > n/replicas {
		return nil, invalid("a device assignment of %d replicas and %d partitions needs more devices than the client's %d",
			replicas, partitions, n)
	}
	h, err := c.acquire()
	if err != nil {
		return nil, err
	}
	defer c.ref.Release()
	ids := make([]int32, replicas*partitions)
	var call capi.Call[capi.ClientDefaultDeviceAssignmentArgs]
	call.Args.Client = h
	call.Args.NumReplicas, call.Args.NumPartitions = int32(replicas), int32(partitions)
	call.Args.DefaultAssignment, call.Args.DefaultAssignmentSize = &ids[0], uintptr(len(ids))
	if err := call.Do(c.table); optional(err) != nil {
		return nil, err
	} else if err != nil { // the devices in their order, as most plugins choose them
		for i := range ids {
			ids[i] = int32(c.devices[i].ID())
		}
	}
	byID := make(map[int]*Device, len(c.devices))
	for _, d := range c.devices {
		byID[d.ID()] = d
	}
	assignment := make([][]*Device, replicas)
	for r := range assignment {
		for _, id := range ids[r*partitions : (r+1)*partitions] {
			d := byID[int(id)]
			if d == nil {
				return nil, misbehaved(call.Function(), "chose device %d, which does not exist", id)
			}
			assignment[r] = append(assignment[r], d)
		}
	}
	return assignment, nil
}

// Topology returns the devices of the client and how they are connected
// (PJRT_Client_TopologyDescription). It belongs to the client: it needs no Close, and
// cannot be used after the client is closed.
func (c *Client) Topology() (*Topology, error) {
	h, err := c.acquire()
	if err != nil {
		return nil, err
	}
	defer c.ref.Release()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.topology != nil {
		return c.topology, nil
	}
	call, err := capi.Do(c.table, capi.ClientTopologyDescriptionArgs{Client: h})
	if err != nil {
		return nil, err
	}
	t := &Topology{plugin: c.plugin, client: c, handle: call.Topology}
	if err := t.describe(call.Topology); err != nil {
		return nil, err
	}
	c.topology = t
	return t, nil
}

var errNoDevice = failed(ErrFailedPrecondition, "the client has no device that this process can use")

// place returns where to put a buffer that was requested on d or in m. If both are nil, that
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
		return nil, misbehaved(call.Function(), "gave no default memory for a device: set the memory in the options")
	}
	return call.Args.Memory, nil
}

// copyToDevice begins a copy to the default memory of a device of the same client. If the
// plugin does not implement PJRT_Buffer_CopyToDevice, it is a copy to that memory.
func (c *Client) copyToDevice(h *capi.Buffer, d *Device) (*capi.Buffer, error) {
	var call capi.Call[capi.BufferCopyToDeviceArgs]
	call.Args.Buffer, call.Args.DstDevice = h, d.handle
	err := call.Do(c.table)
	if err == nil || optional(err) != nil || d.defaultMemory == nil {
		return call.Args.DstBuffer, err
	}
	copied, memoryErr := c.copyToMemory(h, d.defaultMemory)
	if optional(memoryErr) == nil && memoryErr != nil {
		return nil, err
	}
	return copied, memoryErr
}

func (c *Client) copyToMemory(h *capi.Buffer, m *Memory) (*capi.Buffer, error) {
	mh, err := m.handleIn(c)
	if err != nil {
		return nil, err
	}
	var call capi.Call[capi.BufferCopyToMemoryArgs]
	call.Args.Buffer, call.Args.DstMemory = h, mh
	err = call.Do(c.table)
	return call.Args.DstBuffer, err
}
