// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrttest

import (
	"fmt"

	"github.com/purepjrt/purepjrt/capi"
)

// device is one PJRT_Device.
type device struct {
	handle      *capi.Device
	client      *client
	id, process int
	local       int // local hardware id; -1 for those of other processes
	description *deviceDescription

	memories      []*memory // the default one first; none for those of other processes
	memoryHandles []*capi.Memory

	queue queue
}

func (d *device) addressable() bool { return d.local >= 0 }

// reachable returns an error for a device of another process.
func (d *device) reachable() error {
	if !d.addressable() {
		return invalid("device %d belongs to process %d, but this is process %d", d.id, d.process, d.client.process)
	}
	return nil
}

func (p *Plugin) deviceGetDescription(a *capi.DeviceGetDescriptionArgs) error {
	return with(p, a.Device, func(d *device) { a.DeviceDescription = d.description.handle })
}

func (p *Plugin) deviceIsAddressable(a *capi.DeviceIsAddressableArgs) error {
	return with(p, a.Device, func(d *device) { a.IsAddressable = d.addressable() })
}

func (p *Plugin) deviceLocalHardwareID(a *capi.DeviceLocalHardwareIDArgs) error {
	return with(p, a.Device, func(d *device) { a.LocalHardwareID = int32(d.local) })
}

func (p *Plugin) deviceAddressableMemories(a *capi.DeviceAddressableMemoriesArgs) error {
	return with(p, a.Device, func(d *device) { a.Memories, a.NumMemories = list(d.memoryHandles) })
}

func (p *Plugin) deviceDefaultMemory(a *capi.DeviceDefaultMemoryArgs) error {
	d, err := find[*device](p, a.Device)
	if err != nil {
		return err
	}
	if err := d.reachable(); err != nil {
		return err
	}
	a.Memory = d.memoryHandles[0]
	return nil
}

func (p *Plugin) deviceMemoryStats(a *capi.DeviceMemoryStatsArgs) error {
	d, err := find[*device](p, a.Device)
	if err != nil {
		return err
	}
	if err := d.reachable(); err != nil {
		return err
	}
	m := d.memories[0]
	m.mu.Lock()
	defer m.mu.Unlock()
	// The fields are set one by one, because the caller's struct may be longer, and the
	// plugin must not touch the rest.
	a.BytesInUse = m.inUse
	a.PeakBytesInUse, a.PeakBytesInUseIsSet = m.peak, true
	a.NumAllocs, a.NumAllocsIsSet = m.count, true
	a.LargestAllocSize, a.LargestAllocSizeIsSet = m.largest, true
	a.BytesLimit, a.BytesLimitIsSet = m.limit, true
	a.BytesReserved, a.BytesReservedIsSet = 0, false
	a.PeakBytesReserved, a.PeakBytesReservedIsSet = 0, false
	a.BytesReservableLimit, a.BytesReservableLimitIsSet = 0, false
	a.LargestFreeBlockBytes, a.LargestFreeBlockBytesIsSet = m.limit-m.inUse, true
	a.PoolBytes, a.PoolBytesIsSet = 0, false
	a.PeakPoolBytes, a.PeakPoolBytesIsSet = 0, false
	a.PeakAllocatedBytes, a.PeakAllocatedBytesIsSet = m.peak, true
	return nil
}

func (p *Plugin) deviceClearMemoryStats(a *capi.DeviceClearMemoryStatsArgs) error {
	d, err := find[*device](p, a.Device)
	if err != nil {
		return err
	}
	for _, m := range d.memories {
		m.mu.Lock()
		m.peak, m.largest, m.count = m.inUse, 0, 0
		m.mu.Unlock()
	}
	return d.reachable()
}

func (p *Plugin) devicePoisonExecution(a *capi.DevicePoisonExecutionArgs) error {
	d, err := find[*device](p, a.Device)
	if err != nil {
		return err
	}
	reason, err := given(a.ErrorCode, a.ErrorMessage, a.ErrorMessageSize)
	if err != nil {
		return err
	}
	if reason == nil {
		return invalid("an execution cannot be poisoned with OK")
	}
	attached, err := payloads(a.Payload, a.NumPayload)
	if err != nil {
		return err
	}
	asError(reason).Payloads = attached
	a.Poisoned = false
	d.client.mu.Lock()
	var hit []*launch
	for l := range d.client.launches {
		if l.id == a.LaunchID && l.runsOn(d) {
			hit = append(hit, l)
		}
	}
	d.client.mu.Unlock()
	for _, l := range hit {
		if l.poison(reason) {
			a.Poisoned = true
		}
	}
	return nil
}

// attributeList is the list that PJRT_Device_GetAttributes hands out until its deleter is
// called.
type attributeList struct{ values *capi.NamedValues }

