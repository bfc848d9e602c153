// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package serve

import (
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/purepjrt/purepjrt/capi"
)

// Memory is a PJRT_Memory for plugins in Go. Since API 0.105 the first word of a PJRT_Memory points
// to a table of functions with which clients attach data. A Memory has that table and keeps the
// data. NewMemory makes one.
type Memory struct {
	handle capi.Memory // must be first, because its address is the handle

	mu   sync.Mutex
	data map[uintptr]userData // guarded by mu; by key
}

// userData is data that a client attached to a Memory, and the C function to call when the Memory
// drops it.
type userData struct {
	data uintptr
	dtor capi.MemoryFunctionTableSetUserDataDtor
}

// memories has the memories in use, by address, and keeps them alive.
var memories struct {
	mu   sync.RWMutex
	live map[uintptr]*Memory // guarded by mu
}

// NewMemory makes a memory, which lives until Close.
func NewMemory() *Memory {
	m := &Memory{handle: capi.Memory{Vtable: memoryTable()}}
	memories.mu.Lock()
	defer memories.mu.Unlock()
	if memories.live == nil {
		memories.live = make(map[uintptr]*Memory)
	}
	memories.live[uintptr(unsafe.Pointer(m))] = m
	return m
}

// MemoryOf returns the Memory for a handle, or nil if the handle is not that of a Memory, or if the
// Memory was closed.
func MemoryOf(h *capi.Memory) *Memory {
	memories.mu.RLock()
	defer memories.mu.RUnlock()
	return memories.live[uintptr(unsafe.Pointer(h))]
}

// Handle returns the handle of the memory for C.
func (m *Memory) Handle() *capi.Memory { return &m.handle }

// Close destroys the memory, as a plugin does when it destroys the client of the memory, and calls
// the destructors of data that clients attached. Closing again does nothing.
func (m *Memory) Close() error {
	memories.mu.Lock()
	delete(memories.live, uintptr(unsafe.Pointer(m)))
	memories.mu.Unlock()
	m.mu.Lock()
	data := m.data
	m.data = nil
	m.mu.Unlock()
	for _, d := range data {
		d.dtor.Call(d.data)
	}
	return nil
}

// set attaches data, and drops older data with the same key.
func (m *Memory) set(key uintptr, d userData) {
	m.mu.Lock()
	old := m.data[key]
	if m.data == nil {
		m.data = make(map[uintptr]userData)
	}
	m.data[key] = d
	m.mu.Unlock()
	old.dtor.Call(old.data) // not under the lock, because it is code of the client
}

func (m *Memory) get(key uintptr) uintptr {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.data[key].data
}

// memoryTable is the table of functions of each Memory. The functions ignore other handles.
var memoryTable = sync.OnceValue(func() *capi.MemoryFunctionTable {
	return &capi.MemoryFunctionTable{
		StructSize:         capi.MemoryFunctionTableSize,
		InstanceStructSize: capi.MemorySize,
		GetUserData: capi.MemoryFunctionTableGetUserData(purego.NewCallback(func(h *capi.Memory, key uintptr) uintptr {
			if m := MemoryOf(h); m != nil {
				return m.get(key)
			}
			return 0
		})),
		SetUserData: capi.MemoryFunctionTableSetUserData(purego.NewCallback(func(h *capi.Memory, key, data, dtor uintptr) uintptr {
			if m := MemoryOf(h); m != nil {
				m.set(key, userData{data, capi.MemoryFunctionTableSetUserDataDtor(dtor)})
			}
			return 0
		})),
	}
})
