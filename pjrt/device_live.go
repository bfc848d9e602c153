// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"math"
	"runtime"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/lifetime"
)

// LiveAttributes returns what the client knows of the device, which may be more
// than its description says, and may change (PJRT_Device_GetAttributes, API 0.92).
func (d *Device) LiveAttributes() ([]Attribute, error) {
	h, release, err := d.acquire()
	if err != nil {
		return nil, err
	}
	defer release()
	var c capi.Call[capi.DeviceGetAttributesArgs]
	c.Args.Device = h
	if err := c.Do(d.client.table); err != nil {
		return nil, err
	}
	defer c.Args.AttributesDeleter.Call(c.Args.DeviceAttributes)
	return byName(capi.Attributes(c.Args.Attributes, c.Args.NumAttributes)), nil
}

// Count is a number that a plugin may leave out.
type Count struct {
	Value int64
	Known bool
}

// MemoryStats says how the memory of a device is used. Sizes are in bytes.
type MemoryStats struct {
	InUse            int64 // allocated now
	PeakInUse        Count // highest InUse so far
	Allocations      Count // number of allocations so far
	LargestAlloc     Count // largest allocation so far
	Limit            Count // what can be allocated at most
	Reserved         Count // set aside
	PeakReserved     Count // highest Reserved so far
	ReservableLimit  Count // what can be set aside at most
	LargestFreeBlock Count // largest piece of free memory
	Pool             Count // what the allocator holds, handed out or not
	PeakPool         Count // highest Pool so far
	PeakAllocated    Count // highest number of bytes allocated, as the allocator counts; API 0.113
}

// MemoryStats returns how the memory of the device is used
// (PJRT_Device_MemoryStats). Many plugins, CPU's among them, do not implement it:
// the error is ErrUnimplemented then.
func (d *Device) MemoryStats() (MemoryStats, error) {
	h, release, err := d.acquire()
	if err != nil {
		return MemoryStats{}, err
	}
	defer release()
	var c capi.Call[capi.DeviceMemoryStatsArgs]
	c.Args.Device = h
	if err := c.Do(d.client.table); err != nil {
		return MemoryStats{}, err
	}
	a := &c.Args
	return MemoryStats{
		InUse:            a.BytesInUse,
		PeakInUse:        count(a.PeakBytesInUse, a.PeakBytesInUseIsSet),
		Allocations:      count(a.NumAllocs, a.NumAllocsIsSet),
		LargestAlloc:     count(a.LargestAllocSize, a.LargestAllocSizeIsSet),
		Limit:            count(a.BytesLimit, a.BytesLimitIsSet),
		Reserved:         count(a.BytesReserved, a.BytesReservedIsSet),
		PeakReserved:     count(a.PeakBytesReserved, a.PeakBytesReservedIsSet),
		ReservableLimit:  count(a.BytesReservableLimit, a.BytesReservableLimitIsSet),
		LargestFreeBlock: count(a.LargestFreeBlockBytes, a.LargestFreeBlockBytesIsSet),
		Pool:             count(a.PoolBytes, a.PoolBytesIsSet),
		PeakPool:         count(a.PeakPoolBytes, a.PeakPoolBytesIsSet),
		PeakAllocated:    count(a.PeakAllocatedBytes, a.PeakAllocatedBytesIsSet),
	}, nil
}

// count leaves out what a plugin may have left in a number that it did not set.
func count(v int64, known bool) Count {
	if !known {
		return Count{}
	}
	return Count{v, true}
}

// ClearMemoryStats makes the peaks of MemoryStats begin anew with the use of now
// (PJRT_Device_ClearMemoryStats, API 0.106).
func (d *Device) ClearMemoryStats() error {
	h, release, err := d.acquire()
	if err != nil {
		return err
	}
	defer release()
	var c capi.Call[capi.DeviceClearMemoryStatsArgs]
	c.Args.Device = h
	return c.Do(d.client.table)
}

// PoisonExecution makes an execution on the device fail that is not over, the one
// with the given launch id (PJRT_Device_PoisonExecution, API 0.85): its results
// carry reason's code, message and payloads (API 0.100) as their error. It reports
// whether the execution was found; one that is unknown or over is no error.
func (d *Device) PoisonExecution(launchID int, reason *Error) (poisoned bool, err error) {
	switch {
	case reason == nil:
		return false, invalid("an execution is poisoned with an error; the reason is nil")
	case reason.Code < ErrCancelled || reason.Code > ErrUnauthenticated:
		return false, invalid("an execution cannot be poisoned with the code %d", int32(reason.Code))
	case launchID < math.MinInt32 || launchID > math.MaxInt32:
		return false, invalid("the launch id %d does not fit into 32 bits", launchID)
	}
	attributes := make([]Attribute, len(reason.Payloads))
	for i, p := range reason.Payloads {
		attributes[i] = Attribute{Name: p.Key, Value: string(p.Value)}
	}
	payload, err := capi.NewNamedValues(attributes)
	if err != nil {
		return false, invalid("payloads of the error: %v", err)
	}
	h, release, err := d.acquire()
	if err != nil {
		return false, err
	}
	defer release()
	var c capi.Call[capi.DevicePoisonExecutionArgs]
	c.Args.Device, c.Args.LaunchID, c.Args.ErrorCode = h, int32(launchID), reason.Code
	c.Args.ErrorMessage, c.Args.ErrorMessageSize = capi.StringData(reason.Message)
	c.Args.Payload, c.Args.NumPayload = payload.Data()
	err = c.Do(d.client.table)
	runtime.KeepAlive(payload)
	if err != nil {
		return false, err
	}
	return c.Args.Poisoned, nil
}

// AsyncTrackingEvent marks a piece of asynchronous work on a device, from its
// creation to its Close, for the plugin's own diagnosis.
type AsyncTrackingEvent struct {
	// ref is nil when the plugin does not track.
	ref *lifetime.Ref[capi.AsyncTrackingEvent]
}

// TrackAsyncWork begins to track a piece of work on the device
// (PJRT_Device_CreateAsyncTrackingEvent, API 0.86). The description says what the
// work is. Tracking ends with the Close of the event.
func (d *Device) TrackAsyncWork(description string) (*AsyncTrackingEvent, error) {
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
		return &AsyncTrackingEvent{}, nil
	}
	return &AsyncTrackingEvent{lifetime.New("tracking event", c.Args.Event, d.client.ref, func(e *capi.AsyncTrackingEvent) {
		var c capi.Call[capi.AsyncTrackingEventDestroyArgs]
		c.Args.Event = e
		_ = c.Do(table) // there is nobody to tell
	})}, nil
}

// Close ends the tracking (PJRT_AsyncTrackingEvent_Destroy). It may be called
// from another goroutine than the one that began it, and more than once.
func (e *AsyncTrackingEvent) Close() error { return e.ref.Close() }
