// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"context"
	"sync"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// standIn is the CPU plugin with its functions for executions and events behind
// Go ones, which tests change, and with those that came after it.
var standIn struct {
	once sync.Once
	api  *capi.API
	real *capi.Table

	mu     sync.Mutex
	hooks  map[*capi.Function]any            // guarded by mu
	errors map[*capi.ErrorHandle]*pjrt.Error // guarded by mu
	events map[*capi.Event]*standInEvent     // guarded by mu
}

// hook replaces a function; next is the function itself.
type hook[A any] func(a *A, next func(*A) uintptr) uintptr

// hookable makes the function that takes an A one that tests can replace. own is
// what it does otherwise, nil for what the CPU plugin does.
func hookable[A any](own hook[A]) {
	fn := new(capi.Call[A]).Function()
	next := func(a *A) uintptr {
		c := &capi.Call[A]{Args: *a}
		failure, err := c.Raw(standIn.real)
		if err != nil {
			return failWith(pjrt.ErrUnimplemented, "not in the plugin")
		}
		*a = c.Args
		return uintptr(unsafe.Pointer(failure))
	}
	if own != nil {
		plugin := next
		next = func(a *A) uintptr { return own(a, plugin) }
	}
	slot := unsafe.Add(unsafe.Pointer(standIn.api), fn.Offset)
	*(*uintptr)(slot) = purego.NewCallback(func(a *A) uintptr {
		standIn.mu.Lock()
		h, ok := standIn.hooks[fn].(hook[A])
		standIn.mu.Unlock()
		if ok {
			return h(a, next)
		}
		return next(a)
	})
}

// on replaces the function that takes an A until the end of the test.
func on[A any](t testing.TB, h hook[A]) {
	fn := new(capi.Call[A]).Function()
	standIn.mu.Lock()
	standIn.hooks[fn] = h
	standIn.mu.Unlock()
	t.Cleanup(func() {
		standIn.mu.Lock()
		delete(standIn.hooks, fn)
		standIn.mu.Unlock()
	})
}

// count counts the calls of the function that takes an A.
func count[A any](t testing.TB) func() int {
	var mu sync.Mutex
	n := 0
	on(t, func(a *A, next func(*A) uintptr) uintptr {
		mu.Lock()
		n++
		mu.Unlock()
		return next(a)
	})
	return func() int { mu.Lock(); defer mu.Unlock(); return n }
}

// failWith returns a new error as C functions return it.
func failWith(code capi.ErrorCode, message string) uintptr {
	return uintptr(unsafe.Pointer(newStandInError(code, message)))
}

func newStandInError(code capi.ErrorCode, message string) *capi.ErrorHandle {
	e := &pjrt.Error{Code: code, Message: message}
	h := (*capi.ErrorHandle)(unsafe.Pointer(e))
	standIn.mu.Lock()
	standIn.errors[h] = e
	standIn.mu.Unlock()
	return h
}

func standInError(h *capi.ErrorHandle) *pjrt.Error {
	standIn.mu.Lock()
	defer standIn.mu.Unlock()
	return standIn.errors[h]
}

// standInEvent is an event written in Go.
type standInEvent struct {
	mu        sync.Mutex
	ready     chan struct{}
	code      capi.ErrorCode
	message   string
	callbacks []func()
}

func newStandInEvent() (*standInEvent, *capi.Event) {
	e := &standInEvent{ready: make(chan struct{})}
	h := (*capi.Event)(unsafe.Pointer(e))
	standIn.mu.Lock()
	standIn.events[h] = e
	standIn.mu.Unlock()
	return e, h
}

func eventOf(h *capi.Event) *standInEvent {
	standIn.mu.Lock()
	defer standIn.mu.Unlock()
	return standIn.events[h]
}

// standInEvents returns how many events there are.
func standInEvents() int {
	standIn.mu.Lock()
	defer standIn.mu.Unlock()
	return len(standIn.events)
}

