// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrttest

import (
	"fmt"
	"sync"

	"github.com/purepjrt/purepjrt/capi"
)

// memory is one PJRT_Memory.
type memory struct {
	handle  *capi.Memory
	client  *client
	device  *device
	id      int
	kind    string
	kindID  int
	host    bool
	devices []*capi.Device // that reach it: the one it belongs to

	text, debug string

	mu                                 sync.Mutex
	limit, inUse, peak, largest, count int64 // guarded by mu, except limit

	user userData
}

// take counts an allocation, and returns an error if it does not fit.
func (m *memory) take(size int64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if size > m.limit-m.inUse {
		return capi.ErrorCodeResourceExhausted.Errorf("out of memory: %d bytes do not fit in %s, where %d of %d bytes are in use",
			size, m.text, m.inUse, m.limit)
	}
	m.inUse += size
	m.peak = max(m.peak, m.inUse)
	m.largest = max(m.largest, size)
	m.count++
	return nil
}

func (m *memory) give(size int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.inUse -= size
}

func (c *client) addMemory(d *device, kindID int, o MemoryOptions) {
	id := len(c.memories)
	m := &memory{
		client: c, device: d, id: id, kind: o.Kind, kindID: kindID, host: o.Host, limit: o.Bytes,
		devices: []*capi.Device{d.handle},
		text:    fmt.Sprintf("%s of device %d", o.Kind, d.id),
		debug:   fmt.Sprintf("pjrttest memory %d: %s of device %d, %d bytes", id, o.Kind, d.id, o.Bytes),
	}
	m.handle = makeMemory(c.p, m)
	c.memories = append(c.memories, m)
	c.memoryHandles = append(c.memoryHandles, m.handle)
	d.memories = append(d.memories, m)
	d.memoryHandles = append(d.memoryHandles, m.handle)
}

func (p *Plugin) memoryID(a *capi.MemoryIDArgs) error {
	return with(p, a.Memory, func(m *memory) { a.ID = int32(m.id) })
}

func (p *Plugin) memoryKind(a *capi.MemoryKindArgs) error {
	return with(p, a.Memory, func(m *memory) { a.Kind, a.KindSize = text(m.kind) })
}

func (p *Plugin) memoryKindID(a *capi.MemoryKindIDArgs) error {
	return with(p, a.Memory, func(m *memory) { a.KindID = int32(m.kindID) })
}

func (p *Plugin) memoryDebugString(a *capi.MemoryDebugStringArgs) error {
	return with(p, a.Memory, func(m *memory) { a.DebugString, a.DebugStringSize = text(m.debug) })
}

func (p *Plugin) memoryToString(a *capi.MemoryToStringArgs) error {
	return with(p, a.Memory, func(m *memory) { a.ToString, a.ToStringSize = text(m.text) })
}

func (p *Plugin) memoryAddressableByDevices(a *capi.MemoryAddressableByDevicesArgs) error {
	return with(p, a.Memory, func(m *memory) { a.Devices, a.NumDevices = list(m.devices) })
}
