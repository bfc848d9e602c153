// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/internal/lifetimes"
	"github.com/purepjrt/purepjrt/pjrt/internal/xlaproto"
)

// LoadedExecutable is a compiled program on the devices of a client. The methods of its
// [Executable] describe the program.
type LoadedExecutable struct {
	*Executable
	client *Client
	ref    *lifetimes.Ref[capi.LoadedExecutable]

	devices []*Device
	deleted atomic.Bool

	executions executions
}

// newLoadedExecutable takes over an executable of the plugin. See newExecutable for
// parameters.
func newLoadedExecutable(c *Client, h *capi.LoadedExecutable, parameters []Shape) (*LoadedExecutable, error) {
	if h == nil {
		return nil, failed(ErrInternal, "the plugin reported success and gave no executable")
	}
	table := c.table
	e := &LoadedExecutable{client: c}
	e.ref = lifetimes.New("executable", h, c.ref, func(h *capi.LoadedExecutable) {
		_, _ = capi.Do(table, capi.LoadedExecutableDestroyArgs{Executable: h})
	})
	if err := e.describe(h, parameters); err != nil {
		e.ref.Close()
		return nil, err
	}
	return e, nil
}

// describe reads what each execution needs to know.
func (e *LoadedExecutable) describe(h *capi.LoadedExecutable, parameters []Shape) error {
	exe, err := e.newDescription(h, parameters)
	if err != nil {
		return err
	}
	e.Executable = exe
	if e.devices, err = e.readDevices(h); err != nil {
		exe.Close()
		return err
	}
	// The description can be closed on its own, and executions must still be checked against
	// it: what they need is then read from another one.
	exe.entry = sync.OnceValue(func() *entry {
		known := exe.readEntry()
		if errors.Is(known.err, ErrClosed) {
			e.describeAgain(parameters, func(again *Executable) { known = again.readEntry() })
		}
		return known
	})
	exe.outputs = sync.OnceValues(func() ([]Shape, error) {
		shapes, err := exe.readOutputs()
		if errors.Is(err, ErrClosed) {
			e.describeAgain(parameters, func(again *Executable) { shapes, err = again.readOutputs() })
		}
		return shapes, err
	})
	exe.layouts = sync.OnceValue(func() []*Layout {
		layouts := exe.readArgumentLayouts()
		if layouts == nil && exe.ref.Closed() {
			e.describeAgain(parameters, func(again *Executable) { layouts = again.readArgumentLayouts() })
		}
		if !e.client.permuted.Load() && exe.permutesResults() {
			e.client.permuted.Store(true)
		}
		return layouts
	})
	return nil
}

// newDescription asks the plugin for the description of the program h.
func (e *LoadedExecutable) newDescription(h *capi.LoadedExecutable, parameters []Shape) (*Executable, error) {
	get, err := capi.Do(e.client.table, capi.LoadedExecutableGetExecutableArgs{LoadedExecutable: h})
	if err != nil {
		return nil, err
	}
	return newExecutable(e.client.plugin, e.client.system(), get.Executable, e.ref, parameters, 0)
}

// describeAgain calls read with another description of the program, unless e is closed too.
func (e *LoadedExecutable) describeAgain(parameters []Shape, read func(*Executable)) {
	h, err := e.acquire()
	if err != nil {
		return
	}
	defer e.ref.Release()
	again, err := e.newDescription(h, parameters)
	if err != nil {
		return
	}
	defer again.Close()
	read(again)
}

func (e *LoadedExecutable) readDevices(h *capi.LoadedExecutable) ([]*Device, error) {
	call, err := capi.Do(e.client.table, capi.LoadedExecutableAddressableDevicesArgs{Executable: h})
	if err != nil {
		return e.assignedDevices(err)
	}
	var devices []*Device
	for _, h := range capi.Slice(call.AddressableDevices, call.NumAddressableDevices) {
		d := e.client.deviceByHandle[h]
		if d == nil || !slices.Contains(e.client.addressable, d) {
			return nil, misbehaved(call.Function(), "named a device that this process cannot use")
		}
		devices = append(devices, d)
	}
	if len(devices) == 0 && e.numReplicas*e.numPartitions > 0 {
		// The program is portable, or the plugin does not tell where it runs here.
		if assigned, err := e.assignedDevices(nil); err == nil {
			return assigned, nil
		}
	}
	return devices, nil
}

// assignedDevices returns the devices of the device assignment that this process can use,
// if err says that the plugin does not implement the function for them.
func (e *LoadedExecutable) assignedDevices(err error) ([]*Device, error) {
	if optional(err) != nil {
		return nil, err
	}
	assignment, assignmentErr := e.DeviceAssignment()
	if assignmentErr != nil {
		config, ok := e.optimizedConfig(assignmentErr)
		if !ok {
			return nil, err
		}
		assignment = config.Devices
	}
	var devices []*Device
	for _, replica := range assignment {
		for _, id := range replica {
			if i := slices.IndexFunc(e.client.addressable, func(d *Device) bool { return d.ID() == id }); i >= 0 {
				devices = append(devices, e.client.addressable[i])
			}
		}
	}
	return devices, nil
}

