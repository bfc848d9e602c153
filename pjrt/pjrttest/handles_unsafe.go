// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrttest

import (
	"reflect"
	"sync"
	"unsafe"
)

// cell is what a handle points to. Callers only ever look at the first word,
// and at that only of errors and memories, where it is a function table.
type cell struct {
	vtable unsafe.Pointer
	_      uintptr // keeps cells apart from one another
}

// slot says what a handle stands for.
type slot struct {
	plugin *Plugin
	kind   string // the C type
	value  any
	at     unsafe.Pointer // keeps the address from being used again
	owned  bool           // the caller destroys it
}

// handles has the objects of all plugins by their addresses: function tables of
// errors and memories, and deleters, are the same for all of them.
var handles struct {
	mu   sync.RWMutex
	live map[unsafe.Pointer]*slot // guarded by mu
	// dead are the handles destroyed last. Their addresses are not used again as
	// long as they are here, so that a use after destroy is seen as one.
	dead [4096]*slot // guarded by mu; a ring
	next int         // guarded by mu
}

// kindOf returns the name of the C type that handles of Go type H have.
func kindOf[H any]() string { return "PJRT_" + reflect.TypeFor[H]().Name() }

// makeHandle makes a handle for value.
func makeHandle[H any](p *Plugin, value any, owned bool) *H {
	return makeHandleWith[H](p, value, owned, nil)
}

// makeHandleWith makes a handle whose first word is a function table.
func makeHandleWith[H any](p *Plugin, value any, owned bool, vtable unsafe.Pointer) *H {
	return (*H)(register(p, kindOf[H](), value, owned, unsafe.Pointer(&cell{vtable: vtable})))
}

// share makes an object of an array whose handle is the address of the array,
// which must not be empty. It keeps what the array points to, and more.
func share[T any](p *Plugin, kind string, array []T, more ...any) *T {
	return (*T)(register(p, kind, append(more, array), true, unsafe.Pointer(unsafe.SliceData(array))))
}

// unshare ends an object of share, and reports whether it was one.
func unshare[T any](p *Plugin, kind string, array *T) bool {
	handles.mu.Lock()
	s := handles.live[unsafe.Pointer(array)]
	if s == nil || s.plugin != p || s.kind != kind {
		handles.mu.Unlock()
		return false
	}
	_, end := s.bury()
	handles.mu.Unlock()
	end()
	return true
}

func register(p *Plugin, kind string, value any, owned bool, at unsafe.Pointer) unsafe.Pointer {
	s := &slot{plugin: p, kind: kind, value: value, at: at, owned: owned}
	handles.mu.Lock()
	if handles.live == nil {
		handles.live = make(map[unsafe.Pointer]*slot)
	}
	handles.live[at] = s
	handles.mu.Unlock()
	if owned {
		p.count(s.kind, 1)
	}
	return at
}

// isOwned reports whether the caller destroys what h stands for.
func isOwned[H any](h *H) bool {
	handles.mu.RLock()
	defer handles.mu.RUnlock()
	s := handles.live[unsafe.Pointer(h)]
	return s != nil && s.owned
}

// find returns what h stands for. p is the plugin that was called, or nil where
// C does not say.
func find[T, H any](p *Plugin, h *H) (T, error) {
	var none T
	kind := kindOf[H]()
	if h == nil {
		return none, invalid("the %s is null", kind)
	}
	handles.mu.RLock()
	s := handles.live[unsafe.Pointer(h)]
	if s == nil {
		handles.mu.RUnlock()
		return none, unknown(unsafe.Pointer(h), kind)
	}
	v, ok := s.value.(T)
	owner := s.plugin
	handles.mu.RUnlock()
	switch {
	case p != nil && owner != p:
		return none, invalid("the %s %p is another plugin's", s.kind, h)
	case !ok || s.kind != kind:
		return none, invalid("%p is a %s, not a %s", h, s.kind, kind)
	}
	return v, nil
}

// unknown says of what is not live whether it once was.
func unknown(h unsafe.Pointer, kind string) error {
	handles.mu.RLock()
	defer handles.mu.RUnlock()
	for _, s := range handles.dead {
		if s != nil && s.at == h {
			return invalid("the %s %p was destroyed", s.kind, h)
		}
	}
	return invalid("%p is no %s", h, kind)
}

// drop ends a handle and returns what it stood for.
func drop[T, H any](p *Plugin, h *H) (T, error) {
	var none T
	if _, err := find[T](p, h); err != nil {
		return none, err
	}
	handles.mu.Lock()
	s := handles.live[unsafe.Pointer(h)]
	if s == nil { // another thread was faster
		handles.mu.Unlock()
		return none, unknown(unsafe.Pointer(h), kindOf[H]())
	}
	v, end := s.bury()
	handles.mu.Unlock()
	end()
	return v.(T), nil
}

// bury moves a slot from the living to the dead. It returns its value, and a
// function that takes it off the plugin's count.
//
// Precondition: handles.mu is held, and is not when the function is called.
func (s *slot) bury() (value any, end func()) {
	value, end = s.value, func() {}
	if p := s.plugin; s.owned {
		end = func() { p.count(s.kind, -1) }
	}
	s.value, s.plugin = nil, nil // they need not live as long as the address
	delete(handles.live, s.at)
	handles.dead[handles.next] = s
	handles.next = (handles.next + 1) % len(handles.dead)
	return value, end
}

// destroy ends a handle as the Destroy functions do, for which null is nothing to
// do.
func destroy[T, H any](p *Plugin, h *H, end func(T)) error {
	if h == nil {
		return nil
	}
	v, err := drop[T](p, h)
	if err != nil {
		return err
	}
	if end != nil {
		end(v)
	}
	return nil
}

// forget ends all handles of a plugin that is gone.
func forget(p *Plugin) {
	handles.mu.Lock()
	defer handles.mu.Unlock()
	for h, s := range handles.live {
		if s.plugin == p {
			delete(handles.live, h)
		}
	}
}

// read copies the struct at s as far as its struct_size says that it reaches; the
// fields behind that are zero. least is the size of the first version of it.
func read[T any](s *T, name string, least uintptr) (T, error) {
	var whole T
	if s == nil {
		return whole, invalid("the %s is null", name)
	}
	size := *(*uintptr)(unsafe.Pointer(s))
	if size < least {
		return whole, invalid("the %s has a struct_size of %d bytes; there is none below %d", name, size, least)
	}
	n := min(size, unsafe.Sizeof(whole))
	copy(unsafe.Slice((*byte)(unsafe.Pointer(&whole)), n), unsafe.Slice((*byte)(unsafe.Pointer(s)), n))
	return whole, nil
}

// elements returns the n values at p, in the caller's memory.
func elements[T any](p *T, n uintptr) []T {
	if p == nil || n == 0 {
		return nil
	}
	return unsafe.Slice(p, n)
}

// list returns an array that C reads, nil for an empty one.
func list[T any](s []T) (*T, uintptr) {
	if len(s) == 0 {
		return nil, 0
	}
	return unsafe.SliceData(s), uintptr(len(s))
}

// text returns what C reads a string by.
func text(s string) (*byte, uintptr) { return unsafe.StringData(s), uintptr(len(s)) }
