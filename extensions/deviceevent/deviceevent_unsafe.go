// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package deviceevent waits for the events with which a device orders its work. They are part of the
// interface behind raw buffers, whose copies return and wait for such events. Device events came with
// API 0.104, and raw buffers have used them since API 0.112; libtpu offers raw buffers.
//
//	ready, err := rawBuffer.AllocationReady()
//	...
//	defer ready.Close()
//	err = ready.Wait(ctx)
//
// Device events have no node in the extension chain: a plugin passes them as capi.DeviceEvent, which
// has a table of functions. [Adopt] makes an [Event] of one. Only plugins make promises of events;
// they are in package capi: capi.DeviceEventPromise.
package deviceevent

import (
	"context"
	"fmt"
	"unsafe"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/lifetime"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// Since is the first minor of the API in which raw buffers have a table of functions, some of which
// pass device events.
const Since = 112

// Supported reports whether the plugin passes device events: whether it has API 0.112 or later and
// offers the extension RawBuffer.
func Supported(p *pjrt.Plugin) bool {
	table := raw.Table(p)
	if !table.HasSection(capi.SectionExtension(capi.ExtensionTypeRawBuffer)) {
		return false
	}
	_, minor := table.Version()
	return minor >= Since
}

// State is the state of an event.
type State = capi.DeviceEventState

// The states of events.
const (
	Pending = capi.DeviceEventStateUnavailable
	Ready   = capi.DeviceEventStateReady
	Failed  = capi.DeviceEventStateError
)

// An Event happens when a device has done some work. Its methods may be called from any goroutine.
type Event struct {
	ref *lifetime.Ref[capi.DeviceEvent]
}

// Adopt makes an Event from a C event that a function of the plugin returned. It takes over one
// reference, which Close drops. parent, unless nil, stays alive as long as the event. After an error
// the caller still owns the reference.
func Adopt(p *pjrt.Plugin, e capi.DeviceEvent, parent lifetime.Parent) (*Event, error) {
	switch {
	case p == nil || e.Vtable == nil || e.DeviceEvent == 0:
		return nil, pjrt.ErrInvalidArgument.Errorf("the plugin or the device event is nil")
	case e.Vtable.IncRef == 0 || e.Vtable.DecRef == 0 || e.Vtable.AndThen == 0 || e.Vtable.GetErrorIfPresent == 0:
		return nil, pjrt.ErrInternal.Errorf("the device event lacks functions that all device events have")
	}
	return &Event{lifetime.New("device event", &e, parent, func(e *capi.DeviceEvent) {
		e.Vtable.DecRef.Call(e.DeviceEvent)
	})}, nil
}

// State returns the state of the event without waiting (API 0.106).
func (x *Event) State() (State, error) {
	e, err := x.acquire()
	if err != nil {
		return 0, err
	}
	defer x.ref.Release()
	if !has(e, unsafe.Offsetof(e.Vtable.GetState)) || e.Vtable.GetState == 0 {
		return 0, lacks("state", 106)
	}
	return e.Vtable.GetState.Call(e.DeviceEvent), nil
}

// Wait waits until the event has happened and returns the error of the work, if any. When ctx ends
// first, Wait returns ctx's error.
func (x *Event) Wait(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	e, err := x.acquire()
	if err != nil {
		return err
	}
	defer x.ref.Release()
	done := make(chan struct{})
	// The plugin calls back even if Wait has already returned. The event must stay alive until then.
	e.Vtable.IncRef.Call(e.DeviceEvent)
	event := *e
	then, handle := capi.NewDeviceEventAndThen(func() {
		close(done)
		event.Vtable.DecRef.Call(event.DeviceEvent)
	})
	e.Vtable.AndThen.Call(e.DeviceEvent, then, uintptr(handle))
	select {
	case <-done:
		return failure(e)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// failure returns the error of an event that has happened.
func failure(e *capi.DeviceEvent) error {
	var out struct {
		code    capi.ErrorCode
		message *byte
		size    uintptr
	}
	if e.Vtable.GetErrorIfPresent.Call(e.DeviceEvent, &out.code, &out.message, &out.size) == 0 {
		return nil
	}
	return out.code.Errorf("%s", capi.String(out.message, out.size))
}

// Stream returns the stream on which the event was recorded, as the platform numbers it, and the
// event's place in it (API 0.108). The stream is 0 if there is none or it is unknown.
func (x *Event) Stream() (stream int, place uint64, err error) {
	e, err := x.acquire()
	if err != nil {
		return 0, 0, err
	}
	defer x.ref.Release()
	if !has(e, unsafe.Offsetof(e.Vtable.GetDefinitionStream)) || e.Vtable.GetDefinitionStream == 0 {
		return 0, 0, lacks("stream", 108)
	}
	stream = e.Vtable.GetDefinitionStream.Call(e.DeviceEvent, &place)
	return stream, place, nil
}

// Acquire returns the C event for a call that takes one. The event stays alive until release is
// called.
func (x *Event) Acquire() (e capi.DeviceEvent, release func(), err error) {
	h, err := x.acquire()
	if err != nil {
		return capi.DeviceEvent{}, nil, err
	}
	return *h, x.ref.Release, nil
}

// has reports whether the table of the event contains the function at offset.
func has(e *capi.DeviceEvent, offset uintptr) bool {
	return e.Vtable.StructSize >= offset+unsafe.Sizeof(uintptr(0))
}

func lacks(what string, since int) error {
	return &pjrt.Error{Code: pjrt.ErrUnimplemented, Missing: true,
		Message: fmt.Sprintf("the plugin's device events do not report their %s, which came with API %d.%d", what, capi.APIMajor, since)}
}

func (x *Event) acquire() (*capi.DeviceEvent, error) {
	if x == nil || x.ref == nil {
		return nil, pjrt.ErrInvalidArgument.Errorf("the device event is nil: Adopt makes one")
	}
	return x.ref.Acquire()
}

// Close drops the reference to the event, once nothing uses it. Closing again does nothing.
func (x *Event) Close() error {
	if x == nil || x.ref == nil {
		return nil
	}
	return x.ref.Close()
}