func (e *standInEvent) isReady() bool {
	select {
	case <-e.ready:
		return true
	default:
		return false
	}
}

func (e *standInEvent) failure() *capi.ErrorHandle {
	if e.code == capi.ErrorCodeOK {
		return nil
	}
	return newStandInError(e.code, e.message)
}

func (e *standInEvent) set(code capi.ErrorCode, message string) {
	e.mu.Lock()
	e.code, e.message = code, message
	close(e.ready)
	callbacks := e.callbacks
	e.callbacks = nil
	e.mu.Unlock()
	for _, call := range callbacks {
		call()
	}
}

func (e *standInEvent) onReady(call func()) {
	e.mu.Lock()
	ready := e.isReady()
	if !ready {
		e.callbacks = append(e.callbacks, call)
	}
	e.mu.Unlock()
	if ready {
		call()
	}
}

// standInPlugin returns the plugin.
func standInPlugin(t testing.TB) *pjrt.Plugin {
	t.Helper()
	standIn.once.Do(func() {
		plugin, err := pjrt.Open(plugintest.Path(t, "cpu"))
		require.NoError(t, err)
		standIn.real = raw.Table(plugin)
		standIn.hooks = make(map[*capi.Function]any)
		standIn.errors = make(map[*capi.ErrorHandle]*pjrt.Error)
		standIn.events = make(map[*capi.Event]*standInEvent)
		old := standIn.real.API()
		standIn.api = new(capi.API)
		size := unsafe.Sizeof(*standIn.api)
		copy(unsafe.Slice((*byte)(unsafe.Pointer(standIn.api)), size), unsafe.Slice((*byte)(unsafe.Pointer(old)), old.StructSize))
		standIn.api.StructSize = size
		standIn.api.PJRTAPIVersion.MinorVersion = capi.APIMinor
		fillStandIn()
	})
	table, err := capi.NewTable(standIn.api, capi.Reentrant())
	require.NoError(t, err)
	plugin, err := raw.Plugin(table)
	require.NoError(t, err)
	return plugin
}

// standInClient makes a client of the plugin with n devices.
func standInClient(t testing.TB, n int) *pjrt.Client {
	t.Helper()
	client, err := standInPlugin(t).NewClient(context.Background(), &pjrt.ClientOptions{
		Create: []pjrt.Attribute{{Name: "cpu_device_count", Value: int64(n)}},
	})
	require.NoError(t, err)
	t.Cleanup(func() { client.Close() })
	return client
}

func fillStandIn() {
	hookable[capi.LoadedExecutableExecuteArgs](nil)
	hookable[capi.BufferElementTypeArgs](nil)
	hookable[capi.BufferDimensionsArgs](nil)
	hookable[capi.BufferDestroyArgs](nil)
	hookable[capi.BufferDeviceArgs](nil)
	hookable[capi.BufferIsDeletedArgs](nil)
	hookable[capi.BufferCopyToDeviceArgs](nil)
	hookable[capi.BufferCopyToMemoryArgs](nil)
	hookable[capi.ClientBufferFromHostBufferArgs](nil)
	hookable[capi.ClientCreateUninitializedBufferArgs](nil)
	hookable[capi.ClientCreateBuffersForAsyncHostToDeviceArgs](nil)
	hookable[capi.ExecutableOptimizedProgramArgs](nil)
	hookable[capi.ExecuteContextCreateArgs](nil)
	hookable[capi.ClientCompileArgs](nil)

	hookable(func(a *capi.ErrorDestroyArgs, next func(*capi.ErrorDestroyArgs) uintptr) uintptr {
		if standInError(a.Error) == nil {
			return next(a)
		}
		standIn.mu.Lock()
		defer standIn.mu.Unlock()
		delete(standIn.errors, a.Error)
		return 0
	})
	hookable(func(a *capi.ErrorMessageArgs, next func(*capi.ErrorMessageArgs) uintptr) uintptr {
		e := standInError(a.Error)
		if e == nil {
			return next(a)
		}
		a.Message, a.MessageSize = capi.StringData(e.Message)
		return 0
	})
	hookable(func(a *capi.ErrorGetCodeArgs, next func(*capi.ErrorGetCodeArgs) uintptr) uintptr {
		e := standInError(a.Error)
		if e == nil {
			return next(a)
		}
		a.Code = e.Code
		return 0
	})
	hookable(func(*capi.ErrorForEachPayloadArgs, func(*capi.ErrorForEachPayloadArgs) uintptr) uintptr { return 0 })
	fillStandInEvents()
}

