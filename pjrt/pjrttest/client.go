// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrttest

import (
	"fmt"
	"slices"
	"sync"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/distributed"
)

// client is one PJRT_Client.
type client struct {
	p        *Plugin
	handle   *capi.Client
	process  int
	name     string
	version  string
	topology *topology

	devices           []*device // of all processes
	addressable       []*device
	memories          []*memory
	deviceHandles     []*capi.Device
	addressableHandle []*capi.Device
	memoryHandles     []*capi.Memory

	mu        sync.Mutex
	mapped    map[uintptr]uintptr            // guarded by mu; sizes of the memory mapped for DMA, by address
	launches  map[*launch]bool               // guarded by mu; executions that are not over
	callbacks map[capi.CallbackType]callback // guarded by mu
}

// namedValues reads a caller's list of named values.
func namedValues(list *capi.NamedValue, n uintptr, what string) ([]capi.Attribute, error) {
	if list == nil && n > 0 {
		return nil, invalid("the list of %s is null and has %d elements", what, n)
	}
	for i, v := range capi.Slice(list, n) {
		if v.StructSize < capi.NamedValueSize {
			return nil, invalid("element %d of the %s: struct_size is %d, but the struct has %d bytes",
				i, what, v.StructSize, capi.NamedValueSize)
		}
	}
	return capi.Attributes(list, n), nil
}

// createOptions returns the options with which a client is created, by name.
func (p *Plugin) createOptions(list *capi.NamedValue, n uintptr) (map[string]any, error) {
	options, err := namedValues(list, n, "create options")
	if err != nil {
		return nil, err
	}
	known := append([]pjrt.Attribute{
		{Name: "num_nodes", Value: int64(0)}, {Name: "node_id", Value: int64(0)}, {Name: "device_count", Value: int64(0)},
	}, p.opts.CreateOptions...)
	given := make(map[string]any)
	for _, a := range options {
		i := slices.IndexFunc(known, func(k pjrt.Attribute) bool { return k.Name == a.Name })
		if i < 0 {
			return nil, invalid("there is no create option %q", a.Name)
		}
		if want, got := typeName(known[i].Value), typeName(a.Value); want != got {
			return nil, invalid("the create option %q has type %s; it must have type %s", a.Name, got, want)
		}
		if _, twice := given[a.Name]; twice {
			return nil, invalid("the create option %q is given twice", a.Name)
		}
		given[a.Name] = a.Value
	}
	return given, nil
}

// typeName returns the C API's name of the type of a named value.
func typeName(v any) string {
	switch v.(type) {
	case int, int32, uint32:
		return "int64"
	}
	return fmt.Sprintf("%T", v)
}

func (p *Plugin) clientCreate(a *capi.ClientCreateArgs) error {
	options, err := p.createOptions(a.CreateOptions, a.NumOptions)
	if err != nil {
		return err
	}
	devices, processes, process := p.opts.Devices, p.opts.Processes, p.opts.ProcessIndex
	for _, o := range []struct {
		name  string
		value *int
		least int64
	}{{"device_count", &devices, 1}, {"num_nodes", &processes, 1}, {"node_id", &process, 0}} {
		v, ok := options[o.name].(int64)
		if !ok {
			continue
		}
		if v < o.least || v > 1<<16 {
			return invalid("the create option %s is %d; it must be from %d to %d", o.name, v, o.least, 1<<16)
		}
		*o.value = int(v)
	}
	if process >= processes {
		return invalid("the create option node_id is %d, but num_nodes is %d", process, processes)
	}
	counts := slices.Repeat([]int{devices}, processes)
	if processes > 1 {
		if err := meet(a, process, counts); err != nil {
			return err
		}
	}
	p.mu.Lock()
	p.created = capi.Attributes(a.CreateOptions, a.NumOptions)
	p.mu.Unlock()
	c := p.newClient(process, counts)
	if err := p.opts.Network.join(c); err != nil {
		_ = p.clientDestroy(&capi.ClientDestroyArgs{Client: c.handle})
		return err
	}
	a.Client = c.handle
	return nil
}

