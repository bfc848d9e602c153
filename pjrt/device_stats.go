// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/internal/lifetimes"
)

// LiveAttributes returns the current attributes of the device, which may be more than those of its
// description (PJRT_Device_GetAttributes, API 0.92).
func (d *Device) LiveAttributes() ([]Attribute, error) {
	h, release, err := d.acquire()
	if err != nil {
		return nil, err
	}
	defer release()
	c, err := capi.Do(d.client.table, capi.DeviceGetAttributesArgs{Device: h})
	if err != nil {
		return nil, err
	}
	defer c.AttributesDeleter.Call(c.DeviceAttributes)
	return byName(capi.Attributes(c.Attributes, c.NumAttributes)), nil
}

// MemoryStats is a device's use of its memory, in bytes. Nil means unknown.
type MemoryStats struct {
	InUse            int64  // allocated now
	PeakInUse        *int64 // highest InUse so far
	Allocations      *int64 // number of allocations so far
	LargestAlloc     *int64 // largest allocation so far
	Limit            *int64 // most bytes that can be allocated
	Reserved         *int64 // set aside
	PeakReserved     *int64 // highest Reserved so far
	ReservableLimit  *int64 // most bytes that can be set aside
	LargestFreeBlock *int64 // largest piece of free memory
	Pool             *int64 // held by the allocator, handed out or not
	PeakPool         *int64 // highest Pool so far
	PeakAllocated    *int64 // most bytes allocated so far, as the allocator counts them; API 0.113
}

// MemoryStats returns how the device's memory is used (PJRT_Device_MemoryStats). Many plugins,
// including XLA's for CPUs, return ErrUnimplemented.
func (d *Device) MemoryStats() (MemoryStats, error) {
	h, release, err := d.acquire()
	if err != nil {
		return MemoryStats{}, err
	}
	defer release()
	a, err := capi.Do(d.client.table, capi.DeviceMemoryStatsArgs{Device: h})
	if err != nil {
		return MemoryStats{}, err
	}
	return MemoryStats{
		InUse:            a.BytesInUse,
		PeakInUse:        known(a.PeakBytesInUse, a.PeakBytesInUseIsSet),
		Allocations:      known(a.NumAllocs, a.NumAllocsIsSet),
		LargestAlloc:     known(a.LargestAllocSize, a.LargestAllocSizeIsSet),
		Limit:            known(a.BytesLimit, a.BytesLimitIsSet),
		Reserved:         known(a.BytesReserved, a.BytesReservedIsSet),
		PeakReserved:     known(a.PeakBytesReserved, a.PeakBytesReservedIsSet),
		ReservableLimit:  known(a.BytesReservableLimit, a.BytesReservableLimitIsSet),
		LargestFreeBlock: known(a.LargestFreeBlockBytes, a.LargestFreeBlockBytesIsSet),
		Pool:             known(a.PoolBytes, a.PoolBytesIsSet),
		PeakPool:         known(a.PeakPoolBytes, a.PeakPoolBytesIsSet),
		PeakAllocated:    known(a.PeakAllocatedBytes, a.PeakAllocatedBytesIsSet),
	}, nil
}

// known returns nil for a number that the plugin did not set and that may be garbage.
func known(v int64, isSet bool) *int64 {
	if !isSet {
		return nil
	}
	return &v
}

// ClearMemoryStats resets the peaks of MemoryStats to what is in use now
// (PJRT_Device_ClearMemoryStats, API 0.106).
func (d *Device) ClearMemoryStats() error {
	h, release, err := d.acquire()
	if err != nil {
		return err
	}
	defer release()
	_, err = capi.Do(d.client.table, capi.DeviceClearMemoryStatsArgs{Device: h})
	return err
}

// TrackAsyncWork tells the plugin, for its diagnostics, that asynchronous work begins on the device
// (PJRT_Device_CreateAsyncTrackingEvent, API 0.86), until the caller calls end, once or more.
func (d *Device) TrackAsyncWork(description string) (end func(), err error) {
	h, release, err := d.acquire()
	if err != nil {
		return nil, err
	}
	defer release()
	var c capi.Call[capi.DeviceCreateAsyncTrackingEventArgs]
	c.Args.Device = h
	c.Args.Description, c.Args.DescriptionSize = capi.StringData(description)
	table := d.client.table
	if err := c.Do(table); err != nil {
		return nil, err
	}
	if c.Args.Event == nil {
		return func() {}, nil // the plugin does not track
	}
	ref := lifetimes.New("tracking event", c.Args.Event, d.client.ref, func(e *capi.AsyncTrackingEvent) {
		_, _ = capi.Do(table, capi.AsyncTrackingEventDestroyArgs{Event: e})
	})
	return func() { ref.Close() }, nil
}
