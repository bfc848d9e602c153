// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package rawbuffer

import (
	"context"
	"fmt"
	"unsafe"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/lifetime"
)

// eventsSince is the first minor of the API in which raw buffers have a table of functions, some of
// which pass device events.
const eventsSince = 112

// EventState is the state of an event.
type EventState = capi.DeviceEventState

// The states of events.
const (
	EventPending = capi.DeviceEventStateUnavailable
	EventReady   = capi.DeviceEventStateReady
	EventFailed  = capi.DeviceEventStateError
)

// A DeviceEvent happens when a device has done some work. Its methods may be called from any
// goroutine.
//
// Device events have no node in the extension chain: a plugin passes them as capi.DeviceEvent,
// which has a table of functions. Only plugins make promises of events; they are in package capi:
// capi.DeviceEventPromise.
type DeviceEvent struct {
	ref *lifetime.Ref[capi.DeviceEvent]
}

// AdoptDeviceEvent makes a DeviceEvent from a C event that a function of the plugin returned. It
// takes over one reference, which Close drops. parent, unless nil, stays alive as long as the
// event. After an error the caller still owns the reference.
func AdoptDeviceEvent(p *pjrt.Plugin, e capi.DeviceEvent, parent lifetime.Parent) (*DeviceEvent, error) {
	switch {
	case p == nil || e.Vtable == nil || e.DeviceEvent == 0:
		return nil, pjrt.ErrInvalidArgument.Errorf("the plugin or the device event is nil")
	case e.Vtable.IncRef == 0 || e.Vtable.DecRef == 0 || e.Vtable.AndThen == 0 || e.Vtable.GetErrorIfPresent == 0:
		return nil, pjrt.ErrInternal.Errorf("the device event lacks functions that all device events have")
	}
	return &DeviceEvent{lifetime.New("device event", &e, parent, func(e *capi.DeviceEvent) {
		e.Vtable.DecRef.Call(e.DeviceEvent)
	})}, nil
}

// State returns the state of the event without waiting (API 0.106).
func (x *DeviceEvent) State() (EventState, error) {
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
func (x *DeviceEvent) Wait(ctx context.Context) error {
	return abandonable(ctx, func() error { return x.wait(ctx) })
}

func (x *DeviceEvent) wait(ctx context.Context) error {
	e, err := x.acquire()
	if err != nil {
		return err
	}
	defer x.ref.Release()
	done := make(chan struct{})
	// The plugin calls back even if Wait has already returned. The event must stay alive until
	// then.
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
func (x *DeviceEvent) Stream() (stream int, place uint64, err error) {
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
func (x *DeviceEvent) Acquire() (e capi.DeviceEvent, release func(), err error) {
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

func (x *DeviceEvent) acquire() (*capi.DeviceEvent, error) {
	if x == nil || x.ref == nil {
		return nil, pjrt.ErrInvalidArgument.Errorf("the device event is nil: AdoptDeviceEvent makes one")
	}
	return x.ref.Acquire()
}

// Close drops the reference to the event, once nothing uses it. Closing again does nothing.
func (x *DeviceEvent) Close() error {
	if x == nil || x.ref == nil {
		return nil
	}
	return x.ref.Close()
}
