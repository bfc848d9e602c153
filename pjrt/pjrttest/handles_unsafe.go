// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrttest

import (
	"reflect"
	"sync"
	"unsafe"
)

// cell is the memory that a handle points to. Callers read only the first word, and only
// where it is the address of a function table.
type cell struct {
	vtable unsafe.Pointer
	_      uintptr // keeps cells apart from one another
}

// slot describes the object that a handle stands for.
type slot struct {
	plugin *Plugin
	kind   string // the C type
	value  any
	at     unsafe.Pointer // keeps the address from being used again
	owned  bool           // the caller destroys it
}

// handles holds the objects of all plugins, by address. They share one map because all
// plugins share deleters and the function tables of errors and memories.
var handles struct {
	mu   sync.RWMutex
	live map[unsafe.Pointer]*slot // guarded by mu
	// dead are the latest destroyed handles. As long as they are here, their addresses are
	// not used again, so that a use after destroy is recognized.
	dead [4096]*slot // guarded by mu; a ring
	next int         // guarded by mu
}

// kinds are the C types whose names are not PJRT_ and the name of the Go type.
var kinds = map[string]string{
	"DeviceAttributes":             "PJRT_Device_Attributes",
	"ExecutableABIVersion":         "PJRT_ExecutableAbiVersion",
	"LayoutsMemoryLayout":          "PJRT_Layouts_MemoryLayout",
	"LayoutsSerializedLayout":      "PJRT_Layouts_SerializedLayout",
	"MegascaleClientContext":       "PJRT_Megascale_ClientContext",
	"MultiSliceConfig":             "PJRT_MultiSlice_Config",
	"MultiSliceNumDevicesPerSlice": "PJRT_MultiSlice_NumDevicesPerSlice",
	"MultiSliceSerializedConfig":   "PJRT_MultiSlice_SerializedConfig",
	"Profiler":                     "PLUGIN_Profiler",
	"ProfilerConsumeResult":        "PLUGIN_Profiler_ConsumeResult",
	"RuntimeABIVersion":            "PJRT_RuntimeAbiVersion",
}

// kindOf returns the name of the C type of handles of the Go type H.
func kindOf[H any]() string { return kindNamed(reflect.TypeFor[H]().Name()) }

func kindNamed(goName string) string {
	if kind, ok := kinds[goName]; ok {
		return kind
	}
	return "PJRT_" + goName
}

// makeHandle makes a handle for value.
func makeHandle[H any](p *Plugin, value any, owned bool) *H {
	return makeHandleWith[H](p, value, owned, nil)
}

// makeHandleWith makes a handle whose first word is a function table.
func makeHandleWith[H any](p *Plugin, value any, owned bool, vtable unsafe.Pointer) *H {
	return (*H)(register(p, kindOf[H](), value, owned, unsafe.Pointer(&cell{vtable: vtable})))
}

// share makes an object from an array. The handle of the object is the address of the
// array, which must not be empty. The object keeps the array and more alive.
func share[T any](p *Plugin, kind string, array []T, more ...any) *T {
	return (*T)(register(p, kind, append(more, array), true, unsafe.Pointer(unsafe.SliceData(array))))
}

// unshare ends an object that share made. It reports whether there is one at the address.
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

// isOwned reports whether the caller destroys the object of h.
func isOwned[H any](h *H) bool {
	handles.mu.RLock()
	defer handles.mu.RUnlock()
	s := handles.live[unsafe.Pointer(h)]
	return s != nil && s.owned
}

// find returns the object of h. p is the plugin that was called, or nil where C does not
// say.
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
		return none, invalid("the %s %p belongs to another plugin", s.kind, h)
	case !ok || s.kind != kind:
		return none, invalid("%p is a %s, not a %s", h, s.kind, kind)
	}
	return v, nil
}

// with calls fn with what the handle stands for, or returns the error of find.
func with[T, H any](p *Plugin, h *H, fn func(T)) error {
	v, err := find[T](p, h)
	if err == nil {
		fn(v)
	}
	return err
}

// unknown returns the error for a handle that is not live, which says whether it once was.
func unknown(h unsafe.Pointer, kind string) error {
	handles.mu.RLock()
	defer handles.mu.RUnlock()
	for _, s := range handles.dead {
		if s != nil && s.at == h {
			return invalid("the %s %p was destroyed", s.kind, h)
		}
	}
	return invalid("%p is not a %s", h, kind)
}

// drop ends a handle and returns its object.
func drop[T, H any](p *Plugin, h *H) (T, error) {
	var none T
	if _, err := find[T](p, h); err != nil {
		return none, err
	}
	handles.mu.Lock()
	s := handles.live[unsafe.Pointer(h)]
	if s == nil { // another thread dropped it meanwhile
		handles.mu.Unlock()
		return none, unknown(unsafe.Pointer(h), kindOf[H]())
	}
	v, end := s.bury()
	handles.mu.Unlock()
	end()
	return v.(T), nil
}

// bury moves a slot from the living to the dead. It returns the value of the slot, and a
// function that lowers the plugin's count of objects.
//
// Precondition: handles.mu is held. The caller calls the function without it.
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

// destroy ends a handle for the Destroy functions, which accept null.
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

// forget ends all handles of a plugin that has ended.
func forget(p *Plugin) {
	handles.mu.Lock()
	defer handles.mu.Unlock()
	for h, s := range handles.live {
		if s.plugin == p {
			delete(handles.live, h)
		}
	}
}

// read copies as much of the struct at s as its struct_size says; later fields are zero.
// least is the size of the first version of the struct.
func read[T any](s *T, name string, least uintptr) (T, error) {
	var whole T
	if s == nil {
		return whole, invalid("the %s is null", name)
	}
	size := *(*uintptr)(unsafe.Pointer(s))
	if size < least {
		return whole, invalid("the %s has a struct_size of %d bytes; the first version has %d", name, size, least)
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

// list returns the address and the length of an array for C; the address is nil if the
// array is empty.
func list[T any](s []T) (*T, uintptr) {
	if len(s) == 0 {
		return nil, 0
	}
	return unsafe.SliceData(s), uintptr(len(s))
}

// text returns the address and the size of a string for C.
func text(s string) (*byte, uintptr) { return unsafe.StringData(s), uintptr(len(s)) }
