// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package serve

import (
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/purepjrt/purepjrt/capi"
)

// Memory is a PJRT_Memory for plugins in Go. Since API 0.105 the first word of
// a PJRT_Memory is a table of functions, by which clients attach data of their
// own; a Memory has it and keeps that data. NewMemory makes one.
type Memory struct {
	handle capi.Memory // first, since its address is the handle

	mu   sync.Mutex
	data map[uintptr]userData // guarded by mu; by key
}

// userData is what a client attached to a Memory, and the C function that it
// wants called when the Memory drops it.
type userData struct {
	data uintptr
	dtor capi.MemoryFunctionTableSetUserDataDtor
}

// memories are the memories that are in use, by address: it keeps them alive.
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

// MemoryOf returns the Memory that a handle belongs to, nil for one that is no
// handle of a Memory or was closed.
func MemoryOf(h *capi.Memory) *Memory {
	memories.mu.RLock()
	defer memories.mu.RUnlock()
	return memories.live[uintptr(unsafe.Pointer(h))]
}

// Handle returns the memory as C knows it.
func (m *Memory) Handle() *capi.Memory { return &m.handle }

// Close ends the memory, as a plugin does when it destroys the client that the
// memory belongs to, and hands the data that clients attached to their
// destructors. Closing again does nothing.
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

// set attaches data, and drops what stood under the key before.
func (m *Memory) set(key uintptr, d userData) {
	m.mu.Lock()
	old := m.data[key]
	if m.data == nil {
		m.data = make(map[uintptr]userData)
	}
	m.data[key] = d
	m.mu.Unlock()
	old.dtor.Call(old.data) // not under the lock: it is the client's code
}

func (m *Memory) get(key uintptr) uintptr {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.data[key].data
}

// memoryTable is the table of functions of each Memory. The functions ignore
// handles of others.
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
