// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package shim

import (
	"sync"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/describe"
	"github.com/purepjrt/purepjrt/capi/internal/spin"
	"github.com/purepjrt/purepjrt/capi/shim/recording"
)

// outputs knows how many outputs executables have, because the arguments of
// PJRT_LoadedExecutable_Execute do not say.
type outputs struct {
	mu    sync.Mutex
	count map[uintptr]int // guarded by mu; by PJRT_LoadedExecutable
}

// of returns the number of outputs of the program that a call executes, or 0 if the plugin does not
// report it.
func (o *outputs) of(real *capi.Table, v describe.View) int {
	h := uintptr(v.WordOf("executable"))
	o.mu.Lock()
	defer o.mu.Unlock()
	if n, ok := o.count[h]; ok || h == 0 {
		return n
	}
	if o.count == nil {
		o.count = make(map[uintptr]int)
	}
	o.count[h] = recording.CountOutputs(real, h)
	return o.count[h]
}

// forget forgets a destroyed executable, because another may get its address.
func (o *outputs) forget(loaded uintptr) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.count, loaded)
}

// eventWatch has the work to do before a client can know that an event is ready, such as checking
// memory that the plugin may use until then.
type eventWatch struct {
	mu      spin.Mutex
	pending map[uintptr]*settling // guarded by mu; by PJRT_Event
}

// settling is the work for one event. It is done once, and all who need it wait for that.
type settling struct {
	once sync.Once
	mu   sync.Mutex
	todo []func(failed bool) // guarded by mu
}

// run does the work. failed says that the event has an error.
func (s *settling) run(failed bool) {
	if s == nil {
		return
	}
	s.once.Do(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, f := range s.todo {
			f(failed)
		}
		s.todo = nil
	})
}

// add runs f when the event is ready.
func (w *eventWatch) add(event uintptr, f func(failed bool)) *settling {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.pending == nil {
		w.pending = make(map[uintptr]*settling)
	}
	s := w.pending[event]
	if s == nil {
		s = new(settling)
		w.pending[event] = s
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.todo = append(s.todo, f)
	return s
}

// of returns the work for an event, or nil.
func (w *eventWatch) of(event uintptr) *settling {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.pending[event]
}

// drop forgets a destroyed event.
func (w *eventWatch) drop(event uintptr) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.pending, event)
}

// settle does the pending work for the event of a call that showed that the event is ready.
func (s *session) settle(k *call) {
	if k.view.Struct == nil {
		return
	}
	switch k.function {
	case functionAwait, functionEventError:
		s.events.of(uintptr(k.view.WordOf("event"))).run(k.err != nil)
	case functionIsReady:
		if k.err != nil || k.view.WordOf("is_ready") == 0 {
			return
		}
		if w := s.events.of(uintptr(k.view.WordOf("event"))); w != nil {
			var c capi.Call[capi.EventErrorArgs]
			c.Args.Event = describe.PointerOf[capi.Event](uintptr(k.view.WordOf("event")))
			w.run(c.Do(s.real) != nil)
		}
	}
}

// onReady wraps the callback that a client registers, so that pending work is done before the
// client knows. It returns a function to call after the registration.
func (s *session) onReady(k *call) (done func()) {
	v := k.view
	if v.Struct == nil || v.WordOf("callback") == 0 {
		return func() {}
	}
	event := s.events.of(uintptr(v.WordOf("event")))
	callback, arg := v.WordOf("callback"), v.WordOf("user_arg")
	by := k.plan
	number := k.number
	mine, handle := capi.NewEventOnReadyCallback(func(err *capi.ErrorHandle) {
		event.run(err != nil)
		if err != nil && s.validator != nil && !s.closed.Load() {
			s.validator.gotError(err, by, number)
		}
		capi.EventOnReadyCallback(callback).Call(err, uintptr(arg))
	})
	v.SetWord(v.Struct.Field("callback"), int64(mine))
	v.SetWord(v.Struct.Field("user_arg"), int64(handle))
	return func() {
		v.SetWord(v.Struct.Field("callback"), callback)
		v.SetWord(v.Struct.Field("user_arg"), arg)
		if k.c.Err() != nil {
			handle.Delete()
		}
	}
}