func (p *Plugin) deviceGetAttributes(a *capi.DeviceGetAttributesArgs) error {
	d, err := find[*device](p, a.Device)
	if err != nil {
		return err
	}
	values, err := capi.NewNamedValues(p.deviceAttributes(d.id))
	if err != nil {
		return err
	}
	a.Attributes, a.NumAttributes = values.Data()
	a.DeviceAttributes = makeHandle[capi.DeviceAttributes](p, &attributeList{values}, true)
	a.AttributesDeleter = capi.DeviceGetAttributesArgsAttributesDeleter(deleter())
	return nil
}

func (p *Plugin) deviceCreateAsyncTrackingEvent(a *capi.DeviceCreateAsyncTrackingEventArgs) error {
	if _, err := find[*device](p, a.Device); err != nil {
		return err
	}
	if a.Description == nil && a.DescriptionSize > 0 {
		return invalid("the description is null and has %d bytes", a.DescriptionSize)
	}
	description := capi.String(a.Description, a.DescriptionSize)
	a.Event = makeHandle[capi.AsyncTrackingEvent](p, &description, true)
	return nil
}

func (p *Plugin) asyncTrackingEventDestroy(a *capi.AsyncTrackingEventDestroyArgs) error {
	return destroy[*string](p, a.Event, nil)
}

// deviceDescription is one PJRT_DeviceDescription.
type deviceDescription struct {
	handle      *capi.DeviceDescription
	id, process int
	kind        string
	attributes  *capi.NamedValues
	text, debug string
	memories    []*capi.MemoryDescription
}

// deviceAttributes returns the present attributes of a device.
func (p *Plugin) deviceAttributes(id int) []capi.Attribute {
	list := []capi.Attribute{{Name: "device_index", Value: int64(id)}}
	if p.opts.DeviceAttributes != nil {
		list = merge(list, p.opts.DeviceAttributes(id))
	}
	return list
}

func (p *Plugin) newDeviceDescription(id, process int, kind string) *deviceDescription {
	d := &deviceDescription{
		id: id, process: process, kind: kind,
		text:  fmt.Sprintf("PJRTTEST_%d", id),
		debug: fmt.Sprintf("pjrttest device %d of process %d (%s)", id, process, kind),
	}
	// Start checked that the attributes of all devices have a C form.
	d.attributes, _ = capi.NewNamedValues(p.deviceAttributes(id))
	d.handle = makeHandle[capi.DeviceDescription](p, d, false)
	for kindID, o := range p.opts.Memories {
		d.memories = append(d.memories, makeHandle[capi.MemoryDescription](p, &memoryDescription{o.Kind, kindID}, false))
	}
	return d
}

func (d *deviceDescription) destroy(p *Plugin) {
	for _, m := range d.memories {
		_, _ = drop[*memoryDescription](p, m)
	}
	_, _ = drop[*deviceDescription](p, d.handle)
}

func (p *Plugin) deviceDescriptionID(a *capi.DeviceDescriptionIDArgs) error {
	return with(p, a.DeviceDescription, func(d *deviceDescription) { a.ID = int32(d.id) })
}

func (p *Plugin) deviceDescriptionProcessIndex(a *capi.DeviceDescriptionProcessIndexArgs) error {
	return with(p, a.DeviceDescription, func(d *deviceDescription) { a.ProcessIndex = int32(d.process) })
}

func (p *Plugin) deviceDescriptionAttributes(a *capi.DeviceDescriptionAttributesArgs) error {
	return with(p, a.DeviceDescription, func(d *deviceDescription) {
		a.Attributes, a.NumAttributes = d.attributes.Data()
	})
}

func (p *Plugin) deviceDescriptionKind(a *capi.DeviceDescriptionKindArgs) error {
	return with(p, a.DeviceDescription, func(d *deviceDescription) { a.DeviceKind, a.DeviceKindSize = text(d.kind) })
}

func (p *Plugin) deviceDescriptionDebugString(a *capi.DeviceDescriptionDebugStringArgs) error {
	return with(p, a.DeviceDescription, func(d *deviceDescription) { a.DebugString, a.DebugStringSize = text(d.debug) })
}

func (p *Plugin) deviceDescriptionToString(a *capi.DeviceDescriptionToStringArgs) error {
	return with(p, a.DeviceDescription, func(d *deviceDescription) { a.ToString, a.ToStringSize = text(d.text) })
}

// memoryDescription is one PJRT_MemoryDescription.
type memoryDescription struct {
	kind   string
	kindID int
}

func (p *Plugin) deviceDescriptionMemoryDescriptions(a *capi.DeviceDescriptionMemoryDescriptionsArgs) error {
	return with(p, a.DeviceDescription, func(d *deviceDescription) {
		a.MemoryDescriptions, a.NumMemoryDescriptions = list(d.memories)
		a.DefaultMemoryIndex = 0
	})
}

func (p *Plugin) memoryDescriptionKind(a *capi.MemoryDescriptionKindArgs) error {
	return with(p, a.MemoryDescription, func(m *memoryDescription) {
		a.Kind, a.KindSize = text(m.kind)
		a.KindID = int32(m.kindID)
	})
}
