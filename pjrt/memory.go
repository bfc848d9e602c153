// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"slices"
	"strings"

	"github.com/purepjrt/purepjrt/capi"
)

// Memory is a memory that devices can address. It belongs to its client, and its methods
// work even after the client is closed.
type Memory struct {
	client *Client
	handle *capi.Memory

	id        int
	kind      string
	kindID    int
	text      string
	debugText string
	devices   []*Device
}

func newMemory(c *Client, h *capi.Memory) (*Memory, error) {
	id, err := capi.Do(c.table, capi.MemoryIDArgs{Memory: h})
	if err = optional(err); err != nil {
		return nil, err
	}
	kind, err := capi.Do(c.table, capi.MemoryKindArgs{Memory: h})
	if err = optional(err); err != nil {
		return nil, err
	}
	kindID := -1
	number, err := capi.Do(c.table, capi.MemoryKindIDArgs{Memory: h})
	switch {
	case err == nil:
		kindID = int(number.KindID)
	case optional(err) != nil:
		return nil, err
	}
	text, err := capi.Do(c.table, capi.MemoryToStringArgs{Memory: h})
	if err = optional(err); err != nil {
		return nil, err
	}
	debug, err := capi.Do(c.table, capi.MemoryDebugStringArgs{Memory: h})
	if err = optional(err); err != nil {
		return nil, err
	}
	return &Memory{
		client: c, handle: h, id: int(id.ID), kindID: kindID,
		kind:      capi.String(kind.Kind, kind.KindSize),
		text:      capi.String(text.ToString, text.ToStringSize),
		debugText: capi.String(debug.DebugString, debug.DebugStringSize),
	}, nil
}

// listMemories reads the memories of this process.
func (c *Client) listMemories(h *capi.Client) error {
	c.memoryByHandle = make(map[*capi.Memory]*Memory)
	m, err := capi.Do(c.table, capi.ClientAddressableMemoriesArgs{Client: h})
	if err = optional(err); err != nil {
		return err
	}
	for _, h := range capi.Slice(m.AddressableMemories, m.NumAddressableMemories) {
		memory, err := c.memory(h)
		if err != nil {
			return err
		}
		c.memories = append(c.memories, memory)
	}
	return nil
}

// connectMemories reads which devices use which memories.
func (c *Client) connectMemories() error {
	for _, d := range c.addressable {
		all, err := capi.Do(c.table, capi.DeviceAddressableMemoriesArgs{Device: d.handle})
		if err = optional(err); err != nil {
			return err
		}
		for _, h := range capi.Slice(all.Memories, all.NumMemories) {
			m, err := c.memory(h)
			if err != nil {
				return err
			}
			d.memories = append(d.memories, m)
		}
		usual, err := capi.Do(c.table, capi.DeviceDefaultMemoryArgs{Device: d.handle})
		if err = optional(err); err != nil {
			return err
		}
		if h := usual.Memory; h != nil {
			m, err := c.memory(h)
			if err != nil {
				return err
			}
			d.defaultMemory = m
		}
	}
	for _, m := range c.memoryByHandle {
		devices, err := capi.Do(c.table, capi.MemoryAddressableByDevicesArgs{Memory: m.handle})
		if err = optional(err); err != nil {
			return err
		}
		m.devices = c.devicesOf(devices.Devices, devices.NumDevices)
	}
	return nil
}

// memory returns the Memory of a C object, and makes it on the first call for that object.
// Only the goroutine that makes the client may call it.
func (c *Client) memory(h *capi.Memory) (*Memory, error) {
	if m := c.memoryByHandle[h]; m != nil {
		return m, nil
	}
	m, err := newMemory(c, h)
	if err != nil {
		return nil, err
	}
	c.memoryByHandle[h] = m
	return m, nil
}

// memoryOf returns the Memory of a C object that the plugin returned.
func (c *Client) memoryOf(h *capi.Memory) (*Memory, error) {
	if m := c.memoryByHandle[h]; m != nil {
		return m, nil
	}
	return nil, failed(ErrInternal, "the plugin named a memory that is not among those of the client")
}

// handleIn returns the C object if m belongs to client.
func (m *Memory) handleIn(client *Client) (*capi.Memory, error) {
	switch {
	case m == nil || m.client == nil:
		return nil, errNilMemory
	case m.client != client:
		return nil, invalid("memory %v belongs to another client", m)
	}
	return m.handle, nil
}

// acquire keeps the C object alive until release.
func (m *Memory) acquire() (h *capi.Memory, release func(), err error) {
	if m == nil || m.client == nil {
		return nil, nil, errNilMemory
	}
	if _, err := m.client.acquire(); err != nil {
		return nil, nil, err
	}
	return m.handle, m.client.ref.Release, nil
}

var errNilMemory = invalid("the memory is nil")

// Client returns the client of the memory.
func (m *Memory) Client() *Client {
	if m == nil {
		return nil
	}
	return m.client
}

// ID returns the number of the memory in its client (PJRT_Memory_Id).
func (m *Memory) ID() int {
	if m == nil {
		return 0
	}
	return m.id
}

// Kind returns the kind of memory, such as pinned_host (PJRT_Memory_Kind).
func (m *Memory) Kind() string {
	if m == nil {
		return ""
	}
	return m.kind
}

// KindID returns the number of the kind, -1 if unknown (PJRT_Memory_Kind_Id).
func (m *Memory) KindID() int {
	if m == nil {
		return -1
	}
	return m.kindID
}

// DebugString returns the plugin's long description (PJRT_Memory_DebugString).
func (m *Memory) DebugString() string {
	if m == nil {
		return ""
	}
	return m.debugText
}

// Devices returns the devices that can use the memory, none if unknown
// (PJRT_Memory_AddressableByDevices).
func (m *Memory) Devices() []*Device {
	if m == nil {
		return nil
	}
	return slices.Clone(m.devices)
}

// String returns the plugin's short description (PJRT_Memory_ToString).
func (m *Memory) String() string {
	if m == nil || m.client == nil {
		return "no memory"
	}
	return m.text
}

// nameList joins names for an error.
func nameList(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}