// newClient makes a client; counts are the devices of each process.
func (p *Plugin) newClient(process int, counts []int) *client {
	c := &client{
		p: p, process: process, name: p.opts.PlatformName, version: p.opts.PlatformVersion,
		mapped: make(map[uintptr]uintptr), launches: make(map[*launch]bool), callbacks: make(map[capi.CallbackType]callback),
	}
	c.handle = makeHandle[capi.Client](p, c, true)
	c.topology = p.newTopology(p.layoutOf(counts), false)
	for _, description := range c.topology.devices {
		d := &device{client: c, id: description.id, process: description.process, local: -1, description: description}
		d.handle = makeHandle[capi.Device](p, d, false)
		c.devices = append(c.devices, d)
		c.deviceHandles = append(c.deviceHandles, d.handle)
		if d.process != process {
			continue
		}
		d.local = len(c.addressable)
		c.addressable = append(c.addressable, d)
		c.addressableHandle = append(c.addressableHandle, d.handle)
		for kindID, o := range p.opts.Memories {
			c.addMemory(d, kindID, o)
		}
	}
	return c
}

func (p *Plugin) clientDestroy(a *capi.ClientDestroyArgs) error {
	return destroy(p, a.Client, func(c *client) {
		p.opts.Network.leave(c, "the client was destroyed")
		for _, d := range c.devices {
			_, _ = drop[*device](p, d.handle)
		}
		for _, m := range c.memories {
			m.user.end()
			_, _ = drop[*memory](p, m.handle)
		}
		c.topology.destroy()
	})
}

func (p *Plugin) clientPlatformName(a *capi.ClientPlatformNameArgs) error {
	return with(p, a.Client, func(c *client) { a.PlatformName, a.PlatformNameSize = text(c.name) })
}

func (p *Plugin) clientPlatformVersion(a *capi.ClientPlatformVersionArgs) error {
	return with(p, a.Client, func(c *client) { a.PlatformVersion, a.PlatformVersionSize = text(c.version) })
}

func (p *Plugin) clientProcessIndex(a *capi.ClientProcessIndexArgs) error {
	return with(p, a.Client, func(c *client) { a.ProcessIndex = int32(c.process) })
}

func (p *Plugin) clientTopologyDescription(a *capi.ClientTopologyDescriptionArgs) error {
	return with(p, a.Client, func(c *client) { a.Topology = c.topology.handle })
}

func (p *Plugin) clientDevices(a *capi.ClientDevicesArgs) error {
	return with(p, a.Client, func(c *client) { a.Devices, a.NumDevices = list(c.deviceHandles) })
}

func (p *Plugin) clientAddressableDevices(a *capi.ClientAddressableDevicesArgs) error {
	return with(p, a.Client, func(c *client) {
		a.AddressableDevices, a.NumAddressableDevices = list(c.addressableHandle)
	})
}

func (p *Plugin) clientAddressableMemories(a *capi.ClientAddressableMemoriesArgs) error {
	return with(p, a.Client, func(c *client) { a.AddressableMemories, a.NumAddressableMemories = list(c.memoryHandles) })
}

func (p *Plugin) clientLookupDevice(a *capi.ClientLookupDeviceArgs) error {
	c, err := find[*client](p, a.Client)
	if err != nil {
		return err
	}
	d := c.device(int(a.ID))
	if d == nil {
		return invalid("there is no device %d", a.ID)
	}
	a.Device = d.handle
	return nil
}

// device returns the device with an id, or nil.
func (c *client) device(id int) *device {
	for _, d := range c.devices {
		if d.id == id {
			return d
		}
	}
	return nil
}