// acquire keeps the C object alive until e.ref.Release.
func (e *LoadedExecutable) acquire() (*capi.LoadedExecutable, error) {
	if e == nil || e.ref == nil {
		return nil, errNilExecutable
	}
	return e.ref.Acquire()
}

// Close destroys the executable (PJRT_LoadedExecutable_Destroy). Executions under way go on.
func (e *LoadedExecutable) Close() error {
	if e == nil {
		return nil
	}
	e.Executable.Close()
	return e.ref.Close()
}

// Delete takes the program off the devices (PJRT_LoadedExecutable_Delete) after the executions
// under way. Later ones fail with ErrClosed. Methods that describe it work until Close.
func (e *LoadedExecutable) Delete() error {
	if e == nil || e.client == nil {
		return errNilExecutable
	}
	if e.deleted.Load() {
		return nil
	}
	h, err := e.acquire()
	if err != nil {
		return err
	}
	defer e.ref.Release()
	if _, err := capi.Do(e.client.table, capi.LoadedExecutableDeleteArgs{Executable: h}); err != nil {
		return err
	}
	// Plugins run a deleted program, or crash, so no further call may reach them.
	e.deleted.Store(true)
	return e.ref.Close()
}

// IsDeleted reports whether Delete, Close or the plugin took the program off the devices
// (PJRT_LoadedExecutable_IsDeleted).
func (e *LoadedExecutable) IsDeleted() (bool, error) {
	if e == nil || e.client == nil {
		return false, errNilExecutable
	}
	if e.deleted.Load() || e.ref.Closed() {
		return true, nil
	}
	h, err := e.acquire()
	if err != nil {
		return false, err
	}
	defer e.ref.Release()
	var c capi.Call[capi.LoadedExecutableIsDeletedArgs]
	c.Args.Executable = h
	err = optional(c.Do(e.client.table))
	return c.Args.IsDeleted, err
}

// String returns the name of the program and its devices.
func (e *LoadedExecutable) String() string {
	switch {
	case e == nil || e.Executable == nil:
		return "no executable"
	case len(e.devices) == 0:
		return fmt.Sprintf("%v for any device", e.Executable)
	}
	return fmt.Sprintf("%v on %v", e.Executable, e.devices)
}

// Client returns the client of the executable.
func (e *LoadedExecutable) Client() *Client {
	if e == nil {
		return nil
	}
	return e.client
}

// Devices returns this process's devices that run the program, none if portable.
func (e *LoadedExecutable) Devices() []*Device {
	if e == nil {
		return nil
	}
	return slices.Clone(e.devices)
}

// DeviceAssignment returns the numbers of the devices of all processes that run the
// program: [r][p] runs partition p of replica r. It is nil for a portable executable
// (PJRT_LoadedExecutable_GetDeviceAssignment, API 0.79).
func (e *LoadedExecutable) DeviceAssignment() ([][]int, error) {
	h, err := e.acquire()
	if err != nil {
		return nil, err
	}
	defer e.ref.Release()
	c, err := capi.Do(e.client.table, capi.LoadedExecutableGetDeviceAssignmentArgs{Executable: h})
	if err != nil {
		return e.onlyAssignment(err)
	}
	defer c.SerializedDeviceAssignmentDeleter.Call(c.SerializedDeviceAssignment)
	if c.SerializedBytesSize == 0 {
		return nil, nil
	}
	a, err := xlaproto.UnmarshalDeviceAssignment(capi.Bytes(c.SerializedBytes, c.SerializedBytesSize))
	if err != nil {
		return nil, failed(ErrInternal, "the plugin's device assignment cannot be read: %v", err)
	}
	return a.IDs(), nil
}

// onlyAssignment returns the device assignment if the plugin does not implement the
// function for it, but there can be only one: that of a program on one device.
func (e *LoadedExecutable) onlyAssignment(err error) ([][]int, error) {
	if optional(err) != nil || e.Executable == nil || e.numReplicas != 1 || e.numPartitions != 1 || len(e.devices) != 1 {
		return nil, err
	}
	return [][]int{{e.devices[0].ID()}}, nil
}

// usable returns an error for a nil or zero executable.
func (e *LoadedExecutable) usable() error {
	if e == nil || e.client == nil {
		return errNilExecutable
	}
	return nil
}

// single returns an error unless the program runs on one device of this process.
func (e *LoadedExecutable) single() error {
	if e != nil && e.client != nil && len(e.devices) <= 1 {
		return nil
	}
	return e.notSingle()
}

func (e *LoadedExecutable) notSingle() error {
	if err := e.usable(); err != nil {
		return err
	}
	return invalid("the program runs on %d devices of this process: use ExecuteAll or StartAll", len(e.devices))
}
