// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package rawbuffer_test

import (
	"context"
	"fmt"
	"reflect"
	"runtime"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/ebitengine/purego"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/extensions/rawbuffer"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
)

// world is the state of the plugin's only event in these tests.
var world struct {
	mu         sync.Mutex
	references int
	state      capi.DeviceEventState
	waiting    []func()
	called     map[string]bool
}

// begin forgets what happened to the event, which has one reference.
func begin(state capi.DeviceEventState) {
	world.mu.Lock()
	defer world.mu.Unlock()
	world.references, world.state, world.waiting, world.called = 1, state, nil, make(map[string]bool)
}

// happen puts the event into a state.
func happen(state capi.DeviceEventState) {
	world.mu.Lock()
	world.state = state
	waiting := world.waiting
	world.waiting = nil
	world.mu.Unlock()
	for _, tell := range waiting {
		tell()
	}
}

func note(name string, do func()) {
	world.mu.Lock()
	defer world.mu.Unlock()
	world.called[name] = true
	do()
}

// handle is the plugin's handle of the event.
const handle = 77

var message = append([]byte("the copy engine is on fire"), 0)

// table has the functions of the plugin.
var table = &capi.DeviceEventFunctionTable{
	StructSize: capi.DeviceEventFunctionTableSize,
	IncRef: capi.DeviceEventFunctionTableIncRef(purego.NewCallback(func(e uintptr) uintptr {
		note("IncRef", func() { world.references++ })
		return 0
	})),
	DecRef: capi.DeviceEventFunctionTableDecRef(purego.NewCallback(func(e uintptr) uintptr {
		note("DecRef", func() { world.references-- })
		return 0
	})),
	AndThen: capi.DeviceEventFunctionTableAndThen(purego.NewCallback(func(e uintptr, then capi.DeviceEventAndThen, arg uintptr) uintptr {
		over := false
		note("AndThen", func() {
			if over = world.state != rawbuffer.EventPending; !over {
				world.waiting = append(world.waiting, func() { then.Call(arg) })
			}
		})
		if over {
			then.Call(arg)
		}
		return 0
	})),
	GetErrorIfPresent: capi.DeviceEventFunctionTableGetErrorIfPresent(purego.NewCallback(
		func(e uintptr, code *capi.ErrorCode, text **byte, size *uintptr) uintptr {
			failed := uintptr(0)
			note("GetErrorIfPresent", func() {
				if world.state == rawbuffer.EventFailed {
					*code, *text, *size = capi.ErrorCodeDataLoss, unsafe.SliceData(message), uintptr(len(message)-1)
					failed = 1
				}
			})
			return failed
		})),
	GetState: capi.DeviceEventFunctionTableGetState(purego.NewCallback(func(e uintptr) uintptr {
		state := rawbuffer.EventPending
		note("GetState", func() { state = world.state })
		return uintptr(state)
	})),
	GetDefinitionStream: capi.DeviceEventFunctionTableGetDefinitionStream(purego.NewCallback(func(e uintptr, place *uint64) uintptr {
		note("GetDefinitionStream", func() { *place = 3 })
		return 9
	})),
}

// adopt returns the event, which has not happened yet.
func adopt(t testing.TB) *rawbuffer.DeviceEvent {
	t.Helper()
	p := pjrttest.New(t, pjrttest.Options{})
	begin(rawbuffer.EventPending)
	e, err := rawbuffer.AdoptDeviceEvent(p.Plugin(), capi.DeviceEvent{Vtable: table, DeviceEvent: handle}, nil)
	require.NoError(t, err)
	return e
}