func fillStandInEvents() {
	hookable(func(a *capi.EventCreateArgs, _ func(*capi.EventCreateArgs) uintptr) uintptr {
		_, a.Event = newStandInEvent()
		return 0
	})
	hookable(func(a *capi.EventSetArgs, _ func(*capi.EventSetArgs) uintptr) uintptr {
		eventOf(a.Event).set(a.ErrorCode, capi.String(a.ErrorMessage, a.ErrorMessageSize))
		return 0
	})
	hookable(func(a *capi.EventIsReadyArgs, next func(*capi.EventIsReadyArgs) uintptr) uintptr {
		e := eventOf(a.Event)
		if e == nil {
			return next(a)
		}
		a.IsReady = e.isReady()
		return 0
	})
	hookable(func(a *capi.EventErrorArgs, next func(*capi.EventErrorArgs) uintptr) uintptr {
		e := eventOf(a.Event)
		if e == nil {
			return next(a)
		}
		if !e.isReady() {
			panic("PJRT_Event_Error of an event that is not ready")
		}
		return uintptr(unsafe.Pointer(e.failure()))
	})
	hookable(func(a *capi.EventAwaitArgs, next func(*capi.EventAwaitArgs) uintptr) uintptr {
		e := eventOf(a.Event)
		if e == nil {
			return next(a)
		}
		<-e.ready
		return uintptr(unsafe.Pointer(e.failure()))
	})
	hookable(func(a *capi.EventOnReadyArgs, next func(*capi.EventOnReadyArgs) uintptr) uintptr {
		e := eventOf(a.Event)
		if e == nil {
			return next(a)
		}
		callback, arg := a.Callback, a.UserArg
		e.onReady(func() { callback.Call(e.failure(), arg) })
		return 0
	})
	hookable(func(a *capi.EventDestroyArgs, next func(*capi.EventDestroyArgs) uintptr) uintptr {
		e := eventOf(a.Event)
		if e == nil {
			return next(a)
		}
		e.mu.Lock()
		waiting := len(e.callbacks)
		e.mu.Unlock()
		if waiting > 0 {
			panic("an event is destroyed while callbacks wait for it")
		}
		standIn.mu.Lock()
		defer standIn.mu.Unlock()
		delete(standIn.events, a.Event) // a second destruction would crash in the plugin
		return 0
	})
}

// delayExecutions has each execution end when the test says so: the function
// that it returns gives the event of the last one.
func delayExecutions(t testing.TB) func() *standInEvent {
	events := make(chan *standInEvent, 100)
	on(t, func(a *capi.LoadedExecutableExecuteArgs, next func(*capi.LoadedExecutableExecuteArgs) uintptr) uintptr {
		if failure := next(a); failure != 0 {
			return failure
		}
		list := unsafe.Slice(a.DeviceCompleteEvents, a.NumDevices)
		for i, h := range list {
			c := new(capi.Call[capi.EventDestroyArgs])
			c.Args.Event = h
			if err := c.Do(standIn.real); err != nil {
				panic(err)
			}
			var e *standInEvent
			e, list[i] = newStandInEvent()
			events <- e
		}
		return 0
	})
	return func() *standInEvent { return <-events }
}