func (p *Plugin) clientLookupAddressableDevice(a *capi.ClientLookupAddressableDeviceArgs) error {
	c, err := find[*client](p, a.Client)
	if err != nil {
		return err
	}
	for _, d := range c.addressable {
		if d.local == int(a.LocalHardwareID) {
			a.AddressableDevice = d.handle
			return nil
		}
	}
	return invalid("this process has no device with the local hardware id %d", a.LocalHardwareID)
}

func (p *Plugin) clientDefaultDeviceAssignment(a *capi.ClientDefaultDeviceAssignmentArgs) error {
	c, err := find[*client](p, a.Client)
	if err != nil {
		return err
	}
	n := int64(a.NumReplicas) * int64(a.NumPartitions)
	switch {
	case a.NumReplicas < 1 || a.NumPartitions < 1:
		return invalid("%d replicas of %d partitions: neither can be less than 1", a.NumReplicas, a.NumPartitions)
	case n > int64(len(c.devices)):
		return invalid("%d replicas of %d partitions need more devices than the client's %d",
			a.NumReplicas, a.NumPartitions, len(c.devices))
	case uintptr(n) > a.DefaultAssignmentSize:
		return capi.ErrorCodeFailedPrecondition.Errorf("the assignment has room for %d devices, but needs room for %d",
			a.DefaultAssignmentSize, n)
	case a.DefaultAssignment == nil:
		return invalid("the assignment is null")
	}
	ids := elements(a.DefaultAssignment, uintptr(n))
	for i, d := range c.defaultDevices(int(n)) {
		ids[i] = int32(d.id)
	}
	return nil
}

// defaultDevices returns n devices: those of this process if they are enough, so that
// programs that need no more run here.
func (c *client) defaultDevices(n int) []*device {
	all := slices.Clone(c.devices)
	if n <= len(c.addressable) {
		all = c.addressable
	}
	return all[:n]
}

func (p *Plugin) clientUpdateGlobalProcessInfo(a *capi.ClientUpdateGlobalProcessInfoArgs) error {
	if _, err := find[*client](p, a.Client); err != nil {
		return err
	}
	if a.ProcessInfos == nil && a.NumProcessInfos > 0 {
		return invalid("the list of processes is null and has %d elements", a.NumProcessInfos)
	}
	infos := make([]distributed.Process, 0, a.NumProcessInfos)
	for _, info := range elements(a.ProcessInfos, a.NumProcessInfos) {
		if info.State < capi.ProcessStateUnspecified || info.State > capi.ProcessStateError {
			return invalid("process %d has the unknown state %d", info.TaskID, int32(info.State))
		}
		if info.ErrorMessage == nil && info.ErrorMessageSize > 0 {
			return invalid("the error message of process %d is null and has %d bytes", info.TaskID, info.ErrorMessageSize)
		}
		p := distributed.Process{ID: int(info.TaskID), Incarnation: info.IncarnationID, State: info.State}
		if info.State == capi.ProcessStateError {
			p.Err = &pjrt.Error{Code: capi.ErrorCode(info.ErrorCode), Message: capi.String(info.ErrorMessage, info.ErrorMessageSize)}
		}
		infos = append(infos, p)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.processes = infos
	return nil
}

func (p *Plugin) clientDMAMap(a *capi.ClientDMAMapArgs) error {
	c, err := find[*client](p, a.Client)
	if err != nil {
		return err
	}
	if a.Data == nil || a.Size == 0 {
		return invalid("the memory to map is null or empty")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, twice := c.mapped[uintptr(a.Data)]; twice {
		return capi.ErrorCodeAlreadyExists.Errorf("the memory at %p is already mapped", a.Data)
	}
	c.mapped[uintptr(a.Data)] = a.Size
	return nil
}

func (p *Plugin) clientDMAUnmap(a *capi.ClientDMAUnmapArgs) error {
	c, err := find[*client](p, a.Client)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.mapped[uintptr(a.Data)]; !ok {
		return capi.ErrorCodeNotFound.Errorf("the memory at %p is not mapped", a.Data)
	}
	delete(c.mapped, uintptr(a.Data))
	return nil
}