func TestWaitingForADevice(t *testing.T) {
	e := adopt(t)
	state, err := e.State()
	require.NoError(t, err)
	assert.Equal(t, rawbuffer.EventPending, state)
	ctx, stop := context.WithCancel(t.Context())
	waited := make(chan error, 2)
	for range 2 {
		go func() { waited <- e.Wait(ctx) }()
	}
	for waiting := 0; waiting < 2; runtime.Gosched() {
		world.mu.Lock()
		waiting = len(world.waiting)
		world.mu.Unlock()
	}
	stop()
	require.ErrorIs(t, <-waited, context.Canceled)
	require.ErrorIs(t, <-waited, context.Canceled)
	require.ErrorIs(t, e.Wait(ctx), context.Canceled)
	assert.Equal(t, 3, world.references, "each wait holds a reference")
	happen(rawbuffer.EventReady)
	assert.Equal(t, 1, world.references)
	require.NoError(t, e.Wait(t.Context()))
	stream, place, err := e.Stream()
	require.NoError(t, err)
	assert.Equal(t, 9, stream)
	assert.EqualValues(t, 3, place)
	raw, release, err := e.Acquire()
	require.NoError(t, err)
	assert.Equal(t, capi.DeviceEvent{Vtable: table, DeviceEvent: handle}, raw)
	require.NoError(t, e.Close())
	referred := func() int {
		world.mu.Lock()
		defer world.mu.Unlock()
		return world.references
	}
	assert.Equal(t, 1, referred(), "the event is in use")
	release()
	// The waits that were given up end on goroutines of their own.
	require.Eventually(t, func() bool { return referred() == 0 }, time.Minute, time.Millisecond)
	require.NoError(t, e.Close())
	require.ErrorIs(t, e.Wait(t.Context()), pjrt.ErrClosed)

	// Every function of the table was called.
	of := reflect.TypeFor[capi.DeviceEventFunctionTable]()
	for i := range of.NumField() {
		if f := of.Field(i); f.Type.Kind() == reflect.Uintptr && f.Name != "StructSize" {
			assert.True(t, world.called[f.Name], f.Name)
		}
	}
}

func TestTheErrorOfADevice(t *testing.T) {
	e := adopt(t)
	defer e.Close()
	happen(rawbuffer.EventFailed)
	err := e.Wait(t.Context())
	require.ErrorIs(t, err, pjrt.ErrDataLoss)
	require.ErrorContains(t, err, "the copy engine is on fire")
	state, err := e.State()
	require.NoError(t, err)
	assert.Equal(t, rawbuffer.EventFailed, state)
}

func TestMisuseOfDeviceEventsIsAnErrorHere(t *testing.T) {
	p := pjrttest.New(t, pjrttest.Options{}).Plugin()
	for name, e := range map[string]capi.DeviceEvent{"nil": {}, "no table": {DeviceEvent: handle}, "no event": {Vtable: table}} {
		_, err := rawbuffer.AdoptDeviceEvent(p, e, nil)
		require.ErrorIs(t, err, pjrt.ErrInvalidArgument, name)
	}
	_, err := rawbuffer.AdoptDeviceEvent(nil, capi.DeviceEvent{Vtable: table, DeviceEvent: handle}, nil)
	require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
	_, err = rawbuffer.AdoptDeviceEvent(p, capi.DeviceEvent{Vtable: new(capi.DeviceEventFunctionTable), DeviceEvent: handle}, nil)
	require.ErrorIs(t, err, pjrt.ErrInternal)
	for _, none := range []*rawbuffer.DeviceEvent{nil, {}} {
		require.ErrorIs(t, none.Wait(t.Context()), pjrt.ErrInvalidArgument)
		_, err = none.State()
		require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
		_, _, err = none.Stream()
		require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
		_, _, err = none.Acquire()
		require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
		require.NoError(t, none.Close())
	}

	old := *table // a plugin of API 0.104
	old.StructSize = unsafe.Offsetof(old.Parent)
	begin(rawbuffer.EventReady)
	e, err := rawbuffer.AdoptDeviceEvent(p, capi.DeviceEvent{Vtable: &old, DeviceEvent: handle}, nil)
	require.NoError(t, err)
	require.NoError(t, e.Wait(t.Context()))
	_, err = e.State()
	require.ErrorIs(t, err, pjrt.ErrUnimplemented)
	require.ErrorContains(t, err, "0.106")
	_, _, err = e.Stream()
	require.ErrorIs(t, err, pjrt.ErrUnimplemented)
	require.NoError(t, e.Close())
}

// A program waits until a device has done its work. A function of the plugin returns the event;
// here it has already happened.
func ExampleEvent_Wait() {
	p, err := pjrttest.Start(pjrttest.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer p.Close()
	begin(rawbuffer.EventReady)
	e, err := rawbuffer.AdoptDeviceEvent(p.Plugin(), capi.DeviceEvent{Vtable: table, DeviceEvent: handle}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer e.Close()
	if err := e.Wait(context.Background()); err != nil {
		fmt.Println("the work failed:", err)
		return
	}
	fmt.Println(e.State())
	// Output: Ready <nil>
}
