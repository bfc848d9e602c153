// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"fmt"
	"math"

	"github.com/purepjrt/purepjrt/capi"
)

// LookupDevice returns the device with the number id, that of Device.ID, which
// may be one of another process (PJRT_Client_LookupDevice). The plugin's error
// for a number that no device has is ErrInvalidArgument or ErrNotFound as a rule.
func (c *Client) LookupDevice(id int) (*Device, error) {
	if id < 0 || id > math.MaxInt32 {
		return nil, invalid("no device has the number %d", id)
	}
	h, err := c.ref.Acquire()
	if err != nil {
		return nil, err
	}
	defer c.ref.Release()
	var call capi.Call[capi.ClientLookupDeviceArgs]
	call.Args.Client, call.Args.ID = h, int32(id)
	if err := call.Do(c.table); err != nil {
		return nil, err
	}
	return c.device(call.Args.Device)
}

// LookupAddressableDevice returns the device of this process with the number
// localHardwareID, that of Device.LocalHardwareID
// (PJRT_Client_LookupAddressableDevice). The plugin's error for a number that no
// device has is ErrInvalidArgument or ErrNotFound as a rule.
func (c *Client) LookupAddressableDevice(localHardwareID int) (*Device, error) {
	if localHardwareID < 0 || localHardwareID > math.MaxInt32 {
		return nil, invalid("no device of this process has the local number %d", localHardwareID)
	}
	h, err := c.ref.Acquire()
	if err != nil {
		return nil, err
	}
	defer c.ref.Release()
	var call capi.Call[capi.ClientLookupAddressableDeviceArgs]
	call.Args.Client, call.Args.LocalHardwareID = h, int32(localHardwareID)
	if err := call.Do(c.table); err != nil {
		return nil, err
	}
	return c.device(call.Args.AddressableDevice)
}

// device returns the device of a C object that the plugin gave.
func (c *Client) device(h *capi.Device) (*Device, error) {
	if d := c.deviceByHandle[h]; d != nil {
		return d, nil
	}
	return nil, &Error{Code: ErrInternal, Message: "the plugin gave a device that is not among the client's devices"}
}

// DefaultDeviceAssignment returns the devices that the plugin chooses for a
// program of so many replicas and partitions (PJRT_Client_DefaultDeviceAssignment),
// in the form of CompileOptions.Devices: element [r][p] runs partition p of
// replica r. Both counts are at least 1, and their product at most the number of
// devices; plugins end the process, or make devices up, otherwise.
func (c *Client) DefaultDeviceAssignment(replicas, partitions int) ([][]*Device, error) {
	if replicas < 1 || partitions < 1 {
		return nil, invalid("a device assignment has at least 1 replica and 1 partition, not %d and %d", replicas, partitions)
	}
	if n := len(c.devices); replicas > n || partitions > n/replicas {
		return nil, invalid("a device assignment of %d replicas and %d partitions needs more devices than the client's %d", replicas, partitions, n)
	}
	h, err := c.ref.Acquire()
	if err != nil {
		return nil, err
	}
	defer c.ref.Release()
	ids := make([]int32, replicas*partitions)
	var call capi.Call[capi.ClientDefaultDeviceAssignmentArgs]
	call.Args.Client = h
	call.Args.NumReplicas, call.Args.NumPartitions = int32(replicas), int32(partitions)
	call.Args.DefaultAssignment, call.Args.DefaultAssignmentSize = &ids[0], uintptr(len(ids))
	if err := call.Do(c.table); err != nil {
		return nil, err
	}
	byID := make(map[int]*Device, len(c.devices))
	for _, d := range c.devices {
		byID[d.id] = d
	}
	assignment := make([][]*Device, replicas)
	for r := range assignment {
		for _, id := range ids[r*partitions : (r+1)*partitions] {
			d := byID[int(id)]
			if d == nil {
				return nil, &Error{Code: ErrInternal, Func: call.Function().Name, Message: fmt.Sprintf("the plugin chose device %d, which does not exist", id)}
			}
			assignment[r] = append(assignment[r], d)
		}
	}
	return assignment, nil
}

// Topology returns the devices of the client and how they are connected
// (PJRT_Client_TopologyDescription). It belongs to the client: it needs no Close,
// and can be asked no more when the client is closed.
func (c *Client) Topology() (*Topology, error) {
	h, err := c.ref.Acquire()
	if err != nil {
		return nil, err
	}
	defer c.ref.Release()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.topology != nil {
		return c.topology, nil
	}
	var call capi.Call[capi.ClientTopologyDescriptionArgs]
	call.Args.Client = h
	if err := call.Do(c.table); err != nil {
		return nil, err
	}
	if call.Args.Topology == nil {
		return nil, &Error{Code: ErrInternal, Func: call.Function().Name, Message: "the plugin gave no topology"}
	}
	t := &Topology{plugin: c.plugin, client: c, handle: call.Args.Topology}
	if err := t.describe(call.Args.Topology); err != nil {
		return nil, err
	}
	c.topology = t
	return t, nil
}
