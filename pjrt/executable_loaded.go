// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"slices"
	"sync/atomic"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/lifetime"
)

// LoadedExecutable is a compiled program on the devices of a client. What is
// known about the program it tells as an [Executable]. Its methods may be called
// from any goroutine.
type LoadedExecutable struct {
	*Executable
	client *Client
	ref    *lifetime.Ref[capi.LoadedExecutable]

	devices []*Device
	deleted atomic.Bool

	executions executions
}

// newLoadedExecutable takes over an executable of the plugin. The parameters are
// those of newExecutable.
func newLoadedExecutable(c *Client, h *capi.LoadedExecutable, parameters []Shape) (*LoadedExecutable, error) {
	if h == nil {
		return nil, &Error{Code: ErrInternal, Message: "the plugin reports success and gives no executable"}
	}
	table := c.table
	e := &LoadedExecutable{client: c}
	e.ref = lifetime.New("executable", h, c.ref, func(h *capi.LoadedExecutable) {
		var d capi.Call[capi.LoadedExecutableDestroyArgs]
		d.Args.Executable = h
		_ = d.Do(table) // there is nobody to tell
	})
	if err := e.describe(h, parameters); err != nil {
		e.ref.Close()
		return nil, err
	}
	return e, nil
}

// describe asks for what each execution needs to know.
func (e *LoadedExecutable) describe(h *capi.LoadedExecutable, parameters []Shape) error {
	table := e.client.table
	var devices capi.Call[capi.LoadedExecutableAddressableDevicesArgs]
	devices.Args.Executable = h
	if err := devices.Do(table); err != nil {
		return err
	}
	for _, d := range capi.Slice(devices.Args.AddressableDevices, devices.Args.NumAddressableDevices) {
		for _, device := range e.client.addressable {
			if device.handle == d {
				e.devices = append(e.devices, device)
			}
		}
	}
	var get capi.Call[capi.LoadedExecutableGetExecutableArgs]
	get.Args.LoadedExecutable = h
	if err := get.Do(table); err != nil {
		return err
	}
	var err error
	e.Executable, err = newExecutable(table, get.Args.Executable, e.ref, parameters)
	return err
}

// Close gives the executable up (PJRT_LoadedExecutable_Destroy). Executions
// under way go on.
func (e *LoadedExecutable) Close() error {
	e.Executable.Close()
	return e.ref.Close()
}

// Delete takes the program off the devices (PJRT_LoadedExecutable_Delete) after
// the executions under way. Further ones fail with ErrClosed. What is known about
// the program stays readable until Close.
func (e *LoadedExecutable) Delete() error {
	if e.deleted.Load() {
		return nil
	}
	h, err := e.ref.Acquire()
	if err != nil {
		return err
	}
	defer e.ref.Release()
	var c capi.Call[capi.LoadedExecutableDeleteArgs]
	c.Args.Executable = h
	if err := c.Do(e.client.table); err != nil {
		return err
	}
	// Plugins run what was deleted, or crash: nothing may get there any more.
	e.deleted.Store(true)
	return e.ref.Close()
}

// IsDeleted reports whether the program was taken off the devices, by Delete or by
// the plugin (PJRT_LoadedExecutable_IsDeleted). It is true after Close.
func (e *LoadedExecutable) IsDeleted() (bool, error) {
	if e.deleted.Load() || e.ref.Closed() {
		return true, nil
	}
	h, err := e.ref.Acquire()
	if err != nil {
		return false, err
	}
	defer e.ref.Release()
	var c capi.Call[capi.LoadedExecutableIsDeletedArgs]
	c.Args.Executable = h
	if err := c.Do(e.client.table); err != nil {
		return false, err
	}
	return c.Args.IsDeleted, nil
}

// Client returns the client of the executable.
func (e *LoadedExecutable) Client() *Client { return e.client }

// Devices returns the devices of this process that an execution runs on. It is
// empty for a portable executable.
func (e *LoadedExecutable) Devices() []*Device { return slices.Clone(e.devices) }

// DeviceAssignment returns the numbers of the devices that run the program, those
// of other processes too: [r][p] runs partition p of replica r
// (PJRT_LoadedExecutable_GetDeviceAssignment, API 0.79). It is nil for a portable
// executable.
func (e *LoadedExecutable) DeviceAssignment() ([][]int, error) {
	h, err := e.ref.Acquire()
	if err != nil {
		return nil, err
	}
	defer e.ref.Release()
	var c capi.Call[capi.LoadedExecutableGetDeviceAssignmentArgs]
	c.Args.Executable = h
	if err := c.Do(e.client.table); err != nil {
		return nil, err
	}
	defer c.Args.SerializedDeviceAssignmentDeleter.Call(c.Args.SerializedDeviceAssignment)
	if c.Args.SerializedBytesSize == 0 {
		return nil, nil
	}
	return unmarshalAssignment(capi.Bytes(c.Args.SerializedBytes, c.Args.SerializedBytesSize))
}

// LogicalID is the place of a device in a program.
type LogicalID struct{ Replica, Partition int }

// LogicalIDs returns the places of the devices that Devices returns, in the same
// order (PJRT_LoadedExecutable_AddressableDeviceLogicalIds, API 0.96). For an
// older plugin they are found in the device assignment.
func (e *LoadedExecutable) LogicalIDs() ([]LogicalID, error) {
	h, err := e.ref.Acquire()
	if err != nil {
		return nil, err
	}
	defer e.ref.Release()
	c := new(capi.Call[capi.LoadedExecutableAddressableDeviceLogicalIDsArgs])
	if !e.client.table.Has(c.Function()) {
		ids, err := e.DeviceAssignment()
		if err != nil {
			return nil, err
		}
		return e.places(ids), nil
	}
	c.Args.Executable = h
	if err := c.Do(e.client.table); err != nil {
		return nil, err
	}
	var list []LogicalID
	for _, id := range capi.Slice(c.Args.AddressableDeviceLogicalIDs, c.Args.NumAddressableDeviceLogicalIDs) {
		list = append(list, LogicalID{int(id.Replica), int(id.Partition)})
	}
	return list, nil
}

// places finds the devices of this process in an assignment.
func (e *LoadedExecutable) places(ids [][]int) []LogicalID {
	at := make(map[int]LogicalID)
	for r, row := range ids {
		for p, id := range row {
			at[id] = LogicalID{r, p}
		}
	}
	var list []LogicalID
	for _, d := range e.devices {
		if place, ok := at[d.id]; ok {
			list = append(list, place)
		}
	}
	return list
}
